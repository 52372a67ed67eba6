# SPDX-License-Identifier: MIT
"""What the tests of programs share: to run one, and what holds of every call that it rejects or carries out."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest


class ProgramTest(unittest.TestCase):
    """A subclass names its program, whose path the environment variable of that name in capitals gives."""

    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix=f"{self.program}_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, target="host"):
        path = os.environ.get(self.program.upper(), f"build/bin/{self.program}")
        command = [path, *map(str, arguments)] + (["--target", target] if target else [])
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def assert_rejected(self, arguments, reason, target="host"):
        """Exit code 2, nothing on the output, and one line with the reason."""
        status, output, errors = self.run_program(*arguments, target=target)
        self.assertEqual(status, 2, (arguments, output, errors))
        self.assertEqual(output, "", arguments)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertTrue(errors.startswith(f"{self.program}: "), errors)
        self.assertIn(reason, errors)

    def run_well(self, *arguments):
        status, output, errors = self.run_program(*arguments)
        self.assertEqual((status, errors), (0, ""), (arguments, output))
        return output

    def assert_shows_progress(self, *arguments):
        """On a terminal, how far long work is, and how long it will still take; elsewhere run_well() sees nothing."""
        path = os.environ.get(self.program.upper(), f"build/bin/{self.program}")
        terminal, errors = os.openpty()
        one_core = [min(os.sched_getaffinity(0))] # so that no machine is too fast
        with subprocess.Popen([path, *map(str, arguments), "--target", "host"], stdout=subprocess.DEVNULL, stderr=errors,
                              preexec_fn=lambda: os.sched_setaffinity(0, one_core)) as run:
            os.close(errors)
            shown = b""
            try:
                while more := os.read(terminal, 4096):
                    shown += more
            except OSError: # the program has ended
                pass
        os.close(terminal)
        self.assertEqual(run.returncode, 0, shown)
        self.assertRegex(shown.decode(), r"\w+: \d+%, \d+ s left")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    def supporting_instances(self, *problem):
        """The names of those instances, of all that are listed, that support the problem."""
        lines = self.run_well(1, 2, 1, *problem, "--instance", "list").splitlines()
        names = [line.removesuffix(": supports the problem") for line in lines if line.endswith(": supports the problem")]
        self.assertTrue(names, lines)
        for line in lines:
            self.assertRegex(line, r"^\w+: \S.*$")
        return names

    def assert_tunes(self, *problem):
        """What was measured is written to a table, which then chooses; a table made by hand does so, too."""
        table, report = self.folder / "tuned.json", self.folder / "report.json"
        output = self.run_well(1, 2, 0, *problem, "--tuned", table, "--tune")
        self.assertRegex(output, r"(?m)^Tuned: the fastest of \d+ measured is \w+")
        self.assertIn(": passed", output)
        written = json.loads(table.read_text())
        (choice,) = written["choices"]
        for instance in self.supporting_instances(*problem):
            table.write_text(json.dumps({**written, "choices": [{**choice, "instance": instance}]}))
            self.assertIn(": passed", self.run_well(1, 2, 0, *problem, "--tuned", table, "--json", report))
            self.assertIn(instance, json.loads(report.read_text())["instance"].split(", "))

    def assert_dump_can_be_loaded(self, names, *arguments):
        """Tensors that were dumped, loaded and dumped again are the same, bit by bit; so are the results."""
        first, second = self.folder / "first", self.folder / "second"
        self.run_well(1, 2, 0, *arguments, "--seed", 5, "--dump", first)
        self.run_well(2, 0, 0, *arguments, "--load", first, "--dump", second)
        for name in names:
            self.assertEqual((first / f"{name}.npy").read_bytes(), (second / f"{name}.npy").read_bytes(), (arguments, name))

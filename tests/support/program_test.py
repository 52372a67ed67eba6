# SPDX-License-Identifier: MIT
"""What the tests of programs share: to run one, and what holds of every call that it rejects or carries out."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest


# What the program is built for: element types, and the shape of the CPU.
TYPES = os.environ.get("CK_TILE_DTYPES", "fp16,bf16,fp32").split(",")
HOST = os.environ.get("CK_TILE_HOST", "host")


class ProgramTest(unittest.TestCase):
    """A subclass names its program, whose path the environment variable of that name in capitals gives."""

    program = None
    usual_type = "fp16" # without --dtype

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix=f"{self.program}_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def skip_unless_built(self, arguments):
        """Ends a test where it comes to a type that the program has no instances of."""
        words = [*map(str, arguments)]
        dtype = words[words.index("--dtype") + 1] if "--dtype" in words[:-1] else self.usual_type
        if dtype in ("fp16", "bf16", "fp32") and dtype not in TYPES:
            self.skipTest(f"built without {dtype}")

    def run_program(self, *arguments, target=HOST):
        self.skip_unless_built(arguments)
        path = os.environ.get(self.program.upper(), f"build/bin/{self.program}")
        command = [path, *map(str, arguments)] + (["--target", target] if target else [])
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def run_redirected(self, redirection, *arguments):
        """The exit code and the errors of a program that a shell starts with a redirection."""
        self.skip_unless_built(arguments)
        path = os.environ.get(self.program.upper(), f"build/bin/{self.program}")
        done = subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", path, *map(str, arguments), "--target", HOST],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        return done.returncode, done.stderr

    def assert_rejected(self, arguments, reason, target=HOST):
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
        with subprocess.Popen([path, *map(str, arguments), "--target", HOST], stdout=subprocess.DEVNULL, stderr=errors,
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

    def supporting_instances(self, *problem, word="name"):
        """The names, or ids, of those instances, of all that are listed, that support the problem."""
        file = self.folder / "instances.json"
        tables = self.run_well(1, 2, 1, *problem, "--instance", "list", "--json", file).split("\n\n") # of kinds of configurations
        lines = []
        for heading, *rows in (table.splitlines() for table in tables):
            self.assertRegex(heading, r"^id .* problem$")
            lines += rows
        listed = json.loads(file.read_text())
        self.assertEqual([line.split()[0] for line in lines], [each["id"] for each in listed])
        for each, line in zip(listed, lines):
            self.assertEqual(each["supports"], each["reason"] is None)
            self.assertTrue(line.endswith(each["reason"] or "supported"), line)
        found = [each[word] for each in listed if each["supports"]]
        self.assertTrue(found, lines)
        return found

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

    def run_without_room(self, *arguments, killed=False):
        """With files of no bytes, as on a full disk; or killed by the first byte that is written to one."""
        path = os.environ.get(self.program.upper(), f"build/bin/{self.program}")
        return subprocess.run([path, *map(str, arguments), "--target", HOST], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120, check=False, restore_signals=killed,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)))

    def assert_keeps_files(self, file, *arguments):
        """Where there is no room, or the program is killed, there is no file, or the one that was there."""
        for content in (None, file.read_bytes() if file.exists() else b"{}"):
            if content is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(content)
            for killed in (False, True):
                done = self.run_without_room(*arguments, killed=killed)
                if killed:
                    self.assertEqual(done.returncode, -signal.SIGXFSZ, done)
                else:
                    self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)
                    self.assertIn("must be a file that can be written (File too large)", done.stderr)
                self.assertEqual(file.read_bytes() if file.exists() else None, content, (arguments, killed))

    def assert_keeps_tables(self, problems):
        """A table has what all programs that measure at once have found, and nothing of one that is ended."""
        table = self.folder / "tuned.json"
        path = os.environ.get(self.program.upper(), f"build/bin/{self.program}")
        commands = [["0", "2", "0", *problem, "--tuned", str(table), "--tune"] for problem in problems]
        running = [subprocess.Popen([path, *command, "--target", HOST], stdout=subprocess.DEVNULL) for command in commands]
        self.assertEqual([run.wait(timeout=120) for run in running], [0] * len(running))
        self.assertEqual(len(json.loads(table.read_text())["choices"]), len(problems))
        self.assert_keeps_files(table, *commands[0])
        table.write_text("") # as of mktemp
        self.run_well(*commands[0])
        self.assertEqual(len(json.loads(table.read_text())["choices"]), 1)

    def assert_dump_can_be_loaded(self, names, *arguments):
        """Tensors that were dumped, loaded and dumped again are the same, bit by bit; so are the results."""
        first, second = self.folder / "first", self.folder / "second"
        self.run_well(1, 2, 0, *arguments, "--seed", 5, "--dump", first)
        self.run_well(2, 0, 0, *arguments, "--load", first, "--dump", second)
        for name in names:
            self.assertEqual((first / f"{name}.npy").read_bytes(), (second / f"{name}.npy").read_bytes(), (arguments, name))

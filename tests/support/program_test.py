# SPDX-License-Identifier: MIT
"""What the tests of programs share: to run one, and what holds of every call that it rejects or carries out."""

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

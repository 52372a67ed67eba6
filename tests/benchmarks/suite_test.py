#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a benchmark on a suite of one row: the report, and files that are none or cannot be written.

usage: suite_test.py BENCHMARK_MAXPOOL_BWD [TEST...]
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv[1]
ROW = {"row": "1", "name": "pool", "dtypes": ["fp16", "bf16", "fp32"],
       "problem": {"N": 1, "C": 64, "input": [128, 128], "window": [3, 3], "strides": [2, 2], "dilations": [1, 1], "left_pads": [1, 1],
                   "right_pads": [1, 1]}}


class Suite(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.suite, self.report = self.folder / "suite.json", self.folder / "report.json"
        self.suite.write_text(json.dumps({"maxpool_bwd": [ROW]}))

    def run_it(self, report):
        return subprocess.run([PROGRAM, self.suite, "--target", "host", "--repeats", "1", "--dtypes", "fp16", "--json", report],
                              capture_output=True, text=True, check=False)

    def assert_rejected(self, report, reason):
        done = self.run_it(report)
        self.assertEqual((done.returncode, done.stderr), (2, f"benchmark_maxpool_bwd: {reason}\n"))

    def test_report(self):
        done = self.run_it(self.report)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        line = json.loads(self.report.read_text())
        self.assertEqual((line["operation"], line["row"], line["dtype"]), ("maxpool_bwd", "1", "fp16"))

    def test_reports_that_cannot_be_written(self):
        self.assert_rejected(self.folder, f"{self.folder} must be a file that can be written (it is a folder): choose another path")
        self.assert_rejected("/dev/full", "/dev/full cannot be written, for lack of room: choose another path")

    def test_other_suites_leave_the_report(self):
        self.report.write_text("earlier")
        for text in ("{", "[]", "{}", '{"other": []}'):
            self.suite.write_text(text)
            self.assert_rejected(self.report, f"{self.suite} must be a suite that has maxpool_bwd: name benchmarks/suite.json, or one "
                                              "like it")
        self.assertEqual(self.report.read_text(), "earlier")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program groupnorm_bwd: what it rejects and how, what it prints, the files that it reads and writes.

    GROUPNORM_BWD=<path of the program> groupnorm_bwd_cli_test.py [class[.test]...]
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from npy_files import read_npy  # pylint: disable=wrong-import-position
from program_test import ProgramTest  # pylint: disable=wrong-import-position

SMALL = "2 5 3 4 8".split()  # N H W G C
SHAPES = {"x": (2, 5, 3, 4, 8), "dy": (2, 5, 3, 4, 8), "gamma": (4, 8), "mean": (2, 4), "inv_std": (2, 4),
          "dx": (2, 5, 3, 4, 8), "dgamma": (4, 8), "dbeta": (4, 8)}


class TestCase(ProgramTest):
    program = "groupnorm_bwd"
    usual_type = "fp32"


class BadArguments(TestCase):
    def test_numbers(self):
        self.assert_rejected([1, 1], "expected no numbers, 3 (verify init time) or 3 and a problem, but 2 are given")
        self.assert_rejected([3, 1, 0], "verify must be from 0 to 2, but is 3")
        self.assert_rejected([1, "x", 0], "init must be a whole number, but is 'x'")
        self.assert_rejected([1, 1, 0, 1, 2, 3, 4],
                             "a problem needs 5 numbers after verify, init and time (N H W G C), but 4 are given")
        self.assert_rejected([1, 1, 0, 2, 5, "x", 4, 8], "W must be a whole number, but is 'x'")
        self.assert_rejected([1, 1, 0, 1, 2, 3, 0, 4], "G must be positive, but is 0: choose 1 or more")

    def test_options(self):
        self.assert_rejected(["--dtype", "fp8"], "--dtype must be one of fp16, bf16, fp32, but is 'fp8'")
        self.assert_rejected(["--layout", "gnhwc"], "--layout must be one of nhwgc, ngchw, but is 'gnhwc'")
        self.assert_rejected(["--seed=-1"], "--seed must not be negative, but is -1")
        self.assert_rejected(["--no-such-option"], "see --help")
        self.assert_rejected(["--instance", "none"], "instance 'none' is not one of host:")
        self.assert_rejected([1, 1, 0, *SMALL, "--load", "/nonexistent"], "x.npy")
        self.assert_rejected(["--split-k", 2], "not expected: ")
        self.assert_rejected([1, 1, 0, *SMALL, "--no-dx", "--no-dgamma", "--no-dbeta"],
                             "no gradient is wanted: ask for dx, dgamma or dbeta")

    def test_files_of_other_shapes(self):
        self.run_well(0, 1, 0, *SMALL, "--dump", self.folder)
        self.assert_rejected([1, 1, 0, "1", *SMALL[1:], "--load", self.folder],
                             "the problem needs the shape (1, 5, 3, 4, 8), found (2, 5, 3, 4, 8)")


class GoodArguments(TestCase):
    def test_every_layout_type_and_verification(self):
        for layout in ("nhwgc", "ngchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for verify in (1, 2):
                    for init in (0, 1, 2):
                        output = self.run_well(verify, init, 1, *SMALL, "--layout", layout, "--dtype", dtype)
                        self.assertEqual(output.count(": passed, "), 3, output)
                        self.assertIn("Perf: ", output)

    def test_help_and_instances(self):
        self.assertIn("groupnorm_bwd [verify init time [N H W G C]]", self.run_well("--help"))
        for name, short in zip(self.supporting_instances(*SMALL), self.supporting_instances(*SMALL, word="id")):
            self.assertIn(name, self.run_well(1, 2, 1, *SMALL, "--instance", short))

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_gradients_that_are_not_wanted(self):
        for left_out in ("dx", "dgamma", "dbeta"):
            for verify in (1, 2):
                output = self.run_well(verify, 2, 0, *SMALL, f"--no-{left_out}", "--dump", self.folder / left_out)
                self.assertEqual(output.count(": passed, "), 2, output)
                self.assertNotIn(f"{left_out}: ", output)
            self.assertEqual({path.stem for path in (self.folder / left_out).iterdir()}, {*SHAPES} - {left_out})

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 1, 1, *SMALL, "--json", file)
        report = json.loads(file.read_text())
        self.assertEqual(report["problem"], {"N": 2, "image": [5, 3], "G": 4, "C": 8, "dtype": "fp32", "layout": "nhwgc",
                                             "dx": True, "dgamma": True, "dbeta": True})
        self.assertNotIn("splits", report)
        self.assertGreater(report["timing"]["ms"], 0)
        for name in ("dx", "dgamma", "dbeta"):
            self.assertTrue(report["verification"][name]["passed"])


class Files(TestCase):
    def test_what_is_dumped_can_be_loaded_and_gives_the_same(self):
        self.assert_dump_can_be_loaded(SHAPES, *SMALL)
        for name, shape in SHAPES.items():
            self.assertEqual(read_npy(self.folder / "first" / f"{name}.npy")[0], shape)

    def test_dbeta_is_the_sum_of_dy(self):
        self.run_well(0, 1, 0, *SMALL, "--dump", self.folder)
        dy, dbeta = read_npy(self.folder / "dy.npy")[1], read_npy(self.folder / "dbeta.npy")[1]
        self.assertEqual([sum(dy[c::32]) for c in range(32)], list(dbeta))


if __name__ == "__main__":
    unittest.main()

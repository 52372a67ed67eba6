#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program groupnorm_fwd: what is special about it; what it has from all programs, the tests of others say.

    GROUPNORM_FWD=<path of the program> groupnorm_fwd_cli_test.py [class[.test]...]
"""

import json
import pathlib
import statistics
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from npy_files import read_npy  # pylint: disable=wrong-import-position
from program_test import ProgramTest  # pylint: disable=wrong-import-position

SMALL = "2 5 3 4 8".split()  # N H W G C
SHAPES = {"x": (2, 5, 3, 4, 8), "gamma": (4, 8), "beta": (4, 8), "y": (2, 5, 3, 4, 8), "mean": (2, 4), "inv_std": (2, 4)}


class TestCase(ProgramTest):
    program = "groupnorm_fwd"
    usual_type = "fp32"


class BadArguments(TestCase):
    def test_epsilon(self):
        self.assert_rejected([1, 1, 0, *SMALL, "--epsilon=-1"], "epsilon must be zero or positive and finite, but is -1")
        self.assert_rejected([1, 1, 0, *SMALL, "--epsilon", "x"], "--epsilon")


class GoodArguments(TestCase):
    def test_every_layout_type_and_verification(self):
        for layout in ("nhwgc", "ngchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for verify in (1, 2):
                    for init in (0, 1, 2):
                        output = self.run_well(verify, init, 0, *SMALL, "--layout", layout, "--dtype", dtype)
                        self.assertEqual(output.count(": passed, "), 3, output)

    def test_help(self):
        self.assertIn("groupnorm_fwd [verify init time [N H W G C]]", self.run_well("--help"))

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 1, 0, *SMALL, "--epsilon", "1e-3", "--json", file)
        report = json.loads(file.read_text())
        self.assertEqual(report["problem"], {"N": 2, "image": [5, 3], "G": 4, "C": 8, "dtype": "fp32", "layout": "nhwgc",
                                             "epsilon": 0.001})
        for name in ("y", "mean", "inv_std"):
            self.assertTrue(report["verification"][name]["passed"])


class Files(TestCase):
    def test_what_is_dumped_can_be_loaded_and_gives_the_same(self):
        self.assert_dump_can_be_loaded(SHAPES, *SMALL)
        for name, shape in SHAPES.items():
            self.assertEqual(read_npy(self.folder / "first" / f"{name}.npy")[0], shape)

    def test_statistics_are_those_of_x(self):
        self.run_well(0, 1, 0, *SMALL, "--epsilon", 0, "--dump", self.folder)
        x, mean, inv_std = (read_npy(self.folder / f"{name}.npy")[1] for name in ("x", "mean", "inv_std"))
        for n in range(2):
            for g in range(4):
                group = [x[((n * 15 + pixel) * 4 + g) * 8 + c] for pixel in range(15) for c in range(8)]
                self.assertAlmostEqual(mean[n * 4 + g], statistics.fmean(group), places=5)
                self.assertAlmostEqual(inv_std[n * 4 + g], 1 / statistics.pstdev(group), places=5)


if __name__ == "__main__":
    unittest.main()

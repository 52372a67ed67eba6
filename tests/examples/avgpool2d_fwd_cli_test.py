#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program avgpool2d_fwd: what is special about it; what it has from all programs, the tests of others say.

    AVGPOOL2D_FWD=<path of the program> avgpool2d_fwd_cli_test.py [class[.test]...]
"""

import json
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from npy_files import read_npy, write_npy  # pylint: disable=wrong-import-position
from program_test import ProgramTest  # pylint: disable=wrong-import-position

# N C Hi Wi, window, strides, left pads, right pads
SMALL = "3 5  9 8  3 2  2 1  1 0  2 1".split()
CONVENTIONS = ([], ["--no-count_include_pad"], ["--divisor_override", "2.5"])


class TestCase(ProgramTest):
    program = "avgpool2d_fwd"


class BadArguments(TestCase):
    def test_divisors(self):
        self.assert_rejected(["--divisor_override", "-1"], "divisor_override must be zero, for none, or a positive number, but is -1")
        self.assert_rejected([1, 1, 0, *[1] * 14], "a problem needs 12 numbers after verify, init and time (N C Hi Wi Y X Sy Sx LPy LPx RPy "
                                                   "RPx), but 14 are given")


class GoodArguments(TestCase):
    def test_every_layout_type_convention_and_verification(self):
        for layout in ("nhwc", "nchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for convention in CONVENTIONS:
                    for verify, init in ((1, 2), (2, 1), (2, 0)):
                        output = self.run_well(verify, init, 0, *SMALL, "--layout", layout, "--dtype", dtype, *convention)
                        self.assertEqual(output.count(": passed, 600 elements"), 1, output)

    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL).splitlines()
        self.assertEqual(lines[:2], ["in: dim 4, lengths {3, 9, 8, 5}, strides {360, 40, 5, 1}",
                                     "out: dim 4, lengths {3, 5, 8, 5}, strides {200, 40, 5, 1}"])
        self.assertRegex(lines[2], r"^Perf: \S+ ms, \S+ GB/s, avgpool_fwd_\S+, host:\w+$")
        self.assertRegex(lines[3], r"^Verification against the fp64 reference on the CPU: passed, 600 elements, ")
        self.assertIn("avgpool2d_fwd [verify init time [N C Hi Wi", self.run_well("--help"))

    def test_empty_batch(self):
        for verify in (1, 2):
            self.assertIn("no elements", self.run_well(verify, 1, 0, 0, *SMALL[1:], "--dump", self.folder))

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 2, 0, *SMALL, "--json", file, "--ceil", "--no-count_include_pad", "--divisor_override", "3")
        report = json.loads(file.read_text())
        self.assertEqual([report["problem"][name] for name in ("ceil", "count_include_pad", "divisor_override")], [True, False, 3])
        self.assertTrue(report["verification"]["passed"])


class Files(TestCase):
    def test_loading_a_dump_repeats_its_bits(self):
        self.assert_dump_can_be_loaded(("in", "out"), *SMALL)

    def test_result_is_that_of_the_file(self):
        """A row of windows {., 0, 1}, {1, 2, 3}, {3, 4, .}."""
        problem = "1 1  1 5  1 3  1 2  0 1  0 1".split()
        write_npy(self.folder / "in.npy", "<f2", [1, 1, 5, 1], struct.pack("<5e", 3, 6, -9, 12, 15))
        for number, (convention, means) in enumerate(zip(CONVENTIONS, ([3, 3, 9], [4.5, 3, 13.5], [3.599609375, 3.599609375, 10.796875]))):
            folder = self.folder / str(number)
            self.run_well(1, 0, 0, *problem, *convention, "--load", self.folder, "--dump", folder)
            self.assertEqual(read_npy(folder / "out.npy"), ((1, 1, 3, 1), means))


if __name__ == "__main__":
    unittest.main()

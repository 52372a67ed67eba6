#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program avgpool2d_bwd: what is special about it; what it has from all programs, the tests of others say.

    AVGPOOL2D_BWD=<path of the program> avgpool2d_bwd_cli_test.py [class[.test]...]
"""

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
    program = "avgpool2d_bwd"


class GoodArguments(TestCase):
    def test_every_layout_type_convention_and_verification(self):
        for layout in ("nhwc", "nchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for convention in CONVENTIONS:
                    for verify, init in ((1, 2), (2, 1), (2, 0)):
                        output = self.run_well(verify, init, 0, *SMALL, "--layout", layout, "--dtype", dtype, *convention)
                        self.assertEqual(output.count(": passed, 1080 elements"), 1, output)

    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL).splitlines()
        self.assertEqual(lines[:2], ["dout: dim 4, lengths {3, 5, 8, 5}, strides {200, 40, 5, 1}",
                                     "din: dim 4, lengths {3, 9, 8, 5}, strides {360, 40, 5, 1}"])
        self.assertRegex(lines[2], r"^Perf: \S+ ms, \S+ GB/s, avgpool_bwd_\S+, host:\w+$")
        self.assertRegex(lines[3], r"^Verification against the fp64 reference on the CPU: passed, 1080 elements, ")
        self.assertIn("avgpool2d_bwd [verify init time [N C Hi Wi", self.run_well("--help"))

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)


class Files(TestCase):
    def test_loading_a_dump_repeats_its_bits(self):
        self.assert_dump_can_be_loaded(("dout", "din"), *SMALL)

    def test_result_is_that_of_the_file(self):
        """A row of windows {., 0, 1}, {1, 2, 3}, {3, 4, .}."""
        problem = "1 1  1 5  1 3  1 2  0 1  0 1".split()
        write_npy(self.folder / "dout.npy", "<f2", [1, 1, 3, 1], struct.pack("<3e", 3, -6, 12))
        for number, (convention, gradients) in enumerate(zip(CONVENTIONS[:2], ([1, -1, -2, 2, 4], [1.5, -0.5, -2, 4, 6]))):
            folder = self.folder / str(number)
            self.run_well(1, 0, 0, *problem, *convention, "--load", self.folder, "--dump", folder)
            self.assertEqual(read_npy(folder / "din.npy"), ((1, 1, 5, 1), gradients))


if __name__ == "__main__":
    unittest.main()

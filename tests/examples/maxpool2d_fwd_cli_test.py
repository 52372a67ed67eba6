#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program maxpool2d_fwd: what is special about it; what it has from all programs, the tests of others say.

    MAXPOOL2D_FWD=<path of the program> maxpool2d_fwd_cli_test.py [class[.test]...]
"""

import json
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from npy_files import read_npy, write_npy  # pylint: disable=wrong-import-position
from program_test import ProgramTest  # pylint: disable=wrong-import-position

# N C Hi Wi, window, strides, dilations, left pads, right pads
SMALL = "3 5  9 8  3 2  2 1  1 2  1 0  2 1".split()
KINDS = ("u8", "int32", "int64", "recompute")


class TestCase(ProgramTest):
    program = "maxpool2d_fwd"


class GoodArguments(TestCase):
    def test_every_layout_type_kind_and_verification(self):
        for layout in ("nhwc", "nchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for kind in KINDS:
                    for verify, init in ((1, 2), (2, 1), (2, 0)):
                        output = self.run_well(verify, init, 0, *SMALL, "--layout", layout, "--dtype", dtype,
                                               "--indices", kind)
                        self.assertEqual(output.count(": passed, 525 elements"), 1 if kind == "recompute" else 2, output)

    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL).splitlines()
        self.assertEqual(lines[:3], ["in: dim 4, lengths {3, 9, 8, 5}, strides {360, 40, 5, 1}",
                                     "out: dim 4, lengths {3, 5, 7, 5}, strides {175, 35, 5, 1}",
                                     "indices: dim 4, lengths {3, 5, 7, 5}, strides {175, 35, 5, 1}"])
        self.assertRegex(lines[3], r"^Perf: \S+ ms, \S+ GB/s, maxpool_fwd_\S+, host:\w+$")
        self.assertRegex(lines[4], r"^Verification of out against the fp64 reference on the CPU: passed, 525 elements, ")
        self.assertRegex(lines[5], r"^Verification of indices against the fp64 reference on the CPU: passed, 525 elements, ")
        self.assertIn("maxpool2d_fwd [verify init time [N C Hi Wi", self.run_well("--help"))

    def test_empty_batch_and_large_windows(self):
        for verify in (1, 2):
            self.assertEqual(self.run_well(verify, 1, 0, 0, *SMALL[1:], "--dump", self.folder).count("no elements"), 2)
        for kind in KINDS[1:]:
            self.run_well(1, 1, 0, *"1 2 20 20  17 17  1 1  1 1  0 0  0 0".split(), "--indices", kind)

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 2, 0, *SMALL, "--json", file, "--ceil")
        report = json.loads(file.read_text())
        self.assertEqual((report["problem"]["ceil"], report["problem"]["indices"]), (True, "u8"))
        self.assertEqual({name: each["passed"] for name, each in report["verification"].items()},
                         {"out": True, "indices": True})


class Files(TestCase):
    def test_loading_a_dump_repeats_its_bits(self):
        for kind in KINDS:
            names = ("in", "out") + (() if kind == "recompute" else ("indices",))
            self.assert_dump_can_be_loaded(names, *SMALL, "--indices", kind)

    def test_result_is_that_of_the_file(self):
        """A row of windows {., 0, 1}, {1, 2, 3}, {3, 4, .}, of which the second has a tie."""
        problem = "1 1  1 5  1 3  1 2  1 1  0 1  0 1".split()
        write_npy(self.folder / "in.npy", "<f2", [1, 1, 5, 1], struct.pack("<5e", 1, 2, 0, 2, 5))
        for kind, indices in (("u8", [2, 0, 1]), ("int32", [1, 1, 4]), ("int64", [1, 1, 4])):
            folder = self.folder / kind
            self.run_well(1, 0, 0, *problem, "--indices", kind, "--load", self.folder, "--dump", folder)
            self.assertEqual(read_npy(folder / "out.npy"), ((1, 1, 3, 1), [2, 2, 5]))
            self.assertEqual(read_npy(folder / "indices.npy"), ((1, 1, 3, 1), indices))


if __name__ == "__main__":
    unittest.main()

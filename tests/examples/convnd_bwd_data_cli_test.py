#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program convnd_bwd_data: what it prints, computes and writes, and ways to call it wrongly.

    CONVND_BWD_DATA=<path of the program> convnd_bwd_data_cli_test.py [class[.test]...]
"""

import json
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from npy_files import read_npy, write_npy  # pylint: disable=wrong-import-position
from program_test import ProgramTest  # pylint: disable=wrong-import-position

# ndim G N K C, filter, input, strides, dilations, left pads, right pads
SMALL = "2  2 3 5 6  3 2  9 8  2 1  1 2  1 0  2 1".split()


class TestCase(ProgramTest):
    program = "convnd_bwd_data"


class BadArguments(TestCase):
    def test_reasons(self):
        self.assert_rejected([1, 1, 0, *SMALL, "--bias"], "not expected: --bias")
        self.assert_rejected([1, 1, 0, *SMALL, "--split-k", 1000], "split-k 1000 is more than the ")
        self.assert_rejected([1, 1, 0, *SMALL[:-1]], "a problem needs 17 numbers after verify, init and time")
        self.assert_rejected([1, 1, 0, *SMALL, "--load", self.folder / "none"], "out.npy")


class GoodArguments(TestCase):
    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL).splitlines()
        self.assertEqual(lines[:3], ["out: dim 5, lengths {3, 5, 7, 2, 5}, strides {350, 70, 10, 5, 1}",
                                     "wei: dim 5, lengths {2, 5, 3, 2, 6}, strides {180, 36, 12, 6, 1}",
                                     "in: dim 5, lengths {3, 9, 8, 2, 6}, strides {864, 96, 12, 6, 1}"])
        self.assertRegex(lines[3], r"^Perf: \S+ ms, \S+ TFlops, \S+ GB/s, \S+, host:\w+$")
        self.assertIn(": passed, 2592 elements", lines[4])

    def test_every_layout_type_and_verification(self):
        for layout in ("nhwgc", "gnhwc", "ngchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for verify in (1, 2):
                    output = self.run_well(verify, 2, 0, *SMALL, "--layout", layout, "--dtype", dtype)
                    self.assertIn(": passed, 2592 elements", output)

    def test_every_dimension_and_split(self):
        for splits in ("auto", 1, 2):
            self.run_well(1, 2, 0, *"1  3 2 40 4  3  20  2  3  0  5".split(), "--split-k", splits)
            self.run_well(1, 2, 0, *"3  1 2 50 3  2 1 3  4 5 6  1 2 1  1 1 2  0 1 0  1 0 2".split(), "--split-k", splits)

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 2, 1, *SMALL, "--json", file, "--split-k", 1)
        report = json.loads(file.read_text())
        self.assertEqual(report["splits"], 1)
        self.assertTrue(report["verification"]["passed"])


class Files(TestCase):
    def test_loading_a_dump_repeats_its_bits(self):
        for layout in ("nhwgc", "ngchw"):
            self.assert_dump_can_be_loaded(("out", "wei", "in"), *SMALL, "--layout", layout)

    def test_result_is_that_of_the_file(self):
        """In 1-D, against the definition; inputs that no window reaches are zeros."""
        n_count, k_count, c_count, taps, width, stride, pad = 2, 3, 2, 2, 12, 4, 1
        outputs = (width + 2 * pad - taps) // stride + 1
        dy = [[[(7 * n + 3 * o + 2 * k) % 9 - 4 for k in range(k_count)] for o in range(outputs)] for n in range(n_count)]
        w = [[[(5 * k + 2 * t + 3 * c) % 7 - 3 for c in range(c_count)] for t in range(taps)] for k in range(k_count)]

        def write(name, shape, values):
            write_npy(self.folder / name, "<f4", shape, struct.pack(f"<{len(values)}f", *values))

        write("out.npy", (n_count, outputs, 1, k_count), [v for image in dy for pixel in image for v in pixel])
        write("wei.npy", (1, k_count, taps, c_count), [v for k in w for tap in k for v in tap])
        self.run_well(1, 1, 0, 1, 1, n_count, k_count, c_count, taps, width, stride, 1, pad, pad, "--dtype", "fp32",
                      "--load", self.folder, "--dump", self.folder)
        shape, values = read_npy(self.folder / "in.npy")
        self.assertEqual(shape, (n_count, width, 1, c_count))
        for number, value in enumerate(values):
            n, i, c = number // (width * c_count), number // c_count % width, number % c_count
            total = sum(dy[n][o][k] * w[k][t][c] for o in range(outputs) for t in range(taps) for k in range(k_count)
                        if o * stride + t - pad == i)
            self.assertEqual(value, total, (n, i, c))


if __name__ == "__main__":
    unittest.main()

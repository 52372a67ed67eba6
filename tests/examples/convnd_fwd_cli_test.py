#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program convnd_fwd: what it prints, computes and writes, and ways to call it wrongly.

    CONVND_FWD=<path of the program> convnd_fwd_cli_test.py [class[.test]...]
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
    program = "convnd_fwd"


class BadArguments(TestCase):
    def test_reasons(self):
        self.assert_rejected([1, 1, 0, *SMALL, "--activation", "gelu"], "activation must be one of none, relu, relu6, silu, but is 'gelu'")
        self.assert_rejected([1, 1, 0, *SMALL, "--split-k", 1000], "split-k 1000 is more than the ")
        self.assert_rejected([1, 1, 0, *SMALL[:-1]], "a problem needs 17 numbers after verify, init and time")
        self.assert_rejected([1, 1, 0, *SMALL, "--load", self.folder / "none"], "in.npy")


class GoodArguments(TestCase):
    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL, "--bias").splitlines()
        self.assertEqual(lines[:4], ["in: dim 5, lengths {3, 9, 8, 2, 6}, strides {864, 96, 12, 6, 1}",
                                     "wei: dim 5, lengths {2, 5, 3, 2, 6}, strides {180, 36, 12, 6, 1}",
                                     "bias: dim 2, lengths {2, 5}, strides {5, 1}",
                                     "out: dim 5, lengths {3, 5, 7, 2, 5}, strides {350, 70, 10, 5, 1}"])
        self.assertRegex(lines[4], r"^Perf: \S+ ms, \S+ TFlops, \S+ GB/s, \S+, host:\w+$")
        self.assertIn(": passed, 1050 elements", lines[5])

    def test_every_layout_type_finish_and_verification(self):
        for layout in ("nhwgc", "gnhwc", "ngchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for finish in ([], ["--bias", "--activation", "relu"], ["--residual", "--activation", "silu"],
                               ["--bias", "--residual", "--activation", "relu6"]):
                    for verify in (1, 2):
                        output = self.run_well(verify, 2, 0, *SMALL, "--layout", layout, "--dtype", dtype, *finish)
                        self.assertIn(": passed, 1050 elements", output)

    def test_every_dimension_and_split(self):
        for splits in ("auto", 1, 2):
            self.run_well(1, 2, 0, *"1  3 2 4 40  3  20  2  3  0  5".split(), "--split-k", splits, "--bias", "--activation", "silu")
            self.run_well(1, 2, 0, *"3  1 2 3 50  2 1 3  4 5 6  1 2 1  1 1 2  0 1 0  1 0 2".split(), "--split-k", splits)

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 2, 1, *SMALL, "--json", file, "--activation", "relu6")
        report = json.loads(file.read_text())
        self.assertEqual(report["problem"],
                         {"ndim": 2, "G": 2, "N": 3, "K": 5, "C": 6, "filter": [3, 2], "input": [9, 8], "strides": [2, 1],
                          "dilations": [1, 2], "left_pads": [1, 0], "right_pads": [2, 1], "dtype": "fp16", "layout": "nhwgc",
                          "bias": False, "activation": "relu6", "residual": False})
        self.assertTrue(report["verification"]["passed"])


class Files(TestCase):
    def test_loading_a_dump_repeats_its_bits(self):
        for layout in ("nhwgc", "ngchw"):
            self.assert_dump_can_be_loaded(("in", "wei", "bias", "residual", "out"), *SMALL, "--layout", layout, "--bias", "--residual")

    def test_result_is_that_of_the_file(self):
        """In 1-D, against the definition; the numbers are small and whole, so that the sums are exact."""
        n_count, k_count, c_count, taps, width, stride, pad = 2, 3, 2, 3, 6, 2, 1
        outputs = (width + 2 * pad - taps) // stride + 1
        x = [[[(7 * n + 3 * i + 2 * c) % 9 - 4 for c in range(c_count)] for i in range(width)] for n in range(n_count)]
        w = [[[(5 * k + 2 * t + 3 * c) % 7 - 3 for c in range(c_count)] for t in range(taps)] for k in range(k_count)]
        b = [3 * k - 4 for k in range(k_count)]

        def write(name, shape, values):
            write_npy(self.folder / name, "<f4", shape, struct.pack(f"<{len(values)}f", *values))

        write("in.npy", (n_count, width, 1, c_count), [v for image in x for pixel in image for v in pixel])
        write("wei.npy", (1, k_count, taps, c_count), [v for k in w for tap in k for v in tap])
        write("bias.npy", (1, k_count), b)
        self.run_well(1, 1, 0, 1, 1, n_count, k_count, c_count, taps, width, stride, 1, pad, pad, "--dtype", "fp32", "--bias",
                      "--activation", "relu", "--load", self.folder, "--dump", self.folder)
        shape, values = read_npy(self.folder / "out.npy")
        self.assertEqual(shape, (n_count, outputs, 1, k_count))
        for number, value in enumerate(values):
            n, o, k = number // (outputs * k_count), number // k_count % outputs, number % k_count
            total = b[k] + sum(x[n][o * stride + t - pad][c] * w[k][t][c] for t in range(taps) for c in range(c_count)
                               if 0 <= o * stride + t - pad < width)
            self.assertEqual(value, max(total, 0), (n, o, k))


if __name__ == "__main__":
    unittest.main()

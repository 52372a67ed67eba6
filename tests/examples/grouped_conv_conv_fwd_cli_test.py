#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program grouped_conv_conv_fwd: what it prints, computes and writes, and ways to call it wrongly.

    GROUPED_CONV_CONV_FWD=<path of the program> grouped_conv_conv_fwd_cli_test.py [class[.test]...]
"""

import json
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from npy_files import read_npy, write_npy  # pylint: disable=wrong-import-position
from program_test import ProgramTest  # pylint: disable=wrong-import-position

# ndim G N K0 C, filter, input, strides, dilations, left pads, right pads, K1
SMALL = "2  10 3 1 1  3 3  9 8  1 1  1 1  1 0  2 1  12".split()
TWO_LAUNCHES = "grouped_conv_conv_fwd_two_launches"


class TestCase(ProgramTest):
    program = "grouped_conv_conv_fwd"


class BadArguments(TestCase):
    def test_reasons(self):
        self.assert_rejected([1, 1, 0, *SMALL, "--activation", "gelu"], "activation must be one of none, relu, relu6, silu, but is 'gelu'")
        self.assert_rejected([1, 1, 0, *SMALL, "--layout", "gnhwc"], "layout must be nhwgc or ngchw")
        self.assert_rejected([1, 1, 0, *SMALL[:-1]], "a problem needs 18 numbers after verify, init and time")
        self.assert_rejected([1, 1, 0, *SMALL[:-1], "0"], "K1 must be positive, but is 0: choose 1 or more")
        self.assert_rejected([1, 1, 0, *SMALL, "--load", self.folder / "none"], "in.npy")


class GoodArguments(TestCase):
    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL, "--bias").splitlines()
        self.assertEqual(lines[:6], ["in: dim 5, lengths {3, 9, 8, 10, 1}, strides {720, 80, 10, 1, 1}",
                                     "wei0: dim 5, lengths {10, 1, 3, 3, 1}, strides {9, 9, 3, 1, 1}",
                                     "wei1: dim 2, lengths {12, 10}, strides {10, 1}",
                                     "bias0: dim 1, lengths {10}, strides {1}",
                                     "bias1: dim 1, lengths {12}, strides {1}",
                                     "out: dim 5, lengths {3, 10, 7, 1, 12}, strides {840, 84, 12, 12, 1}"])
        self.assertRegex(lines[6], r"^Perf: \S+ ms, \S+ TFlops, \S+ GB/s, \S+, host:\w+$")
        self.assertIn(": passed, 2520 elements", lines[7])

    def test_every_layout_type_finish_and_verification(self):
        for layout in ("nhwgc", "ngchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for finish in ([], ["--bias", "--activation", "relu6"], ["--activation", "silu"]):
                    for verify in (1, 2):
                        output = self.run_well(verify, 2, 0, *SMALL, "--layout", layout, "--dtype", dtype, *finish)
                        self.assertIn(": passed, 2520 elements", output)

    def test_one_after_the_other(self):
        output = self.run_well(1, 2, 1, *"1  2 2 6 4  3  20  2  1  1  1  5".split(), "--bias", "--activation", "relu")
        self.assertIn(TWO_LAUNCHES, output)
        self.run_well(1, 2, 1, *SMALL, "--instance", TWO_LAUNCHES)
        self.assertEqual(self.supporting_instances(*SMALL)[-1], TWO_LAUNCHES)
        self.assertIn(TWO_LAUNCHES, self.run_well(1, 2, 1, *SMALL, "--instance", self.supporting_instances(*SMALL, word="id")[-1]))

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 2, 1, *SMALL, "--json", file, "--activation", "relu6")
        report = json.loads(file.read_text())
        self.assertEqual(report["problem"],
                         {"ndim": 2, "G": 10, "N": 3, "K0": 1, "C": 1, "filter": [3, 3], "input": [9, 8], "strides": [1, 1],
                          "dilations": [1, 1], "left_pads": [1, 0], "right_pads": [2, 1], "K1": 12, "dtype": "fp16",
                          "layout": "nhwgc", "bias": False, "activation": "relu6"})
        self.assertTrue(report["verification"]["passed"])


class Files(TestCase):
    def test_loading_a_dump_repeats_its_bits(self):
        for layout in ("nhwgc", "ngchw"):
            self.assert_dump_can_be_loaded(("in", "wei0", "wei1", "bias0", "bias1", "out"), *SMALL, "--layout", layout, "--bias")

    def test_result_is_that_of_the_file(self):
        """In 1-D, against the definition; the numbers are small and whole, so that the sums are exact."""
        n_count, channels, k1, taps, width, pad = 2, 3, 4, 3, 6, 1
        x = [[[(7 * n + 3 * i + 2 * c) % 9 - 4 for c in range(channels)] for i in range(width)] for n in range(n_count)]
        w0 = [[(5 * c + 2 * t) % 7 - 3 for t in range(taps)] for c in range(channels)]
        w1 = [[(3 * k + 2 * c) % 5 - 2 for c in range(channels)] for k in range(k1)]
        b0, b1 = [2 * c - 1 for c in range(channels)], [3 * k - 4 for k in range(k1)]

        def write(name, shape, values):
            write_npy(self.folder / name, "<f4", shape, struct.pack(f"<{len(values)}f", *values))

        write("in.npy", (n_count, width, channels, 1), [v for image in x for pixel in image for v in pixel])
        write("wei0.npy", (channels, 1, taps, 1), [v for c in w0 for v in c])
        write("wei1.npy", (k1, channels), [v for k in w1 for v in k])
        write("bias0.npy", (channels,), b0)
        write("bias1.npy", (k1,), b1)
        self.run_well(1, 1, 0, 1, channels, n_count, 1, 1, taps, width, 1, 1, pad, pad, k1, "--dtype", "fp32", "--bias", "--activation",
                      "relu", "--load", self.folder, "--dump", self.folder)
        shape, values = read_npy(self.folder / "out.npy")
        self.assertEqual(shape, (n_count, width, 1, k1))

        def between(n, o, c):
            total = b0[c] + sum(x[n][o + t - pad][c] * w0[c][t] for t in range(taps) if 0 <= o + t - pad < width)
            return max(total, 0)

        for number, value in enumerate(values):
            n, o, k = number // (width * k1), number // k1 % width, number % k1
            self.assertEqual(value, b1[k] + sum(w1[k][c] * between(n, o, c) for c in range(channels)), (n, o, k))


if __name__ == "__main__":
    unittest.main()

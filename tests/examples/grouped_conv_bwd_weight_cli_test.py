#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program grouped_conv_bwd_weight: what it prints, computes and writes, and every way to call it wrongly.

    GROUPED_CONV_BWD_WEIGHT=<path of the program> grouped_conv_bwd_weight_cli_test.py [class[.test]...]
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
    program = "grouped_conv_bwd_weight"


class BadArguments(TestCase):
    def problem(self, position, number):
        """SMALL with another number at one position."""
        numbers = list(SMALL)
        numbers[position] = number
        return [1, 1, 0, *numbers]

    def test_numbers_of_numbers(self):
        expected = "expected no numbers, 3 (verify init time) or 3 and a problem, but "
        self.assert_rejected([1], expected + "1 is given")
        self.assert_rejected([1, 1], expected + "2 are given")
        lists = ("filter", "input", "strides", "dilations", "left_pads", "right_pads")
        for ndim, count in ((1, 11), (2, 17), (3, 23)):
            names = " ".join(f"{name}[{d}]" for name in lists for d in range(ndim))
            reason = f"a problem needs {count} numbers after verify, init and time (ndim G N K C {names}), but "
            for given in (1, 2, count - 1, count + 1, 100):
                numbers = [ndim] + [1] * (given - 1)
                self.assert_rejected([1, 1, 0, *numbers], f"{reason}{given}")

    def test_modes(self):
        self.assert_rejected([3, 1, 0], "verify must be from 0 to 2, but is 3")
        self.assert_rejected([1, 3, 0], "init must be from 0 to 2, but is 3")
        self.assert_rejected([1, 1, 2], "time must be from 0 to 1, but is 2")
        self.assert_rejected([-1, 1, 0], "verify must be from 0 to 2, but is -1")
        self.assert_rejected(self.problem(0, 0), "ndim must be from 1 to 3, but is 0")
        self.assert_rejected(self.problem(0, 4), "ndim must be from 1 to 3, but is 4")

    def test_what_is_not_a_number(self):
        for text in ("x", "", "1.5", "1e3", "0x10", "12abc", "--5", " 7", "+1", "nan"):
            if text.startswith("--"):
                self.assert_rejected(self.problem(4, text), "not expected: --5")
            else:
                self.assert_rejected(self.problem(4, text), f"C must be a whole number, but is '{text}'")
        self.assert_rejected(["one", 1, 0], "verify must be a whole number, but is 'one'")

    def test_zero_and_negative(self):
        for position, name in ((1, "G"), (3, "K"), (4, "C"), (5, "filter in dimension H"), (8, "input in dimension W"),
                               (9, "stride in dimension H"), (12, "dilation in dimension W")):
            for number in (0, -1, -(2**63)):
                self.assert_rejected(self.problem(position, number), f"{name} must be positive, but is {number}")
        for position, name in ((2, "N"), (13, "left pad in dimension H"), (16, "right pad in dimension W")):
            self.assert_rejected(self.problem(position, -1), f"{name} must be zero or positive, but is -1")

    def test_overflow(self):
        for position in range(1, len(SMALL)):
            self.assert_rejected(self.problem(position, 2**63), "must fit 64 bits, but is 9223372036854775808")
            self.assert_rejected(self.problem(position, 10**40), "must fit 64 bits, but is 1000000")
            self.assert_rejected(self.problem(position, 10**18), "must fit 32 bits, but is 1000000000000000000")
            self.assert_rejected(self.problem(position, 2**31), "must fit 32 bits, but is 2147483648")
        most = 2**31 - 1
        self.assert_rejected([1, 1, 0, 2, most, most, most, most, 1, 1, most, most, 1, 1, 1, 1, 0, 0, 0, 0],
                             "must have less than 2^63 bytes")

    def test_filter_larger_than_padded_input(self):
        self.assert_rejected(self.problem(5, 13),
                             "the filter must not be larger than the padded input, but in dimension H it spans 13 "
                             "elements (filter 13, dilation 1) of 12 (input 9, pads 1 and 2)")
        self.assert_rejected(self.problem(12, 9), "in dimension W it spans 10 elements")

    def test_options(self):
        self.assert_rejected(["--dtype", "fp17"], "--dtype must be one of fp16, bf16, fp32, but is 'fp17'")
        self.assert_rejected(["--layout", "nchw"], "--layout must be one of nhwgc, gnhwc, ngchw, but is 'nchw'")
        for text in ("0", "-1", "many", "2147483648", ""):
            self.assert_rejected(["--split-k", text], "--split-k must be auto or a positive number")
        self.assert_rejected(["--seed", "-1"], "--seed must not be negative, but is -1")
        self.assert_rejected(["--seed", "x"], "--seed must be a whole number, but is 'x'")
        self.assert_rejected(["--nonsense"], "not expected: --nonsense")
        self.assert_rejected(["--dtype"], "--dtype", target=None)
        self.assert_rejected(["--instance", "none_of_them"], "none_of_them")
        for target in ("cpu", "host:", "host:gfx1", "gfx942", ""):
            self.assert_rejected(["--target", target], f"'{target}' is not known", target=None)

    def test_more_memory_than_there_is(self):
        problem = "1  1 2000000000 1 1000  3  10  1  1  1  1".split()
        self.assert_rejected([1, 1, 0, *problem], "GB of memory, but this machine has")

    def test_files(self):
        self.assert_rejected(["--load", self.folder / "none"], "in.npy: expected a NumPy .npy file, found no such file")
        self.assert_rejected(["--json", self.folder / "none" / "a.json"], "must be a file that can be written")
        (self.folder / "file").write_text("not a folder")
        self.assert_rejected(["--dump", self.folder / "file"], "must be a folder that can be written")

        arguments = [1, 1, 0, *SMALL, "--load", self.folder]
        in_file, out_file = self.folder / "in.npy", self.folder / "out.npy"
        in_file.write_bytes(b"no array")
        self.assert_rejected(arguments, "in.npy: expected a NumPy .npy file, found a file that does not start like one")
        write_npy(in_file, "<f8", [3, 9, 8, 2, 6], bytes(8 * 2592))
        self.assert_rejected(arguments, "in.npy: expected an array of little-endian float16, float32, uint8, int32 or int64")
        write_npy(in_file, "<f4", [3, 9, 8, 2, 6], bytes(4 * 2592))
        self.assert_rejected(arguments, "in.npy: fp16 needs an array of float16, found float32")
        write_npy(in_file, "<f2", [3, 2, 6, 9, 8], bytes(2 * 2592))
        self.assert_rejected(arguments, "in.npy: the problem needs the shape (3, 9, 8, 2, 6), found (3, 2, 6, 9, 8)")
        write_npy(in_file, "<f2", [3, 9, 8, 2, 6], bytes(2 * 2592))
        self.assert_rejected(arguments, "out.npy: expected a NumPy .npy file, found no such file")
        write_npy(out_file, "<f2", [3, 5, 7, 2, 5], bytes(7))
        self.assert_rejected(arguments, "out.npy: expected 2100 bytes of elements, as its shape says, found 7 bytes")


class GoodArguments(TestCase):
    def test_help(self):
        for option in ("--help", "-h"):
            status, output, errors = self.run_program(option, target=None)
            self.assertEqual((status, errors), (0, ""))
            for word in ("verify", "ndim G N K C", "--split-k", "--json", "Exit code"):
                self.assertIn(word, output)

    def test_progress(self):
        self.assert_shows_progress(1, 2, 0, *"2  1 32 128 128  3 3  56 56  1 1  1 1  1 1  1 1".split())

    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL).splitlines()
        self.assertEqual(lines[:3], ["in: dim 5, lengths {3, 9, 8, 2, 6}, strides {864, 96, 12, 6, 1}",
                                     "out: dim 5, lengths {3, 5, 7, 2, 5}, strides {350, 70, 10, 5, 1}",
                                     "wei: dim 5, lengths {2, 5, 3, 2, 6}, strides {180, 36, 12, 6, 1}"])
        self.assertRegex(lines[3], r"^Perf: \S+ ms, \S+ TFlops, \S+ GB/s, \S+, host:\w+$")
        self.assertRegex(lines[4], r"^Verification against the fp64 reference on the CPU: passed, 360 elements, "
                                   r"largest error \S+, bound \S+, expected \S+, actual \S+ at \{.*\}$")
        self.assertEqual(len(lines), 5)
        self.assertIn("Verification: not asked for", self.run_well(0, 1, 0, *SMALL))

    def test_every_layout_type_and_verification(self):
        for layout in ("nhwgc", "gnhwc", "ngchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for verify in (1, 2):
                    for init in (0, 1, 2):
                        output = self.run_well(verify, init, 0, *SMALL, "--layout", layout, "--dtype", dtype)
                        self.assertIn(": passed, 360 elements", output)

    def test_every_dimension(self):
        self.run_well(1, 2, 0, *"1  3 2 4 1  3  20  2  3  0  5".split())
        self.run_well(1, 2, 0, *"3  1 2 3 5  2 1 3  4 5 6  1 2 1  1 1 2  0 1 0  1 0 2".split())

    def test_empty_batch_and_single_pixels(self):
        output = self.run_well(1, 1, 0, *"2  2 0 5 6  3 3  9 9  1 1  1 1  1 1  1 1".split())
        self.assertIn("expected 0, actual 0", output)
        self.run_well(1, 2, 0, *"2  2 7 5 6  1 1  1 1  1 1  1 1  0 0  0 0".split())

    def test_splits(self):
        for splits in ("auto", 1, 2, 7):
            self.assertIn(": passed", self.run_well(1, 2, 0, *SMALL, "--split-k", splits))

    def test_auto_target_says_where_it_runs(self):
        status, output, errors = self.run_program(0, 0, 1, *SMALL, target="auto")
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(output, r", (host|hip|cuda):\w+")
        if ", host:" in output:
            self.assertRegex(output.splitlines()[0], "no AMD GPU was found")

    def test_instances_can_be_listed_and_chosen(self):
        for name in self.supporting_instances(*SMALL):
            output = self.run_well(1, 2, 1, *SMALL, "--instance", name)
            self.assertIn(f", {name}, ", output)
            self.assertIn(": passed", output)

    def test_what_was_measured_is_used(self):
        table, report = self.folder / "tuned.json", self.folder / "report.json"
        output = self.run_well(1, 2, 1, *SMALL, "--tuned", table, "--tune")
        self.assertRegex(output, r"(?m)^Tuned: the fastest of \d+ measured is \S+ with \d+ splits, ")
        choice = json.loads(table.read_text())["choices"][0]
        for instance in self.supporting_instances(*SMALL):  # whichever the table names, not only the best
            table.write_text(json.dumps({"operation": "grouped_conv_bwd_weight",
                                         "choices": [{**choice, "instance": instance, "splits": 3}]}))
            output = self.run_well(1, 2, 0, *SMALL, "--tuned", table, "--json", report)
            self.assertIn(": passed", output)
            written = json.loads(report.read_text())
            self.assertEqual((written["instance"], written["splits"]), (instance, 3))

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 2, 1, *SMALL, "--json", file, "--split-k", 2)
        report = json.loads(file.read_text())
        self.assertEqual(report["problem"],
                         {"ndim": 2, "G": 2, "N": 3, "K": 5, "C": 6, "filter": [3, 2], "input": [9, 8],
                          "strides": [2, 1], "dilations": [1, 2], "left_pads": [1, 0], "right_pads": [2, 1],
                          "dtype": "fp16", "layout": "nhwgc"})
        self.assertRegex(report["target"], "^host:")
        self.assertTrue(report["instance"])
        self.assertEqual(report["splits"], 2)
        self.assertGreater(report["timing"]["ms"], 0)
        self.assertTrue(report["verification"]["passed"])
        self.assertEqual(report["verification"]["elements"], 360)
        self.assertLessEqual(report["verification"]["worst"]["error"], report["verification"]["worst"]["bound"])

        self.run_well(0, 0, 0, *SMALL, "--json", file)
        report = json.loads(file.read_text())
        self.assertIsNone(report["timing"])
        self.assertIsNone(report["verification"])


class Files(TestCase):
    def test_dump_has_the_layouts_shapes(self):
        shapes = {"nhwgc": ((3, 9, 8, 2, 6), (3, 5, 7, 2, 5), (2, 5, 3, 2, 6)),
                  "gnhwc": ((2, 3, 9, 8, 6), (2, 3, 5, 7, 5), (2, 5, 3, 2, 6)),
                  "ngchw": ((3, 2, 6, 9, 8), (3, 2, 5, 5, 7), (2, 5, 6, 3, 2))}
        for layout, expected in shapes.items():
            folder = self.folder / layout / "nested"
            self.run_well(0, 1, 0, *SMALL, "--layout", layout, "--dump", folder)
            self.assertEqual(tuple(read_npy(folder / f"{name}.npy")[0] for name in ("in", "out", "wei")), expected)

    def test_seed_decides_the_inputs(self):
        def inputs(seed):
            self.run_well(0, 2, 0, *SMALL, "--seed", seed, "--dump", self.folder)
            return [(self.folder / name).read_bytes() for name in ("in.npy", "out.npy")]

        self.assertEqual(inputs(5), inputs(5))
        self.assertNotEqual(inputs(5), inputs(6))

    def test_loading_a_dump_repeats_its_bits(self):
        for dtype in ("fp16", "bf16", "fp32"):
            first, second = self.folder / f"{dtype}_first", self.folder / f"{dtype}_second"
            self.run_well(1, 2, 0, *SMALL, "--dtype", dtype, "--dump", first)
            self.run_well(1, 2, 0, *SMALL, "--dtype", dtype, "--load", first, "--dump", second)
            for name in ("in.npy", "out.npy", "wei.npy"):
                self.assertEqual((first / name).read_bytes(), (second / name).read_bytes(), (dtype, name))

    def test_bf16_files_hold_bf16_values(self):
        arguments = [1, 2, 0, *SMALL, "--dtype", "bf16"]
        self.run_well(*arguments, "--dump", self.folder)
        for name in ("in.npy", "out.npy", "wei.npy"):
            for value in read_npy(self.folder / name)[1]:
                self.assertEqual(struct.pack("<f", value)[:2], b"\0\0")
        shape, values = read_npy(self.folder / "in.npy")
        values[3] = 1.001
        write_npy(self.folder / "in.npy", "<f4", shape, struct.pack(f"<{len(values)}f", *values))
        status, _, errors = self.run_program(*arguments, "--load", self.folder)
        self.assertEqual((status, errors.count("\n")), (2, 1), errors)
        self.assertIn("must be a bf16 number, but element 3 is 1.001", errors)

    def test_result_is_the_gradient_of_the_files(self):
        """In 1-D, against the definition; the numbers are small and whole, so that the sums are exact."""
        n_count, groups, k_count, c_count, taps, width, outputs, stride, pad = 2, 2, 2, 3, 3, 5, 3, 2, 1

        def x(n, g, i, c):
            return (7 * n + 5 * g + 3 * i + 2 * c) % 9 - 4

        def dy(n, g, o, k):
            return (4 * n + 3 * g + 5 * o + 7 * k) % 7 - 3

        def dw(g, k, tap, c):
            return sum(dy(n, g, o, k) * x(n, g, o * stride + tap - pad, c) for n in range(n_count)
                       for o in range(outputs) if 0 <= o * stride + tap - pad < width)

        in_values = [x(n, g, i, c) for n in range(n_count) for i in range(width) for g in range(groups)
                     for c in range(c_count)]
        out_values = [dy(n, g, o, k) for n in range(n_count) for o in range(outputs) for g in range(groups)
                      for k in range(k_count)]
        expected = [dw(g, k, tap, c) for g in range(groups) for k in range(k_count) for tap in range(taps)
                    for c in range(c_count)]
        write_npy(self.folder / "in.npy", "<f2", [n_count, width, groups, c_count],
                  struct.pack(f"<{len(in_values)}e", *in_values))
        write_npy(self.folder / "out.npy", "<f2", [n_count, outputs, groups, k_count],
                  struct.pack(f"<{len(out_values)}e", *out_values))
        self.run_well(1, 0, 0, 1, groups, n_count, k_count, c_count, taps, width, stride, 1, pad, 1,
                      "--load", self.folder, "--dump", self.folder / "dump")
        shape, values = read_npy(self.folder / "dump" / "wei.npy")
        self.assertEqual(shape, (groups, k_count, taps, c_count))
        self.assertEqual(values, expected)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the program maxpool2d_bwd: what it prints, computes and writes, and every way to call it wrongly.

    MAXPOOL2D_BWD=<path of the program> maxpool2d_bwd_cli_test.py [class[.test]...]
"""

import json
import os
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
    program = "maxpool2d_bwd"


class BadArguments(TestCase):
    def problem(self, position, number):
        numbers = list(SMALL)
        numbers[position] = number
        return [1, 1, 0, *numbers]

    def test_numbers_of_numbers(self):
        self.assert_rejected([1], "expected no numbers, 3 (verify init time) or 3 and a problem, but 1 is given")
        for count in (1, 13, 15):
            verb = "is" if count == 1 else "are"
            self.assert_rejected([1, 1, 0, *[1] * count],
                                 "a problem needs 14 numbers after verify, init and time (N C Hi Wi Y X Sy Sx Dy Dx LPy LPx "
                                 f"RPy RPx), but {count} {verb} given")

    def test_modes_and_what_is_not_a_number(self):
        self.assert_rejected([3, 1, 0], "verify must be from 0 to 2, but is 3")
        self.assert_rejected([1, 3, 0], "init must be from 0 to 2, but is 3")
        self.assert_rejected([1, 1, 2], "time must be from 0 to 1, but is 2")
        for text in ("x", "", "1.5", "0x10"):
            self.assert_rejected(self.problem(6, text), f"Sy must be a whole number, but is '{text}'")
        self.assert_rejected(self.problem(0, 2**63), "N must fit 64 bits, but is 9223372036854775808")

    def test_problems_that_there_are_not(self):
        for position, name in ((1, "C"), (2, "input in dimension H"), (5, "window in dimension W"),
                               (6, "stride in dimension H"), (9, "dilation in dimension W")):
            for number in (0, -1):
                self.assert_rejected(self.problem(position, number), f"{name} must be positive, but is {number}")
        for position, name in ((0, "N"), (10, "left pad in dimension H"), (13, "right pad in dimension W")):
            self.assert_rejected(self.problem(position, -1), f"{name} must be zero or positive, but is -1")
        self.assert_rejected(self.problem(4, 20), "the window must not be larger than the padded input")
        self.assert_rejected(self.problem(10, 5), "every window must hold an element of the input")
        self.assert_rejected("1 1 0  1 1 40 40  17 17  1 1  1 1  0 0  0 0".split(),
                             "u8 indices need windows of at most 256 elements, but the window has 289")

    def test_options(self):
        self.assert_rejected(["--dtype", "fp17"], "--dtype must be one of fp16, bf16, fp32, but is 'fp17'")
        self.assert_rejected(["--layout", "nhwgc"], "--layout must be one of nhwc, nchw, but is 'nhwgc'")
        self.assert_rejected(["--indices", "u16"], "--indices must be one of u8, int32, int64, recompute, but is 'u16'")
        self.assert_rejected(["--seed", "-1"], "--seed must not be negative, but is -1")
        self.assert_rejected(["--nonsense"], "not expected: --nonsense")
        self.assert_rejected(["--instance", "none_of_them"], "none_of_them")
        self.assert_rejected(["--target", "cpu"], "'cpu' is not known", target=None)

    def test_more_memory_than_there_is(self):
        self.assert_rejected("1 1 0  2000000 1000 10 10  1 1  1 1  1 1  0 0  0 0".split(), "GB of memory, but this machine has")
        # Zeros take memory too where indices are made of them.
        self.assert_rejected("0 0 0  2000000 1000 10 10  1 1  1 1  1 1  0 0  0 0".split(), "GB of memory, but this machine has")

    def test_files(self):
        arguments = [1, 1, 0, *SMALL, "--load", self.folder]
        dout, indices = self.folder / "dout.npy", self.folder / "indices.npy"
        self.assert_rejected(["--json", self.folder / "none" / "a.json"], "must be a file that can be written")
        os.mkfifo(self.folder / "pipe")
        for option in ("--json", "--tuned"):
            for name, reason in ((self.folder, "it is a folder"), (self.folder / "pipe", "it is no regular file")):
                self.assert_rejected([1, 1, 0, *SMALL, option, name], f"({reason}): choose another path")
        self.assert_rejected(arguments, "dout.npy: expected a NumPy .npy file, found no such file")
        write_npy(dout, "<f4", [3, 5, 7, 5], bytes(4 * 525))
        self.assert_rejected(arguments, "dout.npy: fp16 needs an array of float16, found float32")
        write_npy(dout, "<f2", [3, 5, 5, 7], bytes(2 * 525))
        self.assert_rejected(arguments, "dout.npy: the problem needs the shape (3, 5, 7, 5), found (3, 5, 5, 7)")

        # A terminal obeys nothing that files say.
        dout.write_bytes(dout.read_bytes().replace(b"<f2", b"\x1b[m"))
        self.assert_rejected(arguments, r"found '\x1b[m'")
        self.assert_rejected(["--json", self.folder / "\x1b[2J" / "a"], r"/\x1b[2J/a must be a file that can be written")

        # These are read when the tensors' shapes have been printed.
        write_npy(dout, "<f2", [3, 5, 7, 5], bytes(2 * 525))
        for descr, data, reason in (("<i4", bytes(4 * 525), "uint8 needs an array of uint8, found int32: convert the file, or "
                                                            "choose another --indices"),
                                    ("|u1", bytes([9] * 525), "every index must be an element of its window in the input, but "
                                                              "element 0 is not")):
            write_npy(indices, descr, [3, 5, 7, 5], data)
            status, _, errors = self.run_program(*arguments)
            self.assertEqual((status, errors.count("\n")), (2, 1), errors)
            self.assertIn(reason, errors)


    def test_output_that_cannot_be_written(self):
        arguments = [1, 2, 1, *SMALL]
        status, _, errors = self.run_program(*arguments, "--json", "/dev/full")
        self.assertEqual((status, errors), (2, "maxpool2d_bwd: /dev/full must be a file that can be written (No space left on device):"
                                               " choose another path\n"))
        for redirection, reason in (("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            for more in ([], ["--help"], ["--instance", "list"], ["--dump", self.folder]):
                status, errors = self.run_redirected(redirection, *arguments, *more)
                self.assertEqual((status, errors), (2, "maxpool2d_bwd: standard output must be a file that can be written "
                                                       f"({reason}): redirect it to another\n"), more)
        read_npy(self.folder / "din.npy") # nothing was printed into it
        for redirection in ("2> /dev/full", "2>&-"):
            self.assertEqual(self.run_redirected(redirection, *arguments), (0, ""))
            self.assertEqual(self.run_redirected(redirection, 3, 2, 1), (2, ""))


class GoodArguments(TestCase):
    def test_help(self):
        status, output, errors = self.run_program("--help", target=None)
        self.assertEqual((status, errors), (0, ""))
        for word in ("verify", "N C Hi Wi", "--indices", "--ceil", "Exit code"):
            self.assertIn(word, output)

    def test_output(self):
        lines = self.run_well(1, 2, 1, *SMALL).splitlines()
        outer, inner = "dim 4, lengths {3, 5, 7, 5}, strides {175, 35, 5, 1}", "dim 4, lengths {3, 9, 8, 5}, strides {360, 40, 5, 1}"
        self.assertEqual(lines[:3], [f"dout: {outer}", f"indices: {outer}", f"din: {inner}"])
        self.assertRegex(lines[3], r"^Perf: \S+ ms, \S+ GB/s, maxpool_bwd_\S+, host:\w+$")
        self.assertRegex(lines[4], r"^Verification against the fp64 reference on the CPU: passed, 1080 elements, largest ")
        self.assertEqual(len(lines), 5)
        self.assertEqual(self.run_well(0, 2, 0, *SMALL, "--indices", "recompute").splitlines(),
                         [f"dout: {outer}", f"in: {inner}", f"din: {inner}", "Verification: not asked for"])
        self.assertIn("lengths {1, 32, 32, 1}", self.run_well())

    def test_checked_kernels(self):
        for seed in (0, 7):
            self.assertIn(": passed, 1080 elements", self.run_well(1, 2, 0, *SMALL, "--check", "--seed", seed))

    def test_every_layout_type_kind_and_verification(self):
        for layout in ("nhwc", "nchw"):
            for dtype in ("fp16", "bf16", "fp32"):
                for kind in KINDS:
                    for verify, init in ((1, 2), (2, 1), (2, 0)):
                        output = self.run_well(verify, init, 0, *SMALL, "--layout", layout, "--dtype", dtype,
                                               "--indices", kind)
                        self.assertIn(": passed, 1080 elements", output)

    def test_ceil_mode_empty_batch_and_large_windows(self):
        self.assertIn("dout: dim 4, lengths {3, 6, 7, 5}", self.run_well(1, 2, 0, 3, 5, 10, *SMALL[3:12], 1, 1, "--ceil"))
        for kind in KINDS:
            for verify in (1, 2):
                self.assertIn("no elements", self.run_well(verify, 1, 0, 0, *SMALL[1:], "--indices", kind, "--dump",
                                                           self.folder))
        for kind in KINDS[1:]:
            self.run_well(1, 1, 0, *"1 2 20 20  17 17  1 1  1 1  0 0  0 0".split(), "--indices", kind)

    def test_instances_can_be_listed_and_chosen(self):
        for name, short in zip(self.supporting_instances(*SMALL), self.supporting_instances(*SMALL, word="id")):
            self.assertIn(f", {name}, ", self.run_well(1, 2, 1, *SMALL, "--instance", short))

    def test_what_was_measured_is_used(self):
        self.assert_tunes(*SMALL)

    def test_measurements_are_kept(self):
        self.assert_keeps_tables([[n, *SMALL[1:]] for n in "12345678"])

    def test_files_are_whole_or_not_there(self):
        report, dumped = self.folder / "report.json", self.folder / "dump"
        self.run_well(1, 2, 0, *SMALL, "--json", report, "--dump", dumped)
        self.assert_keeps_files(report, 0, 1, 0, *SMALL, "--json", report)
        self.assert_keeps_files(dumped / "dout.npy", 0, 1, 0, *SMALL, "--dump", dumped)

    def test_json(self):
        file = self.folder / "report.json"
        self.run_well(1, 2, 1, *SMALL, "--json", file, "--indices", "recompute")
        report = json.loads(file.read_text())
        self.assertEqual(report["problem"],
                         {"N": 3, "C": 5, "input": [9, 8], "window": [3, 2], "strides": [2, 1], "dilations": [1, 2],
                          "left_pads": [1, 0], "right_pads": [2, 1], "ceil": False, "indices": "recompute", "dtype": "fp16",
                          "layout": "nhwc"})
        self.assertEqual(report["workspace_bytes"], 525)
        self.assertGreater(report["timing"]["ms"], 0)
        self.assertTrue(report["verification"]["passed"])


class Files(TestCase):
    def test_dump_has_the_layouts_shapes(self):
        for layout, inner, outer in (("nhwc", (3, 9, 8, 5), (3, 5, 7, 5)), ("nchw", (3, 5, 9, 8), (3, 5, 5, 7))):
            folder = self.folder / layout
            self.run_well(0, 1, 0, *SMALL, "--layout", layout, "--dump", folder)
            self.assertEqual([read_npy(folder / f"{name}.npy")[0] for name in ("in", "din")], [inner, inner])
            self.assertEqual([read_npy(folder / f"{name}.npy")[0] for name in ("out", "dout", "indices")], [outer] * 3)

    def test_loading_a_dump_repeats_its_bits(self):
        for kind in KINDS:
            last = "in" if kind == "recompute" else "indices"
            self.assert_dump_can_be_loaded(("dout", "din", last), *SMALL, "--indices", kind)

    def test_result_is_the_gradient_of_the_files(self):
        """A row of windows {., 0, 1}, {1, 2, 3}, {3, 4, .}: flat indices 1, 1 and 3."""
        problem = "1 1  1 5  1 3  1 2  1 1  0 1  0 1".split()
        for kind, descr, element, indices in (("u8", "|u1", "B", (2, 0, 0)), ("int64", "<i8", "q", (1, 1, 3))):
            write_npy(self.folder / "dout.npy", "<f2", [1, 1, 3, 1], struct.pack("<3e", 1, -3, 4))
            write_npy(self.folder / "indices.npy", descr, [1, 1, 3, 1], struct.pack(f"<3{element}", *indices))
            self.run_well(1, 0, 0, *problem, "--indices", kind, "--load", self.folder, "--dump", self.folder / kind)
            self.assertEqual(read_npy(self.folder / kind / "din.npy"), ((1, 1, 5, 1), [0, -2, 0, 4, 0]))


if __name__ == "__main__":
    unittest.main()

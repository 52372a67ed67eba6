#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program groupnorm_bwd as its users call it: what it rejects and how, what it prints, the files that it reads and writes.

    GROUPNORM_BWD=<program> groupnorm_bwd_cli_test.py [BadArguments | GoodArguments | Files]
"""

import ast
import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ.get("GROUPNORM_BWD", "groupnorm_bwd")
SMALL = "2 5 3 4 8".split()


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def read_npy(path):
    """Lengths and values of a float32 file."""
    data = Path(path).read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    assert header["descr"] == "<f4", header
    values = data[10 + size:]
    return header["shape"], struct.unpack(f"<{len(values) // 4}f", values)


class BadArguments(unittest.TestCase):
    def expect(self, text, *arguments):
        done = call(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_each_is_rejected_in_one_line(self):
        self.expect("expected no numbers, 3 (verify init time) or 3 and a problem, but 2 are given", 1, 1)
        self.expect("verify must be from 0 to 2, but is 3", 3, 1, 0)
        self.expect("init must be a whole number, but is 'x'", 1, "x", 0)
        self.expect("a problem needs 5 numbers after verify, init and time (N H W G C), but 4 are given", 1, 1, 0, 1, 2, 3, 4)
        self.expect("G must be positive, but is 0: choose 1 or more", 1, 1, 0, 1, 2, 3, 0, 4)
        self.expect("--dtype must be one of fp16, bf16, fp32, but is 'fp8'", "--dtype", "fp8")
        self.expect("--layout must be one of nhwgc, ngchw, but is 'gnhwc'", "--layout", "gnhwc")
        self.expect("--seed must not be negative, but is -1", "--seed=-1")
        self.expect("see --help", "--no-such-option")
        self.expect("instance 'none' is not one of host:", "--target", "host", "--instance", "none")
        self.expect("x.npy", 1, 1, 0, *SMALL, "--target", "host", "--load", "/nonexistent")


class GoodArguments(unittest.TestCase):
    def test_verifies_against_either_reference(self):
        for verify in (1, 2):
            for layout in ("nhwgc", "ngchw"):
                done = call(verify, 2, 1, *SMALL, "--target", "host", "--layout", layout)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.count(": passed, "), 3, done.stdout)
                self.assertIn("Perf: ", done.stdout)

    def test_help_and_instances(self):
        done = call("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("groupnorm_bwd [verify init time [N H W G C]]", done.stdout)
        done = call("--target", "host", "--instance", "list")
        self.assertEqual(done.returncode, 0)
        self.assertIn(": supports the problem", done.stdout)

    def test_json(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.json"
            self.assertEqual(call(1, 1, 1, *SMALL, "--target", "host", "--json", file).returncode, 0)
            report = json.loads(file.read_text())
            self.assertEqual(report["problem"]["C"], 8)
            self.assertGreater(report["timing"]["ms"], 0)
            for name in ("dx", "dgamma", "dbeta"):
                self.assertTrue(report["verification"][name]["passed"])


class Files(unittest.TestCase):
    def test_what_is_dumped_can_be_loaded_and_gives_the_same(self):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            self.assertEqual(call(0, 2, 0, *SMALL, "--target", "host", "--dump", first, "--seed", 5).returncode, 0)
            shapes = {"x": (2, 5, 3, 4, 8), "dy": (2, 5, 3, 4, 8), "gamma": (4, 8), "mean": (2, 4), "inv_std": (2, 4),
                      "dx": (2, 5, 3, 4, 8), "dgamma": (4, 8), "dbeta": (4, 8)}
            for name, shape in shapes.items():
                self.assertEqual(read_npy(f"{first}/{name}.npy")[0], shape)
            done = call(1, 0, 0, *SMALL, "--target", "host", "--load", first, "--dump", second)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name in shapes:
                self.assertEqual(Path(f"{first}/{name}.npy").read_bytes(), Path(f"{second}/{name}.npy").read_bytes())

    def test_dbeta_is_the_sum_of_dy(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(call(0, 1, 0, *SMALL, "--target", "host", "--dump", folder).returncode, 0)
            dy, dbeta = read_npy(f"{folder}/dy.npy")[1], read_npy(f"{folder}/dbeta.npy")[1]
            self.assertEqual([sum(dy[c::32]) for c in range(32)], list(dbeta))

    def test_files_of_other_shapes_are_rejected(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(call(0, 1, 0, *SMALL, "--target", "host", "--dump", folder).returncode, 0)
            done = call(1, 1, 0, "1", *SMALL[1:], "--target", "host", "--load", folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn("the problem needs the shape (1, 5, 3, 4, 8), found (2, 5, 3, 4, 8)", done.stderr)


if __name__ == "__main__":
    unittest.main()

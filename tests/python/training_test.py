# SPDX-License-Identifier: MIT
"""The example of training, on the CPU: its curves beside PyTorch's, its bits, one process and two."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import TestCase, needs
from modules_test import OPERATIONS

PROGRAM = Path(__file__).resolve().parents[2] / "examples/training/train.py"
TINY = ["--tiny", "--batch", "4", "--size", "32", "--steps", "2", "--dtype", "fp32"]
CURVES = 2e-4  # between two orders of summation, in units of a loss, after as many steps


def curves(*options, processes=1):
    """What the program writes: the loss curve of each of --by."""
    launcher = [sys.executable]
    if processes > 1:
        launcher += ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "curves.json")
        run = subprocess.run([*launcher, PROGRAM, *TINY, *options, "--json", file], capture_output=True, text=True, check=False)
        if run.returncode:
            raise AssertionError(run.stdout + run.stderr)
        written = json.loads(file.read_text(encoding="utf-8"))
    return run.stdout, {each["by"]: each["losses"] for each in written["results"]}


@needs(*OPERATIONS)
@unittest.skipUnless(importlib.util.find_spec("tqdm"), "tqdm is not installed")
class Training(TestCase):
    def assert_near_curves(self, one, other):
        self.assertEqual(len(one), len(other))
        for a, b in zip(one, other):
            self.assertLess(abs(a - b), CURVES)

    def test_curves_are_pytorchs_and_have_the_same_bits_again(self):
        for network in ("mobilenet_v2", "resnext50"):
            printed, first = curves("--network", network, "--report")
            self.assert_near_curves(first["ck_tile"], first["torch"])
            self.assertGreater(max(first["torch"]) - min(first["torch"]), 100 * CURVES)  # curves, not lines
            self.assertNotIn(" no: ", printed)
            self.assertIn("images per second", printed)
            _, again = curves("--network", network, "--by", "ck_tile")
            self.assertEqual(again["ck_tile"], first["ck_tile"])

    def test_two_processes_make_the_curve_of_one(self):
        _, one = curves("--by", "ck_tile")
        _, two = curves("--by", "ck_tile", processes=2)
        self.assert_near_curves(one["ck_tile"], two["ck_tile"])


if __name__ == "__main__":
    unittest.main()

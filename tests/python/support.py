# SPDX-License-Identifier: MIT
"""What tests of ck_tile.torch share: random tensors, layouts, and the comparison with PyTorch in fp32."""

import os
import sys
import unittest
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import torch

import ck_tile

BUILT = os.environ.get("CK_TILE_DTYPES", "fp16,bf16,fp32").split(",")
DTYPES = [dtype for name, dtype in (("fp16", torch.float16), ("bf16", torch.bfloat16), ("fp32", torch.float32)) if name in BUILT]
ROUNDOFF = {torch.float16: 2**-11, torch.bfloat16: 2**-8, torch.float32: 2**-24}


def needs(*operations):
    """Skips tests of operations that are not built."""
    missing = set(operations) - set(ck_tile.operations())
    return unittest.skipIf(missing, f"not built: {', '.join(sorted(missing))}")


def random(*shape, dtype=torch.float32, seed=0, channels_last=False):
    """Normal numbers; channels_last in any number of dimensions."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape))).to(dtype)
    return x.movedim(1, -1).contiguous().movedim(-1, 1) if channels_last else x


def leaf(x):
    return x.detach().clone(memory_format=torch.preserve_format).requires_grad_()


class TestCase(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()

    def assert_near(self, actual, expected, slack, dtype=None):
        """Within slack roundings of actual's type, as a fraction of the largest expected value."""
        self.assertEqual(actual.shape, expected.shape)
        bound = slack * ROUNDOFF[dtype or actual.dtype] * max(1.0, expected.abs().max().item())
        error = (actual.float() - expected.float()).abs().max().item()
        self.assertLessEqual(error, bound)  # not of a NaN

    def compare(self, ours, theirs, inputs, slack=64):
        """Results and gradients of ours in the inputs' type against theirs in fp32."""
        given = [leaf(x) for x in inputs]
        exact = [leaf(x.float()) for x in inputs]
        y, expected = ours(*given), theirs(*exact)
        self.assertEqual(y.dtype, inputs[0].dtype)
        self.assert_near(y, expected, slack)
        dy = random(*y.shape, dtype=y.dtype, seed=9).to(y.device)
        y.backward(dy)
        expected.backward(dy.float())
        for mine, other in zip(given, exact):
            self.assertEqual(mine.grad.dtype, mine.dtype)
            self.assert_near(mine.grad, other.grad, slack)
        return y

    def compare_compiled(self, ours, inputs):
        """What torch.compile makes of ours, in one graph, gives the bits that it gives without."""
        eager, compiled = [leaf(x) for x in inputs], [leaf(x) for x in inputs]
        y = ours(*eager)
        z = torch.compile(ours, fullgraph=True, backend="aot_eager")(*compiled)
        self.assertTrue(torch.equal(y, z))
        self.assertEqual(y.stride(), z.stride())
        y.sum().backward()
        z.sum().backward()
        for one, other in zip(eager, compiled):
            self.assertTrue(torch.equal(one.grad, other.grad))

    def assert_rejects(self, words, call):
        """As an Error whose text has the words: rule, value and fix."""
        with self.assertRaises(ck_tile.Error) as caught:
            call()
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertRegex(str(caught.exception), r".+, but .+: .+")

    def assert_falls_back(self, call, expected):
        """With a warning, the first time alone."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(2):
                self.assertTrue(torch.equal(call(), expected))
        self.assertEqual(sum("falls back to PyTorch" in str(each.message) for each in said), 1)

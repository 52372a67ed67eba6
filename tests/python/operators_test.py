# SPDX-License-Identifier: MIT
"""What a call of an operator does itself, and what it leaves to PyTorch's dispatcher."""

import unittest

from support import TestCase, leaf, needs, random
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

import ck_tile.torch

OPERATORS = torch.ops.ck_tile


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        self.seen.append(function)
        return function(*arguments, **(named or {}))


def gradients(y, *inputs):
    return [y, *torch.autograd.grad(y, inputs, random(*y.shape, dtype=y.dtype, seed=1))]


@needs("groupnorm_fwd", "groupnorm_bwd")
class Calls(TestCase):
    def setUp(self):
        super().setUp()
        self.x, self.weight, self.bias = leaf(random(2, 8, 3, 5)), leaf(random(8)), leaf(random(8, seed=1))

    def norm(self, x):
        return ck_tile.torch.group_norm(x, 2, self.weight, self.bias)

    def by_dispatcher(self, x):
        return OPERATORS.group_norm.default(x, 2, self.weight, self.bias, 1e-5, False)[0]

    def test_have_the_bits_of_the_dispatchers(self):
        parameters = (self.weight, self.bias)
        for one, other in zip(gradients(self.norm(self.x), self.x, *parameters), gradients(self.by_dispatcher(self.x), self.x, *parameters)):
            self.assertTrue(torch.equal(one, other))
        with torch.autocast("cpu", torch.bfloat16):
            half = self.x.detach().half().requires_grad_()
            one, other = self.norm(half), self.by_dispatcher(half)
            self.assertEqual(one.dtype, torch.float16)
            for mine, theirs in zip(gradients(one, half, *parameters), gradients(other, half, *parameters)):
                self.assertTrue(torch.equal(mine, theirs))
                self.assertEqual(mine.dtype, theirs.dtype)

    def test_without_gradients_have_none(self):
        with torch.no_grad():
            self.assertFalse(self.norm(self.x).requires_grad)
        with torch.inference_mode():
            self.assertTrue(self.norm(self.x).is_inference())
        self.assertIsNotNone(self.norm(self.x).grad_fn)
        self.assertIsNone(ck_tile.torch.group_norm(self.x.detach(), 2).grad_fn)

    def test_modes_and_fake_tensors_see_the_operator(self):
        with Log() as log:
            self.norm(self.x).sum().backward()
        self.assertIn(OPERATORS.group_norm.default, log.seen)
        self.assertIn(OPERATORS.group_norm_backward.default, log.seen)
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            y = self.norm(mode.from_tensor(self.x.detach()))
        self.assertIsInstance(y, FakeTensor)
        self.assertEqual(y.shape, self.x.shape)

    def test_forward_gradients_are_refused(self):
        with forward_ad.dual_level():
            x = forward_ad.make_dual(self.x.detach(), torch.ones_like(self.x))
            with self.assertRaises(Exception):
                ck_tile.torch.group_norm(x, 2, self.weight, self.bias)

    def test_kinds_that_differ_are_validated_each(self):
        self.norm(self.x)
        self.assert_rejects(["weight", "[8]", "[4]"], lambda: ck_tile.torch.group_norm(self.x, 2, self.weight[:4], self.bias))
        self.assert_rejects(["weight", "float32", "float64"], lambda: ck_tile.torch.group_norm(self.x, 2, self.weight.double()))
        self.assert_rejects(["num_groups", "3"], lambda: ck_tile.torch.group_norm(self.x, 3))
        self.assertEqual(self.norm(random(1, 8, 7, 7)).shape, (1, 8, 7, 7))


if __name__ == "__main__":
    unittest.main()

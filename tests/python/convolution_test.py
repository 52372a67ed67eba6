# SPDX-License-Identifier: MIT
import unittest

from support import DTYPES, TestCase, leaf, needs, random
import torch
from torch.nn import functional

import ck_tile.torch

DIRECTIONS = ("grouped_conv_fwd", "grouped_conv_bwd_data", "grouped_conv_bwd_weight")

# Shapes of x and weight, and what else there is to a convolution.
CASES = (((2, 16, 13), (32, 16, 3), {"padding": 1}), ((2, 8, 12), (16, 2, 5), {"stride": 2, "groups": 4, "padding": "valid"}),
         ((2, 16, 9, 8), (24, 16, 3, 3), {"padding": "same"}), ((1, 16, 8, 8), (32, 8, 3, 2), {"stride": (2, 1), "groups": 2}),
         ((2, 12, 9, 9), (12, 1, 3, 3), {"padding": 2, "dilation": 2, "groups": 12}), ((2, 16, 5, 5), (8, 16, 1, 1), {}),
         ((1, 3, 9, 9), (8, 3, 4, 4), {"padding": "same"}), ((1, 8, 4, 5, 6), (16, 8, 3, 3, 3), {"padding": 1, "stride": (1, 2, 1)}))


def pair(shape):
    """Ours and PyTorch's of a shape's rank."""
    return getattr(ck_tile.torch, f"conv{len(shape) - 2}d"), getattr(functional, f"conv{len(shape) - 2}d")


@needs("grouped_conv_fwd")
class Forward(TestCase):
    def test_types_layouts_and_ranks(self):
        for dtype in DTYPES:
            for x_shape, weight_shape, window in CASES:
                for channels_last in (False, True):
                    with self.subTest(dtype=dtype, x=x_shape, weight=weight_shape, channels_last=channels_last, **window):
                        x = random(*x_shape, dtype=dtype, channels_last=channels_last)
                        weight, bias = random(*weight_shape, dtype=dtype, channels_last=channels_last), random(weight_shape[0], dtype=dtype)
                        ours, theirs = pair(x_shape)
                        y = ours(x, weight, bias, **window)
                        self.assert_near(y, theirs(x.float(), weight.float(), bias.float(), **window), 64)
                        self.assertEqual(y.movedim(1, -1).is_contiguous(), channels_last)

    def test_slices_and_transposes(self):
        wide, weight = random(4, 16, 9, 11), random(8, 8, 3, 3)
        for x in (wide[:, 4:12], wide[1:3, :8, 2:, 1:], wide[:, :8].transpose(2, 3), wide.view(-1)[1:1 + 2 * 8 * 9].view(2, 8, 3, 3)):
            self.assert_near(ck_tile.torch.conv2d(x, weight), functional.conv2d(x, weight), 64)
        self.assert_near(ck_tile.torch.conv2d(wide, random(8, 32, 3, 3)[:, ::2]), functional.conv2d(wide, random(8, 32, 3, 3)[:, ::2]), 64)

    def test_autocast(self):
        x, weight, bias = random(2, 8, 6, 6), random(8, 8, 3, 3), random(8)
        for dtype in set(DTYPES) - {torch.float32}:
            with torch.autocast("cpu", dtype=dtype):
                y = ck_tile.torch.conv2d(x, weight, bias)
            self.assertEqual(y.dtype, dtype)
            self.assert_near(y, functional.conv2d(x, weight, bias), 64)

    def test_wrong_inputs(self):
        conv2d, x, weight = ck_tile.torch.conv2d, random(2, 8, 6, 6), random(8, 8, 3, 3)
        self.assert_rejects(["channels", "8", "2 groups"], lambda: conv2d(x, weight, groups=2))
        self.assert_rejects(["bias", "[8]", "[7]"], lambda: conv2d(x, weight, random(7)))
        self.assert_rejects(["filter", "[3, 3] on [2, 2]"], lambda: conv2d(x[:, :, :2, :2], weight))
        self.assert_rejects(["stride", "0"], lambda: conv2d(x, weight, stride=0))
        self.assert_rejects(["padding", "'some'"], lambda: conv2d(x, weight, padding="some"))
        self.assert_rejects(["'same'", "[2, 2]"], lambda: conv2d(x, weight, padding="same", stride=2))
        self.assert_rejects(["weight", "float16"], lambda: conv2d(x, weight.half()))
        self.assert_rejects(["1-D", "4 and 4"], lambda: ck_tile.torch.conv1d(x, weight))

    def test_fallback(self):
        x, weight = random(2, 8, 6, 6).double(), random(8, 8, 3, 3).double()
        self.assert_falls_back(lambda: ck_tile.torch.conv2d(x, weight, fallback=True), functional.conv2d(x, weight))


@needs(*DIRECTIONS)
class Backward(TestCase):
    def test_types_layouts_and_ranks(self):
        for dtype in DTYPES:
            for x_shape, weight_shape, window in CASES:
                for channels_last in (False, True):
                    with self.subTest(dtype=dtype, x=x_shape, weight=weight_shape, channels_last=channels_last, **window):
                        ours, theirs = pair(x_shape)
                        self.compare(lambda *a: ours(*a, **window), lambda *a: theirs(*a, **window),
                                     [random(*x_shape, dtype=dtype, channels_last=channels_last),
                                      random(*weight_shape, dtype=dtype, channels_last=channels_last), random(weight_shape[0], dtype=dtype)])

    def test_empty_batch(self):
        x, weight = leaf(random(0, 8, 6, 6)), leaf(random(8, 8, 3, 3))
        ck_tile.torch.conv2d(x, weight).sum().backward()
        self.assertEqual(x.grad.shape, x.shape)
        self.assertTrue(torch.equal(weight.grad, torch.zeros(8, 8, 3, 3)))

    def test_opcheck(self):
        for channels_last in (False, True):
            x, weight = [leaf(random(*shape, channels_last=channels_last)) for shape in ((2, 8, 6, 6), (8, 4, 3, 3))]
            torch.library.opcheck(torch.ops.ck_tile.convolution.default,
                                  (x, weight, leaf(random(8)), [1, 1], [1, 1], [1, 1], [1, 1], 2, channels_last))

    def test_compile(self):
        for channels_last in (False, True):
            self.compare_compiled(lambda *a: ck_tile.torch.conv2d(a[0] * 2, a[1], padding=1) + 1,
                                  [random(*shape, channels_last=channels_last) for shape in ((2, 8, 6, 6), (8, 8, 3, 3))])


def separable(activation, convolve=functional.conv2d, act=None):
    act = act or {"none": lambda x: x, "relu": torch.relu, "relu6": functional.relu6, "silu": functional.silu}[activation]
    return lambda x, w0, w1, b0=None, b1=None: convolve(act(convolve(x, w0, b0, padding=1, groups=x.size(1))), w1, b1)


@needs("grouped_conv_conv_fwd", *DIRECTIONS)
class DepthwiseSeparable(TestCase):
    def test_activations_types_and_layouts(self):
        for dtype in DTYPES:
            for channels_last in (False, True):
                for activation in ("none", "relu", "relu6", "silu"):
                    with self.subTest(dtype=dtype, channels_last=channels_last, activation=activation):
                        given = [random(*shape, dtype=dtype, channels_last=channels_last) for shape in ((2, 16, 6, 7), (16, 1, 3, 3), (24, 16, 1, 1))]
                        given += [random(16, dtype=dtype, seed=1), random(24, dtype=dtype, seed=2)]
                        self.compare(lambda *a: ck_tile.torch.depthwise_separable(*a, activation, padding=1), separable(activation), given)

    def test_opcheck(self):
        x, w0, w1 = [leaf(random(*shape)) for shape in ((2, 16, 6, 6), (16, 1, 3, 3), (8, 16, 1, 1))]
        torch.library.opcheck(torch.ops.ck_tile.depthwise_separable.default,
                              (x, w0, w1, None, None, "relu", [1, 1], [1, 1], [1, 1], [1, 1], 16, False))

    def test_wrong_inputs(self):
        x, w0, w1 = [random(*shape) for shape in ((2, 16, 6, 6), (16, 1, 3, 3), (8, 16, 1, 1))]
        call = ck_tile.torch.depthwise_separable
        self.assert_rejects(["pointwise", "[K, 16, 1, 1]"], lambda: call(x, w0, w1[:, :8]))
        self.assert_rejects(["biases"], lambda: call(x, w0, w1, random(16)))
        self.assert_rejects(["activation", "'gelu'", "silu"], lambda: call(x, w0, w1, activation="gelu"))


if __name__ == "__main__":
    unittest.main()

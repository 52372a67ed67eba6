# SPDX-License-Identifier: MIT
import unittest

from support import DTYPES, TestCase, leaf, needs, random
import torch
from torch.nn import functional

from ck_tile.torch import avg_pool2d, max_pool2d

WINDOWS = ({"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 2}, {"kernel_size": (3, 2), "stride": (1, 3), "padding": (1, 0)},
           {"kernel_size": 3, "stride": 1, "dilation": 2}, {"kernel_size": 3, "stride": 2, "ceil_mode": True},
           {"kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": True}, {"kernel_size": 17, "stride": 2, "padding": 8})


@needs("maxpool_fwd", "maxpool_bwd")
class MaxPool(TestCase):
    def test_types_layouts_and_windows(self):
        for dtype in DTYPES:
            for channels_last in (False, True):
                for window in WINDOWS:
                    with self.subTest(dtype=dtype, channels_last=channels_last, **window):
                        x = random(2, 6, 13, 12, dtype=dtype, channels_last=channels_last)
                        y = self.compare(lambda a: max_pool2d(a, **window), lambda a: functional.max_pool2d(a, **window), [x])
                        self.assertTrue(torch.equal(y, functional.max_pool2d(x, **window)))
                        self.assertEqual(y.is_contiguous(memory_format=torch.channels_last), channels_last)

    def test_indices(self):
        x = random(2, 5, 9, 9)
        y, indices = max_pool2d(x, 3, 3, return_indices=True)
        patches = x.unfold(2, 3, 3).unfold(3, 3, 3).flatten(4)
        self.assertEqual(indices.dtype, torch.uint8)
        self.assertTrue(torch.equal(indices.long(), patches.argmax(4)))
        self.assertTrue(torch.equal(y, patches.amax(4)))

    def test_without_gradient_no_indices(self):
        op = torch.ops.ck_tile.max_pool2d.default
        y, indices = op(random(1, 2, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1], False, False, False)
        self.assertEqual(indices.numel(), 0)
        self.assertTrue(torch.equal(y, functional.max_pool2d(random(1, 2, 4, 4), 2)))

    def test_slices_and_transposes(self):
        wide = random(4, 16, 9, 11)
        for x in (wide[:, 4:12], wide[1:3, :8, 2:, 1:], wide.transpose(2, 3), wide.view(-1)[1:1 + 2 * 8 * 9].view(2, 8, 3, 3)):
            self.assertTrue(torch.equal(max_pool2d(x, 2), functional.max_pool2d(x, 2)))

    def test_sliced_gradient(self):
        x, y = leaf(random(2, 8, 8, 8)), leaf(random(2, 8, 8, 8))
        max_pool2d(x, 2)[:, ::2, 1:].sum().backward()
        functional.max_pool2d(y, 2)[:, ::2, 1:].sum().backward()
        self.assertTrue(torch.equal(x.grad, y.grad))

    def test_empty_batch(self):
        x = leaf(random(0, 8, 4, 4))
        max_pool2d(x, 2).sum().backward()
        self.assertEqual(x.grad.shape, x.shape)

    def test_opcheck(self):
        for channels_last in (False, True):
            x = leaf(random(2, 8, 6, 6, channels_last=channels_last))
            torch.library.opcheck(torch.ops.ck_tile.max_pool2d.default, (x, [3, 3], [2, 2], [1, 1], [1, 1], False, True, channels_last))

    def test_compile(self):
        for channels_last in (False, True):
            self.compare_compiled(lambda x: max_pool2d(x * 2, 3, 2, 1) + 1, [random(2, 8, 6, 6, channels_last=channels_last)])

    def test_autocast_keeps_the_type(self):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.assertEqual(max_pool2d(random(1, 8, 4, 4), 2).dtype, torch.float32)

    def test_wrong_inputs(self):
        x = random(2, 8, 4, 4)
        self.assert_rejects(["padding", "half", "[2, 2] of [3, 3]"], lambda: max_pool2d(x, 3, padding=2))
        self.assert_rejects(["stride", "0"], lambda: max_pool2d(x, 3, stride=0))
        self.assert_rejects(["kernel_size", "(1, 2, 3)"], lambda: max_pool2d(x, (1, 2, 3)))
        self.assert_rejects(["window", "[7, 7]"], lambda: max_pool2d(x, 7))
        self.assert_rejects(["dimensions", "3"], lambda: max_pool2d(x[0], 2))
        self.assert_rejects(["x", "float64"], lambda: max_pool2d(x.double(), 2))
        self.assert_rejects(["indices", "fallback"], lambda: max_pool2d(x, 2, return_indices=True, fallback=True))

    def test_fallback(self):
        x = random(2, 8, 4, 4).double()
        self.assert_falls_back(lambda: max_pool2d(x, 2, fallback=True), functional.max_pool2d(x, 2))


AVERAGES = ({"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 2},
            {"kernel_size": (3, 2), "stride": (1, 3), "padding": (1, 0), "count_include_pad": False},
            {"kernel_size": 3, "stride": 1, "padding": 1, "count_include_pad": False},
            {"kernel_size": 3, "stride": 2, "ceil_mode": True}, {"kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": True},
            {"kernel_size": (3, 4), "stride": (2, 3), "padding": 1, "ceil_mode": True, "count_include_pad": False},
            {"kernel_size": 3, "padding": 1, "divisor_override": 4}, {"kernel_size": (13, 11), "stride": 1})


@needs("avgpool_fwd", "avgpool_bwd")
class AvgPool(TestCase):
    def test_types_layouts_and_windows(self):
        for dtype in DTYPES:
            for channels_last in (False, True):
                for window in AVERAGES:
                    with self.subTest(dtype=dtype, channels_last=channels_last, **window):
                        x = random(2, 6, 13, 12, dtype=dtype, channels_last=channels_last)
                        y = self.compare(lambda a: avg_pool2d(a, **window), lambda a: functional.avg_pool2d(a, **window), [x])
                        self.assertEqual(y.is_contiguous(memory_format=torch.channels_last), channels_last)

    def test_slices_and_transposes(self):
        wide = random(4, 16, 9, 11)
        for x in (wide[:, 4:12], wide[1:3, :8, 2:, 1:], wide.transpose(2, 3), wide.view(-1)[1:1 + 2 * 8 * 9].view(2, 8, 3, 3)):
            self.assert_near(avg_pool2d(x, 2), functional.avg_pool2d(x, 2), 4)

    def test_sliced_gradient(self):
        x, y = leaf(random(2, 8, 8, 8)), leaf(random(2, 8, 8, 8))
        avg_pool2d(x, 2)[:, ::2, 1:].sum().backward()
        functional.avg_pool2d(y, 2)[:, ::2, 1:].sum().backward()
        self.assertTrue(torch.equal(x.grad, y.grad))

    def test_empty_batch(self):
        x = leaf(random(0, 8, 4, 4))
        avg_pool2d(x, 2).sum().backward()
        self.assertEqual(x.grad.shape, x.shape)

    def test_opcheck(self):
        for channels_last in (False, True):
            x = leaf(random(2, 8, 6, 6, channels_last=channels_last))
            torch.library.opcheck(torch.ops.ck_tile.avg_pool2d.default, (x, [3, 3], [2, 2], [1, 1], False, False, 0, channels_last))

    def test_compile(self):
        for channels_last in (False, True):
            self.compare_compiled(lambda x: avg_pool2d(x * 2, 3, 2, 1) + 1, [random(2, 8, 6, 6, channels_last=channels_last)])

    def test_autocast_keeps_the_type(self):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.assertEqual(avg_pool2d(random(1, 8, 4, 4), 2).dtype, torch.float32)

    def test_wrong_inputs(self):
        x = random(2, 8, 4, 4)
        self.assert_rejects(["padding", "half", "[2, 2] of [3, 3]"], lambda: avg_pool2d(x, 3, padding=2))
        self.assert_rejects(["stride", "0"], lambda: avg_pool2d(x, 3, stride=0))
        self.assert_rejects(["kernel_size", "(1, 2, 3)"], lambda: avg_pool2d(x, (1, 2, 3)))
        self.assert_rejects(["window", "[7, 7]"], lambda: avg_pool2d(x, 7))
        self.assert_rejects(["dimensions", "3"], lambda: avg_pool2d(x[0], 2))
        self.assert_rejects(["x", "float64"], lambda: avg_pool2d(x.double(), 2))
        for divisor in (0, -2):
            self.assert_rejects(["divisor_override", "positive", str(divisor)], lambda: avg_pool2d(x, 2, divisor_override=divisor))

    def test_fallback(self):
        x = random(2, 8, 4, 4).double()
        self.assert_falls_back(lambda: avg_pool2d(x, 2, fallback=True), functional.avg_pool2d(x, 2))
        x = random(2, 8, 4, 4)
        self.assert_falls_back(lambda: avg_pool2d(x, 2, divisor_override=-3, fallback=True), functional.avg_pool2d(x, 2, divisor_override=-3))


if __name__ == "__main__":
    unittest.main()

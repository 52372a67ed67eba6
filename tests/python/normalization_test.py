# SPDX-License-Identifier: MIT
import unittest

from support import DTYPES, TestCase, needs, random
import torch
from torch.nn import functional

from ck_tile.torch import group_norm


def inputs(shape, dtype=torch.float32, channels_last=False):
    return [random(*shape, dtype=dtype, channels_last=channels_last), random(shape[1], dtype=dtype, seed=1),
            random(shape[1], dtype=dtype, seed=2)]


@needs("groupnorm_fwd", "groupnorm_bwd")
class GroupNorm(TestCase):
    def test_types_layouts_and_ranks(self):
        for dtype in DTYPES:
            for shape in ((3, 8), (2, 12, 7), (2, 16, 6, 5), (2, 8, 3, 4, 5), (1, 8, 2, 3, 2, 3)):
                for channels_last in (False, True):
                    with self.subTest(dtype=dtype, shape=shape, channels_last=channels_last):
                        x, *parameters = inputs(shape, dtype, channels_last and len(shape) > 2)
                        y = self.compare(lambda *a: group_norm(a[0], 4, *a[1:], 1e-3),
                                         lambda *a: functional.group_norm(a[0], 4, *a[1:], 1e-3), [x, *parameters])
                        self.assertEqual(y.stride(), x.stride())

    def test_without_parameters(self):
        self.compare(lambda x: group_norm(x, 2), lambda x: functional.group_norm(x, 2), [random(2, 8, 5, 5)])

    def test_some_gradients(self):
        x, weight, bias = inputs((2, 8, 4, 4))
        self.compare(lambda w: group_norm(x, 2, w, bias), lambda w: functional.group_norm(x, 2, w, bias), [weight])
        self.compare(lambda b: group_norm(x, 2, weight, b), lambda b: functional.group_norm(x, 2, weight, b), [bias])

    def test_slices_and_transposes(self):
        wide = random(4, 16, 9, 11)
        _, weight, bias = inputs((1, 8))
        for x in (wide[:, 4:12], wide[1:3, :8, 2:, 1:], wide[:, ::2], wide[:, :8].transpose(2, 3), wide.view(-1)[1:1 + 2 * 8 * 9].view(2, 8, 9)):
            self.compare(lambda a: group_norm(a, 4, weight, bias), lambda a: functional.group_norm(a, 4, weight, bias), [x])
            self.assert_near(group_norm(x, 4, weight, bias), functional.group_norm(x, 4, weight, bias), 64)  # not of a packed copy

    def test_empty_batch(self):
        x, weight, bias = [a.requires_grad_() for a in inputs((0, 8, 4, 4))]
        group_norm(x, 2, weight, bias).sum().backward()
        self.assertEqual(x.grad.shape, x.shape)
        self.assertTrue(torch.equal(weight.grad, torch.zeros(8)))
        self.assertTrue(torch.equal(bias.grad, torch.zeros(8)))

    def test_opcheck(self):
        for channels_last in (False, True):
            x, weight, bias = [a.requires_grad_() for a in inputs((2, 8, 4, 4), channels_last=channels_last)]
            torch.library.opcheck(torch.ops.ck_tile.group_norm.default, (x, 2, weight, bias, 1e-5, channels_last))

    def test_compile(self):
        for channels_last in (False, True):
            self.compare_compiled(lambda *a: group_norm(a[0] + 1, 2, *a[1:]) * 2, inputs((2, 8, 4, 4), channels_last=channels_last))

    def test_autocast_as_pytorch(self):
        x, weight, bias = random(2, 8, 4, 4, dtype=torch.bfloat16), *inputs((2, 8, 4, 4))[1:]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y, expected = group_norm(x, 2, weight, bias), functional.group_norm(x, 2, weight, bias)
        self.assertEqual(y.dtype, expected.dtype)
        self.assert_near(y, expected, 64)

    def test_wrong_inputs(self):
        x, weight, bias = inputs((2, 8, 4, 4))
        self.assert_rejects(["num_groups", "3 of 8"], lambda: group_norm(x, 3))
        self.assert_rejects(["num_groups", "0 of 8"], lambda: group_norm(x, 0))
        self.assert_rejects(["weight", "[8]", "[7]"], lambda: group_norm(x, 2, weight[:7]))
        self.assert_rejects(["weight", "float16"], lambda: group_norm(x, 2, weight.half()))
        self.assert_rejects(["x", "float64"], lambda: group_norm(x.double(), 2))
        self.assert_rejects(["bias", "meta"], lambda: group_norm(x, 2, weight, bias.to("meta")))

    def test_fallback(self):
        x = random(2, 8, 4).double()
        self.assert_falls_back(lambda: group_norm(x, 2, fallback=True), functional.group_norm(x, 2))


if __name__ == "__main__":
    unittest.main()

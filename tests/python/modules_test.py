# SPDX-License-Identifier: MIT
import unittest

from support import DTYPES, TestCase, leaf, needs, random
import torch
from torch import nn

import ck_tile.torch

OPERATIONS = ("grouped_conv_fwd", "grouped_conv_bwd_data", "grouped_conv_bwd_weight", "groupnorm_fwd", "groupnorm_bwd", "maxpool_fwd",
              "maxpool_bwd", "avgpool_fwd", "avgpool_bwd")


def network():
    """All kinds of modules that have a replacement, and others."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, padding_mode="circular"), nn.GroupNorm(4, 16), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 8, 3, groups=2, stride=2, bias=False), nn.BatchNorm2d(8), nn.AvgPool2d(2))


def in_turn(*milliseconds):
    """A measure that computes once and then says what it is told: ours first, then PyTorch's, of one module after the other."""
    left = list(milliseconds)

    def measure(work):
        work()
        return left.pop(0)

    return measure


@needs(*OPERATIONS)
class Modules(TestCase):
    def test_equal_those_of_torch(self):
        cases = [(nn.Conv1d(8, 16, 3, padding=1), (2, 8, 9)), (nn.Conv2d(8, 8, 3, stride=2, groups=4, bias=False), (2, 8, 7, 9)),
                 (nn.Conv2d(8, 8, 3, padding=(1, 2), padding_mode="reflect"), (2, 8, 7, 9)), (nn.Conv2d(8, 8, 3, padding="same"), (2, 8, 6, 6)),
                 (nn.Conv3d(8, 8, 3, padding=1), (1, 8, 4, 4, 4)), (nn.GroupNorm(2, 8), (2, 8, 5, 5)),
                 (nn.GroupNorm(2, 8, affine=False), (2, 8, 5, 5)), (nn.MaxPool2d(3, 2, 1, ceil_mode=True), (2, 8, 8, 8)),
                 (nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), (2, 8, 8, 8))]
        for theirs, shape in cases:
            with self.subTest(module=str(theirs)):
                ours = getattr(ck_tile.torch, type(theirs).__name__)(**arguments_of(theirs))
                ours.load_state_dict(theirs.state_dict())
                x = random(*shape)
                mine, other = leaf(x), leaf(x)
                y, expected = ours(mine), theirs(other)
                self.assert_near(y, expected, 64)
                y.sum().backward()
                expected.sum().backward()
                self.assert_near(mine.grad, other.grad, 64)
                for one, another in zip(ours.parameters(), theirs.parameters()):
                    self.assert_near(one.grad, another.grad, 64)

    @needs("grouped_conv_conv_fwd")
    def test_depthwise_separable(self):
        for dtype in DTYPES:
            module = ck_tile.torch.DepthwiseSeparable(16, 24, 3, padding=1, activation="relu6", dtype=dtype)
            self.assertEqual(str(module).count("Conv2d"), 2)
            x = random(2, 16, 6, 7, dtype=dtype)
            expected = nn.functional.conv2d(nn.functional.relu6(module.depthwise.float()(x.float())), module.pointwise.float().weight,
                                            module.pointwise.bias)
            self.assert_near(module.to(dtype)(x), expected, 64)

    def test_fallback(self):
        module = ck_tile.torch.GroupNorm(2, 8, dtype=torch.float64)
        with self.assertRaises(ck_tile.Error):
            module(random(2, 8, 3, 3).double())
        module.fallback = True
        x = random(2, 8, 3, 3).double()
        self.assert_falls_back(lambda: module(x), nn.functional.group_norm(x, 2, module.weight, module.bias))


def arguments_of(module):
    """Those that a module of torch.nn was made with."""
    names = {"Conv": ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "padding_mode"),
             "GroupNorm": ("num_groups", "num_channels", "eps", "affine"),
             "MaxPool2d": ("kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"),
             "AvgPool2d": ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override")}
    kind = type(module).__name__
    found = {name: getattr(module, name) for name in names.get(kind, names["Conv"])}
    if kind.startswith("Conv"):
        found["bias"] = module.bias is not None
    return found


@needs(*OPERATIONS)
class Replace(TestCase):
    def test_all_that_the_library_computes(self):
        model, same = network(), network()
        x = random(2, 3, 12, 12)
        report = ck_tile.torch.replace(model, x, measure=None)
        self.assertEqual([type(each).__module__.split(".")[0] for each in model], ["ck_tile", "ck_tile", "torch", "ck_tile", "ck_tile", "torch",
                                                                                  "ck_tile"])
        self.assertEqual(len(report.replaced), 5)
        self.assertIn("5 of 5 modules replaced", str(report))
        self.assertEqual(list(model.state_dict()), list(same.state_dict()))
        y, expected = model(x), same(x)
        self.assert_near(y, expected, 64)
        y.square().sum().backward()
        expected.square().sum().backward()
        for one, other in zip(model.parameters(), same.parameters()):
            self.assert_near(one.grad, other.grad, 512)

    def test_only_what_is_faster(self):
        model = network()
        report = ck_tile.torch.replace(model, random(2, 3, 12, 12), measure=in_turn(2, 1, 1, 2, 2, 2.1, 1, 4, 2, 1),  # the norm's first
                                       minimum_gain=1.1)
        self.assertEqual([(row.name, row.replaced) for row in report.rows], [("0", True), ("1", False), ("3", False), ("4", True),
                                                                              ("6", False)])
        lines = str(report).splitlines()
        self.assertRegex(lines[1], r"^0 +Conv2d\(3, 16.* 2\.000 +1\.000 +2\.00 +yes$")
        self.assertRegex(lines[2], r"no: slower$")
        self.assertRegex(lines[3], r"no: a gain below 1\.1$")
        self.assertEqual(lines[6], "2 of 5 modules replaced: 6.000 ms became 2.000 ms")

    def test_what_follows_norms_is_seen_behind_those_of_the_library(self):
        norms = []

        class Note(nn.Module):
            def forward(self, x):
                norms.append(type(model[0]))
                return x

        model = nn.Sequential(nn.GroupNorm(2, 8), Note(), nn.MaxPool2d(2))
        report = ck_tile.torch.replace(model, random(2, 8, 4, 4), measure=None)
        self.assertEqual(norms[0::len(norms) - 1], [nn.GroupNorm, ck_tile.torch.GroupNorm])
        self.assertEqual(len(report.replaced), 2)

    def test_a_model_that_fails_stays_as_it_was(self):
        class Once(nn.Module):
            def forward(self, x):
                if type(model[0]) is not nn.GroupNorm:
                    raise ValueError("once")
                return x

        model = nn.Sequential(nn.GroupNorm(2, 8), Once(), nn.MaxPool2d(2))
        with self.assertRaisesRegex(ValueError, "once"):
            ck_tile.torch.replace(model, random(2, 8, 4, 4), measure=None)
        self.assertEqual([type(each) for each in (model[0], model[2])], [nn.GroupNorm, nn.MaxPool2d])

    def test_measures_by_itself(self):
        model = nn.Sequential(nn.GroupNorm(2, 8))
        row = ck_tile.torch.replace(model, random(2, 8, 4, 4)).rows[0]
        self.assertGreater(row.ms, 0)
        self.assertGreater(row.torch_ms, 0)
        self.assertEqual(row.replaced, row.torch_ms >= row.ms)

    def test_equal_modules_are_measured_once(self):
        model = nn.Sequential(*[nn.Conv2d(8, 8, 1) for _ in range(3)])
        report = ck_tile.torch.replace(model, random(2, 8, 4, 4), measure=in_turn(1, 2, 1, 3))  # the first one's input has no gradient
        self.assertEqual([row.torch_ms for row in report.rows], [2, 3, 3])

    def test_says_why_not(self):
        model = nn.Sequential(nn.MaxPool2d(2, return_indices=True))
        model.unused = nn.GroupNorm(2, 4)
        model.forward = lambda x: model[0](x)[0]
        reasons = {row.name: row.reason for row in ck_tile.torch.replace(model, random(2, 4, 4, 4)).rows}
        self.assertEqual(reasons, {"0": "its indices are asked for, and the library's are others", "unused": "not called"})
        report = ck_tile.torch.replace(nn.Conv2d(4, 4, 1).double(), random(2, 4, 4, 4).double())
        self.assertRegex(str(report), r"\(the model\) +Conv2d.* - +- +- +no: .*float64")

    def test_leaves_the_model_as_it_was(self):
        model, x = network(), random(2, 3, 12, 12)
        model[0].weight.grad = torch.ones_like(model[0].weight)
        before, state = {name: each.clone() for name, each in model.state_dict().items()}, torch.get_rng_state()
        called = []
        model[0].register_forward_hook(lambda *_: called.append(1))
        ck_tile.torch.replace(model, x, measure=None)
        for name, each in model.state_dict().items():
            self.assertTrue(torch.equal(each, before[name]), name)
        self.assertTrue(torch.equal(model[0].weight.grad, torch.ones_like(model[0].weight)))
        self.assertEqual(len(torch.nonzero(torch.get_rng_state() != state)), 0)
        called.clear()
        model(x)
        self.assertEqual(len(called), 1)

    def test_inference(self):
        model = network().eval()
        with torch.no_grad():
            report = ck_tile.torch.replace(model, random(2, 3, 12, 12), measure=in_turn(*[1, 2] * 5))
        self.assertEqual(len(report.replaced), 5)

    def test_compile(self):
        model = network()[:5]
        ck_tile.torch.replace(model, random(2, 3, 12, 12), measure=None)
        self.compare_compiled(model, [random(2, 3, 12, 12)])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""Group normalisation."""

import math

import torch

from ck_tile.torch._fallback import or_fallback
from ck_tile.torch._operators import FIRST, autocast, define, differentiate
from ck_tile.torch._tensors import check, check_dtypes, empty, prefers_channels_last


def _validate(x, groups, weight, bias):
    check(x.dim() >= 2, "x must have the dimensions [N, C, ...]", f"has {x.dim()}", "add those that lack")
    check(groups >= 1 and x.size(1) >= 1 and x.size(1) % groups == 0, "num_groups must divide the channels",
          f"is {groups} of {x.size(1)} channels", "choose a divisor")
    check_dtypes(x=x, weight=weight, bias=bias)
    for name, each in (("weight", weight), ("bias", bias)):
        check(each is None or tuple(each.shape) == (x.size(1),), f"{name} must have the shape [{x.size(1)}], one value per channel",
              f"has {None if each is None else list(each.shape)}", "reshape it")


def _fields(shape, groups, channels_last, **more):
    image = tuple(shape[2:]) or (1,)
    if len(image) > 3:
        image = (math.prod(image),)  # only the product counts
    return {"N": shape[0], "image": image, "G": groups, "C": shape[1] // groups, "layout": "nhwgc" if channels_last else "ngchw", **more}


def _forward_fake(x, num_groups, weight, bias, eps, channels_last):
    _validate(x, num_groups, weight, bias)
    statistic = (x.size(0), num_groups)
    return (empty(x, x.shape, channels_last), x.new_empty(statistic, dtype=torch.float32),
            x.new_empty(statistic, dtype=torch.float32))


def _forward_fields(x, num_groups, weight, bias, eps, channels_last):
    return _fields(x.shape, num_groups, channels_last, epsilon=eps)


def _backward_fake(dy, x, num_groups, weight, mean, inv_std, wanted, channels_last):
    check(dy.shape == x.shape, f"dy must have the shape of x, {list(x.shape)}", f"has {list(dy.shape)}", "pass the gradient of y")
    check_dtypes(x=x, dy=dy, weight=weight)
    parameters = x.size(1)
    return (empty(x, x.shape if wanted[0] else (0,), channels_last), x.new_empty(parameters if wanted[1] else 0),
            x.new_empty(parameters if wanted[2] else 0))


def _backward_fields(dy, x, num_groups, weight, mean, inv_std, wanted, channels_last):
    return _fields(x.shape, num_groups, channels_last, dx=wanted[0], dgamma=wanted[1], dbeta=wanted[2])


_GROUP_NORM = define("group_norm(Tensor x, int num_groups, Tensor? weight, Tensor? bias, float eps, bool channels_last)"
                     " -> (Tensor, Tensor, Tensor)", "groupnorm_fwd", ("x", "weight", "bias"), _forward_fields, _forward_fake)
_GROUP_NORM_BACKWARD = define("group_norm_backward(Tensor dy, Tensor x, int num_groups, Tensor? weight, Tensor mean, Tensor inv_std,"
                              " bool[3] wanted, bool channels_last) -> (Tensor, Tensor, Tensor)", "groupnorm_bwd",
                              ("x", "dy", "weight", "mean", "inv_std"), _backward_fields, _backward_fake)


def _differentiate(tensors, arguments, needed, dy):
    x, weight, mean, inv_std = tensors
    _, num_groups, *_, channels_last = arguments
    gradients = _GROUP_NORM_BACKWARD(dy, x, num_groups, weight, mean, inv_std, tuple(needed), channels_last)
    return [each if one else None for each, one in zip(gradients, needed)]


differentiate(_GROUP_NORM, ("x", "weight"), _differentiate, saved_results=(1, 2))
# PyTorch normalises in fp32 on GPUs. Here sums are fp32 in any case, and what a result in fp32 goes into would round it.
autocast(_GROUP_NORM, cpu=FIRST, cuda=FIRST)


_NORM = _GROUP_NORM.made_of(lambda x, *others: (x, *others, prefers_channels_last(x)))


def _normalize(*arguments):
    return _NORM(*arguments)[0]


def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5, *, fallback=False):
    """torch.nn.functional.group_norm: x [N, C, ...] in fp16, bf16 or fp32, weight and bias [C] of the same type."""
    return or_fallback(fallback, torch.nn.functional.group_norm, _normalize, x, num_groups, weight, bias, eps)

# SPDX-License-Identifier: MIT
"""Grouped convolutions in 1-D, 2-D and 3-D, and the depthwise separable one."""

import torch

from ck_tile.torch._fallback import or_fallback
from ck_tile.torch._operators import LOWER_PRECISION, autocast, define, differentiate
from ck_tile.torch._tensors import (check, check_dtypes, empty, kernel, packed, prefers_channels_last, remembered, run, spatial_list)

ACTIVATIONS = {"none": lambda x: x, "relu": torch.relu, "relu6": torch.nn.functional.relu6, "silu": torch.nn.functional.silu}


def _output_shape(x, weight, stride, left_pads, right_pads, dilation, groups):
    check(x.dim() in (3, 4, 5), "x must have 1 to 3 spatial dimensions", f"has {x.dim() - 2}", "reshape it")
    check(weight.dim() == x.dim(), f"weight must have {x.dim()} dimensions, as x has", f"has {weight.dim()}", "reshape it")
    check(groups >= 1 and x.size(1) == groups * weight.size(1), "x must have groups times the channels of a row of weight",
          f"has {x.size(1)} channels, for {groups} groups of {weight.size(1)}", "change groups or weight")
    check(weight.size(0) >= groups and weight.size(0) % groups == 0, "groups must divide the channels of the result",
          f"are {groups} of {weight.size(0)}", "change groups or weight")
    for name, values, least in (("stride", stride, 1), ("padding", left_pads, 0), ("padding", right_pads, 0), ("dilation", dilation, 1)):
        check(len(values) == x.dim() - 2 and all(each >= least for each in values),
              f"{name} must be {x.dim() - 2} numbers of {least} or more", f"is {list(values)}", "choose others")
    lengths = [(x.size(2 + d) + left_pads[d] + right_pads[d] - (weight.size(2 + d) - 1) * dilation[d] - 1) // stride[d] + 1
               for d in range(len(stride))]
    check(all(each >= 1 for each in lengths), "the filter must be no larger than the padded input",
          f"{list(weight.shape[2:])} on {list(x.shape[2:])} is", "pad more")
    return (x.size(0), weight.size(0), *lengths)


def _check_bias(bias, name, channels):
    check(bias is None or tuple(bias.shape) == (channels,), f"{name} must have the shape [{channels}]",
          f"has {None if bias is None else list(bias.shape)}", "reshape it")


def _fields(x, weight, window_and_layout, outputs="K", **more):
    """Of the problem, by the shapes of the input and the weights."""
    stride, left_pads, right_pads, dilation, groups, channels_last = window_and_layout
    return {"ndim": len(stride), "G": groups, "N": x[0], outputs: weight[0] // groups, "C": weight[1], "filter": weight[2:],
            "input": x[2:], "strides": stride, "dilations": dilation, "left_pads": left_pads, "right_pads": right_pads,
            "layout": "nhwgc" if channels_last else "ngchw", **more}


def _forward_fake(x, weight, bias, stride, left_pads, right_pads, dilation, groups, channels_last):
    check_dtypes(x=x, weight=weight, bias=bias)
    shape = _output_shape(x, weight, stride, left_pads, right_pads, dilation, groups)
    _check_bias(bias, "bias", weight.size(0))
    return empty(x, shape, channels_last)


@kernel(_forward_fake)
def _forward(kind, y, x, weight, bias, *window_and_layout):
    if y.numel() > 0:
        channels_last, biased = window_and_layout[-1], bias is not None
        plan = kind.plan("grouped_conv_fwd", x, lambda: _fields(x.shape, weight.shape, window_and_layout, bias=biased))
        x, weight = packed(x, channels_last), packed(weight, channels_last)
        run(plan, x, x, weight, packed(bias, False) if biased else None, None, y)


def _backward_data_fake(dy, weight, shape, stride, left_pads, right_pads, dilation, groups, channels_last):
    check_dtypes(dy=dy, weight=weight)
    return empty(dy, tuple(shape), channels_last)


@kernel(_backward_data_fake)
def _backward_data(kind, dx, dy, weight, shape, *window_and_layout):
    if dx.numel() > 0:
        plan = kind.plan("grouped_conv_bwd_data", dy, lambda: _fields(shape, weight.shape, window_and_layout))
        run(plan, dy, packed(dy, window_and_layout[-1]), packed(weight, window_and_layout[-1]), dx)


def _backward_weight_fake(dy, x, shape, stride, left_pads, right_pads, dilation, groups, channels_last):
    check_dtypes(x=x, dy=dy)
    return empty(x, tuple(shape), channels_last)


@kernel(_backward_weight_fake)
def _backward_weight(kind, dweight, dy, x, shape, *window_and_layout):
    if x.size(0) == 0:
        dweight.zero_()
        return
    plan = kind.plan("grouped_conv_bwd_weight", x, lambda: _fields(x.shape, shape, window_and_layout))
    run(plan, x, packed(x, window_and_layout[-1]), packed(dy, window_and_layout[-1]), dweight)


_WINDOW = "int[] stride, int[] left_pads, int[] right_pads, int[] dilation, int groups, bool channels_last"
_CONV = define(f"convolution(Tensor x, Tensor weight, Tensor? bias, {_WINDOW}) -> Tensor", _forward, _forward_fake)
_BACKWARD_DATA = define(f"convolution_backward_data(Tensor dy, Tensor weight, SymInt[] shape, {_WINDOW}) -> Tensor", _backward_data,
                        _backward_data_fake)
_BACKWARD_WEIGHT = define(f"convolution_backward_weight(Tensor dy, Tensor x, SymInt[] shape, {_WINDOW}) -> Tensor",
                          _backward_weight, _backward_weight_fake)


def _sum_to_channels(dy):
    return dy.sum([d for d in range(dy.dim()) if d != 1])


def _setup_context(ctx, inputs, output):
    x, weight, _, *ctx.window = inputs
    ctx.save_for_backward(x, weight)


def _differentiate(ctx, dy):
    x, weight = ctx.saved_tensors
    dx = _BACKWARD_DATA(dy, weight, x.shape, *ctx.window) if ctx.needs_input_grad[0] else None
    dweight = _BACKWARD_WEIGHT(dy, x, weight.shape, *ctx.window) if ctx.needs_input_grad[1] else None
    dbias = _sum_to_channels(dy) if ctx.needs_input_grad[2] else None
    return dx, dweight, dbias, None, None, None, None, None, None


differentiate(_CONV, _setup_context, _differentiate)
autocast(_CONV, cpu=LOWER_PRECISION, cuda=LOWER_PRECISION)


def _pads(padding, lengths, stride, dilation):
    """Left and right pads: of numbers, "valid" or "same", which puts the odd one on the right, as PyTorch."""
    count = len(lengths)
    if padding == "valid":
        return [0] * count, [0] * count
    if padding != "same":
        check(not isinstance(padding, str), "padding must be numbers, 'valid' or 'same'", f"is '{padding}'", "choose one of them")
        pads = spatial_list(padding, count, "padding")
        return pads, pads
    check(all(each == 1 for each in stride), "padding 'same' needs strides of 1", f"they are {stride}", "give the padding in numbers")
    both = [dilation[d] * (lengths[d] - 1) for d in range(count)]
    return [each // 2 for each in both], [each - each // 2 for each in both]


@remembered
def _window(lengths, stride, padding, dilation):
    """Strides, left and right pads and dilations, one per spatial dimension, of a filter of those lengths."""
    stride, dilation = (spatial_list(value, len(lengths), name) for name, value in (("stride", stride), ("dilation", dilation)))
    return *map(tuple, (stride, *_pads(padding, lengths, stride, dilation), dilation)),


def _convolve(x, weight, bias, stride, padding, dilation, groups, rank):
    if x.dim() != rank + 2 or weight.dim() != rank + 2:
        check(False, f"x and weight of a {rank}-D convolution must have {rank + 2} dimensions", f"have {x.dim()} and {weight.dim()}",
              f"add those that lack, or call conv{x.dim() - 2}d")
    return _CONV(x, weight, bias, *_window(weight.shape[2:], stride, padding, dilation), groups, prefers_channels_last(x, weight))


def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, fallback=False):
    """torch.nn.functional.conv1d: x [N, C, W], weight [K, C / groups, X], bias [K], of one type: fp16, bf16 or fp32."""
    return or_fallback(fallback, torch.nn.functional.conv1d, (x, weight, bias, stride, padding, dilation, groups),
                       lambda: _convolve(x, weight, bias, stride, padding, dilation, groups, 1))


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, fallback=False):
    """torch.nn.functional.conv2d: x [N, C, H, W], weight [K, C / groups, Y, X], bias [K]; as conv1d."""
    return or_fallback(fallback, torch.nn.functional.conv2d, (x, weight, bias, stride, padding, dilation, groups),
                       lambda: _convolve(x, weight, bias, stride, padding, dilation, groups, 2))


def conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, fallback=False):
    """torch.nn.functional.conv3d: x [N, C, D, H, W], weight [K, C / groups, Z, Y, X], bias [K]; as conv1d."""
    return or_fallback(fallback, torch.nn.functional.conv3d, (x, weight, bias, stride, padding, dilation, groups),
                       lambda: _convolve(x, weight, bias, stride, padding, dilation, groups, 3))


# ---- Depthwise separable: a grouped convolution, an activation and a 1x1 convolution, the intermediate never in memory ----


def _separable_fake(x, depthwise, pointwise, bias0, bias1, activation, stride, left_pads, right_pads, dilation, groups, channels_last):
    check_dtypes(x=x, depthwise=depthwise, pointwise=pointwise, bias0=bias0, bias1=bias1)
    check(activation in ACTIVATIONS, f"activation must be one of {', '.join(ACTIVATIONS)}", f"is '{activation}'", "choose one of them")
    middle = _output_shape(x, depthwise, stride, left_pads, right_pads, dilation, groups)
    wanted = (depthwise.size(0), *[1] * (x.dim() - 2))
    check(pointwise.dim() == x.dim() and tuple(pointwise.shape[1:]) == wanted,
          f"pointwise must have the shape [K, {', '.join(map(str, wanted))}]", f"has {list(pointwise.shape)}", "reshape it")
    check((bias0 is None) == (bias1 is None), "both biases must be given, or none", "one is", "pass zeros for the other")
    _check_bias(bias0, "bias0", depthwise.size(0))
    _check_bias(bias1, "bias1", pointwise.size(0))
    return empty(x, (middle[0], pointwise.size(0), *middle[2:]), channels_last)


@kernel(_separable_fake)
def _separable(kind, y, x, depthwise, pointwise, bias0, bias1, activation, *window_and_layout):
    if y.numel() > 0:
        channels_last, biased = window_and_layout[-1], bias0 is not None
        plan = kind.plan("grouped_conv_conv_fwd", x, lambda: _fields(x.shape, depthwise.shape, window_and_layout, "K0", bias=biased,
                                                                     K1=pointwise.size(0), activation=activation))
        x, depthwise, pointwise = packed(x, channels_last), packed(depthwise, channels_last), packed(pointwise, channels_last)
        run(plan, x, x, depthwise, pointwise, packed(bias0, False) if biased else None, packed(bias1, False) if biased else None, y)


_SEPARABLE = define("depthwise_separable(Tensor x, Tensor depthwise, Tensor pointwise, Tensor? bias0, Tensor? bias1, str activation, "
                    f"{_WINDOW}) -> Tensor", _separable, _separable_fake)


def _separable_setup_context(ctx, inputs, output):
    x, depthwise, pointwise, bias0, _, ctx.activation, *ctx.window = inputs
    ctx.save_for_backward(x, depthwise, pointwise, bias0)


def _activation_gradient(name, before, gradient):
    """Of what follows the activation -> of what precedes it, in fp32 inside."""
    if name == "none":
        return gradient
    value = before.float()
    if name == "relu":
        slope = value > 0
    elif name == "relu6":
        slope = (value > 0) & (value < 6)
    else:
        sigmoid = torch.sigmoid(value)
        slope = sigmoid * (1 + value * (1 - sigmoid))
    return (gradient.float() * slope).to(gradient.dtype)


def _separable_differentiate(ctx, dy):
    """By its two convolutions: the intermediate is computed again, so that nothing but the inputs is kept."""
    x, depthwise, pointwise, bias0 = ctx.saved_tensors
    channels_last, rank = ctx.window[-1], x.dim() - 2
    ones, zeros = [1] * rank, [0] * rank
    point = (ones, zeros, zeros, ones, 1, channels_last)
    needs = ctx.needs_input_grad
    before = _CONV(x, depthwise, bias0, *ctx.window)
    dpointwise = None
    if needs[2]:
        dpointwise = _BACKWARD_WEIGHT(dy, ACTIVATIONS[ctx.activation](before), pointwise.shape, *point)
    dx = ddepthwise = dbias0 = None
    if needs[0] or needs[1] or needs[3]:
        dbefore = _activation_gradient(ctx.activation, before, _BACKWARD_DATA(dy, pointwise, before.shape, *point))
        dx = _BACKWARD_DATA(dbefore, depthwise, x.shape, *ctx.window) if needs[0] else None
        ddepthwise = _BACKWARD_WEIGHT(dbefore, x, depthwise.shape, *ctx.window) if needs[1] else None
        dbias0 = _sum_to_channels(dbefore) if needs[3] else None
    dbias1 = _sum_to_channels(dy) if needs[4] else None
    return dx, ddepthwise, dpointwise, dbias0, dbias1, *[None] * 7


differentiate(_SEPARABLE, _separable_setup_context, _separable_differentiate)
autocast(_SEPARABLE, cpu=LOWER_PRECISION, cuda=LOWER_PRECISION)


def _separable_by_torch(x, depthwise, pointwise, bias0, bias1, activation, stride, padding, dilation, groups):
    convolve = getattr(torch.nn.functional, f"conv{x.dim() - 2}d")
    return convolve(ACTIVATIONS[activation](convolve(x, depthwise, bias0, stride, padding, dilation, groups)), pointwise, bias1)


def depthwise_separable(x, depthwise, pointwise, bias0=None, bias1=None, activation="none", stride=1, padding=0, dilation=1, groups=None,
                        *, fallback=False):
    """conv(activation(conv(x, depthwise, bias0, stride, padding, dilation, groups)), pointwise, bias1) in one kernel, in 1-D, 2-D or 3-D:
    x [N, C, ...], depthwise [groups * K0, C / groups, ...], pointwise [K1, groups * K0, 1, ...]. groups: C where it is None. activation:
    none, relu, relu6 or silu. Both biases, or none."""
    groups = x.size(1) if groups is None else groups

    def compute():
        check(x.dim() in (3, 4, 5) and depthwise.dim() == x.dim(), "x and depthwise must have 3 to 5 dimensions, as many",
              f"have {x.dim()} and {depthwise.dim()}", "reshape them")
        return _SEPARABLE(x, depthwise, pointwise, bias0, bias1, activation, *_window(depthwise.shape[2:], stride, padding, dilation), groups,
                          prefers_channels_last(x, depthwise))

    return or_fallback(fallback, _separable_by_torch,
                       (x, depthwise, pointwise, bias0, bias1, activation, stride, padding, dilation, groups), compute)

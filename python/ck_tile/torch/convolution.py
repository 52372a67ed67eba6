# SPDX-License-Identifier: MIT
"""Grouped convolutions in 1-D, 2-D and 3-D, and the depthwise separable one."""

import torch

from ck_tile.torch._fallback import or_fallback
from ck_tile.torch._operators import LOWER_PRECISION, autocast, define, differentiate
from ck_tile.torch._tensors import check, check_dtypes, empty, prefers_channels_last, spatial_tuples

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


def _fields(x, weight, stride, left_pads, right_pads, dilation, groups, channels_last, outputs="K", **more):
    """Of the problem, by the shapes of the input and the weights."""
    return {"ndim": len(stride), "G": groups, "N": x[0], outputs: weight[0] // groups, "C": weight[1], "filter": weight[2:],
            "input": x[2:], "strides": stride, "dilations": dilation, "left_pads": left_pads, "right_pads": right_pads,
            "layout": "nhwgc" if channels_last else "ngchw", **more}


def _forward_fake(x, weight, bias, stride, left_pads, right_pads, dilation, groups, channels_last):
    check_dtypes(x=x, weight=weight, bias=bias)
    shape = _output_shape(x, weight, stride, left_pads, right_pads, dilation, groups)
    _check_bias(bias, "bias", weight.size(0))
    return empty(x, shape, channels_last)


def _forward_fields(x, weight, bias, *window_and_layout):
    return _fields(x.shape, weight.shape, *window_and_layout, bias=bias is not None)


def _backward_data_fake(dy, weight, shape, stride, left_pads, right_pads, dilation, groups, channels_last):
    check_dtypes(dy=dy, weight=weight)
    return empty(dy, tuple(shape), channels_last)


def _backward_data_fields(dy, weight, shape, *window_and_layout):
    return _fields(shape, weight.shape, *window_and_layout)


def _backward_weight_fake(dy, x, shape, stride, left_pads, right_pads, dilation, groups, channels_last):
    check_dtypes(x=x, dy=dy)
    return empty(x, tuple(shape), channels_last)


def _backward_weight_fields(dy, x, shape, *window_and_layout):
    return _fields(x.shape, shape, *window_and_layout)


_WINDOW = "int[] stride, int[] left_pads, int[] right_pads, int[] dilation, int groups, bool channels_last"
_CONV = define(f"convolution(Tensor x, Tensor weight, Tensor? bias, {_WINDOW}) -> Tensor", "grouped_conv_fwd",
               ("x", "weight", "bias", None), _forward_fields, _forward_fake)
_BACKWARD_DATA = define(f"convolution_backward_data(Tensor dy, Tensor weight, SymInt[] shape, {_WINDOW}) -> Tensor", "grouped_conv_bwd_data",
                        ("dy", "weight"), _backward_data_fields, _backward_data_fake)
_BACKWARD_WEIGHT = define(f"convolution_backward_weight(Tensor dy, Tensor x, SymInt[] shape, {_WINDOW}) -> Tensor",
                          "grouped_conv_bwd_weight", ("x", "dy"), _backward_weight_fields, _backward_weight_fake)


def _sum_to_channels(dy):
    return dy.sum([d for d in range(dy.dim()) if d != 1])


def _differentiate(tensors, arguments, needed, dy):
    x, weight = tensors
    x_shape, weight_shape, _, *window = arguments
    dx = _BACKWARD_DATA(dy, weight, x_shape, *window) if needed[0] else None
    dweight = _BACKWARD_WEIGHT(dy, x, weight_shape, *window) if needed[1] else None
    return dx, dweight, _sum_to_channels(dy) if needed[2] else None


differentiate(_CONV, ("x", "weight"), _differentiate)
autocast(_CONV, cpu=LOWER_PRECISION, cuda=LOWER_PRECISION)


def _pads(padding, lengths, stride, dilation):
    """Left and right pads: of numbers, "valid" or "same", which puts the odd one on the right, as PyTorch."""
    count = len(lengths)
    if padding == "valid":
        return (0,) * count, (0,) * count
    if padding != "same":
        check(not isinstance(padding, str), "padding must be numbers, 'valid' or 'same'", f"is '{padding}'", "choose one of them")
        return spatial_tuples(count, padding=padding) * 2
    check(all(each == 1 for each in stride), "padding 'same' needs strides of 1", f"they are {list(stride)}", "give the padding in numbers")
    both = [dilation[d] * (lengths[d] - 1) for d in range(count)]
    return tuple(each // 2 for each in both), tuple(each - each // 2 for each in both)


def _window(lengths, stride, padding, dilation):
    """Strides, left and right pads and dilations, one per spatial dimension, of a filter of those lengths."""
    stride, dilation = spatial_tuples(len(lengths), stride=stride, dilation=dilation)
    return stride, *_pads(padding, lengths, stride, dilation), dilation


def _of_rank(rank):
    """The operator, called as PyTorch's of a number of spatial dimensions."""

    def make(x, weight, bias, stride, padding, dilation, groups):
        if x.dim() != rank + 2 or weight.dim() != rank + 2:
            check(False, f"x and weight of a {rank}-D convolution must have {rank + 2} dimensions", f"have {x.dim()} and {weight.dim()}",
                  f"add those that lack, or call conv{x.dim() - 2}d")
        return x, weight, bias, *_window(weight.shape[2:], stride, padding, dilation), groups, prefers_channels_last(x, weight)

    return _CONV.made_of(make)


_CONV1D, _CONV2D, _CONV3D = map(_of_rank, (1, 2, 3))


def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, fallback=False):
    """torch.nn.functional.conv1d: x [N, C, W], weight [K, C / groups, X], bias [K], of one type: fp16, bf16 or fp32."""
    return or_fallback(fallback, torch.nn.functional.conv1d, _CONV1D, x, weight, bias, stride, padding, dilation, groups)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, fallback=False):
    """torch.nn.functional.conv2d: x [N, C, H, W], weight [K, C / groups, Y, X], bias [K]; as conv1d."""
    return or_fallback(fallback, torch.nn.functional.conv2d, _CONV2D, x, weight, bias, stride, padding, dilation, groups)


def conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, fallback=False):
    """torch.nn.functional.conv3d: x [N, C, D, H, W], weight [K, C / groups, Z, Y, X], bias [K]; as conv1d."""
    return or_fallback(fallback, torch.nn.functional.conv3d, _CONV3D, x, weight, bias, stride, padding, dilation, groups)


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


def _separable_fields(x, depthwise, pointwise, bias0, bias1, activation, *window_and_layout):
    return _fields(x.shape, depthwise.shape, *window_and_layout, outputs="K0", bias=bias0 is not None, K1=pointwise.size(0),
                   activation=activation)


_SEPARABLE = define("depthwise_separable(Tensor x, Tensor depthwise, Tensor pointwise, Tensor? bias0, Tensor? bias1, str activation, "
                    f"{_WINDOW}) -> Tensor", "grouped_conv_conv_fwd", ("x", "depthwise", "pointwise", "bias0", "bias1"), _separable_fields,
                    _separable_fake)


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


def _separable_differentiate(tensors, arguments, needed, dy):
    """By its two convolutions: the intermediate is computed again, so that nothing but the inputs is kept."""
    x, depthwise, pointwise, bias0 = tensors
    _, _, _, _, _, activation, *window = arguments
    channels_last, rank = window[-1], x.dim() - 2
    ones, zeros = (1,) * rank, (0,) * rank
    point = (ones, zeros, zeros, ones, 1, channels_last)
    before = _CONV(x, depthwise, bias0, *window)
    dpointwise = None
    if needed[2]:
        dpointwise = _BACKWARD_WEIGHT(dy, ACTIVATIONS[activation](before), pointwise.shape, *point)
    dx = ddepthwise = dbias0 = None
    if needed[0] or needed[1] or needed[3]:
        dbefore = _activation_gradient(activation, before, _BACKWARD_DATA(dy, pointwise, before.shape, *point))
        dx = _BACKWARD_DATA(dbefore, depthwise, x.shape, *window) if needed[0] else None
        ddepthwise = _BACKWARD_WEIGHT(dbefore, x, depthwise.shape, *window) if needed[1] else None
        dbias0 = _sum_to_channels(dbefore) if needed[3] else None
    dbias1 = _sum_to_channels(dy) if needed[4] else None
    return dx, ddepthwise, dpointwise, dbias0, dbias1


differentiate(_SEPARABLE, ("x", "depthwise", "pointwise", "bias0"), _separable_differentiate)
autocast(_SEPARABLE, cpu=LOWER_PRECISION, cuda=LOWER_PRECISION)


def _separable_by_torch(x, depthwise, pointwise, bias0, bias1, activation, stride, padding, dilation, groups):
    convolve = getattr(torch.nn.functional, f"conv{x.dim() - 2}d")
    return convolve(ACTIVATIONS[activation](convolve(x, depthwise, bias0, stride, padding, dilation, groups)), pointwise, bias1)


def _make_separable(x, depthwise, pointwise, bias0, bias1, activation, stride, padding, dilation, groups):
    check(x.dim() in (3, 4, 5) and depthwise.dim() == x.dim(), "x and depthwise must have 3 to 5 dimensions, as many",
          f"have {x.dim()} and {depthwise.dim()}", "reshape them")
    return (x, depthwise, pointwise, bias0, bias1, activation, *_window(depthwise.shape[2:], stride, padding, dilation), groups,
            prefers_channels_last(x, depthwise))


_DEPTHWISE_SEPARABLE = _SEPARABLE.made_of(_make_separable)


def depthwise_separable(x, depthwise, pointwise, bias0=None, bias1=None, activation="none", stride=1, padding=0, dilation=1, groups=None,
                        *, fallback=False):
    """conv(activation(conv(x, depthwise, bias0, stride, padding, dilation, groups)), pointwise, bias1) in one kernel, in 1-D, 2-D or 3-D:
    x [N, C, ...], depthwise [groups * K0, C / groups, ...], pointwise [K1, groups * K0, 1, ...]. groups: C where it is None. activation:
    none, relu, relu6 or silu. Both biases, or none."""
    groups = x.size(1) if groups is None else groups
    return or_fallback(fallback, _separable_by_torch, _DEPTHWISE_SEPARABLE, x, depthwise, pointwise, bias0, bias1, activation, stride, padding,
                       dilation, groups)

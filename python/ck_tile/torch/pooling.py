# SPDX-License-Identifier: MIT
"""2-D max-pooling and average pooling."""

import torch

from ck_tile.torch._fallback import or_fallback
from ck_tile.torch._operators import define, differentiate
from ck_tile.torch._tensors import check, check_dtypes, empty, prefers_channels_last, spatial_tuples

MOST_U8 = 256  # elements of a window that u8 indices count


def _output_length(length, window, stride, pad, dilation, ceil_mode):
    """As PyTorch: in ceil mode, the last window must begin in the input or the left padding."""
    span = (window - 1) * dilation + 1
    outputs = (length + 2 * pad - span + (stride - 1 if ceil_mode else 0)) // stride + 1
    return outputs - 1 if ceil_mode and (outputs - 1) * stride >= length + pad else outputs


def _validate(x, window, stride, padding, dilation=(1, 1)):
    check(x.dim() == 4, "x must have the dimensions [N, C, H, W]", f"has {x.dim()}", "add those that lack")
    check_dtypes(x=x)
    for name, values, least in (("kernel_size", window, 1), ("stride", stride, 1), ("padding", padding, 0), ("dilation", dilation, 1)):
        check(all(each >= least for each in values), f"{name} must be {least} or more", f"is {list(values)}", "choose larger ones")
    check(all(2 * pad <= size for pad, size in zip(padding, window)), "padding must be at most half of kernel_size",
          f"is {list(padding)} of {list(window)}", "pad less")


def _output_lengths(x, window, stride, padding, ceil_mode, dilation=(1, 1)):
    lengths = [_output_length(x.size(2 + d), window[d], stride[d], padding[d], dilation[d], ceil_mode) for d in range(2)]
    check(all(each >= 1 for each in lengths), "a window must fit into the padded input", f"is {list(window)} on {list(x.shape[2:])}",
          "choose a smaller one")
    return lengths


def _index_type(window):
    return torch.uint8 if window[0] * window[1] <= MOST_U8 else torch.int32


def _fields(shape, window, stride, padding, dilation, ceil_mode, indexed, channels_last):
    kind = "recompute" if not indexed else "u8" if _index_type(window) is torch.uint8 else "int32"
    return {"N": shape[0], "C": shape[1], "input": shape[2:], "window": window, "strides": stride, "dilations": dilation,
            "left_pads": padding, "right_pads": padding, "ceil": ceil_mode, "indices": kind, "layout": "nhwc" if channels_last else "nchw"}


def _forward_fake(x, window, stride, padding, dilation, ceil_mode, indexed, channels_last):
    _validate(x, window, stride, padding, dilation)
    shape = (x.size(0), x.size(1), *_output_lengths(x, window, stride, padding, ceil_mode, dilation))
    return empty(x, shape, channels_last), empty(x, shape if indexed else (0,), channels_last, _index_type(window))


def _forward_fields(x, *window):
    return _fields(x.shape, *window)


def _backward_fake(dy, indices, lengths, window, stride, padding, dilation, ceil_mode, channels_last):
    check_dtypes(dy=dy)
    check(dy.shape == indices.shape, f"dy must have the shape of the indices, {list(indices.shape)}", f"has {list(dy.shape)}",
          "pass the gradient of y")
    return empty(dy, (dy.size(0), dy.size(1), *lengths), channels_last)


def _backward_fields(dy, indices, lengths, *window):
    *window, channels_last = window
    return _fields((*dy.shape[:2], *lengths), *window, True, channels_last)


_MAX_POOL2D = define("max_pool2d(Tensor x, int[2] window, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, bool indexed,"
                     " bool channels_last) -> (Tensor, Tensor)", "maxpool_fwd", ("x",), _forward_fields, _forward_fake)
_MAX_POOL2D_BACKWARD = define("max_pool2d_backward(Tensor dy, Tensor indices, SymInt[2] lengths, int[2] window, int[2] stride,"
                              " int[2] padding, int[2] dilation, bool ceil_mode, bool channels_last) -> Tensor",
                              "maxpool_bwd", ("dy", "indices", None, None), _backward_fields, _backward_fake)


def _differentiate(tensors, arguments, needed, dy):
    (indices,) = tensors
    shape, *window, indexed, channels_last = arguments
    check(indexed, "a gradient needs the indices", "indexed was False", "pass True")
    return (_MAX_POOL2D_BACKWARD(dy, indices, shape[2:], *window, channels_last),)


differentiate(_MAX_POOL2D, (), _differentiate, saved_results=(1,))


def _window(kernel_size, stride, **others):
    """Window, strides and the others, two of each; windows lie side by side where no stride is given."""
    return spatial_tuples(2, kernel_size=kernel_size, stride=kernel_size if stride is None else stride, **others)


def _make_max_pool2d(x, kernel_size, stride, padding, dilation, ceil_mode, indexed):
    return x, *_window(kernel_size, stride, padding=padding, dilation=dilation), ceil_mode, indexed, prefers_channels_last(x)


_MAX_POOL = _MAX_POOL2D.made_of(_make_max_pool2d)


def _pool(x, *window):
    """With indices where a gradient will need them."""
    return _MAX_POOL(x, *window, x.requires_grad and torch.is_grad_enabled())[0]


def max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False, *, fallback=False):
    """torch.nn.functional.max_pool2d of x [N, C, H, W]. Indices, if they are asked for, are the library's, not PyTorch's: uint8,
    the number of the element in its window, row by row; int32, the flat index in the plane, for windows of more than 256."""
    if return_indices:
        check(not fallback, "indices are the library's", "fallback is True, whose are others", "ask for one of both")
        return _MAX_POOL(x, kernel_size, stride, padding, dilation, ceil_mode, True)
    return or_fallback(fallback, torch.nn.functional.max_pool2d, _pool, x, kernel_size, stride, padding, dilation, ceil_mode)


def _average_fields(shape, window, stride, padding, ceil_mode, count_include_pad, divisor, channels_last):
    return {"N": shape[0], "C": shape[1], "input": shape[2:], "window": window, "strides": stride, "left_pads": padding,
            "right_pads": padding, "ceil": ceil_mode, "count_include_pad": count_include_pad, "divisor_override": float(divisor),
            "layout": "nhwc" if channels_last else "nchw"}


def _average_fake(x, window, stride, padding, ceil_mode, count_include_pad, divisor, channels_last):
    _validate(x, window, stride, padding)
    return empty(x, (x.size(0), x.size(1), *_output_lengths(x, window, stride, padding, ceil_mode)), channels_last)


def _average_forward_fields(x, *window):
    return _average_fields(x.shape, *window)


def _average_backward_fake(dy, lengths, window, stride, padding, ceil_mode, count_include_pad, divisor, channels_last):
    check_dtypes(dy=dy)
    return empty(dy, (dy.size(0), dy.size(1), *lengths), channels_last)


def _average_backward_fields(dy, lengths, *window):
    return _average_fields((*dy.shape[:2], *lengths), *window)


_AVG_POOL2D = define("avg_pool2d(Tensor x, int[2] window, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int divisor,"
                     " bool channels_last) -> Tensor", "avgpool_fwd", ("x",), _average_forward_fields, _average_fake)
_AVG_POOL2D_BACKWARD = define("avg_pool2d_backward(Tensor dy, SymInt[2] lengths, int[2] window, int[2] stride, int[2] padding,"
                              " bool ceil_mode, bool count_include_pad, int divisor, bool channels_last) -> Tensor",
                              "avgpool_bwd", ("dy",), _average_backward_fields, _average_backward_fake)


def _differentiate_average(tensors, arguments, needed, dy):
    shape, *window = arguments
    return (_AVG_POOL2D_BACKWARD(dy, shape[2:], *window),)


differentiate(_AVG_POOL2D, (), _differentiate_average)


def _make_avg_pool2d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    check(divisor_override is None or divisor_override > 0, "divisor_override must be None or a positive number",
          f"is {divisor_override}", "choose a positive one")
    return (x, *_window(kernel_size, stride, padding=padding), ceil_mode, count_include_pad, divisor_override or 0,
            prefers_channels_last(x))


_AVG_POOL = _AVG_POOL2D.made_of(_make_avg_pool2d)


def avg_pool2d(x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None, *, fallback=False):
    """torch.nn.functional.avg_pool2d of x [N, C, H, W]."""
    return or_fallback(fallback, torch.nn.functional.avg_pool2d, _AVG_POOL, x, kernel_size, stride, padding, ceil_mode,
                       count_include_pad, divisor_override)

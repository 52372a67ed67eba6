# SPDX-License-Identifier: MIT
"""Modules with PyTorch's names, arguments, parameters and state, which compute by the library."""

import torch

from ck_tile.torch.convolution import conv1d, conv2d, conv3d, depthwise_separable
from ck_tile.torch.normalization import group_norm
from ck_tile.torch.pooling import avg_pool2d, max_pool2d


class _Convolution:
    """How a convolution of torch.nn computes, in place of PyTorch's own way. What is padded other than by zeros is padded before."""

    fallback = False

    def _conv_forward(self, x, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            x, padding = torch.nn.functional.pad(x, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0
        return self._convolve(x, weight, bias, self.stride, padding, self.dilation, self.groups, fallback=self.fallback)


class Conv1d(_Convolution, torch.nn.Conv1d):
    _convolve = staticmethod(conv1d)


class Conv2d(_Convolution, torch.nn.Conv2d):
    _convolve = staticmethod(conv2d)


class Conv3d(_Convolution, torch.nn.Conv3d):
    _convolve = staticmethod(conv3d)


class GroupNorm(torch.nn.GroupNorm):
    fallback = False

    def forward(self, x):
        return group_norm(x, self.num_groups, self.weight, self.bias, self.eps, fallback=self.fallback)


class MaxPool2d(torch.nn.MaxPool2d):
    """Indices, if they are asked for, are the library's: max_pool2d() says which."""

    fallback = False

    def forward(self, x):
        return max_pool2d(x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices,
                          fallback=self.fallback)


class AvgPool2d(torch.nn.AvgPool2d):
    fallback = False

    def forward(self, x):
        return avg_pool2d(x, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override,
                          fallback=self.fallback)


class DepthwiseSeparable(torch.nn.Module):
    """A depthwise convolution, an activation and a 1x1 convolution in one kernel: x [N, C, H, W] to [N, K, H', W']. Its parameters are
    those of the two convolutions, `depthwise` and `pointwise`."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, activation="none", bias=True, *,
                 fallback=False, device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.depthwise = torch.nn.Conv2d(in_channels, in_channels, kernel_size, stride, padding, dilation, in_channels, bias, **where)
        self.pointwise = torch.nn.Conv2d(in_channels, out_channels, 1, bias=bias, **where)
        self.activation, self.fallback = activation, fallback

    def forward(self, x):
        first, second = self.depthwise, self.pointwise
        return depthwise_separable(x, first.weight, second.weight, first.bias, second.bias, self.activation, first.stride, first.padding,
                                   first.dilation, first.groups, fallback=self.fallback)

    def extra_repr(self):
        return f"activation={self.activation}"


# What takes the place of each class of torch.nn.
REPLACEMENTS = {torch.nn.Conv1d: Conv1d, torch.nn.Conv2d: Conv2d, torch.nn.Conv3d: Conv3d, torch.nn.GroupNorm: GroupNorm,
                torch.nn.MaxPool2d: MaxPool2d, torch.nn.AvgPool2d: AvgPool2d}

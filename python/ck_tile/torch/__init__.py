# SPDX-License-Identifier: MIT
"""PyTorch's operators by ck_tile's kernels, with autograd, autocast and torch.compile, and modules of them: docs/pytorch.md."""

from ck_tile.torch.convolution import conv1d, conv2d, conv3d, depthwise_separable
from ck_tile.torch.modules import AvgPool2d, Conv1d, Conv2d, Conv3d, DepthwiseSeparable, GroupNorm, MaxPool2d
from ck_tile.torch.normalization import group_norm
from ck_tile.torch.pooling import avg_pool2d, max_pool2d
from ck_tile.torch.replacement import replace

__all__ = ["AvgPool2d", "Conv1d", "Conv2d", "Conv3d", "DepthwiseSeparable", "GroupNorm", "MaxPool2d", "avg_pool2d", "conv1d", "conv2d",
           "conv3d", "depthwise_separable", "group_norm", "max_pool2d", "replace"]

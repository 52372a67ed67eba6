# SPDX-License-Identifier: MIT
"""PyTorch's operators by ck_tile's kernels, with autograd, autocast and torch.compile: docs/pytorch.md."""

from ck_tile.torch.convolution import conv1d, conv2d, conv3d, depthwise_separable
from ck_tile.torch.normalization import group_norm
from ck_tile.torch.pooling import max_pool2d

__all__ = ["conv1d", "conv2d", "conv3d", "depthwise_separable", "group_norm", "max_pool2d"]

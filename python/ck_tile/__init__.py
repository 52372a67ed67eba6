# SPDX-License-Identifier: MIT
"""Kernels of ck_tile from Python: plans and runs on raw memory here, PyTorch's operators in ck_tile.torch. Needs no PyTorch."""

from ck_tile._library import Device, Error, Plan, host_target, operations, targets, tensors_of, version

__all__ = ["Device", "Error", "Plan", "host_target", "operations", "targets", "tensors_of", "version"]
__version__ = version()

# SPDX-License-Identifier: MIT
"""The definition of an operator in PyTorch's dispatcher: kernel, fake, autograd, autocast."""

import torch

LIBRARY = torch.library.Library("ck_tile", "DEF")
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)
# Rules of autocast, beside a dtype: the type that it is in; that of the first tensor.
LOWER_PRECISION, FIRST = object(), object()


def define(schema, kernel, fake):
    """Defines ck_tile::<schema> by a function for tensors of CPU and GPU and one for those without memory; returns it."""
    name = schema.split("(")[0]
    LIBRARY.define(schema, tags=TAGS)
    for key in ("CPU", "CUDA"):
        LIBRARY.impl(name, kernel, key)
    torch.library.register_fake(f"ck_tile::{name}", fake, lib=LIBRARY)
    return getattr(torch.ops.ck_tile, name).default


def differentiate(operator, setup_context, backward):
    torch.library.register_autograd(operator, backward, setup_context=setup_context, lib=LIBRARY)


def autocast(operator, cpu, cuda):
    """Under autocast, casts floating tensors to the type of the rule for their device, which is PyTorch's own of the operator."""
    name = operator.name().split("::")[1]
    for kind, key, rule in (("cpu", "AutocastCPU", cpu), ("cuda", "AutocastCUDA", cuda)):
        keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

        def cast(*arguments, kind=kind, keys=keys, rule=rule):
            dtype = torch.get_autocast_dtype(kind) if rule is LOWER_PRECISION else arguments[0].dtype if rule is FIRST else rule
            with torch._C._ExcludeDispatchKeyGuard(keys):
                return operator(*[_cast(each, kind, dtype) for each in arguments])

        LIBRARY.impl(name, cast, key)


def _cast(value, kind, dtype):
    """As PyTorch, which leaves float64, and tensors elsewhere, as they are."""
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.device.type == kind and value.dtype != torch.float64:
        return value.to(dtype)
    return value

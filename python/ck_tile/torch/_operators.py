# SPDX-License-Identifier: MIT
"""The definition of an operator in PyTorch's dispatcher: kernel, fake, autograd, autocast. And a shorter way to its kernel."""

import torch
from torch.autograd import forward_ad

LIBRARY = torch.library.Library("ck_tile", "DEF")
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)
# Rules of autocast, beside a dtype: the type that it is in; that of the first tensor.
LOWER_PRECISION, FIRST = object(), object()
PLAIN = (torch.Tensor, torch.nn.Parameter, type(None))


class Operator:
    """ck_tile::<name>, called with all of its arguments in order. The dispatcher's ways through Python take eight times as long as the
    rest of a call; so where it would do no more than autocast and autograd, a call does these itself. All else, such as tracing,
    transforms, modes and subclasses of tensors, sees torch.ops.ck_tile.<name>."""

    def __init__(self, overload, kernel):
        self.overload, self.kernel = overload, kernel
        self.function = None  # of autograd
        self.rules = {}  # of autocast, by kind of device

    def __call__(self, *arguments):
        if not _is_plain(arguments):
            return self.overload(*arguments)
        rule = self.rules.get(arguments[0].device.type)
        if rule is not None and torch.is_autocast_enabled(arguments[0].device.type):
            arguments = _cast_all(arguments, arguments[0].device.type, rule)
        if torch.is_grad_enabled() and any(isinstance(each, torch.Tensor) and each.requires_grad for each in arguments):
            return self.function.apply(*arguments) if self.function else self.overload(*arguments)
        return self.kernel(*arguments)


def _is_plain(arguments):
    """Whether nothing but autocast and autograd has a say in a call."""
    return (not torch.compiler.is_compiling() and torch._C._len_torch_dispatch_stack() == 0 and torch._C._get_tracing_state() is None
            and not torch._C._are_functorch_transforms_active() and forward_ad._current_level < 0
            and all(type(each) in PLAIN or not isinstance(each, torch.Tensor) for each in arguments))


def define(schema, kernel, fake):
    """Defines ck_tile::<schema> by a function for tensors of CPU and GPU and one for those without memory; returns the operator."""
    name = schema.split("(")[0]
    LIBRARY.define(schema, tags=TAGS)
    for key in ("CPU", "CUDA"):
        LIBRARY.impl(name, kernel, key)
    torch.library.register_fake(f"ck_tile::{name}", fake, lib=LIBRARY)
    return Operator(getattr(torch.ops.ck_tile, name).default, kernel)


def differentiate(operator, setup_context, backward):
    """Gives an operator a gradient: setup_context and backward are those of torch.library.register_autograd."""
    torch.library.register_autograd(operator.overload, backward, setup_context=setup_context, lib=LIBRARY)

    def forward(ctx, *arguments):
        output = operator.kernel(*arguments)
        setup_context(ctx, arguments, output)
        return output

    name = operator.overload.name().replace("::", "_")
    operator.function = type(name, (torch.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def autocast(operator, cpu, cuda):
    """Under autocast, casts floating tensors to the type of the rule for their device."""
    name = operator.overload.name().split("::")[1]
    for kind, key, rule in (("cpu", "AutocastCPU", cpu), ("cuda", "AutocastCUDA", cuda)):
        keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

        def cast(*arguments, kind=kind, keys=keys, rule=rule):
            with torch._C._ExcludeDispatchKeyGuard(keys):
                return operator.overload(*_cast_all(arguments, kind, rule))

        LIBRARY.impl(name, cast, key)
        operator.rules[kind] = rule


def _cast_all(arguments, kind, rule):
    dtype = torch.get_autocast_dtype(kind) if rule is LOWER_PRECISION else arguments[0].dtype if rule is FIRST else rule
    return [_cast(each, kind, dtype) for each in arguments]


def _cast(value, kind, dtype):
    """As PyTorch, which leaves float64, and tensors elsewhere, as they are."""
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.device.type == kind and value.dtype != torch.float64:
        return value.to(dtype)
    return value

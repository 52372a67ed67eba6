# SPDX-License-Identifier: MIT
"""The definition of an operator in PyTorch's dispatcher: kernel, fake, autograd, autocast. And a shorter way to its kernel."""

import torch
from torch.autograd import forward_ad

LIBRARY = torch.library.Library("ck_tile", "DEF")
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)
# Rules of autocast, beside a dtype: the type that it is in; that of the first tensor.
LOWER_PRECISION, FIRST = object(), object()
PLAIN = frozenset((torch.Tensor, torch.nn.Parameter, type(None)))


class Operator:
    """ck_tile::<name>, called with all of its arguments in order. The dispatcher's ways through Python take eight times as long as the
    rest of a call; so where it would do no more than autocast and autograd, a call does these itself. All else, such as tracing,
    transforms, modes and subclasses of tensors, sees torch.ops.ck_tile.<name>."""

    def __init__(self, overload, kernel):
        self.overload, self.kernel = overload, kernel
        kernel.tensors, kernel.lists = ([i for i, each in enumerate(overload._schema.arguments) if kind in str(each.type)]
                                        for kind in ("Tensor", "List"))
        self.function = None  # of autograd
        self.rules = {}  # of autocast, by kind of device

    def __call__(self, *arguments):
        tensors = self.kernel.tensors
        if _dispatches() or not PLAIN.issuperset([type(arguments[i]) for i in tensors]):
            return self.overload(*arguments)
        if self.rules:
            kind = arguments[0].device.type
            if torch.is_autocast_enabled(kind):
                arguments = self.cast(arguments, kind)
        if torch.is_grad_enabled():
            for i in tensors:
                if arguments[i] is not None and arguments[i].requires_grad:
                    return self.function.apply(*arguments) if self.function else self.overload(*arguments)
        return self.kernel(*arguments)

    def cast(self, arguments, kind):
        """As autocast does for a kind of device; like PyTorch's it leaves float64, and tensors elsewhere, as they are."""
        rule = self.rules.get(kind)
        if rule is None:
            return arguments
        dtype = torch.get_autocast_dtype(kind) if rule is LOWER_PRECISION else arguments[0].dtype if rule is FIRST else rule
        arguments = list(arguments)
        for i in self.kernel.tensors:
            each = arguments[i]
            if each is not None and each.dtype is not dtype and each.is_floating_point() and each.dtype is not torch.float64 and each.device.type == kind:
                arguments[i] = each.to(dtype)
        return arguments


def _dispatches():
    """Whether there is more to a call than autocast and autograd, and subclasses of tensors."""
    return (torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack() > 0 or torch._C._get_tracing_state() is not None
            or torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0)


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

        def cast(*arguments, kind=kind, keys=keys):
            with torch._C._ExcludeDispatchKeyGuard(keys):
                return operator.overload(*operator.cast(arguments, kind))

        LIBRARY.impl(name, cast, key)
        operator.rules[kind] = rule

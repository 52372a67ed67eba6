# SPDX-License-Identifier: MIT
"""The definition of an operator in PyTorch's dispatcher: kernel, fake, autograd, autocast. And a shorter way to its kernel."""

import copy
from operator import itemgetter

import torch
from torch._C import (_are_functorch_transforms_active, _get_tracing_state, _is_any_autocast_enabled, _len_torch_dispatch_stack,
                      _len_torch_function_stack)
from torch.autograd import forward_ad
from torch.compiler import is_compiling

from ck_tile.torch._tensors import Kernel, Kind, cast_tensors, shapes_of_tensors

LIBRARY = torch.library.Library("ck_tile", "DEF")
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)
# Rules of autocast, beside a dtype: the type that it is in; that of the first tensor.
LOWER_PRECISION, FIRST = object(), object()
PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))


class Operator:
    """ck_tile::<name>, called with all of its arguments in order. The dispatcher's ways through Python take eight times as long as the
    rest of a call; so where it would do no more than autocast and autograd, a call does these itself. All else, such as tracing,
    transforms, modes and subclasses of tensors, sees torch.ops.ck_tile.<name>."""

    def __init__(self, overload, kernel):
        self.overload, self.kernel = overload, kernel
        self.tensors = kernel.tensors
        self.apply = None  # its autograd function, of a kind of call and the tensors
        self.rules = {}  # of autocast, by kind of device
        self._made = self._as_given  # of a call's arguments: the operator's
        self._kinds = {}

    def made_of(self, make):
        """The operator with gradient and rules that it has by now, called with what make(*arguments) makes its arguments of. make sees
        one call of each kind. The tensors are where the operator has them."""
        operator = copy.copy(self)
        operator._made, operator._kinds = make, {}
        return operator

    @staticmethod
    def _as_given(*arguments):
        return arguments

    def __call__(self, *arguments):
        if _dispatches():
            return self.overload(*self._made(*arguments))
        dtype = self._autocast_dtype(arguments) if self.rules and _is_any_autocast_enabled() else None
        key, tensors, differentiable = [*arguments, dtype], [], False
        for i in self.tensors:
            each = arguments[i]
            if each is not None:
                if type(each) not in PLAIN or each.is_neg():
                    return self.overload(*self._made(*arguments))
                key[i] = each.shape, each.stride(), each.dtype, each.device
                differentiable = differentiable or each.requires_grad
            tensors.append(each)
        kind = self._kind(key, arguments, dtype)
        if differentiable and torch.is_grad_enabled():
            return self.apply(kind, *tensors) if self.apply else self.overload(*self._made(*arguments))
        return kind(kind.cast(tensors))

    def compute(self, *arguments):
        """The operator's kernel, for the dispatcher."""
        key, arguments = [*arguments, None], list(arguments)
        for i in self.tensors:
            each = arguments[i]
            if each is not None:
                key[i] = each.shape, each.stride(), each.dtype, each.device
        return self._kind(key, arguments)([arguments[i] for i in self.tensors])

    def _kind(self, key, arguments, dtype=None):
        try:
            kind = self._kinds.get(tuple(key))
        except TypeError:  # of lists
            key, arguments = ([tuple(each) if isinstance(each, list) else each for each in some] for some in (key, arguments))
            kind = self._kinds.get(tuple(key))
        if kind is None:
            kind = self._kinds[tuple(key)] = Kind(self.kernel, arguments, self._made, dtype)
        return kind

    def _autocast_dtype(self, arguments):
        """That which autocast casts to where the first argument is: None, if to none."""
        kind = arguments[0].device.type
        rule = self.rules.get(kind) if torch.is_autocast_enabled(kind) else None
        return torch.get_autocast_dtype(kind) if rule is LOWER_PRECISION else arguments[0].dtype if rule is FIRST else rule


def _dispatches():
    """Whether there is more to a call than autocast and autograd, and subclasses of tensors."""
    return (is_compiling() or _len_torch_dispatch_stack() > 0 or _len_torch_function_stack() > 0 or _get_tracing_state() is not None
            or _are_functorch_transforms_active() or forward_ad._current_level >= 0)


def define(schema, operation, inputs, fields, fake):
    """Defines ck_tile::<schema> for tensors of CPU and GPU by what Kernel says, and for those without memory by fake alone; returns the
    operator."""
    name = schema.split("(")[0]
    LIBRARY.define(schema, tags=TAGS)
    overload = getattr(torch.ops.ck_tile, name).default
    operator = Operator(overload, Kernel(overload._schema, operation, inputs, fields, fake))
    for key in ("CPU", "CUDA"):
        LIBRARY.impl(name, operator.compute, key)
    torch.library.register_fake(f"ck_tile::{name}", fake, lib=LIBRARY)
    return operator


def _chosen(positions):
    """A function that makes a tuple of those of a sequence."""
    if len(positions) > 1:
        return itemgetter(*positions)
    return (lambda sequence: (sequence[positions[0]],)) if positions else lambda sequence: ()


def differentiate(operator, saved, backward, saved_results=()):
    """Gives an operator the gradient of its first result; others have none. backward(tensors, arguments, needed, dy) makes gradients of
    the tensors among the arguments, of which each is needed or not: of the tensors that saved names and the results that saved_results
    counts, and of the call's arguments with shapes in place of tensors."""
    positions, names = operator.tensors, [each.name for each in operator.overload._schema.arguments]
    inputs = [[names[i] for i in positions].index(name) for name in saved]  # among the tensors
    single = len(operator.overload._schema.returns) == 1
    inputs_of, results_of = _chosen(inputs), _chosen(saved_results)

    def keep(ctx, arguments, tensors, results):
        ctx.arguments = arguments
        if single:
            ctx.save_for_backward(*inputs_of(tensors))
        else:
            ctx.save_for_backward(*inputs_of(tensors), *results_of(results))
            ctx.mark_non_differentiable(*results[1:])
            ctx.set_materialize_grads(False)

    def gradients_of(ctx, needed, dy):
        return [None] * len(needed) if dy is None else backward(ctx.saved_tensors, ctx.arguments, needed, dy)

    def keep_all(ctx, inputs, output):
        keep(ctx, shapes_of_tensors(inputs, positions), [inputs[i] for i in positions], output)

    def backward_of_all(ctx, dy, *_):
        found = [None] * len(names)
        for i, each in zip(positions, gradients_of(ctx, [ctx.needs_input_grad[i] for i in positions], dy)):
            found[i] = each
        return tuple(found)

    torch.library.register_autograd(operator.overload, backward_of_all, setup_context=keep_all, lib=LIBRARY)

    # Of tensors alone: each argument takes its time.
    def forward(ctx, kind, *tensors):
        tensors = kind.cast(tensors)  # the engine casts gradients to the types of the inputs
        results = kind(tensors)
        keep(ctx, kind.arguments, tensors, results)
        return results

    def backward_of_tensors(ctx, dy, *_):
        return None, *gradients_of(ctx, ctx.needs_input_grad[1:], dy)

    name = operator.overload.name().replace("::", "_")
    function = type(name, (torch.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward_of_tensors)})
    operator.apply = super(torch.autograd.Function, function).apply  # without what is for transforms, which are not here


def autocast(operator, cpu, cuda):
    """Under autocast, casts floating tensors to the type of the rule for their device."""
    name = operator.overload.name().split("::")[1]
    for kind, key, rule in (("cpu", "AutocastCPU", cpu), ("cuda", "AutocastCUDA", cuda)):
        keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

        def cast(*arguments, keys=keys):
            arguments = cast_tensors(arguments, operator.tensors, operator._autocast_dtype(arguments))
            with torch._C._ExcludeDispatchKeyGuard(keys):
                return operator.overload(*arguments)

        LIBRARY.impl(name, cast, key)
        operator.rules[kind] = rule

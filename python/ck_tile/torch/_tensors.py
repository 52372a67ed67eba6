# SPDX-License-Identifier: MIT
"""How PyTorch's tensors, devices and streams map to the library's: the only module that knows."""

import functools

import torch

from ck_tile import _library
from ck_tile._library import Device, Error

DTYPES = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32"}
ALIGNMENT = 16  # bytes, of every address

FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}  # by dimensions


def check(right, rule, value, fix):
    """Raises Error unless right."""
    if not right:
        raise Error(f"{rule}, but {value}: {fix}")


def check_dtypes(**tensors):
    """All floating, of the one type that the first has, on one device."""
    first_name, first = next(iter(tensors.items()))
    check(first.dtype in DTYPES, f"{first_name} must be float16, bfloat16 or float32", f"is {first.dtype}", "convert it")
    for name, each in tensors.items():
        if each is not None:
            check(each.dtype is first.dtype, f"{name} must have the type of {first_name}, {first.dtype}", f"is {each.dtype}",
                  "convert it, or use autocast")
            check(each.device == first.device, f"{name} must be on {first.device}, as {first_name} is", f"is on {each.device}",
                  "move it")


def is_channels_last(x):
    """Whether channels are innermost, in any number of dimensions."""
    dimensions = x.dim()
    if dimensions in FORMATS:
        return x.is_contiguous(memory_format=FORMATS[dimensions])
    return dimensions > 2 and x.movedim(1, -1).is_contiguous()


def prefers_channels_last(x, weight=None):
    """The layout that an operator computes x in: its own; where that could be either, or is neither, what the strides suggest, as
    in PyTorch, those of the weights where x has none to tell."""
    last, first = is_channels_last(x), x.is_contiguous()
    if last != first:
        return last
    if last:
        return weight is not None and is_channels_last(weight) and not weight.is_contiguous()
    return x.dim() > 2 and x.stride(1) == 1


def packed(x, channels_last):
    """x itself where it is packed in that layout and aligned, else a copy that is."""
    if channels_last and x.dim() > 2:
        if not is_channels_last(x):
            x = x.movedim(1, -1).contiguous().movedim(-1, 1)
    elif not x.is_contiguous():
        x = x.contiguous()
    return x if x.data_ptr() % ALIGNMENT == 0 else x.clone(memory_format=torch.preserve_format)


def empty(like, shape, channels_last, dtype=None):
    """New memory for a result of the shape in that layout."""
    if channels_last and len(shape) > 2:
        return like.new_empty((shape[0], *shape[2:], shape[1]), dtype=dtype).movedim(-1, 1)
    return like.new_empty(shape, dtype=dtype)


@functools.cache
def _device(kind, index):
    if kind == "cpu":
        host = _library.host_target()
        check(host, "tensors on the CPU need a host target", f"the library was built for {', '.join(_library.targets())}",
              "build it with one, or move the tensors to a GPU")
        return Device(host)
    check(kind == "cuda", "tensors must be on the CPU or a GPU of CUDA or ROCm", f"are on {kind}", "move them")
    return Device(f"{'hip' if torch.version.hip else 'cuda'}:{index}")


class Kind:
    """Calls of one kernel whose arguments are alike: shapes, types and devices of tensors, and all that is no tensor. They have been
    validated, and share a plan."""

    def __init__(self, results):
        """results: those of a call."""
        self._single = isinstance(results, torch.Tensor)
        self._results = [(each.shape, each.stride(), each.dtype, each.device)
                         for each in ((results,) if self._single else results)]
        self._plan = None

    def allocate(self):
        """Memory for the results of another call."""
        if self._single:
            shape, stride, dtype, device = self._results[0]
            return torch.empty_strided(shape, stride, dtype=dtype, device=device)
        return tuple([torch.empty_strided(shape, stride, dtype=dtype, device=device) for shape, stride, dtype, device in self._results])

    def plan(self, operation, x, fields):
        """How the library computes it for what x is on; fields(): of the problem, but its dtype."""
        if self._plan is None:
            self._plan = _library.Plan(_device(x.device.type, x.device.index), operation, dtype=DTYPES[x.dtype], **fields())
        return self._plan


class Kernel:
    """What kernel() makes of a function."""

    def __init__(self, fake, compute):
        self._fake, self._compute, self._kinds = fake, compute, {}
        self.tensors = self.lists = ()  # positions of arguments that are tensors, or none, and of those that are lists

    def __call__(self, *arguments):
        key = list(arguments)
        for i in self.tensors:
            each = arguments[i]
            if each is not None:
                key[i] = (each.shape, each.dtype, each.device)
        for i in self.lists:
            key[i] = tuple(key[i])
        key = tuple(key)
        kind = self._kinds.get(key)
        if kind is None:
            results = self._fake(*arguments)
            kind = self._kinds[key] = Kind(results)
        else:
            results = kind.allocate()
        self._compute(kind, results, *arguments)
        return results


def kernel(fake):
    """Makes a kernel of compute(kind, results, *arguments), which fills in results that are as fake(*arguments) says. fake is called for
    each kind of arguments once, as to validate them takes longer than the rest of a call."""
    return lambda compute: Kernel(fake, compute)


def run(plan, x, *tensors):
    """Queues a plan on the current stream of x's device; None for absent tensors."""
    workspace = x.new_empty(plan.workspace_bytes, dtype=torch.uint8) if plan.workspace_bytes else None
    stream = torch._C._cuda_getCurrentRawStream(x.device.index) if x.is_cuda else None
    plan.run([None if t is None else t.data_ptr() for t in tensors], None if workspace is None else workspace.data_ptr(), stream)


def remembered(function):
    """The function, which makes something of numbers, texts and sequences of them, called once for each. Not where torch.compile follows
    it, as that has numbers of its own, and may be inside of it."""
    known = {}

    def call(*arguments):
        if torch.compiler.is_compiling():
            return function(*arguments)
        try:
            made = known.get(arguments)
        except TypeError:  # a list among them
            return function(*arguments)
        if made is None:
            made = known[arguments] = function(*arguments)
        return made

    return call


def spatial_list(value, count, name):
    """A number, or a sequence of 1 or count, as a list of count."""
    values = [value] * count if isinstance(value, int) else list(value)
    if len(values) == 1:
        values *= count
    check(len(values) == count, f"{name} must be a number or {count} of them", f"is {value}", "give one per spatial dimension")
    return values

# SPDX-License-Identifier: MIT
"""How PyTorch's tensors, devices and streams map to the library's: the only module that knows."""

import functools

import torch
from torch._C._dynamo import guards as _quick

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


def is_packed(x, channels_last):
    """Whether x lies in that layout, without gaps."""
    return is_channels_last(x) if channels_last and x.dim() > 2 else x.is_contiguous()


def packed(x, channels_last):
    """x itself where it is packed in that layout, else a copy that is."""
    if is_packed(x, channels_last):
        return x
    return x.movedim(1, -1).contiguous().movedim(-1, 1) if channels_last and x.dim() > 2 else x.contiguous()


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


@functools.cache
def _plan(kind, index, operation, **fields):
    return _library.Plan(_device(kind, index), operation, **fields)


def shapes_of_tensors(arguments, positions):
    """The arguments, with shapes in place of the tensors, which are at the positions, if at all."""
    return [each.shape if i in positions and each is not None else each for i, each in enumerate(arguments)]


def _allocator(kind):
    """A function of shape, stride and type that makes a tensor on the current device of a kind: PyTorch's for code that its compiler
    makes, where it has it. It takes a third of the time."""

    def empty_strided(shape, stride, dtype):
        return torch.empty_strided(shape, stride, dtype=dtype, device=kind)

    return getattr(_quick, f"_empty_strided_{kind}", empty_strided)


def cast_tensors(arguments, positions, dtype):
    """The arguments as autocast leaves them where the first tensor is, of those at the positions; dtype None: as they are. Like PyTorch's
    it leaves float64, and tensors elsewhere, as they are."""
    device = arguments[positions[0]].device.type
    arguments = list(arguments)
    for i in positions if dtype else ():
        x = arguments[i]
        if x is not None and x.dtype is not dtype and x.is_floating_point() and x.dtype is not torch.float64 and x.device.type == device:
            arguments[i] = x.to(dtype)
    return arguments


class Kernel:
    """What an operator computes by: a plan of an operation, which takes the tensors that inputs names, in its order, None where it has
    one that the operator has not, and then the results. fake(*arguments) validates and makes results; fields(*arguments) are those of
    the problem, but its dtype. An operator's last argument says whether channels are last in all tensors that have them."""

    def __init__(self, schema, operation, inputs, fields, fake):
        self.tensors = [i for i, each in enumerate(schema.arguments) if "Tensor" in str(each.type)]  # where arguments are, or may be
        names = [schema.arguments[i].name for i in self.tensors]
        self.inputs = [None if name is None else names.index(name) for name in inputs]  # among the tensors
        self.operation, self.fields, self.fake = operation, fields, fake


class Kind:
    """Calls of a kernel that differ in nothing but the addresses and values of tensors. What they have in common is made once, of the
    arguments of the first, after autocast to dtype (None: without), and of what make(*arguments) makes of them: it takes longer than the
    rest of a call."""

    def __init__(self, kernel, arguments, make, dtype):
        cast = cast_tensors(arguments, kernel.tensors, dtype)
        self._dtype, self._casts = dtype, [n for n, i in enumerate(kernel.tensors) if cast[i] is not arguments[i]]
        arguments = make(*cast)
        results = kernel.fake(*arguments)
        self._single = isinstance(results, torch.Tensor)
        results = (results,) if self._single else results
        self._results = [(tuple(each.shape), each.stride(), each.dtype) for each in results]
        self.arguments = shapes_of_tensors(arguments, kernel.tensors)
        self._channels_last = arguments[-1]
        tensors = [arguments[i] for i in kernel.tensors]
        self._inputs = [None if i is None or tensors[i] is None else i for i in kernel.inputs]
        given = [i for i in self._inputs if i is not None]
        self._scattered = [i for i in given if not is_packed(tensors[i], self._channels_last)]
        first = tensors[given[0]]
        self._cuda = first.device.index if first.is_cuda else None
        self._empty = _allocator(first.device.type)
        self._plan = self._workspace = None
        if any(each.numel() > 0 for each in results) and all(tensors[i].numel() > 0 for i in given):
            self._plan = _plan(first.device.type, first.device.index, kernel.operation, dtype=DTYPES[first.dtype],
                               **kernel.fields(*arguments))
            if self._plan.workspace_bytes:
                self._workspace = (self._plan.workspace_bytes,), (1,), torch.uint8

    def cast(self, tensors):
        """Those of a call, as autocast leaves them."""
        if self._casts:
            tensors = list(tensors)
            for i in self._casts:
                tensors[i] = tensors[i].to(self._dtype)
        return tensors

    def __call__(self, tensors):
        """Queues a call on the current stream; returns its results. Of inputs without elements they are zeros."""
        if self._cuda is not None and self._cuda != torch._C._cuda_getDevice():
            with torch.cuda.device(self._cuda):
                return self(tensors)
        empty = self._empty
        results = [empty(*each) for each in self._results]
        if self._plan is None:
            for each in results:
                each.zero_()
        else:
            if self._scattered:
                tensors = list(tensors)
                for i in self._scattered:
                    tensors[i] = packed(tensors[i], self._channels_last)
            self._run(tensors, results)
        return results[0] if self._single else tuple(results)

    def _run(self, tensors, results):
        addresses, copies = [], []
        for i in self._inputs:
            address = 0 if i is None else tensors[i].data_ptr()
            if address % ALIGNMENT:
                copies.append(tensors[i].clone(memory_format=torch.preserve_format))
                address = copies[-1].data_ptr()
            addresses.append(address)
        for each in results:
            addresses.append(each.data_ptr())  # 0 of those without elements
        workspace = None
        if self._workspace:
            memory = self._empty(*self._workspace)
            workspace = memory.data_ptr()
        self._plan.run(addresses, workspace, None if self._cuda is None else torch._C._cuda_getCurrentRawStream(self._cuda))


def spatial_tuples(count, **values):
    """Of each value, a number or a sequence of 1 or count, a tuple of count."""
    tuples = []
    for name, value in values.items():
        each = (value,) * count if isinstance(value, int) else tuple(value)
        each = each * count if len(each) == 1 else each
        check(len(each) == count, f"{name} must be a number or {count} of them", f"is {value}", "give one per spatial dimension")
        tuples.append(each)
    return tuples


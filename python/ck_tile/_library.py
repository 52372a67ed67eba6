# SPDX-License-Identifier: MIT
"""libck_tile by ctypes. Nothing else in the package calls it."""

import ctypes
import os
import struct
from collections import namedtuple
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path

API_VERSION = 1
STATUS = ("success", "invalid", "no device", "unsupported", "no memory", "failed")
INPUT, RESULT, ABSENT = range(3)


class Error(RuntimeError):
    """What the library refuses: rule, value, fix. `status` is one of STATUS."""

    def __init__(self, reason, status="invalid"):
        super().__init__(reason)
        self.status = status


class _Tensor(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_char_p), ("role", c_int), ("optional", c_int), ("rank", c_int),
                ("lengths", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("bytes", c_int64)]


# lengths and strides (in elements) in the order of memory, slowest dimension first; role is INPUT, RESULT or ABSENT.
Tensor = namedtuple("Tensor", "name dtype role optional lengths strides bytes")

# Of functions that return a status: their arguments.
CHECKED = {
    "device_open": [c_char_p, POINTER(c_void_p)],
    "device_synchronize": [c_void_p, c_void_p],
    "problem_create": [c_char_p, POINTER(c_void_p)],
    "problem_set_int": [c_void_p, c_char_p, c_int64],
    "problem_set_ints": [c_void_p, c_char_p, POINTER(c_int64), c_int],
    "problem_set_real": [c_void_p, c_char_p, c_double],
    "problem_set_text": [c_void_p, c_char_p, c_char_p],
    "problem_tensor_count": [c_void_p, POINTER(c_int)],
    "problem_tensor": [c_void_p, c_int, POINTER(_Tensor)],
    "plan_create": [c_void_p, c_void_p, c_void_p, POINTER(c_void_p)],
    "run": [c_void_p, c_void_p, c_void_p, c_int, c_void_p],
}
# Of the others: what they return, then their arguments.
PLAIN = {
    "api_version": (c_int, []),
    "version": (c_char_p, []),
    "targets": (c_char_p, []),
    "last_error": (c_char_p, []),
    "device_close": (None, [c_void_p]),
    "device_name": (c_char_p, [c_void_p]),
    "operation_count": (c_int, []),
    "operation_name": (c_char_p, [c_int]),
    "problem_destroy": (None, [c_void_p]),
    "plan_destroy": (None, [c_void_p]),
    "plan_workspace_bytes": (c_size_t, [c_void_p]),
    "plan_instances": (c_char_p, [c_void_p]),
}


def _load():
    """The library of the package, or the one that CK_TILE_LIBRARY names."""
    file = os.environ.get("CK_TILE_LIBRARY") or Path(__file__).with_name("libck_tile.so.1")
    try:
        library = ctypes.CDLL(str(file))
    except OSError as error:
        raise ImportError(f"ck_tile needs its library, but {error}: install the package by pip, or set CK_TILE_LIBRARY to a "
                          "libck_tile.so") from error
    for name, arguments in CHECKED.items():
        function = getattr(library, "ck_tile_" + name)
        function.restype, function.argtypes = c_int, arguments
    for name, (result, arguments) in PLAIN.items():
        function = getattr(library, "ck_tile_" + name)
        function.restype, function.argtypes = result, arguments
    if library.ck_tile_api_version() < API_VERSION:
        raise ImportError(f"ck_tile needs version {API_VERSION} of the library's API, but {file} has "
                          f"{library.ck_tile_api_version()}: build both from the same sources")
    return library


_LIBRARY = _load()
_RUN = _LIBRARY.ck_tile_run


def _check(status):
    if status:
        raise Error(_LIBRARY.ck_tile_last_error().decode(), STATUS[status])


def version():
    """The library's release, "0.1.0"."""
    return _LIBRARY.ck_tile_version().decode()


def targets():
    """The targets that the library was built for: ["host:gfx942", "sm90"]."""
    return _LIBRARY.ck_tile_targets().decode().split(", ")


def host_target():
    """Where the CPU's memory is computed on: what CK_TILE_HOST names, else host:gfx942, else the first of the library's; or None."""
    hosts = [target for target in targets() if target.startswith("host:")]
    return os.environ.get("CK_TILE_HOST") or next((target for target in hosts if target == "host:gfx942"), hosts[0] if hosts else None)


def operations():
    """The operations that it has: ["groupnorm_fwd", ...]."""
    return [_LIBRARY.ck_tile_operation_name(i).decode() for i in range(_LIBRARY.ck_tile_operation_count())]


class Device:
    """Where plans run: "cuda:0", "hip:0", "host:gfx942", "auto"."""

    def __init__(self, name):
        self._handle = c_void_p()
        _check(_LIBRARY.ck_tile_device_open(name.encode(), byref(self._handle)))
        self.name = _LIBRARY.ck_tile_device_name(self._handle).decode()

    def __del__(self, close=_LIBRARY.ck_tile_device_close):  # modules may be gone
        close(self._handle)

    def synchronize(self, stream=None):
        """Waits for what is queued on a native stream, None the default one."""
        _check(_LIBRARY.ck_tile_device_synchronize(self._handle, stream))


class _Problem:
    """A problem by its fields: numbers, sequences of numbers, texts and flags."""

    def __init__(self, operation, fields):
        self.handle = c_void_p()
        _check(_LIBRARY.ck_tile_problem_create(operation.encode(), byref(self.handle)))
        for name, value in fields.items():
            self._set(name.encode(), value)

    def __del__(self, destroy=_LIBRARY.ck_tile_problem_destroy):  # modules may be gone
        destroy(self.handle)

    def _set(self, name, value):
        if isinstance(value, str):
            _check(_LIBRARY.ck_tile_problem_set_text(self.handle, name, value.encode()))
        elif isinstance(value, float):
            _check(_LIBRARY.ck_tile_problem_set_real(self.handle, name, value))
        elif isinstance(value, int):
            _check(_LIBRARY.ck_tile_problem_set_int(self.handle, name, value))
        else:
            _check(_LIBRARY.ck_tile_problem_set_ints(self.handle, name, (c_int64 * len(value))(*value), len(value)))

    def tensors(self):
        count, each, found = c_int(), _Tensor(), []
        _check(_LIBRARY.ck_tile_problem_tensor_count(self.handle, byref(count)))
        for i in range(count.value):
            _check(_LIBRARY.ck_tile_problem_tensor(self.handle, i, byref(each)))
            found.append(Tensor(each.name.decode(), each.dtype.decode(), each.role, bool(each.optional),
                                      tuple(each.lengths[:each.rank]), tuple(each.strides[:each.rank]), each.bytes))
        return found


def tensors_of(operation, **fields):
    """The tensors of a problem, in the order in which a plan's run takes their addresses."""
    return _Problem(operation, fields).tensors()


class Plan:
    """How a device computes a problem. Runs may overlap, from several threads too."""

    def __init__(self, device, operation, **fields):
        problem = _Problem(operation, fields)
        self.tensors = problem.tensors()
        self._handle = c_void_p()
        _check(_LIBRARY.ck_tile_plan_create(device._handle, problem.handle, None, byref(self._handle)))
        self._address = self._handle.value
        self._count = len(self.tensors)
        self._pack = struct.Struct(f"{self._count}P").pack  # half the time of an array of ctypes
        self.workspace_bytes = _LIBRARY.ck_tile_plan_workspace_bytes(self._handle)
        self.instances = _LIBRARY.ck_tile_plan_instances(self._handle).decode()

    def __del__(self, destroy=_LIBRARY.ck_tile_plan_destroy):  # modules may be gone
        destroy(getattr(self, "_handle", None))

    def run(self, addresses, workspace=None, stream=None):
        """Queues the kernels on a native stream: addresses of all tensors, 0 or None of absent ones, and of workspace_bytes."""
        try:
            packed = self._pack(*addresses)
        except struct.error:
            if len(addresses) != self._count:
                raise Error(f"a run must have the addresses of {self._count} tensors, but has {len(addresses)}: pass None for absent "
                            "ones") from None
            packed = self._pack(*[each or 0 for each in addresses])
        status = _RUN(self._address, stream, packed, self._count, workspace)
        if status:
            _check(status)

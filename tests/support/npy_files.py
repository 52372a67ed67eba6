# SPDX-License-Identifier: MIT
"""Reads and writes .npy files without NumPy, for tests of programs."""

import struct

ELEMENTS = {"<f2": "e", "<f4": "f", "|u1": "B", "<i4": "i", "<i8": "q"}


def write_npy(path, descr, shape, data):
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def read_npy(path):
    """The shape and the values of an array."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<H", content, 8)
    header = eval(content[10 : 10 + length], {"__builtins__": {}})  # pylint: disable=eval-used
    element = ELEMENTS[header["descr"]]
    data = content[10 + length :]
    return header["shape"], list(struct.unpack(f"<{len(data) // struct.calcsize(element)}{element}", data))

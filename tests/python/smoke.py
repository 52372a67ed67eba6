# SPDX-License-Identifier: MIT
"""Whether an installed ck_tile works, without PyTorch: a group normalisation on the CPU."""

import ctypes
import math

import ck_tile

device = ck_tile.Device(ck_tile.host_target())
plan = ck_tile.Plan(device, "groupnorm_fwd", N=1, image=[8, 8], G=2, C=8, dtype="fp32")
memory = [ctypes.create_string_buffer(each.bytes + 16) for each in plan.tensors]
addresses = [(ctypes.addressof(each) + 15) // 16 * 16 for each in memory]
x = (ctypes.c_float * 1024).from_address(addresses[0])
x[:] = [i % 37 for i in range(1024)]
workspace = ctypes.create_string_buffer(plan.workspace_bytes + 16)
absent = [each.optional for each in plan.tensors]
plan.run([None if none else address for address, none in zip(addresses, absent)], (ctypes.addressof(workspace) + 15) // 16 * 16)
y = (ctypes.c_float * 1024).from_address(addresses[3])
assert math.isclose(sum(each * each for each in y) / 1024, 1, rel_tol=1e-3), "the variance must be 1"
try:
    ck_tile.Plan(device, "groupnorm_fwd", N=1, image=[8, 8], G=0, C=8, dtype="fp32")
    raise AssertionError("no groups must be rejected")
except ck_tile.Error as error:
    assert error.status == "invalid", error
print(f"ck_tile {ck_tile.version()} on {device.name}: {plan.instances}")

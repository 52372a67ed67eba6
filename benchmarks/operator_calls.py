#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a call of an operator takes on the CPU, here and in PyTorch, on a GPU that has next to nothing to do.

    benchmarks/operator_calls.py [--calls 2000]

Microseconds a call, of many in a row: forward without gradients, forward with, and backward of that; and, of the library's, what its
plan takes of the first, which queues the kernels. Least of five rounds. The last line is what PyTorch takes of each call with a gradient
that Python defines: of an autograd function that does nothing.
"""

import argparse
import time

import torch
from torch.nn import functional

import ck_tile
import ck_tile.torch as ours
from ck_tile._library import ABSENT

ROUNDS = 5


def microseconds(work, calls):
    best = float("inf")
    for _ in range(ROUNDS):
        for _ in range(20):
            work()
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, time.perf_counter() - began)  # what is queued at the end is not waited for
        torch.cuda.synchronize()
    return best / calls * 1e6


def plan_alone(operation, calls, **fields):
    """Microseconds of a run of a plan on the default stream."""
    plan = ck_tile.Plan(ck_tile.Device("cuda:0"), operation, dtype="bf16", **fields)
    memory = [torch.zeros(max(each.bytes, 16), dtype=torch.uint8, device="cuda") for each in plan.tensors]
    workspace = torch.empty(max(plan.workspace_bytes, 16), dtype=torch.uint8, device="cuda")
    addresses = [0 if each.role == ABSENT else some.data_ptr() for each, some in zip(plan.tensors, memory)]
    return microseconds(lambda: plan.run(addresses, workspace.data_ptr()), calls)


def measure(name, theirs, mine, inputs, calls, operation, **fields):
    given = [each.requires_grad_() for each in inputs]
    line = f"{name:12}"
    for one in (theirs, mine):
        with torch.no_grad():
            alone = microseconds(lambda: one(*given), calls)
        forward = microseconds(lambda: one(*given), calls)
        y = one(*given)
        dy = torch.ones_like(y)
        backward = microseconds(lambda: torch.autograd.grad(y, given, dy, retain_graph=True), calls)
        line += f"  {alone:8.1f} {forward:8.1f} {backward:8.1f}"
    print(f"{line}  {plan_alone(operation, calls, N=2, **fields):8.1f}")


class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.detach()

    @staticmethod
    def backward(ctx, dy):
        return dy


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    calls = parser.parse_args().calls
    torch.backends.cudnn.benchmark = True
    half = {"device": "cuda", "dtype": torch.bfloat16}
    x = torch.randn(2, 64, 8, 8, **half).to(memory_format=torch.channels_last)
    weight = torch.randn(64, 64, 3, 3, **half).to(memory_format=torch.channels_last)
    scale, shift = torch.randn(64, **half), torch.randn(64, **half)
    print(f"{'':12}  {'PyTorch: forward, with gradient, backward':26}  ck_tile: the same, forward's plan alone")
    window = {"C": 64, "input": (8, 8), "window": (2, 2), "strides": (2, 2), "left_pads": (0, 0), "right_pads": (0, 0), "layout": "nhwc"}
    measure("conv2d", lambda a, w: functional.conv2d(a, w, padding=1), lambda a, w: ours.conv2d(a, w, padding=1), [x, weight], calls,
            "grouped_conv_fwd", ndim=2, G=1, K=64, C=64, filter=(3, 3), input=(8, 8), strides=(1, 1), dilations=(1, 1),
            left_pads=(1, 1), right_pads=(1, 1), layout="nhwgc")
    measure("group_norm", lambda a, w, b: functional.group_norm(a, 8, w, b), lambda a, w, b: ours.group_norm(a, 8, w, b),
            [x.detach().clone(), scale, shift], calls, "groupnorm_fwd", image=(8, 8), G=8, C=8, layout="nhwgc")
    measure("max_pool2d", lambda a: functional.max_pool2d(a, 2), lambda a: ours.max_pool2d(a, 2), [x.detach().clone()], calls,
            "maxpool_fwd", dilations=(1, 1), indices="u8", **window)
    measure("avg_pool2d", lambda a: functional.avg_pool2d(a, 2), lambda a: ours.avg_pool2d(a, 2), [x.detach().clone()], calls,
            "avgpool_fwd", **window)
    given = x.detach().requires_grad_()
    y, dy = Nothing.apply(given), torch.ones_like(given)
    print(f"an autograd function that does nothing: {microseconds(lambda: Nothing.apply(given), calls):.1f}, "
          f"{microseconds(lambda: torch.autograd.grad(y, given, dy, retain_graph=True), calls):.1f}")


if __name__ == "__main__":
    main()

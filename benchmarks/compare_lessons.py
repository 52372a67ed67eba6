#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the lessons and what a PyTorch user would call instead, on the same GPU, in one go.

    benchmarks/compare_lessons.py --programs build/bin [--device cuda]

Medians of 20 with the same values on both sides, as a GPU's clock depends on them. A ratio is PyTorch's time over ours; for
kernels that memory bounds, the device's copy of as many bytes over ours.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import torch
from compare_with_pytorch import median_ms
from torch.nn.attention import SDPBackend, sdpa_kernel

HALF = {"device": "cuda", "dtype": torch.float16}


def pattern(period, *shape):
    count = 1
    for n in shape:
        count *= n
    return (torch.arange(count, device="cuda") % period - period // 2).to(torch.float16).reshape(shape)


def copy_ms(elements):
    x = torch.empty(elements, **HALF)
    y = torch.empty_like(x)
    return median_ms(lambda _: y.copy_(x))


def layer(size, epilogue):
    a, b, bias = pattern(7, size, size), pattern(5, size, size), pattern(9, size)
    if epilogue:
        return median_ms(lambda _: torch._addmm_activation(bias, a, b.t()))  # cuBLASLt's epilogue
    return median_ms(lambda _: a @ b.t())


def attention_ms(heads, tokens):
    q, k, v = (pattern(period, 1, heads, tokens, 128) * 0.05 for period in (41, 43, 37))
    times = {}
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
        try:
            with sdpa_kernel(backend):
                times[backend.name] = median_ms(lambda _: torch.nn.functional.scaled_dot_product_attention(q, k, v))
        except RuntimeError as error:
            print(f"{backend.name}: {error}", file=sys.stderr)
    print("attention:", {name: round(ms, 4) for name, ms in times.items()})
    return min(times.values())


LESSONS = [  # program, its sizes, what is beside it, its milliseconds
    ("copy", (2**28,), "copy", lambda: copy_ms(2**28)),
    ("softmax", (8192, 8192), "copy", lambda: copy_ms(2**26)),
    ("transpose", (8192, 8192), "copy", lambda: copy_ms(2**26)),
    ("stencil", (8191, 8193), "copy", lambda: copy_ms(2**27)),  # as many bytes, of fp32
    ("gemm_pipelined", (4096,) * 3, "cuBLAS", lambda: layer(4096, False)),
    ("gemm_bias_activation", (4096,) * 3, "cuBLASLt with epilogue", lambda: layer(4096, True)),
    ("attention", (16, 4096), "PyTorch's fastest SDPA", lambda: attention_ms(16, 4096)),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True, help="folder of the lessons' programs")
    parser.add_argument("--device", default="cuda", help="as the lessons name it: cuda or hip (default: cuda)")
    options = parser.parse_args()
    print("| lesson | sizes | ms | beside it | ms | ratio |\n|---|---|---|---|---|---|")
    for program, sizes, beside, measure in LESSONS:
        command = [options.programs / f"tutorial_{program}", options.device, *map(str, sizes)]
        run = subprocess.run(command, capture_output=True, text=True)
        said = run.stdout.strip().splitlines()[-1:]
        found = re.search(r"([0-9.]+) ms", said[0] if said else "")
        if run.returncode != 0 or not found:
            sys.exit(f"{program}: {run.stdout}{run.stderr}")
        own, other = float(found[1]), measure()
        print(f"| {program} | {' x '.join(map(str, sizes))} | {own:.4f} | {beside} | {other:.4f} | {other / own:.2f} |",
              flush=True)


if __name__ == "__main__":
    main()

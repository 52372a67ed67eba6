#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what compiling costs: the umbrella header, and six fp16 kernels of grouped convolution backward weight.

    benchmarks/compile_time.py [--compiler clang++-22] [--jobs N] [--repeats N] [--kernels NAME...]

The six kernels are 1-D, 2-D and 3-D, each with aligned vectors and with vectors of one element, for gfx942, with a
128x128x32 block tile and double buffering: device only, one source each. Prints seconds: the best of the repeats.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEVICE = ["-x", "hip", "--offload-arch=gfx942", "-nogpulib", "-nogpuinc", "-include", "cstdlib", "--cuda-device-only",
          "--no-gpu-bundle-output", "-c"]
KERNELS = {f"{kind}_{spatial}d": (spatial, *rest) for spatial in (1, 2, 3) for kind, rest in {
    "aligned": ("1, 2", "mfma_16x16x16_fp16", 8),
    "general": ("2, 2", "mfma_32x32x8_fp16", 1),
}.items()}


def source_of(name):
    spatial, waves, instruction, vector = KERNELS[name]
    return f"""#include "ops/grouped_conv_bwd_weight/kernel.hpp"
namespace ck_tile::grouped_conv_bwd_weight
{{
inline constexpr config configuration = {{
    .arch = architecture::gfx942, .spatial = {spatial},
    .tile = {{.block = {{128, 128, 32}}, .waves = {{{waves}}}, .instruction = opcode::{instruction},
              .pipeline = gemm::pipeline::double_buffer, .stages = 2}},
    .split = split_k::any_split, .vector = {{{vector}, {vector}, {vector}}}}};
}}
CK_TILE_KERNEL({name}, ck_tile::grouped_conv_bwd_weight::program<ck_tile::grouped_conv_bwd_weight::configuration>)
"""


def best(repeats, work):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "clang++-22"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilations at the same time")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=list(KERNELS), help="only these")
    arguments = parser.parse_args()
    common = [arguments.compiler, "-std=c++20", "-O3", f"-I{ROOT}"]

    with tempfile.TemporaryDirectory() as folder:
        def compile_source(name, text, options):
            path = Path(folder) / f"{name}.cpp"
            path.write_text(text)
            subprocess.run([*common, *options, path, "-o", path.with_suffix(".o")], check=True)

        umbrella = '#include "ck_tile/ck_tile.hpp"\n'
        parse = best(arguments.repeats, lambda: compile_source("umbrella", umbrella, ["-fsyntax-only"]))
        print(f"{'umbrella header, parsed':<34} {parse:6.2f} s", flush=True)
        for name in arguments.kernels:
            seconds = best(arguments.repeats, lambda name=name: compile_source(name, source_of(name), DEVICE))
            print(f"{name:<34} {seconds:6.2f} s", flush=True)

        def all_of_them():
            with ThreadPoolExecutor(arguments.jobs) as pool:
                list(pool.map(lambda name: compile_source(name, source_of(name), DEVICE), arguments.kernels))

        print(f"{f'all of them, {arguments.jobs} at a time':<34} {best(arguments.repeats, all_of_them):6.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

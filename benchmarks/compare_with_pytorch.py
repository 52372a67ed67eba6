#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the suite here and in PyTorch on the same GPU, in one go, and prints the ratios.

    benchmarks/compare_with_pytorch.py --program build/bin/benchmark_grouped_conv_bwd_weight [--output results.json]

PyTorch runs eagerly (with cuDNN's or MIOpen's benchmark mode) and through torch.compile. Both sides take the median of 20
runs with cold caches: inputs are rotated among copies of 512 MB and more. The ceilings, a device-to-device copy and a large
matrix product by PyTorch, are measured in the same run. A ratio is PyTorch's best time over ours: above 1, ours is faster.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

COLD_BYTES = 512e6
TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}


def median_ms(work, repeats=20, warm_up=5):
    """The median of `repeats` runs of work(i), timed by events."""
    for i in range(warm_up):
        work(i)
    times = []
    for i in range(repeats):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work(i)
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


def ceilings():
    source = torch.empty(2**30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    copy = 2 * source.numel() / median_ms(lambda i: target.copy_(source)) / 1e6
    found = {"copy_gb_per_s": copy}
    for name in ("fp16", "bf16"):
        a, b = (torch.randn(8192, 8192, device="cuda", dtype=TYPES[name]) for _ in range(2))
        found[f"{name}_tflops"] = 2 * 8192**3 / median_ms(lambda i: a @ b) / 1e9
    return found


def weight_gradient(row, dtype):
    """A function of the turn that computes the row's weight gradient, on inputs that rotate."""
    spatial = len(row["filter"])
    channels_last = row["layout"] != "ngchw"
    right = row.get("right_pad", row["pad"])
    c, k = row["c"] * row["groups"], row["k"] * row["groups"]
    # PyTorch pads both sides alike: an uneven padding is made part of the input's left side, as a user would.
    even = right == row["pad"]
    length = row["input"] if even else [n + left + r for n, left, r in zip(row["input"], row["pad"], right)]
    padding = row["pad"] if even else [0] * spatial
    output = [(n + 2 * p - f) // s + 1 for n, p, f, s in zip(length, padding, row["filter"], row["stride"])]

    def tensor(*lengths):
        x = torch.randn(*lengths, device="cuda", dtype=TYPES[dtype])
        if channels_last and spatial > 1:
            return x.contiguous(memory_format=torch.channels_last if spatial == 2 else torch.channels_last_3d)
        return x

    weight = tensor(k, row["c"], *row["filter"])
    inputs = []
    while True:
        inputs.append((tensor(row["batch"], c, *length), tensor(row["batch"], k, *output)))
        if len(inputs) * sum(t.numel() * t.element_size() for t in inputs[0]) > COLD_BYTES and len(inputs) > 1:
            break

    def gradient(x, dy):
        return torch.ops.aten.convolution_backward(dy, x, weight, None, row["stride"], padding, [1] * spatial, False,
                                                   [0] * spatial, row["groups"], [False, True, False])[1]

    return gradient, inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=Path, help="benchmark_grouped_conv_bwd_weight")
    parser.add_argument("--suite", type=Path, default=Path(__file__).with_name("suite.json"))
    parser.add_argument("--target", default="auto")
    parser.add_argument("--rows", default="", help="comma-separated; default: all")
    parser.add_argument("--dtypes", default="fp16,bf16")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--output", type=Path, help="file for ceilings, versions and rows as JSON")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "ours.jsonl"
        options = ["--rows", given.rows] if given.rows else []
        done = subprocess.run([given.program.resolve(), given.suite, "--target", given.target, "--dtypes", given.dtypes, "--json",
                               lines, *options], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            return done.returncode
        ours = [json.loads(line) for line in lines.read_text().splitlines()]

    torch.backends.cudnn.benchmark = True
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__,
              "cudnn": torch.backends.cudnn.version(), "ceilings": ceilings(), "rows": []}
    rows = {row["row"]: row for row in json.loads(given.suite.read_text())["grouped_conv_bwd_weight"]}
    print(f"{result['device']}, PyTorch {result['torch']}, cuDNN {result['cudnn']}; "
          + ", ".join(f"{name} {value:.0f}" for name, value in result["ceilings"].items()))
    print(f"{'row':<8} {'layer':<26} {'type':<5} {'ms':>8} {'TFLOP/s':>8} {'% peak':>7} {'floor GB/s':>10} {'% copy':>7} "
          f"{'eager ms':>9} {'compile':>8} {'ratio':>6}")
    for own in ours:
        gradient, inputs = weight_gradient(rows[own["row"]], own["dtype"])
        eager = median_ms(lambda i: gradient(*inputs[i % len(inputs)]))
        compiled = None
        if not given.no_compile:
            try:
                fast = torch.compile(gradient)
                compiled = median_ms(lambda i: fast(*inputs[i % len(inputs)]))
            except Exception as error:  # the compiler's failure is a result too
                print(f"torch.compile: {type(error).__name__}", file=sys.stderr)
        best = min(t for t in (eager, compiled) if t is not None)
        own |= {"eager_ms": eager, "compile_ms": compiled, "ratio": best / own["ms"],
                "of_peak": own["tflops"] / result["ceilings"].get(f"{own['dtype']}_tflops", float("inf")),
                "of_copy": own["floor_gb_per_s"] / result["ceilings"]["copy_gb_per_s"]}
        result["rows"].append(own)
        print(f"{own['row']:<8} {own['name']:<26} {own['dtype']:<5} {own['ms']:>8.4f} {own['tflops']:>8.1f} "
              f"{own['of_peak']:>7.1%} {own['floor_gb_per_s']:>10.0f} {own['of_copy']:>7.1%} {eager:>9.4f} "
              f"{'-' if compiled is None else f'{compiled:.4f}':>8} {own['ratio']:>6.2f}", flush=True)
        del gradient, inputs
        torch.cuda.empty_cache()
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the suite here and in PyTorch on the same GPU, in one go, and prints the ratios.

    benchmarks/compare_with_pytorch.py --profiler build/bin/ck_tile_profiler [--operations grouped_conv_fwd ...] [--output results.json]

PyTorch runs eagerly (with cuDNN's or MIOpen's benchmark mode) and through torch.compile. Both sides take the median of 20
runs with cold caches: inputs are rotated among copies of 512 MB and more; and of a device that rests for a tenth of a second before, as
one that has been busy lowers its clocks for a while, by a fifth and more, to stay within its power. The ceilings, a device-to-device copy and a large
matrix product by PyTorch, are measured in the same run, and for each row a copy that moves the bytes of its floor. A ratio is
PyTorch's best time over ours: above 1, ours is faster. In fp32 PyTorch convolves in TF32 unless it is told not to, and ours is
fp32: the ratio is to PyTorch in fp32, and the one to TF32 is said beside it.
"""

import argparse
import functools
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

COLD_BYTES = 512e6
REST_SECONDS = 0.1
TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}


def median_ms(work, repeats=20, warm_up=5):
    """The median of `repeats` runs of work(i), timed by events, of a device that has rested."""
    for i in range(warm_up):
        work(i)
    torch.cuda.synchronize()
    rested = time.perf_counter() + REST_SECONDS
    while time.perf_counter() < rested:  # a CPU that slept would queue so slowly for a while that the device waited for it
        pass
    times = []
    for i in range(repeats):
        work(i)  # two runs that are not timed keep the device busy while the timed one is queued
        work(i + 1)
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work(i + 2)
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


def rotated(make):
    """Inputs made anew, so many that no cache holds them."""
    inputs = []
    while True:
        inputs.append(make())
        if len(inputs) * sum(t.numel() * t.element_size() for t in inputs[0]) > COLD_BYTES and len(inputs) > 1:
            return inputs


def convolution(row, dtype, direction):
    """A function of the turn that computes the row in one direction, on inputs that rotate."""
    spatial, groups = row["ndim"], row["G"]
    channels_last = row["layout"] != "ngchw"
    left, right = row["left_pads"], row["right_pads"]
    c, k = row["C"] * groups, row["K"] * groups
    # PyTorch pads both sides alike: an uneven padding is made part of the input's left side, as a user would.
    even = right == left
    length = row["input"] if even else [n + before + after for n, before, after in zip(row["input"], left, right)]
    padding = left if even else [0] * spatial
    window = row["strides"], padding, row["dilations"], False, [0] * spatial, groups
    output = [(n + 2 * p - (f - 1) * d - 1) // s + 1
              for n, p, f, s, d in zip(length, padding, row["filter"], row["strides"], row["dilations"])]

    def tensor(*lengths):
        x = torch.randn(*lengths, device="cuda", dtype=TYPES[dtype])
        if channels_last and spatial > 1:
            return x.contiguous(memory_format=torch.channels_last if spatial == 2 else torch.channels_last_3d)
        return x

    def image():
        return tensor(row["N"], c, *length)

    def gradient():
        return tensor(row["N"], k, *output)

    weight = tensor(k, row["C"], *row["filter"])
    if direction == "forward":
        return lambda x: torch.ops.aten.convolution(x, weight, None, *window), rotated(lambda: (image(),))
    if direction == "backward data":
        like = image()
        return (lambda dy: torch.ops.aten.convolution_backward(dy, like, weight, None, *window, [True, False, False])[0],
                rotated(lambda: (gradient(),)))
    return (lambda x, dy: torch.ops.aten.convolution_backward(dy, x, weight, None, *window, [False, True, False])[1],
            rotated(lambda: (image(), gradient())))


def two_convolutions(row, dtype):
    """The same for a grouped convolution, an activation and a 1x1 convolution, each with its bias where the row has one."""
    order = torch.channels_last if row["layout"] == "nhwgc" else torch.contiguous_format
    activation = {"none": lambda x: x, "relu": torch.relu, "relu6": torch.nn.functional.relu6,
                  "silu": torch.nn.functional.silu}[row.get("activation", "none")]
    groups, channels = row["G"], row["G"] * row["K0"]

    def tensor(*lengths):
        x = torch.randn(*lengths, device="cuda", dtype=TYPES[dtype])
        return x.contiguous(memory_format=order) if len(lengths) == 4 else x

    wei0, wei1 = tensor(channels, row["C"], *row["filter"]), tensor(row["K1"], channels, 1, 1)
    bias0, bias1 = (tensor(channels), tensor(row["K1"])) if row.get("bias") else (None, None)

    def forward(x):
        between = torch.nn.functional.conv2d(x, wei0, bias0, row["strides"], row["left_pads"], row["dilations"], groups)
        return torch.nn.functional.conv2d(activation(between), wei1, bias1)

    return forward, rotated(lambda: (tensor(row["N"], groups * row["C"], *row["input"]),))


def groupnorm_gradients(row, dtype):
    """A function of the turn that computes the row's gradients of input, gamma and beta. PyTorch's own backward pass makes
    channels-last inputs contiguous first, and so does this."""
    n, groups, c, pixels = row["N"], row["G"], row["C"] * row["G"], math.prod(row["image"])
    order = torch.channels_last if row["layout"] == "nhwgc" else torch.contiguous_format

    def tensor(*lengths):
        return torch.randn(*lengths, device="cuda", dtype=TYPES[dtype])

    gamma, mean, inv_std = tensor(c), tensor(n, groups), tensor(n, groups).abs()

    def gradients(x, dy):
        return torch.ops.aten.native_group_norm_backward(dy.contiguous(), x.contiguous(), mean, inv_std, gamma, n, c, pixels,
                                                         groups, [True, True, True])

    def image():
        return tensor(n, c, *row["image"]).contiguous(memory_format=order)

    return gradients, rotated(lambda: (image(), image()))


def windows_of(row):
    """A pooling's windows as PyTorch's operators take them; padding on the right that differs from the left it does not have."""
    return row["window"], row["strides"], row["left_pads"], row["dilations"], row.get("ceil", False)


def max_pool_gradient(row, dtype):
    """The same for the gradient of a max-pooling, with the int64 indices that PyTorch keeps."""
    windows = windows_of(row)
    order = torch.channels_last if row["layout"] == "nhwc" else torch.contiguous_format
    x = torch.randn(row["N"], row["C"], *row["input"], device="cuda", dtype=TYPES[dtype])
    x = x.contiguous(memory_format=order)

    def make_inputs():
        y, indices = torch.ops.aten.max_pool2d_with_indices(x, *windows)
        return torch.randn_like(y), indices

    def gradient(dy, indices):
        return torch.ops.aten.max_pool2d_with_indices_backward(dy, x, *windows, indices)

    return gradient, rotated(make_inputs)


def groupnorm_forward(row, dtype):
    """The same for the normalisation, with the mean and inv_std that PyTorch keeps; torch.nn's too makes inputs contiguous first."""
    n, groups, c, pixels = row["N"], row["G"], row["C"] * row["G"], math.prod(row["image"])
    order = torch.channels_last if row["layout"] == "nhwgc" else torch.contiguous_format
    gamma, beta = (torch.randn(c, device="cuda", dtype=TYPES[dtype]) for _ in range(2))

    def forward(x):
        return torch.ops.aten.native_group_norm(x.contiguous(), gamma, beta, n, c, pixels, groups, 1e-5)

    def image():
        x = torch.randn(n, c, *row["image"], device="cuda", dtype=TYPES[dtype])
        return (x.contiguous(memory_format=order),)

    return forward, rotated(image)


def max_pool_forward(row, dtype):
    """The same for the pooling and its indices."""
    order = torch.channels_last if row["layout"] == "nhwc" else torch.contiguous_format

    def forward(x):
        return torch.ops.aten.max_pool2d_with_indices(x, *windows_of(row))

    def image():
        x = torch.randn(row["N"], row["C"], *row["input"], device="cuda", dtype=TYPES[dtype])
        return (x.contiguous(memory_format=order),)

    return forward, rotated(image)


def average_of(row):
    """An average pooling's windows and divisor as PyTorch's operators take them."""
    window, strides, pads, _, ceil = windows_of({**row, "dilations": None})
    return window, strides, pads, ceil, row.get("count_include_pad", True), row.get("divisor_override") or None


def average_pool_gradient(row, dtype):
    """The same for the gradient of an average pooling, of which PyTorch sees the shape of x alone."""
    order = torch.channels_last if row["layout"] == "nhwc" else torch.contiguous_format
    x = torch.randn(row["N"], row["C"], *row["input"], device="cuda", dtype=TYPES[dtype]).contiguous(memory_format=order)

    def gradient(dy):
        return torch.ops.aten.avg_pool2d_backward(dy, x, *average_of(row))

    return gradient, rotated(lambda: (torch.randn_like(torch.ops.aten.avg_pool2d(x, *average_of(row))),))


def average_pool_forward(row, dtype):
    """The same for the pooling."""
    order = torch.channels_last if row["layout"] == "nhwc" else torch.contiguous_format

    def forward(x):
        return torch.ops.aten.avg_pool2d(x, *average_of(row))

    def image():
        x = torch.randn(row["N"], row["C"], *row["input"], device="cuda", dtype=TYPES[dtype])
        return (x.contiguous(memory_format=order),)

    return forward, rotated(image)


# For each operation, a function of (problem, type) that gives what PyTorch computes, and inputs for it that rotate.
PEERS = {"grouped_conv_bwd_weight": functools.partial(convolution, direction="backward weight"),
         "grouped_conv_bwd_data": functools.partial(convolution, direction="backward data"),
         "grouped_conv_fwd": functools.partial(convolution, direction="forward"),
         "grouped_conv_conv_fwd": two_convolutions, "groupnorm_bwd": groupnorm_gradients,
         "maxpool_bwd": max_pool_gradient, "groupnorm_fwd": groupnorm_forward, "maxpool_fwd": max_pool_forward,
         "avgpool_bwd": average_pool_gradient, "avgpool_fwd": average_pool_forward}


def copy_ms(floor_bytes):
    """The time of a copy that reads and writes as many bytes as a row's floor."""
    half = max(int(floor_bytes) // 2, 1)
    sources = [torch.empty(half, dtype=torch.uint8, device="cuda") for _ in range(int(COLD_BYTES / half) + 2)]
    target = torch.empty_like(sources[0])
    return median_ms(lambda i: target.copy_(sources[i % len(sources)]))


def times_of_pytorch(gradient, inputs, compiles):
    """Eager, and compiled or None."""
    eager = median_ms(lambda i: gradient(*inputs[i % len(inputs)]))
    if not compiles:
        return eager, None
    torch._dynamo.reset()  # or it would compile for the shapes of all rows at once, which runs slower
    try:
        fast = torch.compile(gradient)
        return eager, median_ms(lambda i: fast(*inputs[i % len(inputs)]))
    except Exception as error:  # the compiler's failure is a result too
        print(f"torch.compile: {type(error).__name__}", file=sys.stderr)
        return eager, None


def best_of(eager, compiled):
    return min(t for t in (eager, compiled) if t is not None)


def chosen_plans(given, operation):
    """What the profiler measures of the plan that is made for each row."""
    options = [*(["--rows", given.rows] if given.rows else []), *(["--dtype", given.dtypes] if given.dtypes else [])]
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile.json"
        done = subprocess.run([given.profiler.resolve(), operation, "0", "2", "1", "--suite", given.suite, "--target", given.target,
                               "--chosen", "--repeats", "20", "--json", profile, *options], stdout=subprocess.DEVNULL)
        problems = json.loads(profile.read_text())["problems"] if done.returncode == 0 else []
    return done, [{**{key: problem[key] for key in ("operation", "row", "name", "dtype", "floor_bytes", "flops")},
                   "ms": plan["timing"]["median_ms"], "tflops": plan["timing"]["tflops"],
                   "floor_gb_per_s": plan["timing"]["gb_per_s"], "instance": plan["instance"], "splits": plan["splits"]}
                  for problem in problems for plan in problem["measured"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiler", required=True, type=Path, help="ck_tile_profiler")
    parser.add_argument("--operations", nargs="+", default=["all"], help="default: all that the suite has")
    parser.add_argument("--suite", type=Path, default=Path(__file__).with_name("suite.json"))
    parser.add_argument("--target", default="auto")
    parser.add_argument("--rows", default="", help="comma-separated; default: all")
    parser.add_argument("--dtypes", default="", help="comma-separated; default: those of the row, else fp16 and bf16")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--output", type=Path, help="file for ceilings, versions and rows as JSON")
    given = parser.parse_args()

    ours = []
    for operation in given.operations:
        done, measured = chosen_plans(given, operation)
        if done.returncode != 0:
            return done.returncode
        ours += measured

    torch.backends.cudnn.benchmark = True
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__,
              "cudnn": torch.backends.cudnn.version(), "ceilings": ceilings(), "rows": []}
    rows = {(operation, row["row"]): row for operation, all_rows in json.loads(given.suite.read_text()).items() for row in all_rows}
    print(f"{result['device']}, PyTorch {result['torch']}, cuDNN {result['cudnn']}; "
          + ", ".join(f"{name} {value:.0f}" for name, value in result["ceilings"].items()))
    print(f"{'row':<22} {'layer':<26} {'type':<5} {'ms':>8} {'TFLOP/s':>8} {'% peak':>7} {'floor GB/s':>10} {'% copy':>7} "
          f"{'copy ms':>8} {'eager ms':>9} {'compile':>8} {'ratio':>6}")
    for own in ours:
        gradient, inputs = PEERS[own["operation"]](rows[own["operation"], own["row"]]["problem"], own["dtype"])
        beside = ""
        torch.backends.cudnn.allow_tf32 = True  # the default
        if own["dtype"] == "fp32":
            own["tf32_ratio"] = best_of(*times_of_pytorch(gradient, inputs, not given.no_compile)) / own["ms"]
            beside = f"  (TF32: {own['tf32_ratio']:.2f})"
            torch.backends.cudnn.allow_tf32 = False
        eager, compiled = times_of_pytorch(gradient, inputs, not given.no_compile)
        own |= {"eager_ms": eager, "compile_ms": compiled, "ratio": best_of(eager, compiled) / own["ms"], "copy_ms": copy_ms(own["floor_bytes"]),
                "of_peak": (own["tflops"] or 0) / result["ceilings"].get(f"{own['dtype']}_tflops", float("inf")),
                "of_copy": own["floor_gb_per_s"] / result["ceilings"]["copy_gb_per_s"]}
        result["rows"].append(own)
        print(f"{own['row']:<22} {own['name']:<26} {own['dtype']:<5} {own['ms']:>8.4f} {own['tflops'] or 0:>8.1f} "
              f"{own['of_peak']:>7.1%} {own['floor_gb_per_s']:>10.0f} {own['of_copy']:>7.1%} {own['copy_ms']:>8.4f} {eager:>9.4f} "
              f"{'-' if compiled is None else f'{compiled:.4f}':>8} {own['ratio']:>6.2f}{beside}", flush=True)
        del gradient, inputs
        torch.cuda.empty_cache()
    for name in dict.fromkeys(own["operation"] for own in ours):
        ratios = [own["ratio"] for own in ours if own["operation"] == name]
        print(f"{name}: geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}, of {len(ratios)} rows")
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

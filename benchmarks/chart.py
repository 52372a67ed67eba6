#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what compare_with_pytorch.py measured: the ratios per row, and the rows below the device's roofline.

    benchmarks/chart.py results.json docs/performance.svg           needs matplotlib (Debian: python3-matplotlib)
"""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "ck_tile"  # the same results give the same file
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"fp16": "#1f77b4", "bf16": "#ff7f0e", "fp32": "#2ca02c"}


def draw_ratios(axes, rows):
    names = list(dict.fromkeys(row["row"] for row in rows))
    types = list(dict.fromkeys(row["dtype"] for row in rows))
    width = 0.8 / len(types)
    for number, dtype in enumerate(types):
        ratios = {row["row"]: row["ratio"] for row in rows if row["dtype"] == dtype}
        at = [i + (number - (len(types) - 1) / 2) * width for i, name in enumerate(names) if name in ratios]
        axes.bar(at, [ratios[name] for name in names if name in ratios], width, label=dtype, color=COLOURS[dtype])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks(range(len(names)), names, rotation=45)
    axes.set_xlabel("row of the suite")
    axes.set_ylabel("time of PyTorch's best / ours")
    axes.set_title("Above 1, ck_tile is faster than PyTorch")
    axes.legend()


def draw_roofline(axes, rows, ceilings):
    peak, copy = max(v for k, v in ceilings.items() if k.endswith("tflops")), ceilings["copy_gb_per_s"]
    intensity = [10**(e / 20) for e in range(0, 81)]
    axes.plot(intensity, [min(peak, copy * i / 1e3) for i in intensity], color="black", linewidth=0.8)
    for row in rows:
        x = row["flops"] / row["floor_bytes"]
        axes.plot(x, row["tflops"], "o", color=COLOURS[row["dtype"]], markersize=4)
        if row["dtype"] == rows[0]["dtype"]:
            axes.annotate(row["row"], (x, row["tflops"]), textcoords="offset points", xytext=(5, -3), fontsize=8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations per byte at the floor")
    axes.set_ylabel("TFLOP/s")
    axes.set_title("Below the measured roofline")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("chart", type=Path)
    given = parser.parse_args()
    results = json.loads(given.results.read_text())
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    draw_ratios(left, results["rows"])
    draw_roofline(right, results["rows"], results["ceilings"])
    figure.suptitle(f"Grouped convolution backward weight, {results['device']}, PyTorch {results['torch']}")
    figure.savefig(given.chart, metadata={"Date": None})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a profile that ck_tile_profiler wrote: each problem's fastest plan below the roofline of the measured ceilings, and bars of
the ten fastest plans of each problem.

    plot_profile.py < profile.json > profile.svg           needs matplotlib (Debian: python3-matplotlib)
"""

import io
import json
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("plots need matplotlib: install python3-matplotlib")

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "ck_tile"  # the same profile gives the same file
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"fp16": "#1f77b4", "bf16": "#ff7f0e", "fp32": "#2ca02c"}
MOST_BARS = 10
LONGEST_BAR = 4  # times the fastest: longer ones leave the chart, so that those that matter can be told apart
MOST_CHARTS = 24  # of bars; more problems than these are in the roofline alone
COLUMNS = 3


def timed(problem):
    """The plans that are right, the fastest first."""
    return [row for row in problem["measured"]
            if row["timing"] and (row["verification"] is None or row["verification"]["passed"])]


def title(problem):
    return f"{problem['operation']} {problem['row'] or ''} {problem['dtype']}".replace("  ", " ")


def draw_roofline(axes, profile, problems):
    copy, matrix = profile["ceilings"]["copy_gb_per_s"], profile["ceilings"]["matrix_tflops"]
    counted = [problem for problem in problems if problem["flops"]]
    intensities = [problem["flops"] / problem["floor_bytes"] for problem in counted]
    low, high = min(intensities, default=1) / 2, max(intensities, default=100) * 2
    for dtype, peak in matrix.items():
        if copy:
            ridge = peak * 1e3 / copy
            axes.plot(*zip(*sorted({(x, min(peak, copy * x / 1e3)) for x in (low, ridge, max(high, ridge * 2))})),
                      color=COLOURS[dtype], linewidth=0.8, label=f"ceiling of {dtype}: {peak:.0f} TFLOP/s, {copy:.0f} GB/s")
    for dtype in dict.fromkeys(problem["dtype"] for problem in counted):
        own = [(problem["flops"] / problem["floor_bytes"], timed(problem)[0]["timing"]["tflops"], problem["row"])
               for problem in counted if problem["dtype"] == dtype]
        axes.plot([x for x, _, _ in own], [y for _, y, _ in own], "o", color=COLOURS[dtype], markersize=4, label=dtype)
        for x, y, row in own:
            axes.annotate(row or "", (x, y), textcoords="offset points", xytext=(5, -3), fontsize=7)
    axes.set(xscale="log", yscale="log", xlabel="operations per byte at the floor", ylabel="TFLOP/s",
             title="The fastest plans below the measured ceilings" if copy else "The fastest plans")
    axes.legend(fontsize=7)


def draw_bandwidths(axes, profile, problems):
    """Of operations that do not count their operations."""
    for number, problem in enumerate(problems):
        axes.barh(number, timed(problem)[0]["timing"]["gb_per_s"], color=COLOURS[problem["dtype"]])
    if profile["ceilings"]["copy_gb_per_s"]:
        axes.axvline(profile["ceilings"]["copy_gb_per_s"], color="black", linewidth=0.8)
    axes.set_yticks(range(len(problems)), [title(problem) for problem in problems], fontsize=7)
    axes.invert_yaxis()
    axes.set(xlabel="GB/s at the floor", title="The fastest plans; line: a copy")


def draw_plans(axes, problem):
    rows = timed(problem)[:MOST_BARS]
    for number, row in enumerate(rows):
        time = row["timing"]["median_ms"]
        half = time * row["timing"]["spread"] / 2
        axes.barh(number, time, xerr=half, color=COLOURS[problem["dtype"]], alpha=1 if row["chosen"] else 0.5)
    fastest, slowest = rows[0]["timing"]["median_ms"], rows[-1]["timing"]["median_ms"]
    axes.set_xlim(0, min(1.1 * slowest, LONGEST_BAR * fastest))
    axes.set_yticks(range(len(rows)), [row["id"] + (f" /{row['splits']}" if row["splits"] else "") for row in rows], fontsize=6)
    axes.invert_yaxis()
    axes.tick_params(axis="x", labelsize=6)
    axes.set_title(title(problem), fontsize=8)


def draw(profile):
    problems = [problem for problem in profile["problems"] if timed(problem)]
    counted = [problem for problem in problems if problem["flops"]]
    others = [problem for problem in problems if not problem["flops"]]
    tops = [each for each in ((draw_roofline, counted), (draw_bandwidths, others)) if each[1]]
    charts = problems[:MOST_CHARTS]
    lines = -(-len(charts) // COLUMNS)
    figure = plt.figure(figsize=(12, (5 if tops else 0) + 1.9 * lines + 0.5), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[5, max(1.9 * lines, 0.5)])
    for number, (function, some) in enumerate(tops):
        function(upper.add_subplot(1, len(tops), number + 1), profile, some)
    for number, problem in enumerate(charts):
        draw_plans(lower.add_subplot(lines, COLUMNS, number + 1), problem)
    lower.supxlabel("ms, bars of the spread; the plan that is chosen is dark", fontsize=8)
    figure.suptitle(f"ck_tile on {profile['target']}")
    chart = io.StringIO()
    figure.savefig(chart, format="svg", metadata={"Date": None})
    return chart.getvalue()


if __name__ == "__main__":
    sys.stdout.write(draw(json.load(sys.stdin)))

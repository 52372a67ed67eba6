#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills a program at random moments while it writes: tuned tables, --json, --dump. Fails if a file is left that is read as good and is
not, or if an earlier result is lost.

    scripts/check_kills.py [--program build/bin/grouped_conv_bwd_weight] [--target host:gfx942] [--times 100] [--seed 1]
"""

import argparse
import ast
import json
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from math import prod
from pathlib import Path


def problem(width):
    """A small one, for each width."""
    return ["2", "1", "2", "16", "16", "3", "3", "6", str(width), *["1"] * 8]


class Kills:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)

    def command(self, arguments):
        return [str(a) for a in (self.options.program, "0", "1", "0", *arguments, "--target", self.options.target)]

    def run(self, arguments, timeout=None):
        """Whether the program has ended before it was killed, `timeout` seconds after it began."""
        process = subprocess.Popen(self.command(arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, said = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            if process.returncode == -signal.SIGKILL:
                return False
            said = ""  # it has ended by itself just before
        if process.returncode != 0:
            sys.exit(f"{' '.join(self.command(arguments))}: {said}")
        return True

    def each(self, name, arguments, check):
        """Runs arguments(i), each with its own moment to be killed at, and check(i, whether it has ended) after each, until so many have been
        killed. A moment comes later than the program usually ends only as often as it takes for the last steps to be met, too."""
        usual = []
        for i in range(3):
            begin = time.monotonic()
            self.run(arguments(i))
            usual.append(time.monotonic() - begin)
            check(i, True)
        killed = finished = 0
        while killed < self.options.times:
            if finished > 20 * self.options.times:
                sys.exit(f"{name}: {finished} runs ended before they were killed, and {killed} did not: the program is too fast for this")
            i = 3 + killed + finished
            ended = self.run(arguments(i), min(usual) * self.random.uniform(0.1, 1.2))
            killed, finished = killed + (not ended), finished + ended
            check(i, ended)
        self.summary(name, killed, finished)

    def summary(self, name, killed, finished):
        print(f"{name}: killed {killed} times, ended {finished} times before that, nothing lost", flush=True)

    def tune(self, folder):
        table = folder / "tuned.json"
        known = {}  # by problem: its choice
        widths = []

        def arguments(i):
            widths.append(8 + i)
            return [*problem(widths[-1]), "--tune", "--tuned", table]

        def check(i, ended):
            choices = {json.dumps(c["problem"]): c for c in json.loads(table.read_text())["choices"]}
            for key, choice in known.items():
                if choices.get(key) != choice:
                    sys.exit(f"--tune: after run {i}, lost {choice}")
            if ended and not any(c["problem"]["input"][-1] == widths[-1] for c in choices.values()):
                sys.exit(f"--tune: run {i} has ended, and its choice, for inputs of width {widths[-1]}, is not in the table")
            known.update(choices)

        self.each("--tune", arguments, check)
        self.run([*problem(8), "--tuned", table])  # as the program reads it
        print(f"--tune: {len(known)} choices in the table")

    def json(self, folder):
        file = folder / "report.json"
        width = 0

        def arguments(i):
            nonlocal width
            width = 8 + i % 5
            return [*problem(width), "--json", file]

        def check(i, ended):
            report = json.loads(file.read_text())
            if "problem" not in report:
                sys.exit(f"--json: no whole report after run {i}")
            if ended and report["problem"]["input"][-1] != width:
                sys.exit(f"--json: run {i} has ended, and the report is another one's")

        self.each("--json", arguments, check)

    def dump(self, folder):
        target = folder / "tensors"
        target.mkdir()
        seeds = 5  # so many sets there are, of which the files in the folder are one
        sets = []
        for seed in range(seeds):
            whole = folder / f"seed{seed}"
            whole.mkdir()
            self.run([*problem(64), "--seed", str(seed), "--dump", whole])
            sets.append({file.name: file.read_bytes() for file in whole.glob("*.npy")})

        def check(i, ended):
            files = {file.name: file.read_bytes() for file in target.glob("*.npy")}
            for name, data in files.items():
                if wrong := npy_error(data):
                    sys.exit(f"--dump: {name} after run {i}: {wrong}")
            if (files != sets[i % seeds]) if ended else not any(files.items() <= whole.items() for whole in sets):
                sys.exit(f"--dump: the files after run {i} are not those of one run: {sorted(files)}")

        # The seed differs, and so does what each run writes in place of the last one's.
        self.each("--dump", lambda i: [*problem(64), "--seed", str(i % seeds), "--dump", target], check)


def npy_error(data):
    """Why these bytes are no whole array; None if they are."""
    if data[:6] != b"\x93NUMPY":
        return "no array"
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + length].decode().strip())
    expected = 10 + length + prod(header["shape"]) * int(header["descr"][2:])
    return None if len(data) == expected else f"{len(data)} bytes instead of {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/bin/grouped_conv_bwd_weight"))
    parser.add_argument("--target", default="host:gfx942")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    kills = Kills(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        for name in ("tune", "json", "dump"):
            own = Path(folder) / name
            own.mkdir()
            getattr(kills, name)(own)


if __name__ == "__main__":
    main()

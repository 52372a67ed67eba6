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
        self.finished = 0

    def run(self, arguments, timeout=None):
        """The exit code; None, if it was killed after `timeout` seconds."""
        command = [self.options.program, "0", "1", "0", *arguments, "--target", self.options.target]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, said = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {said}")
        self.finished += 1
        return 0

    def each(self, name, arguments, check):
        """Runs arguments(i), each with its own moment to be killed at, and check() after each."""
        for i in (0, self.options.times):
            begin = time.monotonic()
            self.run(arguments(i))
            check(i)
            usual = time.monotonic() - begin
        self.finished = 0
        for i in range(1, self.options.times + 1):
            self.run(arguments(i), usual * self.random.uniform(0.2, 1.8))
            check(i)
        print(f"{name}: killed {self.options.times - self.finished} of {self.options.times} times, nothing lost", flush=True)

    def tune(self, folder):
        table = folder / "tuned.json"
        known = []

        def check(_):
            choices = json.loads(table.read_text())["choices"]
            lost = [c for c in known if c["problem"] not in [other["problem"] for other in choices]]
            if lost:
                sys.exit(f"--tune: lost {lost[0]}")
            known[:] = choices

        self.each("--tune", lambda i: [*problem(8 + i), "--tune", "--tuned", table], check)
        self.run([*problem(8), "--tuned", table])  # as the program reads it

    def json(self, folder):
        file = folder / "report.json"

        def check(i):
            if "problem" not in json.loads(file.read_text()):
                sys.exit(f"--json: no whole report after run {i}")

        self.each("--json", lambda i: [*problem(8 + i % 5), "--json", file], check)

    def dump(self, folder):
        target = folder / "tensors"
        target.mkdir()

        def check(i):
            files = sorted(target.glob("*.npy"))
            for file in files:
                if wrong := npy_error(file.read_bytes()):
                    sys.exit(f"--dump: {file.name} after run {i}: {wrong}")
            if len(files) < 3:
                sys.exit(f"--dump: {len(files)} files after run {i}")

        # The seed differs, and so does what each run writes in place of the last one's.
        self.each("--dump", lambda i: [*problem(64), "--seed", str(i), "--dump", target], check)
        self.run([*problem(64), "--load", target])


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

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws configurations of an operation at random and holds check() to its word: what it accepts must compile and give right
results on the CPU in the target's shape, what it rejects must not compile, for the reason that check() gives.

    scripts/check_random_configurations.py [--operation OP] [--count N] [--seed S] [--build FOLDER] [--compiler CXX]
    scripts/check_random_configurations.py --count 8 --accepted 1 --write FOLDER      only writes the accepted ones, as JSON

The tests do this with a small sample (tests/tile_engine_configs/sample); all of a hundred take minutes, for a nightly run.
"""

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tile_engine_configs"))
from generator import ConfigurationError, sources  # noqa: E402
from generator.sets import nested  # noqa: E402
from generator.tool import HERE, INCLUDES, Tool  # noqa: E402

# Numbers to draw from: round ones often, others sometimes. Which of them are legal is not for this script to know.
NUMBERS = {"spatial": [0, 1, 2, 3, 3, 4], "block": [16, 32, 32, 48, 64, 64, 96, 128, 128, 256], "waves": [1, 1, 2, 2, 3, 4, 8],
           "vector": [1, 1, 2, 4, 8, 8, 3], "stages": [1, 1, 2, 3, 4], "window": [0, 1, 2, 3, 3, 4, 5, 17],
           "stride": [0, 1, 1, 2, 2, 3], "left_pad": [0, 0, 1, 1, 2], "rows": [1, 1, 2, 3, 5],
           "threads": [32, 64, 128, 256, 256, 96], "steps": [1, 2, 3, 4, 4, 8, 11, 24], "cluster": [1, 1, 1, 2, 3, 8],
           "channels": [8, 16, 32, 32, 64], "halo": [32, 64, 128, 192, 256, 320, 100], "patch": [1, 2, 4, 4, 7]}
# Where a configuration does part of the work: who does the other part, without whom it cannot be tried.
COMPANIONS = {"pass": {"sums": "apply", "apply": "sums"}}


def draw(fields, rng):
    def value(name, field):
        if field["kind"] == "choice":
            return rng.choice(field["values"])
        return rng.choice(NUMBERS.get(name.split(".")[0], [1, 2, 4, 8]))

    return {name: value(name, field) for name, field in fields.items()}


def companion(configuration):
    """The configuration that does the other part of this one's work, or None if it does all."""
    for name, others in COMPANIONS.items():
        if configuration.get(name) in others:
            return configuration | {name: others[configuration[name]]}
    return None


def draw_until(tool, count, accepted_share, rng):
    """`count` different configurations, `accepted_share` of them legal: these evenly over the targets, and of the others not too
    many by the same rule, or nearly all would have another target's instruction."""
    wanted = {True: round(count * accepted_share), False: count - round(count * accepted_share)}
    at_most = {True: -(-wanted[True] // len(tool.fields["arch"]["values"])), False: -(-wanted[False] // 8)}
    found, of_a_kind, names = {True: [], False: []}, collections.Counter(), set()
    companions = []
    while any(len(found[legal]) < wanted[legal] for legal in found):
        drawn = [draw(tool.fields, rng) for _ in range(4000)]
        for configuration, answer in zip(drawn, tool.check(drawn)):
            legal = "rule" not in answer
            kind = configuration["arch"] if legal else answer["rule"]
            if len(found[legal]) == wanted[legal] or of_a_kind[kind] == at_most[legal] or answer["name"] in names:
                continue
            other = companion(configuration) if legal else None
            other_answer = tool.check([other])[0] if other else None
            if other and "rule" in other_answer:
                continue
            of_a_kind[kind] += 1
            found[legal].append((configuration, answer))
            names.add(answer["name"])
            if other:
                names.add(other_answer["name"])
                companions.append((other, other_answer))
    return found[True] + companions, found[False]


def write_configurations(folder, operation, accepted):
    by_target = {}
    for configuration, _ in accepted:
        one = nested(configuration)
        by_target.setdefault(one.pop("arch"), []).append(one)
    for target, sets in by_target.items():
        path = folder / operation / f"{target}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = ",\n".join("        " + json.dumps(one) for one in sets)
        path.write_text(f'{{\n    "target": "{target}",\n    "sets": [\n{rows}\n    ]\n}}\n')
    return sorted(by_target)


def expect_rejections(rejected, operation, compiler, folder):
    wrong = 0
    for number, (_, answer) in enumerate(rejected):
        source = folder / f"rejected_{number}.cpp"
        source.write_text(sources.instance_source(operation, answer))
        done = subprocess.run([compiler, "-std=c++20", f"-I{ROOT}", "-fsyntax-only", str(source)], capture_output=True,
                              text=True)
        if done.returncode == 0 or "check(config) says which rule is broken" not in done.stderr:
            print(f"check() rejects, but the compiler does not say so: {answer['text']}\n{answer['reason']}")
            wrong += 1
        if (number + 1) % 10 == 0:
            print(f"{number + 1} of {len(rejected)} rejected ones compiled in vain", flush=True)
    return wrong


def run(command):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run([str(word) for word in command]).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operation", default="grouped_conv_bwd_weight")
    parser.add_argument("--count", type=int, default=100, help="configurations (default: %(default)s)")
    parser.add_argument("--accepted", type=float, default=0.4, metavar="SHARE",
                        help="of them that check() is to accept (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=Path, help="folder to build in; default: a temporary one")
    parser.add_argument("--compiler", default=os.environ.get("CXX") or shutil.which("clang++-22") or "clang++")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="only write the accepted configurations there")
    arguments = parser.parse_args()
    operation = arguments.operation

    with tempfile.TemporaryDirectory(prefix="ck_tile_random_") as temporary:
        build = arguments.build or Path(temporary) / "build"
        try:
            tool = Tool(operation, INCLUDES, arguments.compiler, os.environ.get("CXXFLAGS", "").split(), build / "tools")
        except ConfigurationError as error:
            sys.exit(f"check_random_configurations.py: {error}")
        accepted, rejected = draw_until(tool, arguments.count, arguments.accepted, random.Random(arguments.seed))
        if arguments.write:
            print(f"{len(accepted)} configurations for {', '.join(write_configurations(arguments.write, operation, accepted))}")
            return 0
        configurations = build / "configurations"
        # Other operations, which this one may be made with, have the instances of the project.
        shutil.copytree(HERE, configurations, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns(operation, "generator", "*.py", "*.cpp", "__pycache__"))
        shapes = [f"host:{target}" for target in write_configurations(configurations, operation, accepted)]
        print(f"{len(accepted)} configurations that check() accepts, {len(rejected)} that it rejects by "
              f"{len({answer['rule'] for _, answer in rejected})} rules, seed {arguments.seed}", flush=True)
        wrong = expect_rejections(rejected, operation, arguments.compiler, Path(temporary))
        test = f"ops_{operation}_instances_test"
        failed = run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                      f"-DCMAKE_CXX_COMPILER={arguments.compiler}", f"-DCK_TILE_CONFIGURATIONS={configurations}",
                      f"-DCK_TILE_TARGETS={';'.join(shapes)}", f"-DCK_TILE_OPS={operation}",
                      "-DCK_TILE_BUILD_PROFILER=OFF", "-DCK_TILE_BUILD_C_API=OFF"]) or \
            run(["cmake", "--build", build, "--target", test]) or run([build / "bin" / test])
        print(f"{len(accepted)} accepted: {'FAILED' if failed else 'all compile and are right'}; "
              f"{len(rejected)} rejected: {f'{wrong} FAILED' if wrong else 'none compiles'}")
        return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())

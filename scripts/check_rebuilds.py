#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows what a changed configuration costs: builds a small set of instances, edits one field, builds again, and counts the
sources that were compiled. Fails if any is compiled that the edit does not concern.

    scripts/check_rebuilds.py [--compiler CXX]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPERATION = "grouped_conv_bwd_weight"
FORMULATION = "narrow_conv_bwd_weight"  # of it, which is built with it
TILE = {"spatial": 1, "block": {"m": 32, "n": 32, "k": 32}, "waves": {"m": 1, "n": 1},
        "instruction": "mfma_16x16x16_fp16", "pipeline": "single_buffer", "stages": 1, "epilogue": "direct",
        "split": "any_split", "vector": {"out": 1, "in": 1, "wei": 1}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default=os.environ.get("CXX") or shutil.which("clang++-22") or "clang++")
    compiler = parser.parse_args().compiler

    with tempfile.TemporaryDirectory(prefix="ck_tile_rebuilds_") as temporary:
        temporary = Path(temporary)
        file = temporary / "configurations" / OPERATION / "gfx942.json"
        file.parent.mkdir(parents=True)
        beside = ROOT / "tile_engine_configs" / FORMULATION / file.name
        copy = temporary / "configurations" / FORMULATION / file.name
        copy.parent.mkdir()
        copy.write_text(json.dumps({"target": "gfx942", "sets": json.loads(beside.read_text())["sets"][:1]}))
        failures = 0

        def write(*sets):
            file.write_text(json.dumps({"target": "gfx942", "sets": sets}, indent=4))

        def build():
            """What was compiled, without what the names of all instances share."""
            done = subprocess.run(["cmake", "--build", temporary / "build", "--target", f"ck_tile_{OPERATION}"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                sys.exit(f"the build failed:\n{done.stdout}")
            compiled = re.findall(r"^\[\d+/\d+\] (?:Building CXX object|Compiling) (.*)", done.stdout, re.MULTILINE)
            names = [path.split("/")[-1].replace("gfx942 ", "GPU code of ") for path in compiled]
            return sorted(name.replace(f"{OPERATION}_gfx942_", "") for name in names)

        def expect(what, expected):
            nonlocal failures
            compiled = build()
            print(f"{what}: {len(compiled)} compiled", *(f"    {name}" for name in compiled if expected is not None), sep="\n")
            if expected is not None and compiled != sorted(expected):
                print(f"    expected were {len(expected)}: {', '.join(sorted(expected)) or 'none'}")
                failures += 1
            sys.stdout.flush()

        def all_of(block):
            name = f"spatial1_block{block}_waves1x1_mfma_16x16x16_fp16_single_buffer_stages1_direct_any_split_vector1x1x1"
            return [f"{name}.cpp.o", f"GPU code of {name}", f"{name}.hsaco.cpp.o"]

        other = {**TILE, "block": {"m": 32, "n": 64, "k": 32}}
        write(TILE, other)
        configured = subprocess.run(
            ["cmake", "-S", ROOT, "-B", temporary / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCK_TILE_CONFIGURATIONS={temporary / 'configurations'}",
             "-DCK_TILE_TARGETS=host:gfx942;gfx942", "-DCK_TILE_DTYPES=fp16", f"-DCK_TILE_OPS={OPERATION}",
             "-DCK_TILE_BUILD_TESTS=OFF", "-DCK_TILE_BUILD_PROFILER=OFF", "-DCK_TILE_BUILD_C_API=OFF",
             "-DCMAKE_OPTIMIZE_DEPENDENCIES=ON"],  # not the libraries that it will be linked with
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if configured.returncode != 0:
            sys.exit(f"the configuration failed:\n{configured.stdout}")
        expect("everything", None)
        expect("nothing changed", [])
        write(TILE, other)
        os.utime(file)
        expect("the file written again", [])
        write(TILE, {**other, "block": {"m": 64, "n": 32, "k": 32}})
        expect("one field of one set edited", ["registry.cpp.o", *all_of("64x32x32")])
        write(TILE)
        expect("one set removed", ["registry.cpp.o"])
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

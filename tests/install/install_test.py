#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs a build to a folder of its own and uses it as others would: each example as a project, a project with a kernel of its
own, one with an operation of its own. Nothing installed may name the source or the build, so that both can be removed.

usage: install_test.py BUILD COMPILER OPERATION...
"""

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD, COMPILER, *OPERATIONS = sys.argv[1:]
BUILD = Path(BUILD).resolve()


def programs():
    """The program in examples/<operation>, and the small problem of its tests, which it verifies; for operations that have one."""
    sys.path.insert(0, str(SOURCE / "tests" / "examples"))
    for operation in OPERATIONS:
        for source in (SOURCE / "examples" / operation).glob("*.cpp"):
            yield operation, source.stem, importlib.import_module(f"{source.stem}_cli_test").SMALL


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with {done.returncode}")
    return done.stdout


def build(source, prefix):
    folder = source / "build"
    # Not optimised, and each library in one piece: compiling takes all the time, the kernels are in the installed libraries.
    run("cmake", "-S", source, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG",
        "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0")
    run("cmake", "--build", folder)
    return folder


def names_a_folder(path, *folders):
    content = path.read_bytes()
    return [folder for folder in folders if os.fsencode(folder) in content]


def main():
    with tempfile.TemporaryDirectory(prefix="ck_tile_install_") as temporary:
        temporary = Path(temporary)
        prefix = temporary / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        for path in prefix.rglob("*"):
            # Assertions of a build with them name their sources.
            if path.is_file() and path.suffix != ".a" and names_a_folder(path, SOURCE, BUILD):
                sys.exit(f"{path} names {names_a_folder(path, SOURCE, BUILD)}: it must not need the source or the build")
        print(f"installed {sum(path.is_file() for path in prefix.rglob('*'))} files")

        examples = temporary / "examples"
        shutil.copytree(SOURCE / "examples", examples)
        for operation, program, problem in programs():
            output = run(build(examples / operation, prefix) / program, 1, 2, 0, *problem, "--target", "host")
            if ": passed" not in output:
                sys.exit(f"{program} verified nothing:\n{output}")
            print(f"{program}: built by itself, verified")
        lessons = build(examples / "tutorial", prefix)
        for lesson in "copy", "softmax", "transpose", "gemm", "gemm_pipelined", "gemm_bias_activation", "attention":
            print(run(lessons / f"tutorial_{lesson}", "host:gfx942").strip())

        own = temporary / "own_kernel"
        shutil.copytree(SOURCE / "tests" / "install" / "own_kernel", own)
        print(run(build(own, prefix) / "own_kernel").strip())

        # docs/adding_an_operation.md: the template as it is.
        scale = build(examples / "own_operation", prefix) / "scale"
        for dtype in "fp16", "fp32":
            output = run(scale, 1, 2, 0, 1000, "--target", "host:gfx942", "--dtype", dtype)
            if ": passed" not in output:
                sys.exit(f"scale verified nothing:\n{output}")
        # Its tuned table has another instance for 1000 elements in fp16 than the costs.
        for elements, vector in ((1000, 1), (2000, 4)):
            output = run(scale, 1, 2, 1, elements, "--target", "host:gfx942", "--dtype", "fp16")
            if f"scale_gfx942_fp16_vector{vector}_waves4" not in output:
                sys.exit(f"scale does not use its tuned table:\n{output}")
        print("own_operation: built by itself, verified, tuned")

        profiler = prefix / "bin" / "ck_tile_profiler"
        if profiler.exists():
            operation, _, problem = next(programs())
            report = temporary / "profile.json"
            run(profiler, operation, 2, 2, 1, *problem, "--target", "host", "--filter", 'dtype == "fp16"', "--json", report)
            if not all(plan["verification"]["passed"] for plan in json.loads(report.read_text())["problems"][0]["measured"]):
                sys.exit(f"{profiler} verified nothing")
            print("ck_tile_profiler: ran, verified")

        engine = prefix / "share" / "ck_tile" / "tile_engine_configs"
        print(run(sys.executable, engine / "generate.py", "count", "--operation", OPERATIONS[0], "--compiler", COMPILER,
                  "--cache", temporary / "tools").strip())


if __name__ == "__main__":
    main()

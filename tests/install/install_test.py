#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs a build to a folder of its own and uses it as others would: each example as a project, a project with a kernel of its
own, one with an operation of its own. Nothing installed may name the source or the build, so that both can be removed.

Where `SAMPLE` is some text, a third of the operations' examples, which it draws, are built; all of them run as they are installed.

usage: install_test.py BUILD COMPILER SAMPLE OPERATION...
"""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD, COMPILER, SAMPLE, *OPERATIONS = sys.argv[1:]
BUILD = Path(BUILD).resolve()
sys.path[:0] = [str(SOURCE / "tests" / "examples"), str(SOURCE / "tile_engine_configs")]


def programs():
    """The program in examples/<operation>, and the small problem of its tests, which it verifies; for operations that have one."""
    for operation in OPERATIONS:
        for source in (SOURCE / "examples" / operation).glob("*.cpp"):
            yield operation, source.stem, importlib.import_module(f"{source.stem}_cli_test").SMALL


def is_built(operation):
    return not SAMPLE or importlib.import_module("generator.test_set").drawn(SAMPLE, "install", operation) < 1 / 3


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nended with {done.returncode}")
    return done.stdout


def configuring(source, prefix, *options):
    # Not optimised, and each library in one piece: compiling takes all the time, the kernels are in the installed libraries.
    return ("cmake", "-S", source, "-B", source / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG",
            "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0", *options)


def build(source, prefix, *options):
    run(*configuring(source, prefix, *options))
    run("cmake", "--build", source / "build")
    return source / "build"


def built_targets(wanted):
    """Those of the targets that the library was built for."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    built = next(line for line in cache.splitlines() if line.startswith("CK_TILE_TARGETS:")).partition("=")[2].split(";")
    return [t for t in wanted if t in built or "all" in built or (t.startswith("host:") and "host" in built)]


def own_instances(examples, prefix):
    """Instances of a project's own run beside the library's; a wrong configuration is rejected with its file."""
    project = examples / "own_instances"
    targets = built_targets(("host:gfx942", "gfx942", "gfx11", "sm90"))
    if "grouped_conv_bwd_weight" not in OPERATIONS or "host:gfx942" not in targets:
        return
    program = build(project, prefix, f"-DCK_TILE_TARGETS={';'.join(targets)}") / "own_instances"
    own = [line for line in run(program, "--instance", "list", "--target", "host:gfx942").splitlines()
           if line.split()[1:4] == ["2", "96", "128"]]  # dimensions, rows and columns of a block
    if len(own) != 1:
        sys.exit(f"own_instances: of the two instances with a block of 96 x 128, one has 2 dimensions, not {own}")
    problem = "2 1 2 96 64 3 3 9 9 1 1 1 1 1 1 1 1".split()
    output = run(program, 1, 2, 0, *problem, "--target", "host:gfx942", "--instance", own[0].split()[0])
    if ": passed" not in output:
        sys.exit(f"own_instances verified nothing:\n{output}")
    objects = sorted(path.parent.name for path in (project / "build" / "code_objects").rglob("*spatial2_*.*") if path.suffix != ".d")
    if set(objects) < {t for t in targets if ":" not in t}:
        sys.exit(f"own_instances has GPU code for {objects} alone")

    file = project / "tile_engine_configs" / "grouped_conv_bwd_weight" / "gfx942.json"
    file.write_text(file.read_text().replace('"m": 96', '"m": 90'))
    wrong = subprocess.run([str(word) for word in configuring(project, prefix, "-DCK_TILE_TARGETS=host:gfx942")],
                           text=True, capture_output=True)
    said = " ".join(wrong.stderr.split())
    if wrong.returncode == 0 or str(file) not in said or "block.m must be a multiple of waves.m * instruction m" not in said:
        sys.exit(f"own_instances: a block of 90 rows is not rejected as such:\n{wrong.stdout}{wrong.stderr}")
    print(f"own_instances: built by itself for {', '.join(targets)}, verified")


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

        run(sys.executable, SOURCE / "tests" / "links_test.py", prefix / "share" / "ck_tile")
        examples = temporary / "examples"
        shutil.copytree(prefix / "share" / "ck_tile" / "examples", examples)
        for operation, program, problem in programs():
            if ": passed" not in (output := run(prefix / "bin" / program, 1, 2, 0, *problem, "--target", "host")):
                sys.exit(f"the installed {program} verified nothing:\n{output}")
            if not is_built(operation):
                continue
            output = run(build(examples / operation, prefix) / program, 1, 2, 0, *problem, "--target", "host")
            if ": passed" not in output:
                sys.exit(f"{program} verified nothing:\n{output}")
            print(f"{program}: built by itself, verified")
        lessons = build(examples / "tutorial", prefix)
        for lesson in "copy", "softmax", "transpose", "stencil", "gemm", "gemm_pipelined", "gemm_bias_activation", "attention":
            print(run(lessons / f"tutorial_{lesson}", "host:gfx942").strip())

        own_instances(examples, prefix)
        if "groupnorm_fwd" in OPERATIONS and list(prefix.glob("lib*/**/libck_tile.so")):
            compiler = re.sub(r"clang\+\+([^/]*)$", r"clang\1", COMPILER)
            print(run(build(examples / "c_api", prefix, f"-DCMAKE_C_COMPILER={compiler}") / "group_norm", "host:gfx942").strip())

        # docs/writing_kernels.md: a kernel for every target, of one source.
        targets = built_targets(("host:gfx942", "gfx942", "gfx11", "sm90"))
        own = build(examples / "own_kernel", prefix, f"-DCK_TILE_TARGETS={';'.join(targets)}")
        print(run(own / "own_kernel", "host:gfx942").strip(), "built for", *targets)

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

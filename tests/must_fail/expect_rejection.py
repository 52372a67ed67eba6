#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Expects that a source does not compile, for the reason that it names.

A source says, in comments of its first lines:
    // expect: <text of the error>             a part of one `error:` line
    // flags: <compiler flags>                 optional
    // errors: <number>                        optional: exactly so many `error:` lines
    // flags when right: / flags when broken:  optional, for one of the two compilations

It is compiled twice, as far as types go: with CK_TILE_BROKEN defined as 0 it must compile, which shows that nothing but the
broken part is rejected; with 1 it must fail with the text.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path


def directives(source):
    """The comments `// name: value` at the top of a source."""
    found = {}
    for line in source.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        if match := re.fullmatch(r"// (expect|errors|flags|flags when right|flags when broken): (.*)", line):
            found[match[1]] = match[2]
    return found


def compile_source(command, source, said, broken):
    flags = said.get("flags", "").split() + said.get(f"flags when {'broken' if broken else 'right'}", "").split()
    return subprocess.run([*command, "-std=c++20", "-fsyntax-only", f"-DCK_TILE_BROKEN={int(broken)}", *flags, str(source)],
                          capture_output=True, text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("command", nargs="+", help="the compiler and its include paths, after --")
    arguments = parser.parse_args()

    said = directives(arguments.source)
    if "expect" not in said:
        return f"{arguments.source}: says nowhere what it expects: add a comment `// expect: <text>`"
    right = compile_source(arguments.command, arguments.source, said, broken=False)
    if right.returncode != 0:
        return f"{arguments.source}: does not compile where it is right:\n{right.stderr}"
    broken = compile_source(arguments.command, arguments.source, said, broken=True)
    if broken.returncode == 0:
        return f"{arguments.source}: compiles, but should be rejected: {said['expect']}"
    if broken.returncode < 0 or "PLEASE submit a bug report" in broken.stderr:
        return f"{arguments.source}: the compiler crashed:\n{broken.stderr}"
    if not any(said["expect"] in line for line in broken.stderr.splitlines() if "error:" in line):
        return f"{arguments.source}: is rejected for another reason than\n    {said['expect']}\nnamely\n{broken.stderr}"
    errors = sum(" error: " in line for line in broken.stderr.splitlines())
    if "errors" in said and errors != int(said["errors"]):
        return f"{arguments.source}: is rejected by {errors} errors, not by {said['errors']}\n{broken.stderr}"
    print(f"{arguments.source.name}: rejected as it should be: {said['expect']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

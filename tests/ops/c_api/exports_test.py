#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the shared library exports the functions that its header declares, and nothing else.

usage: exports_test.py NM LIBRARY
"""

import re
import subprocess
import sys
from pathlib import Path

HEADER = Path(__file__).resolve().parents[3] / "ops" / "c_api" / "ck_tile.h"


def main():
    nm, library = sys.argv[1:]
    declared = set(re.findall(r"^CK_TILE_API [^(]*?(\w+)\(", HEADER.read_text(), re.MULTILINE))
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = [line.split()[-2:] for line in lines]
    exported = {name.split("@")[0] for kind, name in symbols if kind != "A"}  # A: the version's own
    for what, names in (("not declared but exported", exported - declared), ("declared but not exported", declared - exported)):
        for name in sorted(names):
            print(f"{what}: {name}")
    print(f"{len(exported)} functions are exported, {len(declared)} declared")
    return exported != declared or len(declared) < 10


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the files that the README and pages of docs/ show into them, between their BEGIN and END marks; `--check` says whether they
are there."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def shown(path):
    """The part of a source that a reader wants: without licence line and guards, and of C++ without includes; of programs, main.cpp, with."""
    if path.endswith(".c"):
        return f"```c\n{(ROOT / path).read_text().replace('SPDX-License-Identifier: MIT' + chr(10) + ' * ', '', 1).strip()}\n```"
    lines = (ROOT / path).read_text().splitlines()
    left_out = r"(//|#) SPDX|#pragma once" + ("" if path.endswith("main.cpp") else "|#include")
    kept = [line for line in lines if not re.match(left_out, line)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return f"```{'cmake' if path.endswith('CMakeLists.txt') else 'cpp'}\n{text}\n```"


def main():
    stale = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        before = page.read_text()
        after = re.sub(r"(<!-- BEGIN (\S+) -->\n).*?(<!-- END -->)",
                       lambda m: f"{m[1]}{shown(m[2])}\n{m[3]}", before, flags=re.DOTALL)
        if before == after:
            continue
        if sys.argv[1:] == ["--check"]:
            print(f"{page.relative_to(ROOT)} does not show its sources as they are: run scripts/update_readme.py", file=sys.stderr)
            stale = 1
        else:
            page.write_text(after)
    return stale


if __name__ == "__main__":
    sys.exit(main())

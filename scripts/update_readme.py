#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the files that the README shows into it, between their BEGIN and END marks; `--check` says whether they are there."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def shown(path):
    """The part of a source that a reader wants: without licence line, guards and includes."""
    lines = (ROOT / path).read_text().splitlines()
    kept = [line for line in lines if not re.match(r"// SPDX|#pragma once|#include", line)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return f"```cpp\n{text}\n```"


def main():
    readme = ROOT / "README.md"
    before = readme.read_text()
    after = re.sub(r"(<!-- BEGIN (\S+) -->\n).*?(<!-- END -->)",
                   lambda m: f"{m[1]}{shown(m[2])}\n{m[3]}", before, flags=re.DOTALL)
    if sys.argv[1:] == ["--check"]:
        if before != after:
            print("README.md does not show its sources as they are: run scripts/update_readme.py", file=sys.stderr)
            return 1
    else:
        readme.write_text(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())

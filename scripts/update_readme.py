#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the files that the README and pages of docs/ show into them, between their BEGIN and END marks; `--check` says whether they
are there, and finds code that is not between marks, which no compiler has seen.

`<!-- BEGIN path -->` shows a file, `<!-- BEGIN path#name -->` its lines between `// [name]` and `// [/name]`."""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = r"\s*(?://|#) \[/?\w+\]"


class Mistake(Exception):
    """A sentence: the rule, what breaks it, what to do."""


def part(source, path, name):
    """The lines that a source has marked with a name; of two parts of one name, either would be a guess."""
    lines = source.splitlines()
    begins, ends = ([i for i, line in enumerate(lines) if re.fullmatch(rf"\s*(?://|#) \[{slash}{re.escape(name)}\]", line)]
                    for slash in ("", "/"))
    fix = f"write // [{name}] before its lines and // [/{name}] behind them, once"
    if (len(begins), len(ends)) != (1, 1):
        raise Mistake(f"a part of a source is marked once: {path} has {len(begins)} lines that begin {name}, and {len(ends)} that end it: "
                      f"{fix}")
    kept = [line for line in lines[begins[0] + 1:ends[0]] if not re.fullmatch(MARK, line)]
    text = textwrap.dedent("\n".join(kept)).strip("\n")
    if not text:
        raise Mistake(f"a part of a source has lines: {path} has none between the marks of {name}: {fix}")
    return text


def shown(root, path, name):
    """A part of a source, or what a reader wants of all: without licence line and guards, and of C++ without includes; of programs,
    main.cpp, with."""
    if not (root / path).is_file():
        raise Mistake(f"a page shows files of the project: there is no {path}: correct the path behind BEGIN")
    source = (root / path).read_text()
    language = "c" if path.endswith(".c") else "cmake" if path.endswith(("CMakeLists.txt", ".cmake")) else "cpp"
    if name:
        text = part(source, path, name)
    elif language == "c":
        text = source.replace("SPDX-License-Identifier: MIT\n * ", "", 1).strip()
    else:
        left_out = r"(//|#) SPDX|#pragma once" + ("" if path.endswith("main.cpp") else "|#include") + f"|{MARK}$"
        kept = [line for line in source.splitlines() if not re.match(left_out, line)]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    return f"```{language}\n{text}\n```"


# No other BEGIN in between: without its END, a block would take the text up to the next one's with it.
BLOCK = re.compile(r"(<!-- BEGIN ([^\s#]+)(?:#(\w+))? -->\n)(?:(?!<!-- BEGIN ).)*?(<!-- END -->)", re.DOTALL)


def written_by_hand(text):
    """Lines and languages of blocks of code between no marks."""
    outside = BLOCK.sub(lambda m: "\n" * m[0].count("\n"), text)
    for number, line in enumerate(outside.splitlines(), 1):
        if fence := re.match(r"\s*(?:`{3,}|~{3,})\s*(cpp|c\+\+|cxx|cc|c|cmake)\b", line, re.IGNORECASE):
            yield number, fence[1]


def main(arguments, root=ROOT):
    told = []
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        name, before = page.relative_to(root), page.read_text()
        told += [f"{name}:{line}: code in pages is what a compiler has seen: this block of {language} is written by hand: mark its lines "
                 "in a source that is compiled, and show them between <!-- BEGIN path#name --> and <!-- END -->"
                 for line, language in written_by_hand(before)]
        try:
            after = BLOCK.sub(lambda m: f"{m[1]}{shown(root, m[2], m[3])}\n{m[4]}", before)
        except Mistake as mistake:
            told.append(f"{name}: {mistake}")
            continue
        if before != after and arguments == ["--check"]:
            told.append(f"{name} does not show its sources as they are: run scripts/update_readme.py")
        elif before != after:
            page.write_text(after)
    for sentence in told:
        print(sentence, file=sys.stderr)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

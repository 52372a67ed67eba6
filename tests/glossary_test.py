#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the glossary and the code use the same words: each term of docs/glossary.md occurs in the code, and no identifier is a
word that it says is not a name.

usage: glossary_test.py
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CODE = ("ck_tile", "ops", "examples", "benchmarks", "tests", "tile_engine_configs", "cmake", "scripts")
SUFFIXES = {".hpp", ".cpp", ".in", ".py", ".cmake", ".sh"}
# Comments and texts, of which nothing is an identifier; and identifiers.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[A-Za-z_]\w*', re.DOTALL)


def terms(glossary):
    """The bold words that entries begin with, and other spellings in brackets: `Compute unit (CU)` has two."""
    for term in re.findall(r"^\*\*(.+?)\.\*\*", glossary, re.MULTILINE):
        for name in term.split(", "):
            yield [word.strip() for word in re.split(r"[()]", name) if word.strip()]


def retired(glossary):
    """The words of the table that are names of nothing."""
    rows = re.findall(r"^\| (`.+?) \| .+ \|$", glossary, re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`(\w+)`", row)}


def identifiers(text):
    return {token for token in TOKEN.findall(text) if token[0].isalpha() or token[0] == "_"}


def occurs(term, text):
    """Whether a text has the term, in whatever case, as words or as part of an identifier."""
    words = re.split(r"[ \-/]", term.lower())
    return re.search(r"(?<![a-z0-9])" + r"[ _\-/\n]*".join(map(re.escape, words)), text) is not None


def broken_rules(glossary, files):
    """One line for each term that no file has, and for each identifier in C++ that is to be none. `files` is {path: text}."""
    everything = "\n".join(files.values()).lower()
    lines = [f"docs/glossary.md: no code has '{names[0]}': remove it, or use the word" for names in terms(glossary)
             if not any(occurs(name, everything) for name in names)]
    words = retired(glossary)
    for path, text in files.items():
        if path.endswith((".hpp", ".cpp")):
            lines += [f"{path}: '{name}' is not a name: docs/glossary.md has another" for name in sorted(identifiers(text) & words)]
    return lines


class Tree(unittest.TestCase):
    def test_uses_the_words_of_the_glossary(self):
        paths = [path for folder in CODE for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES and path != Path(__file__)]
        files = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
        broken = broken_rules((ROOT / "docs/glossary.md").read_text(encoding="utf-8"), files)
        self.assertFalse(broken, "\n" + "\n".join(broken))


class Rules(unittest.TestCase):
    glossary = "**Block tile.** The part.\n\n**Lane, thread (T).** One.\n\n| not | but |\n|---|---|\n| `unit`, `part` | `rank` |\n"

    def broken(self, text):
        return broken_rules(self.glossary, {"a.hpp": text})

    def test_accepts_words_and_identifiers(self):
        self.assertEqual(self.broken("int block_tile, lanes, threads; // a unit, in part\nconst char* s = \"unit\";"), [])

    def test_wants_each_term(self):
        self.assertEqual(self.broken("int lane, T;"), ["docs/glossary.md: no code has 'Block tile': remove it, or use the word"])

    def test_refuses_what_is_not_a_name(self):
        self.assertEqual(self.broken("int unit; // block tile lane thread"),
                         ["a.hpp: 'unit' is not a name: docs/glossary.md has another"])
        self.assertEqual(self.broken("int units, compute_unit; // block tile lane thread"), [])


if __name__ == "__main__":
    sys.exit(unittest.main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links of the documents lead somewhere: to a file or a folder that is there, and to a heading that the document has.

usage: links_test.py [FOLDER]      default: the source; its folders of builds, and hidden ones, are left out
"""

import re
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

SOURCE = Path(__file__).resolve().parents[1]


def prose(text):
    """A document without its code, in which brackets and parentheses are no links."""
    text = re.sub(r"^ *(`{3,}|~{3,})[^`\n]*\n.*?(?:^ *\1[`~]* *$|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(?<=\n\n)(?:(?: {4}|\t).*\n)+", "", text)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)


def links(text):
    """What is behind [..], in parentheses, or behind [..]: on a line; with addresses elsewhere left out."""
    text = prose(text)
    found = re.findall(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)", text) + re.findall(r"^ {0,3}\[[^]^]+\]:\s*(\S+)", text, re.MULTILINE)
    return [link for link in found if not re.match(r"[a-z][a-z+.-]*:", link)]


def anchors(text):
    """The names by which links reach the headings of a document, as GitHub makes them."""
    text = re.sub(r"^ *(`{3,}|~{3,})[^`\n]*\n.*?(?:^ *\1[`~]* *$|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    met, names = Counter(), set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6} +(.*?)(?: +#+)? *$", text, re.MULTILINE):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(f"{name}-{met[name]}" if met[name] else name)
        met[name] += 1
    return names


def documents(folder):
    def is_written(path):
        return not any(part.startswith((".", "build")) for part in path.relative_to(folder).parts[:-1])
    return sorted(path for path in folder.rglob("*.md") if is_written(path))


def dead_links(folder):
    """A line for each link that leads nowhere."""
    for document in documents(folder):
        for link in links(document.read_text()):
            path, _, anchor = unquote(link).partition("#")
            target = document.parent / path if path else document
            if not target.exists():
                yield f"{document.relative_to(folder)}: {link}: there is no such file"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                yield f"{document.relative_to(folder)}: {link}: the document has no such heading"


class Links(unittest.TestCase):
    def dead(self, **texts):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                (Path(folder) / f"{name}.md").write_text(text)
            return list(dead_links(Path(folder)))

    def test_code_is_no_link(self):
        self.assertEqual(self.dead(a="```cpp\nfor_each([&](thread) { in.sync(); });\n```\n`[&](int)` and ``[`](x)``\n\n    run [x](y)\n"), [])
        self.assertEqual(self.dead(a="````\n```\n[x](y)\n```\n````\n"), [])
        self.assertEqual(self.dead(a="```\n[x](y)\n```\n[x](z.md)\n```\n[x](y)\n```\n"), ["a.md: z.md: there is no such file"])

    def test_files(self):
        self.assertEqual(self.dead(a="[b](b.md), [web](https://example.org/x), ![b](b.md \"as it is\")\n\n[r]: b.md\n", b=""), [])
        self.assertEqual(self.dead(a="[two\nlines](c.md)"), ["a.md: c.md: there is no such file"])
        self.assertEqual(self.dead(a="[r]: c.md"), ["a.md: c.md: there is no such file"])

    def test_headings(self):
        b = "# Mistakes, and what `it` says\n## Again\n## Again\n```sh\n# no heading\n```\n"
        self.assertEqual(self.dead(a="# A\n[1](#a) [2](b.md#mistakes-and-what-it-says) [3](b.md#again-1)", b=b), [])
        for anchor in "#mistakes", "#again-2", "#no-heading", "#Again":
            self.assertEqual(self.dead(a=f"[1](b.md{anchor})", b=b), [f"a.md: b.md{anchor}: the document has no such heading"])

    def test_documents(self):
        self.assertTrue(documents(FOLDER))
        self.assertEqual(list(dead_links(FOLDER)), [])


FOLDER = Path(sys.argv.pop(1)).resolve() if sys.argv[1:] and not sys.argv[1].startswith("-") else SOURCE
if __name__ == "__main__":
    unittest.main()

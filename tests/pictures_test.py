#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents' pictures are what the library draws today, and well-formed.

usage: pictures_test.py PROGRAM      to draw them again: PROGRAM docs/pictures
"""

import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMITTED = ROOT / "docs" / "pictures"


class Pictures(unittest.TestCase):
    def test_are_current(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, folder], check=True)
            drawn = {path.name: path.read_text() for path in Path(folder).glob("*.svg")}
        self.assertTrue(drawn)
        self.assertEqual(drawn.keys(), {path.name for path in COMMITTED.glob("*.svg")})
        for name, text in drawn.items():
            self.assertEqual(text, (COMMITTED / name).read_text(), f"{name} is another: run {PROGRAM} docs/pictures")

    def test_are_svg_whose_text_fits(self):
        for path in COMMITTED.glob("*.svg"):
            svg = xml.dom.minidom.parse(str(path)).documentElement
            self.assertEqual(svg.tagName, "svg")
            for text in svg.getElementsByTagName("text"):
                self.assertLessEqual(int(text.getAttribute("x")), int(svg.getAttribute("width")), path.name)

    def test_are_shown(self):
        shown = set()
        for document in [*ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")]:
            shown |= {Path(link).name for link in re.findall(r"!\[[^]]+\]\(([^)]+\.svg)\)", document.read_text())}
        self.assertLessEqual({path.name for path in COMMITTED.glob("*.svg")}, shown)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop()).resolve())
    unittest.main()

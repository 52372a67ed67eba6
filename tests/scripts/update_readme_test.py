#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of scripts/update_readme.py: what pages show of sources, and what it says of those that do not."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import update_readme  # noqa: E402

SOURCE = """\
// SPDX-License-Identifier: MIT
#include <cstdio>

int main()
{
    // [greeting]
    if(true)
        std::puts("hello"); // to all
    // [/greeting]
}
"""


def block(of, text="", language="cpp"):
    return f"<!-- BEGIN {of} -->\n```{language}\n{text}```\n<!-- END -->\n"


GREETING = 'if(true)\n    std::puts("hello"); // to all\n'


class Pages(unittest.TestCase):
    def run_on(self, page, *arguments, **sources):
        """Status, what is told, and the page behind it, of a project with a.cpp and others."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "README.md").write_text("# A project\n")
            (root / "docs/page.md").write_text(page)
            for name, text in {"a.cpp": SOURCE, **{name.replace("_", "."): text for name, text in sources.items()}}.items():
                (root / name).write_text(text)
            told = io.StringIO()
            with contextlib.redirect_stderr(told):
                status = update_readme.main(list(arguments), root)
            return status, told.getvalue(), (root / "docs/page.md").read_text()

    def test_files_without_their_marks(self):
        page = "# Page\n\n" + block("a.cpp") + "\nand so on\n"
        text = 'int main()\n{\n    if(true)\n        std::puts("hello"); // to all\n}\n'
        self.assertEqual(self.run_on(page), (0, "", page.replace(block("a.cpp"), block("a.cpp", text))))

    def test_parts_without_their_indentation(self):
        self.assertEqual(self.run_on(block("a.cpp#greeting")), (0, "", block("a.cpp#greeting", GREETING)))

    def test_parts_of_other_languages(self):
        self.assertEqual(self.run_on(block("b.cmake#x"), b_cmake="# [x]\nset(a 1)\n# [/x]\n"),
                         (0, "", block("b.cmake#x", "set(a 1)\n", "cmake")))
        self.assertEqual(self.run_on(block("b.c#x"), b_c="// [x]\nint a;\n// [/x]\n"), (0, "", block("b.c#x", "int a;\n", "c")))

    def test_parts_within_parts(self):
        source = "// [all]\nint a;\n// [b]\nint b;\n// [/b]\n// [/all]\n"
        page = block("b.hpp#all") + block("b.hpp#b")
        self.assertEqual(self.run_on(page, b_hpp=source),
                         (0, "", block("b.hpp#all", "int a;\nint b;\n") + block("b.hpp#b", "int b;\n")))

    def test_check_writes_nothing(self):
        page = block("a.cpp#greeting", GREETING)
        self.assertEqual(self.run_on(page, "--check"), (0, "", page))
        stale = page.replace("hello", "hallo")
        self.assertEqual(self.run_on(stale, "--check"),
                         (1, "docs/page.md does not show its sources as they are: run scripts/update_readme.py\n", stale))

    def test_names_that_are_missing_or_double(self):
        for marks, begins, ends in (("", 0, 0), ("// [x]\nint a;\n", 1, 0), ("int a;\n// [/x]\n", 0, 1),
                                    (2 * "// [x]\nint a;\n// [/x]\n", 2, 2), ("// [xy]\nint a;\n// [/xy]\n", 0, 0)):
            for arguments in (), ("--check",):
                page = block("b.cpp#x")
                self.assertEqual(self.run_on(page, *arguments, b_cpp=marks), (
                    1, f"docs/page.md: a part of a source is marked once: b.cpp has {begins} lines that begin x, and {ends} that end it: "
                       "write // [x] before its lines and // [/x] behind them, once\n", page), marks)

    def test_parts_have_lines(self):
        for source in "// [x]\n\n// [/x]\n", "// [/x]\nint a;\n// [x]\n":
            status, told, _ = self.run_on(block("b.cpp#x"), b_cpp=source)
            self.assertEqual((status, told), (
                1, "docs/page.md: a part of a source has lines: b.cpp has none between the marks of x: write // [x] before its lines and "
                   "// [/x] behind them, once\n"))

    def test_files_that_are_missing(self):
        self.assertEqual(self.run_on(block("b.cpp"))[:2], (
            1, "docs/page.md: a page shows files of the project: there is no b.cpp: correct the path behind BEGIN\n"))

    def test_code_written_by_hand(self):
        for fence in "```cpp", "```c", "```cmake", "  ```cpp", "~~~ cpp", "```C++":
            status, told, _ = self.run_on(f"# Page\n\n{block('a.cpp#greeting', GREETING)}\n{fence}\nx\n{fence.strip()[:3]}\n", "--check")
            self.assertEqual(status, 1, fence)
            self.assertRegex(told, r"^docs/page.md:10: code in pages is what a compiler has seen: this block of \S+ is written by hand: "
                                   "mark its lines in a source that is compiled, and show them between <!-- BEGIN path#name --> and "
                                   "<!-- END -->\n$")

    def test_what_no_compiler_reads_may_be_written_by_hand(self):
        page = '```json\n{"a": 1}\n```\n\n    cmake --build build\n\n`cpp`\n'
        self.assertEqual(self.run_on(page, "--check"), (0, "", page))

    # It would take the text up to the next one's END with it.
    def test_a_block_without_end_is_by_hand(self):
        page = "<!-- BEGIN a.cpp -->\n```cpp\n```\ntext\n" + block("a.cpp#greeting", GREETING)
        status, told, after = self.run_on(page)
        self.assertEqual((status, after), (1, page))
        self.assertIn("docs/page.md:2: code in pages is what a compiler has seen", told)


if __name__ == "__main__":
    unittest.main()

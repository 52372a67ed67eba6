#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a thread of a depthwise kernel of sm90 has lies in registers: no PTX of one declares local memory.

usage: local_memory_test.py <build folder>/code_objects/sm90

Local memory is where a compiler puts what has an address, as what a function that it does not inline is given; the assembler says nothing of it. Weights by
diagonals took 1.06 to 1.19 times as long for it."""

import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
KERNELS = re.compile(r"narrow_conv_\w+_group1_")
LOCAL = re.compile(r"^\s*\.local\s.*\[(\d+)\];", re.MULTILINE)


def ptx_of(folder):
    """{name: text} of what is PTX of these there: where an assembler was found, what has been PTX."""
    texts = {}
    for file in sorted(folder.glob("*.ptx")):
        data = file.read_bytes()
        if KERNELS.match(file.name) and b".version" in data[:400]:
            texts[file.name.split(".")[0]] = data.decode()
    return texts


class LocalMemory(unittest.TestCase):
    maxDiff = None

    def test_none_is_declared(self):
        texts = ptx_of(FOLDER)
        if not texts:
            self.skipTest(f"no PTX of a depthwise kernel in {FOLDER}")
        found = {name: LOCAL.search(text).group(1) for name, text in texts.items() if LOCAL.search(text)}
        self.assertEqual(found, {}, "bytes of local memory that threads have")

    def test_it_is_seen(self):
        self.assertEqual(LOCAL.search("{\n\t.local .align 8 .b8 \t__local_depot0[120];\n").group(1), "120")


if __name__ == "__main__":
    unittest.main()

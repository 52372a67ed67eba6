#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layers of the library: what a file may include, and where architectures and vendors may be told apart.

Reads every #include under ck_tile/ and ops/. One that runs upwards fails, with file and line; so does a preprocessor condition on
an architecture, or an intrinsic, outside of the architecture's folder.
"""

import re
import sys
import tempfile
import unittest
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# From the bottom up: a file includes files of its own layer and of those below. The first pattern that fits a file counts.
LAYERS = [
    ("primitives", ["ck_tile/targets/selection.hpp", "ck_tile/targets/execution.hpp", "ck_tile/targets/primitives.hpp",
                    "ck_tile/targets/tensor_map.hpp",
                    "ck_tile/targets/plain_range.hpp", "ck_tile/targets/threads.hpp", "ck_tile/targets/*/primitives.hpp",
                    "ck_tile/targets/*/async_copy.hpp", "ck_tile/targets/*/cdna.hpp", "ck_tile/targets/*/cluster.hpp",
                    "ck_tile/targets/*/mbarrier.hpp", "ck_tile/targets/*/arrivals.hpp", "ck_tile/targets/*/copies.hpp", "ck_tile/targets/*/program_check.hpp", "ck_tile/targets/*/memory.hpp", "ck_tile/targets/*/predication.hpp",
                    "ck_tile/targets/*/rounding.hpp", "ck_tile/targets/*/halves.hpp", "ck_tile/targets/*/wave_roles.hpp", "ck_tile/targets/*/transposed_reads.hpp"]),
    ("numeric", ["ck_tile/numeric/*"]),
    ("core", ["ck_tile/core/*"]),
    ("targets", ["ck_tile/targets/*"]),
    ("verbs", ["ck_tile/verbs/*"]),
    ("gemm", ["ck_tile/gemm/*", "ck_tile/ck_tile.hpp"]),
    ("runtime", ["ck_tile/runtime/*"]),
    ("reflect", ["ck_tile/reflect/*"]),
    ("ops", ["ops/*"]),
]
LEVELS = {name: level for level, (name, _) in enumerate(LAYERS)}

# Who may ask which architecture or vendor it is, and who may use intrinsics; folders of architectures may do both.
TELLS_APART = ["ck_tile/targets/selection.hpp", "ck_tile/targets/amdgcn/*", "ck_tile/runtime/*"]
IS_SPECIAL = ["ck_tile/targets/amdgcn/*"]
CONDITION = re.compile(r"\b(__NVPTX__|__AMDGCN__|__AMDGPU__|__CUDA\w*|__HIP\w*|__gfx\w+__|__GFX\w+__)\b")
INTRINSIC = re.compile(r"\b(__builtin_amdgcn_\w+|__nvvm_\w+|asm)\b")

# What the folder of an architecture holds, beside what it likes: ck_tile/targets/ includes these by name.
FOLDER = ["facts.hpp", "matrix.hpp", "primitives.hpp"]

INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<((?:ck_tile|ops)/[^>]+)>|CK_TILE_TARGET_HEADER\((.+)\))')


def fits(path, patterns):
    return any(fnmatch(path, pattern) for pattern in patterns)


def layer_of(path):
    return next((name for name, patterns in LAYERS if fits(path, patterns)), None)


def architectures(root):
    return sorted(facts.parent.name for facts in root.glob("ck_tile/targets/*/facts.hpp"))


def included(root, line):
    """The files that a line includes: several where the architecture decides."""
    match = INCLUDE.match(line)
    if not match:
        return []
    if match[3]:
        return [f"ck_tile/targets/{folder}/{match[3]}" for folder in [*architectures(root), "host"]]
    return [match[1] or match[2]]


def broken_in(root, path):
    """What is wrong with a file: `file:line: reason` each."""
    own = layer_of(path)
    if own is None:
        return [f"{path}:1: no layer has this file: move it, or add it to LAYERS in tests/layers_test.py"]
    folders = [f"ck_tile/targets/{name}/*" for name in architectures(root)]
    broken = []
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        for other in included(root, line):
            layer = layer_of(other)
            if not (root / other).is_file():
                broken.append(f"{path}:{number}: there is no {other}")
            elif layer is not None and LEVELS[layer] > LEVELS[own]:
                broken.append(f"{path}:{number}: includes {other}, upwards from {own} to {layer}: move what it needs down, "
                              "or the file up")
        code = line.split("//")[0]
        if (match := CONDITION.search(code)) and not fits(path, TELLS_APART + folders):
            broken.append(f"{path}:{number}: asks for {match[1]}: make it a primitive or a fact of the architecture's folder")
        if (match := INTRINSIC.search(code)) and not fits(path, IS_SPECIAL + folders):
            broken.append(f"{path}:{number}: uses {match[1]}: make it a primitive of the architecture's folder")
    return broken


def broken_architectures(root):
    """Architectures whose folder lacks a header, or that the selection does not know."""
    selection = root / "ck_tile/targets/selection.hpp"
    text = selection.read_text(encoding="utf-8")
    broken = []
    for name in architectures(root):
        for header in FOLDER:
            if not (root / "ck_tile/targets" / name / header).is_file():
                broken.append(f"ck_tile/targets/{name}:1: has no {header}")
        if f"#define CK_TILE_TARGET {name}\n" not in text:
            broken.append(f"{selection.relative_to(root)}:1: does not select {name}")
        known = "".join(re.findall(r'#error "[^"]*"', text))
        if not re.search(rf"\b{name}a?\b", known.replace("_", "")):
            broken.append(f"{selection.relative_to(root)}:1: its errors do not name {name} among those that are known")
    return broken


def broken_rules(root):
    files = sorted(path.relative_to(root).as_posix() for top in ("ck_tile", "ops") for path in (root / top).rglob("*")
                   if path.suffix in (".hpp", ".cpp"))
    return [reason for path in files for reason in broken_in(root, path)] + broken_architectures(root)


class Tree(unittest.TestCase):
    def test_keeps_its_layers(self):
        broken = broken_rules(ROOT)
        self.assertFalse(broken, "\n" + "\n".join(broken))


    def test_one_header_has_the_whole_vocabulary(self):
        """All verbs, that is, and what of the layers above and below them is for users."""
        text = (ROOT / "ck_tile/ck_tile.hpp").read_text(encoding="utf-8")
        words = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "ck_tile/verbs").glob("*.hpp"))]
        self.assertEqual([word for word in words if f'#include "{word}"' not in text], [])


class Rules(unittest.TestCase):
    """Each rule, broken in a small tree."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("ck_tile/targets/selection.hpp", '#define CK_TILE_TARGET a1\n#error "it knows a1"\n')
        for header in FOLDER:
            self.write(f"ck_tile/targets/a1/{header}", "")
        self.write("ck_tile/targets/host/matrix.hpp", "")
        self.write("ck_tile/core/tile.hpp", "")
        self.write("ck_tile/verbs/copy.hpp", '#include "ck_tile/core/tile.hpp"\n')
        self.assertEqual(broken_rules(self.root), [])

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def expect(self, path, text, *parts):
        self.write(path, text)
        broken = broken_rules(self.root)
        self.assertEqual(len(broken), 1, broken)
        for part in parts:
            self.assertIn(part, broken[0])

    def test_includes_run_downwards(self):
        self.expect("ck_tile/core/tile.hpp", '\n#include "ck_tile/verbs/copy.hpp"\n', "ck_tile/core/tile.hpp:2:",
                    "ck_tile/verbs/copy.hpp", "upwards from core to verbs")

    def test_primitives_are_below_the_core(self):
        self.expect("ck_tile/targets/a1/primitives.hpp", '#include "ck_tile/core/tile.hpp"\n',
                    "ck_tile/targets/a1/primitives.hpp:1:", "upwards from primitives to core")

    def test_headers_that_the_architecture_decides_are_followed(self):
        self.write("ck_tile/targets/execution.hpp", "#include CK_TILE_TARGET_HEADER(matrix.hpp)\n")
        broken = broken_rules(self.root)
        self.assertEqual([reason.split(",")[0] for reason in broken],
                         [f"ck_tile/targets/execution.hpp:1: includes ck_tile/targets/{folder}/matrix.hpp" for folder in ("a1", "host")])

    def test_included_files_exist(self):
        self.expect("ops/a.cpp", '#include "ops/b.hpp"\n', "ops/a.cpp:1: there is no ops/b.hpp")

    def test_every_file_has_a_layer(self):
        self.expect("ck_tile/attic/tile.hpp", "", "ck_tile/attic/tile.hpp:1: no layer")

    def test_architectures_are_told_apart_in_their_folders(self):
        for condition in ("defined(__NVPTX__)", "defined(__gfx942__)", "__CUDA_ARCH__ == 900", "defined(__HIP__)"):
            self.expect("ops/a.hpp", f"// a\n#if {condition}\n#endif\n", "ops/a.hpp:2: asks for")
        self.write("ops/a.hpp", "// __NVPTX__ in a comment\n")
        self.write("ck_tile/targets/a1/matrix.hpp", "#if defined(__gfx942__)\n#endif\n")
        self.assertEqual(broken_rules(self.root), [])

    def test_intrinsics_are_in_their_folders(self):
        for intrinsic in ("__builtin_amdgcn_s_barrier();", "__nvvm_bar_sync(0);", 'asm volatile("");'):
            self.expect("ck_tile/verbs/copy.hpp", f"void f() {{ {intrinsic} }}\n", "ck_tile/verbs/copy.hpp:1: uses")

    def test_architectures_are_whole(self):
        self.expect("ck_tile/targets/selection.hpp", '#error "it knows a1"\n', "does not select a1")
        self.expect("ck_tile/targets/selection.hpp", "#define CK_TILE_TARGET a1\n", "do not name a1")
        self.setUp()
        (self.root / "ck_tile/targets/a1/matrix.hpp").unlink()
        self.assertEqual(broken_rules(self.root), ["ck_tile/targets/a1:1: has no matrix.hpp"])


if __name__ == "__main__":
    sys.exit(unittest.main())

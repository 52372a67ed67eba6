#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of tile_engine_configs/generate.py, as its users call it, on files of their own.

usage: generate_test.py COMPILER FLAGS CACHE [TEST...]
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "tile_engine_configs"
OPERATION = "grouped_conv_bwd_weight"
COMPILER, FLAGS, CACHE = sys.argv[1:4]

SET = {"dtype": "fp16", "spatial": 2, "dense": "channels", "block": {"m": 128, "n": 128, "k": 32}, "waves": {"m": 1, "n": 2},
       "instruction": "mfma_16x16x16_fp16", "pipeline": "single_buffer", "stages": 1,
       "epilogue": "through_lds", "split": "any_split", "vector": {"out": 8, "in": 8, "wei": 8}}


def changed(**fields):
    return {**SET, **fields}


class Generate(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.folder / OPERATION / "gfx942.json"
        self.file.parent.mkdir()

    def write(self, *sets, **document):
        self.file.write_text(json.dumps({"target": "gfx942", "sets": list(sets), **document}))

    def run_it(self, command, *options, operation=OPERATION):
        return subprocess.run(
            [sys.executable, str(ENGINE / "generate.py"), command, "--operation", operation, "--configurations",
             str(self.folder), "--compiler", COMPILER, f"--flags={FLAGS}", "--cache", CACHE, *options],
            capture_output=True, text=True)

    def answer(self, command, *options):
        done = self.run_it(command, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.rstrip("\n")

    def assert_rejected(self, reason, *options, operation=OPERATION, command="list"):
        done = self.run_it(command, *options, operation=operation)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.rstrip("\n"), f"generate.py: {reason}")

    # ---- what sets stand for

    def test_lists_and_ranges_are_combined(self):
        self.write(changed(block={"m": {"min": 64, "max": 128, "step": 64}, "n": [64, 128], "k": 32}))
        self.assertEqual([line.split("_")[8] for line in self.answer("list").split("\n")],
                         ["block64x64x32", "block64x128x32", "block128x64x32", "block128x128x32"])

    def test_a_list_of_structs_is_a_list_of_alternatives(self):
        self.write(changed(vector=[{"out": 8, "in": [4, 8], "wei": 8}, {"out": 1, "in": 1, "wei": 1}]))
        self.assertEqual([line.split("_")[-1] for line in self.answer("list").split("\n")],
                         ["vector8x4x8", "vector8x8x8", "vector1x1x1"])

    def test_what_two_sets_give_is_one_instance(self):
        self.write(SET, changed(spatial=[1, 2]))
        self.assertEqual(self.answer("count"), "gfx942: expanded 2, kept 2, rejected 0")

    def test_count_and_explain_say_why(self):
        self.write(changed(instruction=["mfma_16x16x16_fp16", "mfma_16x16x16_bf16", "wmma_16x16x16_fp16"], spatial=[2, 4]))
        counts = ("gfx942: expanded 6, kept 1, rejected 5 (spatial dimensions must be 1, 2 or 3: 3, "
                  "the matrix instruction must multiply the type of the problem: 1, "
                  "the architecture must have the matrix instruction: 1)")
        self.assertEqual(self.answer("count"), counts)
        explained = self.answer("explain").split("\n")
        self.assertEqual(explained[:3], [counts, "  3 x spatial dimensions must be 1, 2 or 3",
                                         "      spatial dimensions must be 1, 2 or 3, but one is 4: choose one of them"])
        self.assertIn("      the architecture must have the matrix instruction, but one is wmma_16x16x16_fp16: choose one of "
                      "its own", explained)

    def test_filters(self):
        self.write(changed(block={"m": [64, 128], "n": [64, 128], "k": 32}, dtype=["fp16"]))
        self.assertEqual(self.answer("count", "--filter", "block.m >= 128 and dtype == 'fp16'", "--filter", "block.n < 100"),
                         "gfx942: expanded 4, kept 1, rejected 0, left out by filters 3")

    def test_generated_sources_change_only_where_the_configuration_did(self):
        def generate():
            self.answer("list")
            done = self.run_it("generate", "--output", str(self.folder / "out"), "--gpu-targets", "gfx942")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{OPERATION}, gfx942: expanded", done.stderr)
            return {path.name: (path.read_text(), path.stat().st_mtime_ns) for path in (self.folder / "out").iterdir()}

        self.write(SET, changed(spatial=3))
        before = generate()
        self.assertEqual(len(before), 4)  # two instances, the kernels that they share, the registry
        self.assertIn(".block = {.m = 128, .n = 128, .k = 32}", before["registry.cpp"][0])
        self.write(SET, changed(spatial=1))
        after = generate()
        same = {name for name in before if after.get(name) == before[name]}
        self.assertEqual(len(after), 4)
        self.assertEqual({name for name in before if name not in same and name != "registry.cpp"},
                         {name for name in before if "spatial3" in name})

    # ---- what is rejected

    def test_documents(self):
        self.assert_rejected(f"{self.folder}/{OPERATION}/gfx942.json: there is no such file; targets with one: none",
                             "--targets", "gfx942")
        self.file.write_text("{")
        self.assert_rejected(f"{self.file}: not JSON: Expecting property name enclosed in double quotes: line 1 column 2 "
                             "(char 1)")
        self.write(SET, author="me")
        self.assert_rejected(f"{self.file}: unknown key 'author'; allowed are target and sets")
        self.write(SET, target="gfx90a")
        self.assert_rejected(f'{self.file}: target is "gfx90a"; it must be that of the file\'s name, "gfx942"')
        self.write()
        self.assert_rejected(f"{self.file}: sets must be a list of at least one set")

    def test_operations(self):
        self.assert_rejected(f"operation 'softmax' has no configurations; known: {OPERATIONS}", operation="softmax")

    def test_sets(self):
        def expect(entry, reason):
            self.write(SET, entry)
            self.assert_rejected(f"{self.file}: sets[1]{reason}")

        members = "dtype, spatial, dense, block, waves, instruction, pipeline, stages, epilogue, split, vector"
        expect(changed(tile=1), f": unknown key 'tile'; allowed are {members}")
        expect({k: v for k, v in SET.items() if k != "waves"}, f": waves is missing; there must be {members}")
        expect(changed(dtype="fp8"), '.dtype: "fp8" is not allowed: choose from fp16, bf16, fp32')
        expect(changed(spatial="2"), '.spatial: "2" is not allowed: give a whole number')
        expect(changed(spatial=True), ".spatial: true is not allowed: give a whole number")
        expect(changed(spatial=[]), ".spatial: the list is empty: give at least one value")
        expect(changed(block=[]), ".block: the list is empty: give at least one value")
        expect(changed(block=128), ".block: 128 is not allowed: give an object with m, n, k")
        expect(changed(block={"m": 1, "n": 1, "k": 1, "l": 1}), ".block: unknown key 'l'; allowed are m, n, k")
        expect(changed(spatial={"min": 1, "max": 3}), ".spatial: a range has the keys min, max and step, not min, max")
        expect(changed(spatial={"min": 3, "max": 1, "step": 1}),
               '.spatial: a range goes from min up to max by a step of 1 or more, not {"min": 3, "max": 1, "step": 1}')
        expect(changed(spatial={"min": 1, "max": 3, "step": 0.5}), ".spatial.step: 0.5 is not allowed: give a whole number")

    def test_arguments(self):
        self.write(SET)
        fields = ("arch, dtype, spatial, dense, block.m, block.n, block.k, waves.m, waves.n, instruction, pipeline, stages, epilogue, split, "
                  "vector.out, "
                  "vector.in, vector.wei")
        self.assert_rejected("filter 'tile.m > 1': there is no field tile.m; there are " + fields, "--filter", "tile.m > 1")
        self.assert_rejected("filter 'block.m >': invalid syntax", "--filter", "block.m >")
        self.assert_rejected("filter 'print(1)': Call is not allowed: compare and combine fields and values", "--filter",
                             "print(1)")
        self.assert_rejected("generate needs --output FOLDER", command="generate")


class Repository(unittest.TestCase):
    """The files that the repository itself has."""

    def test_schemas_are_current(self):
        for path in ENGINE.glob("*/schema.json"):
            done = subprocess.run([sys.executable, str(ENGINE / "generate.py"), "schema", "--operation", path.parent.name,
                                   "--compiler", COMPILER, f"--flags={FLAGS}", "--cache", CACHE],
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, path.read_text(), f"{path}: write it with generate.py schema")


OPERATIONS = ", ".join(sorted(path.parent.name for path in ENGINE.glob("*/config_tool.cpp")))

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of tile_engine_configs/generate.py, as its users call it, on files of their own.

usage: generate_test.py COMPILER FLAGS CACHE [TEST...]
"""

import itertools
import json
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "tile_engine_configs"
COMPILER, FLAGS, CACHE = sys.argv[1:4]

OPERATION = "groupnorm_bwd"
SET = {"dtype": "fp16", "dense": "channels", "pass": "sums", "vector": 8, "waves": 4, "steps": 4}


def changed(**fields):
    return {**SET, **fields}


def run_it(command, operation, *options, preexec_fn=None):
    return subprocess.run([sys.executable, str(ENGINE / "generate.py"), command, "--operation", operation, "--compiler", COMPILER,
                           f"--flags={FLAGS}", "--cache", CACHE, *options], capture_output=True, text=True, preexec_fn=preexec_fn)


class Files(unittest.TestCase):
    """What a test of files of its own needs."""

    operation = OPERATION

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.path("gfx942")
        self.file.parent.mkdir()

    def path(self, target):
        return self.folder / self.operation / f"{target}.json"

    def write(self, *sets, **document):
        self.file.write_text(json.dumps({"target": "gfx942", "sets": list(sets), **document}))

    def write_like(self, target, like, **document):
        self.path(target).write_text(json.dumps({"target": target, "like": like, **document}))

    def answer(self, command, *options):
        done = run_it(command, self.operation, "--configurations", str(self.folder), *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.rstrip("\n")

    def names(self, *options):
        """The instances' names without the operation."""
        return [line.removeprefix(self.operation + "_") for line in self.answer("list", *options).split("\n") if line]

    def assert_rejected(self, reason, *options, operation=None, command="list"):
        done = run_it(command, operation or self.operation, "--configurations", str(self.folder), *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.rstrip("\n"), f"generate.py: {reason}")


class Sets(Files):
    """What sets stand for."""

    def test_lists_and_ranges_are_combined(self):
        self.write(changed(waves={"min": 4, "max": 8, "step": 4}, steps=[2, 4]))
        self.assertEqual(self.names(), [f"gfx942_fp16_channels_sums_vector8_waves{waves}_steps{steps}_cluster1"
                                        for waves in (4, 8) for steps in (2, 4)])

    def test_fields_that_are_left_out_have_the_default_of_the_struct(self):
        self.write(SET)
        self.assertEqual(self.names()[0].split("_")[-1], "cluster1")

    def test_what_two_sets_give_is_one_instance(self):
        self.write(SET, changed(steps=[2, 4], cluster=1))
        self.assertEqual(self.answer("count"), "gfx942: expanded 2, kept 2, rejected 0")

    def test_count_and_explain_say_why(self):
        self.write(changed(vector=[3, 8], cluster=[1, 2], steps=[0, 4]))
        counts = ("gfx942: expanded 8, kept 1, rejected 7 (the vector width must be a power of two of at most 16 bytes: 4, "
                  "a thread must hold at least one vector: 2, a cluster must not have more workgroups than the architecture "
                  "lets: 1)")
        self.assertEqual(self.answer("count"), counts)
        explained = self.answer("explain").split("\n")
        self.assertEqual(explained[:3], [counts, "  4 x the vector width must be a power of two of at most 16 bytes",
                                         "      the vector width must be a power of two of at most 16 bytes, but one is 3: "
                                         "use 1, 2, 4 or 8"])
        self.assertIn("      in arch gfx942, dtype fp16, dense channels, pass sums, vector 8, waves 4, steps 0, cluster 1", explained)

    def test_filters(self):
        self.write(changed(waves=[2, 4], steps=[2, 4], dtype=["fp16", "bf16"]))
        self.assertEqual(self.answer("count", "--filter", "waves >= 4 and dtype == 'fp16'", "--filter", "steps < 3"),
                         "gfx942: expanded 8, kept 1, rejected 0, left out by filters 7")

    def test_generated_sources_change_only_where_the_configuration_did(self):
        def generate():
            self.answer("list")
            done = run_it("generate", self.operation, "--configurations", str(self.folder), "--output",
                          str(self.folder / "out"), "--gpu-targets", "gfx942")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{OPERATION}, gfx942: expanded", done.stderr)
            return {path.name: (path.read_text(), path.stat().st_mtime_ns) for path in (self.folder / "out").iterdir()}

        self.write(SET, changed(steps=3))
        before = generate()
        self.assertEqual(len(before), 5)  # two instances, the kernels that they share, in fp16 and in fp32, the registry
        self.assertIn(".pass = groupnorm::pass::sums, .vector = 8", before["registry.cpp"][0])
        self.write(SET, changed(steps=5))
        after = generate()
        same = {name for name in before if after.get(name) == before[name]}
        self.assertEqual(len(after), 5)
        self.assertEqual({name for name in before if name not in same and name != "registry.cpp"},
                         {name for name in before if "steps3" in name})

    def test_a_set_beside_the_librarys(self):
        self.write(SET, changed(vector=3))
        output = self.folder / "out"
        done = run_it("generate", self.operation, "--configurations", str(self.folder), "--output", str(output), "--set", "mine",
                      "--gpu-targets", "gfx942")
        self.assertEqual(done.returncode, 0, done.stderr)
        known = (output / "instance_set.cpp").read_text()
        self.assertIn("std::array<instance<operation>, 1>", known)
        self.assertIn("const char instance_set_mine = 0;", known)
        self.assertEqual(sorted(path.stem for path in output.glob("*.cpp")),
                         ["groupnorm_bwd_gfx942_fp16_channels_sums_vector8_waves4_steps4_cluster1", "instance_set"])

        self.write(changed(vector=3))
        done = run_it("generate", self.operation, "--configurations", str(self.folder), "--output", str(output), "--set", "mine")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{self.file}: of 1 configurations none is legal: ", done.stderr)

    def test_kernels_of_a_family(self):
        out = self.folder / "out"
        out.mkdir()
        (out / "grouped_conv_support_gfx950_fp16.cpp").write_text("of a target that is built no more")
        options = ["--kernels", "sum,repack", "--targets", "gfx942,sm90", "--types", "fp16,fp32", "--output", str(out)]
        done = run_it("support", "grouped_conv", *options, "--gpu-targets", "gfx942")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = [f"grouped_conv_support_{target}_{dtype}.cpp" for target in ("gfx942", "sm90") for dtype in ("fp16", "fp32")]
        self.assertEqual(done.stdout.splitlines(), [f"gfx942;{out / names[0]}", f"gfx942;{out / names[1]}",
                                                    f"sm90;{out / names[2]};cpu", f"sm90;{out / names[3]};cpu"])
        self.assertEqual(sorted(path.name for path in out.iterdir()), names)
        self.assertIn("CK_TILE_KERNEL(grouped_conv_repack_sm90_fp16, ck_tile::grouped_conv::repack_program<"
                      "ck_tile::architecture::sm90, ck_tile::data_type::fp16>)", (out / names[2]).read_text())
        self.assert_rejected("'softmax' has no kernels that operations share: write ops/softmax/support_kernels.hpp",
                             operation="softmax", command="support")
        self.assert_rejected("support needs --types", *options[:4], operation="grouped_conv", command="support")

    def test_operations_name_kernels_of_a_family(self):
        done = run_it("generate", "narrow_conv_fwd", "--targets", "gfx942", "--filter", "dtype == 'fp16'", "--output",
                      str(self.folder / "out"), "--gpu-targets", "gfx942")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stdout.splitlines() if "support" in line], [])
        registry = (self.folder / "out" / "registry.cpp").read_text()
        self.assertIn("{architecture::gfx942, data_type::fp16, {&grouped_conv_repack_gfx942_fp16, "
                      "&grouped_conv_forward_reference_gfx942_fp16}},", registry)
        self.assertIn("extern const bool code_object_grouped_conv_support_gfx942_fp16;", registry)

    def test_tuned_tables_are_in_the_registry(self):
        def generate(table):
            folder = self.folder / self.operation / "tuned"
            folder.mkdir(exist_ok=True)
            (folder / "gfx942.json").write_text(json.dumps(table))
            (folder / "gfx11.json").write_text("not asked for")
            return run_it("generate", self.operation, "--configurations", str(self.folder), "--targets", "gfx942", "--output",
                          str(self.folder / "out"))

        self.write(SET)
        table = {"operation": self.operation, "choices": [{"target": "hip:gfx942", "problem": {"N": 1}, "instance": "x", "splits": 1}]}
        self.assertEqual(generate(table).returncode, 0)
        self.assertIn('{architecture::gfx942, R"json(' + json.dumps(table) + ')json"}', (self.folder / "out" / "registry.cpp").read_text())
        for wrong in ([], {**table, "operation": "other"}, {**table, "choices": [{**table["choices"][0], "target": "hip:gfx90a"}]},
                      {**table, "choices": [{**table["choices"][0], "target": "host:gfx942"}]}):
            done = generate(wrong)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.endswith(f"gfx942.json: give a tuned table of {self.operation}, as --tune writes it, measured on "
                                                 "GPUs whose targets end in :gfx942\n"), done.stderr)


class Structs(Files):
    """Fields that are structs."""

    operation = "grouped_conv_bwd_weight"

    def setUp(self):
        super().setUp()
        self.set = json.loads((ENGINE / self.operation / "gfx942.json").read_text())["sets"][1]
        self.set |= {"spatial": 2, "instruction": "mfma_16x16x16_fp16"} | ({"dtype": "fp16"} if "dtype" in self.set else {})

    def names_of(self, **fields):
        self.write({**self.set, **fields})
        return self.names()

    def test_lists_inside_are_combined(self):
        names = self.names_of(block={"m": {"min": 64, "max": 128, "step": 64}, "n": [64, 128], "k": 32})
        self.assertEqual([next(word for word in name.split("_") if word.startswith("block")) for name in names],
                         ["block64x64x32", "block64x128x32", "block128x64x32", "block128x128x32"])

    def test_a_list_is_one_of_alternatives(self):
        names = self.names_of(vector=[{"out": 8, "in": [4, 8], "wei": 8}, {"out": 1, "in": 1, "wei": 1}])
        self.assertEqual([name.split("_")[-1] for name in names], ["vector8x4x8", "vector8x8x8", "vector1x1x1"])

    def test_filters_see_inside_and_the_type_that_the_instruction_implies(self):
        self.write({**self.set, "block": {"m": [64, 128], "n": [64, 128], "k": 32}})
        options = ("--filter", "block.m >= 128 and block.n < 100 and dtype == 'fp16'")
        self.assertIn("kept 1,", self.answer("count", *options))
        self.assertIn("kept 0,", self.answer("count", "--filter", "dtype == 'bf16'"))

    def test_rejections(self):
        def expect(reason, **fields):
            self.write({**self.set, **fields})
            self.assert_rejected(f"{self.file}: sets[0]{reason}")

        expect(".block: the list is empty: give at least one value", block=[])
        steps = {"min": 1, "max": 250, "step": 1}
        expect(".block: stands for 125000 combinations, at most 100000 are allowed: give fewer values",
               block=[{"m": steps, "n": steps, "k": 1}] * 1000)
        expect(".block: 128 is not allowed: give an object with m, n, k", block=128)
        expect(".block: unknown key 'l'; allowed are m, n, k", block={"m": 1, "n": 1, "k": 1, "l": 1})
        expect(".block: k is missing; there must be m, n, k", block={"m": 1, "n": 1})


class Like(Files):
    """Files that say how they differ from another."""

    def test_has_the_sets_of_the_other_target(self):
        self.write(SET, changed(steps=[6, 7]))
        self.write_like("gfx90a", "gfx942")
        self.assertEqual(self.names("--targets", "gfx90a"),
                         [name.replace("gfx942", "gfx90a") for name in self.names("--targets", "gfx942")])

    def test_replaces_and_adds(self):
        self.write(SET, changed(steps=6, waves=8), changed(dense="spatial", waves=2))
        self.write_like("gfx90a", "gfx942", sets=[changed(steps=5)],
                        replace=[{"where": {"waves": 4}, "by": {"waves": 8}}, {"where": {"waves": 8}, "by": {"waves": 4}},
                                 {"where": {"dense": "spatial", "waves": [1, 2]}, "by": {"steps": 3, "vector": 4}}])
        self.assertEqual([name.removeprefix("gfx90a_fp16_") for name in self.names("--targets", "gfx90a")],
                         ["channels_sums_vector8_waves8_steps4_cluster1", "channels_sums_vector8_waves4_steps6_cluster1",
                          "spatial_sums_vector4_waves2_steps3_cluster1", "channels_sums_vector8_waves4_steps5_cluster1"])

    def test_chains(self):
        self.write(SET)
        self.write_like("gfx11", "gfx942", replace=[{"where": {"steps": 4}, "by": {"steps": 5}}])
        self.write_like("gfx90a", "gfx11", replace=[{"where": {"steps": 5}, "by": {"waves": 2}}])
        self.assertEqual(self.names("--targets", "gfx90a"), ["gfx90a_fp16_channels_sums_vector8_waves2_steps5_cluster1"])

    def test_what_is_legal_is_the_targets_own_matter(self):
        self.write(changed(**{"pass": "whole", "cluster": 2}))
        self.path("sm90").write_text(json.dumps({"target": "sm90", "like": "gfx942"}))
        self.assertEqual([line.split(",")[1] for line in self.answer("count").split("\n")], [" kept 0", " kept 1"])

    def test_rejections(self):
        def expect(reason, like="gfx942", **document):
            self.write_like("gfx90a", like, **document)
            self.assert_rejected(reason, "--targets", "gfx90a")

        self.write(SET)
        here = self.path("gfx90a")
        fields = "dtype, dense, pass, vector, waves, steps, cluster"
        expect(f"{here}: gfx90a like gfx90a goes in a circle: give sets to one of them", like="gfx90a")
        expect(f"{self.path('gfx11')}: there is no such file; targets with one: gfx90a, gfx942", like="gfx11")
        expect(f"{here}: like is 1; name a target that has a file", like=1)
        expect(f"{here}: sets must be a list of at least one set", sets=[])
        expect(f"{here}: replace: give a list of at least one rule", replace={})
        expect(f'{here}: replace[0]: {{"where": {{"waves": 4}}}} is not allowed: give {{"where": {{field: value}}, "by": {{field: '
               f'value}}}}', replace=[{"where": {"waves": 4}}])
        rule = {"where": {"waves": 4}, "by": {"waves": 8}}
        expect(f"{here}: replace[1]: there is no field block.m; there are {fields}",
               replace=[rule, {"where": {"block.m": 4}, "by": {"waves": 8}}])
        expect(f'{here}: replace[0]: no combination has {{"waves": 3}}: leave the rule out',
               replace=[{"where": {"waves": 3}, "by": {"waves": 8}}])
        expect(f'{here}: replace[0].by.dense: "width" is not allowed: choose from channels, spatial',
               replace=[{"where": {"waves": 4}, "by": {"dense": "width"}}])
        self.write_like("gfx942", "gfx90a")
        expect(f"{here}: gfx90a like gfx942 like gfx90a goes in a circle: give sets to one of them")
        self.write(SET, replace=[rule])
        self.assert_rejected(f"{self.file}: replace changes the sets of another file: name its target as like", "--targets",
                             "gfx942")


class Rejections(Files):
    def test_documents(self):
        self.assert_rejected(f"{self.file}: there is no such file; targets with one: none", "--targets", "gfx942")
        self.file.write_text("{")
        self.assert_rejected(f"{self.file}: not JSON: Expecting property name enclosed in double quotes: line 1 column 2 "
                             "(char 1)")
        self.write(SET, author="me")
        self.assert_rejected(f"{self.file}: unknown key 'author'; allowed are target, like, replace and sets")
        self.write(SET, target="gfx90a")
        self.assert_rejected(f'{self.file}: target is "gfx90a"; it must be that of the file\'s name, "gfx942"')
        self.write()
        self.assert_rejected(f"{self.file}: sets must be a list of at least one set")

    def test_bytes_and_brackets(self):
        self.file.write_bytes(b'{"target": "caf\xe9"}')
        self.assert_rejected(f"{self.file}: not UTF-8: byte 15 is 0xe9: save it as UTF-8")
        too_deep = f"{self.file}: its brackets are nested more than 32 deep: give a field a value, a list or a struct"
        for depth in (33, 900, 200_000):
            for text in ("[" * depth + "]" * depth, '{"a": ' * depth + "1" + "}" * depth):
                self.file.write_text(text)
                self.assert_rejected(too_deep)
        self.file.write_text("[" * 32 + "]" * 32)
        self.assert_rejected(f"{self.file}: give an object with target and sets or like")
        self.file.write_text('{"target": "gfx942", "sets": ' + "[" * 31 + "]" * 31 + "}")
        self.assert_rejected(f"{self.file}: sets[0]: the list is empty: give at least one value")

    def test_what_is_no_file_or_folder(self):
        self.write(SET)
        here, other = self.path("gfx90a"), self.folder / "file"
        here.mkdir()
        other.write_text("")
        cannot = "cannot be read or written"
        self.assert_rejected(f"{here} {cannot} (Is a directory): choose another path", "--targets", "gfx90a")
        self.assert_rejected(f"{here} {cannot} (Is a directory): choose another path", "--select", "test", "--rules", str(here))
        for option in ("--cache", "--output"):
            done = run_it("generate", self.operation, "--configurations", str(self.folder), "--targets", "gfx942", option,
                          str(other / "in"))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr.split("\n")[-2],
                             rf"^generate.py: {other}/in\S* {cannot} \(Not a directory\): choose another path$")
        for like in ("../gfx942", "a\0b", "", "."):
            self.write_like("gfx11", like)
            self.assert_rejected(f"{self.path('gfx11')}: like is {json.dumps(like)}; name a target that has a file", "--targets",
                                 "gfx11")

    def test_rules(self):
        self.write(SET)
        rules = self.folder / "rules.json"
        for document, reason in (([], ": give an object with rules, a list of objects"), ({"rules": [1]}, ": give an object with "
                                  "rules, a list of objects"), ({"rules": [{"kernel": 1}]}, ": rules[0]: kernel, kernel_regex and "
                                  "arch must be texts, or arch a list of them"), ({"rules": [{"kernel_regex": "("}]},
                                  ': rules[0].kernel_regex: "(" is no regular expression: missing ), unterminated subpattern at '
                                  "position 0")):
            rules.write_text(json.dumps(document))
            self.assert_rejected(f"{rules}{reason}", "--select", "test", "--rules", str(rules))

    def test_compilers(self):
        for compiler, why in ((str(self.folder / "none"), "No such file or directory"), (str(self.folder), "Permission denied")):
            self.assert_rejected(f"the compiler '{compiler}' cannot be run ({why}): name a clang++ with --compiler", "--cache",
                                 str(self.folder / "cache"), "--compiler", compiler)
        program = self.folder / "cache" / f"{self.operation}_config_tool"
        program.write_text("")
        program.with_suffix(".d").write_text("a:")
        self.assert_rejected(f"{program} cannot be run (Permission denied): remove it, so that it is compiled again", "--cache",
                             str(program.parent))
        program.write_text("#!/bin/sh\nexit 3\n")
        program.chmod(0o700)
        self.assert_rejected(f"{program} fields ended with 3: give smaller numbers, or remove it, so that it is compiled again",
                             "--cache", str(program.parent))
        program.with_suffix(".d").write_text("")  # of a compiler that was ended
        self.assert_rejected("the compiler 'none' cannot be run (No such file or directory): name a clang++ with --compiler",
                             "--cache", str(program.parent), "--compiler", "none")

    def test_output_that_cannot_be_written(self):
        self.write(SET)
        command = [sys.executable, str(ENGINE / "generate.py"), "list", "--operation", OPERATION, "--compiler", COMPILER,
                   f"--flags={FLAGS}", "--cache", CACHE, "--configurations", str(self.folder)]
        for redirection, why in (("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            done = subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", *command], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (2, f"generate.py: standard output cannot be read or written ({why}): "
                                                                 "choose another path\n"))

    def test_no_room_for_sources(self):
        self.write(SET)
        self.answer("list")
        done = run_it("generate", self.operation, "--configurations", str(self.folder), "--output", str(self.folder / "out"),
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)))
        source = self.folder / "out" / f"{OPERATION}_gfx942_fp16_channels_sums_vector8_waves4_steps4_cluster1.cpp"
        self.assertEqual((done.returncode, done.stdout, done.stderr.split("\n")[1:]),
                         (2, "", [f"generate.py: {source} cannot be read or written (File too large): choose another path", ""]))

    def test_messages_are_one_short_line(self):
        self.write(changed(dtype="\x1b[2J\n\u009b"))
        self.assert_rejected(rf'{self.file}: sets[0].dtype: "\u001b[2J\n\u009b" is not allowed: choose from fp16, bf16, fp32')
        self.write({**SET, "\x1b[2J": 1}, SET)
        done = run_it("list", self.operation, "--configurations", str(self.folder))
        self.assertNotIn("\x1b", done.stderr)
        self.write(changed(dtype="x" * 1000))
        self.assert_rejected(f'{self.file}: sets[0].dtype: "{"x" * 99}... is not allowed: choose from fp16, bf16, fp32')

    def test_operations(self):
        self.assert_rejected(f"operation 'softmax' is not described; known: {', '.join(OPERATIONS)}", operation="softmax")

    def test_sets(self):
        def expect(entry, reason):
            self.write(SET, entry)
            self.assert_rejected(f"{self.file}: sets[1]{reason}")

        members = "dtype, dense, pass, vector, waves, steps, cluster"
        expect(changed(tile=1), f": unknown key 'tile'; allowed are {members}")
        expect({k: v for k, v in SET.items() if k != "waves"},
               ": waves is missing; there must be dtype, dense, pass, vector, waves, steps")
        expect(changed(dtype="int32"), '.dtype: "int32" is not allowed: choose from fp16, bf16, fp32')
        expect(changed(steps="2"), '.steps: "2" is not allowed: give a whole number')
        expect(changed(steps=True), ".steps: true is not allowed: give a whole number")
        expect(changed(steps=2**31), ".steps: 2147483648 is not allowed: give a number of 32 bits")
        self.file.write_text(json.dumps({"target": "gfx942", "sets": [SET]}).replace("8", "1" + "0" * 10_000))
        self.assert_rejected(f"{self.file}: 1{'0' * 19}... is not allowed: give a number of 32 bits")
        expect(changed(steps=[]), ".steps: the list is empty: give at least one value")
        expect(changed(steps={"min": 1, "max": 3}), ".steps: a range has the keys min, max and step, not [\"min\", \"max\"]")
        expect(changed(steps={"min": 3, "max": 1, "step": 1}),
               '.steps: a range goes from min up to max by a step of 1 or more, not {"min": 3, "max": 1, "step": 1}')
        expect(changed(steps={"min": 1, "max": 3, "step": 0.5}), ".steps.step: 0.5 is not allowed: give a whole number")
        many = "combinations, at most 100000 are allowed: give fewer values"
        expect(changed(steps={"min": 1, "max": 2**31 - 1, "step": 1}), f".steps: stands for 2147483647 {many}")
        expect(changed(steps={"min": 1, "max": 1000, "step": 1}, waves={"min": 1, "max": 1000, "step": 1}),
               f": stands for 1000000 {many}")

    def test_arguments(self):
        self.write(SET)
        fields = "arch, dtype, dense, pass, vector, waves, steps, cluster"
        self.assert_rejected("filter 'tile.m > 1': there is no field tile.m; there are " + fields, "--filter", "tile.m > 1")
        self.assert_rejected("filter 'steps >': invalid syntax", "--filter", "steps >")
        name = "a" * 100
        self.assert_rejected(f"filter '{name}'...: has 2001 letters, at most 2000 are allowed: give several filters", "--filter",
                             "a" * 2001)
        for nested in ("(" * 900 + "1" + ")" * 900, "not " * 499 + "1", "-" * 1999 + "1", "arch" + ".a" * 990, "1" + "+1" * 900,
                       "[" * 150 + "]" * 150):
            done = run_it("list", self.operation, "--configurations", str(self.folder), f"--filter={nested}")
            if done.returncode != 0:  # what Python can compile, it does
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr[-300:])
                self.assertTrue(done.stderr.startswith("generate.py: filter "), done.stderr)
        for operand, rest in (("dtype", " * 9999999999"), ("'a'", " * 9999999999"), ("[0]", " * 9999999999"),
                              ("'%09999999999d'", " % 1"), ("(dtype or 1)", " + 1")):
            long, operand = operand + rest, operand.strip("()")
            self.assert_rejected(f"filter {long!r}: {operand} is not allowed in arithmetic: give a number", "--filter", long)
        self.assert_rejected("filter 'steps / 0': division by zero", "--filter", "steps / 0")
        self.assert_rejected("filter '9 ** 9 ** 9': Pow is not allowed: compare and combine fields and values", "--filter",
                             "9 ** 9 ** 9")
        self.assert_rejected("filter 'print(1)': Call is not allowed: compare and combine fields and values", "--filter",
                             "print(1)")
        self.assert_rejected("generate needs --output FOLDER", command="generate")


class TestSet(Files):
    """--select test"""

    def setUp(self):
        super().setUp()
        self.choices = {"dtype": ["fp16", "bf16", "fp32"], "dense": ["channels", "spatial"], "pass": ["whole", "sums", "apply"]}
        self.write({**self.choices, "vector": [1, 2, 4], "waves": [1, 2, 4], "steps": [1, 2, 3, 4]})

    def selected(self, seed="a", *options):
        return self.names("--select", "test", "--seed", seed, *options)

    def test_has_each_pair_of_choices_for_each_type_and_each_number(self):
        found = [set(name.split("_")) for name in self.selected()]
        for values in itertools.product(*self.choices.values()):  # by the smallest, which can do what larger ones can
            self.assertTrue(any({*values, "vector1", "waves1", "steps1"} <= words for words in found), values)
        for number in ("vector1", "vector2", "vector4", "waves1", "waves2", "waves4", "steps1", "steps2", "steps3", "steps4"):
            self.assertTrue(any(number in words for words in found), number)

    def test_the_narrowest_vectors_come_before_the_smallest_numbers(self):
        self.write({**self.choices, "vector": 2, "waves": 1, "steps": 1}, {**self.choices, "vector": 1, "waves": 4, "steps": 4})
        found = [set(name.split("_")) for name in self.selected()]
        for values in itertools.product(*self.choices.values()):
            self.assertTrue(any({*values, "vector1"} <= words for words in found), values)

    def test_is_small_and_a_part_of_all(self):
        everything, found = self.names(), self.selected()
        self.assertEqual(found, [name for name in everything if name in found])
        # As many as there are combinations of choices, a few for the numbers, and the sample of a fiftieth.
        self.assertLess(len(found), 18 + 4 + 0.1 * len(everything))
        self.assertIn(f"left out by the test set {len(everything) - len(found)}",
                      self.answer("count", "--select", "test", "--seed", "a"))

    def test_has_instances_of_any_window(self):
        for operation in "narrow_conv_fwd", "narrow_conv_bwd_data", "narrow_conv_bwd_weight":
            done = run_it("list", operation, "--targets", "gfx942,gfx11,sm90", "--select", "test", "--seed", "none")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = {tuple(name.removeprefix(operation + "_").split("_")[:2]) for name in done.stdout.splitlines()
                     if "_group1_" in name and "_window0x" in name}
            types = {target: {dtype for of, dtype in found if of == target} for target in ("gfx942", "gfx11", "sm90")}
            self.assertEqual([types["gfx942"], types["gfx11"]], [{"fp16", "bf16", "fp32"}] * 2)
            self.assertIn(types["sm90"], ({"fp16", "fp32"}, {"bf16", "fp32"}))  # of which no rule speaks

    def test_targets_but_the_first_show_types_and_numbers_by_turns(self):
        self.path("sm90").write_text(self.file.read_text().replace("gfx942", "sm90"))  # like no other
        types, numbers = set(), set()
        for seed in "abcdefgh":
            found = [name.split("_") for name in self.selected(seed) if name.startswith("sm90_")]
            shown = {dtype for words in found for dtype in words if dtype in self.choices["dtype"]}
            self.assertEqual(len(shown), 2)
            self.assertIn("fp32", shown)
            types |= shown
            numbers |= {word for words in found for word in words}
        self.assertEqual(types, set(self.choices["dtype"]))
        for number in ("vector1", "vector2", "vector4", "waves1", "waves2", "waves4", "steps1", "steps2", "steps3", "steps4"):
            self.assertIn(number, numbers)

    def test_targets_but_the_first_show_what_it_has_no_way_to_compute(self):
        narrow = "_group1_.*_taps2_", "_group64_.*_lds", "_group32_.*_lds"
        clusters = [f"_{width}_{dense}_.*_cluster(?!1$)" for dense in ("channels", "spatial") for width in ("(fp16|bf16)", "fp32")]
        for operation, patterns in (("narrow_conv_fwd", narrow), ("narrow_conv_bwd_data", narrow), ("groupnorm_fwd", clusters),
                                    ("groupnorm_bwd", clusters)):
            for seed in "abc":
                done = run_it("list", operation, "--targets", "gfx942,sm90", "--select", "test", "--seed", seed)
                self.assertEqual(done.returncode, 0, done.stderr)
                found = [name for name in done.stdout.splitlines() if name.startswith(f"{operation}_sm90_")]
                for pattern in patterns:
                    self.assertTrue(any(re.search(pattern, name) for name in found), (operation, seed, pattern))

    def test_has_an_instance_of_any_window_for_each_layout_and_index(self):
        done = run_it("list", "maxpool_bwd", "--targets", "gfx942", "--select", "test", "--seed", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        for values in itertools.product(("fp16", "bf16", "fp32"), ("u8", "int32", "int64"), ("nhwc", "nchw")):
            self.assertIn(f"_{'_'.join(values)}_window0_", done.stdout)

    def test_the_seed_alone_draws_the_sample(self):
        self.assertEqual(self.selected("a"), self.selected("a"))
        self.assertNotEqual(self.selected("a"), self.selected("b"))

    def test_a_target_like_another_has_one_type_of_it(self):
        self.write_like("gfx90a", "gfx942", replace=[{"where": {"waves": 4}, "by": {"waves": 8}}])
        self.write_like("gfx950", "gfx942")
        found = [name.split("_") for name in self.selected()]
        self.assertEqual({dtype for target, dtype, *_ in found if target == "gfx942"}, set(self.choices["dtype"]))
        types = [{dtype for target, dtype, *_ in found if target == other} for other in ("gfx90a", "gfx950")]
        self.assertEqual([len(own) for own in types], [1, 1])
        self.assertNotEqual(*types)
        for other in ("gfx90a", "gfx950"):
            self.assertEqual({tuple(rest[:2]) for target, _, *rest in found if target == other},
                             set(itertools.product(self.choices["dense"], self.choices["pass"])))

    def test_an_operation_has_the_types_of_those_that_run_it(self):
        targets, needs = "gfx90a,gfx942,gfx950,gfx11,sm90", {"maxpool_bwd": "maxpool_fwd", "grouped_conv_conv_fwd": "grouped_conv_fwd"}
        for seed in "abcd":  # of which each 16-bit type is drawn for sm90
            types = {}
            for operation in {*needs, *needs.values()}:
                done = run_it("list", operation, "--targets", targets, "--select", "test", "--seed", seed)
                self.assertEqual(done.returncode, 0, done.stderr)
                words = [name.removeprefix(operation + "_").split("_") for name in done.stdout.splitlines()]
                types[operation] = {(each[0], dtype) for each in words for dtype in self.choices["dtype"] if dtype in each}
            for operation, needed in needs.items():
                self.assertLessEqual(types[operation], types[needed], f"{operation}, seed {seed}")

    def test_a_target_like_one_that_is_not_built_has_all_types(self):
        self.write_like("gfx90a", "gfx942")
        found = self.selected("a", "--targets", "gfx90a")
        self.assertEqual({name.split("_")[1] for name in found}, set(self.choices["dtype"]))

    def test_a_target_that_chooses_otherwise_has_all_types(self):
        self.write_like("gfx90a", "gfx942", replace=[{"where": {"dense": "spatial"}, "by": {"dense": "channels"}}])
        found = [name.split("_")[:2] for name in self.selected()]
        self.assertEqual({dtype for target, dtype in found if target == "gfx90a"}, set(self.choices["dtype"]))

    def test_an_eighth_of_what_is_for_absent_gpus_has_code(self):
        self.path("gfx90a").write_text(self.file.read_text().replace("gfx942", "gfx90a"))
        seen, output = set(), self.folder / "out"
        for seed in "abcdefgh":
            done = run_it("generate", self.operation, "--configurations", str(self.folder), "--output", str(output), "--seed", seed,
                          "--gpu-targets", "gfx90a,gfx942", "--absent-gpus", "gfx90a")
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = [line.split(";") for line in done.stdout.splitlines()]
            coded = {Path(line[1]).stem for line in lines if line[2:] != ["cpu"]}
            self.assertLessEqual({Path(line[1]).stem for line in lines if line[0] == "gfx942"}, coded)
            absent = [Path(line[1]).stem for line in lines if line[0] == "gfx90a"]
            self.assertLess(len(coded.intersection(absent)), len(absent))
            registry = (output / "registry.cpp").read_text()
            for stem in absent:
                self.assertEqual(f"code_object_{stem};" in registry, stem in coded)
            seen |= coded
        self.assertLess(len(absent) / 2, len(seen.intersection(absent)))  # over commits all have their turn

    def test_has_an_example_of_each_rule_for_code_objects(self):
        rules = self.folder / "rules.json"
        rules.write_text(json.dumps({"rules": [{"kernel": "*_spatial_whole_vector4_waves4_steps3_*"},
                                               {"kernel": "*_vector4_*", "arch": "gfx90a"}]}))
        without, found = self.selected(), self.selected("a", "--rules", str(rules))
        self.assertEqual([name[name.index("spatial"):] for name in found if name not in without],
                         ["spatial_whole_vector4_waves4_steps3_cluster1"])

    def test_respects_filters(self):
        self.assertEqual({name.split("_")[1] for name in self.selected("a", "--filter", "dtype == 'bf16'")}, {"bf16"})


class Repository(unittest.TestCase):
    """The files that the repository itself has."""

    def test_schemas_are_current(self):
        for path in ENGINE.glob("*/schema.json"):
            done = run_it("schema", path.parent.name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, path.read_text(), f"{path}: write it with generate.py schema")

    def test_every_operation_has_a_schema(self):
        for operation in OPERATIONS:
            path = ENGINE / operation / "schema.json"
            self.assertTrue(path.is_file(), f"{path}: write it with generate.py schema")


OPERATIONS = sorted(path.parent.name for path in ENGINE.parent.glob("ops/*/operation.hpp"))

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

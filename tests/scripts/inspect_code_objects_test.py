#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of scripts/inspect_code_objects.py: its parsers on text, and the whole script on code objects compiled here."""

import contextlib
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import inspect_code_objects as inspector  # noqa: E402

NOTES = """\
Displaying notes found in: .note
    AMDGPU Metadata:
        ---
amdhsa.kernels:
  - .agpr_count:     48
    .args:
      - .name:           not_the_kernel
        .offset:         0
        .size:           8
    .group_segment_fixed_size: 20480
    .name:           first
    .vgpr_count:     304
    .wavefront_size: 64
  - .name:           'second'
    .vgpr_count:     12
amdhsa.target:   'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-'
amdhsa.version:
  - 1
  - 2
...
"""


def line(address, text, size=4):
    return f"\t{text:<58} // {address:012X}: " + "00000000 " * (size // 4) + "\n"


def disassemble(*texts, name="kernel", begin=0x1000):
    """What llvm-objdump prints for instructions of 4 bytes each. `@N` stands for a branch to instruction N."""
    lines = [f"\n{begin:016x} <{name}>:\n"]
    for i, text in enumerate(texts):
        words = re.sub(r"@(\d+)", lambda m: str((int(m[1]) - i - 1) & 0xFFFF), text)
        lines.append(line(begin + 4 * i, words))
    return "".join(lines)


def code_of(*texts):
    return inspector.parse_disassembly(disassemble(*texts))["kernel"]


def instruction(text):
    return code_of(text)[0]


class Parsing(unittest.TestCase):
    def test_metadata_of_each_kernel(self):
        arch, kernels = inspector.parse_notes(NOTES)
        self.assertEqual(arch, "gfx90a")
        self.assertEqual([k["name"] for k in kernels], ["first", "second"])
        self.assertEqual((kernels[0]["vgpr_count"], kernels[0]["agpr_count"], kernels[1]["vgpr_count"]),
                         ("304", "48", "12"))

    def test_architecture_names(self):
        for name in ("gfx942", "gfx1100", "gfx11-generic", "gfx9-4-generic"):
            self.assertEqual(inspector.parse_notes(f"amdhsa.target:   amdgcn-amd-amdhsa--{name}\n")[0], name)

    def test_text_without_metadata_is_rejected(self):
        with self.assertRaisesRegex(inspector.UsageError, "no AMDGPU metadata"):
            inspector.parse_notes("There are no notes.\n")

    def test_disassembly(self):
        text = "\na.co:\tfile format elf64-amdgpu\n\nDisassembly of section .text:\n"
        text += disassemble("s_nop 0", name="one")
        text += disassemble("v_mov_b32_e32 v1, 0", "s_endpgm", name="two", begin=0x2000)
        text += "\ts_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)// 000000002008: BF870091\n"
        functions = inspector.parse_disassembly(text)
        self.assertEqual({name: [i.opcode for i in code] for name, code in functions.items()},
                         {"one": ["s_nop"], "two": ["v_mov_b32_e32", "s_endpgm", "s_delay_alu"]})
        self.assertEqual((functions["two"][0].address, functions["two"][0].operands), (0x2000, "v1, 0"))

    def test_code_size(self):
        text = "     5: 0000000000008200    36 FUNC    GLOBAL PROTECTED   7 kernel\n" \
               "     1: 0000000000001080    64 OBJECT  GLOBAL PROTECTED   6 kernel.kd\n"
        self.assertEqual(inspector.parse_code_sizes(text), {"kernel": 36})


class Instructions(unittest.TestCase):
    def test_classes(self):
        for text, name in {
            "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]": "matrix",
            "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]": "matrix",
            "v_accvgpr_write_b32 a0, v1": "accvgpr",
            "v_dual_mov_b32 v1, 0 :: v_dual_lshlrev_b32 v2, 5, v0": "valu",
            "s_add_u32 s0, s0, s1": "salu",
            "s_load_dwordx4 s[4:7], s[0:1], 0x0": "smem",
            "s_cbranch_scc1 4": "branch",
            "buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen": "global_load",
            "global_load_lds_dwordx4 v[0:1], off": "global_load",
            "flat_store_b64 v[0:1], v[2:3]": "global_store",
            "global_atomic_add_f32 v0, v1, s[0:1]": "global_atomic",
            "ds_read2_b64 v[0:3], v4 offset1:1": "lds_read",
            "ds_store_2addr_b64 v0, v[1:2], v[3:4]": "lds_write",
            "ds_bpermute_b32 v0, v1, v2": "lds_other",
            "scratch_load_dword v0, off, s0": "scratch",
            "s_waitcnt lgkmcnt(0)": "waitcnt",
            "s_waitcnt_vscnt null, 0x0": "waitcnt",
            "s_barrier": "barrier",
            "s_nop 1": "nop",
            "s_delay_alu instid0(VALU_DEP_1)": "hint",
            "buffer_gl0_inv": "other",
        }.items():
            self.assertEqual(inspector.classify(instruction(text)), name, text)

    def test_bytes_per_lane(self):
        for opcode, size in {
            "buffer_load_dwordx4": 16, "global_load_dwordx3": 12, "global_load_dword": 4, "global_load_b128": 16,
            "buffer_load_b96": 12, "global_load_ushort": 2, "global_load_short_d16_hi": 2, "buffer_load_ubyte": 1,
            "global_load_d16_hi_b16": 2, "global_load_u8": 1, "global_load_lds_dwordx4": 16, "buffer_store_short": 2,
            "buffer_store_byte": 1, "global_store_b16": 2,
            "ds_read_b128": 16, "ds_read2_b64": 16, "ds_read2st64_b32": 8, "ds_read_u16": 2, "ds_read_u16_d16_hi": 2,
            "ds_read_b64": 8, "ds_load_b128": 16, "ds_load_2addr_b64": 16, "ds_load_2addr_stride64_b64": 16,
            "ds_load_u16_d16": 2, "ds_write_b128": 16, "ds_write2_b64": 16, "ds_write2st64_b64": 16, "ds_write_b8": 1,
            "ds_store_b128": 16, "ds_store_2addr_b64": 16, "ds_store_2addr_stride64_b32": 8, "ds_store_b16": 2,
        }.items():
            self.assertEqual(inspector.access_bytes(opcode), size, opcode)

    def test_full_load_waits(self):
        waits = {"s_waitcnt vmcnt(0)": True, "s_waitcnt vmcnt(0) lgkmcnt(0)": True, "s_waitcnt vmcnt(10)": False,
                 "s_waitcnt lgkmcnt(0)": False, "s_waitcnt_vscnt null, 0x0": False, "s_wait_loadcnt 0x0": True}
        for text, full in waits.items():
            self.assertEqual(inspector.is_full_load_wait(instruction(text)), full, text)

    def test_scratch_of_gfx90a_is_reached_through_buffer_instructions(self):
        moved = code_of("s_mov_b64 s[10:11], s[2:3]", "s_mov_b64 s[8:9], s[0:1]",
                        "buffer_store_dword v2, off, s[8:11], 0", "buffer_load_dword v2, v1, s[0:3], 0 offen")
        through = inspector.scratch_resource("gfx90a", moved)
        self.assertEqual([inspector.classify(i, through) for i in moved[2:]], ["scratch", "global_load"])
        self.assertEqual(inspector.scratch_resource("gfx90a", code_of("s_add_u32 s0, s0, s7")), "s[0:3]")
        self.assertIsNone(inspector.scratch_resource("gfx942", moved))


class Loops(unittest.TestCase):
    MFMA = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"
    LOAD = "global_load_dwordx4 v[0:3], v[4:5], off"

    def opcodes_of_main_loop(self, *texts):
        loop = inspector.main_loop(code_of(*texts))
        return loop and [i.opcode for i in loop[0]]

    def test_branch_targets(self):
        code = code_of("s_branch @2", "s_nop 0", "s_cbranch_scc0 @1", "s_endpgm")
        self.assertEqual([inspector.branch_target(i) for i in code], [0x1008, None, 0x1004, None])

    def test_no_loop(self):
        self.assertIsNone(self.opcodes_of_main_loop("s_cbranch_scc0 @2", self.MFMA, "s_endpgm"))

    def test_loop_of_one_block(self):
        self.assertEqual(self.opcodes_of_main_loop("s_nop 0", self.MFMA, "s_cbranch_scc0 @1", "s_endpgm"),
                         ["v_mfma_f32_32x32x8_f16", "s_cbranch_scc0"])

    def test_loop_with_a_side_path_and_two_branches_back(self):
        always, at_times = inspector.main_loop(code_of(
            "s_branch @3", self.LOAD, "s_branch @3", self.MFMA, "s_cbranch_vccnz @1", "s_cbranch_scc0 @3", "s_endpgm"))
        self.assertEqual([i.opcode for i in always], ["v_mfma_f32_32x32x8_f16", "s_cbranch_vccnz"])
        self.assertEqual([i.opcode for i in at_times], ["global_load_dwordx4", "s_branch", "s_cbranch_scc0"])

    def test_what_only_some_turns_execute_is_kept_apart(self):
        always, at_times = inspector.main_loop(code_of(
            self.MFMA, "s_cbranch_scc1 @3", self.LOAD, "s_nop 0", "s_cbranch_scc0 @0", "s_endpgm"))
        self.assertEqual([i.opcode for i in always], ["v_mfma_f32_32x32x8_f16", "s_cbranch_scc1", "s_nop",
                                                      "s_cbranch_scc0"])
        self.assertEqual([i.opcode for i in at_times], ["global_load_dwordx4"])

    def test_most_matrix_instructions_win_over_most_loads(self):
        loop = self.opcodes_of_main_loop(
            self.LOAD, self.LOAD, self.LOAD, "s_cbranch_scc0 @0", self.MFMA, "s_cbranch_scc0 @4",
            self.MFMA, self.MFMA, "s_cbranch_scc0 @6", "s_endpgm")
        self.assertEqual(loop, ["v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x8_f16", "s_cbranch_scc0"])

    def test_the_inner_loop_is_chosen(self):
        loop = self.opcodes_of_main_loop(
            "s_nop 0", self.LOAD, self.MFMA, "s_cbranch_scc0 @2", self.LOAD, "s_cbranch_scc0 @1", "s_endpgm")
        self.assertEqual(loop, ["v_mfma_f32_32x32x8_f16", "s_cbranch_scc0"])

    def test_a_helper_loop_inside_the_main_loop_is_not_chosen(self):
        loop = self.opcodes_of_main_loop(
            "s_nop 0", self.MFMA, "s_nop 7", "s_cbranch_scc0 @2", "s_cbranch_scc0 @1", "s_endpgm")
        self.assertEqual(loop, ["v_mfma_f32_32x32x8_f16", "s_nop", "s_cbranch_scc0", "s_cbranch_scc0"])

    def test_without_matrix_instructions_the_loop_with_most_memory_accesses(self):
        loop = self.opcodes_of_main_loop(
            "s_nop 0", "s_cbranch_scc0 @0", self.LOAD, "s_cbranch_scc0 @2", "s_endpgm")
        self.assertEqual(loop, ["global_load_dwordx4", "s_cbranch_scc0"])

    def test_facts_of_a_loop(self):
        loop = inspector.code_facts(
            code_of(self.LOAD, "global_load_ushort v0, v[4:5], off", "s_waitcnt vmcnt(0)", "ds_read_b64 v[0:1], v2",
                    self.MFMA, self.MFMA, "v_mov_b32_e32 v0, v1", "s_cbranch_scc0 @0"), None,
            inspector.LoopFacts, offset=0x100, at_times=1)
        self.assertEqual((loop.instructions, loop.at_times, loop.offset, loop.matrix_share, loop.full_load_waits),
                         (8, 1, 0x100, 0.25, 1))
        self.assertEqual(loop.widths["global_load"], {16: 1, 2: 1})
        self.assertEqual((loop.narrowest("global_load"), loop.narrowest("lds_read"), loop.narrowest("lds_write")),
                         (2, 8, None))
        self.assertEqual((loop.widest("global_load"), loop.widest("lds_write")), (16, None))


class LoadsInFlight(unittest.TestCase):
    STORE = "global_store_dword v[0:1], v2, off"

    @staticmethod
    def load(number, size=4):
        """Of `size` registers, the `number`th of these."""
        return f"buffer_load_dwordx{size} v[{number * size}:{number * size + size - 1}], v90, s[0:3], 0 offen"

    def in_flight(self, *texts, arch="gfx942"):
        return inspector.bytes_in_flight(code_of(*texts), inspector.ARCHITECTURES[arch])

    def test_what_waits_leave(self):
        for text, left in {"s_waitcnt vmcnt(3) lgkmcnt(0)": 3, "s_waitcnt vmcnt(0)": 0, "s_waitcnt 0": 0,
                           "s_waitcnt lgkmcnt(0)": None, "s_wait_loadcnt 0x2": 2, "s_waitcnt_vscnt null, 0x0": None,
                           "s_barrier": None}.items():
            self.assertEqual(inspector.loads_left_by_wait(instruction(text)), left, text)

    def test_loads_until_a_wait(self):
        self.assertEqual(self.in_flight("s_endpgm"), 0)
        self.assertEqual(self.in_flight(self.load(0), self.load(1), "s_waitcnt vmcnt(0)", self.load(2)), 32)
        self.assertEqual(self.in_flight(self.load(0), self.load(1), "s_waitcnt vmcnt(1)", self.load(2), self.load(3)), 48)
        self.assertEqual(self.in_flight(self.load(0), "s_waitcnt lgkmcnt(0)", self.load(2, 2)), 24)

    def test_stores_count_among_what_returns_in_order_except_on_gfx11(self):
        code = (self.load(0), self.STORE, "s_waitcnt vmcnt(1)", self.load(1))
        self.assertEqual(self.in_flight(*code), 16)
        self.assertEqual(self.in_flight(*code, arch="gfx1100"), 32)

    def test_halves_of_registers_and_lds(self):
        self.assertEqual(self.in_flight("global_load_short_d16 v0, v[2:3], off", "global_load_short_d16_hi v0, v[2:3], off"), 4)
        self.assertEqual(self.in_flight("global_load_lds_dwordx4 v[0:1], off", "global_load_lds_dwordx4 v[0:1], off"), 32)

    def test_what_a_turn_of_a_loop_loads_for_the_next_one(self):
        wait, back = "s_waitcnt vmcnt(0)", "s_cbranch_scc0 @2"
        self.assertEqual(self.in_flight(self.load(0), self.load(1), wait, self.load(0), self.load(1), back, "s_endpgm"), 32)
        # Waited for one at a time, as many again being on their way.
        self.assertEqual(self.in_flight(self.load(0), self.load(1), "s_waitcnt vmcnt(1)", self.load(0),
                                        "s_waitcnt vmcnt(1)", self.load(1), back, "s_endpgm"), 32)

    def test_what_a_branch_leaves_out_is_not_counted_behind_it(self):
        skipped = (self.load(0), "s_cbranch_execz @3", self.load(1), self.load(2, 2), "s_endpgm")
        self.assertEqual(self.in_flight(*skipped), 32)
        self.assertEqual(self.in_flight(*skipped[:3], self.load(4, 2), self.load(5, 2), self.load(6, 2)), 40)

    def test_of_all_waves_of_a_compute_unit(self):
        for arch, threads, wave, lds, expected in (("gfx942", 256, 64, 32768, 2 * 4 * 64 * 32), ("gfx942", 64, 64, 65536, 64 * 32),
                                                   ("gfx1100", 256, 32, 32768, 8 * 2 * 32 * 32)):
            facts = inspector.kernel_facts("a.co", arch, {
                "name": "kernel", "vgpr_count": "16", "sgpr_count": "16", "max_flat_workgroup_size": str(threads),
                "wavefront_size": str(wave), "group_segment_fixed_size": str(lds)}, code_of(self.load(0), self.load(1)), 8)
            self.assertEqual((facts.bytes_in_flight, facts.unit_bytes_in_flight), (32, expected), arch)


class Occupancy(unittest.TestCase):
    def waves(self, arch, vgprs=1, sgprs=1, lds_bytes=0, threads=256, wave_size=None, **options):
        facts = inspector.ARCHITECTURES[arch]
        return inspector.occupancy(facts, vgprs, sgprs, lds_bytes, threads, wave_size or (32 if facts.is_rdna else 64),
                                   **options)

    def test_registers(self):
        for arch, vgprs, expected in (("gfx942", 64, 8), ("gfx942", 65, 7), ("gfx90a", 128, 4), ("gfx90a", 129, 3),
                                      ("gfx942", 512, 1), ("gfx1100", 96, 16), ("gfx1100", 97, 12),
                                      ("gfx1100", 192, 8), ("gfx1102", 64, 16), ("gfx1102", 65, 12),
                                      ("gfx11-generic", 128, 8), ("gfx11-generic", 256, 4)):
            self.assertEqual(self.waves(arch, vgprs)[0], expected, (arch, vgprs))

    def test_wave64_on_gfx11_takes_twice_the_registers(self):
        self.assertEqual(self.waves("gfx1102", 64, wave_size=64)[0], 8)

    def test_lds(self):
        self.assertEqual(self.waves("gfx942", lds_bytes=20480), (3, "lds"))
        self.assertEqual(self.waves("gfx942", lds_bytes=65536), (1, "lds"))
        self.assertEqual(self.waves("gfx1100", lds_bytes=32768), (8, "lds"))  # 4 groups of 8 waves on 4 SIMDs

    def test_workgroups_fit_as_a_whole(self):
        self.assertEqual(self.waves("gfx942", lds_bytes=18432, threads=128), (1.5, "lds"))  # 3 groups of 2 waves
        self.assertEqual(self.waves("gfx942", vgprs=168, threads=512), (2, "vgprs"))  # 3 waves a SIMD are 1.5 groups of 8
        self.assertEqual(self.waves("gfx942", lds_bytes=40000, threads=64), (0.25, "lds"))

    def test_the_smallest_limit_is_named(self):
        self.assertEqual(self.waves("gfx942", vgprs=200, lds_bytes=20480), (2, "vgprs"))
        self.assertEqual(self.waves("gfx942")[1], "waves")
        self.assertEqual(self.waves("gfx942", sgprs=104), (7, "sgprs"))


class Rules(unittest.TestCase):
    def rejected(self, rules):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "bad.json")
            file.write_text(json.dumps(rules) if not isinstance(rules, str) else rules, encoding="utf-8")
            with self.assertRaises(inspector.UsageError) as caught:
                inspector.load_rules(file)
            self.assertTrue(str(caught.exception).startswith(f"{file}: "))
            return str(caught.exception)

    def test_rejections_say_what_is_wrong(self):
        limit = {"max_scratch_bytes": 0}
        for rules, text in (
            ("not json", "must be JSON"),
            ({}, "must be JSON"),
            ({"rules": []}, "one or more"),
            ({"rules": [1]}, "one or more"),
            ({"rules": [limit, {"max_scratch": 0}]}, "rule 2: unknown key 'max_scratch'"),
            ({"rules": [{**limit, "arch": "gfx906"}]}, "rule 1: unknown architecture 'gfx906'; known are gfx11"),
            ({"rules": [{**limit, "arch": ["gfx942", "sm_90"]}]}, "unknown architecture 'sm_90'"),
            ({"rules": [{"max_vgprs": "128"}]}, "max_vgprs must be a number, not '128'"),
            ({"rules": [{**limit, "kernel_regex": "("}]}, "rule 1: missing )"),
            ({"rules": [{"kernel": "*"}]}, "rule 1: limits nothing"),
        ):
            self.assertIn(text, self.rejected(rules), rules)


SPECIMENS = """
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
#define KERNEL(threads) extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads))) void
#define SHARED static __attribute__((shared)) __attribute__((aligned(16)))

static __attribute__((device)) inline int thread() { return __builtin_amdgcn_workitem_id_x(); }
static __attribute__((device)) inline void sync()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#if defined(__GFX11__)
typedef float8 sums;
static __attribute__((device)) inline sums multiply(half8 a, half8 b, sums c)
{
    half16 wide_a = __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    half16 wide_b = __builtin_shufflevector(b, b, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(wide_a, wide_b, c);
}
#else
typedef float16 sums;
static __attribute__((device)) inline sums multiply(half8 a, half8 b, sums c)
{
    c = __builtin_amdgcn_mfma_f32_32x32x8f16(a.lo, b.lo, c, 0, 0, 0);
    return __builtin_amdgcn_mfma_f32_32x32x8f16(a.hi, b.hi, c, 0, 0, 0);
}
#endif

// 16-byte accesses to global memory and LDS, matrix instructions, a loop with two barriers.
KERNEL(256) wide(const half8* a, sums* c, int steps)
{
    SHARED half8 lds[1280];
    sums sum = {};
    for (int i = 0; i < steps; ++i)
    {
        lds[thread()] = a[i * 256 + thread()];
        sync();
        sum = multiply(lds[thread() ^ 1], lds[thread() ^ 2], sum);
        sync();
    }
    c[thread()] = sum;
}

// The same with LDS accesses of 2 bytes.
KERNEL(256) narrow_lds(const half8* a, sums* c, int steps)
{
    SHARED _Float16 lds[8 * 257];
    sums sum = {};
    for (int i = 0; i < steps; ++i)
    {
        half8 value = a[i * 256 + thread()];
        for (int j = 0; j < 8; ++j)
            lds[j * 257 + thread()] = value[j];
        sync();
        half8 x, y;
        for (int j = 0; j < 8; ++j)
        {
            x[j] = lds[j * 257 + (thread() ^ 1)];
            y[j] = lds[j * 257 + (thread() ^ 2)];
        }
        sum = multiply(x, y, sum);
        sync();
    }
    c[thread()] = sum;
}

// A register array with an index known only at run time lives in scratch.
KERNEL(256) with_scratch(const float* a, float* c, int n, const int* index)
{
    float values[64];
    for (int i = 0; i < 64; ++i)
        values[i] = a[i * 256 + thread()];
    for (int i = 0; i < n; ++i)
        values[index[i] & 63] += values[index[i + 1] & 63];
    for (int i = 0; i < 64; ++i)
        c[i * 256 + thread()] = values[i];
}

// 300 values in use at once and a workgroup of 1024 threads do not fit the registers.
KERNEL(1024) with_spills(const float* a, float* c, int n)
{
    float values[300];
#pragma unroll
    for (int i = 0; i < 300; ++i)
        values[i] = a[i * 1024 + thread()];
    for (int k = 0; k < n; ++k)
    {
#pragma unroll
        for (int i = 0; i < 300; ++i)
            values[i] = values[i] * values[(i * 7 + 3) % 300] + a[k];
    }
#pragma unroll
    for (int i = 0; i < 300; ++i)
        c[i * 1024 + thread()] = values[i];
}

// Straight-line code: one store of 4 bytes; and two loads of 16 bytes beside one of 8, and two stores of 16.
KERNEL(64) without_loop(float* a) { a[thread()] = 1; }
KERNEL(64) without_loop_wide(const half8* a, const half4* b, half8* c)
{
    half8 x = a[thread()], y = a[thread() + 64];
    half4 z = b[thread()];
    c[thread()] = x + __builtin_shufflevector(z, z, 0, 1, 2, 3, 0, 1, 2, 3);
    c[thread() + 64] = y;
}

struct shape { int m, n; };
template <shape S> __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) void configured(int* a)
{
    a[thread()] = S.m + S.n;
}
template __attribute__((global)) void configured<shape{3, 4}>(int*);
"""
ARCHS = ("gfx90a", "gfx942", "gfx1100", "gfx11-generic")


def compiler():
    chosen = os.environ.get("CXX", "")
    for candidate in ([chosen] if "clang" in chosen else []) + ["clang++-22", "clang++"]:
        if shutil.which(candidate):
            return candidate
    raise AssertionError("clang++-22 not found: install clang-22, or name a ROCm's clang++ with CXX")


class CodeObjects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        source = cls.folder / "specimens.hip"
        source.write_text(SPECIMENS, encoding="utf-8")
        cls.remarks = {arch: cls.compile(source, arch, cls.folder / f"{arch}.co") for arch in ARCHS}
        cls.kernels = {(k.arch, k.symbol): k for k in inspector.inspect([cls.folder])}

    @staticmethod
    def compile(source, arch, output):
        """Remarks on the resources of a source's kernels."""
        done = subprocess.run(
            [compiler(), "-x", "hip", f"--offload-arch={arch}", "-nogpulib", "-nogpuinc", "-std=c++20", "-O3",
             "--cuda-device-only", "--no-gpu-bundle-output", "-Rpass-analysis=kernel-resource-usage",
             "-c", str(source), "-o", str(output)], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{source.name} does not compile for {arch}:\n{done.stderr}")
        return done.stderr

    def test_tables_of_addresses_are_relocations(self):
        self.assertEqual({kernel.relocations for kernel in self.kernels.values()}, {0})
        with tempfile.TemporaryDirectory() as temporary:
            source = Path(temporary, "table.hip")
            source.write_text("""
                __attribute__((device)) extern const int one, two;
                __attribute__((device)) const int one = 1, two = 2;
                __attribute__((device)) const int* const all[] = {&one, &two};
                extern "C" __attribute__((global)) void reads_table(int* to, int n) { *to = *all[n]; }
                """, encoding="utf-8")
            self.compile(source, "gfx942", Path(temporary, "table.co"))
            self.assertEqual(inspector.inspect([temporary])[0].relocations, 2)

    def run_script(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = inspector.main([str(a) for a in arguments])
            except SystemExit as error:
                status = error.code
        return status, out.getvalue(), err.getvalue()

    def check(self, *rules):
        file = self.folder / "rules.json"
        file.write_text(json.dumps({"rules": rules}), encoding="utf-8")
        return self.run_script(self.folder, "--quiet", "--check", file)

    def test_registers_and_occupancy_agree_with_the_compilers_own_remarks(self):
        compared = 0
        for arch, text in self.remarks.items():
            for part in text.split("Function Name: ")[1:]:
                kernel = self.kernels[arch, part.split()[0]]
                said = {key: int(value) for key, value in re.findall(r"remark:\s+([^:]+?): (\d+)", part)}
                self.assertEqual(
                    (said["VGPRs"], said.get("AGPRs", 0), said["Occupancy [waves/SIMD]"],
                     said["LDS Size [bytes/block]"], said["VGPRs Spill"], said["SGPRs Spill"],
                     said["ScratchSize [bytes/lane]"]),
                    # The compiler rounds up.
                    (kernel.arch_vgprs, kernel.agprs, math.ceil(kernel.occupancy), kernel.lds_bytes, kernel.spilled_vgprs,
                     kernel.spilled_sgprs, kernel.scratch_bytes), (arch, kernel.symbol))
                compared += 1
        self.assertEqual(compared, 7 * len(ARCHS))

    def test_the_main_loop_of_the_wide_kernel(self):
        for arch in ARCHS:
            loop = self.kernels[arch, "wide"].loop
            self.assertEqual(loop.mix["matrix"], 1 if arch.startswith("gfx11") else 2, arch)
            self.assertEqual(loop.mix["barrier"], 2, arch)
            self.assertEqual([set(loop.widths[a]) for a in inspector.ACCESSES], [{16}, set(), {16}, {16}], arch)

    def test_bytes_in_flight_of_straight_line_code(self):
        for arch in ARCHS:
            self.assertEqual(self.kernels[arch, "without_loop_wide"].bytes_in_flight, 40, arch)
            self.assertEqual(self.kernels[arch, "without_loop"].bytes_in_flight, 0, arch)
        self.assertEqual(self.check({"kernel": "without_loop_wide", "min_bytes_in_flight": 40,
                                     "min_unit_bytes_in_flight": 40 * 1024}), (0, "", ""))

    def test_narrow_lds_is_detected(self):
        for arch in ARCHS:
            loop = self.kernels[arch, "narrow_lds"].loop
            self.assertEqual((loop.narrowest("lds_read"), loop.narrowest("lds_write"), loop.narrowest("global_load")),
                             (2, 2, 16), arch)

    def test_kernels_without_a_loop_are_told_as_a_whole(self):
        for arch in ARCHS:
            kernel = self.kernels[arch, "without_loop_wide"]
            self.assertIsNone(kernel.loop, arch)
            self.assertEqual([dict(kernel.whole.widths[a]) for a in inspector.ACCESSES], [{16: 2, 8: 1}, {16: 2}, {}, {}],
                             arch)
        self.assertEqual(self.check(
            {"kernel": "without_loop_wide", "min_kernel_global_load_bytes": 8, "min_kernel_widest_global_load_bytes": 16,
             "max_kernel_global_load": 3, "min_kernel_global_store_bytes": 16, "max_kernel_lds_read": 0}), (0, "", ""))

    def test_a_kernel_without_a_loop_can_break_each_rule(self):
        status, out, _ = self.check(
            {"kernel": "without_loop_wide", "arch": "gfx942", "min_kernel_global_load_bytes": 16,
             "max_kernel_global_load": 2},
            {"kernel": "without_loop", "arch": "gfx942", "min_kernel_global_store_bytes": 16,
             "min_kernel_widest_global_load_bytes": 16})
        self.assertEqual(status, 1)
        self.assertEqual(out.splitlines(), [
            "broken rule: without_loop_wide (gfx942): min_kernel_global_load_bytes: value 8, limit 16",
            "broken rule: without_loop_wide (gfx942): max_kernel_global_load: value 3, limit 2",
            "broken rule: without_loop (gfx942): min_kernel_global_store_bytes: value 4, limit 16",
            "broken rule: without_loop (gfx942): min_kernel_widest_global_load_bytes: value none in the kernel, limit 16"])

    def test_scratch_is_detected(self):
        for arch in ARCHS:
            self.assertGreaterEqual(self.kernels[arch, "with_scratch"].scratch_bytes, 256, arch)
            self.assertGreater(self.kernels[arch, "with_scratch"].loop.mix["scratch"], 0, arch)
            self.assertEqual(self.kernels[arch, "wide"].scratch_bytes, 0, arch)

    def test_spills_are_detected(self):
        for arch in ARCHS:
            self.assertGreater(self.kernels[arch, "with_spills"].spilled_vgprs, 0, arch)
            self.assertGreater(self.kernels[arch, "with_spills"].loop.mix["scratch"], 0, arch)
            self.assertEqual(self.kernels[arch, "wide"].spilled_vgprs, 0, arch)

    def test_names_are_readable(self):
        self.assertIn("void configured<shape{3, 4}>(int*)", {k.name for k in self.kernels.values()})

    def test_compile_seconds_are_those_of_ninjas_last_build(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder, "build")
            (build / "code_objects").mkdir(parents=True)
            file = build / "code_objects" / "a.hsaco"
            self.assertIsNone(inspector.compile_seconds(file))
            (build / ".ninja_log").write_text("# ninja log v5\n10\t1010\t0\tcode_objects/a.hsaco\tf\n"
                                              "5\t2505\t0\tcode_objects/a.hsaco\tf\n0\t9000\t0\tb.hsaco\tf\n")
            self.assertEqual(inspector.compile_seconds(file), 2.5)
            self.assertIsNone(inspector.compile_seconds(build / "c.hsaco"))

    def test_tables_csv_and_json(self):
        status, out, err = self.run_script(
            self.folder, "--csv", self.folder / "a.csv", "--json", self.folder / "a.json")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("waves/SIMD", out)
        self.assertIn("no loop", out)
        with open(self.folder / "a.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        facts = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        self.assertEqual(len(rows), len(self.kernels))
        self.assertEqual([f["symbol"] for f in facts], [r["symbol"] for r in rows])
        wide = next(f for f in facts if (f["arch"], f["symbol"]) == ("gfx942", "wide"))
        self.assertEqual((wide["lds_bytes"], wide["global_load_bytes"], wide["loop"]["widths"]["global_load"]),
                         (20480, 16, {"16": 1}))
        self.assertTrue(all(key[4:] in wide for key in inspector.RULE_KEYS))

    def test_kept_rules_pass(self):
        self.assertEqual(self.check(
            {"kernel": "wide", "max_scratch_bytes": 0, "max_spilled_vgprs": 0, "min_lds_read_bytes": 16,
             "min_lds_write_bytes": 16, "min_global_load_bytes": 16, "min_matrix_share": 0.01, "max_vgprs": 128},
            {"kernel_regex": "^(wide|narrow)", "arch": ["gfx9*", "gfx1100"], "min_occupancy": 2, "why": "latency"},
        ), (0, "", ""))

    def test_a_broken_rule_gives_exit_1_and_one_line_for_each_kernel(self):
        status, out, _ = self.check({"kernel": "with_scratch", "arch": "gfx942", "max_scratch_bytes": 0},
                                    {"kernel": "narrow_lds", "min_lds_read_bytes": 16},
                                    {"kernel": "wide", "arch": "gfx90a", "min_matrix_share": 0.9})
        scratch = self.kernels["gfx942", "with_scratch"].scratch_bytes
        lines = out.splitlines()
        self.assertEqual(status, 1)
        self.assertEqual(lines[0], f"broken rule: with_scratch (gfx942): max_scratch_bytes: value {scratch}, limit 0")
        self.assertEqual(sorted(lines[1:5]), sorted(
            f"broken rule: narrow_lds ({arch}): min_lds_read_bytes: value 2, limit 16" for arch in ARCHS))
        self.assertRegex(lines[5], r"^broken rule: wide \(gfx90a\): min_matrix_share: value 0\.\d+, limit 0\.9$")
        self.assertEqual(len(lines), 6)

    def test_a_rule_about_what_is_not_there_is_broken(self):
        status, out, _ = self.check({"kernel": "without_loop", "arch": "gfx942", "min_matrix_share": 0},
                                    {"kernel": "with_scratch", "arch": "gfx942", "min_lds_read_bytes": 1})
        self.assertEqual(status, 1)
        self.assertIn("without_loop (gfx942): min_matrix_share: value no loop found, limit 0", out)
        self.assertIn("with_scratch (gfx942): min_lds_read_bytes: value none in the main loop, limit 1", out)

    def test_several_files_of_rules(self):
        files = [self.folder / name for name in ("a.rules", "b.rules")]
        for file, arch in zip(files, ("gfx90a", "gfx942")):
            file.write_text(json.dumps({"rules": [{"kernel": "wide", "arch": arch, "max_vgprs": 1}]}), encoding="utf-8")
        status, out, _ = self.run_script(self.folder, "--quiet", *(word for file in files for word in ("--check", file)))
        self.assertEqual(status, 1)
        self.assertEqual([line.split(": ")[1] for line in out.splitlines()], ["wide (gfx90a)", "wide (gfx942)"])
        files[1].write_text('{"rules": [{"max_vgprs": 1, "kernel": "absent"}]}', encoding="utf-8")
        status, _, err = self.run_script(self.folder, "--quiet", "--check", files[0], "--check", files[1])
        self.assertEqual((status, err), (2, f"inspect_code_objects: {files[1]}: rule 1: no kernel matches 'absent' on '*'\n"))

    def test_bad_rules_give_exit_2_and_the_reason(self):
        for rule, text in (({"max_scratch": 0}, "unknown key 'max_scratch'"),
                           ({"max_vgprs": 1, "arch": "gfx1"}, "unknown architecture 'gfx1'"),
                           ({"max_vgprs": 1, "kernel": "absent*"}, "rule 1: no kernel matches 'absent*' on '*'"),
                           ({"max_vgprs": 1, "arch": "gfx1103"}, "rule 1: no kernel matches '*' on 'gfx1103'")):
            status, out, err = self.check(rule)
            self.assertEqual((status, out), (2, ""), rule)
            self.assertIn(text, err)

    def test_bad_files_give_exit_2_and_the_reason(self):
        (self.folder / "empty").mkdir(exist_ok=True)
        (self.folder / "bundle").write_bytes(b"__CLANG_OFFLOAD_BUNDLE__")
        for arguments, text in (((), "name one or more code objects"),
                                ((self.folder / "absent.co",), "does not exist"),
                                ((self.folder / "empty",), "no *.hsaco or *.co file"),
                                ((self.folder / "specimens.hip",), "is not an AMDGPU code object"),
                                ((self.folder / "bundle",), "--no-gpu-bundle-output"),
                                ((sys.executable,), "is not an AMDGPU code object"),
                                ((self.folder, "--check", self.folder / "absent.json"), "absent.json"),
                                ((self.folder, "--llvm-prefix", self.folder), "llvm-readelf not found under"),
                                (("--nonsense",), "unrecognized arguments")):
            status, _, err = self.run_script(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(text, err)


if __name__ == "__main__":
    unittest.main()

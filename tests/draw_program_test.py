#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of ck_tile_draw, the program.

usage: draw_program_test.py PROGRAM
"""

import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

MFMA = ("grouped_conv_fwd_gfx942_spatial2_block256x256x32_waves2x2_mfma_16x16x16_fp16_single_buffer_stages1_through_lds_pixels"
        "_vector8x8x8")
WGMMA = ("grouped_conv_bwd_weight_sm90_spatial2_block128x256x64_waves8x1_wgmma_64x256x16_fp16_async_stages_stages4_through_lds_any_split"
         "_vector8x8x8")
# Two convolutions in one kernel: of the second one's product, A is computed.
FUSED = ("grouped_conv_conv_fwd_gfx942_depthwise_block64x64x32_waves2x2_mfma_16x16x16_fp16_through_lds_window7x7x1_patch1x4_halo256_ahead1_kept1",
         "grouped_conv_conv_fwd_sm90_diagonal_block64x128x64_waves4x1_wgmma_64x128x16_fp16_by_wave_window3x3x1_patch8x8_halo112_ahead1_kept1")
SUBJECTS = "accumulators", "a_copy", "b_copy", "a_banks", "b_banks", "a_stores", "b_stores", "a_loads", "b_loads"


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True)


class Draw(unittest.TestCase):
    def test_text(self):
        done = run(MFMA, "--rows", "5", "--cols", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[1:], ["0.0.0  0.1.0"] * 4 + ["0.16.0 0.17.0"])  # of 16 columns, four rows a lane

    def test_every_subject_of_either_kind_of_instruction(self):
        for name in MFMA, WGMMA, *FUSED:
            for what in SUBJECTS:
                done = run(name, "--what", what)
                self.assertEqual((done.returncode, done.stderr), (0, ""), what)
                if what in ("a_stores", "b_stores") and name not in FUSED:
                    self.assertNotIn("*", done.stdout)  # the layouts have no conflicts

    def test_the_first_of_two_convolutions_is_computed_by_whom_it_is_stored(self):
        done = run(FUSED[0], "--what", "a_copy", "--rows", "300", "--cols", "32")
        self.assertEqual(len(done.stdout.splitlines()), 1 + 256)  # the halo, not the rows of A
        self.assertEqual(len(run(FUSED[0], "--rows", "300").stdout.splitlines()), 1 + 64)

    def test_stores_through_registers_are_along_k(self):
        for narrow in "_vector8x4x4", "_vector8x1x1":
            for what in "a_stores", "a_banks":
                wide, done = run(MFMA, "--what", what), run(MFMA.replace("_vector8x8x8", narrow), "--what", what)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, wide.stdout)  # vectors in memory leave LDS as it is

    def test_svg_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "picture.svg"
            self.assertEqual(run(MFMA, "--what", "a_loads", "--format", "svg", "--output", str(file)).returncode, 0)
            self.assertEqual(xml.dom.minidom.parse(str(file)).documentElement.tagName, "svg")

    def test_rejections(self):
        for options, reason in (
                (("maxpool_fwd_x",), "the instance must be one of grouped_conv_fwd, grouped_conv_bwd_data, grouped_conv_bwd_weight or "
                                     "grouped_conv_conv_fwd, but its name is 'maxpool_fwd_x': name one that --instance list of their programs shows"),
                ((MFMA + "x",), f"'{MFMA}x' is not the name of an instance: nothing is to follow at 'x'"),
                ((MFMA.replace("256x256", "250x256"),), "block.m must be a multiple of waves.m * instruction m, but one is 250: enlarge "
                                                        "block.m or use fewer waves"),
                ((MFMA, "--what", "all"), "--what must be something that is drawn, but is 'all': see --help"),
                ((MFMA, "--output", "/dev/full"), "/dev/full cannot be written: choose another path")):
            done = run(*options)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"ck_tile_draw: {reason}\n"))


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop()).resolve())
    unittest.main()

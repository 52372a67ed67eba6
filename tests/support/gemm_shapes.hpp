// SPDX-License-Identifier: MIT
// Shapes of block matrix products that the tests go through: every instruction of every architecture, several tiles.
#pragma once

#include "ck_tile/gemm/operand.hpp"

#include <array>
#include <string>
#include <vector>

namespace ck_tile
{

// Shapes of one architecture: fragments x waves x loads along k of each of its instructions, those that are legal.
inline std::vector<gemm::shape> gemm_shapes(const target& arch)
{
    std::vector<gemm::shape> shapes;
    for(int i = 0; i < arch.instruction_count; ++i)
        for(const auto& [waves_m, waves_n] : {std::array{1, 1}, {2, 2}, {1, 4}, {4, 1}})
            for(const auto& [rows, cols] : {std::array{1, 1}, {2, 1}, {1, 4}})
                for(int packs : {1, 4})
                {
                    gemm::shape s = {0, 0, 0, waves_m, waves_n, arch.instructions[i]};
                    s.m           = rows * waves_m * s.a_rows();
                    s.n           = cols * waves_n * s.inst().n;
                    s.k           = packs * s.k_pack();
                    if(!gemm::check(s))
                        shapes.push_back(s);
                }
    return shapes;
}

inline std::string describe_shape(const gemm::shape& s)
{
    return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) + " waves " +
           std::to_string(s.waves_m) + "x" + std::to_string(s.waves_n) + " " + s.inst().name;
}

// One operand of a main loop through registers in LDS: its layout, and what storing and reading it costs the banks.
struct operand_in_lds
{
    lds_layout layout;
    lds_cost writes, reads;
};

// A, or B: that threads load as `loaded` says.
inline operand_in_lds operand_of(const gemm::shape& s, bool of_b, const distribution& loaded)
{
    const int rows = of_b ? s.n * s.inst().blocks : s.m, bytes = bytes_of(s.type());
    const distribution writer = gemm::along_k(loaded), reader = of_b ? gemm::b_fragments(s) : gemm::a_fragments(s);
    const lds_layout layout = free_of_conflicts(rows, s.k, bytes, writer, reader);
    return {layout, cost_of(writer, layout, bytes, lds_direction::write),
            cost_of(reader, layout, bytes, lds_direction::read)};
}

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// The facts that every target states, and the targets that there are.
#pragma once

#include "ck_tile/targets/matrix_instruction.hpp"

namespace ck_tile
{

enum class architecture
{
    gfx90a, // CDNA2: MI200
    gfx942, // CDNA3: MI300
    gfx950, // CDNA4: MI350
    gfx11,  // RDNA3: gfx1100 to gfx1103, gfx115x
    sm90    // NVIDIA Hopper: H100, H200
};

// How data come from memory to LDS without a stop in registers: not at all, or so many bytes at once for each lane, the last
// kind while threads go on.
enum class lds_copy
{
    none,
    bytes_4,
    bytes_16_async
};

struct target
{
    architecture arch;
    const char* name;
    int wave;                   // lanes
    int lds_bytes;              // that a block can have
    int lds_banks;              // of 4 bytes
    int compute_unit_registers; // of 4 bytes, that the threads on a compute unit share
    int vgprs;                  // 4-byte registers that a lane can have, accumulation registers included
    int max_vector_bytes;       // that one lane moves with one instruction
    int max_block_threads;
    int max_cluster; // workgroups that one block may be, as a cluster, each with as many threads
    lds_copy copy_to_lds;
    bool matrix_from_lds;    // products of 16-bit operands that lie in LDS go on while threads do
    bool transposed_reads;   // LDS gives a lane 16-bit elements that lie in different rows, at once
    bool compares_halves;    // two numbers of 16 bits are compared at once
    int compute_units;       // of a usual chip: what the CPU assumes when it fills one
    int chiplets;            // that have an L2 each, of a usual chip; blocks go round them
    int cache_bytes;         // of the largest cache, which all compute units share, of a usual chip
    opcode instructions[16]; // its matrix instructions
    int instruction_count;

    // Whether copies to LDS, and products of operands in LDS, go on while threads do.
    constexpr bool asynchronous() const { return copy_to_lds == lds_copy::bytes_16_async && matrix_from_lds; }

    constexpr bool has(opcode op) const
    {
        for(int i = 0; i < instruction_count; ++i)
            if(instructions[i] == op)
                return true;
        return false;
    }
};

} // namespace ck_tile

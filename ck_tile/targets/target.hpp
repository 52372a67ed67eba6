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
    gfx11,  // RDNA3: gfx1100 to gfx1103, gfx115x
    sm90    // NVIDIA Hopper: H100, H200
};

struct target
{
    architecture arch;
    const char* name;
    int wave;             // lanes
    int lds_bytes;        // that a block can have
    int lds_banks;        // of 4 bytes
    int unit_registers;   // of 4 bytes, that the threads on a compute unit share
    int vgprs;            // 4-byte registers that a lane can have, accumulation registers included
    int max_vector_bytes; // that one lane moves with one instruction
    int max_block_threads;
    int max_units;          // compute units that can share a block, each with as many threads
    bool asynchronous;      // copies to LDS, and products of operands in LDS (for 16-bit types), go on while threads do
    int compute_units;      // of a usual chip: what the CPU assumes when it fills one
    opcode instructions[16]; // its matrix instructions
    int instruction_count;

    constexpr bool has(opcode op) const
    {
        for(int i = 0; i < instruction_count; ++i)
            if(instructions[i] == op)
                return true;
        return false;
    }
};

} // namespace ck_tile

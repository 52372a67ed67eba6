// SPDX-License-Identifier: MIT
// What a pipeline is: the traits that each states, in a file of its own, and what all of them share.
#pragma once

#include "ck_tile/gemm/operand.hpp"

namespace ck_tile::gemm
{

// How loads from memory, LDS traffic and matrix instructions overlap: step k multiplies from LDS while the operands of step
// k + 1 come from memory.
//   single_buffer   through registers into one stage of LDS; two barriers a step
//   double_buffer   through registers into two stages in turn: one is written while the other is read; one barrier a step
//   async_stages    copied into three stages or more, that many steps ahead but two, without a stop in registers; a step's
//                   products may still be under way in the next; threads meet at an mbarrier: for targets with asynchronous
//                   copies and products
//   wave_specialized    the same, but four waves copy and the others multiply, each as far ahead of the others as stages allow: also
//                   to the next tile, while one is stored
//   wave_specialized_boxes    the same, but operands come in boxes, which those four waves ask the copy engine for
enum class pipeline
{
    single_buffer,
    double_buffer,
    async_stages,
    wave_specialized,
    wave_specialized_boxes
};

} // namespace ck_tile::gemm

template <>
struct ck_tile::enumerators<ck_tile::gemm::pipeline>
{
    using enum gemm::pipeline;
    static constexpr const char* type                 = "gemm::pipeline";
    static constexpr enumerator<gemm::pipeline> all[] = {{single_buffer, "single_buffer"},
                                                         {double_buffer, "double_buffer"},
                                                         {async_stages, "async_stages"},
                                                         {wave_specialized, "wave_specialized"},
                                                         {wave_specialized_boxes, "wave_specialized_boxes"}};
};

namespace ck_tile::gemm
{

// How an operand lies in memory, and how many of its elements one access moves; and the same of both, and of the result.
struct operand_memory
{
    majorness major;
    int vector;
};
struct operand_access
{
    operand_memory a, b;
    int result; // elements of a row of C
};

// A pipeline is a specialisation of this with
//   usual_stages                      of operands in LDS
//   barrier_bytes(stages)             of LDS beside them
//   copying_waves                     that do nothing else, beside those of the shape; 0 where those do
//   persistent                        whether blocks make many tiles
//   takes_boxes                       whether operands are box_operands
//   registers(shape, a, b)            that a lane needs beside its accumulators; a and b distribute the loaded operands
//   in_lds(majorness in memory)       that in LDS
//   check(shape, stages, target, operand_access)
//   run<shape, stages>(block, accumulators, a, b, steps), or
//   run_tiles<shape, stages, registers>(block, tiles, first, end, stride)      if it is persistent; see gemm::run_tiles()
// To add one: its value above, its traits, and its case in with_traits() (pipelines.hpp).
template <pipeline P>
struct pipeline_traits;

// Registers of a lane for what counts and points.
inline constexpr int address_registers = 20;

// The dimension along which an operand's vectors lie in memory.
constexpr majorness major_of(const distribution& loaded)
{
    return loaded.vector_dim() == 1 ? majorness::k : majorness::mn;
}

// Whether operands can be copied to LDS as they lie in memory, and be multiplied there, by pipeline `p`.
constexpr violation check_copied_operands(pipeline p, const shape& s, const target& t, const operand_access& access)
{
    const int line = 16 / bytes_of(s.type());
    if(!t.asynchronous())
        return {"the pipeline needs a target with asynchronous copies and products", name_of(p),
                "use single_buffer or double_buffer"};
    for(const bool is_a : {true, false})
    {
        const operand_memory& o = is_a ? access.a : access.b;
        const int rows          = is_a ? s.m : s.n;
        if(o.vector != line)
            return {"the pipeline copies 16 bytes at once", o.vector, "use vectors of 16 bytes"};
        if(o.major == majorness::mn && !s.inst().takes_mn_major)
            return {"the pipeline leaves operands as they lie, and the instruction takes those whose k is contiguous",
                    s.inst().name, "use a wgmma, or single_buffer or double_buffer, which turn them"};
        if(o.major == majorness::k && s.inst().operands == operand_source::lds && s.k % 64 != 0)
            return {"an instruction that takes operands from LDS reads k in lines of 128 bytes", s.k,
                    "use a block.k that is a multiple of 64"};
        if(o.major == majorness::mn && s.inst().operands == operand_source::lds && rows % 64 != 0)
            return {"an instruction that takes operands from LDS reads rows in lines of 128 bytes where they are "
                    "contiguous",
                    rows, "use a block.m and a block.n that are multiples of 64"};
    }
    return {};
}

namespace detail
{
// Lets an operand that looks up where it is work that out in time: at the start, and then before every step at whose end it
// may come to know no more.
template <class Operand>
concept looks_ahead = requires(Operand& a) { a.look_ahead(); };

// Whether it knows more than so many steps when it looks ahead.
template <class Operand, int K, int Steps>
constexpr bool looks_ahead_of = [] {
    if constexpr(looks_ahead<Operand>)
        return Steps < Operand::positions / K;
    return true;
}();

template <class Operand>
CK_TILE_FN bool must_look_ahead(int step, int k)
{
    if constexpr(looks_ahead<Operand>)
        return step % (Operand::positions / k) == 0;
    return false;
}

template <class Operand>
CK_TILE_FN void look_ahead(Operand& a, int step, int k)
{
    if constexpr(looks_ahead<Operand>)
        if(must_look_ahead<Operand>(step, k))
            a.look_ahead();
}
} // namespace detail

} // namespace ck_tile::gemm

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
enum class pipeline
{
    single_buffer,
    double_buffer,
    async_stages
};

} // namespace ck_tile::gemm

template <>
struct ck_tile::enumerators<ck_tile::gemm::pipeline>
{
    using enum gemm::pipeline;
    static constexpr const char* type                 = "gemm::pipeline";
    static constexpr enumerator<gemm::pipeline> all[] = {
        {single_buffer, "single_buffer"}, {double_buffer, "double_buffer"}, {async_stages, "async_stages"}};
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
//   barrier_bytes                     of LDS beside them
//   persistent                        whether blocks make many tiles; then it has
//     run_tiles<shape, stages>(block, tiles, first, end, stride)      see gemm::run_tiles()
//   registers(shape, a, b)            that a lane needs beside its accumulators; a and b distribute the loaded operands
//   in_lds(majorness in memory)       that in LDS
//   check(shape, stages, target, operand_access)
//   run<shape, stages>(block, accumulators, a, b, steps)
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

namespace detail
{
// Lets an operand that looks up where it is work that out in time: at the start, and then before every step at whose end it
// may come to know no more.
template <class Operand>
concept looks_ahead = requires(Operand& a) { a.look_ahead(); };

template <class Operand>
CK_TILE_FN void look_ahead(Operand& a, int step, int k)
{
    if constexpr(looks_ahead<Operand>)
        if(step % (Operand::positions / k) == 0)
            a.look_ahead();
}
} // namespace detail

} // namespace ck_tile::gemm

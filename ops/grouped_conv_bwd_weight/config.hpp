// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/core/lookup_window.hpp"
#include "ck_tile/gemm/epilogue.hpp"
#include "ck_tile/gemm/pipelines.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

// Which dimension lies densely in memory: the channels (nhwgc, gnhwc) or the last spatial one (ngchw).
enum class innermost
{
    channels,
    spatial
};

struct config
{
    architecture arch;
    data_type type;
    int spatial;     // dimensions of the convolution, 1 to 3; problems of fewer run with lengths of 1 in front
    innermost dense; //
    int m, n, k;     // block tile: output channels, taps x input channels, output pixels
    int waves_m, waves_n;
    opcode instruction;
    gemm::pipeline pipeline;
    int vector_out, vector_in, vector_wei; // elements that one access moves: of dY, X and dW

    constexpr gemm::shape shape() const { return {m, n, k, waves_m, waves_n, instruction}; }
    constexpr int contiguous() const { return dense == innermost::channels ? 0 : 1; }
    constexpr gemm::transfer out_transfer() const { return gemm::make_transfer(shape(), m, contiguous(), vector_out); }
    constexpr gemm::transfer in_transfer() const { return gemm::make_transfer(shape(), n, contiguous(), vector_in); }
    // Tables that tell where pixels are: of X, whose rows of one filter tap are a class; of dY, where pixels do not follow
    // each other through all images.
    constexpr int in_classes() const { return dense == innermost::channels ? n / vector_in : n; }
    constexpr lookup_table in_table() const { return {in_transfer().memory, in_classes()}; }
    constexpr lookup_table out_table() const { return {out_transfer().memory, 1}; }
    constexpr bool out_is_looked_up() const { return dense == innermost::spatial; }
    constexpr int in_table_at() const { return gemm::main_loop_lds_bytes(shape(), pipeline); }
    constexpr int out_table_at() const { return in_table_at() + in_table().bytes(); }
    constexpr int lds_bytes() const
    {
        return gemm::lds_bytes(shape(), pipeline, in_table().bytes() + (out_is_looked_up() ? out_table().bytes() : 0));
    }
};

// A broken rule: what must hold, the value that does not, what to do. Empty if nothing is broken.
struct violation
{
    const char* rule = nullptr;
    int value        = 0;
    const char* fix  = "";

    constexpr explicit operator bool() const { return rule != nullptr; }
};

// The only place that knows which configurations are legal; static_assert, the dispatcher and the generator ask it.
constexpr violation check(const config& c)
{
    const target& t             = facts(c.arch);
    const matrix_instruction& i = describe(c.instruction);
    const gemm::shape s         = c.shape();
    const int line              = 16 / bytes_of(c.type);

    if(c.spatial < 1 || c.spatial > 3)
        return {"spatial dimensions must be 1, 2 or 3", c.spatial, "choose one of them"};
    if(!t.has(c.instruction))
        return {"the architecture must have the matrix instruction", int(c.instruction), "choose one of facts(arch)"};
    if(i.type != c.type)
        return {"the matrix instruction must multiply the type of the problem", int(i.type), "choose another one"};
    if(i.blocks != 1)
        return {"an implicit GEMM needs an instruction of one block", i.blocks, "choose one with blocks = 1"};
    if(s.threads() > t.max_block_threads)
        return {"waves_m * waves_n * wave must be within the threads of a block", s.threads(), "use fewer waves"};
    if(c.m % (c.waves_m * i.m) != 0 || s.row_fragments() < 1)
        return {"m must be a multiple of waves_m * instruction m", c.m, "enlarge m or use fewer waves"};
    if(c.n % (c.waves_n * i.n) != 0 || s.col_fragments() < 1)
        return {"n must be a multiple of waves_n * instruction n", c.n, "enlarge n or use fewer waves"};
    if(c.k % s.slab() != 0)
        return {"k must be a multiple of the depth of one load of fragments", c.k,
                "use a multiple of gemm::shape::slab()"};
    if(c.m * c.k % s.threads() != 0 || c.n * c.k % s.threads() != 0)
        return {"the threads must share m * k and n * k evenly", s.threads(), "enlarge the tile or use fewer waves"};
    for(const int rows : {c.m, c.n})
    {
        const int own  = rows * c.k / s.threads();
        const int fast = own < line ? own : line;
        const int row  = c.dense == innermost::channels ? rows : c.k;
        if(own % fast != 0 || row % fast != 0)
            return {"a thread's part of an operand must be whole lines", own, "use powers of two"};
        if(own / fast > (c.dense == innermost::channels ? c.k : rows))
            return {"a thread's part of an operand must fit the tile", own, "use more waves"};
    }
    for(const int vector : {c.vector_out, c.vector_in, c.vector_wei})
        if(vector < 1 || vector > line || (vector & (vector - 1)) != 0)
            return {"vector widths must be powers of two of at most 16 bytes", vector, "use 1, 2, 4 or 8"};
    if(c.m * c.k / s.threads() < c.vector_out || c.n * c.k / s.threads() < c.vector_in)
        return {"a vector must not be wider than a thread's part of the operand", c.vector_out,
                "use a narrower vector"};
    if(c.pipeline == gemm::pipeline::async_stages)
    {
        if(!t.asynchronous)
            return {"async_stages needs a target with asynchronous copies and products", int(c.arch),
                    "use single_buffer or double_buffer"};
        if(c.type == data_type::fp32)
            return {"async_stages multiplies 16-bit types", int(c.type), "use single_buffer or double_buffer"};
        if(c.dense != innermost::channels || c.vector_out != line || c.vector_in != line)
            return {"async_stages copies 16 bytes of channels at once", c.vector_in, "use vectors of 8"};
        if(s.row_fragments() != 1 || c.waves_n != 1 || c.waves_m % 4 != 0)
            return {"async_stages gives a wave 16 rows and all columns, in groups of four waves", c.waves_m,
                    "use waves_m = m / 16, a multiple of 4, and waves_n = 1"};
        if(c.n != 128 && c.n != 256)
            return {"async_stages multiplies 128 or 256 columns at once", c.n, "choose one of them"};
    }
    const int strip_rows = gemm::strip(s).lengths[0], across = c.n / c.vector_wei;
    if(c.n % c.vector_wei != 0 || s.threads() % across != 0 || strip_rows % (s.threads() / across) != 0)
        return {"threads must hold whole rows of the result, and strips of it whole turns of the threads", c.vector_wei,
                "use another vector_wei or number of waves"};
    for(const lookup_table& table : {c.in_table(), c.out_table()})
        if(table.positions % s.threads() != 0 && s.threads() % table.positions != 0)
            return {"the threads must share the positions of a lookup table evenly", table.positions,
                    "use a power of two of waves"};
    if(c.lds_bytes() > t.lds_bytes)
        return {"LDS of the main loop and the epilogue must fit the block's", c.lds_bytes(),
                "shrink the tile or use "
                "single_buffer"};
    if(c.m * c.n / s.threads() > t.vgprs * 3 / 4)
        return {"accumulators must leave a quarter of the registers", c.m * c.n / s.threads(), "use more waves"};
    for(const distribution& d : {c.out_transfer().memory, c.out_transfer().lds, c.in_transfer().memory,
                                 c.in_transfer().lds, gemm::detail::rows_at_once(s, c.vector_wei)})
        if(!d.covers() || d.threads() != s.threads())
            return {"threads must cover operands and result evenly", s.threads(), "use powers of two"};
    return {};
}

} // namespace ck_tile::grouped_conv_bwd_weight

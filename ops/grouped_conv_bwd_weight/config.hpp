// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/core/lookup_window.hpp"
#include "ck_tile/gemm/epilogue.hpp"
#include "ck_tile/gemm/pipelines.hpp"
#include "ck_tile/reflect/violation.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{

// Which dimension lies densely in memory: the channels (nhwgc, gnhwc) or the last spatial one (ngchw).
enum class innermost
{
    channels,
    spatial
};

// Whether an instance can split the reduction: one that cannot has no code for partial sums.
enum class split_k
{
    any_split,
    one_split
};

} // namespace ck_tile::grouped_conv_bwd_weight

template <>
struct ck_tile::enumerators<ck_tile::grouped_conv_bwd_weight::innermost>
{
    using enum grouped_conv_bwd_weight::innermost;
    static constexpr const char* type                                     = "innermost";
    static constexpr enumerator<grouped_conv_bwd_weight::innermost> all[] = {{channels, "channels"},
                                                                             {spatial, "spatial"}};
};

template <>
struct ck_tile::enumerators<ck_tile::grouped_conv_bwd_weight::split_k>
{
    using enum grouped_conv_bwd_weight::split_k;
    static constexpr const char* type                                   = "split_k";
    static constexpr enumerator<grouped_conv_bwd_weight::split_k> all[] = {{any_split, "any_split"},
                                                                           {one_split, "one_split"}};
};

namespace ck_tile::grouped_conv_bwd_weight
{

// Elements that one access moves: of dY, X and dW.
struct vector_widths
{
    int out, in, wei;
};

struct config
{
    architecture arch;
    data_type dtype;
    int spatial; // dimensions of the convolution, 1 to 3; problems of fewer run with lengths of 1 in front
    innermost dense;
    gemm::block_tile block; // m: output channels, n: taps x input channels, k: output pixels
    gemm::wave_grid waves;
    opcode instruction;
    gemm::pipeline pipeline;
    int stages; // of operands in LDS
    gemm::epilogue epilogue;
    split_k split;
    vector_widths vector;

    constexpr gemm::shape shape() const { return {block.m, block.n, block.k, waves.m, waves.n, instruction}; }
    constexpr gemm::main_loop loop() const { return {pipeline, stages}; }
    constexpr int contiguous() const { return dense == innermost::channels ? 0 : 1; }
    constexpr gemm::transfer out_transfer() const
    {
        return gemm::make_transfer(shape(), block.m, contiguous(), vector.out);
    }
    constexpr gemm::transfer in_transfer() const
    {
        return gemm::make_transfer(shape(), block.n, contiguous(), vector.in);
    }
    // Tables that tell where pixels are: of X, whose rows of one filter tap are a class; of dY, where pixels do not follow
    // each other through all images.
    constexpr int in_classes() const { return dense == innermost::channels ? block.n / vector.in : block.n; }
    constexpr lookup_table in_table() const { return {in_transfer().memory, in_classes()}; }
    constexpr lookup_table out_table() const { return {out_transfer().memory, 1}; }
    constexpr bool out_is_looked_up() const { return dense == innermost::spatial; }
    constexpr int in_table_at() const { return gemm::main_loop_lds_bytes(shape(), loop()); }
    constexpr int out_table_at() const { return in_table_at() + in_table().bytes(); }
    constexpr int lds_bytes() const
    {
        return gemm::lds_bytes(shape(), loop(), in_table().bytes() + (out_is_looked_up() ? out_table().bytes() : 0),
                               epilogue);
    }
};

// The only place that knows which configurations are legal; static_assert, the dispatcher and the generator ask it.
// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    const matrix_instruction& i = describe(c.instruction);
    const gemm::shape s         = c.shape();
    const int line              = 16 / bytes_of(c.dtype);

    if(c.spatial < 1 || c.spatial > 3)
        return {"spatial dimensions must be 1, 2 or 3", c.spatial, "choose one of them"};
    if(!t.has(c.instruction))
        return {"the architecture must have the matrix instruction", i.name, "choose one of its own"};
    if(i.type != c.dtype)
        return {"the matrix instruction must multiply the type of the problem", i.name, "choose the one for dtype"};
    if(i.blocks != 1)
        return {"an implicit GEMM needs an instruction of one block", i.blocks, "choose one with blocks = 1"};
    if(s.threads() > t.max_block_threads)
        return {"waves.m * waves.n * wave must be within the threads of a block", s.threads(), "use fewer waves"};
    if(c.block.m % (c.waves.m * i.m) != 0 || s.row_fragments() < 1)
        return {"block.m must be a multiple of waves.m * instruction m", c.block.m,
                "enlarge block.m or use fewer waves"};
    if(c.block.n % (c.waves.n * i.n) != 0 || s.col_fragments() < 1)
        return {"block.n must be a multiple of waves.n * instruction n", c.block.n,
                "enlarge block.n or use fewer waves"};
    if(c.block.k % s.slab() != 0)
        return {"block.k must be a multiple of the depth of one load of fragments", c.block.k,
                "use a multiple of gemm::shape::slab()"};
    if(c.block.m * c.block.k % s.threads() != 0 || c.block.n * c.block.k % s.threads() != 0)
        return {"the threads must share block.m * k and block.n * k evenly", s.threads(),
                "enlarge the tile or use fewer waves"};
    for(const int rows : {c.block.m, c.block.n})
    {
        const int own  = rows * c.block.k / s.threads();
        const int fast = own < line ? own : line;
        const int row  = c.dense == innermost::channels ? rows : c.block.k;
        if(own % fast != 0 || row % fast != 0)
            return {"a thread's part of an operand must be whole lines", own, "use powers of two"};
        if(own / fast > (c.dense == innermost::channels ? c.block.k : rows))
            return {"a thread's part of an operand must fit the tile", own, "use more waves"};
    }
    for(const int vector : {c.vector.out, c.vector.in, c.vector.wei})
        if(vector < 1 || vector > line || (vector & (vector - 1)) != 0)
            return {"vector widths must be powers of two of at most 16 bytes", vector, "use 1, 2, 4 or 8"};
    if(c.dense == innermost::spatial && c.vector.in != 1)
        return {"pixels of X that a window makes neighbours need not be so in memory", c.vector.in,
                "use vector.in = 1 where the pixels are dense"};
    if(c.block.m * c.block.k / s.threads() < c.vector.out || c.block.n * c.block.k / s.threads() < c.vector.in)
        return {"a vector must not be wider than a thread's part of the operand", c.vector.out,
                "use a narrower vector"};
    if(c.pipeline != gemm::pipeline::async_stages && c.stages != gemm::main_loop(c.pipeline).stages)
        return {"single_buffer has one stage and double_buffer two", c.stages, "use 1 or 2, or async_stages"};
    if(c.pipeline == gemm::pipeline::async_stages)
    {
        if(c.stages < 3 || c.stages - 2 > c.in_table().positions / c.block.k)
            return {"async_stages has 3 stages or more, of which all but two may be copied ahead as far as a lookup "
                    "table tells",
                    c.stages, "use 3 or 4, or a smaller block.k"};
        if(!t.asynchronous)
            return {"async_stages needs a target with asynchronous copies and products", t.name,
                    "use single_buffer or double_buffer"};
        if(c.dtype == data_type::fp32)
            return {"async_stages multiplies 16-bit types", name_of(c.dtype), "use single_buffer or double_buffer"};
        if(c.dense != innermost::channels || c.vector.out != line || c.vector.in != line)
            return {"async_stages copies 16 bytes of channels at once", c.vector.in, "use vectors of 8"};
        if(s.row_fragments() != 1 || c.waves.n != 1 || c.waves.m % 4 != 0)
            return {"async_stages gives a wave 16 rows and all columns, in groups of four waves", c.waves.m,
                    "use waves.m = block.m / 16, a multiple of 4, and waves.n = 1"};
        if(c.block.n != 128 && c.block.n != 192 && c.block.n != 256)
            return {"async_stages multiplies 128, 192 or 256 columns at once", c.block.n, "choose one of them"};
    }
    if(c.epilogue == gemm::epilogue::direct && c.vector.wei != 1)
        return {"the direct epilogue writes one element at a time", c.vector.wei, "use vector.wei = 1 or through_lds"};
    const bool direct         = c.epilogue == gemm::epilogue::direct;
    const distribution result = direct ? gemm::detail::one_by_one(s) : gemm::detail::rows_at_once(s, c.vector.wei);
    const int strip_rows      = gemm::strip(s).lengths[0];
    if(c.block.n % c.vector.wei != 0 || (!direct && strip_rows % result.lengths[0] != 0))
        return {"threads must hold whole rows of the result, and strips of it whole turns of the threads", c.vector.wei,
                "use another vector.wei or number of waves"};
    for(const lookup_table& table : {c.in_table(), c.out_table()})
        if(table.positions % s.threads() != 0 && s.threads() % table.positions != 0)
            return {"the threads must share the positions of a lookup table evenly", table.positions,
                    "use a power of two of waves"};
    if(c.lds_bytes() > t.lds_bytes)
        return {"LDS of the main loop and the epilogue must fit the block's", c.lds_bytes(),
                "shrink the tile or use "
                "single_buffer"};
    if(c.block.m * c.block.n / s.threads() > t.vgprs * 3 / 4)
        return {"accumulators must leave a quarter of the registers", c.block.m * c.block.n / s.threads(),
                "use more waves"};
    for(const distribution& d :
        {c.out_transfer().memory, c.out_transfer().lds, c.in_transfer().memory, c.in_transfer().lds, result})
        if(!d.covers() || d.threads() != s.threads())
            return {"threads must cover operands and result evenly", s.threads(), "use powers of two"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::grouped_conv_bwd_weight

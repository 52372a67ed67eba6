// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/gemm/computed_operand.hpp"
#include "ck_tile/gemm/tile_config.hpp"
#include "ops/grouped_conv/narrow_config.hpp"
#include "ops/grouped_conv/square_product.hpp"

namespace ck_tile::grouped_conv_conv_fwd
{

// How the first convolution is computed.
enum class formulation
{
    depthwise, // one channel per group: by multiply-adds
    diagonal,  // one channel per group: by a matrix instruction, of a window that the compiler knows
    dense      // 1x1, of one group: by a product like the second one
};

} // namespace ck_tile::grouped_conv_conv_fwd

template <>
struct ck_tile::enumerators<ck_tile::grouped_conv_conv_fwd::formulation>
{
    using enum grouped_conv_conv_fwd::formulation;
    static constexpr const char* type                                     = "formulation";
    static constexpr enumerator<grouped_conv_conv_fwd::formulation> all[] = {
        {depthwise, "depthwise"}, {diagonal, "diagonal"}, {dense, "dense"}};
};

namespace ck_tile::grouped_conv_conv_fwd
{

struct config
{
    architecture arch;
    formulation first;
    gemm::block_tile block; // m: output pixels, n: output channels, k: channels of the intermediate in a step
    gemm::wave_grid waves;
    opcode instruction;
    gemm::epilogue epilogue;
    conv::known_window window; // of the first convolution
    conv::patch patch;         // of pixels that a thread computes of the intermediate; dense: 1 x 1
    int halo; // lines of block.k channels of X that LDS holds at most: pixels of a step; dense: of block.m pixels all channels
    int ahead; // steps that copies to LDS are ahead
    int kept;  // steps of the intermediate that LDS holds; 0: it stays in registers

    constexpr gemm::shape shape() const { return {block.m, block.n, block.k, waves.m, waves.n, instruction}; }
    constexpr data_type dtype() const { return describe(instruction).type; }
    constexpr int lanes() const { return shape().fragment().a.lanes(); }
    constexpr int threads() const { return shape().threads(); }
    constexpr int vector() const { return 16 / bytes_of(dtype()); } // elements that one access of memory moves
    constexpr int taps() const { return window.taps(); }
    constexpr int patches() const { return block.m / patch.pixels(); }

    // The product of a step of a dense first convolution: block.k channels, over all of X.
    constexpr gemm::shape first_shape() const
    {
        gemm::shape s = {block.m, block.k, halo / block.m * block.k, waves.m, waves.n, instruction};
        for(const matrix_instruction& i : matrix_instructions)
            if(s.inst().operands == operand_source::lds && i.operands == operand_source::lds && i.type == s.type() &&
               i.m == s.inst().m && i.n == block.k)
                s.instruction = i.op;
        return s;
    }

    // Pixels of a halo along a dimension that a patch sees; of any window, at least.
    constexpr int halo_along(int pixels, int filter) const
    {
        return conv::lines_seen(conv::direction::forward, pixels, window.any() ? 1 : filter,
                                window.any() ? 1 : window.stride);
    }

    // Copies of X, of the weights of both convolutions.
    constexpr distribution in_copy() const
    {
        return first == formulation::dense ? gemm::tiled_copy(first_shape(), block.m, majorness::k, vector())
                                           : gemm::tiled_copy(shape(), halo, majorness::k, vector());
    }
    constexpr distribution wei1_copy() const { return gemm::tiled_copy(shape(), block.n, majorness::k, vector()); }
    constexpr distribution wei0_copy() const
    {
        if(first == formulation::dense)
            return gemm::tiled_copy(first_shape(), block.k, majorness::k, vector());
        const int lines = ceil_div(block.k * taps(), vector() * threads());
        return {.lengths = {1, lines * threads() * vector()},
                .wave    = {{shape().waves(), 1, lanes() * vector()}},
                .lane    = {{lanes(), 1, vector()}},
                .reg     = {{lines, 1, threads() * vector()}},
                .vec     = {{vector(), 1, 1}}};
    }
    // The intermediate, `channels` of it, as threads compute it; dense: block.k.
    constexpr distribution rows(int channels) const
    {
        if(first == formulation::dense)
            return gemm::accumulator(first_shape());
        if(first == formulation::diagonal)
            return conv::square_product::rows(shape().waves(), block.m, channels, patch);
        return conv::depthwise_rows(shape().waves(), lanes(), block.m, channels, 4 / bytes_of(dtype()));
    }

    // Whether X and W0 are copied in boxes: where their threads have them in squares of 8 x 8.
    constexpr bool boxes() const { return first == formulation::diagonal; }
    // The halo in LDS, its pixels an odd number of 16 bytes apart, or as boxes lie.
    constexpr lds_layout halo_layout() const
    {
        if(boxes())
            return swizzled_rows(halo, block.k);
        return {.rows = halo, .cols = block.k, .pad = vector()};
    }
    constexpr int in_bytes() const
    {
        const int elements = first == formulation::dense ? gemm::operand_elements(instruction, block.m, first_shape().k)
                                                         : halo_layout().elements();
        return elements * bytes_of(dtype());
    }
    constexpr int wei0_bytes() const
    {
        if(boxes()) // behind them is the next stage's X
            return ceil_div(block.k * taps() * bytes_of(dtype()), 1024) * 1024;
        const int elements = first == formulation::dense ? gemm::operand_elements(instruction, block.k, first_shape().k)
                                                         : wei0_copy().lengths[1];
        return elements * bytes_of(dtype());
    }
    constexpr gemm::computed_loop loop() const
    {
        const int end = epilogue == gemm::epilogue::by_wave       ? gemm::line_lds_bytes(shape())
                        : epilogue == gemm::epilogue::through_lds ? gemm::epilogue_lds_bytes(shape())
                                                                  : 0;
        return {ahead, kept, first == formulation::dense ? wei0_bytes() : in_bytes() + wei0_bytes(), end, boxes()};
    }
    // A dense first convolution has X behind the main loop's LDS: of the tiles that copies may be ahead.
    constexpr int in_at() const { return ceil_div(loop().lds_bytes(shape()), 1024) * 1024; }
    constexpr int lds_bytes() const
    {
        return first == formulation::dense ? in_at() + ahead * in_bytes() : loop().lds_bytes(shape());
    }

    // Blocks that run on a compute unit at once: as many as LDS has room for, and registers, of which a lane has those of a patch, of its
    // windows and of its weights, or of the first product, beside accumulators.
    constexpr int blocks_at_once(const target& t) const
    {
        const int first_product = first == formulation::dense ? first_shape().accumulators() * 3 / 2 + 32 : 96;
        const int by_lds        = (t.lds_bytes + 1024) / (lds_bytes() + 1024),
                  by_registers  = t.compute_unit_registers / (threads() * (shape().accumulators() + first_product));
        const int fit           = by_lds < by_registers ? by_lds : by_registers;
        return fit < 1 ? 1 : fit;
    }
    // That a lane has so that they do, where copies go on while threads compute, which hides no latency for others; 0 leaves it to the
    // compiler.
    constexpr int registers(const target& t) const
    {
        return t.asynchronous() ? t.compute_unit_registers / (threads() * blocks_at_once(t)) : 0;
    }
};

// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    const gemm::shape s = c.shape();
    if(const violation v = gemm::check(s, t))
        return v;
    if(const int blocks = s.inst().blocks; blocks != 1)
        return {"an implicit GEMM needs an instruction of one block", blocks, "choose one with blocks = 1"};
    if(s.inst().operands == operand_source::lds && s.k % 64 != 0)
        return {"an instruction that takes operands from LDS reads k in lines of 128 bytes", s.k,
                "use a block.k that is a multiple of 64"};
    if(const violation v = conv::check_window(c.window))
        return v;
    const bool dense = c.first == formulation::dense;
    for(const int number : {c.patch.rows, c.patch.cols, c.ahead, dense && c.kept == 0 ? 1 : c.kept})
        if(constexpr int most = 64; number < 1)
            return {"patches, steps ahead and steps kept must be positive", number, "choose 1 or more"};
        else if(number > most)
            return {"patches, steps ahead and steps kept must be 64 at most", number, "choose fewer"};
    if(const int most = dense ? 64 * s.m : 1023; c.halo > most) // 1023: see conv::halo_window
        return {dense ? "the halo of a dense first convolution must be 64 steps at most"
                      : "the halo must be 1023 pixels at most",
                c.halo, "use a smaller one"};
    if(c.halo < 1)
        return {"the threads must share the halo's pixels evenly", c.halo, "use a multiple of threads / 8"};
    if(c.first == formulation::diagonal)
    {
        namespace product = conv::square_product;
        if(!product::exists(c.dtype(), t))
            return {"the diagonal formulation multiplies 16 x 8 x 16", s.fragment().name, "use another formulation"};
        if(s.k != 64)
            return {"boxes of what a diagonal product sees have lines of 64 channels", s.k, "use a block.k of 64"};
        if(c.window.any())
            return {"the compiler must know the window of a diagonal product", c.window.rows,
                    "set its rows, cols and stride, or use another formulation"};
        if(c.patch.cols != product::width)
            return {"a diagonal product has rows of 8 pixels", c.patch.cols,
                    "use patches 8 wide, or another formulation"};
        if(c.patch.rows % 2 != 0)
            return {"a diagonal product has two rows of a patch", c.patch.rows, "use patches of 4 or 8 rows"};
        for(const int channels : {s.k, s.k / 2, s.k / 4})
            if(const distribution d = c.rows(channels); !d.covers() || d.threads() != c.threads())
                return {"waves must share block.m as whole patches, or as pairs of rows of one", c.patch.pixels(),
                        "use fewer waves or smaller patches"};
    }
    else if(dense)
    {
        if(c.window.rows != 1 || c.window.cols != 1 || c.window.stride != 1)
            return {"a dense first convolution has a window of one pixel", c.window.rows,
                    "set rows, cols and stride of the window to 1, or use another formulation"};
        if(c.patch != conv::patch{1, 1})
            return {"a dense first convolution has no patches", c.patch.pixels(), "use patches of one pixel"};
        if(c.halo < s.m || c.halo % s.m != 0)
            return {"the halo of a dense first convolution is block.m pixels, so many times block.k channels", c.halo,
                    "use a multiple of block.m"};
        if(const violation v = gemm::check(c.first_shape(), t))
            return v;
        if(c.kept == 0 && s.inst().operands != operand_source::lds)
            return {"the result of the first instruction must be an operand of the second as it is", s.inst().name,
                    "keep one step of the intermediate in LDS"};
        if(!c.wei0_copy().covers())
            return {"the threads must share block.k * channels of X evenly", c.first_shape().k,
                    "enlarge the step or use fewer waves"};
    }
    else
        for(const int channels : {s.k, s.k / 4})
            if(const distribution d = c.rows(channels);
               channels * bytes_of(c.dtype()) < 16 || !d.covers() || d.threads() != c.threads() ||
               (channels == s.k && d.regs() != c.patch.pixels()) || c.patch.pixels() % d.regs() != 0)
                return {"threads must share block.m as whole patches, and the quarter of a step as parts of them",
                        c.patch.pixels(), "use patches of block.m * k * element bytes / (4 * threads) pixels"};
    if(!dense)
        if(const violation v = conv::check_halo(c.halo, c.halo_along(c.patch.rows, c.window.rows),
                                                c.halo_along(c.patch.cols, c.window.cols)))
            return v;
    if(c.halo * s.k % (c.threads() * c.vector()) != 0 || !c.in_copy().covers())
        return {"the threads must share the halo's pixels evenly", c.halo, "use a multiple of threads / 8"};
    if(s.n * s.k % (c.threads() * c.vector()) != 0 || !c.wei1_copy().covers())
        return {"the threads must share block.n * k evenly", s.n, "enlarge the tile or use fewer waves"};
    if(const violation v =
           gemm::detail::check_result(s, c.epilogue, c.epilogue == gemm::epilogue::direct ? 1 : c.vector()))
        return v;
    if(c.lds_bytes() > t.lds_bytes)
        return {"LDS of the main loop and the epilogue must fit the block's", c.lds_bytes(),
                "shrink the tile or the halo, or keep fewer steps"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::grouped_conv_conv_fwd

// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ops/maxpool/kinds.hpp"
#include "ops/pooling/patch_shape.hpp"

namespace ck_tile::maxpool_bwd
{

using maxpool::indices;
using maxpool::layout;

struct config
{
    architecture arch;
    data_type dtype;
    indices index; // u8, int32 or int64
    maxpool::layout layout;
    int window = 0, stride = 0, left_pad = 0; // of height and width; window 0: all, and the dilation, are the problem's
    int rows = 1, cols = 1; // of the patch of dX that a thread makes, in strides; for any window in pixels, at most
    int vector  = 1;        // elements of dX that one access moves: channels, or, with channels first, of a row
    int threads = 256;      // of a block

    static constexpr int windows_at_once = 3; // for any window, which a thread reads before it adds the first

    constexpr bool any_window() const { return window == 0; }
    // Of a known window.
    constexpr pooling::patch_shape patch() const
    {
        return {arch, layout, window, stride, left_pad, rows, cols, vector, threads};
    }
    constexpr int channels() const { return patch().channels(); } // that a thread has
    constexpr int patch_height() const { return any_window() ? rows : patch().height(); }
    constexpr int patch_width() const { return any_window() ? cols : patch().width(); }
    // For the sums, in fp32.
    constexpr int lds_bytes() const { return any_window() ? rows * cols * channels() * threads * 4 : 0; }

    // For any window: what a thread reads of dY and of the indices at once, windows of a row, and what it writes, a row of the patch.
    constexpr distribution row_of_windows() const
    {
        return pooling::one_patch_each(arch, threads, windows_at_once, 1, channels());
    }
    constexpr distribution row_of_sums() const { return pooling::one_patch_each(arch, threads, cols, 1, channels()); }
};

// The only place that knows which configurations are legal; static_assert, the dispatcher and the generator ask it.
// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    const auto power_of_two  = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
    const bool channels_last = c.layout == layout::nhwc;
    const int element = bytes_of(c.dtype), index = bytes_of(c.index);

    if(c.index == indices::recompute)
        return {"an instance reads indices of one kind", ck_tile::name_of(c.index), "choose u8, int32 or int64"};
    if(c.threads < t.wave || c.threads % t.wave != 0 || c.threads > t.max_block_threads)
        return {"threads must be whole waves within a block", c.threads, "use a multiple of the wave"};
    if(!power_of_two(c.vector) || c.vector * element > t.max_vector_bytes || c.vector * index > t.max_vector_bytes)
        return {"vectors of dY and of indices must be a power of two of at most 16 bytes", c.vector,
                "use a narrower vector"};
    if(c.rows < 1 || c.cols < 1)
        return {"a patch must have rows and columns", c.rows < 1 ? c.rows : c.cols, "use 1 or more"};
    if(c.any_window())
    {
        if(!channels_last && c.vector != 1)
            return {"with channels first, any window is read an element at a time", c.vector, "use vector 1"};
        if(c.stride != 0 || c.left_pad != 0)
            return {"for any window, stride and pad are the problem's", c.stride != 0 ? c.stride : c.left_pad,
                    "use stride 0 and left_pad 0"};
        if(c.lds_bytes() > t.lds_bytes)
            return {"the sums of a block's patches must fit its LDS", c.lds_bytes(),
                    "use smaller patches, narrower vectors or fewer threads"};
        return {};
    }
    if(c.index != indices::u8)
        return {"a known window is read with u8 indices", ck_tile::name_of(c.index), "use window 0 for other indices"};
    if(c.window > 16)
        return {"u8 indices count at most 256 elements of a window", c.window, "use window 0 with wider indices"};
    return pooling::check_patch(c.patch(), t);
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::maxpool_bwd

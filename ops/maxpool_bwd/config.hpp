// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ops/maxpool/kinds.hpp"
#include "ops/pooling/views.hpp"

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
    int vector  = 1;        // channels that a thread has; 1 with channels first
    int threads = 256;      // of a block

    static constexpr int windows_at_once = 3; // for any window, which a thread reads before it adds the first

    constexpr bool any_window() const { return window == 0; }
    constexpr int patch_height() const { return any_window() ? rows : rows * stride; }
    constexpr int patch_width() const { return any_window() ? cols : cols * stride; }
    constexpr int lds_bytes() const { return any_window() ? rows * cols * vector * threads * 4 : 0; } // for fp32 sums

    // The windows that reach a patch, in one dimension: `count` of them from `first` on, counted from the patch's own.
    struct reach
    {
        int first, count;
    };
    constexpr reach windows_over(int length) const
    {
        const int before = window - 1 - left_pad; // elements of the first window before the patch
        const int first  = before >= 0 ? -(before / stride) : (-before + stride - 1) / stride;
        return {first, (length - 1 + left_pad) / stride - first + 1};
    }
    // Of a row of windows, those that a thread reads: with channels first in vectors of `cols`, which begin where they do in
    // memory.
    constexpr reach windows_read() const
    {
        const reach r   = windows_over(patch_width());
        const int first = r.first < 0 ? -((-r.first + read_run() - 1) / read_run()) : r.first / read_run();
        const int end   = (r.first + r.count + read_run() - 1) / read_run();
        return {first * read_run(), (end - first) * read_run()};
    }

    // Elements that one access moves along the width; 1 where it moves channels.
    constexpr int read_run() const { return layout == layout::nhwc || any_window() ? 1 : cols; }
    constexpr int write_run() const
    {
        const int line = 16 / bytes_of(dtype);
        return layout == layout::nhwc || any_window() ? 1 : patch_width() < line ? patch_width() : line;
    }

    // What a thread reads of dY and of the indices at once: a row of windows. What it adds them to: the elements of a row of
    // the patch that are `stride` apart, one per column. What it writes: the patch, or, for any window, a row of it.
    constexpr distribution row_of_windows() const
    {
        return any_window() ? tile_of(windows_at_once, 1) : tile_of(windows_read().count, read_run());
    }
    constexpr distribution row_of_sums() const { return tile_of(cols, read_run()); }
    constexpr distribution whole_patch() const { return tile_of(patch_height() * patch_width(), write_run()); }

  private:
    constexpr distribution tile_of(int pixels, int run) const
    {
        return pooling::one_patch_each(arch, threads, pixels, run, vector);
    }
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
    if(!channels_last && c.vector != 1)
        return {"with channels first, vectors lie along the width", c.vector, "use vector 1 and cols for the width"};
    if(c.rows < 1 || c.cols < 1)
        return {"a patch must have rows and columns", c.rows < 1 ? c.rows : c.cols, "use 1 or more"};
    if(c.any_window())
    {
        if(c.stride != 0 || c.left_pad != 0)
            return {"for any window, stride and pad are the problem's", c.stride != 0 ? c.stride : c.left_pad,
                    "use stride 0 and left_pad 0"};
        if(c.lds_bytes() > t.lds_bytes)
            return {"the sums of a block's patches must fit its LDS", c.lds_bytes(),
                    "use smaller patches, narrower vectors or fewer threads"};
        return {};
    }
    if(c.window < 1 || c.stride < 1 || c.left_pad < 0 || c.left_pad >= c.window)
        return {"window and stride must be positive, and the pad smaller than the window", c.left_pad,
                "use window 0 for any"};
    if(c.index != indices::u8)
        return {"a known window is read with u8 indices", ck_tile::name_of(c.index), "use window 0 for other indices"};
    if(c.window > 16)
        return {"u8 indices count at most 256 elements of a window", c.window, "use window 0 with wider indices"};
    if(!channels_last && (!power_of_two(c.cols) || c.cols * element > t.max_vector_bytes))
        return {"with channels first, cols windows of dY must be a vector of at most 16 bytes", c.cols,
                "use a power of two"};
    if(!channels_last && (!power_of_two(c.write_run()) || c.patch_width() % c.write_run() != 0))
        return {"with channels first, rows of a patch must be whole vectors", c.patch_width(),
                "use a stride that is a power of two, or channels last"};
    const int sums = c.patch_height() * c.patch_width() * c.vector;
    if(sums > t.vgprs / 2)
        return {"the sums of a patch must leave half of the registers", sums, "use smaller patches or vectors"};
    for(const distribution& d : {c.row_of_windows(), c.row_of_sums(), c.whole_patch()})
        if(!d.covers() || d.threads() != c.threads)
            return {"threads must cover what they read and write", c.threads, "use a multiple of the wave"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::maxpool_bwd

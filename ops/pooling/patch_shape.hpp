// SPDX-License-Identifier: MIT
// How threads share dX where a compiler knows the window, the stride and the pad: each makes a patch, some strides high and wide, of the
// windows that reach it.
#pragma once

#include "ck_tile/numeric/violation.hpp"
#include "ops/pooling/views.hpp"

namespace ck_tile::pooling
{

struct patch_shape
{
    architecture arch;
    pooling::layout layout;
    int window, stride, left_pad; // of height and width
    int rows, cols;               // of the patch, in strides
    int vector;                   // elements of dX that one access moves: channels, or, with channels first, of a row
    int threads;                  // of a block

    constexpr int channels() const { return layout == pooling::layout::nhwc ? vector : 1; } // that a thread has
    constexpr int height() const { return rows * stride; }
    constexpr int width() const { return cols * stride; }
    constexpr int elements() const { return height() * width() * channels(); } // of a patch

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
    // Of a row of windows, those that a thread reads: with channels first in vectors, which begin where they do in memory.
    constexpr reach windows_read() const
    {
        const reach r   = windows_over(width());
        const int first = r.first < 0 ? -((-r.first + read_run() - 1) / read_run()) : r.first / read_run();
        const int end   = (r.first + r.count + read_run() - 1) / read_run();
        return {first * read_run(), (end - first) * read_run()};
    }

    // Elements of dX, and windows, that one access moves along the width; 1 where it moves channels.
    constexpr int write_run() const { return layout == pooling::layout::nhwc ? 1 : vector; }
    constexpr int read_run() const { return write_run() > stride ? write_run() / stride : 1; }

    // What a thread reads of dY at once: a row of windows. What it adds them to: the elements of a row of the patch that are `stride` apart,
    // one per column. What it writes: the patch.
    constexpr distribution row_of_windows() const { return tile_of(windows_read().count, read_run()); }
    constexpr distribution row_of_sums() const { return tile_of(cols, read_run()); }
    constexpr distribution whole() const { return tile_of(height() * width(), write_run()); }
    // Registers that it reads and writes, of tensors that are read like dY.
    constexpr int accesses(int tensors) const
    {
        return tensors * windows_over(height()).count * row_of_windows().regs() + whole().regs();
    }

    // What of the output, and of dX, belongs to a patch.
    constexpr field seen() const
    {
        const reach over = windows_over(height()), read = windows_read();
        return {.left = {-over.first, -read.first}, .step = {rows, cols}, .height = over.count, .width = read.count};
    }
    constexpr field own() const
    {
        return {.left = {0, 0}, .step = {height(), width()}, .height = height(), .width = width()};
    }

  private:
    constexpr distribution tile_of(int pixels, int run) const
    {
        return one_patch_each(arch, threads, pixels, run, channels());
    }
};

// Whether threads can share dX so. `t` are the facts of s.arch; whether blocks are whole waves and vectors fit is not asked.
constexpr violation check_patch(const patch_shape& s, const target& t)
{
    if(s.window < 1 || s.stride < 1 || s.left_pad < 0 || s.left_pad >= s.window)
        return {"window and stride must be positive, and the pad smaller than the window", s.left_pad,
                "use window 0 for any"};
    if(s.width() % s.write_run() != 0)
        return {"with channels first, rows of a patch must be whole vectors", s.width(),
                "use a narrower vector, or cols for more of them"};
    if(s.elements() > t.vgprs / 2)
        return {"the sums of a patch must leave half of the registers", s.elements(), "use smaller patches or vectors"};
    for(const distribution& d : {s.row_of_windows(), s.row_of_sums(), s.whole()})
        if(!d.covers() || d.threads() != s.threads)
            return {"threads must cover what they read and write", s.threads, "use a multiple of the wave"};
    return {};
}

} // namespace ck_tile::pooling

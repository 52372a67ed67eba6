// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ops/pooling/column_shape.hpp"
#include "ops/pooling/patch_shape.hpp"

namespace ck_tile::avgpool_bwd
{

using pooling::layout;

struct config
{
    architecture arch;
    data_type dtype;
    pooling::layout layout;
    int window = 0, stride = 0, left_pad = 0; // of height and width; window 0: all are the problem's
    int rows = 1,
        cols = 1; // of the patch of dX that a thread makes, in strides; for any window pixels of a column, at most
    // Elements of dX that one access moves: channels, or, with channels first, of a row; for any window a thread's channels.
    int vector  = 1;
    int threads = 256; // of a block

    constexpr bool any_window() const { return window == 0; }
    // Of a known window.
    constexpr pooling::patch_shape patch() const
    {
        return {arch, layout, window, stride, left_pad, rows, cols, vector, threads};
    }
    // Of any.
    constexpr pooling::column_shape column() const { return {arch, layout, rows, 1, vector, threads}; }
    constexpr int channels() const { return any_window() ? vector : patch().channels(); } // that a thread has
};

// The only place that knows which configurations are legal; static_assert, the dispatcher and the generator ask it.
// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(const violation broken = check_threads(c.column(), t))
        return broken;
    if(!pooling::is_vector(c.vector, bytes_of(c.dtype), t))
        return {"vectors of dY and dX must be a power of two of at most 16 bytes", c.vector, "use a narrower vector"};
    if(c.rows < 1 || c.cols < 1)
        return {"a patch must have rows and columns", c.rows < 1 ? c.rows : c.cols, "use 1 or more"};
    if(!c.any_window())
        return pooling::check_patch(c.patch(), t);
    if(c.stride != 0 || c.left_pad != 0)
        return {"for any window, stride and pad are the problem's", c.stride != 0 ? c.stride : c.left_pad,
                "use stride 0 and left_pad 0"};
    if(c.cols != 1)
        return {"for any window, a thread makes pixels of one column", c.cols, "use cols 1"};
    if(c.rows * c.vector > t.vgprs / 2)
        return {"the sums of a thread must leave half of the registers", c.rows * c.vector,
                "use fewer rows or narrower vectors"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::avgpool_bwd

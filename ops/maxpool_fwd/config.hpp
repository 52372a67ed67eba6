// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/numeric/violation.hpp"
#include "ops/maxpool/kinds.hpp"
#include "ops/pooling/column_shape.hpp"

namespace ck_tile::maxpool_fwd
{

using maxpool::indices;
using maxpool::layout;

struct config
{
    architecture arch;
    data_type dtype;
    indices index; // u8, int32 or int64
    maxpool::layout layout;
    int rows    = 1;   // outputs that a thread makes, one below the other, at most
    int lanes   = 1;   // threads that share a window, each having other columns of it
    int vector  = 1;   // channels that a thread has
    int threads = 256; // of a block

    constexpr pooling::column_shape shape() const { return {arch, layout, rows, lanes, vector, threads}; }

    // Whether two maxima lie in a word, and their indices in another.
    constexpr bool in_halves() const
    {
        return facts(arch).compares_halves && ck_tile::bytes_of(dtype) == 2 && index == indices::u8 && lanes == 1 &&
               vector > 1;
    }
};

// The only place that knows which configurations are legal; static_assert, the dispatcher and the generator ask it.
// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(c.index == indices::recompute)
        return {"an instance writes indices of one kind", ck_tile::name_of(c.index), "choose u8, int32 or int64"};
    if(const violation broken = check_threads(c.shape(), t))
        return broken;
    if(!pooling::is_vector(c.vector, bytes_of(c.dtype), t) || !pooling::is_vector(c.vector, bytes_of(c.index), t))
        return {"vectors of the input and of indices must be a power of two of at most 16 bytes", c.vector,
                "use a narrower vector"};
    const int registers = c.rows * c.vector * 2; // for maxima and indices
    if(c.rows < 1 || registers > t.vgprs / 2)
        return {"a thread must make an output, and its maxima leave half of the registers", registers,
                "use fewer rows or narrower vectors"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::maxpool_fwd

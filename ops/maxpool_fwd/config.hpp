// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/numeric/violation.hpp"
#include "ops/maxpool/views.hpp"

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

    static constexpr int elements_at_once =
        3; // of a row of a window, which a thread reads before it compares the first

    constexpr int patches() const { return threads / lanes; } // of a block
    // What a thread reads of the input at once, and what it makes: of one pixel its channels, side by side in memory in one vector,
    // else in registers.
    constexpr distribution row_of_elements() const
    {
        const int wave = facts(arch).wave;
        distribution d = {.lengths = {patches(), lanes * elements_at_once, vector},
                          .wave    = {{threads / wave, 0, wave / lanes}},
                          .lane    = {{lanes, 1, 1}, {wave / lanes, 0, 1}},
                          .reg     = {{elements_at_once, 1, lanes}},
                          .vec     = {}};
        (layout == maxpool::layout::nhwc ? d.vec : d.reg).push({vector, 2, 1});
        return d;
    }
    constexpr distribution cell() const
    {
        const int wave = facts(arch).wave;
        distribution d = {.lengths = {patches(), 1, vector},
                          .wave    = {{threads / wave, 0, wave / lanes}},
                          .lane    = {{lanes, 0, 0}, {wave / lanes, 0, 1}},
                          .reg     = {},
                          .vec     = {}};
        (layout == maxpool::layout::nhwc ? d.vec : d.reg).push({vector, 2, 1});
        return d;
    }
};

// The only place that knows which configurations are legal; static_assert, the dispatcher and the generator ask it.
// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(c.index == indices::recompute)
        return {"an instance writes indices of one kind", ck_tile::name_of(c.index), "choose u8, int32 or int64"};
    if(c.threads < t.wave || c.threads % t.wave != 0 || c.threads > t.max_block_threads)
        return {"threads must be whole waves within a block", c.threads, "use a multiple of the wave"};
    if(c.vector < 1 || (c.vector & (c.vector - 1)) != 0 || c.vector * bytes_of(c.dtype) > t.max_vector_bytes ||
       c.vector * bytes_of(c.index) > t.max_vector_bytes)
        return {"vectors of the input and of indices must be a power of two of at most 16 bytes", c.vector,
                "use a narrower vector"};
    if(c.lanes < 1 || (c.lanes & (c.lanes - 1)) != 0 || c.lanes > t.wave)
        return {"the threads of a window must be a power of two, of one wave", c.lanes, "use 1, 2, 4, 8 or 16"};
    const int registers = c.rows * c.vector * 2; // for maxima and indices
    if(c.rows < 1 || registers > t.vgprs / 2)
        return {"a thread must make an output, and its maxima leave half of the registers", registers,
                "use fewer rows or narrower vectors"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::maxpool_fwd

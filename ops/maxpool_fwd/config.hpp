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
    int vector  = 1;   // channels that a thread has
    int threads = 256; // of a block

    constexpr distribution cell() const { return maxpool::one_pixel_each(arch, threads, layout, vector); }
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
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::maxpool_fwd

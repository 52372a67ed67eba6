// SPDX-License-Identifier: MIT
// The configuration of one instance, and what makes one legal.
#pragma once

#include "ck_tile/core/distribution.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ck_tile/targets/targets.hpp"

namespace ck_tile::scale
{

struct config
{
    architecture arch;
    data_type dtype;
    int vector; // elements that one access moves
    int waves;  // of a block

    constexpr int threads() const { return waves * facts(arch).wave; }

    // What a block makes: a vector for each thread.
    constexpr distribution tile() const
    {
        const int wave = facts(arch).wave;
        return {.lengths = {threads() * vector},
                .wave    = {{waves, 0, wave * vector}},
                .lane    = {{wave, 0, vector}},
                .reg     = {},
                .vec     = {{vector, 0, 1}}};
    }
};

// The only place that knows which configurations are legal; static_assert, dispatch and the generator ask it.
constexpr violation check(const config& c, const target& t)
{
    if(c.vector < 1 || (c.vector & (c.vector - 1)) != 0 || c.vector * bytes_of(c.dtype) > t.max_vector_bytes)
        return {"the vector width must be a power of two of at most 16 bytes", c.vector, "use 1, 2, 4 or 8"};
    if(c.waves < 1 || c.threads() > t.max_block_threads)
        return {"waves * lanes must be within the threads of a block", c.waves * t.wave, "use fewer waves"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::scale

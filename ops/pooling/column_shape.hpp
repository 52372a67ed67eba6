// SPDX-License-Identifier: MIT
// Which pixels a thread makes: some rows of one column, of some channels. And what of a row of the other tensor it reads at once.
#pragma once

#include "ck_tile/numeric/violation.hpp"
#include "ops/pooling/views.hpp"

namespace ck_tile::pooling
{

struct column_shape
{
    architecture arch;
    pooling::layout layout;
    int rows;    // pixels that a thread makes, one below the other, at most
    int lanes;   // threads that share a pixel, each having other columns of its window
    int vector;  // channels that a thread has
    int threads; // of a block

    static constexpr int elements_at_once = 3; // of a row, which a thread reads before it counts the first

    constexpr int patches() const { return threads / lanes; } // of a block

    // What a thread reads at once, and what it makes, of one pixel: its channels, in one vector.
    constexpr distribution row_of_elements() const { return of_row(true); }
    constexpr distribution cell() const { return of_pixel(true); }
    // The same as they lie in memory: channels side by side, or one image behind the other.
    constexpr distribution stored_row_of_elements() const { return of_row(layout == pooling::layout::nhwc); }
    constexpr distribution stored_cell() const { return of_pixel(layout == pooling::layout::nhwc); }

  private:
    constexpr distribution of_row(bool in_vectors) const
    {
        const int wave = facts(arch).wave;
        distribution d = {.lengths = {patches(), lanes * elements_at_once, vector},
                          .wave    = {{threads / wave, 0, wave / lanes}},
                          .lane    = {{lanes, 1, 1}, {wave / lanes, 0, 1}},
                          .reg     = {},
                          .vec     = {}};
        (in_vectors ? d.vec : d.reg).push({vector, 2, 1});
        d.reg.push({elements_at_once, 1, lanes});
        return d;
    }
    constexpr distribution of_pixel(bool in_vectors) const
    {
        const int wave = facts(arch).wave;
        distribution d = {.lengths = {patches(), 1, vector},
                          .wave    = {{threads / wave, 0, wave / lanes}},
                          .lane    = {{lanes, 0, 0}, {wave / lanes, 0, 1}},
                          .reg     = {},
                          .vec     = {}};
        (in_vectors ? d.vec : d.reg).push({vector, 2, 1});
        return d;
    }
};

// Whether blocks and waves can be shared out so. `t` are the facts of s.arch.
constexpr violation check_threads(const column_shape& s, const target& t)
{
    if(s.threads < t.wave || s.threads % t.wave != 0 || s.threads > t.max_block_threads)
        return {"threads must be whole waves within a block", s.threads, "use a multiple of the wave"};
    if(s.lanes < 1 || (s.lanes & (s.lanes - 1)) != 0 || s.lanes > t.wave)
        return {"the threads of a window must be a power of two, of one wave", s.lanes, "use 1, 2, 4, 8 or 16"};
    return {};
}

constexpr bool is_vector(int elements, int element_bytes, const target& t)
{
    return elements >= 1 && (elements & (elements - 1)) == 0 && elements * element_bytes <= t.max_vector_bytes;
}

} // namespace ck_tile::pooling

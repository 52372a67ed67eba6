// SPDX-License-Identifier: MIT
// Residue classes of backward data: which filter taps and outputs reach which inputs, arithmetic alone.
//
// Input h, output o and tap y of one dimension meet where h + p = o * s + y * d (stride s, dilation d, left pad p). Inputs of one
// residue r = (h + p) mod s meet the same taps, those of y * d = r (mod s): there are some if g = gcd(s, d) divides r, and then
// they lie s / g apart. Each class is a convolution of stride 1:
//   h = first_input + q * s        o = first_output + q - t * output_step        y = first_tap + t * tap_step
// Inputs that no window reaches, and classes without taps, have no terms: their gradient is zero.
#pragma once

#include "ck_tile/core/multi_index.hpp"

namespace ck_tile::conv
{

// A class along one dimension.
struct residue
{
    int positions, first_input; // q runs to positions - 1
    int taps, first_tap, tap_step;
    int first_output, output_step;
};

struct dimension
{
    int input, filter, stride, dilation, left_pad;
};

CK_TILE_FN constexpr residue residue_of(const dimension& d, int r)
{
    const int g     = common_divisor(d.stride, d.dilation);
    const int apart = d.left_pad - r; // h = u * s - apart with u = o + (y * d - r) / s
    const int u     = apart > 0 ? ceil_div(apart, d.stride) : 0;
    const int first = u * d.stride - apart;
    residue c       = {.positions    = first < d.input ? (d.input - 1 - first) / d.stride + 1 : 0,
                       .first_input  = first,
                       .taps         = 0,
                       .first_tap    = 0,
                       .tap_step     = d.stride / g,
                       .first_output = 0,
                       .output_step  = d.dilation / g};
    if(r % g != 0)
        return c;
    while(c.first_tap * d.dilation % d.stride != r)
        ++c.first_tap; // ends before stride / g, where residues repeat
    c.taps         = c.first_tap < d.filter ? (d.filter - 1 - c.first_tap) / c.tap_step + 1 : 0;
    c.first_output = u - (c.first_tap * d.dilation - r) / d.stride;
    return c;
}

// A class of S dimensions: one residue of each.
template <int S>
struct residue_class
{
    residue along[S];

    CK_TILE_FN constexpr int positions() const
    {
        int all = 1;
        for(const residue& r : along)
            all *= r.positions;
        return all;
    }
    CK_TILE_FN constexpr int taps() const
    {
        int all = 1;
        for(const residue& r : along)
            all *= r.taps;
        return all;
    }
};

} // namespace ck_tile::conv

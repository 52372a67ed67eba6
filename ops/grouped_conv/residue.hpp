// SPDX-License-Identifier: MIT
// Residue classes of backward data: which filter taps and outputs reach which inputs, arithmetic alone.
//
// Input h, output o and tap y of one dimension meet where h + p = o * s + y * d (stride s, dilation d, left pad p). Inputs of one
// residue r = (h + p) mod s meet the same taps, those of y * d = r (mod s): there are some if g = gcd(s, d) divides r, and then
// they lie s / g apart. Each class is a convolution of stride 1:
//   h = first_input + q * s        o = first_output + q - t * output_step        y = first_tap + t * tap_step
// Inputs that no window reaches, and classes without taps, have no terms: their gradient is zero.
//
// y * d = r (mod s) has exactly one solution y below s / g for each r that g divides: so taps 0 to s / g - 1 number the classes.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/multi_index.hpp"

#include <cstdint>

namespace ck_tile::conv
{

// A class along one dimension.
struct residue
{
    int positions, first_input; // q runs to positions - 1
    int taps, first_tap, tap_step;
    int first_output, output_step;
    divider by_positions, by_taps; // the same; of what there is none of, any
};

struct dimension
{
    int input, filter, stride, dilation, left_pad;
};

// What all classes along a dimension share, with divisors that are known beforehand: there are as many as the stride is long.
// Those that have taps are the first; number `i` of them has i as first tap, so that those with most taps come first.
struct residues
{
    dimension of_all;
    int divisor, output_step;      // the divisor of stride and dilation
    divider stride, step;          // from one tap to the next
    divider positions[2], taps[2]; // of the longest classes; others have one less

    constexpr residues() = default;
    constexpr residues(const dimension& d)
        : of_all(d),
          divisor(common_divisor(d.stride, d.dilation)),
          output_step(d.dilation / divisor),
          stride(d.stride),
          step(d.stride / divisor)
    {
        const auto both = [](divider(&counts)[2], int most) {
            counts[0] = most;
            counts[1] = most > 1 ? most - 1 : 1;
        };
        both(positions, ceil_div(d.input, d.stride));
        both(taps, ceil_div(d.filter, step.divisor));
    }

    CK_TILE_FN constexpr int count() const { return stride.divisor; }
    CK_TILE_FN constexpr int with_taps() const { return step.divisor; }
    CK_TILE_FN constexpr residue operator[](int i) const
    {
        const dimension& d  = of_all;
        const bool has_taps = i < with_taps();
        // Of residues without taps, the numbers that the divisor does not divide.
        const int beyond = has_taps ? 0 : i - with_taps();
        const int of_tap = has_taps ? i * d.dilation : 0, turns = of_tap / stride;
        const int r      = has_taps ? of_tap - turns * d.stride : beyond + beyond / (divisor - 1) + 1;
        const int apart  = d.left_pad - r; // h = u * s - apart with u = o + (y * d - r) / s
        const int u      = apart > 0 ? (apart + d.stride - 1) / stride : 0;
        const int first  = u * d.stride - apart;
        const int inputs = first < d.input ? (d.input - 1 - first) / stride + 1 : 0;
        const int met    = has_taps && i < d.filter ? (d.filter - 1 - i) / step + 1 : 0;
        return {.positions    = inputs,
                .first_input  = first,
                .taps         = met,
                .first_tap    = i,
                .tap_step     = step.divisor,
                .first_output = u - turns,
                .output_step  = output_step,
                .by_positions = positions[inputs < positions[0].divisor],
                .by_taps      = taps[met < taps[0].divisor]};
    }
};

// A class of S dimensions: one residue of each.
template <int S>
struct residue_class
{
    residue along[S];

    CK_TILE_FN constexpr int positions() const
    {
        int all = 1;
        CK_TILE_UNROLL
        for(int d = 0; d < S; ++d)
            all *= along[d].positions;
        return all;
    }
    CK_TILE_FN constexpr dividers<S> by_positions() const
    {
        dividers<S> all;
        CK_TILE_UNROLL
        for(int d = 0; d < S; ++d)
            all[d] = along[d].by_positions;
        return all;
    }
    CK_TILE_FN constexpr int taps() const
    {
        int all = 1;
        CK_TILE_UNROLL
        for(int d = 0; d < S; ++d)
            all *= along[d].taps;
        return all;
    }
};

// Class `number` of the last S dimensions, those with most taps along the first of them first.
template <int S>
CK_TILE_FN constexpr residue_class<S> class_of(const residues (&all)[3], int number)
{
    residue_class<S> c = {};
    CK_TILE_UNROLL
    for(int d = S - 1; d >= 0; --d)
    {
        const residues& r = all[3 - S + d];
        c.along[d]        = r[number % r.stride];
        number            = number / r.stride;
    }
    return c;
}

} // namespace ck_tile::conv

// SPDX-License-Identifier: MIT
// Groups of few channels as the columns of blocks: those of what is made, and, of what its windows see, those of the same groups. Either side may
// have more of them than the other, as it has of a channel multiplier.
#pragma once

#include "ck_tile/core/divider.hpp"

namespace ck_tile::conv
{

// Where pixels of dY see X, backward weight, what is made stands for dY.
struct channel_groups
{
    divider made, seen; // channels of a group
    int of_slice; // channels of what is made that a slice of a block's columns has: fewer than columns, where it sees more

    // The first channel that one of what is made sees, which sees all of its group.
    CK_TILE_FN constexpr int first_seen(int channel) const { return channel / made * seen.divisor; }
    // The vector of channels that it lies in.
    template <int Vector>
    CK_TILE_FN constexpr int vector_seen(int channel) const
    {
        return first_seen(channel) & -Vector;
    }
    CK_TILE_FN constexpr bool same(int channel, int channel_seen) const
    {
        return channel / made == channel_seen / seen;
    }
};

// The channels that the columns of a block are: of each slice of so many columns the first few, side by side in memory.
struct channel_slices
{
    int first, columns, of_slice;

    CK_TILE_FN constexpr int operator[](int column) const
    {
        return first + column / columns * of_slice + column % columns;
    }
    CK_TILE_FN constexpr bool has(int column) const { return column % columns < of_slice; }
};

} // namespace ck_tile::conv

// SPDX-License-Identifier: MIT
// Coordinate transforms: each maps upper coordinates (what the program sees) to lower ones (closer to memory).
//
// A transform has `upper` and `lower` dimensions, the `lengths()` of the upper ones, and `map(upper) -> lower`.
//   affine   map is affine, so that map(a + b) = map(a) + map(b) - map(0): the parts of a sum can be kept apart
//   guarded  lower coordinates outside [0, limit()) do not exist: loads read zero there, stores write nothing
// Lengths are compile-time or run-time values: a transform that is a constexpr value folds away, the others are a few
// scalars. None divides, but for `merge` when it is entered; a moving window then carries from digit to digit.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/lds_banks.hpp"
#include "ck_tile/core/multi_index.hpp"

namespace ck_tile
{

// lower = upper
struct pass_through
{
    static constexpr int upper = 1, lower = 1;
    static constexpr bool affine = true, guarded = false;
    int length;

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {length}; }
    CK_TILE_FN constexpr multi_index<1> map(multi_index<1> u) const { return u; }
};

// lower = upper, to where the view's memory ends: coordinates past it lead to offsets past the memory, so that no test of
// its own is needed, and a window that moves along it moves its memory instead of its coordinates.
struct unbounded
{
    static constexpr int upper = 1, lower = 1;
    static constexpr bool affine = true, guarded = false;

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {0x7fffffff}; }
    CK_TILE_FN constexpr multi_index<1> map(multi_index<1> u) const { return u; }
};

// `left` elements that do not exist before the lower dimension, `right` after it.
struct pad
{
    static constexpr int upper = 1, lower = 1;
    static constexpr bool affine = true, guarded = true;
    int length; // of the lower dimension
    int left;
    int right;

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {left + length + right}; }
    CK_TILE_FN constexpr multi_index<1> map(multi_index<1> u) const { return {wrapped_difference(u[0], left)}; }
    CK_TILE_FN constexpr int limit() const { return length; }
};

// The part [begin, end) of the lower dimension.
struct slice
{
    static constexpr int upper = 1, lower = 1;
    static constexpr bool affine = true, guarded = false;
    int begin;
    int end;

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {end - begin}; }
    CK_TILE_FN constexpr multi_index<1> map(multi_index<1> u) const { return {wrapped_sum(begin, u[0])}; }
};

// lower = upper + by, of `length` elements.
struct offset
{
    static constexpr int upper = 1, lower = 1;
    static constexpr bool affine = true, guarded = false;
    int length;
    int by;

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {length}; }
    CK_TILE_FN constexpr multi_index<1> map(multi_index<1> u) const { return {wrapped_sum(u[0], by)}; }
};

// lower = sum of coefficient * upper: a strided window slides over a dimension as embed{{outputs, taps}, {stride,
// dilation}}, and strides put a tensor into memory.
template <int N>
struct embed
{
    static constexpr int upper = N, lower = 1;
    static constexpr bool affine = true, guarded = false;
    multi_index<N> extents;
    multi_index<N> coefficients;

    CK_TILE_FN constexpr multi_index<N> lengths() const { return extents; }
    CK_TILE_FN constexpr multi_index<1> map(const multi_index<N>& u) const
    {
        unsigned sum = 0; // wraps for coordinates beyond the tensor, whose offsets are not used
        CK_TILE_UNROLL
        for(int d = 0; d < N; ++d)
            sum += static_cast<unsigned>(u[d]) * static_cast<unsigned>(coefficients[d]);
        return {static_cast<int>(sum)};
    }
};

// One upper dimension that runs through N lower ones, the last fastest: upper = (l0 * e1 + l1) * e2 + l2 ... It is
// product(extents) long, or ends earlier, at `end`. Extents may be `dividers`, of which the digits of a coordinate come faster.
template <int N, class Extents = multi_index<N>>
struct merge
{
    static constexpr int upper = 1, lower = N;
    static constexpr bool affine = N == 1, guarded = false;
    Extents extents;
    int end = product(extents);

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {end}; }
    CK_TILE_FN constexpr multi_index<N> map(multi_index<1> u) const
    {
        multi_index<N> digits;
        int rest = u[0];
        CK_TILE_UNROLL
        for(int d = N - 1; d > 0; --d)
        {
            digits[d] = rest % extents[d];
            rest      = rest / extents[d];
        }
        digits[0] = rest;
        return digits;
    }

    // The digits of digits + step by carrying, without division; each digit of the step is below its extent, but for
    // the first.
    CK_TILE_FN constexpr multi_index<N> advance(multi_index<N> digits, const multi_index<N>& step) const
    {
        int carry = 0;
        CK_TILE_UNROLL
        for(int d = N - 1; d > 0; --d)
        {
            digits[d] += step[d] + carry;
            carry = digits[d] >= length_of(extents[d]);
            digits[d] -= carry ? length_of(extents[d]) : 0;
        }
        digits[0] += step[0] + carry;
        return digits;
    }
};

// The inverse of merge: N upper dimensions number one lower dimension, the last fastest.
template <int N>
struct unmerge
{
    static constexpr int upper = N, lower = 1;
    static constexpr bool affine = true, guarded = false;
    multi_index<N> extents;

    CK_TILE_FN constexpr multi_index<N> lengths() const { return extents; }
    CK_TILE_FN constexpr multi_index<1> map(const multi_index<N>& u) const
    {
        int number = u[0];
        CK_TILE_UNROLL
        for(int d = 1; d < N; ++d)
            number = number * extents[d] + u[d];
        return {number};
    }
};

// Permutes the chunks of `chunk` elements within each line of eight of them, as `keys` says: those of bits 0 to 2 being 1, 2 and 4, the
// chunk's number xor the line's. It is its own inverse. Length 0 of a chunk: leaves all where they are.
struct permute_banks
{
    static constexpr int upper = 1, lower = 1;
    static constexpr bool affine = false, guarded = false;
    int length;
    int chunk;
    bank_keys keys;

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {length}; }
    CK_TILE_FN constexpr multi_index<1> map(const multi_index<1>& u) const
    {
        return {chunk > 0 ? u[0] ^ (keys.of_line(u[0] / (lds_line_chunks * chunk)) * chunk) : u[0]};
    }
};

// An upper dimension along which all is the same, without end: no lower dimension. Loads know it: repeated().
struct repeat
{
    static constexpr int upper = 1, lower = 0;
    static constexpr bool affine = true, guarded = false;

    CK_TILE_FN constexpr multi_index<1> lengths() const { return {0x7fffffff}; }
    CK_TILE_FN constexpr multi_index<0> map(const multi_index<1>&) const { return {}; }
};

// A lower dimension held at one value: no upper dimension.
struct freeze
{
    static constexpr int upper = 0, lower = 1;
    static constexpr bool affine = true, guarded = false;
    int value;

    CK_TILE_FN constexpr multi_index<0> lengths() const { return {}; }
    CK_TILE_FN constexpr multi_index<1> map(const multi_index<0>&) const { return {value}; }
};

} // namespace ck_tile

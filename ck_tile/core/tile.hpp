// SPDX-License-Identifier: MIT
// A tile: a tensor held in the registers of a block, as its distribution says.
#pragma once

#include "ck_tile/core/distribution.hpp"
#include "ck_tile/numeric/types.hpp"
#include "ck_tile/targets/threads.hpp"

namespace ck_tile
{

namespace detail
{
// Whether a tile has no more dimensions than a view does.
constexpr bool fits_rank(const distribution& d, int rank)
{
    for(int dim = rank; dim < distribution::max_rank; ++dim)
        if(d.length(dim) != 1)
            return false;
    return true;
}

// One of something for each thread whose registers are held here.
template <class T, int Copies>
struct per_thread
{
    T values[Copies];
    CK_TILE_FN constexpr T& operator[](int copy) { return values[copy]; }
    CK_TILE_FN constexpr const T& operator[](int copy) const { return values[copy]; }
};
} // namespace detail

template <class T, distribution D>
struct tile
{
    static_assert(D.covers(),
                  "tile: the digits of the distribution do not cover the tile exactly once; the strides of a "
                  "dimension, sorted, must each be the product of the extents below them");
    using element                        = T;
    using registers                      = vector<T, D.vecs()>;
    static constexpr distribution layout = D;

    // Every verb works thread by thread on that thread's registers.
    struct file
    {
        registers reg[D.regs()];

        CK_TILE_FN constexpr T get(int r, int v) const { return __builtin_bit_cast(T, storage_t<T>(reg[r][v])); }
        CK_TILE_FN void set(int r, int v, T x) { reg[r][v] = __builtin_bit_cast(storage_t<T>, x); }
    };
    file files[copies_of(D.threads())];

    CK_TILE_FN constexpr file& file_of(thread t) { return files[t.copy]; }
    CK_TILE_FN constexpr const file& file_of(thread t) const { return files[t.copy]; }
};

// f(register, vector element) for each element that a thread of the distribution holds: numbers as register_for gives them.
template <distribution D, class F>
CK_TILE_FN constexpr void for_each_element(F&& f)
{
    if constexpr(on_device)
        static_for<D.regs() * D.vecs()>([&](auto i) { f(constant<i / D.vecs()>{}, constant<i % D.vecs()>{}); });
    else
        register_for<D.regs()>([&](int r) { register_for<D.vecs()>([&](int v) { f(r, v); }); });
}

// How far a number that runs through the digits reaches along dimension Dim: digits::along, the digits folded.
template <digits Digits, int Dim>
CK_TILE_FN constexpr int reach(int number)
{
    int sum = 0;
    static_for<Digits.count>([&](auto i) {
        constexpr digit d = Digits.at[i];
        if constexpr(d.moves_along(Dim))
            sum += (int(i) + 1 < Digits.count ? number % d.extent : number) * d.stride;
        number /= d.extent;
    });
    return sum;
}

// Coordinate along Dim of a thread's first element.
template <distribution D, int Dim>
CK_TILE_FN constexpr int first_element(thread t)
{
    return reach<D.cluster, Dim>(t.rank) + reach<D.wave, Dim>(t.wave) + reach<D.lane, Dim>(t.lane);
}

// Coordinates of element v of a thread's register r.
template <distribution D, int Rank>
CK_TILE_FN constexpr multi_index<Rank> coordinates(thread t, int r, int v)
{
    multi_index<Rank> at;
    static_for<Rank>([&](auto d) { at[d] = first_element<D, d>(t) + reach<D.reg, d>(r) + reach<D.vec, d>(v); });
    return at;
}

// Runs f(thread) for every thread that shares the tile's distribution.
template <distribution D, class F>
CK_TILE_FN constexpr void for_each_thread(F&& f)
{
    run_threads<D.cluster_size(), D.waves(), D.lanes()>(static_cast<F&&>(f));
}

} // namespace ck_tile

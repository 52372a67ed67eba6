// SPDX-License-Identifier: MIT
// The verb exchange_lanes: registers of another lane of the wave.
#pragma once

#include "ck_tile/core/tile.hpp"

namespace ck_tile
{

// The tile whose lane l holds what lane l xor mask holds of x.
template <class T, distribution D>
CK_TILE_FN tile<T, D> exchange_lanes(const tile<T, D>& x, int mask)
{
    tile<T, D> y;
#if CK_TILE_ON_DEVICE
    static_for<D.regs()>([&](auto r) {
        static_for<D.vecs()>([&](auto v) {
            // Lanes exchange 32 bits; a narrower element travels in the lower ones, one of 64 as two words.
            const T mine = x.files[0].get(r, v);
            if constexpr(sizeof(T) == 8)
            {
                const auto word = [&](int shift) {
                    const int half = static_cast<int>(__builtin_bit_cast(std::uint64_t, mine) >> shift);
                    return std::uint64_t(static_cast<unsigned>(exchange_word(half, mask, D.lanes()))) << shift;
                };
                y.files[0].set(r, v, __builtin_bit_cast(T, word(0) | word(32)));
            }
            else
            {
                using bits = std::conditional_t<sizeof(T) == 4, int, std::conditional_t<sizeof(T) == 2, short, char>>;
                const int theirs = exchange_word(__builtin_bit_cast(bits, mine), mask, D.lanes());
                y.files[0].set(r, v, __builtin_bit_cast(T, static_cast<bits>(theirs)));
            }
        });
    });
#else
    for_each_thread<D>([&](thread t) {
        y.file_of(t) = x.file_of({t.wave, t.lane ^ mask, t.copy - t.lane + (t.lane ^ mask), t.rank});
    });
#endif
    return y;
}

// The same of one value for each thread, of 4-byte words.
template <distribution D, class T>
CK_TILE_FN detail::per_thread<T, copies_of(D.threads())> exchange_lanes(
    const detail::per_thread<T, copies_of(D.threads())>& x, int mask)
{
    static_assert(sizeof(T) % 4 == 0, "exchange_lanes: lanes exchange words of 4 bytes");
    detail::per_thread<T, copies_of(D.threads())> y;
#if CK_TILE_ON_DEVICE
    struct word_list
    {
        int at[sizeof(T) / 4];
    };
    word_list all = __builtin_bit_cast(word_list, x[0]);
    for(int& word : all.at)
        word = exchange_word(word, mask, D.lanes());
    y[0] = __builtin_bit_cast(T, all);
#else
    for_each_thread<D>([&](thread t) { y[t.copy] = x[t.copy - t.lane + (t.lane ^ mask)]; });
#endif
    return y;
}

} // namespace ck_tile

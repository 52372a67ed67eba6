// SPDX-License-Identifier: MIT
// The verbs exchange_lanes, registers of another lane of the wave, and trade_digits, which gives lanes what neighbours hold.
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
            // Lanes exchange 32 bits; a narrower element travels in the lower half.
            using bits       = std::conditional_t<sizeof(T) == 4, int, short>;
            const int mine   = __builtin_bit_cast(bits, x.files[0].get(r, v));
            const int theirs = exchange_word(mine, mask, D.lanes());
            y.files[0].set(r, v, __builtin_bit_cast(T, static_cast<bits>(theirs)));
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

namespace detail
{
// Which digit of the registers runs along the dimension of the fastest lane digit, as far at least; -1 if none does.
constexpr int traded_digit(const distribution& d)
{
    const digit& lane = d.lane.at[0];
    for(int i = 0; i < d.reg.count; ++i)
        if(lane.extent > 1 && d.reg.at[i].moves_along(lane.dim) && d.reg.at[i].extent % lane.extent == 0)
            return i;
    return -1;
}
} // namespace detail

constexpr bool can_trade_digits(const distribution& d) { return detail::traded_digit(d) >= 0; }

// The distribution in which the fastest digit of the lanes and as much of a digit of the registers, along the same dimension,
// have changed places: lanes that held neighbouring elements, each of many runs, hold a run each.
constexpr distribution digits_traded(const distribution& d)
{
    const int i      = detail::traded_digit(d);
    distribution to  = d;
    const digit lane = d.lane.at[0], reg = d.reg.at[i];
    to.lane.at[0].stride = reg.stride;
    to.reg               = {};
    for(int j = 0; j < d.reg.count; ++j)
        if(j == i)
            to.reg.push(lane).push({reg.extent / lane.extent, reg.dim, reg.stride * lane.extent});
        else
            to.reg.push(d.reg.at[j]);
    return to;
}

namespace detail
{
// `a` where the mask is all ones, `b` where it is zero, word by word: of a choice between registers compilers make branches.
template <class Registers>
CK_TILE_FN Registers choose(unsigned mask, const Registers& a, const Registers& b)
{
    static_assert(sizeof(Registers) % 4 == 0, "trade_digits: lanes exchange words of 4 bytes");
    struct words
    {
        unsigned at[sizeof(Registers) / 4];
    };
    words chosen      = __builtin_bit_cast(words, a);
    const words other = __builtin_bit_cast(words, b);
    CK_TILE_UNROLL
    for(int i = 0; i < int(sizeof(Registers) / 4); ++i)
        chosen.at[i] = (chosen.at[i] & mask) | (other.at[i] & ~mask);
    return __builtin_bit_cast(Registers, chosen);
}
} // namespace detail

// The tile so distributed, by exchanges between lanes whose numbers differ in one bit.
template <class T, distribution D>
CK_TILE_FN auto trade_digits(tile<T, D> x)
{
    constexpr int traded = detail::traded_digit(D), extent = D.lane.at[0].extent;
    static_assert(
        traded >= 0 && (extent & (extent - 1)) == 0,
        "trade_digits: needs a digit of the registers along the dimension of the fastest lane digit, whose extent is a "
        "power of two and divides that of the other");
    constexpr int weight = [] {
        int all = 1;
        for(int i = 0; i < traded; ++i)
            all *= D.reg.at[i].extent;
        return all;
    }();
    static_for<__builtin_ctz(extent)>([&](auto bit) {
        const auto upper = [&](thread t) { return -unsigned(t.lane >> bit & 1); };
        static_for<D.regs()>([&](auto r) {
            constexpr int other = r + (weight << bit);
            if constexpr((r / weight % extent >> bit & 1) == 0)
            {
                detail::per_thread<typename tile<T, D>::registers, copies_of(D.threads())> moving;
                for_each_thread<D>([&](thread t) {
                    const auto& reg = x.file_of(t).reg;
                    moving[t.copy]  = detail::choose(upper(t), reg[r], reg[other]);
                });
                moving = exchange_lanes<D>(moving, 1 << bit);
                for_each_thread<D>([&](thread t) {
                    auto& reg  = x.file_of(t).reg;
                    reg[r]     = detail::choose(upper(t), moving[t.copy], reg[r]);
                    reg[other] = detail::choose(upper(t), reg[other], moving[t.copy]);
                });
            }
        });
    });
    tile<T, digits_traded(D)> y;
    for_each_thread<D>(
        [&](thread t) { register_for<D.regs()>([&](auto r) { y.file_of(t).reg[r] = x.file_of(t).reg[r]; }); });
    return y;
}

} // namespace ck_tile

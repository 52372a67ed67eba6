// SPDX-License-Identifier: MIT
// Max-pooling, forward: what of windows a thread keeps is their maxima, and where these are.
//
// Elements of a window are compared row by row. One that is larger than the largest so far, or not a number, becomes the
// maximum; so does the first that exists. So of equal maxima the first counts, of NaNs the last, as in PyTorch. That may be
// done in rows first, because it takes the later one of two maxima, or not, whatever has been compared before.
#pragma once

#include "ck_tile/verbs/exchange.hpp"
#include "ops/maxpool_fwd/config.hpp"
#include "ops/pooling/forward.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ck_tile::maxpool_fwd
{

struct arguments : pooling::forward_arguments
{
    void* indices; // null: not wanted
};

// The largest so far, and where they are: none, if all that was compared is the lowest number. Indices are those of the first window, or,
// if flat, count from its first element; where threads share a window, from a thread's first one.
template <config C>
class maxima
{
    static constexpr distribution cell = C.shape().cell();
    static constexpr int none          = -1;
    static constexpr bool flat         = C.index != indices::u8;
    using element                      = element_t<C.dtype>;
    using index                        = maxpool::index_t<C.index>;
    using kept                         = std::conditional_t<C.in_halves(), element, float>;
    using kept_number                  = std::conditional_t<C.in_halves(), short, int>;

  public:
    using arguments                = maxpool_fwd::arguments;
    static constexpr float neutral = -std::numeric_limits<float>::infinity();

    static CK_TILE_FN maxima nothing()
    {
        maxima m;
        m.values_ = fill<kept, cell>(convert<kept>(neutral));
        m.at_     = fill<kept_number, cell>(none);
        return m;
    }

    static CK_TILE_FN auto numbers_of_row(int row, const arguments& a)
    {
        const int step = flat ? a.dilation[1] : 1;
        const int begin =
            flat ? wrapped_product(wrapped_product(row, a.dilation[0]), a.input[1]) : wrapped_product(row, a.window[1]);
        return [=](int column) { return wrapped_sum(begin, wrapped_product(column, step)); };
    }

    CK_TILE_FN void take(thread t, const auto& elements, auto r, int number)
    {
        if constexpr(C.in_halves())
            take_halves(t, elements.reg[r], vector<short, C.vector>(static_cast<short>(number)));
        else
            for_each_element<cell>([&](auto, auto v) { take_one(t, v, convert<float>(elements.get(r, v)), number); });
    }
    CK_TILE_FN void take(const maxima& later)
    {
        for_each_thread<cell>([&](thread t) {
            const auto& values = later.values_.file_of(t);
            const auto& at     = later.at_.file_of(t);
            if constexpr(C.in_halves())
                take_halves(t, values.reg[0], at.reg[0]);
            else
                for_each_element<cell>([&](auto r, auto v) { take_one(t, v, values.get(r, v), at.get(r, v)); });
        });
    }

    CK_TILE_FN void finish(const auto& made, const auto& seen, int i, const arguments& a)
    {
        if constexpr(C.lanes == 1)
            count_from_window(seen, i, a);
        else
            share(seen, i, a);
        find_exceptions(made, seen, i, a);
    }

    CK_TILE_FN void write(const arguments& a, auto&& to) const
    {
        if(a.out != nullptr)
            to(static_cast<element*>(a.out), convert<element>(values_));
        if(a.indices != nullptr)
            to(static_cast<index*>(a.indices), convert<index>(at_));
    }

  private:
    tile<kept, cell> values_;
    tile<kept_number, cell> at_;

    CK_TILE_FN void take_one(thread t, auto v, float value, int number)
    {
        float most       = values_.file_of(t).get(0, v);
        const bool taken = take_larger(most, value);
        values_.file_of(t).set(0, v, most);
        at_.file_of(t).set(0, v, taken ? number : at_.file_of(t).get(0, v));
    }
    CK_TILE_FN void take_halves(thread t, const vector<element, C.vector>& elements,
                                const vector<short, C.vector>& numbers)
    {
        using words  = vector<unsigned, C.vector / 2>;
        auto& values = values_.file_of(t).reg[0];
        auto& at     = at_.file_of(t).reg[0];
        auto most = __builtin_bit_cast(words, values), from = __builtin_bit_cast(words, at);
        const auto others = __builtin_bit_cast(words, elements), their = __builtin_bit_cast(words, numbers);
        static_for<C.vector / 2>([&](auto i) {
            constexpr int word = i;
            unsigned value = most[word], number = from[word];
            take_larger_halves<C.dtype == data_type::bf16>(value, number, others[word], their[word]);
            most[word] = value, from[word] = number;
        });
        values = __builtin_bit_cast(decltype(+values), most);
        at     = __builtin_bit_cast(decltype(+at), from);
    }

    // What is added to numbers so that they are those of window i.
    static CK_TILE_FN int before_window(thread t, const auto& seen, int i, const arguments& a)
    {
        const int column = first_element<C.shape().row_of_elements(), 1>(t);
        return flat ? wrapped_sum(seen.number(t), wrapped_product(column, a.dilation[1]))
                    : column - i * a.row_step * a.window[1];
    }
    // What `none` has become: with it all numbers are moved, where nobody compares them any more.
    static CK_TILE_FN kept_number no_number(thread t, const auto& seen, int i, const arguments& a)
    {
        return static_cast<kept_number>(C.lanes == 1 ? wrapped_sum(none, before_window(t, seen, i, a)) : none);
    }
    CK_TILE_FN void count_from_window(const auto& seen, int i, const arguments& a)
    {
        for_each_thread<cell>([&](thread t) {
            auto& at         = at_.file_of(t);
            const int before = before_window(t, seen, i, a);
            if constexpr(C.in_halves())
            {
                // No half is less than what is subtracted, so that none borrows from the other.
                using words = vector<unsigned, C.vector / 2>;
                auto both   = __builtin_bit_cast(words, at.reg[0]);
                both -= static_cast<unsigned>(-before) * 0x10001u;
                at.reg[0] = __builtin_bit_cast(decltype(+at.reg[0]), both);
            }
            else
                for_each_element<cell>(
                    [&](auto r, auto v) { at.set(r, v, static_cast<kept_number>(wrapped_sum(at.get(r, v), before))); });
        });
    }

    // The maxima of window i, of all threads that share it, and their indices as they are stored.
    CK_TILE_FN void share(const auto& seen, int i, const arguments& a)
    {
        for_each_thread<cell>([&](thread t) {
            const int first = before_window(t, seen, i, a);
            for_each_element<cell>([&](auto r, auto v) {
                auto& at = at_.file_of(t);
                at.set(r, v, at.get(r, v) == none ? none : static_cast<kept_number>(wrapped_sum(at.get(r, v), first)));
            });
        });
        take_those_of_lanes();
    }
    CK_TILE_FN void take_those_of_lanes()
    {
        for(int mask = 1; mask < C.lanes; mask *= 2)
        {
            const auto other_values = exchange_lanes(values_, mask);
            const auto other_at     = exchange_lanes(at_, mask);
            for_each_thread<cell>([&](thread t) {
                for_each_element<cell>([&](auto r, auto v) {
                    const float mine = values_.file_of(t).get(r, v), theirs = other_values.file_of(t).get(r, v);
                    const int at = at_.file_of(t).get(r, v), there = other_at.file_of(t).get(r, v);
                    const bool taken =
                        theirs > mine || (theirs == mine && unsigned(there) < unsigned(at)) || theirs != theirs;
                    values_.file_of(t).set(r, v, taken ? theirs : mine);
                    at_.file_of(t).set(r, v, taken ? there : at);
                });
            });
        }
    }

    // Whether a thread has a maximum whose exponent is all ones, as those of infinities and of NaNs are: of 2 in a word, or of one.
    CK_TILE_FN bool has_exceptions(thread t) const
    {
        constexpr unsigned one      = sizeof(kept) == 4 ? 1u : 0x10001u,
                           exponent = one * (sizeof(kept) == 4            ? 0x7f800000u
                                             : C.dtype == data_type::bf16 ? 0x7f80u
                                                                          : 0x7c00u),
                           lowest = exponent & ~(exponent << 1), signs = exponent + lowest;
        const auto& values = values_.file_of(t);
        unsigned found     = 0;
        static_for<C.vector* int(sizeof(kept)) / 4>([&](auto i) {
            unsigned word;
            __builtin_memcpy(&word, reinterpret_cast<const char*>(&values.reg[0]) + i * 4, sizeof word);
            found |= (word & exponent) + lowest;
        });
        return (found & signs) != 0;
    }

    // Where all that exists is the lowest number, the first one of it is the maximum; of NaNs, the last one.
    CK_TILE_FN void find_exceptions(const auto& made, const auto& seen, int i, const arguments& a)
    {
        for_each_thread<cell>([&](thread t) {
            const auto& values     = values_.file_of(t);
            auto& at               = at_.file_of(t);
            const bool exceptional = has_exceptions(t);
            if(!(exceptional & made.has(t, {i, 0}))) [[likely]]
                return;
            const kept_number missing = no_number(t, seen, i, a);
            for(int y = 0; y < a.window[0]; ++y)
                for(int x = 0; x < a.window[1]; ++x)
                {
                    const multi_index<2> beyond = {wrapped_sum(wrapped_product(i, a.stride[0]), y * a.dilation[0]),
                                                   x * a.dilation[1]};
                    const int here = flat ? wrapped_sum(seen.number(t),
                                                        wrapped_sum(wrapped_product(beyond[0], a.input[1]), beyond[1]))
                                          : y * a.window[1] + x;
                    for_each_element<cell>([&](auto r, auto v) {
                        const unsigned from = seen.offset(t, beyond) + seen.channel_offset(r + v);
                        const storage_t<element> bits =
                            load_vector<element, 1>(seen.memory(), from, convert<element>(neutral))[0];
                        const float value   = convert<float>(__builtin_bit_cast(element, bits));
                        const float most    = convert<float>(values.get(r, v));
                        const bool is_there = seen.has(t, beyond);
                        if(((most != most) & (value != value)) | ((at.get(r, v) == missing) & is_there))
                            at.set(r, v, static_cast<kept_number>(here));
                    });
                }
        });
    }
};

template <config C>
struct program : pooling::forward_program<C, maxima>
{
    static_assert(!check(C), "maxpool_fwd: check(config) says which rule is broken");
};

} // namespace ck_tile::maxpool_fwd

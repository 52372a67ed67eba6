// SPDX-License-Identifier: MIT
// Average pooling, forward: what of windows a thread keeps is their sums in fp32, which it divides at the end.
#pragma once

#include "ck_tile/verbs/exchange.hpp"
#include "ops/avgpool/divisor.hpp"
#include "ops/avgpool_fwd/config.hpp"
#include "ops/pooling/forward.hpp"

namespace ck_tile::avgpool_fwd
{

struct arguments : pooling::forward_arguments
{
    avgpool::divisor divisor;
};

template <config C>
class sums
{
    static constexpr distribution cell = C.shape().cell();
    using element                      = element_t<C.dtype>;

  public:
    using arguments                = avgpool_fwd::arguments;
    static constexpr float neutral = 0;

    static CK_TILE_FN sums nothing()
    {
        sums s;
        s.values_ = fill<float, cell>(0.f);
        return s;
    }

    static CK_TILE_FN auto numbers_of_row(int, const arguments&)
    {
        return [](int) { return 0; }; // all elements are alike
    }

    CK_TILE_FN void take(thread t, const auto& elements, auto r, int)
    {
        auto& sum = values_.file_of(t);
        for_each_element<cell>(
            [&](auto, auto v) { sum.set(0, v, sum.get(0, v) + convert<float>(elements.get(r, v))); });
    }
    CK_TILE_FN void take(const sums& later) { values_ = sum_of(values_, later.values_); }

    CK_TILE_FN void finish(const auto&, const auto& seen, int i, const arguments& a)
    {
        for(int mask = 1; mask < C.lanes; mask *= 2)
            values_ = sum_of(values_, exchange_lanes(values_, mask));
        const avgpool::divisor& by = a.divisor;
        for_each_thread<cell>([&](thread t) {
            const int y = wrapped_sum(seen.at(t)[0], wrapped_product(i, a.stride[0])), x = seen.at(t)[1];
            const avgpool::division<C.dtype> divide(
                by.of_all != 0 ? by.of_all : by.count(0, y, a.window[0]) * by.count(1, x, a.window[1]));
            for_each_element<cell>(
                [&](auto r, auto v) { values_.file_of(t).set(r, v, divide(values_.file_of(t).get(r, v))); });
        });
    }

    CK_TILE_FN void write(const arguments& a, auto&& to) const
    {
        to(static_cast<element*>(a.out), convert<element>(values_));
    }

  private:
    tile<float, cell> values_;

    static CK_TILE_FN tile<float, cell> sum_of(const tile<float, cell>& x, const tile<float, cell>& y)
    {
        return map([](float one, float other) { return one + other; }, x, y);
    }
};

template <config C>
struct program : pooling::forward_program<C, sums>
{
    static_assert(!check(C), "avgpool_fwd: check(config) says which rule is broken");
};

} // namespace ck_tile::avgpool_fwd

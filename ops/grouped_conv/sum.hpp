// SPDX-License-Identifier: MIT
// The ordered sum of the partial results of a split reduction.
#pragma once

#include "ck_tile/gemm/epilogue.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"

namespace ck_tile::conv
{

// What becomes of a sum: nothing else.
struct leave
{
    template <class T>
    CK_TILE_FN float operator()(float sum, std::int64_t) const
    {
        return sum;
    }
};

template <class Finish = leave>
struct sum_arguments
{
    const float* partials; // [splits][elements]
    void* to;
    std::int64_t elements;
    int splits;
    Finish finish; // finish.template operator()<element>(sum, its number)

    static constexpr int threads = 256, vector = 4;

    // Whether threads add up several elements, side by side: where partials begin at multiples of 16 bytes, and there are enough for all
    // compute units.
    CK_TILE_FN bool in_vectors() const { return elements % vector == 0 && elements >= 1 << 18; }
    std::int64_t blocks() const { return ceil_div(elements, threads * (in_vectors() ? vector : 1)); }
};

// to = the sum of the splits' partials, added in the order of the splits, finished, then rounded once.
template <architecture Arch, data_type Type, class Finish = leave>
struct sum_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = sum_arguments<Finish>;
    using element                      = element_t<Type>;
    static constexpr int threads       = arguments::threads;

    // Of a block, in vectors of so many elements.
    template <int Vector>
    static constexpr distribution strip = {.lengths = {threads * Vector},
                                           .wave    = {{threads / wave, 0, wave * Vector}},
                                           .lane    = {{wave, 0, Vector}},
                                           .reg     = {},
                                           .vec     = {{Vector, 0, 1}}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        if(a.in_vectors()) [[clang::always_inline]]
            sum<strip<arguments::vector>>(b, a);
        else [[clang::always_inline]]
            sum<strip<1>>(b, a);
    }

  private:
    template <distribution D>
    static CK_TILE_FN void sum(const block& b, const arguments& a)
    {
        constexpr int most       = D.lengths[0];
        const std::int64_t begin = std::int64_t(b.at.x) * most;
        const std::int64_t rest  = a.elements - begin;
        const int here           = rest < most ? static_cast<int>(rest) : most;
        const auto window_of     = [&]<class T>(T* data) {
            return make_window<D>(tensor_view{data + begin, here, packed<1>({here})}, multi_index{0});
        };
        const auto add      = [](float x, float y) { return x + y; };
        const auto partial  = [&](int split) { return load(window_of(a.partials + split * a.elements)); };
        auto all            = fill<float, D>(0.f);
        int split           = 0;
        const auto add_some = [&](auto at_once) { // partials that a thread has under way
            for(; split + at_once <= a.splits; split += at_once)
            {
                tile<float, D> next[at_once];
                static_for<at_once>([&](auto i) { next[i] = partial(split + i); });
                static_for<at_once>([&](auto i) { all = map(add, all, next[i]); });
            }
        };
        add_some(constant<16>{});
        add_some(constant<4>{});
        add_some(constant<1>{});
        const auto number = generate<int, D>([&](int i) { return i < here ? i : 0; });
        const auto results =
            map([&](float x, int i) { return a.finish.template operator()<element>(x, begin + i); }, all, number);
        store(window_of(static_cast<element*>(a.to)), convert<element>(results));
    }
};

} // namespace ck_tile::conv

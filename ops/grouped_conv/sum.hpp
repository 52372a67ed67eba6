// SPDX-License-Identifier: MIT
// The ordered sum of the partial results of a split reduction.
#pragma once

#include "ck_tile/gemm/epilogue.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/reduce.hpp"

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

    static constexpr int threads = 256, rows_of_few = 4;

    // Splits of which a block has one each at once: few elements take several to keep all compute units busy.
    CK_TILE_FN int rows() const { return elements < 1 << 15 && splits >= 32 ? rows_of_few : 1; }
    // Elements of a thread, side by side: more where there are enough for all compute units, and partials begin at a multiple of them.
    CK_TILE_FN int vector() const
    {
        return elements >= 1 << 19 && elements % 4 == 0 ? 4 : elements >= 1 << 17 && elements % 2 == 0 ? 2 : 1;
    }
    std::int64_t blocks() const { return ceil_div(elements, threads / rows() * vector()); }
};

// to = the sum of the splits' partials, added up in an order that their numbers determine, finished, then rounded once.
template <architecture Arch, data_type Type, class Finish = leave>
struct sum_program
{
    using arguments                    = sum_arguments<Finish>;
    using element                      = element_t<Type>;
    static constexpr architecture arch = Arch;
    static constexpr int wave = facts(Arch).wave, threads = arguments::threads, waves = threads / wave;
    static constexpr int registers = 64; // fewer do not hold what is under way
    static constexpr int lds_bytes = 0;  // blocks are there early, beside those whose partials they wait for

    // [rows, elements] of a block.
    template <int Rows, int Vector>
    static constexpr distribution strip = {.lengths = {Rows, threads / Rows * Vector},
                                           .wave    = {{waves, 1, wave / Rows * Vector}},
                                           .lane    = {{wave / Rows, 1, Vector}, {Rows, 0, 1}},
                                           .reg     = {},
                                           .vec     = {{Vector, 1, 1}}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int vector = a.vector();
        if(a.rows() > 1) [[clang::always_inline]]
            sum<strip<arguments::rows_of_few, 1>>(b, a);
        else if(vector == 4) [[clang::always_inline]]
            sum<strip<1, 4>>(b, a);
        else if(vector == 2) [[clang::always_inline]]
            sum<strip<1, 2>>(b, a);
        else [[clang::always_inline]]
            sum<strip<1, 1>>(b, a);
    }

  private:
    template <distribution D>
    static CK_TILE_FN void sum(const block& b, const arguments& a)
    {
        constexpr int rows = D.lengths[0], most = D.lengths[1];
        const std::int64_t begin = std::int64_t(b.at.x) * most;
        const std::int64_t rest  = a.elements - begin;
        const int here           = rest < most ? static_cast<int>(rest) : most;
        const auto window_of     = [&](auto* data, int rows_here, int apart) {
            return make_window<D>(tensor_view{data, (rows_here - std::int64_t(1)) * apart + here,
                                              strided<2>{{rows_here, here}, {apart, 1}}},
                                  multi_index{0, 0});
        };
        const float* from   = a.partials + begin;
        const auto partials = [&](int rows_here) { // of the next splits, of which there are so many
            const auto loaded = load(window_of(from, rows_here, rows > 1 ? static_cast<int>(a.elements) : most));
            from += rows * a.elements;
            return loaded;
        };
        const auto add      = [](float x, float y) { return x + y; };
        auto all            = fill<float, D>(0.f);
        int split           = 0;
        const auto add_some = [&](auto at_once) { // partials that a thread has under way
            for(; split + at_once * rows <= a.splits; split += at_once * rows)
            {
                tile<float, D> next[at_once];
                static_for<at_once>([&](auto i) { next[i] = partials(rows); });
                static_for<at_once>([&](auto i) { all = map(add, all, next[i]); });
            }
        };
        add_some(constant<16>{});
        add_some(constant<4>{});
        add_some(constant<1>{});
        if(rows > 1 && split < a.splits)
            all = map(add, all, partials(a.splits - split));
        const auto number = generate<int, D>([&](int row, int i) { return row == 0 && i < here ? i : 0; });
        const auto results =
            map([&](float, float sum, int i) { return a.finish.template operator()<element>(sum, begin + i); }, all,
                reduce<0>(b, all, add), number);
        store(window_of(static_cast<element*>(a.to) + begin, 1, most), convert<element>(results));
    }
};

} // namespace ck_tile::conv

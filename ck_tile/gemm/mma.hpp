// SPDX-License-Identifier: MIT
// The verb mma: acc += A * B by the waves of a block, of fragments in registers or of operands in LDS.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/targets/matrix.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/subtile.hpp"

namespace ck_tile
{

// Keeps accumulators in the registers that suit the instruction, at this point of the program.
template <distribution D>
CK_TILE_FN void pin_accumulators(tile<float, D>& acc)
{
    tell_checker([&](auto& c) { c.use(&acc, sizeof acc); });
    detail::pin_accumulators<D.regs()>(acc.files[0]);
}

// The accumulators of a product: zeros.
template <gemm::shape S>
CK_TILE_FN tile<float, gemm::accumulator(S)> accumulators()
{
    [[maybe_unused]] constexpr bool legal = gemm::legal_shape<S>::value;
    auto acc                              = fill<float, gemm::accumulator(S)>(0.f);
    pin_accumulators(acc);
    return acc;
}

// All fragments of a wave.
constexpr fragment_range all_fragments(const gemm::shape& s) { return {0, s.row_fragments(), 0, s.col_fragments()}; }

// acc [m, n] += a [m, k_pack] * b [n, k_pack] in fp32, the products of one element summed in ascending order of (packed) k. `Of`: by
// some of the fragments; every fragment of A meets every one of B in one of several calls, and all have been loaded when the last
// ones, of row and column, meet.
template <gemm::shape S, fragment_range Of = all_fragments(S), class T>
CK_TILE_FN void mma(tile<float, gemm::accumulator(S)>& acc, const tile<T, gemm::a_fragments(S)>& a,
                    const tile<T, gemm::b_fragments(S)>& b, source_line at = source_line::current())
{
    [[maybe_unused]] const verb_scope verb("mma", at);
    if constexpr(gemm::legal_shape<S>::value)
    {
        tell_checker([](auto& c) { c.check_instruction(int(S.instruction)); });
        static_assert(type_of<T> == S.type(), "mma: the instruction multiplies another type");
        detail::multiply_files<S.fragment().op, S.row_fragments(), S.col_fragments(), S.pack(), S.waves(), Of>(
            acc.files, a.files, b.files);
    }
}

// Which of A's rows in LDS come first for the thread's wave: of an instruction that takes them from there, to be worked out ahead of the
// main loop, as it is convergent.
template <gemm::shape S>
CK_TILE_FN int first_row_of_wave()
{
    int first = 0;
    if constexpr(on_device && S.inst().operands == operand_source::lds)
        for_each_thread<gemm::accumulator(S)>(
            [&](thread t) { first = detail::same_in_wave(t.wave / S.inst().waves * S.inst().m); });
    return first;
}

// acc [m, n] += a [m, k] * b [n, k], operands in LDS, of which the first k columns count. Where the instruction takes them from there, the product is under way
// when this returns: wait_for_products() before the operands are overwritten or acc is used. The CPU makes it of fragments.
template <gemm::shape S, class T, auto ALayout, auto BLayout>
CK_TILE_FN void mma(tile<float, gemm::accumulator(S)>& acc, const lds_tile<T, ALayout>& a,
                    const lds_tile<T, BLayout>& b, int first_row = first_row_of_wave<S>(),
                    source_line at = source_line::current())
{
    [[maybe_unused]] const verb_scope verb("mma", at);
    if constexpr(on_device && S.inst().operands == operand_source::lds)
        detail::multiply_from_lds<S.instruction, ALayout, BLayout, S.k, S.row_fragments(), S.waves_m * S.a_rows()>(
            acc.files[0].reg, a.at(first_row, 0), b.data);
    else if constexpr(gemm::legal_shape<S>::value)
    {
        constexpr bool from_lds = S.inst().operands == operand_source::lds;
        if constexpr(from_lds)
            tell_checker([&](auto& c) { c.begin_product(&acc, sizeof acc); });
        static_for<S.k / S.k_pack()>([&](auto i) {
            constexpr int k = i * S.k_pack();
            mma<S>(acc, load<gemm::a_fragments(S), multi_index{0, k}>(a),
                   load<gemm::b_fragments(S), multi_index{0, k}>(b));
        });
        if constexpr(from_lds)
            tell_checker([&](auto& c) { c.end_product(); });
    }
}

// An operand of rows that lie anywhere in a tile of LDS, as those that windows see of an image: groups of eight neighbours, so many rows apart,
// a wave's fragments one after the other. first(thread): the first row, but for `beyond`, of the instruction that the thread's wave takes part in.
template <class T, lds_layout Layout, class First>
struct row_groups
{
    lds_tile<T, Layout> in;
    int next_group, beyond;
    First first;
};

// acc [m, n] += a [m, k] * b [n, k] of such rows, and of the `number`th of tiles that lie one after the other from b on, both as swizzled_rows()
// says. The product is under way when this returns.
template <gemm::shape S, class T, lds_layout ALayout, class First, lds_layout BLayout>
CK_TILE_FN void mma(tile<float, gemm::accumulator(S)>& acc, const row_groups<T, ALayout, First>& a,
                    const lds_tile<T, BLayout>& b, int number = 0, source_line at = source_line::current())
{
    [[maybe_unused]] const verb_scope verb("mma", at);
    static_assert(
        S.inst().operands == operand_source::lds && (S.k == 32 || S.k == 64),
        "mma: an instruction that takes operands from LDS multiplies rows that lie anywhere there, of 32 or 64 "
        "columns");
    static_assert(ALayout == swizzled_rows(ALayout.rows, S.k) && BLayout == swizzled_rows(S.n, S.k),
                  "mma: operands whose rows lie anywhere are whole rows of k: make both tiles swizzled_rows()");
    if constexpr(on_device)
        detail::multiply_rows_from_lds<S.instruction, ALayout, BLayout, S.k, S.row_fragments()>(
            acc.files[0].reg, a.in.data + a.first(thread{}) * ALayout.line(), a.beyond, a.next_group, b.data, number);
    else if constexpr(gemm::legal_shape<S>::value)
    {
        tell_checker([&](auto& c) { c.begin_product(&acc, sizeof acc); });
        const lds_tile<T, BLayout> here{b.data + number * BLayout.elements()};
        static_for<S.k / S.k_pack()>([&](auto i) {
            constexpr distribution rows = gemm::a_fragments(S);
            constexpr int k             = i * S.k_pack();
            tile<T, rows> seen;
            for_each_thread<rows>([&](thread t) {
                const int first = a.first(t) + a.beyond;
                for_each_element<rows>([&](auto r, auto v) {
                    constexpr int of_fragments = S.m / S.row_fragments(), groups = S.inst().m / 8;
                    const multi_index<2> where = coordinates<rows, 2>(t, r, v);
                    const int group            = where[0] / of_fragments * groups + where[0] % S.inst().m / 8;
                    const T* from              = a.in.at(first + group * a.next_group + where[0] % 8, k + where[1]);
                    check_lds_read(from, sizeof(T));
                    seen.file_of(t).set(r, v, *from);
                });
            });
            mma<S>(acc, seen, load<gemm::b_fragments(S), multi_index{0, k}>(here));
        });
        tell_checker([&](auto& c) { c.end_product(); });
    }
}

namespace detail
{
// On the CPU: the tile distributed otherwise, whoever owns its elements.
template <distribution To, class T, distribution From>
tile<T, To> redistribute(const tile<T, From>& x)
{
    constexpr int cols = From.lengths[1];
    T all[From.lengths[0] * cols];
    for_each_thread<From>([&](thread t) {
        for_each_element<From>([&](auto r, auto v) {
            const auto at             = coordinates<From, 2>(t, r, v);
            all[at[0] * cols + at[1]] = x.file_of(t).get(r, v);
        });
    });
    return generate<T, To>([&](int i, int j) { return all[i * cols + j]; });
}
} // namespace detail

// The same of A in registers, all of k, and B in LDS.
template <gemm::shape S, class T, auto BLayout>
CK_TILE_FN void mma(tile<float, gemm::accumulator(S)>& acc, const tile<T, gemm::a_registers(S)>& a,
                    const lds_tile<T, BLayout>& b, source_line at = source_line::current())
{
    [[maybe_unused]] const verb_scope verb("mma", at);
    constexpr bool from_lds = S.inst().operands == operand_source::lds;
    if constexpr(on_device && from_lds)
        detail::multiply_b_from_lds<S.instruction, BLayout, S.k, S.row_fragments()>(acc.files[0].reg, a.files[0].reg,
                                                                                    b.data);
    else if constexpr(gemm::legal_shape<S>::value)
    {
        if constexpr(from_lds)
            tell_checker([&](auto& c) { c.begin_product(&acc, sizeof acc); });
        static_for<S.k / S.k_pack()>([&](auto i) {
            constexpr gemm::shape step = {S.m, S.n, S.k_pack(), S.waves_m, S.waves_n, S.instruction};
            const auto now             = subtile<gemm::a_registers(step), multi_index{0, i * S.k_pack(), 0}>(a);
            const auto b_now           = load<gemm::b_fragments(S), multi_index{0, i * S.k_pack()}>(b);
            if constexpr(from_lds)
                mma<S>(acc, detail::redistribute<gemm::a_fragments(S)>(now), b_now);
            else
                mma<S>(acc, rearrange<gemm::a_fragments(S)>(now), b_now);
        });
        if constexpr(from_lds)
            tell_checker([&](auto& c) { c.end_product(); });
    }
}

// Waits for all products of operands in LDS but the last `Pending` ones.
template <int Pending>
CK_TILE_FN void wait_for_products()
{
    tell_checker([](auto& c) { c.wait_for_products(Pending); });
    detail::wait_for_products<Pending>();
}

} // namespace ck_tile

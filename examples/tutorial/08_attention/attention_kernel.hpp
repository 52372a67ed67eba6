// SPDX-License-Identifier: MIT
// Attention, forward: out = softmax(Q K^T / sqrt(128)) V for each head, whose scores never reach memory; masked to earlier tokens if causal.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

struct attention_arguments
{
    const fp16 *q, *k, *v; // [heads, tokens, 128]
    fp16* out;
    int heads, tokens; // tokens a multiple of 8
    bool causal;
};

template <architecture Arch>
struct attention_program
{
    using arguments            = attention_arguments;
    static constexpr auto arch = Arch;

    // A wave has 16 queries: their scores with some keys, and the values that these weigh. An instruction that takes operands from LDS has
    // them copied there without a stop in registers, a step ahead.
    static constexpr bool from_lds      = Arch == architecture::sm90;
    static constexpr opcode instruction = from_lds                      ? opcode::wgmma_64x128x16_fp16
                                          : Arch == architecture::gfx11 ? opcode::wmma_16x16x16_fp16
                                                                        : opcode::mfma_16x16x16_fp16;
    static constexpr int waves = from_lds ? 8 : 4, queries = 16 * waves, dim = 128;
    static constexpr int keys           = from_lds ? 128 : Arch == architecture::gfx11 ? 32 : 64; // of a step
    static constexpr int stages         = from_lds ? 2 : 1;
    static constexpr gemm::shape scores = {queries, keys, dim, waves, 1, instruction};
    static constexpr gemm::shape values = {queries, dim, keys, waves, 1, instruction};
    static constexpr int threads        = scores.threads();

    // Rows of Q and K are loaded along the dimension that a product goes through, those of V across it.
    static constexpr distribution q_rows   = gemm::tiled_copy(scores, queries, majorness::k, 8);
    static constexpr distribution k_rows   = gemm::tiled_copy(scores, keys, majorness::k, 8);
    static constexpr distribution v_across = gemm::tiled_copy(values, dim, majorness::mn, 8);

    // As an instruction reads it there; else rows are 16 bytes apart, so that those at which lanes of a wave look lie in different banks.
    template <int Rows, int Cols, majorness Major = majorness::k>
    static constexpr auto layout()
    {
        if constexpr(from_lds)
            return swizzled_128b<Major>{Rows, Cols};
        else
            return lds_layout{.rows = Rows, .cols = Cols, .pad = 8};
    }
    struct plan
    {
        lds_memory<lds_tile<fp16, layout<queries, dim>()>> q;
        lds_memory<lds_tile<fp16, layout<keys, dim>()>, stages> k;
        lds_memory<lds_tile<fp16, layout<dim, keys, majorness::mn>()>, stages> v;
        lds_memory<lds_tile<fp16, layout<queries, keys>()>> p;
    };
    static constexpr int lds_bytes = sizeof(plan);

    static grid blocks(const arguments& p) { return {unsigned(ceil_div(p.tokens, queries)), unsigned(p.heads)}; }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        using each_query         = tile<float, reduced<gemm::accumulator(scores), 1>>;
        constexpr float infinity = __builtin_huge_valf(), scale = 1.44269504f / 11.3137085f; // log2(e) / sqrt(128)
        const int first = int(in.at.x) * queries, end = p.causal ? smallest(first + queries, p.tokens) : p.tokens;
        const int seen_by_all   = p.causal ? smallest(first + 1, p.tokens) : p.tokens; // keys
        const std::int64_t head = std::int64_t(in.at.y) * p.tokens * dim;

        const auto q       = in.lds_at<&plan::q>();
        const auto k_in    = in.lds_at<&plan::k>();
        const auto v_in    = in.lds_at<&plan::v>();
        const auto through = in.lds_at<&plan::p>();

        const tensor_view v{p.v + head, p.tokens * dim, strided<2>{{dim, p.tokens}, {1, dim}}};
        gemm::operand_copy own_q(make_window<q_rows>(packed_view(p.q + head, p.tokens, dim), multi_index{first, 0}), 0);
        gemm::operand_copy<decltype(make_window<k_rows>(packed_view(p.k, 1, dim), multi_index{0, 0})), 0> next_k(
            make_window<k_rows>(packed_view(p.k + head, p.tokens, dim), multi_index{0, 0}), keys);
        gemm::operand_copy next_v(make_window<v_across>(v, multi_index{0, 0}), keys);
        const auto begin  = [&] { next_k.begin(), next_v.begin(); };
        const auto finish = [&](int stage) {
            next_k.end(k_in[stage]);
            next_v.end(v_in[stage]);
            commit_copies();
        };
        const auto arrive = [&] { // what was copied is there, for all
            wait_for_copies<0>();
            see_copies();
            in.sync();
        };

        auto out       = accumulators<values>();
        each_query top = fill<float, each_query::layout>(-infinity), sum = fill<float, each_query::layout>(0);
        own_q.begin(), begin();
        own_q.end(q), finish(0);
        arrive();
        for(int at = 0, now = 0; at < end; at += keys)
        {
            const int next = stages - 1 - now;
            begin();
            if constexpr(stages == 2)
                finish(next);

            auto s = accumulators<scores>();
            mma<scores>(s, q, k_in[now]);
            wait_for_products<0>();
            pin_accumulators(s);
            if(at + keys > seen_by_all)
            {
                const int last = p.tokens - 1 - at, own = first - at; // keys that there are, and that query 0 sees
                const auto seen = [&](int i, int j) { return j <= (p.causal && own + i < last ? own + i : last); };
                s               = where(seen, s, -infinity);
            }

            const auto scaled = [](float x) { return x * scale; };
            const auto higher = max(top, map(scaled, reduce<1>(in, s, largest)));
            const auto e      = exp2(map([](float x, float most) { return x * scale - most; }, s, higher));
            const auto shrunk = exp2(map([](float x, float most) { return x - most; }, top, higher));
            sum = map([](float x, float by, float more) { return x * by + more; }, sum, shrunk, reduce<1>(in, e, plus));
            out = map([](float x, float by) { return x * by; }, out, shrunk);
            top = higher;

            const auto weights = relayout<gemm::a_registers(values)>(convert<fp16>(e), through);
            mma<values>(out, weights, v_in[now]);
            wait_for_products<0>();
            pin_accumulators(out);

            if constexpr(stages == 1)
            {
                in.sync();
                finish(next);
            }
            arrive();
            now = next;
        }
        out = map([](float x, float by) { return x * by; }, out, map([](float all) { return 1 / all; }, sum));
        gemm::store_directly<values>(out, packed_view(p.out + head, p.tokens, dim), multi_index{first, 0});
    }
};

} // namespace tutorial

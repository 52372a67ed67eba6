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
    using arguments                     = attention_arguments;
    static constexpr auto arch          = Arch;
    static constexpr opcode instruction = Arch == architecture::sm90    ? opcode::mma_16x8x16_fp16
                                          : Arch == architecture::gfx11 ? opcode::wmma_16x16x16_fp16
                                                                        : opcode::mfma_16x16x16_fp16;

    // Of 64 queries, 16 a wave: their scores with 64 keys, and the values that these weigh.
    static constexpr int queries = 64, keys = 64, dim = 128;
    static constexpr gemm::shape scores = {queries, keys, dim, 4, 1, instruction};
    static constexpr gemm::shape values = {queries, dim, keys, 4, 1, instruction};
    static constexpr int threads        = scores.threads();

    // Rows of Q and K are loaded along the dimension that a product goes through, those of V across it, and turned in registers.
    static constexpr distribution q_rows = gemm::tiled_copy(scores, queries, majorness::k, 8);
    static constexpr distribution k_rows = gemm::tiled_copy(scores, keys, majorness::k, 8);
    static constexpr distribution across = gemm::tiled_copy(values, dim, majorness::mn, 8);
    static constexpr distribution turned = gemm::along_k(across);

    // Rows of LDS are 16 bytes apart, so that those at which lanes of a wave look lie in different banks.
    template <int Rows, int Cols>
    using operand             = lds_tile<fp16, lds_layout{.rows = Rows, .cols = Cols, .pad = 8}>;
    using q_tile              = operand<queries, dim>;
    using k_tile              = operand<keys, dim>;
    using v_tile              = operand<dim, keys>;
    using p_tile              = operand<queries, keys>;
    static constexpr int k_at = q_tile::bytes, v_at = k_at + k_tile::bytes, p_at = v_at + v_tile::bytes;
    static constexpr int lds_bytes = p_at + p_tile::bytes;

    static grid blocks(const arguments& p) { return {unsigned(ceil_div(p.tokens, queries)), unsigned(p.heads)}; }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        using each_query         = tile<float, reduced<gemm::accumulator(scores), 1>>;
        constexpr float infinity = __builtin_huge_valf(), scale = 1.44269504f / 11.3137085f; // log2(e) / sqrt(128)
        constexpr auto times = [](float x, float y) { return x * y; };
        const int first = int(in.at.x) * queries, end = p.causal ? first + queries : p.tokens;
        const std::int64_t head = std::int64_t(in.at.y) * p.tokens * dim;

        const q_tile q{in.lds_at<fp16>(0)};
        const k_tile k{in.lds_at<fp16>(k_at)};
        const v_tile v{in.lds_at<fp16>(v_at)};
        const p_tile weights{in.lds_at<fp16>(p_at)};
        const tensor_view v_across{p.v + head, p.tokens * dim, strided<2>{{dim, p.tokens}, {1, dim}}};
        auto next_k = make_window<k_rows>(packed_view(p.k + head, p.tokens, dim), multi_index{0, 0});
        auto next_v = make_window<across>(v_across, multi_index{0, 0});
        store(q, load(make_window<q_rows>(packed_view(p.q + head, p.tokens, dim), multi_index{first, 0})));

        auto out       = accumulators<values>();
        each_query top = fill<float, each_query::layout>(-infinity), sum = fill<float, each_query::layout>(0);
        for(int at = 0; at < end && at < p.tokens; at += keys)
        {
            const auto loaded_k = load(next_k);
            const auto loaded_v = load(next_v);
            in.sync(); // the products with the keys and values before are made
            store(k, loaded_k);
            store(v, rearrange<turned>(loaded_v));
            in.sync();

            auto s = accumulators<scores>();
            mma<scores>(s, q, k);
            const int last = p.tokens - 1 - at, own = first - at; // keys that there are, and that query 0 sees
            const auto seen = [&](int i, int j) { return j <= (p.causal && own + i < last ? own + i : last); };
            s               = where(seen, s, -infinity);

            const auto higher = max(top, reduce<1>(in, s, largest));
            const auto e      = exp2(map([](float x, float y) { return (x - y) * scale; }, s, higher));
            const auto shrunk = exp2(map([](float x, float y) { return (x - y) * scale; }, top, higher));
            sum = map([](float x, float by, float more) { return x * by + more; }, sum, shrunk, reduce<1>(in, e, plus));
            out = map(times, out, shrunk);
            top = higher;

            store(weights, convert<fp16>(e));
            in.sync();
            mma<values>(out, weights, v);
            next_k.move(next_k.template step<0>(keys));
            next_v.move(next_v.template step<1>(keys));
        }
        out = map([](float x, float all) { return x / all; }, out, sum);
        gemm::store_directly<values>(out, packed_view(p.out + head, p.tokens, dim), multi_index{first, 0});
    }
};

} // namespace tutorial

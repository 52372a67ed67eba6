// SPDX-License-Identifier: MIT
// The harness's own kernels, for every architecture: a copy, which shows what bandwidth memory has, and the comparison of a result
// with what is expected, where both lie.
#pragma once

#include "ck_tile/core/window.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/harness/judgement.hpp"

#include <cstdint>

namespace ck_tile::harness
{

struct copy_arguments
{
    const float* from;
    float* to;
    std::int64_t count; // of floats, in whole vectors

    static constexpr int threads = 256, per_block = threads * 16, vector_bytes = 16;
    std::int64_t blocks() const { return (count + per_block - 1) / per_block; }
};

template <architecture Arch>
struct copy_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = copy_arguments;
    static constexpr int threads       = arguments::threads;

    // Vectors of 16 bytes, four under way in each thread.
    static constexpr distribution strip = {.lengths = {arguments::per_block},
                                           .wave    = {{threads / wave, 0, 4 * wave}},
                                           .lane    = {{wave, 0, 4}},
                                           .reg     = {{4, 0, threads * 4}},
                                           .vec     = {{4, 0, 1}}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        constexpr int most       = arguments::per_block;
        const std::int64_t begin = std::int64_t(b.at.x) * most, rest = a.count - begin;
        const int here       = rest < most ? static_cast<int>(rest) : most;
        const auto window_of = [&]<class T>(T* data) {
            return make_window<strip>(tensor_view{data + begin, here, packed<1>({here})}, multi_index{0});
        };
        store(window_of(a.to), load(window_of(a.from)));
    }
};

// What a thread has found among the elements that it has judged.
struct finding
{
    std::int64_t failures;
    std::int64_t worst; // the element with the largest error in units of its bound
    double ratio;       // that error; -1 where there was no element
};

struct compare_arguments
{
    const void* found;
    const float *expected, *magnitudes;
    std::int64_t count;
    tolerance allowed;
    finding* findings; // [blocks][threads]
    int blocks;
};

template <architecture Arch, data_type Type>
struct compare_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = 0;
    using arguments                    = compare_arguments;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {{threads / wave, 0, wave}}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t first = std::int64_t(b.at.x) * threads, step = std::int64_t(a.blocks) * threads;
        generate<int, line>([&](int i) {
            finding own = {0, 0, -1};
            for(std::int64_t at = first + i; at < a.count; at += step)
            {
                const double actual = convert<float>(static_cast<const element_t<Type>*>(a.found)[at]);
                const judgement j =
                    judge(a.allowed.expect(a.expected[at], a.magnitudes[at]), actual, a.allowed.overflow);
                own.failures += !j.within;
                if(j.ratio > own.ratio)
                    own.ratio = j.ratio, own.worst = at;
            }
            a.findings[first + i] = own;
            return 0;
        });
    }
};

} // namespace ck_tile::harness

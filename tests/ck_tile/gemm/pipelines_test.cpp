// SPDX-License-Identifier: MIT
// Whole small GEMMs through both pipelines and the epilogue: sizes that no tile divides, either order in memory.
#include "ck_tile/gemm/pipelines.hpp"

#include "ck_tile/gemm/epilogue.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace ck_tile
{
namespace
{

// C [m, n] = A [m, k] * B [blocks * n, k]; A and B with k contiguous, or their rows.
struct problem
{
    int m, n, k;
};

struct variant
{
    gemm::shape shape;
    gemm::main_loop pipeline;
    int contiguous; // dimension of A and B: 0 rows, 1 k
    int vector_ab;
    int vector_c;
};

constexpr int guard_elements   = 64;
constexpr unsigned guard_value = 0x5a;

// Elements in memory. bf16 is kept as bits here too, because libraries older than the compiler cannot move vectors of it.
template <class T>
struct elements
{
    std::vector<storage_t<T>> stored;

    explicit elements(int count) : stored(static_cast<std::size_t>(count)) {}
    elements(int count, random_numbers& random) : elements(count)
    {
        for(storage_t<T>& e : stored)
            e = __builtin_bit_cast(storage_t<T>, convert<T>(static_cast<float>(random.between(-1000, 1000)) / 512.f));
    }

    T* data() { return reinterpret_cast<T*>(stored.data()); }
    const T* data() const { return reinterpret_cast<const T*>(stored.data()); }
    std::size_t bytes() const { return stored.size() * sizeof(T); }
    double at(int i) const { return convert<float>(__builtin_bit_cast(T, stored[static_cast<std::size_t>(i)])); }
};

// Runs one block after the other, with LDS full of NaN at the start.
template <variant V, class Out>
void expect_gemm_right(const problem& p, std::uint32_t seed)
{
    constexpr gemm::shape s = V.shape;
    constexpr int blocks    = s.inst().blocks;
    using element           = element_t<s.inst().type>;
    SCOPED_TRACE(std::string(s.inst().name) + " " + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
                 std::to_string(p.k));

    random_numbers random(seed);
    const elements<element> a(p.m * p.k, random), b(p.n * blocks * p.k, random);
    elements<Out> c(p.m * p.n + 2 * guard_elements);
    std::memset(static_cast<void*>(c.data()), guard_value, c.bytes());

    const auto view = [&](const elements<element>& x, int rows) {
        const multi_index<2> strides = V.contiguous == 1 ? multi_index{p.k, 1} : multi_index{1, rows};
        return tensor_view{x.data(), std::int64_t(rows) * p.k, strided<2>{{rows, p.k}, strides}};
    };
    constexpr auto a_transfer = gemm::make_transfer(s, s.m, V.contiguous, V.vector_ab);
    constexpr auto b_transfer = gemm::make_transfer(s, s.n * blocks, V.contiguous, V.vector_ab);
    struct alignas(16) line
    {
        std::byte bytes[16];
    };
    std::vector<line> lds(gemm::lds_bytes(s, V.pipeline) / sizeof(line) + 1);
    std::memset(static_cast<void*>(lds.data()), 0xff, lds.size() * sizeof(line));
    for(int tile_m = 0; tile_m < ceil_div(p.m, s.m); ++tile_m)
        for(int tile_n = 0; tile_n < ceil_div(p.n, s.n); ++tile_n)
        {
            const block in{{}, lds.data()->bytes};
            auto acc = accumulators<s>();
            gemm::run_pipeline<s, V.pipeline, a_transfer.lds, b_transfer.lds>(
                in, acc, make_window<a_transfer.memory>(view(a, p.m), multi_index{tile_m * s.m, 0}),
                make_window<b_transfer.memory>(view(b, p.n * blocks), multi_index{tile_n * s.n * blocks, 0}),
                ceil_div(p.k, s.k));
            if constexpr(V.pipeline.kind == gemm::pipeline::double_buffer)
            {
                // Both stages are in use: the waves that are ahead must not write what the others still read.
                const std::byte* second = lds.data()->bytes + gemm::operand_bytes(s, V.pipeline.kind);
                ASSERT_TRUE(std::any_of(second, second + gemm::operand_bytes(s, V.pipeline.kind),
                                        [](std::byte b) { return b != std::byte{0xff}; }));
            }
            gemm::store_through_lds<s, V.vector_c>(
                in, acc, tensor_view{c.data() + guard_elements, std::int64_t(p.m) * p.n, packed(multi_index{p.m, p.n})},
                multi_index{tile_m * s.m, tile_n * s.n});
        }

    const auto at = [&](const elements<element>& x, int rows, int row, int k) {
        return x.at(V.contiguous == 1 ? row * p.k + k : row + k * rows);
    };
    const double rounding = std::ldexp(8 + 2 * std::sqrt(p.k), -24);
    for(int row = 0; row < p.m; ++row)
        for(int col = 0; col < p.n; ++col)
        {
            const int of_block = row % s.a_rows() / s.inst().m;
            const int b_row    = col / s.inst().n * s.b_rows() + of_block * s.inst().n + col % s.inst().n;
            double sum = 0, magnitude = 0;
            for(int k = 0; k < p.k; ++k)
            {
                const double term = at(a, p.m, row, k) * at(b, p.n * blocks, b_row, k);
                sum += term;
                magnitude += std::abs(term);
            }
            const double got = c.at(guard_elements + row * p.n + col);
            ASSERT_LE(std::abs(got - sum), unit_roundoff(type_of<Out>) * std::abs(sum) + rounding * magnitude)
                << "C[" << row << "][" << col << "] is " << got << ", not " << sum;
        }
    const auto* bytes     = reinterpret_cast<const unsigned char*>(c.data());
    const auto guard_size = guard_elements * sizeof(Out);
    for(std::size_t i = 0; i < guard_size; ++i)
        ASSERT_TRUE(bytes[i] == guard_value && bytes[c.bytes() - 1 - i] == guard_value) << "stored out of bounds";
}

using gemm::pipeline;

TEST(Pipelines, MfmaFp16KContiguousOddK)
{
    constexpr gemm::shape s = {64, 64, 64, 2, 2, opcode::mfma_16x16x16_fp16};
    expect_gemm_right<variant{s, pipeline::single_buffer, 1, 1, 1}, fp16>({70, 65, 131}, 1);
    expect_gemm_right<variant{s, pipeline::double_buffer, 1, 1, 1}, fp16>({70, 65, 131}, 2);
    expect_gemm_right<variant{s, pipeline::double_buffer, 1, 1, 1}, fp16>({1, 1, 1}, 3);
    expect_gemm_right<variant{s, pipeline::double_buffer, 1, 1, 1}, fp16>({64, 64, 64}, 4);
}

TEST(Pipelines, MfmaBf16RowsContiguousWideVectors)
{
    constexpr gemm::shape s = {64, 128, 32, 1, 2, opcode::mfma_32x32x8_bf16};
    expect_gemm_right<variant{s, pipeline::single_buffer, 0, 8, 8}, float>({72, 136, 77}, 5);
    expect_gemm_right<variant{s, pipeline::double_buffer, 0, 8, 8}, bf16>({72, 136, 77}, 6);
}

TEST(Pipelines, MfmaFp32)
{
    constexpr gemm::shape s = {32, 32, 16, 1, 1, opcode::mfma_32x32x2_fp32};
    expect_gemm_right<variant{s, pipeline::single_buffer, 0, 4, 4}, float>({36, 36, 21}, 8);
}

TEST(Pipelines, WmmaFp16)
{
    constexpr gemm::shape s = {32, 64, 32, 2, 2, opcode::wmma_16x16x16_fp16};
    expect_gemm_right<variant{s, pipeline::double_buffer, 1, 4, 2}, float>({35, 66, 44}, 10);
}

TEST(Pipelines, AsyncStages)
{
    constexpr gemm::shape wide = {128, 256, 64, 8, 1, opcode::mma_16x8x16_fp16};
    expect_gemm_right<variant{wide, pipeline::async_stages, 0, 8, 8}, fp16>({136, 264, 200}, 14);
    expect_gemm_right<variant{wide, pipeline::async_stages, 0, 8, 8}, fp16>({128, 256, 64}, 15);
    constexpr gemm::shape three_slabs = {64, 192, 32, 4, 1, opcode::mma_16x8x16_fp16};
    expect_gemm_right<variant{three_slabs, pipeline::async_stages, 0, 8, 8}, fp16>({72, 200, 150}, 20);
    // Fewer stages and more, also than there are steps.
    expect_gemm_right<variant{three_slabs, {pipeline::async_stages, 3}, 0, 8, 8}, fp16>({64, 192, 150}, 21);
    expect_gemm_right<variant{three_slabs, {pipeline::async_stages, 6}, 0, 8, 8}, fp16>({64, 192, 150}, 22);
    expect_gemm_right<variant{three_slabs, {pipeline::async_stages, 6}, 0, 8, 8}, fp16>({64, 192, 64}, 23);
    constexpr gemm::shape narrow = {64, 128, 32, 4, 1, opcode::mma_16x8x16_bf16};
    expect_gemm_right<variant{narrow, pipeline::async_stages, 0, 8, 4}, float>({64, 72, 333}, 16);
    expect_gemm_right<variant{narrow, pipeline::async_stages, 0, 8, 4}, float>({8, 8, 1}, 17);
}

TEST(Pipelines, MmaFp16)
{
    constexpr gemm::shape s = {64, 32, 32, 2, 2, opcode::mma_16x8x16_fp16};
    expect_gemm_right<variant{s, pipeline::double_buffer, 1, 4, 2}, float>({65, 34, 44}, 18);
    expect_gemm_right<variant{s, pipeline::single_buffer, 0, 4, 2}, fp16>({68, 36, 45}, 19);
}

TEST(Pipelines, PlainMultiplyAddsFp32)
{
    constexpr gemm::shape s = {16, 32, 16, 1, 2, opcode::fma_4x8x1_fp32};
    expect_gemm_right<variant{s, pipeline::double_buffer, 1, 1, 1}, float>({17, 33, 19}, 11);
}

// Sixteen products at once: block i of the rows of A times block i of the rows of B.
TEST(Pipelines, MfmaOf16BlocksFp16)
{
    constexpr gemm::shape s = {128, 8, 32, 2, 1, opcode::mfma_4x4x4_16_blocks_fp16};
    expect_gemm_right<variant{s, pipeline::double_buffer, 1, 1, 1}, float>({128, 8, 65}, 13);
}

} // namespace
} // namespace ck_tile

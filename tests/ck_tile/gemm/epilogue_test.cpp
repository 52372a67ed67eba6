// SPDX-License-Identifier: MIT
// Epilogues with bias, activation and residual against plain loops, in shapes of every architecture.
#include "ck_tile/gemm/epilogue.hpp"

#include "tests/support/checked_block.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

struct biased_relu
{
    float operator()(float c, float bias, float residual) const
    {
        const float x = c + bias;
        return (x > 0 ? x : 0) + residual;
    }
};

constexpr float untouched = 77;

// An output of `rows` x `cols` that the tile overhangs; a bias of each column, fp32, and a residual, fp16, whose rows are apart.
template <gemm::shape S, int Vector>
struct fused
{
    static constexpr int rows = S.m - 3, cols = S.n - Vector, apart = S.n + Vector;
    std::vector<float> sums, bias;
    std::vector<fp16> residual, out;

    fused() : sums(S.m * S.n), bias(cols), residual(rows * apart), out(rows * cols + Vector, fp16(untouched))
    {
        random_numbers random(7);
        for(float& x : sums)
            x = static_cast<float>(random.between(-1000, 1000)) / 8;
        for(float& x : bias)
            x = static_cast<float>(random.between(-100, 100)) / 4;
        for(fp16& x : residual)
            x = static_cast<fp16>(random.between(-50, 50));
    }

    auto out_view() { return tensor_view{out.data(), rows * cols, packed(multi_index{rows, cols})}; }
    auto bias_view() const { return repeated<0>(packed_view(bias.data(), cols)); }
    auto residual_view() const
    {
        return tensor_view{residual.data(), rows * apart, strided<2>{{rows, cols}, {apart, 1}}};
    }

    auto accumulators() const
    {
        return generate<float, gemm::accumulator(S)>(
            [&](int i, int j) { return sums[static_cast<std::size_t>(i * S.n + j)]; });
    }

    void expect_right() const
    {
        int wrong = 0;
        for(int i = 0; i < rows; ++i)
            for(int j = 0; j < cols; ++j)
            {
                const float c = biased_relu{}(sums[i * S.n + j], bias[j], static_cast<float>(residual[i * apart + j]));
                wrong += out[i * cols + j] != convert<fp16>(c);
            }
        EXPECT_EQ(wrong, 0) << "of " << rows * cols << " in " << S.inst().name;
        for(int i = rows * cols; i < rows * cols + Vector; ++i)
            EXPECT_EQ(out[i], fp16(untouched)) << "stored out of bounds";
    }
};

template <gemm::shape S, int Vector>
void expect_epilogues_fuse()
{
    ASSERT_FALSE(gemm::check(S)) << gemm::check(S).rule;
    fused<S, Vector> wide;
    run_checked(block_of(S, gemm::epilogue_lds_bytes(S)), [&](const block& in) {
        gemm::store_through_lds<S, Vector>(in, wide.accumulators(), wide.out_view(), multi_index{0, 0}, biased_relu{},
                                           wide.bias_view(), wide.residual_view());
    });
    wide.expect_right();

    if constexpr(gemm::detail::has_lines(S) && Vector == 8)
    {
        fused<S, Vector> alone;
        run_checked(block_of(S, gemm::line_lds_bytes(S)), [&](const block& in) {
            gemm::store_by_wave<S, 0>(in, alone.accumulators(), alone.out_view(), multi_index{0, 0}, biased_relu{},
                                      alone.bias_view(), alone.residual_view());
        });
        alone.expect_right();
    }

    fused<S, Vector> single;
    gemm::store_directly<S>(single.accumulators(), single.out_view(), multi_index{0, 0}, biased_relu{},
                            single.bias_view(), single.residual_view());
    single.expect_right();
}

TEST(Epilogue, FusesBiasActivationAndResidual)
{
    expect_epilogues_fuse<gemm::shape{128, 64, 32, 2, 2, opcode::mfma_32x32x8_fp16}, 8>();
    expect_epilogues_fuse<gemm::shape{64, 128, 32, 1, 2, opcode::mfma_16x16x16_bf16}, 8>();
    expect_epilogues_fuse<gemm::shape{64, 64, 16, 2, 2, opcode::mfma_16x16x4_fp32}, 4>();
    expect_epilogues_fuse<gemm::shape{64, 64, 32, 2, 2, opcode::wmma_16x16x16_fp16}, 8>();
    expect_epilogues_fuse<gemm::shape{32, 64, 32, 2, 2, opcode::mma_16x8x16_fp16}, 2>();
    expect_epilogues_fuse<gemm::shape{64, 64, 16, 2, 2, opcode::fma_4x8x1_fp32}, 4>();
    expect_epilogues_fuse<gemm::shape{32, 128, 32, 2, 2, opcode::mma_16x8x16_fp16}, 8>();
    expect_epilogues_fuse<gemm::shape{128, 192, 64, 8, 1, opcode::wgmma_64x192x16_bf16}, 8>();
    expect_epilogues_fuse<gemm::shape{64, 32, 64, 4, 1, opcode::wgmma_64x32x16_fp16}, 8>(); // less than a line of LDS
}

// The same, chosen once for many elements.
struct chosen_relu
{
    bool relu;

    void choose(auto&& visit) const
    {
        if(relu)
            visit(biased_relu{});
        else
            visit([](float c, float, float) { return -c; });
    }
};

TEST(Epilogue, AFunctorMayChooseAnother)
{
    constexpr gemm::shape s = {64, 64, 32, 2, 2, opcode::mfma_32x32x8_fp16};
    fused<s, 8> one;
    const auto store_with = [&](bool relu) {
        run_checked(block_of(s, gemm::epilogue_lds_bytes(s)), [&](const block& in) {
            gemm::store_through_lds<s, 8>(in, one.accumulators(), one.out_view(), multi_index{0, 0}, chosen_relu{relu},
                                          one.bias_view(), one.residual_view());
        });
    };
    store_with(false);
    EXPECT_EQ(one.out[0], convert<fp16>(-one.sums[0]));
    store_with(true);
    one.expect_right();
}

// As they are: through LDS in the type of the output.
template <gemm::shape S>
void expect_stored_as_they_are()
{
    constexpr int rows = S.m - 5, cols = S.n - 8;
    const fused<S, 8> given;
    const auto expect_stored = [&]<class T>(T) {
        std::vector<T> out(rows * cols + 8, T(untouched));
        run_checked(block_of(S, gemm::line_lds_bytes(S)), [&](const block& in) {
            gemm::store_by_wave<S, 0>(in, given.accumulators(),
                                      tensor_view{out.data(), rows * cols, packed(multi_index{rows, cols})},
                                      multi_index{0, 0});
        });
        for(int i = 0; i < rows * cols; ++i)
            ASSERT_EQ(out[i], convert<T>(given.sums[i / cols * S.n + i % cols])) << i;
        for(int i = rows * cols; i < rows * cols + 8; ++i)
            EXPECT_EQ(out[i], T(untouched)) << "stored out of bounds";
    };
    expect_stored(fp16());
    expect_stored(0.f);
}

TEST(Epilogue, ByWaveWithoutAFunctor)
{
    expect_stored_as_they_are<gemm::shape{128, 64, 64, 8, 1, opcode::wgmma_64x64x16_fp16}>();
    expect_stored_as_they_are<gemm::shape{128, 32, 64, 8, 1, opcode::wgmma_64x32x16_fp16}>(); // less than a line of LDS
}

// C transposed, with a bias for each of its rows, which are the columns of what is stored; and not transposed, with one for each row.
TEST(Epilogue, ByWaveTransposedAndPerRow)
{
    constexpr gemm::shape s = {128, 64, 64, 8, 1, opcode::wgmma_64x64x16_fp16};
    constexpr int rows = s.m - 8, cols = s.n - 5; // of C, that are stored
    const fused<s, 8> given;
    const auto value = [&](int i, int j) { return given.sums[i * s.n + j]; };
    const auto add   = [](float c, float bias) { return c + bias; };
    std::vector<float> bias(s.m);
    for(int i = 0; i < s.m; ++i)
        bias[i] = static_cast<float>(i) - 40;

    const auto expect_transposed = [&]<class T>(T) {
        std::vector<T> plain(cols * rows + 8, T(untouched)), biased = plain;
        const auto to = [&](std::vector<T>& out) {
            return tensor_view{out.data(), cols * rows, packed(multi_index{cols, rows})};
        };
        run_checked(block_of(s, gemm::line_lds_bytes(s)), [&](const block& in) {
            gemm::store_by_wave<s, 0, true>(in, given.accumulators(), to(plain), multi_index{0, 0});
        });
        run_checked(block_of(s, gemm::line_lds_bytes(s)), [&](const block& in) {
            gemm::store_by_wave<s, 0, true>(in, given.accumulators(), to(biased), multi_index{0, 0}, add,
                                            tensor_view{bias.data(), rows, strided<2>{{cols, rows}, {0, 1}}});
        });
        for(int j = 0; j < cols; ++j)
            for(int i = 0; i < rows; ++i)
            {
                ASSERT_EQ(plain[j * rows + i], convert<T>(value(i, j))) << i << ", " << j;
                ASSERT_EQ(biased[j * rows + i], convert<T>(value(i, j) + bias[i])) << i << ", " << j;
            }
        for(int i = rows * cols; i < rows * cols + 8; ++i)
            EXPECT_TRUE(plain[i] == T(untouched) && biased[i] == T(untouched)) << "stored out of bounds";
    };
    expect_transposed(fp16());
    expect_transposed(0.f);

    constexpr int whole_cols = s.n - 8; // vectors lie along rows
    std::vector<fp16> out(rows * whole_cols);
    run_checked(block_of(s, gemm::line_lds_bytes(s)), [&](const block& in) {
        gemm::store_by_wave<s, 0>(in, given.accumulators(),
                                  tensor_view{out.data(), rows * whole_cols, packed(multi_index{rows, whole_cols})},
                                  multi_index{0, 0}, add, repeated<1>(packed_view(bias.data(), rows)));
    });
    for(int i = 0; i < rows; ++i)
        for(int j = 0; j < whole_cols; ++j)
            ASSERT_EQ(out[i * whole_cols + j], convert<fp16>(value(i, j) + bias[i])) << i << ", " << j;
}

// Numbers of columns, and of rows, that map() adds to the accumulator, loaded as each thread's elements ask.
template <gemm::shape S>
void expect_lines_added()
{
    ASSERT_FALSE(gemm::check(S)) << gemm::check(S).rule;
    constexpr distribution all = gemm::accumulator(S), columns = reduced<all, 0>, rows = reduced<all, 1>;
    const fused<S, 8> given;
    std::vector<float> of_columns(S.n), of_rows(S.m), out(S.m * S.n);
    for(int j = 0; j < S.n; ++j)
        of_columns[j] = static_cast<float>(j) - 40;
    for(int i = 0; i < S.m; ++i)
        of_rows[i] = static_cast<float>(1000 * i);
    const tensor_view column_view{of_columns.data(), S.n, packed(multi_index{1, S.n})},
        row_view{of_rows.data(), S.m, packed(multi_index{S.m, 1})};
    const auto sums = map([](float c, float column, float row) { return c + column + row; }, given.accumulators(),
                          rearrange<columns>(load(make_window<in_vectors(columns, 2)>(column_view, multi_index{0, 0}))),
                          rearrange<rows>(load(make_window<in_vectors(rows, 4)>(row_view, multi_index{0, 0}))));
    gemm::store_directly<S>(sums, tensor_view{out.data(), S.m * S.n, packed(multi_index{S.m, S.n})}, multi_index{0, 0});
    for(int i = 0; i < S.m; ++i)
        for(int j = 0; j < S.n; ++j)
            ASSERT_EQ(out[i * S.n + j], given.sums[i * S.n + j] + of_columns[j] + of_rows[i]) << i << ", " << j;
}

TEST(Epilogue, NumbersOfColumnsAndRowsAreAddedToTheAccumulator)
{
    expect_lines_added<gemm::shape{128, 64, 32, 2, 2, opcode::mfma_32x32x8_fp16}>();
    expect_lines_added<gemm::shape{64, 64, 32, 2, 2, opcode::wmma_16x16x16_fp16}>();
    expect_lines_added<gemm::shape{32, 64, 32, 2, 2, opcode::mma_16x8x16_fp16}>();
    expect_lines_added<gemm::shape{64, 64, 16, 2, 2, opcode::fma_4x8x1_fp32}>();
    expect_lines_added<gemm::shape{128, 192, 64, 8, 1, opcode::wgmma_64x192x16_bf16}>();
}

} // namespace
} // namespace ck_tile

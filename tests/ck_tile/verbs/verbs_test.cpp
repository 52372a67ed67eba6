// SPDX-License-Identifier: MIT
// The verbs that work on registers: map, generate, fill, convert, rearrange and reduce, against plain loops.
#include "ck_tile/verbs/broadcast.hpp"
#include "ck_tile/verbs/exchange.hpp"
#include "ck_tile/verbs/finite.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/math.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ck_tile/verbs/relayout.hpp"

#include "ck_tile/gemm/operand.hpp"
#include "tests/support/checked_block.hpp"
#include "tests/support/random.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ck_tile
{
namespace
{

// Two waves of 32 lanes, rows in the lanes; six of 64 lanes, columns in the lanes; elements that four threads hold.
constexpr distribution rows_in_lanes = {
    .lengths = {32, 24}, .wave = {{2, 1, 12}}, .lane = {{32, 0, 1}}, .reg = {{3, 1, 4}}, .vec = {{4, 1, 1}}};
constexpr distribution columns_in_lanes = {.lengths = {32, 48},
                                           .wave    = {{3, 1, 16}, {2, 0, 16}},
                                           .lane    = {{16, 1, 1}, {4, 0, 4}},
                                           .reg     = {},
                                           .vec     = {{4, 0, 1}}};
constexpr distribution replicated       = {.lengths = {32, 12},
                                           .wave    = {{2, 0, 1}, {2}},
                                           .lane    = {{2}, {16, 0, 2}, {2, 1, 3}},
                                           .reg     = {{3, 1, 1}, {2, 1, 6}},
                                           .vec     = {}};

int row_weight = 100; // no constant: the tiles are made when the test runs
int number_of(int i, int j) { return row_weight * i + j; }

template <distribution D>
void expect_element_by_element()
{
    const auto numbers = generate<float, D>(number_of);
    const auto twos    = fill<fp16, D>(2);
    int slots          = 0;
    each_element(numbers, [&](const multi_index<3>& at, float x) {
        ++slots;
        ASSERT_EQ(x, number_of(at[0], at[1]));
    });
    EXPECT_EQ(slots, D.elements() * D.replication());
    each_element(twos, [&](const multi_index<3>&, fp16 x) { ASSERT_EQ(float(x), 2.f); });

    // One, two and three tiles of different types; the result has the type that the function returns.
    const auto negative = map([](float x) { return -x; }, numbers);
    const auto sums = map([](float x, fp16 y, float z) { return int(x + float(y) - 2 * z); }, numbers, twos, negative);
    static_assert(std::is_same_v<typename decltype(sums)::element, int> && decltype(sums)::layout == D);
    each_element(sums, [&](const multi_index<3>& at, int x) { ASSERT_EQ(x, 3 * number_of(at[0], at[1]) + 2); });
}

TEST(Verbs, MapGenerateAndFillWorkElementByElement)
{
    expect_element_by_element<rows_in_lanes>();
    expect_element_by_element<columns_in_lanes>();
    expect_element_by_element<replicated>();
}

// What no variable enters, which a compiler would like to work out itself.
TEST(Verbs, ElementsMayBeConstants)
{
    const auto columns = generate<int, rows_in_lanes>([](int, int j) { return j; });
    const auto twice   = map([](int j) { return 2 * j; }, columns);
    const auto whole   = rearrange<rows_in_lanes>(convert<float>(twice));
    each_slot(rows_in_lanes, [&](const slot& p, const multi_index<3>& at) {
        ASSERT_EQ(element_at(columns, p), at[1]);
        ASSERT_EQ(element_at(whole, p), 2.f * float(at[1]));
    });
}

TEST(Verbs, GenerateKnowsOneAndThreeDimensions)
{
    constexpr distribution line = {.lengths = {128}, .wave = {}, .lane = {{64, 0, 1}}, .reg = {{2, 0, 64}}, .vec = {}};
    each_element(generate<float, line>([](int i) { return number_of(i, i * i); }),
                 [](const multi_index<3>& at, float x) { ASSERT_EQ(x, float(number_of(at[0], at[0] * at[0]))); });
    constexpr distribution cube = {.lengths = {4, 8, 16},
                                   .wave    = {},
                                   .lane    = {{8, 1, 1}, {4, 2, 4}, {2, 0, 1}},
                                   .reg     = {{2, 0, 2}},
                                   .vec     = {{4, 2, 1}}};
    each_element(generate<float, cube>([](int i, int j, int k) { return number_of(k, i + 10 * j); }),
                 [](const multi_index<3>& at, float x) { ASSERT_EQ(x, float(number_of(at[2], at[0] + 10 * at[1]))); });
}

// Rows, columns and single numbers are alike along the dimensions that they do not have, in whatever way tiles are distributed; in a tile of their
// own, and as a further tile of map().
template <distribution D, distribution E>
void expect_broadcast()
{
    static_assert(E.covers() && E.threads() == D.threads() && broadcasts_to<E, D> && broadcasts_to<D, D>);
    static_assert(E == D || !broadcasts_to<D, E>);
    const auto number = [](int i, int j, int k) { return number_of(number_of(i, j), k); };
    const auto few    = generate<int, E>(number);
    const auto expect = [&](const auto& x, int factor, int added) {
        each_element(x, [&](const multi_index<3>& at, int y) {
            const auto in = [&](int d) { return E.length(d) == 1 ? 0 : at[d]; };
            ASSERT_EQ(y, factor * number(in(0), in(1), in(2)) + added * number(at[0], at[1], at[2]));
        });
    };
    const auto all = generate<int, D>(number);
    expect(broadcast<D>(few), 1, 0);
    expect(map([](int x, int y) { return x + 2 * y; }, all, few), 2, 1);
    expect(map([](int x, int y, int z) { return x + 2 * y + 3 * z; }, all, few, all), 2, 4);
}
template <distribution D>
void expect_broadcasts()
{
    expect_broadcast<D, D>();
    expect_broadcast<D, reduced<D, 0>>();
    expect_broadcast<D, reduced<D, 1>>();
    expect_broadcast<D, reduced<reduced<D, 1>, 0>>();
}

TEST(Verbs, TilesBroadcastAlongDimensionsThatTheyDoNotHave)
{
    expect_broadcasts<rows_in_lanes>();
    expect_broadcasts<columns_in_lanes>();
    expect_broadcasts<replicated>();
    expect_broadcasts<gemm::accumulator({64, 64, 32, 2, 2, opcode::mma_16x8x16_fp16})>();
    expect_broadcasts<gemm::accumulator({64, 64, 32, 2, 2, opcode::wmma_16x16x16_fp16})>();
    static_assert(!broadcasts_to<reduced<columns_in_lanes, 0>, rows_in_lanes>);
}

// A row of softmax: what reduce() gives goes back into map() as it is.
TEST(Verbs, WhatIsReducedBroadcasts)
{
    constexpr distribution D = columns_in_lanes;
    const auto x             = generate<float, D>([](int i, int j) { return float((7 * i + 5 * j) % 11); });
    const auto value         = [](int i, int j) { return double((7 * i + 5 * j) % 11); };
    run_checked({architecture::gfx942, D.threads(), reduce_lds_bytes<D, float>(1)}, [&](const block& in) {
        const auto largest = reduce<1>(in, x, [](float a, float b) { return a > b ? a : b; });
        const auto powers  = map([](float a, float most) { return std::exp(a - most); }, x, largest);
        const auto sum     = reduce<1>(in, powers, [](float a, float b) { return a + b; });
        each_element(map([](float p, float all) { return p / all; }, powers, sum),
                     [&](const multi_index<3>& at, float y) {
                         double all = 0;
                         for(int j = 0; j < D.length(1); ++j)
                             all += std::exp(value(at[0], j));
                         ASSERT_NEAR(y, std::exp(value(at[0], at[1])) / all, 1e-6);
                     });
    });
}

TEST(Verbs, MaximaAndMinimaBroadcastAndKeepNaNs)
{
    const auto x      = generate<float, rows_in_lanes>(number_of);
    const auto limits = generate<float, reduced<rows_in_lanes, 0>>([](int, int j) { return j == 5 ? NAN : 1000.f; });
    const auto high = max(x, limits), low = min(x, limits);
    each_element(high, [&](const multi_index<3>& at, float y) {
        if(at[1] == 5)
            ASSERT_TRUE(std::isnan(y));
        else
            ASSERT_EQ(y, std::max(float(number_of(at[0], at[1])), 1000.f));
    });
    each_element(low, [&](const multi_index<3>& at, float y) {
        if(at[1] == 5)
            ASSERT_TRUE(std::isnan(y));
        else
            ASSERT_EQ(y, std::min(float(number_of(at[0], at[1])), 1000.f));
    });
    const auto nans = fill<float, rows_in_lanes>(NAN);
    each_element(max(nans, x), [](const multi_index<3>&, float y) { ASSERT_TRUE(std::isnan(y)); });
    each_element(min(nans, x), [](const multi_index<3>&, float y) { ASSERT_TRUE(std::isnan(y)); });
}

TEST(Verbs, PowersOfTwo)
{
    const auto x = generate<float, columns_in_lanes>([](int i, int j) { return float(number_of(i, j) % 61 - 30) / 4; });
    const auto y =
        generate<float, columns_in_lanes>([](int i, int j) { return std::exp2(float(number_of(i, j) % 61 - 30) / 4); });
    int far = 0;
    map(
        [&](float found, float expected) {
            far += !(std::abs(found - expected) <= 1e-6f * expected);
            return 0;
        },
        exp2(x), y);
    EXPECT_EQ(far, 0);
    const auto nothing = exp2(fill<float, columns_in_lanes>(-std::numeric_limits<float>::infinity()));
    each_element(nothing, [](const multi_index<3>&, float e) { ASSERT_EQ(e, 0); });
}

TEST(Verbs, WhereMasksByCoordinates)
{
    const auto x     = generate<float, columns_in_lanes>(number_of);
    int below        = 10; // no constant
    const auto lower = where([&](int row, int col) { return col <= row + below; }, x, -1.f);
    each_element(lower, [&](const multi_index<3>& at, float y) {
        ASSERT_EQ(y, at[1] <= at[0] + below ? float(number_of(at[0], at[1])) : -1.f);
    });
    constexpr distribution line = {.lengths = {256}, .wave = {{4, 0, 64}}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {}};
    const auto even             = where([](int i) { return i % 2 == 0; }, fill<int, line>(7), 0);
    each_element(even, [](const multi_index<3>& at, int y) { ASSERT_EQ(y, at[0] % 2 == 0 ? 7 : 0); });
}

TEST(Verbs, ConvertRoundsEachElement)
{
    const auto value  = [](int i, int j) { return float(number_of(i, j)) / 7.3f - 200.f; };
    const auto narrow = convert<fp16>(generate<float, rows_in_lanes>(value));
    const auto brain  = convert<bf16>(generate<float, rows_in_lanes>(value));
    const auto wide   = convert<float>(brain);
    each_element(narrow, [&](const multi_index<3>& at, fp16 x) { ASSERT_EQ(x, convert<fp16>(value(at[0], at[1]))); });
    each_element(wide, [&](const multi_index<3>& at, float x) {
        ASSERT_EQ(x, convert<float>(convert<bf16>(value(at[0], at[1]))));
    });
}

// From vectors along the rows of memory to vectors along k and back: each element stays with its thread.
template <gemm::shape S, majorness Major, int Vector>
void expect_rearranges()
{
    constexpr distribution loaded = gemm::tiled_copy(S, S.m, Major, Vector);
    const auto from_memory        = generate<float, loaded>([](int i, int j) { return number_of(i, j); });
    const auto to_lds             = rearrange<gemm::along_k(loaded)>(from_memory);
    each_element(to_lds, [](const multi_index<3>& at, float x) { ASSERT_EQ(x, number_of(at[0], at[1])); });
    each_element(rearrange<loaded>(to_lds),
                 [](const multi_index<3>& at, float x) { ASSERT_EQ(x, number_of(at[0], at[1])); });
}

// A thread knows of its own elements alone: of whichever one is not finite, in all its registers.
TEST(Verbs, WhatIsNotFiniteIsFound)
{
    constexpr distribution D = rows_in_lanes;
    for(const float number : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN(), 3e38f, 0.f})
        for(int col = 0; col < D.length(1); ++col)
        {
            const int row = (5 * col + 3) % D.length(0);
            const auto x  = generate<float, D>([&](int i, int j) { return i == row && j == col ? number : 1.f; });
            bool found[D.length(0)][2] = {}; // of rows and waves, as threads have elements
            for_each_thread<D>([&](thread t) {
                found[t.lane][t.wave] = !(nan_unless_finite<D>(x.file_of(t)) == 0); // as kernels ask
            });
            for(int i = 0; i < D.length(0); ++i)
                for(int wave = 0; wave < 2; ++wave)
                    EXPECT_EQ(found[i][wave], !std::isfinite(number) && i == row && wave == col / 12)
                        << number << " at " << col;
        }
}

TEST(Verbs, WhatDoesNotExistIsLoadedAsOneAsks)
{
    constexpr distribution D = {.lengths = {8, 4}, .wave = {}, .lane = {{8, 0, 1}}, .reg = {{4, 1, 1}}, .vec = {}};
    constexpr int rows = 5, cols = 3;
    std::vector<bf16> memory;
    for(int i = 0; i < rows * cols; ++i)
        memory.push_back(convert<bf16>(i + row_weight));
    const auto window = make_window<D>(packed_view(memory.data(), rows, cols), multi_index{0, 0});
    const bf16 lowest = convert<bf16>(-std::numeric_limits<float>::infinity());
    const auto zeros = load(window), lowests = load(window, lowest);
    each_slot(D, [&](const slot& p, const multi_index<3>& at) {
        const bool there = at[0] < rows && at[1] < cols;
        const float here = there ? float(at[0] * cols + at[1] + row_weight) : 0;
        ASSERT_EQ(convert<float>(element_at(zeros, p)), here);
        ASSERT_EQ(convert<float>(element_at(lowests, p)), there ? here : convert<float>(lowest));
    });
}

TEST(Verbs, RearrangeBetweenMemoryAndLds)
{
    constexpr gemm::shape mfma = {64, 64, 32, 2, 1, opcode::mfma_32x32x8_fp16};
    expect_rearranges<mfma, majorness::mn, 8>();
    expect_rearranges<mfma, majorness::mn, 1>();
    expect_rearranges<mfma, majorness::k, 2>();
    constexpr gemm::shape fma = {16, 16, 16, 1, 1, opcode::fma_4x8x1_fp32};
    expect_rearranges<fma, majorness::mn, 4>();
}

// A result becomes the operand of another product; `renamed`: without LDS, where it is given none.
template <gemm::shape S>
void expect_becomes_operand(bool renamed)
{
    constexpr gemm::shape next = {S.m, S.n, S.n, S.waves_m, S.waves_n, S.instruction};
    constexpr lds_layout rows  = {.rows = S.m, .cols = S.n, .pad = 8};
    alignas(16) static fp16 memory[rows.elements()];
    std::fill(std::begin(memory), std::end(memory), fp16(-1));
    const auto x =
        generate<fp16, gemm::accumulator(S)>([](int i, int j) { return static_cast<fp16>(float(i * 16 + j)); });
    const auto y = relayout<gemm::a_registers(next)>(x, lds_tile<fp16, rows>{memory});
    each_slot(gemm::a_registers(next), [&](const slot& p, const multi_index<3>& at) {
        ASSERT_EQ(static_cast<float>(element_at(y, p)), float(at[0] * 16 + at[1]));
    });
    EXPECT_EQ(static_cast<float>(memory[0]) == -1, renamed);
}

TEST(Verbs, RelayoutMakesAnOperandOfAResult)
{
    expect_becomes_operand<gemm::shape{64, 64, 64, 4, 1, opcode::wgmma_64x64x16_fp16}>(true);
    expect_becomes_operand<gemm::shape{64, 32, 32, 4, 1, opcode::mfma_16x16x16_fp16}>(false);
    expect_becomes_operand<gemm::shape{32, 32, 32, 2, 1, opcode::wmma_16x16x16_fp16}>(false);
}

// Rows become columns where lanes go their own ways, so that they must meet: one tile after the other goes through the same LDS.
TEST(Verbs, RelayoutsInARow)
{
    constexpr distribution rows    = {.lengths = {64, 32},
                                      .wave    = {{2, 0, 32}},
                                      .lane    = {{32, 0, 1}},
                                      .reg     = {{4, 1, 8}},
                                      .vec     = {{8, 1, 1}}},
                           columns = {.lengths = {64, 32},
                                      .wave    = {{2, 0, 32}},
                                      .lane    = {{32, 1, 1}},
                                      .reg     = {{32, 0, 1}},
                                      .vec     = {}};
    constexpr lds_layout room      = {.rows = 64, .cols = 32, .pad = 8};
    const block_shape shape        = {architecture::sm90, 64, room.elements() * int(sizeof(fp16))};
    run_checked(shape, [&](const block& b) {
        for(const int turn : {0, 1})
        {
            const auto x = generate<fp16, rows>([&](int i, int j) { return fp16(float(turn + i * 32 + j)); });
            const auto y = relayout<columns>(x, lds_tile<fp16, room>{b.lds_at<fp16>(0)});
            each_slot(columns, [&](const slot& p, const multi_index<3>& at) {
                ASSERT_EQ(float(element_at(y, p)), float(turn + at[0] * 32 + at[1]));
            });
        }
    });
}

// Room for the waves' exchange.
struct alignas(16) line
{
    std::byte bytes[16];
};

template <distribution D>
tile<float, D> random_tile(std::vector<float>& values)
{
    random_numbers random(50);
    values.resize(static_cast<std::size_t>(D.elements()));
    for(float& x : values)
        x = static_cast<float>(random.between(-1000, 1000));
    return generate<float, D>(
        [&](int i, int j, int k) { return values[static_cast<std::size_t>((i * D.length(1) + j) * D.length(2) + k)]; });
}

// Sums and maxima along Dim, of whole numbers, so that the order does not matter; every thread along Dim has the result.
template <int Dim, distribution D>
void expect_reduces()
{
    std::vector<float> values;
    const auto x             = random_tile<D>(values);
    constexpr int bytes      = reduce_lds_bytes<D, float>(Dim);
    constexpr int lds_offset = 32;
    constexpr auto arch      = D.lanes() == 32 ? architecture::sm90 : architecture::gfx942;

    const auto along = [&](multi_index<3> at, float first, auto&& op) {
        for(at[Dim] = 0; at[Dim] < D.length(Dim); ++at[Dim])
            first = op(first, values[static_cast<std::size_t>((at[0] * D.length(1) + at[1]) * D.length(2) + at[2])]);
        return first;
    };
    const auto add    = [](float a, float b) { return a + b; };
    const auto larger = [](float a, float b) { return a > b ? a : b; };
    run_checked({arch, D.threads(), lds_offset + bytes}, [&](const block& in) {
        const auto sum     = reduce<Dim>(in, x, add, lds_offset);
        const auto largest = reduce<Dim>(in, x, larger, lds_offset);
        constexpr auto to  = decltype(sum)::layout;
        static_assert(to.length(Dim) == 1 && to.elements() == D.elements() / D.length(Dim) &&
                      to.threads() == D.threads());

        int slots = 0;
        each_element(sum, [&](const multi_index<3>& at, float s) {
            ++slots;
            ASSERT_EQ(s, along(at, 0.f, add));
        });
        EXPECT_EQ(slots, to.elements() * to.replication());
        each_element(largest, [&](const multi_index<3>& at, float s) { ASSERT_EQ(s, along(at, -2000.f, larger)); });
    });
}

TEST(Reduce, AlongEitherDimension)
{
    expect_reduces<0, rows_in_lanes>();
    expect_reduces<1, rows_in_lanes>();
    expect_reduces<0, columns_in_lanes>();
    expect_reduces<1, columns_in_lanes>();
}

TEST(Reduce, OfReplicatedTiles)
{
    expect_reduces<0, replicated>();
    expect_reduces<1, replicated>();
}

TEST(Reduce, OfThreeDimensions)
{
    constexpr distribution cube = {.lengths = {4, 8, 16},
                                   .wave    = {{2, 2, 8}},
                                   .lane    = {{8, 1, 1}, {2, 2, 4}, {2, 0, 1}},
                                   .reg     = {{2, 0, 2}},
                                   .vec     = {{4, 2, 1}}};
    expect_reduces<0, cube>();
    expect_reduces<1, cube>();
    expect_reduces<2, cube>();
}

// The program may have just used the LDS, and may use it at once again.
TEST(Reduce, WaitsForOthersBeforeAndAfter)
{
    constexpr int bytes = reduce_lds_bytes<rows_in_lanes, float>(1);
    run_checked({architecture::sm90, rows_in_lanes.threads(), bytes}, [](const block& in) {
        const auto numbers = in.lds_at<float>(0);
        const auto use     = [&](float value) {
            for_each_thread<rows_in_lanes>([&](thread t) { numbers[(1 - t.wave) * 32 + t.lane] = value; });
        };
        use(1);
        const auto x   = generate<float, rows_in_lanes>([](int i, int) { return float(i); });
        const auto sum = reduce<1>(in, x, [](float a, float b) { return a + b; });
        use(2);
        each_element(sum, [](const multi_index<3>& at, float s) { ASSERT_EQ(s, 24.f * float(at[0])); });
    });
}

// Room for what each thread has of the result, in a workgroup: less is too little, as the checker says, and more would keep blocks off a
// compute unit.
TEST(Reduce, NeedsLdsOnlyBetweenWaves)
{
    EXPECT_EQ((reduce_lds_bytes<rows_in_lanes, float>(0)), 0);
    EXPECT_EQ((reduce_lds_bytes<rows_in_lanes, float>(1)), 2 * 32 * 4) << "a row of each thread";
    EXPECT_EQ((reduce_lds_bytes<rows_in_lanes, fp16>(1)), 2 * 32 * 2);
    EXPECT_EQ((reduce_lds_bytes<columns_in_lanes, float>(0)), 6 * 64 * 4);
    EXPECT_EQ((reduce_lds_bytes<columns_in_lanes, float>(1)), 6 * 64 * 4 * 4) << "four rows of each thread";

    constexpr int bytes = reduce_lds_bytes<columns_in_lanes, float>(1);
    const auto x        = fill<float, columns_in_lanes>(1.f);
    const auto rejected = [&](int given) {
        return is_rejected({architecture::gfx942, columns_in_lanes.threads(), given},
                           [&](const block& in) { (void)reduce<1>(in, x, plus); });
    };
    EXPECT_TRUE(rejected(bytes - 1));
    EXPECT_FALSE(rejected(bytes));
}

// The workgroups of a cluster that have other rows each combine their own waves, each in its own LDS.
TEST(Reduce, InEachWorkgroupOfACluster)
{
    constexpr distribution D = {.lengths = {64, 24},
                                .wave    = {{2, 1, 12}},
                                .lane    = {{32, 0, 1}},
                                .reg     = {{3, 1, 4}},
                                .vec     = {{4, 1, 1}},
                                .cluster = {{2, 0, 32}}};
    const auto x             = generate<float, D>(number_of);
    static_assert(reduce_lds_bytes<D, float>(1) == reduce_lds_bytes<rows_in_lanes, float>(1));
    run_checked({architecture::sm90, 64, reduce_lds_bytes<D, float>(1), 2}, [&](const block& in) {
        each_element(reduce<1>(in, x, plus), [](const multi_index<3>& at, float sum) {
            ASSERT_EQ(sum, float(24 * number_of(at[0], 0) + 23 * 12));
        });
    });
}

// What a neutral element begins: in its type, so that what is combined is neither rounded to fp16 nor beyond its largest.
TEST(Reduce, FromANeutralElementInItsType)
{
    const auto x = generate<fp16, columns_in_lanes>([](int i, int j) { return 1024.f + float((i + j) % 2); });
    const auto b = generate<bf16, columns_in_lanes>([](int i, int j) { return float((i + j) % 7 - 20); });
    struct plan
    {
        lds_memory<float[7]> before;
        lds_memory<reduce_partials<columns_in_lanes, 1>> partials;
    };
    run_checked({architecture::gfx942, columns_in_lanes.threads(), sizeof(plan)}, [&](const block& in) {
        const auto partials = in.lds_at<&plan::partials>();
        const auto sum      = reduce<1>(in, x, plus, neutral{0.f}, partials);
        const auto most     = reduce<1>(in, b, largest, neutral{-std::numeric_limits<float>::infinity()}, partials);
        static_assert(std::is_same_v<decltype(sum)::element, float>);
        each_element(sum, [](const multi_index<3>&, float s) { ASSERT_EQ(s, 48 * 1024.f + 24); });
        each_element(most, [](const multi_index<3>&, float m) { ASSERT_EQ(m, -14.f); });
        // It counts: from 1 on, sums are larger by one for each thread that has some of the row.
        each_element(reduce<1>(in, x, plus, neutral{1.f}, partials),
                     [](const multi_index<3>&, float s) { ASSERT_EQ(s, 48 * 1024.f + 24 + 48); });
    });
}

// An operation of the user's own, across lanes and waves: the largest element with its place, in 64 bits.
TEST(Reduce, ByAnOperationOfOnesOwn)
{
    constexpr distribution D = columns_in_lanes;
    const auto value         = [](int i, int j) { return (i * 31 + j * 17) % 101; };
    const auto x =
        generate<std::int64_t, D>([&](int i, int j) { return std::int64_t(value(i, j)) << 32 | std::int64_t(j); });
    constexpr int bytes = reduce_lds_bytes<D, std::int64_t>(1);
    run_checked({architecture::gfx942, D.threads(), bytes}, [&](const block& in) {
        const auto later = [](std::int64_t p, std::int64_t q) { return (p >> 32) >= (q >> 32) ? p : q; };
        each_element(reduce<1>(in, x, later, neutral{std::int64_t(-1) << 32}),
                     [&](const multi_index<3>& at, auto found) {
                         int best = 0;
                         for(int j = 1; j < D.length(1); ++j)
                             best = value(at[0], j) > value(at[0], best) ? j : best;
                         ASSERT_EQ(int(found >> 32), value(at[0], best));
                         ASSERT_EQ(value(at[0], int(found & 0x7fffffff)), value(at[0], best));
                     });
    });
}

// Rounding differs with the order, so sums of fractions must agree bit for bit: between threads that share a result, and
// between runs.
TEST(Reduce, GivesTheSameBitsToAllThreadsAndEveryTime)
{
    const auto x = generate<float, columns_in_lanes>([](int i, int j) { return 1.f / float(1 + number_of(i, j * j)); });
    std::vector<line> lds(reduce_lds_bytes<columns_in_lanes, float>(0) / sizeof(line) + 1);
    const auto add  = [](float a, float b) { return a + b; };
    const auto once = reduce<0>(block{{}, lds.data()->bytes}, x, add);
    std::vector<float> of_column(48, -1.f);
    each_element(once, [&](const multi_index<3>& at, float s) {
        float& known = of_column[static_cast<std::size_t>(at[1])];
        ASSERT_TRUE(known == -1.f || known == s) << "column " << at[1];
        known = s;
    });
    const auto again = reduce<0>(block{{}, lds.data()->bytes}, x, add);
    each_element(again,
                 [&](const multi_index<3>& at, float s) { ASSERT_EQ(s, of_column[static_cast<std::size_t>(at[1])]); });
}

} // namespace
} // namespace ck_tile

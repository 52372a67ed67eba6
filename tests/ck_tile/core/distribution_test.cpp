// SPDX-License-Identifier: MIT
// Distributions as bijections: every one that a GEMM uses holds each element as often as it says; broken ones are found.
#include "ck_tile/core/distribution.hpp"

#include "ck_tile/gemm/epilogue.hpp"
#include "tests/support/gemm_shapes.hpp"
#include "tests/support/print_target.hpp"
#include "tests/support/random.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace ck_tile
{
namespace
{

// How often the distribution holds each element; empty if a place lies outside of the tile.
std::vector<int> holders(const distribution& d)
{
    std::vector<int> count(static_cast<std::size_t>(d.elements()));
    bool inside = true;
    each_slot(d, [&](const slot&, const multi_index<3>& at) {
        for(int dim = 0; dim < 3; ++dim)
            inside = inside && at[dim] >= 0 && at[dim] < d.length(dim);
        if(inside)
            ++count[static_cast<std::size_t>((at[0] * d.length(1) + at[1]) * d.length(2) + at[2])];
    });
    return inside ? count : std::vector<int>{};
}

// The law itself, by counting.
bool holds_each_element_alike(const distribution& d)
{
    const std::vector<int> count = holders(d);
    return !count.empty() && std::ranges::all_of(count, [&](int n) { return n == d.replication(); });
}

void expect_covers(const distribution& d, const std::string& context)
{
    EXPECT_TRUE(d.covers()) << context;
    EXPECT_TRUE(holds_each_element_alike(d)) << context;
}

class OfGemm : public testing::TestWithParam<const target*>
{};

TEST_P(OfGemm, FragmentsAndAccumulatorsCover)
{
    for(const gemm::shape& s : gemm_shapes(*GetParam()))
    {
        const std::string context = describe_shape(s);
        expect_covers(gemm::a_fragments(s), "a_fragments " + context);
        expect_covers(gemm::b_fragments(s), "b_fragments " + context);
        expect_covers(gemm::accumulator(s), "accumulator " + context);
        expect_covers(gemm::strip(s), "strip " + context);

        EXPECT_EQ(gemm::a_fragments(s).length(0), s.m);
        EXPECT_EQ(gemm::b_fragments(s).length(0), s.n * s.inst().blocks);
        EXPECT_EQ(gemm::a_fragments(s).length(1), s.k_pack());
        EXPECT_EQ(gemm::accumulator(s).length(0), s.m);
        EXPECT_EQ(gemm::accumulator(s).length(1), s.n);
        EXPECT_EQ(gemm::accumulator(s).replication(), 1) << context;
        for(const distribution& d : {gemm::a_fragments(s), gemm::b_fragments(s), gemm::accumulator(s), gemm::strip(s)})
            EXPECT_EQ(d.threads(), s.threads()) << context;
        // A lane reads 16 bytes of consecutive k at once, or more.
        EXPECT_GE(gemm::a_fragments(s).contiguous() * bytes_of(s.type()), 16) << context;
    }
}

TEST_P(OfGemm, TiledCopiesCoverAndGiveThreadsTheSameElementsAlongK)
{
    int seen = 0;
    for(const gemm::shape& s : gemm_shapes(*GetParam()))
        for(int rows : {s.m, s.n * s.inst().blocks})
            for(const majorness major : {majorness::mn, majorness::k})
                for(int vector : {1, 2, 4, 8})
                {
                    const int own  = rows * s.k / s.threads();
                    const int fast = std::min(own, 16 / bytes_of(s.type()));
                    if(rows * s.k % s.threads() != 0 || vector > fast ||
                       own / fast > (major == majorness::mn ? s.k : rows))
                        continue;
                    ++seen;
                    const distribution memory = gemm::tiled_copy(s, rows, major, vector), lds = gemm::along_k(memory);
                    const int contiguous      = contiguous_dimension(major);
                    const std::string context = describe_shape(s) + " rows " + std::to_string(rows) + " contiguous " +
                                                std::to_string(contiguous) + " vector " + std::to_string(vector);
                    expect_covers(memory, "memory " + context);
                    expect_covers(lds, "lds " + context);
                    EXPECT_EQ(memory.threads(), s.threads()) << context;
                    EXPECT_EQ(memory.contiguous(), vector) << context;
                    if(vector > 1)
                        EXPECT_EQ(memory.vector_dim(), contiguous) << context;

                    const auto elements_of = [&](const distribution& d) {
                        std::vector<int> owner(static_cast<std::size_t>(d.elements()));
                        each_slot(d, [&](const slot& p, const multi_index<3>& at) {
                            owner[static_cast<std::size_t>(at[0] * s.k + at[1])] = p.wave * d.lanes() + p.lane;
                        });
                        return owner;
                    };
                    EXPECT_EQ(elements_of(memory), elements_of(lds)) << context;
                    EXPECT_TRUE(lds.vec.count <= 1 && (lds.vecs() == 1 || lds.vector_dim() == 1)) << context;
                }
    EXPECT_GT(seen, 50);
}

// 24 lines of a column among 32 lanes: eight of them and four columns at once, three times; likewise on the way out.
TEST(OfGemmRows, ThatLanesDoNotShareEvenlyComeInTurns)
{
    constexpr gemm::shape s  = {64, 192, 32, 4, 1, opcode::mma_16x8x16_fp16};
    const distribution in    = gemm::tiled_copy(s, s.n, majorness::mn, 8);
    const distribution out   = gemm::detail::rows_at_once(s, 8);
    const digits three_turns = {{3, 0, 64}, {2, 1, 1}};
    EXPECT_EQ(in.lane, (digits{{8, 0, 8}, {4, 1, 2}}));
    EXPECT_EQ(in.reg, three_turns);
    EXPECT_EQ(out.lane, (digits{{8, 1, 8}, {4, 0, 1}}));
    EXPECT_EQ(out.reg, digits({3, 1, 64}));
    EXPECT_EQ(out.length(0), 16);
    expect_covers(in, "memory");
    expect_covers(gemm::along_k(in), "lds");
    expect_covers(out, "out");
}

TEST_P(OfGemm, RowsThatLeaveTogetherCover)
{
    int seen = 0;
    for(const gemm::shape& s : gemm_shapes(*GetParam()))
        for(int vector : {1, 2, 4, 8})
        {
            if(s.n % vector != 0 || s.threads() % (s.n / vector) != 0)
                continue;
            ++seen;
            const distribution d = gemm::detail::rows_at_once(s, vector);
            expect_covers(d, "rows_at_once " + describe_shape(s) + " vector " + std::to_string(vector));
            EXPECT_EQ(d.threads(), s.threads());
            EXPECT_EQ(d.replication(), 1);
            EXPECT_EQ(d.contiguous(), vector);
        }
    EXPECT_GT(seen, 50);
}

// What each thread holds, in order.
std::vector<std::vector<int>> elements_of_threads(const distribution& d)
{
    std::vector<std::vector<int>> all(static_cast<std::size_t>(d.threads()));
    each_slot(d, [&](const slot& s, const multi_index<3>& at) {
        all[static_cast<std::size_t>(s.wave * d.lanes() + s.lane)].push_back(at[0] * d.length(1) + at[1]);
    });
    for(std::vector<int>& own : all)
        std::ranges::sort(own);
    return all;
}

TEST_P(OfGemm, InVectorsThreadsHoldTheSameElements)
{
    int shorter = 0;
    for(const gemm::shape& s : gemm_shapes(*GetParam()))
        for(const int most : {1, 2, 8})
            for(const distribution& d : {gemm::accumulator(s), transposed(gemm::accumulator(s))})
            {
                const distribution v = in_vectors(d, most);
                shorter += v.vecs() < d.vecs();
                EXPECT_LE(v.vecs(), std::max(most, 1)) << describe_shape(s);
                EXPECT_TRUE(v.vec.count == 0 || v.contiguous() == v.vecs()) << describe_shape(s);
                EXPECT_EQ(elements_of_threads(v), elements_of_threads(d)) << describe_shape(s) << " by " << most;
            }
    EXPECT_GT(shorter, 0);
}

INSTANTIATE_TEST_SUITE_P(Architectures, OfGemm, testing::ValuesIn(all_targets),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(Distribution, BrokenOnesDoNotCover)
{
    const distribution good = {
        .lengths = {32, 8}, .wave = {}, .lane = {{32, 0, 1}, {2, 1, 4}}, .reg = {}, .vec = {{4, 1, 1}}};
    expect_covers(good, "the example of distribution.hpp");
    distribution gap = good;
    gap.lane         = {{32, 0, 2}, {2, 1, 4}};
    EXPECT_FALSE(gap.covers());
    distribution overlap = good;
    overlap.lane         = {{32, 0, 1}, {2, 1, 2}};
    EXPECT_FALSE(overlap.covers());
    distribution twice = good;
    twice.wave         = {{2, 0, 16}};
    EXPECT_FALSE(twice.covers());
    distribution longer = good;
    longer.lengths[0]   = 64;
    EXPECT_FALSE(longer.covers());
    distribution shorter = good;
    shorter.lengths[1]   = 4;
    EXPECT_FALSE(shorter.covers());
    distribution third = good;
    third.lengths[2]   = 2;
    EXPECT_FALSE(third.covers());
    distribution fourth = good;
    fourth.wave         = {{2, 3, 1}};
    EXPECT_FALSE(fourth.covers());
    distribution replicated = good;
    replicated.wave         = {{2}};
    expect_covers(replicated, "replicated over two waves");
    EXPECT_EQ(replicated.replication(), 2);
}

distribution random_distribution(random_numbers& random)
{
    // Factors of the tile's lengths, dealt to levels and dimensions in random order; then perhaps one is broken.
    distribution d;
    digits* levels[]  = {&d.wave, &d.lane, &d.reg, &d.vec};
    int lengths[3]    = {1, 1, 1};
    const int factors = random.between(0, 8);
    for(int i = 0; i < factors; ++i)
    {
        digits& level    = *levels[random.between(0, 3)];
        const int dim    = random.between(0, 2);
        const int extent = random.between(1, 3);
        if(level.count == digits::capacity)
            continue;
        if(random.between(0, 5) == 0)
            level.push({extent});
        else
        {
            level.push({extent, dim, lengths[dim]});
            lengths[dim] *= extent;
        }
    }
    for(int dim = 0; dim < 3; ++dim)
        d.lengths[dim] = random.between(0, 12) == 0 ? lengths[dim] + 1 : lengths[dim];
    digits& level = *levels[random.between(0, 3)];
    if(level.count > 0 && random.between(0, 2) == 0)
        level.at[random.between(0, level.count - 1)].stride += random.between(0, 2);
    return d;
}

// covers() is the law: it says yes exactly to those distributions for which counting says yes.
TEST(Distribution, CoversSaysWhatCountingSays)
{
    random_numbers random(6);
    int good = 0, broken = 0;
    for(int i = 0; i < 3000; ++i)
    {
        const distribution d = random_distribution(random);
        const bool counted   = holds_each_element_alike(d);
        each_slot(d, [&](const slot& p, const multi_index<3>& at) {
            ASSERT_EQ(at, (multi_index{d.locate(0, p), d.locate(1, p), d.locate(2, p)}));
        });
        ASSERT_EQ(d.covers(), counted) << "distribution " << i << " of " << d.elements() << " elements";
        ++(counted ? good : broken);
    }
    EXPECT_GT(good, 500);
    EXPECT_GT(broken, 300);
}

TEST(Distribution, DigitsOfOneDimensionAreConsistent)
{
    random_numbers random(7);
    for(int i = 0; i < 500; ++i)
    {
        digits all;
        for(int n = random.between(0, 5); n > 0; --n)
            all.push({random.between(1, 4), random.between(0, 2), random.between(0, 9)});
        for(int dim = 0; dim < 3; ++dim)
        {
            const digits own = all.only(dim);
            for(int d = 0; d < own.count; ++d)
                ASSERT_TRUE(own.at[d].moves_along(dim));
            std::vector<bool> met(static_cast<std::size_t>(own.size()));
            for(int number = 0; number < all.size(); ++number)
            {
                // By hand: the digits of the number, first fastest.
                int reach = 0, rest = number;
                for(int d = 0; d < all.count; ++d)
                {
                    if(all.at[d].dim == dim)
                        reach += rest % all.at[d].extent * all.at[d].stride;
                    rest /= all.at[d].extent;
                }
                ASSERT_EQ(all.along(dim, number), reach);
                const int n = all.number_in(dim, number);
                ASSERT_TRUE(n >= 0 && n < own.size());
                ASSERT_EQ(own.along(dim, n), reach);
                met[static_cast<std::size_t>(n)] = true;
            }
            ASSERT_TRUE(std::ranges::all_of(met, std::identity{})) << "number_in must reach every value";
        }
    }
}

TEST(Distribution, DigitsOfExtentOneAreDropped)
{
    EXPECT_EQ((digits{{1, 0, 3}, {4, 1, 1}, {1}}), (digits{{4, 1, 1}}));
    EXPECT_EQ(digits{}.size(), 1);
    EXPECT_EQ((digits{{3}, {4, 1, 2}}.size()), 12);
    EXPECT_EQ(distribution{}.elements(), 1);
    EXPECT_TRUE(distribution{}.covers());
}

// The folded forms that kernels use agree with the plain ones.
template <digits D>
void expect_reach_is_along()
{
    for(int number = 0; number < D.size(); ++number)
    {
        EXPECT_EQ((reach<D, 0>(number)), D.along(0, number));
        EXPECT_EQ((reach<D, 1>(number)), D.along(1, number));
    }
}

TEST(Distribution, ReachIsAlong)
{
    expect_reach_is_along<digits{}>();
    expect_reach_is_along<digits{{4}, {3, 1, 2}, {2, 0, 1}}>();
    expect_reach_is_along<digits{{16, 0, 1}, {2, 1, 4}, {2}}>();

    constexpr distribution d = {
        .lengths = {8, 8}, .wave = {{2, 0, 4}, {2}}, .lane = {{4, 0, 1}, {2, 1, 4}}, .reg = {}, .vec = {{4, 1, 1}}};
    int threads = 0;
    for_each_thread<d>([&](thread t) {
        EXPECT_EQ(t.copy, threads++);
        EXPECT_EQ((first_element<d, 0>(t)), d.locate(0, {t.wave, t.lane, 0, 0}));
        EXPECT_EQ((first_element<d, 1>(t)), d.locate(1, {t.wave, t.lane, 0, 0}));
    });
    EXPECT_EQ(threads, d.threads());
}

} // namespace
} // namespace ck_tile

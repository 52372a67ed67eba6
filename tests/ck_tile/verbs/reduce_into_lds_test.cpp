// SPDX-License-Identifier: MIT
// Folds within threads, tiles that stand beside others, and sums through LDS, also of blocks that several units share.
#include "ck_tile/verbs/reduce_into_lds.hpp"

#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ck_tile
{
namespace
{

// Three units of two waves of 32 lanes: rows in units and registers, columns in waves, lanes and vectors.
constexpr distribution shared_block = {.lengths = {12, 256},
                                       .wave    = {{2, 1, 128}},
                                       .lane    = {{32, 1, 4}},
                                       .reg     = {{4, 0, 1}},
                                       .vec     = {{4, 1, 1}},
                                       .unit    = {{3, 0, 4}}};
// One unit, registers along both dimensions.
constexpr distribution one_unit = {.lengths = {12, 128},
                                   .wave    = {{2, 0, 6}},
                                   .lane    = {{32, 1, 2}},
                                   .reg     = {{2, 1, 64}, {6, 0, 1}},
                                   .vec     = {{2, 1, 1}}};

int weight = 1000; // no constant: the tiles are made when the test runs
int number_of(int i, int j) { return weight * i + j; }

// fold leaves one element per thread along Dim, and reducing these gives what reducing the whole tile does.
template <distribution D, int Dim>
void expect_folds()
{
    constexpr distribution narrow = folded<D, Dim>;
    static_assert(narrow.covers() && narrow.threads() == D.threads());
    static_assert(narrow.length(1 - Dim) == D.length(1 - Dim));
    const auto numbers = generate<int, D, 2>([](int i, int j) { return number_of(i, j); });
    auto sums          = fill<int, narrow>(0);
    fold<Dim>(sums, [](int sum, int x) { return sum + x; }, numbers);
    long all = 0, expected = 0;
    each_element(sums, [&](const multi_index<3>&, int x) { all += x; });
    each_element(numbers, [&](const multi_index<3>&, int x) { expected += x; });
    EXPECT_EQ(all, expected);

    // Each sum is of those elements of the thread that lie in its row or column.
    each_place(narrow, [&](const place& p, const multi_index<3>& at) {
        int own = 0;
        each_place(D, [&](const place& q, const multi_index<3>& other) {
            if(q.wave == p.wave && q.lane == p.lane && q.unit == p.unit && other[1 - Dim] == at[1 - Dim])
                own += number_of(other[0], other[1]);
        });
        ASSERT_EQ(element_at(sums, p), own);
    });
}

TEST(Fold, AddsUpWhatAThreadHolds)
{
    expect_folds<shared_block, 0>();
    expect_folds<shared_block, 1>();
    expect_folds<one_unit, 0>();
    expect_folds<one_unit, 1>();
}

// A tile without the registers along a dimension stands beside one with them: `narrow` is a fold of `numbers`' distribution.
template <class Numbers, class Narrow>
void expect_stands_beside(const Numbers& numbers, const Narrow& narrow, int dim)
{
    const auto pairs = map([](int x, int c) { return x - c; }, numbers, narrow);
    each_element(pairs, [&](const multi_index<3>& at, int x) { ASSERT_EQ(x, dim == 0 ? weight * at[0] : at[1]); });
}

TEST(Map, TilesWithoutRegistersAlongADimensionStandBesideOthers)
{
    const auto row = [](int i, int) { return weight * i; };
    const auto col = [](int, int j) { return j; };
    const auto all = generate<int, shared_block, 2>(number_of);
    expect_stands_beside(all, generate<int, folded<shared_block, 0>, 2>(col), 0);
    expect_stands_beside(all, generate<int, folded<shared_block, 1>, 2>(row), 1);
    const auto one = generate<int, one_unit, 2>(number_of);
    expect_stands_beside(one, generate<int, folded<one_unit, 0>, 2>(col), 0);
    expect_stands_beside(one, generate<int, folded<one_unit, 1>, 2>(row), 1);
}

TEST(Visit, GivesEveryElementWithItsPlace)
{
    const auto numbers = generate<int, shared_block, 2>([](int i, int j) { return number_of(i, j); });
    const auto twice   = map([](int x) { return 2 * x; }, numbers);
    std::set<int> seen;
    visit<2>(
        [&](thread t, const multi_index<2>& at, int x, int y) {
            EXPECT_EQ(x, number_of(at[0], at[1]));
            EXPECT_EQ(y, 2 * x);
            EXPECT_EQ(t.unit, at[0] / 4);
            seen.insert(x);
        },
        numbers, twice);
    EXPECT_EQ(static_cast<int>(seen.size()), shared_block.elements());
}

// The LDS of a block on the CPU, one unit's after another's.
struct block_memory
{
    static constexpr int unit_bytes = 4096;
    std::vector<double> words       = std::vector<double>(4 * unit_bytes / sizeof(double), -1.);
    block in() { return {{}, reinterpret_cast<std::byte*>(words.data()), unit_bytes}; }
};

// A sum that remembers the order of its terms.
struct ordered
{
    float sum   = 0;
    float order = 0;
};

TEST(ReduceIntoLds, AddsUpAnyNumberOfTerms)
{
    for(const int outputs : {1, 2, 3, 7, 40, 64, 100})
        for(const int count : {0, 1, 2, 5, 8, 33, 64, 300, 1000})
        {
            block_memory memory, again;
            const auto term = [&](thread t, int o, int k) {
                return ordered{float((o + 1) * (k % 17) + t.unit), float(k % 5) / 3.f};
            };
            const auto add = [](ordered l, ordered r) { return ordered{l.sum + r.sum, l.order + r.order}; };
            reduce_into_lds<shared_block, ordered>(memory.in(), 64, outputs, count, term, add);
            reduce_into_lds<shared_block, ordered>(again.in(), 64, outputs, count, term, add);
            for(int unit = 0; unit < 3; ++unit)
                for(int o = 0; o < outputs; ++o)
                {
                    float expected = 0;
                    for(int k = 0; k < count; ++k)
                        expected += float((o + 1) * (k % 17) + unit);
                    const ordered& found = memory.in().lds_of_unit<ordered>(unit, 64)[o];
                    ASSERT_EQ(found.sum, expected) << outputs << " outputs of " << count;
                    ASSERT_EQ(found.order, again.in().lds_of_unit<ordered>(unit, 64)[o].order);
                }
        }
}

TEST(ReduceIntoLds, KeepsToItsRoom)
{
    for(const int outputs : {1, 5, 100})
    {
        block_memory memory;
        reduce_into_lds<shared_block, ordered>(
            memory.in(), 0, outputs, 500, [](thread, int, int) { return ordered{1, 1}; },
            [](ordered l, ordered r) { return ordered{l.sum + r.sum, 0}; });
        const int room = outputs + shared_block.waves();
        EXPECT_EQ(memory.words[static_cast<std::size_t>(room)], -1.);
    }
}

TEST(ForEachIndex, VisitsEachIndexOncePerUnit)
{
    std::vector<int> visits(3 * 150);
    for_each_index<shared_block>(150, [&](thread t, int i) { ++visits[std::size_t(t.unit * 150 + i)]; });
    for(const int n : visits)
        EXPECT_EQ(n, 1);
}

} // namespace
} // namespace ck_tile

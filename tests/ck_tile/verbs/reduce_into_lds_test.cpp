// SPDX-License-Identifier: MIT
// Folds within threads, and sums through LDS, also of clusters.
#include "ck_tile/verbs/reduce_into_lds.hpp"

#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "tests/support/checked_block.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

// Three workgroups of two waves of 32 lanes: rows in ranks and registers, columns in waves, lanes and vectors.
constexpr distribution shared_block = {.lengths = {12, 256},
                                       .wave    = {{2, 1, 128}},
                                       .lane    = {{32, 1, 4}},
                                       .reg     = {{4, 0, 1}},
                                       .vec     = {{4, 1, 1}},
                                       .cluster = {{3, 0, 4}}};
// One workgroup, registers along both dimensions.
constexpr distribution one_workgroup = {.lengths = {12, 128},
                                        .wave    = {{2, 0, 6}},
                                        .lane    = {{32, 1, 2}},
                                        .reg     = {{2, 1, 64}, {6, 0, 1}},
                                        .vec     = {{2, 1, 1}}};

int weight = 1000; // no constant: the tiles are made when the test runs
int number_of(int i, int j) { return weight * i + j; }

// for_each_folded visits, in ascending order, those elements of the thread that lie in the row or column of the folded one.
template <distribution D, int Dim>
void expect_folds()
{
    constexpr distribution narrow = folded<D, Dim>;
    static_assert(narrow.covers() && narrow.threads() == D.threads());
    static_assert(narrow.length(1 - Dim) == D.length(1 - Dim));
    const auto numbers = generate<int, D>([](int i, int j) { return number_of(i, j); });
    each_slot(narrow, [&](const slot& p, const multi_index<3>& at) {
        std::vector<int> expected, found;
        each_slot(D, [&](const slot& q, const multi_index<3>& other) {
            if(q.wave == p.wave && q.lane == p.lane && q.rank == p.rank && other[1 - Dim] == at[1 - Dim])
                expected.push_back(number_of(other[0], other[1]));
        });
        for_each_folded<D, Dim>(
            p.reg, p.vec, [&](int r, int v) { found.push_back(element_at(numbers, {p.wave, p.lane, r, v, p.rank})); });
        ASSERT_EQ(found, expected);
    });
}

TEST(ForEachFolded, VisitsWhatAThreadHoldsAlongADimension)
{
    expect_folds<shared_block, 0>();
    expect_folds<shared_block, 1>();
    expect_folds<one_workgroup, 0>();
    expect_folds<one_workgroup, 1>();
}

TEST(Coordinates, AreThoseOfTheDistribution)
{
    each_slot(shared_block, [](const slot& p, const multi_index<3>& at) {
        const thread t = {p.wave, p.lane, 0, p.rank};
        ASSERT_EQ((coordinates<shared_block, 3>(t, p.reg, p.vec)), at);
    });
}

// The LDS of a block on the CPU, one rank's after another's.
struct block_memory
{
    static constexpr int rank_bytes = 4096;
    std::vector<double> words       = std::vector<double>(4 * rank_bytes / sizeof(double), -1.);
    block in() { return {{}, reinterpret_cast<std::byte*>(words.data()), rank_bytes}; }
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
            const block_shape shape = {architecture::sm90, 64, block_memory::rank_bytes, 3};
            const auto term         = [&](thread t, int o, int k) {
                return ordered{float((o + 1) * (k % 17) + t.rank), float(k % 5) / 3.f};
            };
            const auto add = [](ordered l, ordered r) { return ordered{l.sum + r.sum, l.order + r.order}; };
            // What all threads read when it returns: twice, the second time over the first one's.
            std::vector<ordered> found[2];
            run_checked(shape, [&](const block& b) {
                for(auto& all : found)
                {
                    reduce_into_lds<shared_block, ordered>(b, 64, outputs, count, term, add);
                    all.resize(static_cast<std::size_t>(3 * outputs));
                    for_each_thread<shared_block>([&](thread t) {
                        for(int o = 0; o < outputs; ++o)
                            all[static_cast<std::size_t>(t.rank * outputs + o)] = b.lds_of<const ordered>(t, 64)[o];
                    });
                    b.sync();
                }
            });
            for(int rank = 0; rank < 3; ++rank)
                for(int o = 0; o < outputs; ++o)
                {
                    float expected = 0;
                    for(int k = 0; k < count; ++k)
                        expected += float((o + 1) * (k % 17) + rank);
                    const auto i = static_cast<std::size_t>(rank * outputs + o);
                    ASSERT_EQ(found[0].at(i).sum, expected) << outputs << " outputs of " << count;
                    ASSERT_EQ(found[0].at(i).order, found[1].at(i).order);
                }
        }
}

// In each workgroup of a cluster, in a member of its plan, of which workgroups read each other's.
struct sums_plan
{
    lds_memory<int[3]> before;
    lds_memory<float[9]> sums;
};
TEST(ReduceIntoLds, InAMemberOfAPlan)
{
    const auto term = [](thread t, int o, int k) { return float(100 * t.rank + 10 * o + k); };
    const auto add  = [](float x, float y) { return x + y; };
    run_checked({architecture::sm90, 64, sizeof(sums_plan), 3}, [&](const block& in) {
        reduce_into_lds<shared_block, &sums_plan::sums>(in, 7, 10, term, add);
        in.sync_cluster<3>();
        for_each_thread<shared_block>([&](thread t) {
            for(int o = 0; o < 7; ++o)
            {
                ASSERT_EQ(in.lds_of<&sums_plan::sums>(t)[o], 1000.f * float(t.rank) + 100.f * float(o) + 45);
                for(int rank = 0; rank < 3; ++rank)
                    ASSERT_EQ(in.lds_of_rank<&sums_plan::sums>(rank)[o], 1000.f * float(rank) + 100.f * float(o) + 45);
            }
        });
        in.sync_cluster<3>();
    });
    EXPECT_TRUE(is_rejected({architecture::sm90, 64, sizeof(sums_plan), 3}, [&](const block& in) {
        reduce_into_lds<shared_block, &sums_plan::sums>(in, 8, 10, term, add);
    })) << "eight outputs and two waves";
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
    for_each_index<shared_block>(150, [&](thread t, int i) { ++visits[std::size_t(t.rank * 150 + i)]; });
    for(const int n : visits)
        EXPECT_EQ(n, 1);
}

} // namespace
} // namespace ck_tile

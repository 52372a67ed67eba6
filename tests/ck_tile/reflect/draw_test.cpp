// SPDX-License-Identifier: MIT
// Pictures of layouts say what the layouts say.
#include "ck_tile/reflect/draw.hpp"

#include "ck_tile/gemm/operand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace ck_tile
{
namespace
{

constexpr distribution four_by_eight = {
    .lengths = {4, 8}, .wave = {{2, 0, 2}}, .lane = {{4, 1, 2}, {2, 0, 1}}, .reg = {}, .vec = {{2, 1, 1}}};

TEST(Draw, ADistributionSaysWhoHoldsWhat)
{
    EXPECT_EQ(to_text(draw(four_by_eight)),
              "2 waves of 8 lanes, 1 registers of 2 elements: wave.lane.register of each element\n"
              "0.0.0   0.1.0   0.2.0   0.3.0\n"
              "0.4.0   0.5.0   0.6.0   0.7.0\n"
              "1.0.0   1.1.0   1.2.0   1.3.0\n"
              "1.4.0   1.5.0   1.6.0   1.7.0\n");
}

// Each element once, by a thread that holds it.
TEST(Draw, EveryElementIsDrawnOnce)
{
    constexpr gemm::shape mfma = {64, 64, 32, 2, 2, opcode::mfma_32x32x8_fp16};
    for(const distribution& d :
        {gemm::accumulator(mfma), gemm::a_fragments(mfma), gemm::tiled_copy(mfma, 64, majorness::k, 8)})
    {
        const picture p = draw(d, {.rows = 64, .cols = 64});
        std::set<std::pair<int, int>> drawn;
        for(const picture::cell& c : p.cells)
            for(int j = 0; j < c.cols; ++j)
            {
                EXPECT_TRUE(drawn.insert({c.row, c.col + j}).second);
                int wave = 0, lane = 0, reg = 0;
                ASSERT_EQ(std::sscanf(c.label.c_str(), "%d.%d.%d", &wave, &lane, &reg), 3);
                bool holds = false;
                for(int vec = 0; vec < d.vecs(); ++vec)
                {
                    const slot at = {.wave = wave, .lane = lane, .reg = reg, .vec = vec};
                    holds |= d.locate(0, at) == c.row && d.locate(1, at) == c.col + j;
                }
                EXPECT_TRUE(holds) << c.label << " at " << c.row << ", " << c.col + j;
            }
        EXPECT_EQ(int(drawn.size()), d.elements());
    }
}

TEST(Draw, ATileOfOneDimensionIsFolded)
{
    constexpr distribution line = {
        .lengths = {16}, .wave = {}, .lane = {{4, 0, 2}}, .reg = {{2, 0, 8}}, .vec = {{2, 0, 1}}};
    EXPECT_EQ(to_text(draw(line, {.cols = 8})),
              "1 waves of 4 lanes, 2 registers of 2 elements: wave.lane.register of each element\n"
              "0.0.0   0.1.0   0.2.0   0.3.0\n"
              "0.0.1   0.1.1   0.2.1   0.3.1\n");
}

// Lanes that wait are as many cycles more as the model of banks counts, where each costs one.
TEST(Draw, AccessesStrikeWhatWaits)
{
    constexpr distribution rows = {
        .lengths = {32, 64}, .wave = {}, .lane = {{32, 0, 1}}, .reg = {{8, 1, 8}}, .vec = {{8, 1, 1}}};
    constexpr lds_layout plain = {.rows = 32, .cols = 64};
    constexpr lds_layout apart = free_of_conflicts(32, 64, 2, rows, rows);
    const auto struck       = [](const picture& p) { return std::ranges::count_if(p.cells, &picture::cell::struck); };
    const picture conflicts = draw_access(rows, plain, 2, lds_direction::read);
    EXPECT_EQ(conflicts.caption,
              "16 bytes a lane, 8 lanes at once: 32 cycles, of at least 4; rows are 128 bytes of LDS, with "
              "the lanes that read");
    EXPECT_EQ(struck(conflicts), 32 - 4);
    EXPECT_EQ(struck(draw_access(rows, apart, 2, lds_direction::read)), 0);
}

TEST(Draw, BanksOfALayout)
{
    EXPECT_EQ(to_text(draw(lds_layout{.rows = 2, .cols = 64, .pad = 8}, 2, {.cols = 32})),
              "2 x 64 elements of 2 bytes in LDS: the first bank of each 16 bytes\n"
              "0               4               8               12\n"
              "4               8               12              16\n");
    // Of planes the first: rows of 8 floats, 32 bytes apart.
    EXPECT_EQ(to_text(draw(lds_planes{.planes = 2, .rows = 2, .cols = 8}, sizeof(float))),
              to_text(draw(lds_layout{.rows = 2, .cols = 8}, sizeof(float))));
}

TEST(Draw, AViewSaysWhereElementsAre)
{
    const float memory[6] = {};
    EXPECT_EQ(to_text(draw(packed_view(memory, 2, 3), {1, 1}, {2, 2})), "where each element is in memory\n"
                                                                        "0 1 2\n"
                                                                        "3 4 5\n"
                                                                        "- - -\n");
    const tensor_view padded{memory, 6,
                             transform(packed(multi_index{2, 3}), along<dims{0}, dims{0}>(pad{2, 1, 0}),
                                       along<dims{1}, dims{1}>(pass_through{3}))};
    EXPECT_EQ(to_text(draw(padded)), "where each element is in memory\n"
                                     "- - -\n"
                                     "0 1 2\n"
                                     "3 4 5\n");
}

// Rows of a matrix of 3 x 5, from (1, 2) on; and of what repeats, what is accessed.
TEST(Draw, AWindowSaysWhatIsAccessed)
{
    constexpr distribution d = {
        .lengths = {4, 4}, .wave = {{2, 0, 2}}, .lane = {{2, 0, 1}, {2, 1, 2}}, .reg = {{2, 1, 1}}, .vec = {}};
    const float memory[15] = {};
    const picture p        = draw(make_window<d>(packed_view(memory, 3, 5), multi_index{1, 2}));
    EXPECT_EQ(to_text(p), "2 accesses of 1 elements a thread: where each element is in memory\n"
                          "7  8  9  -\n"
                          "12 13 14 -\n"
                          "-  -  -  -\n"
                          "-  -  -  -\n");
    EXPECT_EQ(p.cells[0].hue, 0);
    EXPECT_EQ(to_text(draw(make_window<four_by_eight>(repeated<0>(packed_view(memory, 15)), multi_index{1, 6}))),
              "1 accesses of 2 elements a thread: where each element is in memory\n"
              "6  7  8  9  10 11 12 13\n");
    EXPECT_EQ(to_text(draw(make_window<d>(repeated<1>(packed_view(memory, 3)), multi_index{0, 0}))),
              "1 accesses of 1 elements a thread: where each element is in memory\n"
              "0 1 2 -\n");
}

// docs/writing_kernels.md shows what stands between marks.
TEST(Draw, WhatThePageOfKernelsDraws)
{
    constexpr distribution held = four_by_eight;
    constexpr lds_layout layout = {.rows = 4, .cols = 8};
    constexpr multi_index<2> origin{1, 2};
    const float memory[15] = {};
    const auto view        = packed_view(memory, 3, 5);
    // [drawing]
    const picture owners = draw(held);                                                   // who holds which element
    const picture banks  = draw_access(held, layout, sizeof(fp16), lds_direction::read); // which lanes meet in a bank
    const picture seen   = draw(view, origin, {4, 8});                                   // where a window is in memory
    const picture access = draw(make_window<held>(view, origin));                        // what it accesses, which wave
    // [/drawing]
    for(const picture& p : {owners, banks, seen, access})
    {
        EXPECT_FALSE(p.caption.empty());
        EXPECT_FALSE(p.cells.empty());
    }
    EXPECT_NE(banks.caption, owners.caption);
}

TEST(Draw, SvgIsEscaped)
{
    const picture p = {"a < b & \"c\"", 1, 1, {{0, 0, 1, "<x>", 0, true}}};
    EXPECT_NE(to_svg(p).find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
    EXPECT_NE(to_svg(p).find(">&lt;x&gt;</text>"), std::string::npos);
    EXPECT_EQ(to_text(p), "a < b & \"c\"\n<x>*\n");
}

} // namespace
} // namespace ck_tile

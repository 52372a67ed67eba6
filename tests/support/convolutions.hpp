// SPDX-License-Identifier: MIT
// Convolutions drawn at random, and awkward ones, for the tests of all directions.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "tests/support/random.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ck_tile::conv
{

// Pads a dimension's input until the window fits.
inline void make_room(problem& p, std::size_t d)
{
    while(p.input[d] + p.left_pad[d] + p.right_pad[d] < p.window(static_cast<int>(d)))
        ++p.input[d];
}

inline problem random_problem(random_numbers& random)
{
    problem p;
    p.spatial = random.between(1, 3);
    p.groups  = random.between(1, 3);
    p.batch   = random.between(0, 9) == 0 ? 0 : random.between(1, 3);
    p.k       = random.between(0, 1) ? random.between(1, 12) : 8 * random.between(1, 6);
    p.c       = random.between(0, 1) ? random.between(1, 12) : 8 * random.between(1, 6);
    p.layout  = static_cast<layout>(random.between(0, 2));
    for(std::size_t d = 0; d < 3; ++d)
    {
        p.filter[d]    = random.between(1, p.spatial == 3 ? 3 : 5);
        p.stride[d]    = random.between(1, 5);
        p.dilation[d]  = random.between(1, 3);
        p.left_pad[d]  = random.between(0, 3);
        p.right_pad[d] = random.between(0, 3);
        p.input[d]     = random.between(1, p.spatial == 1 ? 60 : p.spatial == 2 ? 14 : 8);
        make_room(p, d);
    }
    return p;
}

// Uneven padding, an even filter, dilated, strided.
inline problem uneven_problem()
{
    return {.spatial   = 2,
            .groups    = 2,
            .batch     = 2,
            .k         = 24,
            .c         = 8,
            .filter    = {4, 2},
            .input     = {13, 9},
            .stride    = {3, 2},
            .dilation  = {2, 3},
            .left_pad  = {3, 0},
            .right_pad = {0, 2}};
}

// Pointwise, channels first: more rows, columns and steps than a tile has, which begin in the middle of images.
inline problem pointwise_problem()
{
    return {.spatial   = 2,
            .groups    = 2,
            .batch     = 7,
            .k         = 136,
            .c         = 72,
            .filter    = {1, 1},
            .input     = {6, 8},
            .left_pad  = {0, 0},
            .right_pad = {0, 0},
            .layout    = layout::ngchw};
}

// By name, for messages; the layouts take turns.
inline std::vector<std::pair<std::string, problem>> awkward_problems()
{
    std::vector<std::pair<std::string, problem>> all = {
        {"empty batch", {.spatial = 2, .groups = 2, .batch = 0, .k = 16, .c = 8, .input = {5, 5}}},
        {"images of one pixel",
         {.spatial = 2, .groups = 2, .batch = 5, .k = 8, .c = 16, .filter = {3, 3}, .input = {1, 1}}},
        {"more rows, columns and steps than a tile has",
         {.spatial = 2, .groups = 1, .batch = 7, .k = 264, .c = 40, .filter = {3, 3}, .input = {9, 11}}},
        {"the same in 3-D",
         {.spatial = 3, .groups = 2, .batch = 1, .k = 136, .c = 264, .filter = {2, 1, 1}, .input = {6, 7, 8}}},
        {"depthwise",
         {.spatial = 2, .groups = 19, .batch = 2, .k = 1, .c = 1, .filter = {3, 3}, .input = {8, 7}, .stride = {2, 2}}},
        {"odd channels",
         {.spatial = 2, .groups = 1, .batch = 2, .k = 10, .c = 3, .filter = {5, 5}, .input = {9, 8}, .stride = {2, 1}}},
        {"1x1, stride 2",
         {.spatial   = 2,
          .groups    = 1,
          .batch     = 2,
          .k         = 16,
          .c         = 24,
          .filter    = {1, 1},
          .input     = {7, 8},
          .stride    = {2, 2},
          .left_pad  = {},
          .right_pad = {}}},
        {"a filter shorter than the stride, which shares a divisor with the dilation",
         {.spatial   = 1,
          .groups    = 1,
          .batch     = 3,
          .k         = 8,
          .c         = 8,
          .filter    = {3},
          .input     = {61},
          .stride    = {8},
          .dilation  = {6},
          .left_pad  = {2},
          .right_pad = {1}}},
        {"inputs behind the last window",
         {.spatial   = 1,
          .groups    = 1,
          .batch     = 1,
          .k         = 8,
          .c         = 8,
          .filter    = {2},
          .input     = {10},
          .stride    = {7},
          .left_pad  = {0},
          .right_pad = {0}}},
        {"a long filter",
         {.spatial   = 1,
          .groups    = 2,
          .batch     = 2,
          .k         = 8,
          .c         = 8,
          .filter    = {70},
          .input     = {65},
          .left_pad  = {35},
          .right_pad = {34}}},
        {"a long filter, strided and dilated",
         {.spatial   = 1,
          .groups    = 1,
          .batch     = 1,
          .k         = 8,
          .c         = 16,
          .filter    = {41},
          .input     = {90},
          .stride    = {3},
          .dilation  = {2},
          .left_pad  = {30},
          .right_pad = {13}}},
        {"a first layer, whose lines are unfolded",
         {.spatial   = 2,
          .groups    = 1,
          .batch     = 3,
          .k         = 24,
          .c         = 3,
          .filter    = {3, 7},
          .input     = {9, 23},
          .stride    = {2, 2},
          .dilation  = {1, 2},
          .left_pad  = {1, 3},
          .right_pad = {2, 4}}},
        {"a first layer in 3-D",
         {.spatial = 3, .groups = 1, .batch = 2, .k = 16, .c = 1, .filter = {2, 3, 3}, .input = {4, 5, 9}}},
    };
    for(std::size_t i = 0; i < all.size(); ++i)
        all[i].second.layout = static_cast<layout>(i % 3);
    all.push_back({"patches side by side, which lie as if they were unfolded",
                   {.spatial   = 2,
                    .groups    = 1,
                    .batch     = 2,
                    .k         = 24,
                    .c         = 2,
                    .filter    = {3, 4},
                    .input     = {10, 20},
                    .stride    = {3, 4},
                    .left_pad  = {},
                    .right_pad = {}}});
    // Both sides: a direction's boxes have channels of X or of Y.
    all.push_back({"channels that fill boxes",
                   {.spatial   = 2,
                    .groups    = 2,
                    .batch     = 3,
                    .k         = 128,
                    .c         = 64,
                    .filter    = {3, 2},
                    .input     = {9, 11},
                    .stride    = {2, 1},
                    .dilation  = {1, 2},
                    .left_pad  = {2, 0},
                    .right_pad = {0, 3}}});
    all.push_back(
        {"the same in 1-D, of more classes than boxes have",
         {.spatial = 1, .groups = 1, .batch = 4, .k = 64, .c = 64, .filter = {7}, .input = {50}, .stride = {5}}});
    all.push_back({"pointwise, channels first", pointwise_problem()});
    return all;
}

// The same problem in each layout.
inline std::vector<problem> in_all_layouts(problem p)
{
    std::vector<problem> all;
    for(const auto& e : enumerators<layout>::all)
    {
        p.layout = e.value;
        all.push_back(p);
    }
    return all;
}

// A problem whose lengths are multiples of `k` and `c`, mostly of more than one tile of `rows` positions; of no spatial dimensions, a
// pointwise one, channels first, whose pixels are a multiple of 8.
inline problem random_problem_of(random_numbers& random, int spatial, int k, int c, int tile_k, int tile_c)
{
    const auto length = [&](int vector, int tile) {
        return vector * random.between(1, std::max(1, (tile + 24) / vector));
    };
    problem p = {.spatial = spatial == 0 ? random.between(1, 3) : random.between(1, spatial),
                 .groups  = random.between(1, 2),
                 .batch   = random.between(1, 3),
                 .k       = length(k, tile_k),
                 .c       = length(c, tile_c),
                 .layout  = static_cast<layout>(random.between(0, 2))};
    for(std::size_t d = 0; d < static_cast<std::size_t>(p.spatial); ++d)
    {
        p.filter[d]    = random.between(1, 3);
        p.stride[d]    = random.between(1, 3);
        p.dilation[d]  = random.between(1, 2);
        p.left_pad[d]  = random.between(0, 2);
        p.right_pad[d] = random.between(0, 2);
        p.input[d]     = p.window(static_cast<int>(d)) + random.between(0, p.spatial == 3 ? 3 : 9);
    }
    if(spatial == 0)
    {
        p.layout = layout::ngchw;
        p.filter = p.stride = {1, 1, 1};
        p.left_pad = p.right_pad                         = {};
        p.input[static_cast<std::size_t>(p.spatial - 1)] = 8 * random.between(1, 3);
    }
    return p;
}

} // namespace ck_tile::conv

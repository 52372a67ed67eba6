// SPDX-License-Identifier: MIT
// Random problems of any pooling with awkward inputs. A family says of its problems
//
//   std::vector<problem> variants_of(problem)     it with each convention that the family has beside windows
#pragma once

#include "ops/pooling/problem.hpp"
#include "ops/problem_fields.hpp"
#include "tests/support/operation_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace ck_tile::pooling
{

// What the elements of an input are like.
enum class content
{
    distinct, // hardly two are the same
    ties,     // few values
    nans,     // few values and some NaNs
    infinite  // mostly -inf, so that whole windows are
};

inline std::vector<float> values_of(content kind, std::int64_t count, std::uint32_t seed)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    random_numbers random(seed + 17);
    std::vector<float> values(static_cast<std::size_t>(count));
    for(float& v : values)
        switch(kind)
        {
        case content::distinct: v = static_cast<float>(random.between(-20000, 20000)) / 8192; break;
        case content::ties: v = static_cast<float>(random.between(-1, 1)); break;
        case content::nans: v = random.between(0, 7) == 0 ? NAN : static_cast<float>(random.between(-1, 1)); break;
        case content::infinite: v = random.between(0, 15) == 0 ? 1.f : -infinity; break;
        }
    return values;
}

// A pass over a tensor of that kind: the input of the forward pass, or, of a backward pass that does not see it, the gradient.
template <class Op>
experiment<Op> experiment_with(const typename Op::problem& p, content kind, std::uint32_t seed = 0)
{
    return experiment<Op>(p, seed, [&](harness::tensor_set& set) {
        const auto in           = std::ranges::find(set.tensors, std::string_view("in"), &harness::host_tensor::name);
        harness::host_tensor& x = in == set.tensors.end() ? set["dout"] : *in;
        x.set_values(values_of(kind, x.shape.elements(), seed));
    });
}

// Whether problems of the family can have dilations: a list of its fields has them.
template <class Problem>
bool has_dilations()
{
    return problem_to_json(Problem{}).contains("dilations");
}

// One of a problem's variants.
template <class Problem>
Problem random_variant(const Problem& p, random_numbers& random)
{
    const auto all = variants_of(p);
    return all[static_cast<std::size_t>(random.between(0, static_cast<int>(all.size()) - 1))];
}

// Windows larger and smaller than the stride, dilated, padded unevenly, in ceil mode; rows that no window reaches.
template <class Problem>
Problem random_problem(random_numbers& random)
{
    Problem p;
    p.batch    = random.between(0, 9) == 0 ? 0 : random.between(1, 3);
    p.channels = random.between(0, 1) ? random.between(1, 11) : 8 * random.between(1, 4);
    p.layout   = random.between(0, 1) ? layout::nhwc : layout::nchw;
    p          = random_variant(p, random);
    do
    {
        p.ceil_mode = random.between(0, 1);
        for(std::size_t d = 0; d < 2; ++d)
        {
            p.window[d]    = random.between(1, 5);
            p.stride[d]    = random.between(1, 4);
            p.dilation[d]  = has_dilations<Problem>() ? random.between(1, 3) : 1;
            p.input[d]     = random.between(1, 14);
            p.left_pad[d]  = random.between(0, 3);
            p.right_pad[d] = random.between(0, 3);
        }
    } while(!validate(p));
    return p;
}

// Strides, dilations and pads of any size that 32 bits hold, about inputs of a few elements; where there are no dilations, windows too, or
// they would hold no element.
template <class Problem>
Problem extreme_problem(random_numbers& random)
{
    constexpr std::int64_t most = 0x7fffffff;
    const auto any_size         = [&](std::int64_t least) {
        const std::int64_t sizes[] = {least, least + 1, 5, 1 << 15, 1 << 30, most - 8, most};
        return sizes[random.between(0, 6)];
    };
    const bool dilated = has_dilations<Problem>();
    Problem p;
    p.channels = random.between(1, 8);
    p.layout   = random.between(0, 1) ? layout::nhwc : layout::nchw;
    p          = random_variant(p, random);
    for(;;)
    {
        p.ceil_mode = random.between(0, 1);
        for(std::size_t d = 0; d < 2; ++d)
        {
            p.window[d]    = dilated || random.between(0, 1) ? random.between(1, 3) : any_size(1);
            p.stride[d]    = any_size(1);
            p.dilation[d]  = dilated ? any_size(1) : 1;
            p.input[d]     = random.between(1, 6);
            p.left_pad[d]  = any_size(0);
            p.right_pad[d] = any_size(0);
        }
        const bool small = p.left_pad[0] + p.left_pad[1] < 16 || p.dilation[0] + p.dilation[1] < 16;
        if(small && validate(p) && p.output_pixels() < 200 && p.window_elements() * p.output_pixels() < (1 << 16))
            return p; // no more work than that: large windows of few outputs
    }
}

// Problems of the windows that instances are made for, so that these run too.
template <class Problem>
std::vector<Problem> known_problems()
{
    std::vector<Problem> all;
    const struct
    {
        std::int64_t window, stride, pad;
    } windows[] = {{3, 2, 1}, {3, 1, 1}, {5, 1, 2}, {2, 2, 0}};
    for(const auto& w : windows)
        for(layout order : {layout::nhwc, layout::nchw})
            for(bool ceil_mode : {false, true})
                for(std::int64_t width : {8, 9, 24})
                {
                    Problem p;
                    p.batch    = 2;
                    p.channels = order == layout::nhwc ? 16 : 3;
                    p.window = {w.window, w.window}, p.stride = {w.stride, w.stride};
                    p.left_pad = p.right_pad = {w.pad, w.pad};
                    p.input                  = {width / 2 + 3, width};
                    p.layout                 = order;
                    p.ceil_mode              = ceil_mode;
                    all.push_back(p);
                }
    return all;
}

// Windows as large as the image, and larger; large ones that overlap; strides larger than the window; dilations that divide the stride, and
// that leave a rest.
template <class Problem>
std::vector<Problem> awkward_problems()
{
    const problem shapes[] = {
        {.window = {7, 7}, .input = {7, 7}},
        {.window = {1, 9}, .input = {1, 9}},
        {.window    = {3, 5},
         .input     = {11, 5},
         .stride    = {2, 3},
         .left_pad  = {1, 0},
         .right_pad = {2, 0},
         .ceil_mode = true},
        {.window = {2, 6}, .input = {9, 6}, .dilation = {3, 1}},
        {.window = {9, 7}, .input = {5, 4}, .left_pad = {3, 1}, .right_pad = {2, 4}},
        {.window = {13, 13}, .input = {19, 19}, .left_pad = {6, 6}, .right_pad = {6, 6}},
        {.window = {9, 5}, .input = {17, 18}, .stride = {2, 1}, .left_pad = {4, 2}, .right_pad = {4, 2}},
        {.window = {7, 7}, .input = {23, 25}, .stride = {3, 3}, .left_pad = {3, 3}, .right_pad = {3, 3}},
        {.window = {2, 3}, .input = {21, 33}, .stride = {5, 4}, .left_pad = {1, 0}, .right_pad = {0, 2}},
        {.window = {3, 3}, .input = {15, 17}, .stride = {2, 4}, .dilation = {2, 2}, .left_pad = {2, 1}},
        {.window = {4, 3}, .input = {16, 13}, .stride = {4, 3}, .dilation = {2, 2}, .right_pad = {3, 1}},
        {.window = {3, 4}, .input = {14, 19}, .stride = {1, 2}, .dilation = {2, 3}, .left_pad = {1, 3}},
    };
    std::vector<Problem> all;
    for(const problem& shape : shapes)
        for(const layout order : {layout::nhwc, layout::nchw})
        {
            Problem p;
            static_cast<problem&>(p) = shape;
            p.batch = 2, p.channels = 8, p.layout = order;
            if(!has_dilations<Problem>())
                p.dilation = {1, 1};
            all.push_back(p);
        }
    return all;
}

// Tests of one pass, on every target in every type.
template <class Op>
class pass_test : public kernel_test
{
  protected:
    using problem = typename Op::problem;

    void expect_all_instances_right(problem p, content kind = content::distinct, std::uint32_t seed = 0)
    {
        p.type = type;
        ck_tile::expect_all_instances_right<Op>(dev, experiment_with<Op>(p, kind, seed));
    }

    void expect_right_on_random_problems()
    {
        random_numbers random(20);
        for(std::uint32_t i = 0; i < 60 && !HasFatalFailure(); ++i)
            expect_all_instances_right(random_problem<problem>(random), static_cast<content>(i % 4), i);
    }

    void expect_right_on_awkward_problems()
    {
        std::uint32_t seed = 0;
        for(const problem& p : awkward_problems<problem>())
            for(const problem& variant : variants_of(p))
            {
                expect_all_instances_right(variant, static_cast<content>(seed % 4), seed);
                ++seed;
            }
    }

    void expect_right_on_extreme_problems()
    {
        random_numbers random(21);
        for(std::uint32_t i = 0; i < 40 && !HasFatalFailure(); ++i)
            expect_all_instances_right(extreme_problem<problem>(random), static_cast<content>(i % 4), i);
    }
};

} // namespace ck_tile::pooling

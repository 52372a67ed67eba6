// SPDX-License-Identifier: MIT
// What computes convolutions in ways of its own: found by plans of the general operation, by name, in tuned tables; and the arithmetic of windows.
#include "ops/grouped_conv/depthwise.hpp"
#include "ops/grouped_conv_bwd_data/operation.hpp"
#include "ops/grouped_conv_bwd_weight/operation.hpp"
#include "ops/grouped_conv_fwd/operation.hpp"
#include "ops/tuning.hpp"
#include "tests/support/operation_test.hpp"

namespace ck_tile::conv
{
namespace
{

// A line of the halo meets a pixel through a tap as the definition of the convolution says: forward, i = o * s + t; of dX, o = (x + p - t) / s.
TEST(DepthwiseWindows, LinesMeetPixelsThroughTaps)
{
    for(int filter = 1; filter <= 7; ++filter)
        for(int stride = 1; stride <= 3; ++stride)
            for(int pixels = stride; pixels <= 4 * stride; pixels += stride)
                for(const direction made : {direction::forward, direction::backward_data, direction::backward_weight})
                {
                    const bool back = made == direction::backward_data;
                    const int lines = lines_seen(made, pixels, filter, stride),
                              first = back ? -((filter - 1) / stride) : 0;
                    for(int pixel = 0; pixel < pixels; ++pixel)
                    {
                        int seen = 0;
                        for(int line = 0; line < lines; ++line)
                        {
                            // With pads of 0; a pixel of dX at 0 is the first tap of the window at 0.
                            const int tap = tap_between(made, line, pixel, filter, stride), at = first + line;
                            EXPECT_EQ(tap, back ? pixel - at * stride : at - pixel * stride);
                            if(tap >= 0 && tap < filter)
                            {
                                ++seen;
                                EXPECT_EQ(line_between(made, tap, pixel, filter, stride), line);
                            }
                        }
                        int met = 0; // taps that meet the pixel
                        for(int tap = 0; tap < filter; ++tap)
                            met += !back || (pixel - tap) % stride == 0;
                        EXPECT_EQ(seen, met) << "all of them are among the lines";
                        for(int tap = 0; tap < filter && back; ++tap)
                            EXPECT_EQ(line_between(made, tap, pixel, filter, stride) >= 0, (pixel - tap) % stride == 0);
                    }
                }
}

template <class Op>
class Formulations : public testing::Test
{};
using directions =
    testing::Types<grouped_conv_fwd::operation, grouped_conv_bwd_data::operation, grouped_conv_bwd_weight::operation>;
TYPED_TEST_SUITE(Formulations, directions);

problem narrow_problem()
{
    return {.spatial = 2, .groups = 40, .batch = 2, .k = 1, .c = 1, .filter = {3, 3}, .input = {17, 19}};
}

// The name of an instance of groups of one channel, which is none of implicit GEMMs; empty, if none was built.
template <class Op>
std::string own_way(const device& dev, const typename Op::problem& p)
{
    std::string found;
    each_choice<Op>(dev, p, [&](const named_choice& each) {
        if(each.supported && each.name.find("_group1_") != each.name.npos)
            found = each.name;
    });
    return found;
}

TYPED_TEST(Formulations, ComputeWhatTheyAreAskedByName)
{
    using operation = TypeParam;
    for(const std::string& target : kernel_targets())
    {
        const device dev                    = *device::open(target);
        const typename operation::problem p = narrow_problem();
        const std::string name              = own_way<operation>(dev, p);
        if(name.empty())
            continue;
        EXPECT_TRUE(name.starts_with("narrow_conv_"));
        const auto planned = make_plan<operation>(dev, p, {.instance = name});
        ASSERT_TRUE(planned) << planned.reason();
        EXPECT_EQ(planned->chosen, nullptr);
        EXPECT_EQ(names_of(*planned), name);
        const experiment<operation> e(p);
        e.expect_right(e.run_plan(dev, *planned), name);

        // Large, it costs less than a matrix product does.
        typename operation::problem large = p;
        large.batch = 256, large.groups = 384;
        const auto chosen = make_plan<operation>(dev, large);
        ASSERT_TRUE(chosen) << chosen.reason();
        EXPECT_TRUE(names_of(*chosen).starts_with("narrow_conv_")) << names_of(*chosen);

        // And so does one of a channel multiplier, where an instance of those built takes it.
        large.k  = 2;
        int ways = 0;
        each_choice<operation>(dev, large, [&](const named_choice& each) {
            ways += each.supported && each.name.starts_with("narrow_conv_");
        });
        const auto multiplied = make_plan<operation>(dev, large);
        ASSERT_TRUE(multiplied) << multiplied.reason();
        EXPECT_EQ(names_of(*multiplied).starts_with("narrow_conv_"), ways > 0) << names_of(*multiplied);

        // What a tuned table chooses.
        auto choice = choice_of(dev, *planned);
        EXPECT_EQ(choice.instance, name);
        EXPECT_TRUE(accept_choice<operation>(choice));

        typename operation::problem grouped = p;
        grouped.c = grouped.k = 2;
        EXPECT_EQ(make_plan<operation>(dev, grouped, {.instance = name}).reason(),
                  name + " on " + dev.name() +
                      ": the instance is of groups of 1 channel, and the problem has G = 40, C = 2 and K = 2: choose "
                      "one of groups of 16 channels, or an implicit GEMM");
    }
}

// Whatever legal numbers there are, choices say what they can do, without overflow.
TYPED_TEST(Formulations, ExtremeWindows)
{
    using operation             = TypeParam;
    constexpr std::int64_t much = 1 << 30;
    for(const std::string& target : kernel_targets())
    {
        const device dev = *device::open(target);
        for(const extents& stride : {extents{much, 1}, extents{1, much}, extents{3, 3}})
            for(const extents& dilation : {extents{much / 4, 1}, extents{1, much / 4}, extents{1, 1}})
            {
                problem p  = narrow_problem();
                p.stride   = stride;
                p.dilation = dilation;
                for(std::size_t d = 0; d < 2; ++d)
                    p.left_pad[d] = 2 * dilation[d];
                ASSERT_TRUE(operation::validate(p)) << operation::validate(p).reason();
                int choices = 0;
                each_choice<operation>(dev, p, [&](const named_choice&) { ++choices; });
                EXPECT_EQ(choices == 0, instances<operation>(dev).empty());
            }
    }
}

} // namespace
} // namespace ck_tile::conv

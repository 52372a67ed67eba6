// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ops/avgpool_bwd/operation.hpp"
#include "tests/ops/avgpool/fixture.hpp"

namespace ck_tile::avgpool_bwd
{
namespace
{

using namespace avgpool;
using operation = avgpool_bwd::operation;

class Kernel : public pass_test<operation>
{};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems) { expect_right_on_random_problems(); }

// Patches at all borders of an image, more of them than a block has threads, and several blocks per image.
TEST_P(Kernel, LargerThanOneBlock)
{
    for(problem p : known_problems<problem>())
    {
        p.channels          = p.layout == layout::nhwc ? 24 : 5;
        p.input             = {31, 48};
        p.count_include_pad = p.ceil_mode;
        expect_all_instances_right(p, content::nans);
        if(HasFatalFailure())
            return;
    }
}

TEST_P(Kernel, WindowsOfAnyKind) { expect_right_on_awkward_problems(); }

TEST_P(Kernel, NumbersAsLargeAsTheyCanBe) { expect_right_on_extreme_problems(); }

TEST_P(Kernel, SameBitsOnEveryRun)
{
    for(problem p : known_problems<problem>())
    {
        p.type              = type;
        p.count_include_pad = false;
        expect_same_bits<operation>(dev, experiment_with<operation>(p, content::distinct, 3));
    }
}

TEST_P(Kernel, EmptyBatchAndSinglePixels)
{
    for(const layout order : {layout::nhwc, layout::nchw})
        for(const std::int64_t batch : {0, 3})
        {
            problem p  = {{.batch = batch, .channels = 3, .layout = order}};
            p.input    = {1, 1};
            p.left_pad = p.right_pad = {1, 1};
            expect_all_instances_right(p);
        }
}

// Strides beyond the window and the image: elements that no window reaches are zero.
TEST_P(Kernel, ElementsThatNoWindowReaches)
{
    for(const layout order : {layout::nhwc, layout::nchw})
    {
        expect_all_instances_right(
            {{.batch = 2, .channels = 8, .window = {2, 1}, .input = {11, 9}, .stride = {5, 3}, .layout = order}});
        expect_all_instances_right(
            {{.batch = 2, .channels = 8, .window = {2, 2}, .input = {3, 4}, .stride = {50, 1000}, .layout = order}});
    }
}

// A gradient that is no number reaches the elements of its window, and no other.
TEST_P(Kernel, NaNsStayWhereTheyBelong)
{
    for(problem p : known_problems<problem>())
    {
        p.type              = type;
        p.input             = {12, 12};
        p.channels          = 8;
        p.count_include_pad = false;
        const experiment<operation> e(p, 1, [&](harness::tensor_set& set) {
            auto dout    = values_of(content::distinct, set["dout"].shape.elements(), 1);
            dout[5 * 8u] = NAN;
            set["dout"].set_values(dout);
        });
        ck_tile::expect_all_instances_right<operation>(dev, e);
        const auto& values = e.expected()[0].values;
        const auto nans    = std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
        EXPECT_GE(nans, p.window[0] == 5 ? 9 : 4) << describe(p);
        EXPECT_LE(nans, p.window_elements()) << describe(p);
    }
}

// Offsets of images need 64 bits.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    for(const layout order : {layout::nhwc, layout::nchw})
    {
        const problem p = {{.channels = 8, .input = {32, 32}, .type = type, .layout = order}};
        expect_last_image_right<operation>(dev, experiment_with<operation>(p, content::distinct, 6), "din");
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(5);
    for(std::uint32_t i = 0; i < 40; ++i)
    {
        problem p    = random_problem(random);
        p.type       = type;
        const auto e = experiment_with<operation>(p, static_cast<content>(i % 4), i);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p         = {{.batch = 1, .channels = 13, .input = {6, 6}, .type = type}};
    const auto reason = [&](int vector = 1) {
        return reason_of<operation>(
            {.arch = dev.architecture().arch, .dtype = type, .layout = layout::nhwc, .vector = vector}, p);
    };
    EXPECT_EQ(reason(2),
              "C = 13 is not a multiple of the vector width 2: choose an instance with a narrower vector, or "
              "pad the channels");
    p.layout = layout::nchw;
    EXPECT_EQ(reason(), "the instance has layout nhwc, the problem nchw");
    p.layout = layout::nhwc;
    p.input = {30000, 30000}, p.channels = 64;
    EXPECT_TRUE(reason().starts_with("one image spans")) << reason();
    const auto none = make_plan<operation>(dev, p);
    EXPECT_NE(none.reason().find(": one image spans"), std::string::npos) << none.reason();
    p.input = {15000, 15000}, p.channels = 1, p.batch = 100'000;
    EXPECT_TRUE(reason().starts_with("100000 images of")) << reason();

    p            = {{.batch    = 1,
                     .channels = 4,
                     .window   = {2, 2},
                     .input    = {6, 6},
                     .stride   = {2, 2},
                     .type     = type,
                     .layout   = layout::nchw}};
    config known = {.arch   = dev.architecture().arch,
                    .dtype  = type,
                    .layout = layout::nchw,
                    .window = 2,
                    .stride = 2,
                    .cols   = 2,
                    .vector = 4};
    EXPECT_EQ(reason_of<operation>(known, p),
              "Wo = 3 is not a multiple of the vector width 2: choose an instance with vector 1");
    known.vector = 1, p.right_pad = {1, 1}, p.count_include_pad = false, p.input = {7, 7};
    EXPECT_EQ(reason_of<operation>(known, p),
              "the instance divides all windows by the same number, and those of the problem count "
              "different numbers of elements: choose an instance for any window");
    p.window = {3, 2};
    EXPECT_TRUE(
        reason_of<operation>(known, p).starts_with("the instance is for windows of 2x2 with stride 2, left pad 0"))
        << reason_of<operation>(known, p);
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::avgpool_bwd

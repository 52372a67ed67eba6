// SPDX-License-Identifier: MIT
// Every instance of every target against the reference: values and indices are exact.
#include "ops/maxpool_fwd/operation.hpp"
#include "tests/ops/maxpool/fixture.hpp"

namespace ck_tile::maxpool_fwd
{
namespace
{

using namespace maxpool;
using operation = maxpool_fwd::operation;

class Kernel : public pass_test<operation>
{};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems) { expect_right_on_random_problems(); }

TEST_P(Kernel, LargerThanOneBlock)
{
    for(problem p : known_problems<problem>())
    {
        p.input = {31, 48};
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
        p.type = type;
        expect_same_bits<operation>(dev, experiment_with<operation>(p, content::nans, 4));
    }
}

// The output and the indices are each optional: the other is the same without.
TEST_P(Kernel, OneResultAlone)
{
    for(problem p : known_problems<problem>())
    {
        p.type       = type;
        const auto e = experiment_with<operation>(p, content::ties, 5);
        for(const plan<operation>& each : all_plans<operation>(dev, p))
        {
            const result_bytes both = results_of(e.run_plan(dev, each));
            for(const std::size_t missing : {0, 1})
            {
                const auto after = e.run(dev, each.workspace_bytes, [&](tensors t, void* workspace) {
                    (missing == 0 ? t.out : t.indices) = nullptr;
                    return run(dev, each, t, workspace);
                });
                EXPECT_TRUE(results_of(after)[1 - missing] == both[1 - missing]) << describe_plan(each);
            }
        }
    }
}

// Offsets of images need 64 bits.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    for(const layout order : {layout::nhwc, layout::nchw})
    {
        const problem p = {{.channels = 8, .input = {32, 32}, .type = type, .layout = order}};
        expect_last_image_right<operation>(dev, experiment_with<operation>(p, content::distinct, 6), "in");
    }
}

// Two images of 1.2 GB, of which windows reach few pixels. Memory that is never touched costs nothing.
TEST_P(Kernel, TensorsBeyondTwoGigabytes)
{
    const std::int64_t element = ck_tile::bytes_of(type);
    problem p                  = {{.batch    = 2,
                                   .channels = 8,
                                   .window   = {1, 1},
                                   .input    = {1, 1'200'000'000 / 8 / element},
                                   .stride   = {1, 5'000'000}}};
    p.type                     = type;
    const auto expected        = encode(type, std::vector<float>(output_shape(p).elements(), 0.5f));
    const auto in              = dev.allocate_zeroed(static_cast<std::size_t>(input_shape(p).elements() * element));
    ASSERT_TRUE(in) << in.reason();
    const auto pixel = static_cast<std::size_t>(p.channels * element);
    for(std::int64_t n = 0; n < p.batch; ++n)
        for(std::int64_t o = 0; o < p.output(1); ++o)
        {
            const std::int64_t at = (n * p.input[1] + o * p.stride[1]) * p.channels * element;
            ASSERT_TRUE(dev.copy_to_device(static_cast<std::byte*>(in->data()) + at, expected.data(), pixel));
        }
    const auto out    = unwritten(dev, static_cast<std::int64_t>(expected.size()));
    const auto chosen = make_plan<operation>(dev, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    ASSERT_TRUE(run(dev, *chosen, {in->data(), out.data(), nullptr}, nullptr));
    EXPECT_EQ(download(dev, out), expected);
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(6);
    for(std::uint32_t i = 0; i < 30; ++i)
    {
        problem p    = random_problem(random);
        p.type       = type;
        p.indices    = indices::int64; // which the reference kernel writes
        const auto e = experiment_with<operation>(p, static_cast<content>(i % 4), i);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p         = {{.batch = 1, .channels = 12, .input = {6, 6}}};
    p.type            = type;
    const auto reason = [&](indices index, int vector = 1) {
        return reason_of<operation>(
            {.arch = dev.architecture().arch, .dtype = type, .index = index, .layout = layout::nhwc, .vector = vector},
            p);
    };
    EXPECT_EQ(run_reference<operation>(dev, p, {}, nullptr).reason(),
              "the reference kernel writes int64 indices, the problem wants u8: choose int64");
    EXPECT_EQ(reason(indices::int32), "the instance writes int32 indices, the problem wants u8");
    p.layout = layout::nchw;
    EXPECT_EQ(reason(indices::u8), "the instance has layout nhwc, the problem nchw");
    p.layout   = layout::nhwc;
    p.channels = 13;
    p.indices  = indices::int64;
    EXPECT_EQ(reason(indices::int64, 2),
              "C = 13 is not a multiple of the vector width 2: choose an instance with a narrower "
              "vector, or pad the channels");
    p.input = {30000, 30000}, p.channels = 64;
    const std::string too_large = reason(indices::int64);
    EXPECT_TRUE(too_large.starts_with("one image spans")) << too_large;
    EXPECT_TRUE(too_large.ends_with("more than the 2147483647 that a view can: split the channels over several calls"))
        << too_large;
    const auto none = make_plan<operation>(dev, p);
    EXPECT_TRUE(none.reason().starts_with("no instance supports the problem on " + std::string(dev.name())))
        << none.reason();
    // Of all instances' reasons that of one that breaks no other rule.
    EXPECT_NE(none.reason().find(": one image spans"), std::string::npos) << none.reason();
    p.input = {15000, 15000}, p.channels = 1, p.batch = 100'000;
    const std::string too_many = reason(indices::int64);
    EXPECT_TRUE(too_many.starts_with("100000 images of")) << too_many;
    EXPECT_TRUE(too_many.ends_with("more than the 2147483647 blocks of a launch: split the batch over several calls"))
        << too_many;
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::maxpool_fwd

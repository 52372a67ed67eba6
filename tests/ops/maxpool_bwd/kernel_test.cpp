// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "tests/ops/maxpool_bwd/fixture.hpp"

namespace ck_tile::maxpool_bwd
{
namespace
{

using namespace maxpool;

class Kernel : public kernel_test
{
  protected:
    // Runs the problem on each instance that supports it.
    void expect_all_instances_right(problem p, content kind = content::distinct, std::uint32_t seed = 0)
    {
        p.type = type;
        const experiment e(p, kind, seed);
        int supported = 0;
        for(const instance* i : instances(on))
        {
            if(!supports(*i, p))
                continue;
            ++supported;
            const auto chosen = make_plan(on, p, name_of(*i));
            ASSERT_TRUE(chosen) << chosen.reason() << "; " << describe(p);
            e.expect_right(e.run_plan(on, *chosen), name_of(*i));
            if(HasFatalFailure())
                return;
        }
        ASSERT_GT(supported, 0) << "no instance supports " << describe(p);
    }
};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems)
{
    random_numbers random(20);
    for(std::uint32_t i = 0; i < 60 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), static_cast<content>(i % 4), i);
}

// Patches at all borders of an image, more of them than a block has threads, and several blocks per image.
TEST_P(Kernel, LargerThanOneBlock)
{
    for(problem p : known_problems())
    {
        p.channels = p.layout == layout::nhwc ? 24 : 5;
        p.input    = {31, 48};
        expect_all_instances_right(p, content::nans);
    }
}

// Where elements are the maximum of several windows, sums have more than one term; the order of the terms is fixed.
TEST_P(Kernel, SameBitsOnEveryRun)
{
    for(problem p : known_problems())
    {
        p.type = type;
        const experiment e(p, content::ties, 3);
        const auto chosen = make_plan(on, p);
        ASSERT_TRUE(chosen) << chosen.reason();
        EXPECT_EQ(e.run_plan(on, *chosen), e.run_plan(on, *chosen));
    }
}

// What the forward pass wrote, of whatever kind, and what it finds again when it is to recompute, give the same bits. Its
// indices are those of the reference: ties, NaNs and windows of nothing but -inf are settled once.
TEST_P(Kernel, AgreesWithTheForwardPassWhateverTheIndices)
{
    random_numbers random(8);
    for(std::uint32_t i = 0; i < 16; ++i)
    {
        problem p = random_problem(random);
        p.type    = type;
        p.indices = indices::recompute;
        const experiment again(p, static_cast<content>(i % 4), i);
        const auto recomputes = make_plan(on, p);
        ASSERT_TRUE(recomputes) << recomputes.reason();
        const auto expected = again.run_plan(on, *recomputes);
        again.expect_right(expected, "recomputed");
        for(indices kind : {indices::u8, indices::int32, indices::int64})
        {
            p.indices = kind;
            const experiment e(p, static_cast<content>(i % 4), i);
            const auto forward = maxpool_fwd::make_plan(on, p);
            const auto chosen  = make_plan(on, p);
            ASSERT_TRUE(forward && chosen) << forward.reason() << chosen.reason();
            const auto in     = upload(on, encode(type, e.in));
            const auto stored = unwritten(on, output_shape(p).elements() * maxpool::bytes_of(kind));
            ASSERT_TRUE(maxpool_fwd::run(on, p, *forward, {in.data(), nullptr, stored.data()}));
            EXPECT_EQ(download(on, stored), encode_indices(p, e.expected.indices)) << describe(p);
            EXPECT_EQ(e.run_plan(on, *chosen, stored), expected) << describe(p);
        }
    }
}

TEST_P(Kernel, EmptyBatchAndSinglePixels)
{
    for(layout order : {layout::nhwc, layout::nchw})
        for(std::int64_t batch : {0, 3})
        {
            problem p  = {.batch = batch, .channels = 3, .layout = order};
            p.window   = {3, 3};
            p.input    = {1, 1};
            p.left_pad = p.right_pad = {1, 1};
            expect_all_instances_right(p);
        }
}

// Strides beyond the window and the image: elements that no window reaches are zero.
TEST_P(Kernel, ElementsThatNoWindowReaches)
{
    for(layout order : {layout::nhwc, layout::nchw})
    {
        expect_all_instances_right(
            {.batch = 2, .channels = 8, .window = {2, 1}, .input = {11, 9}, .stride = {5, 3}, .layout = order});
        expect_all_instances_right(
            {.batch = 2, .channels = 8, .window = {2, 2}, .input = {3, 4}, .stride = {50, 1000}, .layout = order});
        expect_all_instances_right({.batch    = 1,
                                    .channels = 8,
                                    .window   = {3, 3},
                                    .input    = {8, 8},
                                    .stride   = {2, 2},
                                    .left_pad = {1, 1},
                                    .layout   = order});
    }
}

TEST_P(Kernel, WindowsOfMoreThan256Elements)
{
    problem p = {.batch = 1, .channels = 4, .window = {17, 16}, .input = {20, 21}, .indices = indices::recompute};
    for(indices kind : {indices::int32, indices::int64, indices::recompute})
    {
        p.indices = kind;
        expect_all_instances_right(p, content::ties);
    }
}

// A gradient that is no number reaches the element that was the maximum of its window, and no other.
TEST_P(Kernel, NaNsStayWhereTheyBelong)
{
    for(problem p : known_problems())
    {
        p.type = type;
        experiment e(p, content::distinct, 1);
        e.dout[5]       = NAN;
        e.gradient      = reference_backward(p, e.dout, e.expected.indices);
        const auto plan = make_plan(on, p);
        ASSERT_TRUE(plan) << plan.reason();
        const auto din = decode(type, e.run_plan(on, *plan));
        for(std::size_t i = 0; i < din.size(); ++i)
            EXPECT_EQ(std::isnan(din[i]), std::isnan(e.gradient.gradient[i])) << "element " << i << "; " << describe(p);
    }
}

// Two images of 1.2 GB, of which some windows have a gradient: it reaches its element, and the others of the window are zero.
TEST_P(Kernel, TensorsBeyondTwoGigabytes)
{
    if(on.is_host() && (type != data_type::fp16 || on.architecture().arch != architecture::gfx942))
        GTEST_SKIP() << "the CPU writes all of it, which takes 20 s: once is enough";
    const std::int64_t element = ck_tile::bytes_of(type);
    problem p                  = {
        .batch = 2, .channels = 8, .window = {2, 2}, .input = {2, 1'200'000'000 / 16 / element}, .stride = {2, 2}};
    p.type              = type;
    const auto allocate = [&](std::int64_t bytes) {
        auto memory = on.allocate_zeroed(static_cast<std::size_t>(bytes));
        EXPECT_TRUE(memory) << memory.reason();
        return std::move(*memory);
    };
    const std::int64_t pixel = p.channels * element, step = 1'000'003;
    const auto dout = allocate(output_shape(p).elements() * element), stored = allocate(output_shape(p).elements()),
               din   = allocate(input_shape(p).elements() * element);
    const auto one   = encode(type, std::vector<float>(8, 1.f));
    const auto index = [](std::int64_t o) { return static_cast<std::uint8_t>(o % 4); };
    const auto at    = [](const device_buffer& b, std::int64_t bytes) {
        return static_cast<std::byte*>(b.data()) + bytes;
    };
    const auto chosen = make_plan(on, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    for(std::int64_t n = 0; n < p.batch; ++n)
        for(std::int64_t o = 0; o < p.output(1); o += step)
        {
            const std::int64_t window = n * p.output(1) + o;
            const std::vector<std::uint8_t> indices(8, index(o));
            ASSERT_TRUE(on.copy_to_device(at(dout, window * pixel), one.data(), one.size()));
            ASSERT_TRUE(on.copy_to_device(at(stored, window * p.channels), indices.data(), indices.size()));
        }
    ASSERT_TRUE(run(on, p, *chosen, {dout.data(), stored.data(), nullptr, din.data()}, nullptr));
    ASSERT_TRUE(on.synchronize());
    for(std::int64_t n = 0; n < p.batch; ++n)
        for(std::int64_t o = 0; o < p.output(1); o += step)
            for(std::int64_t i = 0; i < 4; ++i)
            {
                const std::int64_t from = (n * 2 + i / 2) * p.input[1] + 2 * o + i % 2;
                std::vector<std::byte> bytes(one.size());
                ASSERT_TRUE(on.copy_to_host(bytes.data(), at(din, from * pixel), bytes.size()));
                EXPECT_EQ(decode(type, bytes), std::vector<float>(8, i == index(o) ? 1.f : 0.f)) << n << " " << o;
            }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(5);
    for(std::uint32_t i = 0; i < 40; ++i)
    {
        problem p = random_problem(random);
        p.type    = type;
        if(p.indices == indices::recompute)
            continue;
        const experiment e(p, static_cast<content>(i % 4), i);
        const auto dout = upload(on, encode(type, e.dout)), stored = upload(on, encode_indices(p, e.expected.indices));
        const auto din = unwritten(on, input_shape(p).elements() * ck_tile::bytes_of(type));
        ASSERT_TRUE(run_reference(on, p, {dout.data(), stored.data(), nullptr, din.data()}));
        e.expect_right(download(on, din), "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p         = {.batch = 1, .channels = 12, .input = {6, 6}};
    p.type            = type;
    const auto reason = [&](const problem& of, const std::string& part) {
        for(const instance* i : instances(on))
            if(const status s = supports(*i, of); !s && s.reason().starts_with(part))
                return s.reason();
        return std::string("no instance says so");
    };
    p.indices = indices::recompute;
    EXPECT_EQ(run_reference(on, p, {}).reason(),
              "the reference kernel reads indices, recompute has none: choose u8, int32 or int64");
    p.indices          = indices::u8;
    const auto unknown = make_plan(on, p, "no_such_instance");
    EXPECT_TRUE(unknown.reason().starts_with("instance 'no_such_instance' is not one of")) << unknown.reason();
    EXPECT_EQ(reason(p, "the instance reads"), "the instance reads int32 indices, the problem has u8");
    if(type == data_type::fp16)
        EXPECT_EQ(reason(p, "C = 12"), "C = 12 is not a multiple of the vector width 8: choose an instance with a "
                                       "narrower vector, or pad the channels");
    p.channels = 16;
    EXPECT_EQ(
        reason(p, "the instance is for"),
        "the instance is for windows of 3x3 with stride 2, left pad 1 and no dilation, in H the problem has 3, 1, 0 "
        "and dilation 1");
    p.layout = layout::nchw;
    EXPECT_EQ(reason(p, "the instance has layout"), "the instance has layout nhwc, the problem nchw");
    p.window = {2, 2}, p.stride = {2, 2}, p.input = {8, 10};
    EXPECT_EQ(reason(p, "Wo = 5"), "Wo = 5 is not a multiple of the vector width " +
                                       std::string(type == data_type::fp32 ? "2" : "4") +
                                       ": choose an instance for any window");
    p.input = {8, 9};
    EXPECT_EQ(reason(p, "Wi = 9"), "Wi = 9 is not a multiple of the vector width " +
                                       std::string(type == data_type::fp32 ? "4" : "8") +
                                       ": choose an instance for any window");
    p.type                       = type == data_type::fp32 ? data_type::fp16 : data_type::fp32;
    const std::string other_type = std::string("the instance computes ") + name_of(type);
    EXPECT_EQ(reason(p, other_type), other_type + ", the problem is " + name_of(p.type));
    p.type  = type;
    p.input = {30000, 30000}, p.channels = 64;
    const auto none = make_plan(on, p);
    EXPECT_TRUE(none.reason().starts_with("no instance supports the problem on " + std::string(on.name())))
        << none.reason();
    EXPECT_TRUE(reason(p, "one image spans")
                    .ends_with("more than the 2147483647 that a view can: split the channels over "
                               "several calls"));
    p.input = {20000, 20000}, p.channels = 1, p.batch = 100000, p.stride = {1, 1};
    EXPECT_TRUE(reason(p, "100000 images of")
                    .ends_with("more than the 2147483647 blocks of a launch: split the batch over "
                               "several calls"));
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, every_type_on(kernel_targets()), name_of_parameter);

} // namespace
} // namespace ck_tile::maxpool_bwd

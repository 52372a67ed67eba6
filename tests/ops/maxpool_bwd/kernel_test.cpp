// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "ops/maxpool/reference.hpp"
#include "ops/maxpool_bwd/operation.hpp"
#include "tests/ops/maxpool/fixture.hpp"

namespace ck_tile::maxpool_bwd
{
namespace
{

using namespace maxpool;
using operation = maxpool_bwd::operation;
using tensors   = maxpool_bwd::tensors;

class Kernel : public pass_test<operation>
{};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems) { expect_right_on_random_problems(); }

// Patches at all borders of an image, more of them than a block has threads, and several blocks per image.
TEST_P(Kernel, LargerThanOneBlock)
{
    for(problem p : known_problems<problem>())
    {
        p.channels = p.layout == layout::nhwc ? 24 : 5;
        p.input    = {31, 48};
        expect_all_instances_right(p, content::nans);
    }
}

TEST_P(Kernel, WindowsOfAnyKind) { expect_right_on_awkward_problems(); }

TEST_P(Kernel, NumbersAsLargeAsTheyCanBe) { expect_right_on_extreme_problems(); }

// Where elements are the maximum of several windows, sums have more than one term; the order of the terms is fixed.
TEST_P(Kernel, SameBitsOnEveryRun)
{
    for(problem p : known_problems<problem>())
    {
        p.type = type;
        expect_same_bits<operation>(dev, experiment_with<operation>(p, content::ties, 3));
    }
}

// What the forward pass wrote, of whatever kind, and what it finds again when it is to recompute, give the same bits. Its
// indices are those of the reference: ties, NaNs and windows of nothing but -inf are settled once.
TEST_P(Kernel, AgreesWithTheForwardPassWhateverTheIndices)
{
    random_numbers random(8);
    for(std::uint32_t i = 0; i < 16; ++i)
    {
        problem p             = random_problem(random);
        p.type                = type;
        p.indices             = indices::recompute;
        const auto kind       = static_cast<content>(i % 4);
        const auto again      = experiment_with<operation>(p, kind, i);
        const auto recomputes = make_plan<operation>(dev, p);
        ASSERT_TRUE(recomputes) << recomputes.reason();
        const auto expected = again.run_plan(dev, *recomputes);
        again.expect_right(expected, "recomputed");
        for(indices stored : {indices::u8, indices::int32, indices::int64})
        {
            p.indices          = stored;
            const auto forward = experiment_with<maxpool_fwd::operation>(p, kind, i);
            const auto maxima  = make_plan<maxpool_fwd::operation>(dev, p);
            const auto chosen  = make_plan<operation>(dev, p);
            ASSERT_TRUE(maxima && chosen) << maxima.reason() << chosen.reason();
            auto e             = experiment_with<operation>(p, kind, i);
            const auto written = forward.run_plan(dev, *maxima)["indices"].elements;
            EXPECT_EQ(written, e.set["indices"].elements) << describe(p);
            e.set["indices"].elements = written;
            EXPECT_TRUE(results_of(e.run_plan(dev, *chosen)) == results_of(expected)) << describe(p);
        }
    }
}

TEST_P(Kernel, EmptyBatchAndSinglePixels)
{
    for(layout order : {layout::nhwc, layout::nchw})
        for(std::int64_t batch : {0, 3})
        {
            problem p  = {{.batch = batch, .channels = 3, .layout = order}};
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
            {{.batch = 2, .channels = 8, .window = {2, 1}, .input = {11, 9}, .stride = {5, 3}, .layout = order}});
        expect_all_instances_right(
            {{.batch = 2, .channels = 8, .window = {2, 2}, .input = {3, 4}, .stride = {50, 1000}, .layout = order}});
        expect_all_instances_right({{.batch    = 1,
                                     .channels = 8,
                                     .window   = {3, 3},
                                     .input    = {8, 8},
                                     .stride   = {2, 2},
                                     .left_pad = {1, 1},
                                     .layout   = order}});
    }
}

TEST_P(Kernel, WindowsOfMoreThan256Elements)
{
    problem p = {{.batch = 1, .channels = 4, .window = {17, 16}, .input = {20, 21}}};
    for(indices kind : {indices::int32, indices::int64, indices::recompute})
    {
        p.indices = kind;
        expect_all_instances_right(p, content::ties);
    }
}

// A gradient that is no number reaches the element that was the maximum of its window, and no other.
TEST_P(Kernel, NaNsStayWhereTheyBelong)
{
    for(problem p : known_problems<problem>())
    {
        p.type                  = type;
        auto e                  = experiment_with<operation>(p, content::distinct, 1);
        std::vector<float> dout = e.set["dout"].values();
        dout[5]                 = NAN;
        e.set["dout"].set_values(dout);
        ck_tile::expect_all_instances_right<operation>(dev, e);
        EXPECT_EQ(std::count_if(e.expected()[0].values.begin(), e.expected()[0].values.end(),
                                [](double v) { return std::isnan(v); }),
                  1);
    }
}

// Offsets of images need 64 bits.
TEST_P(Kernel, TensorsBeyondTwoBillionElements)
{
    for(const layout order : {layout::nhwc, layout::nchw})
        for(const indices kind : {indices::u8, indices::int32})
        {
            const problem p = {{.channels = 8, .input = {32, 32}, .type = type, .layout = order}, kind};
            expect_last_image_right<operation>(dev, experiment_with<operation>(p, content::distinct, 6), "din");
        }
}

// Two images of 1.2 GB, of which some windows have a gradient: it reaches its element, and the others of the window are zero.
TEST_P(Kernel, TensorsBeyondTwoGigabytes)
{
    const std::int64_t element = ck_tile::bytes_of(type);
    problem p                  = {
        {.batch = 2, .channels = 8, .window = {2, 2}, .input = {2, 1'200'000'000 / 16 / element}, .stride = {2, 2}}};
    p.type            = type;
    const auto chosen = make_plan<operation>(dev, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    if(dev.is_host())
        GTEST_SKIP() << "the CPU would write all of it, for half a minute";
    const auto allocate = [&](std::int64_t bytes) {
        auto memory = dev.allocate_zeroed(static_cast<std::size_t>(bytes));
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
    for(std::int64_t n = 0; n < p.batch; ++n)
        for(std::int64_t o = 0; o < p.output(1); o += step)
        {
            const std::int64_t window = n * p.output(1) + o;
            const std::vector<std::uint8_t> indices(8, index(o));
            ASSERT_TRUE(dev.copy_to_device(at(dout, window * pixel), one.data(), one.size()));
            ASSERT_TRUE(dev.copy_to_device(at(stored, window * p.channels), indices.data(), indices.size()));
        }
    ASSERT_TRUE(run(dev, *chosen, {dout.data(), stored.data(), nullptr, din.data()}, nullptr));
    ASSERT_TRUE(dev.synchronize());
    for(std::int64_t n = 0; n < p.batch; ++n)
        for(std::int64_t o = 0; o < p.output(1); o += step)
            for(std::int64_t i = 0; i < 4; ++i)
            {
                const std::int64_t from = (n * 2 + i / 2) * p.input[1] + 2 * o + i % 2;
                std::vector<std::byte> bytes(one.size());
                ASSERT_TRUE(dev.copy_to_host(bytes.data(), at(din, from * pixel), bytes.size()));
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
        const auto e = experiment_with<operation>(p, static_cast<content>(i % 4), i);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

TEST_P(Kernel, RejectionsSayWhy)
{
    problem p         = {{.batch = 1, .channels = 12, .input = {6, 6}}};
    p.type            = type;
    const int line    = 16 / bytes_of(type);
    const auto reason = [&](const config& c) { return reason_of<operation>(c, p); };
    const config any  = {.arch = dev.architecture().arch, .dtype = type, .index = indices::u8, .layout = layout::nchw};
    config nhwc = any, of_int32 = any, threes = any, twos = any;
    nhwc.layout = of_int32.layout = threes.layout = layout::nhwc;
    nhwc.vector                                   = line;
    of_int32.index                                = indices::int32;
    threes.window = 3, threes.stride = 2, threes.left_pad = 1;
    twos.window = 2, twos.stride = 2, twos.cols = line / 2, twos.vector = line; // a row of dX in one write
    p.indices = indices::recompute;
    EXPECT_EQ(run_reference<operation>(dev, p, {}, nullptr).reason(),
              "the reference kernel reads indices, recompute has none: choose u8, int32 or int64");
    p.indices = indices::u8;
    EXPECT_EQ(reason(of_int32), "the instance reads int32 indices, the problem has u8");
    p.channels = 13;
    EXPECT_EQ(reason(nhwc),
              fmt::format("C = 13 is not a multiple of the vector width {}: choose an instance with a narrower "
                          "vector, or pad the channels",
                          line));
    p.channels = 16;
    EXPECT_EQ(
        reason(threes),
        "the instance is for windows of 3x3 with stride 2, left pad 1 and no dilation, in H the problem has 3, 1, 0 "
        "and dilation 1");
    p.layout = layout::nchw;
    EXPECT_EQ(reason(nhwc), "the instance has layout nhwc, the problem nchw");
    p.window = {2, 2}, p.stride = {2, 2}, p.input = {8, 10};
    EXPECT_EQ(
        reason(twos),
        fmt::format("Wo = 5 is not a multiple of the vector width {}: choose an instance with vector 1", line / 2));
    p.input = {8, 9};
    EXPECT_EQ(reason(twos),
              fmt::format("Wi = 9 is not a multiple of the vector width {}: choose an instance with vector 1", line));
    p.input = {30000, 30000}, p.channels = 64;
    const auto none = make_plan<operation>(dev, p);
    EXPECT_TRUE(none.reason().starts_with("no instance supports the problem on " + std::string(dev.name())))
        << none.reason();
    // Of all instances' reasons that of one that breaks no other rule.
    EXPECT_NE(none.reason().find(": one image spans"), std::string::npos) << none.reason();
    EXPECT_TRUE(reason(any).starts_with("one image spans")) << reason(any);
    EXPECT_TRUE(
        reason(any).ends_with("more than the 2147483647 that a view can: split the channels over several calls"))
        << reason(any);
    p.input = {20000, 20000}, p.channels = 1, p.batch = 100000, p.stride = {1, 1};
    EXPECT_TRUE(reason(any).starts_with("100000 images of")) << reason(any);
    EXPECT_TRUE(
        reason(any).ends_with("more than the 2147483647 blocks of a launch: split the batch over several calls"))
        << reason(any);
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::maxpool_bwd

// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems.
#include "tests/ops/grouped_conv_bwd_weight/fixture.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

class Kernel : public kernel_test
{
  protected:
    // Runs the problem on each instance that supports it, with one split and with several.
    void expect_all_instances_right(conv::problem p, std::uint32_t seed = 0)
    {
        p.type = type;
        const experiment e(p, seed);
        const reference_gradient expected = reference(p, e.in, e.out);
        int supported                     = 0;
        for(const instance* i : instances(on))
        {
            if(!supports(*i, p))
                continue;
            ++supported;
            for(int split_k : {0, 1, 3})
            {
                if(split_k > std::max<std::int64_t>(p.batch * p.output_pixels(), 1))
                    continue;
                const auto chosen = make_plan(on, p, split_k, name_of(*i));
                ASSERT_TRUE(chosen) << chosen.reason() << "; " << conv::describe(p);
                e.expect_matches(expected, e.run_plan(on, *chosen),
                                 name_of(*i) + " split-k " + std::to_string(split_k));
                if(HasFatalFailure())
                    return;
            }
        }
        ASSERT_GT(supported, 0) << "no instance supports " << conv::describe(p);
    }
};

conv::problem random_problem(random_numbers& random)
{
    conv::problem p;
    p.spatial = random.between(1, 3);
    p.groups  = random.between(1, 3);
    p.batch   = random.between(0, 9) == 0 ? 0 : random.between(1, 3);
    p.k       = random.between(0, 1) ? random.between(1, 12) : 8 * random.between(1, 6);
    p.c       = random.between(0, 1) ? random.between(1, 12) : 8 * random.between(1, 6);
    p.layout  = static_cast<conv::layout>(random.between(0, 2));
    for(std::size_t d = 0; d < 3; ++d)
    {
        p.filter[d]    = random.between(1, p.spatial == 3 ? 3 : 5);
        p.stride[d]    = random.between(1, 4);
        p.dilation[d]  = random.between(1, 3);
        p.left_pad[d]  = random.between(0, 3);
        p.right_pad[d] = random.between(0, 3);
        p.input[d]     = random.between(1, p.spatial == 1 ? 60 : p.spatial == 2 ? 14 : 8);
        while(p.input[d] + p.left_pad[d] + p.right_pad[d] < p.window(static_cast<int>(d)))
            ++p.input[d];
    }
    return p;
}

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems)
{
    random_numbers random(20);
    for(std::uint32_t i = 0; i < 24 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), i);
}

TEST_P(Kernel, EmptyBatchGivesZeros)
{
    conv::problem p = {.spatial = 2, .groups = 2, .batch = 0, .k = 16, .c = 8, .input = {5, 5}};
    expect_all_instances_right(p);
}

TEST_P(Kernel, OneByOneImages)
{
    for(conv::layout order : {conv::layout::nhwgc, conv::layout::gnhwc, conv::layout::ngchw})
        expect_all_instances_right({.spatial = 2,
                                    .groups  = 2,
                                    .batch   = 5,
                                    .k       = 8,
                                    .c       = 16,
                                    .filter  = {3, 3},
                                    .input   = {1, 1},
                                    .layout  = order});
}

// More rows, columns and steps of the main loop than any instance takes at once.
TEST_P(Kernel, LargerThanOneTile)
{
    for(conv::layout order : {conv::layout::nhwgc, conv::layout::ngchw})
    {
        expect_all_instances_right({.spatial = 2,
                                    .groups  = 1,
                                    .batch   = 7,
                                    .k       = 264,
                                    .c       = 40,
                                    .filter  = {3, 3},
                                    .input   = {9, 11},
                                    .layout  = order});
        expect_all_instances_right(
            {.spatial = 3, .groups = 2, .batch = 1, .k = 136, .c = 24, .input = {4, 5, 6}, .layout = order});
    }
}

TEST_P(Kernel, Depthwise)
{
    for(conv::layout order : {conv::layout::nhwgc, conv::layout::ngchw})
        expect_all_instances_right({.spatial = 2,
                                    .groups  = 19,
                                    .batch   = 2,
                                    .k       = 1,
                                    .c       = 1,
                                    .filter  = {3, 3},
                                    .input   = {8, 7},
                                    .stride  = {2, 2},
                                    .layout  = order});
}

TEST_P(Kernel, PaddingUnevenEvenFilterDilatedStrided)
{
    for(conv::layout order : {conv::layout::nhwgc, conv::layout::gnhwc, conv::layout::ngchw})
        expect_all_instances_right({.spatial   = 2,
                                    .groups    = 2,
                                    .batch     = 2,
                                    .k         = 24,
                                    .c         = 8,
                                    .filter    = {4, 2},
                                    .input     = {13, 9},
                                    .stride    = {3, 2},
                                    .dilation  = {2, 3},
                                    .left_pad  = {3, 0},
                                    .right_pad = {0, 2},
                                    .layout    = order});
}

TEST_P(Kernel, SameBitsOnEveryRun)
{
    conv::problem p = {.spatial = 2, .groups = 2, .batch = 3, .k = 40, .c = 16, .filter = {3, 3}, .input = {12, 12}};
    p.type          = type;
    const experiment e(p);
    for(int split_k : {1, 7})
    {
        const auto chosen = make_plan(on, p, split_k);
        ASSERT_TRUE(chosen) << chosen.reason();
        EXPECT_EQ(e.run_plan(on, *chosen), e.run_plan(on, *chosen));
    }
}

TEST_P(Kernel, NaNsStayWhereTheyBelong)
{
    conv::problem p = {.spatial = 2, .groups = 1, .batch = 1, .k = 8, .c = 8, .filter = {3, 3}, .input = {6, 6}};
    p.type          = type;
    experiment e(p);
    e.in[0]           = NAN; // pixel (0, 0), channel 0: under the taps whose window reaches the corner
    const auto chosen = make_plan(on, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    const auto wei      = e.run_plan(on, *chosen);
    const auto expected = reference(p, e.in, e.out);
    for(std::size_t i = 0; i < wei.size(); ++i)
        EXPECT_EQ(std::isnan(wei[i]), std::isnan(expected.gradient[i])) << "weight " << i;
}

// Three images of 960 MB (fp16, bf16) or 1.9 GB (fp32), of which the windows reach three pixels each. Memory that is never
// touched costs nothing.
TEST_P(Kernel, TensorsBeyondTwoGigabytes)
{
    conv::problem p            = {.spatial   = 1,
                                  .groups    = 1,
                                  .batch     = 3,
                                  .k         = 8,
                                  .c         = 8,
                                  .filter    = {1},
                                  .input     = {60'000'000},
                                  .stride    = {25'000'000},
                                  .left_pad  = {0},
                                  .right_pad = {0}};
    p.type                     = type;
    const std::int64_t pixels  = p.output(0);
    const std::size_t element  = static_cast<std::size_t>(bytes_of(type));
    const std::size_t in_bytes = static_cast<std::size_t>(conv::input_shape(p).elements()) * element;
    ASSERT_EQ(pixels, 3);
    ASSERT_GT(in_bytes, std::size_t(1) << 31);

    const auto in = on.allocate_zeroed(in_bytes);
    ASSERT_TRUE(in) << in.reason();
    const auto values     = random_values(p.batch * pixels * p.c, type, 1);
    const auto out_values = random_values(p.batch * pixels * p.k, type, 2);
    for(std::int64_t i = 0; i < p.batch * pixels; ++i)
    {
        const auto pixel = encode(type, std::vector<float>(values.begin() + i * p.c, values.begin() + (i + 1) * p.c));
        const std::int64_t at = (i / pixels * p.input[0] + i % pixels * p.stride[0]) * p.c;
        ASSERT_TRUE(on.copy_to_device(static_cast<std::byte*>(in->data()) + static_cast<std::size_t>(at) * element,
                                      pixel.data(), pixel.size()));
    }
    const auto out_bytes = encode(type, out_values);
    const auto out       = on.allocate(out_bytes.size());
    const auto wei       = on.allocate(static_cast<std::size_t>(p.k * p.c) * element);
    ASSERT_TRUE(on.copy_to_device(out->data(), out_bytes.data(), out_bytes.size()));

    const auto chosen = make_plan(on, p);
    ASSERT_TRUE(chosen) << chosen.reason();
    EXPECT_EQ(chosen->splits, 3);
    const auto workspace = on.allocate(chosen->workspace_bytes);
    ASSERT_TRUE(run(on, p, *chosen, {in->data(), out->data(), wei->data()}, workspace->data()));
    std::vector<std::byte> bytes(wei->bytes());
    ASSERT_TRUE(on.copy_to_host(bytes.data(), wei->data(), bytes.size()));
    const auto actual = decode(type, bytes);
    for(std::int64_t k = 0; k < p.k; ++k)
        for(std::int64_t c = 0; c < p.c; ++c)
        {
            double sum = 0, magnitude = 0;
            for(std::int64_t i = 0; i < p.batch * pixels; ++i)
            {
                const double term =
                    double(values[std::size_t(i * p.c + c)]) * double(out_values[std::size_t(i * p.k + k)]);
                sum += term;
                magnitude += std::abs(term);
            }
            EXPECT_LE(std::abs(actual[std::size_t(k * p.c + c)] - sum), error_bound(p, sum, magnitude))
                << k << ", " << c;
        }

    const auto too_few = make_plan(on, p, 1);
    ASSERT_FALSE(too_few);
    EXPECT_NE(too_few.reason().find("choose at least 3, or auto"), std::string::npos) << too_few.reason();
}

TEST_P(Kernel, RejectionsSayWhy)
{
    conv::problem p   = {.spatial = 2, .groups = 1, .batch = 1, .k = 12, .c = 16, .filter = {3, 3}, .input = {6, 6}};
    p.type            = type;
    const auto reason = [&](int split_k, std::string_view name) {
        const auto chosen = make_plan(on, p, split_k, name);
        return chosen ? std::string("accepted") : chosen.reason();
    };
    EXPECT_NE(reason(0, "no_such_instance").find("instance 'no_such_instance' is not one of"), std::string::npos);
    EXPECT_EQ(reason(37, ""), "split-k 37 is more than the 36 pixels that there are to split: choose fewer");
    std::string vectors, layout;
    for(const instance* i : instances(on))
    {
        if(const status s = supports(*i, p); !s && s.reason().starts_with("K per group"))
            vectors = s.reason();
        conv::problem other = p;
        other.layout        = conv::layout::ngchw;
        if(const status s = supports(*i, other); !s && s.reason().starts_with("layout"))
            layout = s.reason();
    }
    if(type != data_type::fp32) // whose vectors are of 4
        EXPECT_EQ(
            vectors,
            "K per group = 12 is not a multiple of the vector width 8: choose an instance with a narrower vector, "
            "or pad");
    EXPECT_EQ(layout, "layout ngchw has its pixels innermost, the instance wants the channels there");
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(5);
    for(std::uint32_t i = 0; i < 12; ++i)
    {
        conv::problem p = random_problem(random);
        p.type          = type;
        const experiment e(p, i);
        const auto wei = e.run(on, [&](const device& d, const tensors& t) { return run_reference(d, p, t); });
        e.expect_matches(reference(p, e.in, e.out), wei, "reference kernel");
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, every_target_and_type(), name_of_parameter);

} // namespace
} // namespace ck_tile::grouped_conv_bwd_weight

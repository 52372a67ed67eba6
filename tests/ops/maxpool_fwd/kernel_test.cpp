// SPDX-License-Identifier: MIT
// Every instance of every target against the reference: values and indices are exact.
#include "ops/maxpool_fwd/maxpool_fwd.hpp"

#include "tests/ops/maxpool/fixture.hpp"

namespace ck_tile::maxpool_fwd
{
namespace
{

using namespace maxpool;

class Kernel : public kernel_test
{
  protected:
    static void expect_values(const std::vector<float>& expected, const std::vector<float>& actual,
                              const std::string& what)
    {
        ASSERT_EQ(expected.size(), actual.size());
        for(std::size_t i = 0; i < actual.size(); ++i)
            ASSERT_TRUE(actual[i] == expected[i] || (std::isnan(actual[i]) && std::isnan(expected[i])))
                << what << ": element " << i << " is " << actual[i] << ", not " << expected[i];
    }

    void expect_all_instances_right(problem p, content kind, std::uint32_t seed = 0)
    {
        p.type             = type;
        const auto in      = input_values(p, kind, seed);
        const maxima right = reference_maxima(p, in);
        const auto memory  = upload(on, encode(type, in));
        int supported      = 0;
        for(const instance* i : instances(on))
        {
            if(!supports(*i, p))
                continue;
            ++supported;
            const auto chosen = make_plan(on, p, name_of(*i));
            ASSERT_TRUE(chosen) << chosen.reason();
            const auto out = unwritten(on, output_shape(p).elements() * ck_tile::bytes_of(type));
            const auto at  = unwritten(on, output_shape(p).elements() * maxpool::bytes_of(p.indices));
            const status s = run(on, p, *chosen, {memory.data(), out.data(), at.data()});
            ASSERT_TRUE(s) << s.reason();
            const std::string what = name_of(*i) + "; " + describe(p);
            expect_values(right.values, decode(type, download(on, out)), what);
            if(p.indices != indices::recompute)
                ASSERT_EQ(decode_indices(p, download(on, at)), right.indices) << what;
        }
        ASSERT_GT(supported, 0) << "no instance supports " << describe(p);
    }
};

TEST_P(Kernel, AgreesWithTheReferenceOnRandomProblems)
{
    random_numbers random(31);
    for(std::uint32_t i = 0; i < 60 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), static_cast<content>(i % 4), i);
}

TEST_P(Kernel, LargerThanOneBlock)
{
    for(problem p : known_problems())
    {
        p.input = {31, 48};
        expect_all_instances_right(p, content::nans);
        if(HasFatalFailure())
            return;
    }
}

TEST_P(Kernel, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(6);
    for(std::uint32_t i = 0; i < 30; ++i)
    {
        problem p          = random_problem(random);
        p.type             = type;
        const auto in      = input_values(p, static_cast<content>(i % 4), i);
        const maxima right = reference_maxima(p, in);
        const auto memory  = upload(on, encode(type, in));
        const auto out     = unwritten(on, output_shape(p).elements() * ck_tile::bytes_of(type));
        const auto at      = unwritten(on, output_shape(p).elements() * 8);
        ASSERT_TRUE(run_reference(on, p, {memory.data(), out.data(), at.data()}));
        expect_values(right.values, decode(type, download(on, out)), describe(p));
        p.indices = indices::int64;
        ASSERT_EQ(decode_indices(p, download(on, at)), right.indices) << describe(p);
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
    const auto unknown = make_plan(on, p, "no_such_instance");
    EXPECT_TRUE(unknown.reason().starts_with("instance 'no_such_instance' is not one of")) << unknown.reason();
    EXPECT_EQ(reason(p, "the instance writes"), "the instance writes int32 indices, the problem wants u8");
    p.layout = layout::nchw;
    EXPECT_EQ(reason(p, "the instance has layout"), "the instance has layout nhwc, the problem nchw");
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernel, every_type_on(kernel_targets()), name_of_parameter);

} // namespace
} // namespace ck_tile::maxpool_fwd

// SPDX-License-Identifier: MIT
// Every instance of every target against the reference: values and indices are exact.
#include "tests/ops/maxpool_fwd/fixture.hpp"
#include "tests/support/kernel_targets.hpp"

#include <tuple>

namespace ck_tile::maxpool_fwd
{
namespace
{

using namespace maxpool;
using parameters = std::tuple<std::string, data_type>;

class Kernel : public testing::TestWithParam<parameters>
{
  protected:
    device on = [] {
        auto d = device::open(std::get<0>(GetParam()));
        EXPECT_TRUE(d) << d.reason();
        return std::move(*d);
    }();
    data_type type = std::get<1>(GetParam());

    void expect_all_instances_right(problem p, content kind, std::uint32_t seed = 0)
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
            ASSERT_TRUE(chosen) << chosen.reason();
            e.expect_right(e.run_plan(on, *chosen), name_of(*i));
            if(HasFatalFailure())
                return;
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
        problem p = random_problem(random);
        p.type    = type;
        p.indices = indices::int64; // which the reference kernel writes
        const experiment e(p, static_cast<content>(i % 4), i);
        e.expect_right(e.run(on, [&](const tensors& t) { return run_reference(on, p, t); }), "reference kernel");
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

INSTANTIATE_TEST_SUITE_P(Targets, Kernel,
                         testing::Combine(testing::ValuesIn(kernel_targets()),
                                          testing::Values(data_type::fp16, data_type::bf16, data_type::fp32)),
                         [](const auto& info) {
                             return test_name_of(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param));
                         });

} // namespace
} // namespace ck_tile::maxpool_fwd

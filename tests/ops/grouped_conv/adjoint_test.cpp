// SPDX-License-Identifier: MIT
// The three directions of a convolution are one trilinear form: <conv(x, w), dy> = <x, bwd_data(dy, w)> = <w, bwd_weight(x, dy)>. On
// small whole numbers all sums are exact, and so are the three.
#include "ops/grouped_conv_bwd_data/operation.hpp"
#include "ops/grouped_conv_bwd_weight/operation.hpp"
#include "ops/grouped_conv_fwd/operation.hpp"
#include "tests/support/convolutions.hpp"
#include "tests/support/operation_test.hpp"

namespace ck_tile::conv
{
namespace
{

// In fp32, whose 24 bits hold every sum of these.
std::vector<float> small_numbers(std::int64_t count, random_numbers& random)
{
    std::vector<float> values(static_cast<std::size_t>(count));
    for(float& v : values)
        v = static_cast<float>(random.between(-3, 3));
    return values;
}

double inner_product(const std::vector<float>& a, const std::vector<float>& b)
{
    double sum = 0;
    for(std::size_t i = 0; i < a.size(); ++i)
        sum += double(a[i]) * double(b[i]);
    return sum;
}

// The result of the plan of least cost.
template <class Op>
std::vector<float> compute(const device& dev, const typename Op::problem& p, const char* result,
                           const std::map<std::string, std::vector<float>>& inputs)
{
    experiment<Op> e(p);
    for(const auto& [name, values] : inputs)
        e.set[name].set_values(values);
    const auto planned = make_plan<Op>(dev, p);
    EXPECT_TRUE(planned) << planned.reason();
    return planned ? e.run_plan(dev, *planned)[result].values() : std::vector<float>();
}

class Directions : public testing::TestWithParam<std::string>
{};

TEST_P(Directions, AreAdjoint)
{
    const auto dev = device::open(GetParam());
    ASSERT_TRUE(dev) << dev.reason();
    if(!make_plan<grouped_conv_fwd::operation>(*dev, problem{.type = data_type::fp32}))
        GTEST_SKIP() << "fp32 is not built";
    random_numbers random(70);
    std::vector<problem> problems;
    for(const auto& [name, p] : awkward_problems())
        problems.push_back(p);
    for(int i = 0; i < 12; ++i)
        problems.push_back(random_problem(random));
    for(problem p : problems)
    {
        p.type            = data_type::fp32;
        const auto x      = small_numbers(input_shape(p).elements(), random),
                   w      = small_numbers(weight_shape(p).elements(), random),
                   dy     = small_numbers(output_shape(p).elements(), random);
        const auto y      = compute<grouped_conv_fwd::operation>(*dev, p, "out", {{"in", x}, {"wei", w}});
        const auto dx     = compute<grouped_conv_bwd_data::operation>(*dev, p, "in", {{"out", dy}, {"wei", w}});
        const auto dw     = compute<grouped_conv_bwd_weight::operation>(*dev, p, "wei", {{"in", x}, {"out", dy}});
        const double form = inner_product(y, dy);
        ASSERT_EQ(inner_product(x, dx), form) << describe(p);
        ASSERT_EQ(inner_product(w, dw), form) << describe(p);
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Directions, testing::ValuesIn(kernel_targets()), name_of_target);

} // namespace
} // namespace ck_tile::conv

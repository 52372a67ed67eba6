// SPDX-License-Identifier: MIT
// Seeded random group normalisations, for forward and backward.
#pragma once

#include "ops/groupnorm/config.hpp"
#include "ops/groupnorm/problem.hpp"
#include "tests/support/operation_test.hpp"

#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile::groupnorm
{

inline constexpr layout both_layouts[] = {layout::nhwgc, layout::ngchw};

// Sizes of every kind: odd ones, multiples of 8, empty batches, one to three dimensions.
inline problem random_problem(random_numbers& random)
{
    problem p;
    p.spatial         = random.between(1, 3);
    p.batch           = random.between(0, 9) == 0 ? 0 : random.between(1, 3);
    p.groups          = random.between(1, 5);
    p.c               = random.between(0, 1) ? random.between(1, 13) : 8 * random.between(1, 5);
    p.layout          = random.between(0, 1) ? layout::nhwgc : layout::ngchw;
    const int longest = p.spatial == 1 ? 600 : p.spatial == 2 ? 24 : 9;
    for(std::size_t d = 0; d < 3; ++d)
        p.image[d] = random.between(0, 1) ? random.between(1, longest) : 8 * random.between(1, p.spatial == 1 ? 60 : 2);
    return p;
}

// One of the instance's type and layout, and mostly such that its vectors fit.
inline problem problem_for(const config& c, random_numbers& random)
{
    problem p            = random_problem(random);
    const bool channels  = c.dense == innermost::channels;
    std::int64_t& vector = channels ? p.c : p.image[static_cast<std::size_t>(p.spatial) - 1];
    p.batch              = random.between(1, 3);
    p.type               = c.dtype;
    p.layout             = channels ? layout::nhwgc : layout::ngchw;
    vector               = c.vector * random.between(1, 40 / c.vector);
    return p;
}

// What is special about the inputs of an experiment.
struct inputs
{
    std::uint32_t seed              = 0;
    float mean                      = 0;  // of x, in units of about its standard deviation
    std::vector<const char*> absent = {}; // parameters that are not given
};

// x has a standard deviation of about 1; neither gamma nor dy are 0 on average.
template <class Op>
experiment<Op> experiment_with(const typename Op::problem& p, const inputs& special = {})
{
    return experiment<Op>(p, special.seed, [&](harness::tensor_set& set) {
        const struct
        {
            std::string_view name;
            float middle, reach;
        } around[] = {{"x", special.mean, 1.7f}, {"gamma", 0.5f, 1}, {"dy", 0.1f, 1}};
        for(std::uint32_t stream = 5; const auto& [name, middle, reach] : around)
        {
            for(harness::host_tensor& t : set.tensors)
                if(t.name == name)
                    t.set_values(random_values(t.shape.elements(), t.type, 8 * special.seed + stream, middle, reach));
            ++stream;
        }
        for(const char* name : special.absent)
            set[name].role = tensor_role::absent, set[name].elements.clear();
    });
}

// Tests of one pass, on every target in every type.
template <class Op>
class pass_test : public kernel_test
{
  protected:
    using problem = typename Op::problem;

    std::set<std::string> used = {}; // instances that some problem ran on

    void expect_all_instances_right(const experiment<Op>& e)
    {
        used.merge(ck_tile::expect_all_instances_right(dev, e));
    }
    void expect_all_instances_right(problem p, const inputs& special = {})
    {
        p.type = type;
        expect_all_instances_right(experiment_with<Op>(p, special));
    }

    void expect_right_on_random_problems(int problems)
    {
        random_numbers random(20);
        for(int i = 0; i < problems && !HasFatalFailure(); ++i)
            expect_all_instances_right(random_problem(random), {.seed = static_cast<std::uint32_t>(i)});
    }

    void expect_every_instance_runs()
    {
        for(layout order : both_layouts)
            expect_all_instances_right(
                groupnorm::problem{.spatial = 1, .batch = 2, .image = {64}, .groups = 2, .c = 8, .layout = order});
        for(const instance<Op>* i : instances<Op>(dev))
            if(i->configuration.dtype == type)
                EXPECT_TRUE(used.contains(std::string(name_of(*i)))) << name_of(*i);
    }

    void expect_same_bits()
    {
        for(layout order : both_layouts)
            ck_tile::expect_same_bits<Op>(
                dev, experiment_with<Op>(
                         groupnorm::problem{
                             .batch = 3, .image = {32, 40}, .groups = 4, .c = 24, .type = type, .layout = order},
                         {.seed = 7}));
    }

    // What is no number in one group reaches the results of that group and of its channels, nothing else.
    void expect_poison_stays(std::initializer_list<const char*> tensors)
    {
        for(layout order : both_layouts)
            for(const float poison : {NAN, INFINITY})
                for(const char* name : tensors)
                {
                    auto e = experiment_with<Op>(
                        groupnorm::problem{
                            .batch = 2, .image = {6, 4}, .groups = 3, .c = 8, .type = type, .layout = order},
                        {.seed = 9});
                    std::vector<float> values = e.set[name].values();
                    values[0]                 = poison; // of image 0, group 0
                    e.set[name].set_values(values);
                    e.non_finite_alike = true;
                    expect_all_instances_right(e);
                }
    }

    void expect_reference_kernel_right(int problems, const std::vector<const char*>& optional)
    {
        random_numbers random(5);
        for(std::uint32_t i = 0; i < static_cast<std::uint32_t>(problems); ++i)
        {
            problem p = random_problem(random);
            p.type    = type;
            const auto e =
                experiment_with<Op>(p, {.seed = i, .absent = i % 3 == 0 ? optional : std::vector<const char*>()});
            e.expect_right(e.run_reference_kernel(dev), "reference kernel");
        }
    }
};

} // namespace ck_tile::groupnorm

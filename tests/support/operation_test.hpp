// SPDX-License-Identifier: MIT
// What the tests of all operations share: a problem with seeded random inputs and its fp64 reference, runs on a device, every
// instance held against the reference.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/harness/fill.hpp"
#include "ops/harness/verify.hpp"
#include "ops/operation.hpp"
#include "tests/support/kernel_test.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ck_tile
{

template <class Op>
class experiment
{
  public:
    using problem_type = typename Op::problem;

    problem_type problem;
    harness::tensor_set set;

    // Inputs are random from -1 to 1; prepare(set) may change them before other inputs are made of them.
    explicit experiment(const problem_type& p, std::uint32_t seed = 0,
                        const std::function<void(harness::tensor_set&)>& prepare = {})
        : problem(p), set(Op::tensor_list(p))
    {
        std::uint32_t number = 0;
        for(harness::host_tensor& t : set.tensors)
            if(t.role != tensor_role::result && t.role != tensor_role::absent && is_floating(t.type))
                t.elements = encode(t.type, random_values(t.shape.elements(), t.type, 8 * seed + number++));
        if(prepare)
            prepare(set);
        if constexpr(requires { Op::derive_inputs(p, set); })
            Op::derive_inputs(p, set);
    }

    // The tensors after the plan has run.
    harness::tensor_set run_plan(const device& on, const plan<Op>& what) const
    {
        return run(on, what.workspace_bytes, [&](const typename Op::tensors& t, void* workspace) {
            return ck_tile::run(on, what, t, workspace);
        });
    }
    harness::tensor_set run_reference_kernel(const device& on) const
    {
        return run(on, reference_workspace_bytes<Op>(problem), [&](const typename Op::tensors& t, void* workspace) {
            return run_reference<Op>(on, problem, t, workspace);
        });
    }

    // launch(tensors, workspace) -> status
    template <class Launch>
    harness::tensor_set run(const device& on, std::size_t workspace_bytes, Launch&& launch) const
    {
        const harness::device_set there(on, set);
        const device_buffer workspace = unwritten(on, static_cast<std::int64_t>(workspace_bytes));
        const status s                = launch(Op::bind(there.addresses()), workspace.data());
        EXPECT_TRUE(s) << s.reason();
        harness::tensor_set after = set;
        there.fetch_results(on, after);
        return after;
    }

    const std::vector<reference_values>& expected() const
    {
        if(!expected_)
            expected_ = Op::reference(problem, set);
        return *expected_;
    }

    // Expects each result within the bound of the reference.
    void expect_right(const harness::tensor_set& after, const std::string& what) const
    {
        for(std::size_t i = 0; const harness::host_tensor& t : after.tensors)
            if(t.role == tensor_role::result)
            {
                const reference_values& right = expected()[i++];
                const harness::comparison found =
                    is_floating(t.type) ? harness::compare_result(t, right, false)
                                        : harness::compare_integers(harness::detail::integers_of<Op>(problem, t), right.integers);
                ASSERT_TRUE(found.passed()) << what << ": " << t.name << ", " << harness::describe(found, t.shape.lengths)
                                            << "; " << describe(problem);
            }
    }

  private:
    mutable std::optional<std::vector<reference_values>> expected_;
};

// The results' elements: to compare two runs bit by bit.
inline std::vector<std::vector<std::byte>> results_of(const harness::tensor_set& after)
{
    std::vector<std::vector<std::byte>> all;
    for(const harness::host_tensor& t : after.tensors)
        if(t.role == tensor_role::result)
            all.push_back(t.elements);
    return all;
}

// Runs the experiment on each instance that supports its problem, in the numbers of splits given; returns the names of those
// that were planned.
template <class Op>
std::vector<std::string> expect_all_instances_right(const device& on, const experiment<Op>& e,
                                                    const std::vector<int>& splits = {0})
{
    std::vector<std::string> ran;
    for(const instance<Op>* i : instances<Op>(on))
    {
        if(!supports(*i, e.problem))
            continue;
        for(const int s : splits)
        {
            const auto chosen = make_plan<Op>(on, e.problem, {.instance = name_of(*i), .splits = s});
            if(!chosen)
                continue; // more splits than there is to split, or a pass that has nothing to do
            ran.push_back(std::string(name_of(*i)));
            e.expect_right(e.run_plan(on, *chosen), names_of(*chosen) + ", splits " + std::to_string(chosen->splits));
            if(testing::Test::HasFatalFailure())
                return ran;
        }
    }
    EXPECT_FALSE(ran.empty()) << "no instance supports " << describe(e.problem);
    return ran;
}

// Every instance of the target by itself, on `wanted` problems that draw(configuration, random) gives and it supports; and its name
// is that of its configuration. make(problem, seed) makes the experiment.
template <class Op, class Draw, class Make>
void expect_instances_right(const std::string& target, int wanted, Draw&& draw, Make&& make)
{
    const auto opened = device::open(target);
    ASSERT_TRUE(opened) << opened.reason();
    const device& on = *opened;
    random_numbers random(12);
    for(const instance<Op>* i : instances<Op>(on))
    {
        SCOPED_TRACE(name_of(*i));
        EXPECT_FALSE(check(i->configuration));
        const auto parsed = reflect::parse_instance_name<typename Op::config>(Op::name, name_of(*i));
        ASSERT_TRUE(parsed) << parsed.reason();
        EXPECT_TRUE(reflect::compare(*parsed, i->configuration) == 0);

        int right = 0;
        for(std::uint32_t attempt = 0; attempt < 2000 && right < wanted; ++attempt)
        {
            const typename Op::problem p = draw(i->configuration, random);
            if(!supports(*i, p) || !make_plan<Op>(on, p, {.instance = name_of(*i)}))
                continue;
            const experiment<Op> e = make(p, attempt);
            const auto splits      = Op::splits_reduction ? std::vector{0, 1, 2} : std::vector{0};
            for(const int s : splits)
                if(const auto chosen = make_plan<Op>(on, p, {.instance = name_of(*i), .splits = s}))
                    e.expect_right(e.run_plan(on, *chosen), names_of(*chosen) + ", splits " + std::to_string(s));
            if(testing::Test::HasFatalFailure())
                return;
            ++right;
        }
        EXPECT_EQ(right, wanted) << "problems found that it supports";
    }
}

template <class Op, class Draw>
void expect_instances_right(const std::string& target, int wanted, Draw&& draw)
{
    expect_instances_right<Op>(target, wanted, draw,
                               [](const typename Op::problem& p, std::uint32_t seed) { return experiment<Op>(p, seed); });
}

} // namespace ck_tile

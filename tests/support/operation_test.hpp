// SPDX-License-Identifier: MIT
// What the tests of all operations share: a problem with seeded random inputs and its fp64 reference, runs on a device, every
// instance held against the reference.
#pragma once

#include "ck_tile/reflect/text.hpp"
#include "ops/harness/fill.hpp"
#include "ops/harness/verify.hpp"
#include "ops/operation.hpp"
#include "tests/support/kernel_test.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile
{

// The results of a run, byte by byte.
using result_bytes = std::vector<std::vector<std::byte>>;

inline result_bytes results_of(const harness::tensor_set& after)
{
    result_bytes all;
    for(const harness::host_tensor& t : after.tensors)
        if(t.role == tensor_role::result)
            all.push_back(t.elements);
    return all;
}

// A problem with inputs, to be run in any way.
template <class Op>
class experiment
{
  public:
    using problem_type = typename Op::problem;
    using prepare_set  = std::function<void(harness::tensor_set&)>;

    problem_type problem;
    harness::tensor_set set;

    // Whether infinities and NaNs stand for each other: sums in another order give the one or the other.
    bool non_finite_alike = false;

    // Inputs are random from -1 to 1; prepare(set) may change them, or make them absent, before other inputs follow from them.
    explicit experiment(const problem_type& p, std::uint32_t seed = 0, const prepare_set& prepare = {})
        : problem(p), set(Op::tensor_list(p))
    {
        std::uint32_t number = 0;
        for(harness::host_tensor& t : set.tensors)
            if((t.role == tensor_role::input || t.role == tensor_role::origin) && is_floating(t.type))
                t.elements = encode(t.type, random_values(t.shape.elements(), t.type, 8 * seed + number++));
        if(prepare)
            prepare(set);
        if constexpr(harness::derives_inputs<Op>)
            Op::derive_inputs(p, set);
    }

    // The tensors after the plan has run.
    harness::tensor_set run_plan(const device& dev, const plan<Op>& planned) const
    {
        return run(dev, planned.workspace_bytes, [&](const typename Op::tensors& t, void* workspace) {
            return ck_tile::run(dev, planned, t, workspace);
        });
    }
    harness::tensor_set run_reference_kernel(const device& dev) const
    {
        return run(dev, reference_workspace_bytes<Op>(problem), [&](const typename Op::tensors& t, void* workspace) {
            return run_reference<Op>(dev, problem, t, workspace);
        });
    }

    // launch(tensors, workspace) -> status. What a kernel forgets to write, in a result or the workspace, is a NaN.
    template <class Launch>
    harness::tensor_set run(const device& dev, std::size_t workspace_bytes, Launch&& launch) const
    {
        const harness::device_set there(dev, set);
        const device_buffer workspace = unwritten(dev, static_cast<std::int64_t>(workspace_bytes));
        const status s                = launch(Op::bind(there.addresses()), workspace.data());
        EXPECT_TRUE(s) << s.reason();
        harness::tensor_set after = set;
        there.fetch_results(dev, after);
        return after;
    }

    const std::vector<reference_values>& expected() const
    {
        if(!expected_)
            expected_ = Op::reference(problem, set);
        return *expected_;
    }

    // Expects each result within the bound of the reference.
    void expect_right(const harness::tensor_set& after, const std::string& context) const
    {
        for(std::size_t i = 0; const harness::host_tensor& t : after.tensors)
            if(t.role == tensor_role::result)
            {
                ASSERT_LT(i, expected().size()) << context;
                const harness::comparison found = compare(t, expected()[i++]);
                ASSERT_EQ(found.elements, t.shape.elements()) << context << ": " << t.name;
                ASSERT_TRUE(found.passed()) << context << ": " << t.name << ", "
                                            << harness::describe(found, t.shape.lengths) << "; " << describe(problem);
            }
    }

  private:
    harness::comparison compare(const harness::host_tensor& t, const reference_values& right) const
    {
        if(!is_floating(t.type))
            return harness::compare_integers(harness::detail::integers_of<Op>(problem, t), right.integers);
        if(!non_finite_alike)
            return harness::compare_result(t, right, false);
        const auto without_infinities = [](auto values) {
            for(auto& v : values)
                v = std::isfinite(v) ? v : NAN;
            return values;
        };
        harness::host_tensor found = t;
        found.set_values(without_infinities(t.values()));
        reference_values wanted = right;
        wanted.values           = without_infinities(right.values);
        return harness::compare_result(found, wanted, false);
    }

    mutable std::optional<std::vector<reference_values>> expected_;
};

// In which numbers of splits an instance is to run a problem; 0: its own choice.
template <class Op>
using splits_for = std::function<std::vector<int>(const typename Op::config&, const typename Op::problem&)>;

template <class Op>
std::vector<int> own_choice(const typename Op::config&, const typename Op::problem&)
{
    return {0};
}

// The plans of the problem on each instance that supports it, of which there must be one.
template <class Op>
std::vector<plan<Op>> all_plans(const device& dev, const typename Op::problem& p,
                                const splits_for<Op>& splits = own_choice<Op>)
{
    std::vector<plan<Op>> all;
    for(const instance<Op>* i : instances<Op>(dev))
        if(supports(*i, p))
            for(const int s : splits(i->configuration, p))
            {
                auto chosen = make_plan<Op>(dev, p, {.instance = name_of(*i), .splits = s});
                EXPECT_TRUE(chosen) << chosen.reason() << "; " << describe(p);
                if(chosen)
                    all.push_back(std::move(*chosen));
            }
    EXPECT_FALSE(all.empty()) << "no instance supports " << describe(p);
    return all;
}

// "<instances>, splits 2", to say which plan it was.
template <class Op>
std::string describe_plan(const plan<Op>& planned)
{
    return names_of(planned) + (Op::splits_reduction ? ", splits " + std::to_string(planned.splits) : "");
}

// Runs the experiment on each instance that supports its problem; returns the names of those.
template <class Op>
std::set<std::string> expect_all_instances_right(const device& dev, const experiment<Op>& e,
                                                 const splits_for<Op>& splits = own_choice<Op>)
{
    std::set<std::string> ran;
    for(const plan<Op>& each : all_plans<Op>(dev, e.problem, splits))
    {
        e.expect_right(e.run_plan(dev, each), describe_plan(each));
        if(testing::Test::HasFatalFailure())
            return ran;
        ran.emplace(name_of(*each.chosen));
    }
    return ran;
}

// Every plan, run twice, gives the same bits.
template <class Op>
void expect_same_bits(const device& dev, const experiment<Op>& e, const splits_for<Op>& splits = own_choice<Op>)
{
    for(const plan<Op>& each : all_plans<Op>(dev, e.problem, splits))
        EXPECT_TRUE(results_of(e.run_plan(dev, each)) == results_of(e.run_plan(dev, each))) << describe_plan(each);
}

// Why the configuration, built or not, cannot compute the problem.
template <class Op>
std::string reason_of(const typename Op::config& c, const typename Op::problem& p)
{
    return supports(instance<Op>{c, nullptr}, p).reason();
}

// How the instances of an operation are tested by themselves: on `problems` random ones each.
template <class Op>
struct instance_trial
{
    int problems;
    std::function<typename Op::problem(const typename Op::config&, random_numbers&)> draw; // most of them supported
    std::function<experiment<Op>(const typename Op::problem&, std::uint32_t seed)> make =
        [](const typename Op::problem& p, std::uint32_t seed) { return experiment<Op>(p, seed); };
    splits_for<Op> splits = own_choice<Op>;
};

// Every instance of the target by itself: its configuration is legal and its name that of the configuration, and it is right on
// problems that are drawn for it.
template <class Op>
void expect_instances_right(const std::string& target, const instance_trial<Op>& trial)
{
    const auto opened = device::open(target);
    ASSERT_TRUE(opened) << opened.reason();
    const device& dev = *opened;
    random_numbers random(12);
    for(const instance<Op>* i : instances<Op>(dev))
    {
        SCOPED_TRACE(name_of(*i));
        const typename Op::config& c = i->configuration;
        EXPECT_FALSE(check(c));
        const auto parsed = reflect::parse_instance_name<typename Op::config>(Op::name, name_of(*i));
        ASSERT_TRUE(parsed) << parsed.reason();
        EXPECT_TRUE(reflect::compare(*parsed, c) == 0);

        int right = 0;
        std::string reason;
        for(std::uint32_t attempt = 0; attempt < 2000 && right < trial.problems; ++attempt)
        {
            const typename Op::problem p = trial.draw(c, random);
            const auto usual             = make_plan<Op>(dev, p, {.instance = name_of(*i)});
            if(!usual) // the instance does not support it, or a pass beside its own finds none that does
            {
                reason = usual.reason();
                continue;
            }
            const experiment<Op> e = trial.make(p, attempt);
            for(const int s : trial.splits(c, p))
            {
                const auto chosen = make_plan<Op>(dev, p, {.instance = name_of(*i), .splits = s});
                ASSERT_TRUE(chosen) << chosen.reason() << "; " << describe(p);
                e.expect_right(e.run_plan(dev, *chosen), describe_plan(*chosen));
                if(testing::Test::HasFatalFailure())
                    return;
            }
            ++right;
        }
        EXPECT_EQ(right, trial.problems) << "problems found that it supports; " << reason;
    }
}

// For tests that run on each of kernel_targets(), without types.
inline std::string name_of_target(const testing::TestParamInfo<std::string>& info) { return test_name_of(info.param); }

// Runs a plan for the last of `images` images alone: on the CPU as many blocks as images have, and some more, at both ends of each launch,
// whichever order they have them in; a GPU makes all.
template <class Op>
status run_last_image(const device& dev, const plan<Op>& planned, const typename Op::tensors& data, void* workspace,
                      std::int64_t images)
{
    if(!dev.is_host())
        return run(dev, planned, data, workspace);
    for(const launch& l : Op::launches(planned, data, workspace))
    {
        const kernel& k         = l.program();
        const std::int64_t some = 2 * ceil_div(l.blocks(), images);
        const auto lds          = dev.allocate(static_cast<std::size_t>(k.lds_bytes * k.cluster));
        for(std::int64_t b = 0; b < l.blocks(); b = b == some - 1 ? std::max(some, l.blocks() - some) : b + 1)
            k.on_host(l.arguments(), {static_cast<unsigned>(b)}, static_cast<std::byte*>(lds->data()));
    }
    return {};
}

// Expects the last image of as many as have more than 2^31 elements to be right, which is that of the experiment; the others are zero, and
// memory that is never touched costs nothing.
template <class Op>
void expect_last_image_right(const device& dev, const experiment<Op>& e, std::string_view largest_tensor)
{
    typename Op::problem many = e.problem;
    many.batch                = (std::int64_t(1) << 31) / e.set[largest_tensor].shape.elements() + 1;
    const harness::tensor_set all(Op::tensor_list(many));
    std::vector<device_buffer> memory;
    std::vector<void*> addresses;
    for(const harness::host_tensor& t : all.tensors)
    {
        const auto& elements = e.set[t.name].elements;
        auto zeros           = dev.allocate_zeroed(t.on_device() ? static_cast<std::size_t>(t.bytes()) : 0);
        ASSERT_TRUE(zeros) << zeros.reason();
        if(t.role == tensor_role::input && !elements.empty())
            ASSERT_TRUE(dev.copy_to_device(static_cast<std::byte*>(zeros->data()) + zeros->bytes() - elements.size(),
                                           elements.data(), elements.size()));
        memory.push_back(std::move(*zeros));
        addresses.push_back(t.on_device() ? memory.back().data() : nullptr);
    }
    for(const plan<Op>& each : all_plans<Op>(dev, many))
    {
        const auto workspace = dev.allocate_zeroed(each.workspace_bytes);
        ASSERT_TRUE(workspace) << workspace.reason();
        const status s = run_last_image(dev, each, Op::bind(addresses), workspace->data(), many.batch);
        ASSERT_TRUE(s) << s.reason();
        ASSERT_TRUE(dev.synchronize());
        harness::tensor_set last = e.set;
        for(std::size_t i = 0; i < memory.size(); ++i)
            if(harness::host_tensor& t = last.tensors[i]; t.role == tensor_role::result)
            {
                t.elements.resize(static_cast<std::size_t>(t.bytes()));
                ASSERT_TRUE(
                    dev.copy_to_host(t.elements.data(),
                                     static_cast<std::byte*>(memory[i].data()) + memory[i].bytes() - t.elements.size(),
                                     t.elements.size()));
            }
        e.expect_right(last, describe_plan(each));
    }
}

} // namespace ck_tile

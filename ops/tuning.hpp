// SPDX-License-Identifier: MIT
// Measuring which instance is fastest, and tables of what was measured, for every operation.
#pragma once

#include "ck_tile/runtime/progress.hpp"
#include "ck_tile/runtime/tuned_table.hpp"
#include "ops/operation.hpp"
#include "ops/problem_fields.hpp"

namespace ck_tile
{

// The fastest of the plans that were measured.
template <class Op>
struct measured_plan
{
    plan<Op> fastest;
    double milliseconds;
    int measured; // instances and splits
};

// The plans of the problem on one instance: in the number of splits that costs least, half and double of it; or in the one that is
// asked for.
template <class Op>
result<std::vector<plan<Op>>> split_variants(const device& dev, const typename Op::problem& p,
                                             std::string_view instance, int splits = 0)
{
    const auto usual = make_plan<Op>(dev, p, {.instance = instance, .splits = splits});
    if(!usual)
        return rejection{usual.reason()};
    std::vector<plan<Op>> all = {*usual};
    if(splits == 0 && Op::splits_reduction)
        for(const int other : {usual->splits / 2, usual->splits * 2})
            if(other > 0)
                if(const auto candidate = make_plan<Op>(dev, p, {.instance = instance, .splits = other}))
                    all.push_back(*candidate);
    return all;
}

// Measures every instance that supports the problem, in several numbers of splits. Overwrites the results. Who watches this
// thread's progress is told of instances.
template <class Op>
result<measured_plan<Op>> tune(const device& dev, const typename Op::problem& p, const typename Op::tensors& data)
{
    result<measured_plan<Op>> best = rejection{"no instance supports the problem"};
    int measured = 0, tried = 0;
    if(status valid = Op::validate(p); !valid)
        return rejection{valid.reason()};
    std::vector<std::string_view> all;
    each_choice<Op>(dev, p, [&](const named_choice& each) { all.push_back(each.name); });
    for(const std::string_view name : all)
    {
        report_progress(tried++, static_cast<std::int64_t>(all.size()));
        const watched_progress unwatched({}); // what one instance does
        const auto variants = split_variants<Op>(dev, p, name);
        if(!variants)
        {
            if(!best)
                best = rejection{variants.reason()};
            continue;
        }
        for(const plan<Op>& candidate : *variants)
        {
            const result<device_buffer> workspace = dev.allocate(candidate.workspace_bytes);
            if(!workspace)
                continue; // a smaller split may fit
            const result<double> time = dev.time([&] { return run(dev, candidate, data, workspace->data()); });
            if(!time)
                return rejection{time.reason()};
            ++measured;
            if(!best || *time < best->milliseconds)
                best = measured_plan<Op>{candidate, *time, 0};
        }
    }
    if(best)
        best->measured = measured;
    return best;
}

// Rejects choices with names that are not those of the operation's instances, and problems that are none.
template <class Op>
status accept_choice(tuned_choice& c)
{
    bool known = c.instance.starts_with(std::string(Op::name) + "_");
    detail::each_formulation<Op>(
        [&]<class F>(std::type_identity<F>) { known = known || c.instance.starts_with(std::string(F::name) + "_"); });
    if(!known)
        return rejection{fmt::format("'{}' is not the name of an instance of {}", c.instance, Op::name)};
    const auto p = problem_from_json<typename Op::problem>(c.problem);
    if(!p)
        return rejection{p.reason()};
    c.problem = problem_to_json(*p); // whatever order its keys had
    return {};
}

// A tuned table of the operation.
template <class Op>
result<tuned_table> load_tuned_table(const std::filesystem::path& file)
{
    return tuned_table::load(file, Op::name, accept_choice<Op>);
}

// The same, to be added to: the file need not exist yet.
template <class Op>
result<tuned_table> load_or_start_tuned_table(const std::filesystem::path& file)
{
    return tuned_table::load_or_start(file, Op::name, accept_choice<Op>);
}

template <class Op>
tuned_choice choice_of(const device& dev, const plan<Op>& fastest)
{
    return {dev.name(), problem_to_json(fastest.problem), std::string(name_of(fastest)), fastest.splits};
}

template <class Op>
void remember(tuned_table& table, const device& dev, const plan<Op>& fastest)
{
    table.set(choice_of(dev, fastest));
}

// In a file, where what others measure at the same time stays.
template <class Op>
status remember(const std::filesystem::path& file, const device& dev, const plan<Op>& fastest)
{
    return tuned_table::set_in_file(file, Op::name, accept_choice<Op>, choice_of(dev, fastest));
}

// The plan that a tuned table chooses; where it has no choice for the device and the problem, the one that is made without it.
template <class Op>
result<plan<Op>> make_plan(const device& dev, const typename Op::problem& p, const tuned_table& tuned)
{
    const tuned_choice* choice = tuned.find(dev.name(), problem_to_json(p));
    return choice == nullptr ? make_plan<Op>(dev, p)
                             : make_plan<Op>(dev, p, {.instance = choice->instance, .splits = choice->splits});
}

} // namespace ck_tile

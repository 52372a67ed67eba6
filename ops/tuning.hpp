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

// Measures every instance that supports the problem, in the number of splits that costs least, half and double of it. Overwrites
// the results. Who watches this thread's progress is told of instances.
template <class Op>
result<measured_plan<Op>> tune(const device& dev, const typename Op::problem& p, const typename Op::tensors& data)
{
    result<measured_plan<Op>> best = rejection{"no instance supports the problem"};
    int measured = 0, tried = 0;
    std::vector<std::string_view> all;
    for(const instance<Op>* i : instances<Op>(dev))
        all.push_back(name_of(*i));
    if constexpr(requires { Op::composed; })
        all.push_back(Op::composed);
    for(const std::string_view name : all)
    {
        report_progress(tried++, static_cast<std::int64_t>(all.size()));
        const watched_progress unwatched({}); // what one instance does
        const auto usual = make_plan<Op>(dev, p, {.instance = name});
        if(!usual)
        {
            if(!best)
                best = rejection{usual.reason()};
            continue;
        }
        for(const int splits : {usual->splits, usual->splits / 2, usual->splits * 2})
        {
            if(splits == 0)
                continue;
            const auto candidate = make_plan<Op>(dev, p, {.instance = name, .splits = splits});
            if(!candidate)
                continue;
            const result<device_buffer> workspace = dev.allocate(candidate->workspace_bytes);
            if(!workspace)
                continue; // a smaller split may fit
            const result<double> time = dev.time([&] { return run(dev, *candidate, data, workspace->data()); });
            if(!time)
                return rejection{time.reason()};
            ++measured;
            if(!best || *time < best->milliseconds)
                best = measured_plan<Op>{*candidate, *time, 0};
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
    if(!c.instance.starts_with(std::string(Op::name) + "_"))
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

// The plan that a tuned table chooses; where it has no choice for the device and the problem, the one that costs least.
template <class Op>
result<plan<Op>> make_plan(const device& dev, const typename Op::problem& p, const tuned_table& tuned)
{
    const tuned_choice* choice = tuned.find(dev.name(), problem_to_json(p));
    return choice == nullptr ? make_plan<Op>(dev, p)
                             : make_plan<Op>(dev, p, {.instance = choice->instance, .splits = choice->splits});
}

} // namespace ck_tile

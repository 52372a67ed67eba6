// SPDX-License-Identifier: MIT
// What the host APIs of forward and backward share: which instances a problem runs on.
#pragma once

#include "ops/groupnorm/plan.hpp"
#include "ops/host_api.hpp"

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace ck_tile::groupnorm
{

inline int compute_units(const device& on)
{
    return on.is_host() ? on.architecture().compute_units : on.compute_units();
}

template <class Instance>
const step<Instance>* step_of(const std::vector<step<Instance>>& steps, pass which)
{
    for(const auto& s : steps)
        if(s.instance->configuration.pass == which)
            return &s;
    return nullptr;
}

template <class Instance>
std::string names_of(const std::vector<step<Instance>>& steps)
{
    std::string names;
    for(const auto& s : steps)
        names += (names.empty() ? "" : ", ") + std::string(s.instance->main->name);
    return names;
}

// What choose_steps is asked for.
struct request
{
    bool result        = true;           // the pass `apply`, or a whole one, is needed
    bool several_tiles = true;           // whether a slab of the pass `sums` may have more than one tile
    int (*tensors)(pass);                // tensors of the size of x that a pass moves
    std::string_view instance_name = {}; // to be used for its pass; empty: any
};

// The kernels that a problem runs on: a whole pass where it costs no more than two passes (or one is named), else sums and, if
// the result is needed, apply. Costs are those of cut_into_slabs.
template <class Instance>
result<std::vector<step<Instance>>> choose_steps(const device& on, const problem& p,
                                                 const std::vector<const Instance*>& instances, const request& asked)
{
    struct choice
    {
        step<Instance> chosen;
        double cost;
    };
    std::optional<choice> best[3]; // per pass
    std::optional<pass> named;
    std::string reason;
    for(const Instance* i : instances)
    {
        const pass does    = i->configuration.pass;
        const bool is_name = asked.instance_name == i->main->name;
        if(named == does)
            continue;
        const auto made = cut_into_slabs(i->configuration, p, compute_units(on), asked.tensors(does),
                                         asked.several_tiles || does != pass::sums);
        if(is_name && !made)
            return rejection{fmt::format("{} on {}: {}", asked.instance_name, on.name(), made.reason())};
        if(!made)
            reason = made.reason();
        else if(auto& so_far = best[static_cast<int>(does)]; is_name || !so_far || made->cost < so_far->cost)
            so_far = choice{{i, made->slabs}, made->cost};
        if(is_name)
            named = does;
    }
    if(!asked.instance_name.empty() && !named)
        return rejection{
            fmt::format("instance '{}' is not one of {}: --instance list shows them", asked.instance_name, on.name())};
    const auto& [whole, sums, apply] = best;
    const bool streams               = sums && (apply || !asked.result);
    const double streaming =
        !streams ? std::numeric_limits<double>::infinity() : sums->cost + (asked.result ? apply->cost : 0);
    const bool may_hold = whole && asked.result && (!named || *named == pass::whole);
    if(may_hold && (named || whole->cost <= streaming))
        return std::vector{whole->chosen};
    if(!streams)
        return rejection{fmt::format("no instance supports the problem on {}: {}", on.name(), reason)};
    std::vector steps = {sums->chosen};
    if(asked.result)
        steps.push_back(apply->chosen);
    return steps;
}

} // namespace ck_tile::groupnorm

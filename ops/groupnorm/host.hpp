// SPDX-License-Identifier: MIT
// What the host APIs of forward and backward share: which instances there are, which a problem runs on, launching.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/groupnorm/plan.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ck_tile::groupnorm
{

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

inline int compute_units(const device& on)
{
    return on.is_host() ? on.architecture().compute_units : on.compute_units();
}

inline status launch(const device& on, const kernel& k, std::int64_t blocks, const auto& arguments)
{
    return blocks == 0 ? status{} : on.launch(k, {static_cast<unsigned>(blocks)}, &arguments, sizeof arguments);
}

// Those of `all` that the device can run.
template <class Instance>
std::vector<const Instance*> available(const device& on, std::span<const Instance> all)
{
    std::vector<const Instance*> found;
    for(const Instance& i : all)
        if(i.configuration.arch == on.architecture().arch && (!on.is_host() || i.main->on_host != nullptr))
            found.push_back(&i);
    return found;
}

// The support kernels for the device and type among `all`, or that the program was built without them.
template <class Support>
result<const Support*> support_for(const device& on, data_type type, std::span<const Support> all)
{
    for(const Support& s : all)
        if(s.arch == on.architecture().arch && s.type == type)
            return &s;
    return rejection{
        fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and CK_TILE_TARGETS",
                    ck_tile::name_of(type), on.architecture().name)};
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

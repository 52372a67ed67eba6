// SPDX-License-Identifier: MIT
// What the descriptions of forward and backward share: which instances a plan runs, one after another.
#pragma once

#include "ops/groupnorm/plan.hpp"
#include "ops/operation.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace ck_tile::groupnorm
{

// One pass of a plan: an instance, and its slabs.
template <class Op>
struct pass_of
{
    const instance<Op>* by;
    geometry slabs;
};

// The passes of a plan: one for whole groups, or the sums and then, where the result is wanted, what applies them.
template <class Op>
struct passes
{
    std::vector<pass_of<Op>> steps;
    double cost = 0;

    const pass_of<Op>* find(pass which) const
    {
        for(const auto& s : steps)
            if(s.by->configuration.pass == which)
                return &s;
        return nullptr;
    }
    std::vector<std::string_view> names() const
    {
        std::vector<std::string_view> all;
        for(const auto& s : steps)
            all.push_back(name_of(*s.by));
        return all;
    }
};

// What the passes are for.
struct purpose
{
    bool result        = true; // the pass `apply`, or a whole one, is needed
    bool several_tiles = true; // whether a slab of the pass `sums` may have more than one tile
    int (*tensors)(pass);      // tensors of the size of x that a pass moves
};

inline int compute_units(const device& dev)
{
    return dev.is_host() ? dev.architecture().compute_units : dev.compute_units();
}

// The passes of a problem of which `chosen` does its own, those beside it at the least cost (that of cut_into_slabs).
template <class Op>
result<passes<Op>> passes_with(const device& dev, const instance<Op>& chosen, const problem& p, const purpose& wanted)
{
    const auto cut_for = [&](const instance<Op>& i) {
        const pass does = i.configuration.pass;
        return cut_into_slabs(i.configuration, p, compute_units(dev), wanted.tensors(does),
                              wanted.several_tiles || does != pass::sums);
    };
    const pass own  = chosen.configuration.pass;
    const auto made = cut_for(chosen);
    if(!made)
        return rejection{made.reason()};
    passes<Op> all = {{{&chosen, made->slabs}}, made->cost};
    if(own == pass::whole || !wanted.result)
        return all;

    const pass missing = own == pass::sums ? pass::apply : pass::sums;
    std::optional<passes<Op>> best;
    std::string reason = fmt::format("no instance does the pass {}", name_of(missing));
    for(const instance<Op>* i : instances<Op>(dev))
        if(i->configuration.pass == missing && i->configuration.dtype == p.type)
        {
            const auto other = cut_for(*i);
            if(!other)
                reason = other.reason();
            else if(!best || other->cost < best->cost)
                best = passes<Op>{{{i, other->slabs}}, other->cost};
        }
    if(!best)
        return rejection{fmt::format("the pass {} needs one beside it: {}", name_of(own), reason)};
    all.steps.insert(own == pass::sums ? all.steps.end() : all.steps.begin(), best->steps.front());
    all.cost += best->cost;
    return all;
}

} // namespace ck_tile::groupnorm

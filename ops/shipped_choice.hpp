// SPDX-License-Identifier: MIT
// The tuned tables that an operation's library has in it: what was measured on devices of an architecture, which make_plan() prefers
// to costs. tile_engine_configs/<operation>/tuned/<architecture>.json holds them; the registry that the build generates includes this.
#pragma once

#include "ops/tuning.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ck_tile
{

// The choices of all tables, by architecture and problem.
template <class Op>
class shipped_choices
{
  public:
    explicit shipped_choices(std::span<const shipped_table> tables)
    {
        for(const shipped_table& each : tables)
            if(const auto table = tuned_table::parse(each.json, Op::name, accept_choice<Op>))
                for(const tuned_choice& c : table->choices())
                    all_[{each.arch, c.problem.dump()}] = {c.instance, c.splits};
    }

    std::optional<plan_choice> find(architecture arch, const typename Op::problem& p) const
    {
        if(all_.empty())
            return std::nullopt;
        const auto found = all_.find({arch, problem_to_json(p).dump()});
        return found == all_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    std::map<std::pair<architecture, std::string>, plan_choice> all_;
};

template <class Op>
std::optional<plan_choice> shipped_choice(architecture arch, const typename Op::problem& p)
{
    static const shipped_choices<Op> choices(Op::shipped_tables());
    return choices.find(arch, p);
}

} // namespace ck_tile

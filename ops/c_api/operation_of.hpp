// SPDX-License-Identifier: MIT
// An operation's description as users take it who do not know its type.
#pragma once

#include "ops/c_api/any_operation.hpp"
#include "ops/tuning.hpp"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ck_tile
{

template <class Op>
class plan_of final : public any_plan
{
  public:
    plan_of(const device& dev, plan<Op> planned)
        : any_plan(Op::name, names_of(planned), std::max(planned.splits, 1), planned.workspace_bytes,
                   Op::tensor_list(planned.problem)),
          dev_(dev),
          plan_(std::move(planned))
    {
    }

    status load() const override { return ck_tile::load(dev_, plan_); }
    status run(std::span<void* const> addresses, void* workspace, stream s) const override
    {
        return ck_tile::run(dev_, plan_, Op::bind(addresses), workspace, s);
    }

  private:
    device dev_;
    plan<Op> plan_;
};

template <class Op>
class operation_of final : public any_operation
{
    using problem = typename Op::problem;

  public:
    const char* name() const override { return Op::name; }

    std::vector<problem_field> fields(const json& given) const override { return list_fields<problem>(given); }
    json defaults() const override { return field_defaults<problem>(); }

    result<std::vector<tensor_info>> tensors(const json& given) const override
    {
        const result<problem> p = read(given);
        return p ? result(Op::tensor_list(*p)) : rejection{p.reason()};
    }

    result<std::unique_ptr<any_plan>> make_plan(const device& dev, const json& given,
                                                const plan_request& request) const override
    {
        return with_problem(dev, given, [&](const problem& p) { return ck_tile::make_plan<Op>(dev, p, request); });
    }
    result<std::unique_ptr<any_plan>> make_plan(const device& dev, const json& given,
                                                const tuned_table& tuned) const override
    {
        return with_problem(dev, given, [&](const problem& p) { return ck_tile::make_plan<Op>(dev, p, tuned); });
    }

    result<std::vector<any_choice>> choices(const device& dev, const json& given) const override
    {
        const result<problem> p = read(given);
        if(!p)
            return rejection{p.reason()};
        std::vector<any_choice> all;
        each_choice<Op>(dev, *p, [&](const named_choice& each) {
            all.push_back({std::string(each.name), each.id, each.fields, each.supported});
        });
        return all;
    }

    result<tuned_table> load_tuned_table(const std::filesystem::path& file) const override
    {
        return ck_tile::load_tuned_table<Op>(file);
    }

  private:
    static result<problem> read(const json& given)
    {
        return problem_from_json<problem>(given, field_defaults<problem>());
    }

    template <class Plan>
    static result<std::unique_ptr<any_plan>> with_problem(const device& dev, const json& given, Plan&& make)
    {
        const result<problem> p = read(given);
        if(!p)
            return rejection{p.reason()};
        result<plan<Op>> planned = make(*p);
        if(!planned)
            return rejection{planned.reason()};
        return std::unique_ptr<any_plan>(std::make_unique<plan_of<Op>>(dev, std::move(*planned)));
    }
};

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// An operation's description as the profiler takes it.
#pragma once

#include "ck_tile/runtime/files.hpp"
#include "ops/harness/verify.hpp"
#include "ops/profiler/measurement.hpp"
#include "ops/profiler/rotating_inputs.hpp"
#include "ops/program/instance_list.hpp"
#include "ops/program/memory.hpp"
#include "ops/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ck_tile::profiler
{

using harness::value_or_throw;
using harness::verification;

template <class Op>
class problem_of : public profiled_problem
{
    using problem_type = typename Op::problem;

  public:
    problem_of(const device& dev, const problem_type& p, const settings& how)
        : dev_(dev), problem_(p), how_(how), list_(Op::tensor_list(p))
    {
        const auto chosen = make_plan<Op>(dev_, problem_), by_cost = make_plan<Op>(dev_, problem_, {.tuned = false});
        if(how_.chosen_only)
            add(value_or_throw(chosen));
        else
            for(const program::listed_instance& each : program::list_instances<Op>(dev_, problem_))
                if(how_.instance.empty() || how_.instance == each.name || how_.instance == each.id)
                    add(each);
        if(candidates_.empty() && !how_.instance.empty())
            value_or_throw(make_plan<Op>(dev_, problem_, {.instance = how_.instance})); // says what is wrong
        for(std::size_t i = 0; i < plans_.size(); ++i)
            if(const auto& planned = plans_[i])
            {
                candidates_[i].chosen         = chosen && same(*planned, *chosen);
                candidates_[i].chosen_by_cost = by_cost && same(*planned, *by_cost);
            }
    }

    json problem() const override { return problem_to_json(problem_); }
    double floor_bytes() const override { return Op::floor_bytes(problem_); }
    std::optional<double> flops() const override
    {
        if constexpr(requires { Op::flops(problem_); })
            return Op::flops(problem_);
        else
            return std::nullopt;
    }

    outcome measure(std::size_t number) override
    {
        if(!inputs_)
            prepare();
        const plan<Op>& planned = plans_[number].value();
        outcome result;
        const auto workspace = dev_.allocate(planned.workspace_bytes);
        if(!workspace)
            return {.error = workspace.reason()};
        const auto once = [&] { return run(dev_, planned, Op::bind(inputs_->next()), workspace->data()); };
        if(how_.verify != verification::none)
        {
            inputs_->first().forget_results(dev_, list_);
            if(const status ran = once(); !ran)
                return {.error = ran.reason()};
            if(const status done = dev_.synchronize(); !done)
                return {.error = done.reason()};
            result.verified = worst(verifier_->compare(list_, inputs_->first()));
        }
        if(!how_.time)
            return result;
        const auto times = time_within_reason(dev_, once, how_.repeats, fastest_);
        if(!times)
            return {.error = times.reason()};
        result.time = make_timing(*times);
        if(fastest_ == 0 || result.time->median < fastest_)
            fastest_ = result.time->median;
        return result;
    }

    void remember(std::size_t number, const std::filesystem::path& file) const override
    {
        value_or_throw(ck_tile::remember<Op>(file, dev_, plans_[number].value()));
    }

  private:
    static bool same(const plan<Op>& a, const plan<Op>& b) { return name_of(a) == name_of(b) && a.splits == b.splits; }

    void add(const plan<Op>& planned)
    {
        candidate& c      = candidates_.emplace_back();
        c.id              = id_of(dev_, planned);
        c.instance        = name_of(planned);
        c.fields          = json::parse(fields_of(planned));
        c.splits          = Op::splits_reduction ? planned.splits : 0;
        c.cost            = planned.cost;
        c.workspace_bytes = planned.workspace_bytes;
        plans_.emplace_back(planned);
    }

    void add(const program::listed_instance& each)
    {
        std::string reason = each.reason;
        if(reason.empty())
        {
            const auto variants = split_variants<Op>(dev_, problem_, each.name, how_.splits);
            if(variants)
                for(const plan<Op>& planned : *variants)
                    add(planned);
            else
                reason = variants.reason();
        }
        if(!reason.empty())
        {
            candidates_.push_back({.id = each.id, .instance = each.name, .fields = each.fields, .reason = reason});
            plans_.emplace_back();
        }
    }

    void prepare()
    {
        value_or_throw(program::check_memory(
            program::memory_needed<Op>(dev_, list_, how_.verify, how_.init != harness::fill::zeros)));
        harness::tensor_set set(list_);
        harness::fill_inputs<Op>(problem_, set, how_.init, how_.seed);
        if(how_.verify != verification::none)
            verifier_.emplace(dev_, how_.verify, problem_, set);
        inputs_.emplace(dev_, set);
    }

    verdict worst(const std::vector<harness::comparison>& each) const
    {
        verdict all;
        for(std::size_t i = 0; const tensor_info& t : list_)
        {
            if(t.role != tensor_role::result)
                continue;
            const harness::comparison& found = each[i++];
            if(i == 1 || found.ratio() > all.found.ratio() || (all.found.passed() && !found.passed()))
                all = {found, t.name, t.shape.lengths};
        }
        return all;
    }

    const device& dev_;
    problem_type problem_;
    settings how_;
    std::vector<tensor_info> list_;
    std::vector<std::optional<plan<Op>>> plans_; // one for each candidate; none where it has a reason
    std::optional<harness::verifier<Op>> verifier_;
    std::optional<rotating_inputs> inputs_;
    double fastest_ = 0; // milliseconds, of those that were measured
};

template <class Op>
class operation_of : public profiled_operation
{
  public:
    const char* name() const override { return Op::name; }

    json parse(program::job& given, const std::string& program, const std::function<void(program::job_parser&)>& add,
               int argc, const char* const* argv) const override
    {
        const std::string about =
            fmt::format("Measures every instance of {0} that supports a problem, and verifies it.\n\n"
                        "  {1} [verify init time [{2}]]\n\n"
                        "    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target (default)\n"
                        "    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5] (default)\n"
                        "    time      0 no, 1 yes (default)\n",
                        Op::name, program, fmt::join(program::names_of_numbers(typename Op::problem{}), " "));
        const auto read = value_or_throw(program::parse_arguments<typename Op::problem>(
            {about.c_str(), program.c_str(), Op::splits_reduction, false}, {}, argc, argv, given, add));
        given           = read;
        return given.help.empty() ? problem_to_json(read.problem) : json();
    }

    std::unique_ptr<profiled_problem> open(const device& dev, const json& problem, data_type type,
                                           const settings& how) const override
    {
        return std::make_unique<problem_of<Op>>(dev, read(problem, type), how);
    }

    std::vector<program::listed_instance> list(const device& dev, const json& problem, data_type type) const override
    {
        return program::list_instances<Op>(dev, read(problem, type));
    }

    status check_tuned_table(const std::filesystem::path& file) const override
    {
        const auto table = load_or_start_tuned_table<Op>(file);
        return table ? check_writable(file) : rejection{table.reason()};
    }

    std::optional<json> matrix_product(data_type type) const override
    {
        if constexpr(requires { Op::matrix_product(type); })
            return problem_to_json(Op::matrix_product(type));
        else
            return std::nullopt;
    }

  private:
    static typename Op::problem read(const json& problem, data_type type)
    {
        typename Op::problem usual = {};
        usual.type                 = type;
        return value_or_throw(problem_from_json<typename Op::problem>(problem, problem_to_json(usual)));
    }
};

} // namespace ck_tile::profiler

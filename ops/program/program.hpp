// SPDX-License-Identifier: MIT
// A program that runs one operation: computes a problem, and verifies, times and saves it as the arguments say. It is made of the
// operation's description.
#pragma once

#include "ck_tile/runtime/files.hpp"
#include "ck_tile/runtime/host_checks.hpp"
#include "ops/harness/fill.hpp"
#include "ops/harness/tensor_file.hpp"
#include "ops/harness/verify.hpp"
#include "ops/program/command_line.hpp"
#include "ops/program/instance_list.hpp"
#include "ops/program/job_parser.hpp"
#include "ops/program/memory.hpp"
#include "ops/program/progress_line.hpp"
#include "ops/program/report.hpp"
#include "ops/tuning.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace ck_tile::program
{

template <class Op>
class operation_program
{
    using problem = typename Op::problem;

  public:
    operation_program(const char* name, const arguments<problem>& given)
        : name_(name),
          given_(given),
          dev_(value_or_throw(device::open(given.target))),
          set_(Op::tensor_list(given.problem))
    {
    }

    // What main() returns.
    int run()
    {
        if(!dev_.notice().empty())
            fmt::print("{}\n", dev_.notice());
        if(given_.check && !dev_.is_host())
            throw harness::rejected(fmt::format("--check is for kernels on the CPU, but the target is {}: add --target "
                                                "host:{}",
                                                dev_.name(), dev_.architecture().name));
        if(given_.check)
            set_host_checks({.enabled = true, .seed = static_cast<std::uint32_t>(given_.seed)});
        if(given_.list_instances)
            return list();
        if(given_.tune)
            tune();
        const plan<Op> chosen = choose();
        check_job(static_cast<double>(chosen.workspace_bytes));
        for(const harness::host_tensor& t : set_.tensors)
            if(t.on_device())
                fmt::print("{}\n", describe_tensor(t.name, t.shape.lengths, t.shape.strides));
        std::fflush(stdout); // what follows takes its time
        compute(chosen);
        if(!given_.json.empty())
            value_or_throw(write_json(given_.json, report(chosen)));
        return verdict();
    }

  private:
    int list() const
    {
        const std::vector<listed_instance> all = list_instances<Op>(dev_, given_.problem);
        if(!given_.json.empty())
            value_or_throw(write_json(given_.json, json_of(all)));
        fmt::print("{}", print_instances(all));
        return success;
    }

    plan<Op> choose() const
    {
        if(given_.tuned.empty())
            return value_or_throw(
                make_plan<Op>(dev_, given_.problem, {.instance = given_.instance, .splits = given_.splits}));
        return value_or_throw(make_plan<Op>(dev_, given_.problem, value_or_throw(load_tuned_table<Op>(given_.tuned))));
    }

    // Measures, and adds the fastest to the table, which need not exist yet.
    void tune()
    {
        value_or_throw(make_plan<Op>(dev_, given_.problem));
        check_job(0);                                                // measuring leaves out what does not fit
        value_or_throw(load_or_start_tuned_table<Op>(given_.tuned)); // what is wrong with it is said before measuring
        value_or_throw(check_writable(given_.tuned));
        make_inputs();
        const harness::device_set there(dev_, set_);
        const auto found = value_or_throw([&] {
            const progress_line line("tuning");
            return ck_tile::tune<Op>(dev_, given_.problem, Op::bind(there.addresses()));
        }());
        value_or_throw(remember(given_.tuned, dev_, found.fastest));
        fmt::print("Tuned: the fastest of {} measured is {}{}, {:.4g} ms; written to {}\n", found.measured,
                   names_of(found.fastest), splits_of(found.fastest), found.milliseconds, given_.tuned.string());
    }

    static std::string splits_of(const plan<Op>& planned)
    {
        return Op::splits_reduction ? fmt::format(" with {} splits", planned.splits) : "";
    }

    // Everything that can still be wrong with the arguments, before large memory is allocated.
    void check_job(double workspace_bytes) const
    {
        if(!given_.load.empty())
            for(const harness::host_tensor& t : set_.tensors)
                if(t.role == tensor_role::input)
                    value_or_throw(harness::check_tensor_file(t, given_.load));
        const bool touched = given_.init != fill::zeros || !given_.load.empty() || !given_.dump.empty();
        const double bytes = memory_needed<Op>(dev_, Op::tensor_list(given_.problem), given_.verify, touched);
        value_or_throw(check_memory(bytes + (dev_.is_host() ? workspace_bytes : 0)));
        if(!given_.dump.empty())
            value_or_throw(check_folder(given_.dump));
        if(!given_.json.empty())
            value_or_throw(check_writable(given_.json));
    }

    void make_inputs()
    {
        if(given_.load.empty())
            return harness::fill_inputs<Op>(given_.problem, set_, given_.init, given_.seed);
        for(harness::host_tensor& t : set_.tensors)
            if(t.role == tensor_role::input)
                t.elements = value_or_throw(harness::load_tensor(t, given_.load));
        if constexpr(requires { Op::accept_inputs(given_.problem, set_); })
            if(const status valid = Op::accept_inputs(given_.problem, set_); !valid)
                throw harness::rejected(fmt::format("{}: {}", given_.load.string(), valid.reason()));
    }

    void compute(const plan<Op>& chosen)
    {
        make_inputs();
        {
            const harness::device_set there(dev_, set_);
            const device_buffer workspace = value_or_throw(dev_.allocate(chosen.workspace_bytes));
            const auto tensors            = Op::bind(there.addresses());
            const auto work               = [&] { return ck_tile::run(dev_, chosen, tensors, workspace.data()); };
            {
                const progress_line line("computing");
                if(given_.time)
                    milliseconds_ = value_or_throw(dev_.time(work));
                else
                    value_or_throw(work());
            }
            if(given_.time)
                fmt::print("{}\n", describe_timing(chosen));
            std::fflush(stdout); // verification takes its time
            there.fetch_results(dev_, set_);
        }
        if(!given_.dump.empty())
            value_or_throw(harness::dump_tensors(set_.tensors, given_.dump));
        if(given_.verify != verification::none)
        {
            const progress_line line("verifying");
            verified_ = harness::verify<Op>(dev_, given_.verify, given_.problem, set_);
        }
        else
            fmt::print("Verification: not asked for\n");
        each_verified([&](const harness::host_tensor& t, const comparison& found, bool only) {
            fmt::print("{}\n", describe_verification(given_.verify, found, t.shape.lengths, only ? "" : t.name));
        });
    }

    // visit(result, its comparison, whether it is the only one)
    template <class Visit>
    void each_verified(Visit&& visit) const
    {
        for(std::size_t i = 0; const harness::host_tensor& t : set_.tensors)
            if(t.role == tensor_role::result && i < verified_.size())
                visit(t, verified_[i++], verified_.size() == 1);
    }

    // "Perf: t ms, x TFlops, y GB/s, <instance>, <target>"; the bytes are those of the floor.
    std::string describe_timing(const plan<Op>& chosen) const
    {
        std::string flops;
        if constexpr(requires { Op::flops(given_.problem); })
            flops = fmt::format("{:.4g} TFlops, ", Op::flops(given_.problem) / *milliseconds_ / 1e9);
        return fmt::format("Perf: {:.4g} ms, {}{:.4g} GB/s, {}, {}", *milliseconds_, flops,
                           Op::floor_bytes(given_.problem) / *milliseconds_ / 1e6, names_of(chosen), dev_.name());
    }

    nlohmann::ordered_json report(const plan<Op>& chosen) const
    {
        nlohmann::ordered_json all = {{"problem", problem_to_json(given_.problem)},
                                      {"target", dev_.name()},
                                      {"instance", names_of(chosen)},
                                      {"id", id_of(dev_, chosen)}};
        if(Op::splits_reduction)
            all["splits"] = chosen.splits;
        all["workspace_bytes"] = chosen.workspace_bytes;
        all["timing"]          = nullptr;
        all["verification"]    = nullptr;
        if(milliseconds_)
        {
            all["timing"] = {{"ms", *milliseconds_}};
            if constexpr(requires { Op::flops(given_.problem); })
                all["timing"]["tflops"] = Op::flops(given_.problem) / *milliseconds_ / 1e9;
            all["timing"]["gb_per_s"] = Op::floor_bytes(given_.problem) / *milliseconds_ / 1e6;
        }
        each_verified([&](const harness::host_tensor& t, const comparison& found, bool only) {
            auto& entry = only ? all["verification"] : all["verification"][t.name];
            entry       = json_of(given_.verify, found, t.shape.lengths);
        });
        return all;
    }

    int verdict() const
    {
        int code = success;
        each_verified([&](const harness::host_tensor& t, const comparison& found, bool only) {
            if(!found.passed() && code == success)
                code = fail(name_,
                            fmt::format("{} is wrong: {}", only ? "the result" : t.name,
                                        harness::describe(found, t.shape.lengths)),
                            wrong_result);
        });
        return code;
    }

    const char* name_;
    const arguments<problem>& given_;
    device dev_;
    harness::tensor_set set_;
    std::optional<double> milliseconds_;
    std::vector<comparison> verified_; // one for each result
};

// main() of the program of an operation: `about` is what its help begins with, `usual` the problem without arguments.
template <class Op>
int main_of(int argc, char** argv, const char* program, const char* about, const typename Op::problem& usual = {})
{
    return run_program(program, [&] {
        const auto given = value_or_throw(
            parse_arguments<typename Op::problem>({about, program, Op::splits_reduction, true}, usual, argc, argv));
        if(given.help.empty())
            return operation_program<Op>(program, given).run();
        fmt::print("{}", given.help);
        return int(success);
    });
}

} // namespace ck_tile::program

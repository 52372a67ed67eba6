// SPDX-License-Identifier: MIT
// An operation is one description, a struct `operation` in its namespace; what users call - instances, plan, run, reference - is
// made from it here, for every operation alike. Programs, tests, benchmarks, tuning and the generator need nothing else of it.
//
//   struct operation
//   {
//       static constexpr const char* name      = "maxpool_bwd";    // its folder, and how names of instances begin
//       static constexpr const char* support[] = {"reference"};    // kernels that the instances of a type share
//       static constexpr bool splits_reduction = false;            // whether plans have splits to choose
//       using problem, config, tensors, schedule;                  // schedule: what a plan knows beside its instance
//
//       static status validate(const problem&);                    // may it be asked at all
//       static std::vector<tensor_info> tensor_list(const problem&);
//       static tensors bind(std::span<void* const>);               // addresses, in the order of that list
//       static status supports(const config&, const problem&);
//       static result<plan<operation>> schedule_on(const device&, plan<operation>);   // completes a plan: schedule, workspace, cost
//       static std::vector<launch> launches(const plan<operation>&, const tensors&, void* workspace);
//       static std::vector<launch> reference_launches(const support_kernels<operation>&, const problem&, const tensors&, void* workspace);
//       static status reference_supports(const problem&);          // where the reference kernel cannot compute every problem
//       static constexpr const char* composed;                     // where plans of other operations can do it: what such a plan is called
//       static result<plan<operation>> compose_on(const device&, plan<operation>);    // completes one, which has no instance
//
//       static std::span<const instance<operation>> instances();                      // these two the build generates
//       static std::span<const support_kernels<operation>> support_sets();
//   };
//
// A problem has a `type`, and visit_fields() names its numbers (ops/problem_fields.hpp). ops/harness/verify.hpp says what an
// operation states to be verified.
#pragma once

#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/runtime/device.hpp"
#include "ops/tensor_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile
{

// One compiled configuration.
template <class Op>
struct instance
{
    typename Op::config configuration;
    const kernel* main;
};

// The kernels that all instances of an architecture and type share, in the order of Op::support.
template <class Op>
struct support_kernels
{
    architecture arch;
    data_type type;
    std::array<const kernel*, std::size(Op::support)> kernels;

    const kernel& operator[](std::string_view name) const
    {
        const auto found = std::find(std::begin(Op::support), std::end(Op::support), name);
        return *kernels[static_cast<std::size_t>(found - std::begin(Op::support))];
    }
};

// A kernel to be queued, with a copy of its arguments.
class launch
{
  public:
    template <class Arguments>
    launch(const kernel& k, std::int64_t blocks, const Arguments& arguments)
        : kernel_(&k), blocks_(blocks), bytes_(sizeof arguments)
    {
        static_assert(sizeof arguments <= sizeof arguments_,
                      "launch: the arguments of a kernel have 1024 bytes at most");
        std::memcpy(arguments_.data(), &arguments, sizeof arguments);
    }

    status queue(const device& dev, stream s) const
    {
        return dev.launch(*kernel_, {static_cast<unsigned>(blocks_)}, arguments_.data(), bytes_, s);
    }

  private:
    const kernel* kernel_;
    std::int64_t blocks_;
    std::size_t bytes_;
    alignas(16) std::array<std::byte, 1024> arguments_;
};

// What run() will do for a problem.
template <class Op>
struct plan
{
    const instance<Op>* chosen; // null: see composed
    const support_kernels<Op>* support;
    typename Op::problem problem;
    int splits                     = 0; // of the reduction, 1 or more; where there is none to split, 1
    typename Op::schedule schedule = {};
    std::size_t workspace_bytes    = 0;
    double cost                    = 0; // compares plans of one problem
};

// What a caller may prescribe to a plan.
struct plan_request
{
    std::string_view instance = {}; // by name; empty: the one that costs least
    int splits                = 0;  // of the reduction; 0: as many as cost least
};

template <class Op>
std::string_view name_of(const instance<Op>& i)
{
    return i.main->name;
}

// What a request calls the plan's instance.
template <class Op>
std::string_view name_of(const plan<Op>& planned)
{
    if constexpr(requires { Op::composed; })
        if(planned.chosen == nullptr)
            return Op::composed;
    return name_of(*planned.chosen);
}

// The names of the instances that the plan runs: "name", or "name, name" for passes.
template <class Op>
std::string names_of(const plan<Op>& planned)
{
    if constexpr(requires { Op::instances_of(planned); })
        return fmt::format("{}", fmt::join(Op::instances_of(planned), ", "));
    else
        return std::string(name_of(planned));
}

// The configurations compiled into this program that the device can run.
template <class Op>
std::vector<const instance<Op>*> instances(const device& dev)
{
    std::vector<const instance<Op>*> found;
    for(const instance<Op>& i : Op::instances())
        if(i.configuration.arch == dev.architecture().arch && (!dev.is_host() || i.main->on_host != nullptr))
            found.push_back(&i);
    return found;
}

// The support kernels for the device and the type, or that the program was built without them.
template <class Op>
result<const support_kernels<Op>*> support_for(const device& dev, data_type type)
{
    for(const support_kernels<Op>& s : Op::support_sets())
        if(s.arch == dev.architecture().arch && s.type == type)
            return &s;
    return rejection{fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and "
                                 "CK_TILE_TARGETS, with CK_TILE_INSTANCES=all",
                                 name_of(type), dev.architecture().name)};
}

namespace detail
{
// Success, or the rules by which this instance cannot compute this problem, which is valid.
template <class Op>
status supports_valid(const instance<Op>& i, const typename Op::problem& p)
{
    if(dtype_of(i.configuration) != p.type)
        return rejection{fmt::format("the instance computes {}, the problem is {}", name_of(dtype_of(i.configuration)),
                                     name_of(p.type))};
    return Op::supports(i.configuration, p);
}
} // namespace detail

// Success, or why this instance cannot compute this problem.
template <class Op>
status supports(const instance<Op>& i, const typename Op::problem& p)
{
    const status valid = Op::validate(p);
    return valid ? detail::supports_valid(i, p) : valid;
}

// The plan that costs least of those that the request allows. Rejects problems that no instance supports.
template <class Op>
result<plan<Op>> make_plan(const device& dev, const typename Op::problem& p, const plan_request& request = {})
{
    if(status s = Op::validate(p); !s)
        return rejection{s.reason()};
    const auto support = support_for<Op>(dev, p.type);
    if(!support)
        return rejection{support.reason()};
    if(!Op::splits_reduction && request.splits > 1)
        return rejection{
            fmt::format("{} has no reduction to split, and splits is {}: leave it out", Op::name, request.splits)};
    // Of several reasons, the one to tell is that of the nearest instance: one of the type, that breaks fewest rules.
    constexpr int of_another_type = std::numeric_limits<int>::max();
    std::optional<int> fewest;
    result<plan<Op>> best = rejection{""};
    const auto consider   = [&](result<plan<Op>> candidate, int broken) {
        if(best ? candidate && candidate->cost < best->cost : candidate || !fewest || broken < *fewest)
        {
            fewest = broken;
            best   = std::move(candidate);
        }
    };
    for(const instance<Op>* i : instances<Op>(dev))
    {
        if(!request.instance.empty() && name_of(*i) != request.instance)
            continue;
        const status supported = detail::supports_valid(*i, p);
        consider(supported ? Op::schedule_on(dev, plan<Op>{i, *support, p, Op::splits_reduction ? request.splits : 1})
                           : rejection{supported.reason()},
                 dtype_of(i->configuration) == p.type ? supported.broken_rules() : of_another_type);
    }
    if constexpr(requires { Op::composed; })
        if(request.instance.empty() || request.instance == Op::composed)
            consider(Op::compose_on(dev, plan<Op>{nullptr, *support, p, 1}), of_another_type);
    if(best)
        return best;
    if(best.reason().empty() && !request.instance.empty())
        return rejection{
            fmt::format("instance '{}' is not one of {}: --instance list shows them", request.instance, dev.name())};
    return rejection{fmt::format("{} on {}: {}",
                                 request.instance.empty() ? "no instance supports the problem" : request.instance,
                                 dev.name(), best.reason().empty() ? "none was built" : best.reason())};
}

// Queues launches, in order.
inline status queue(const device& dev, const std::vector<launch>& launches, stream s = {})
{
    for(const launch& each : launches)
        if(status queued = each.queue(dev, s); !queued)
            return queued;
    return {};
}

// Queues the kernels of the plan. `workspace` has at least workspace_bytes bytes of device memory. The same plan and inputs give
// the same bits on every run.
template <class Op>
status run(const device& dev, const plan<Op>& planned, const typename Op::tensors& data, void* workspace, stream s = {})
{
    return queue(dev, Op::launches(planned, data, workspace), s);
}

// Device memory that run_reference() needs beside the tensors.
template <class Op>
std::size_t reference_workspace_bytes(const typename Op::problem& p)
{
    if constexpr(requires { Op::reference_workspace_bytes(p); })
        return Op::reference_workspace_bytes(p);
    else
        return 0;
}

// The same results by the reference kernel: one thread per element, no tiles, sums in fp32 in the order of the definition.
template <class Op>
status run_reference(const device& dev, const typename Op::problem& p, const typename Op::tensors& data,
                     void* workspace, stream s = {})
{
    if(status valid = Op::validate(p); !valid)
        return valid;
    if constexpr(requires { Op::reference_supports(p); })
        if(status supported = Op::reference_supports(p); !supported)
            return supported;
    const auto support = support_for<Op>(dev, p.type);
    if(!support)
        return rejection{support.reason()};
    return queue(dev, Op::reference_launches(**support, p, data, workspace), s);
}

} // namespace ck_tile

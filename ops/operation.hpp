// SPDX-License-Identifier: MIT
// An operation is one description, a struct `operation` in its namespace; what users call - instances, plan, run, reference - is
// made from it here, for every operation alike. Programs, tests, benchmarks, tuning and the generator need nothing else of it.
//
//   struct operation
//   {
//       static constexpr const char* name      = "maxpool_bwd";    // its folder, and how names of instances begin
//       static constexpr const char* word      = "pool_bwd";       // how their ids begin; else its name
//       static constexpr const char* support[] = {"reference"};    // kernels that the instances of a type share; "family/kernel": those of
//                                                                  // several operations (ck_tile_add_support_kernels)
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
//       using formulations = ck_tile::formulations<...>;           // operations that compute some of its problems in ways of their own
//
//       static double floor_bytes(const problem&);                 // of inputs read once and results written once
//       static double flops(const problem&);                       // where operations are counted
//       static problem matrix_product(data_type);                  // where one is a product of matrices: shows what the device can do
//
//       static std::span<const instance<operation>> instances();                      // these three the build generates
//       static std::span<const support_kernels<operation>> support_sets();
//       static std::span<const shipped_table> shipped_tables();
//   };
//
// A problem has a `type`, and visit_fields() names its numbers (ops/problem_fields.hpp). ops/harness/verify.hpp says what an
// operation states to be verified.
#pragma once

#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/runtime/device.hpp"
#include "ops/instance_id.hpp"
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
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ck_tile
{

// One compiled configuration.
template <class Op>
struct instance
{
    typename Op::config configuration;
    const kernel* main;
    const char* fields =
        "{}"; // the configuration as generate.py has it: {"arch": "gfx942", "block.m": 128, ..., "dtype": "fp16"}
};

// Instances that a program has beside the library's, known from its start on: ck_tile_add_instances() generates one of them.
template <class Op>
class instance_set
{
  public:
    explicit instance_set(std::span<const instance<Op>> own) : own_(own), next_(first_) { first_ = this; }
    instance_set(const instance_set&)            = delete;
    instance_set& operator=(const instance_set&) = delete;

    // visit(instance) for those of all sets.
    template <class Visit>
    static void each(Visit&& visit)
    {
        for(const instance_set* set = first_; set != nullptr; set = set->next_)
            for(const instance<Op>& i : set->own_)
                visit(i);
    }

  private:
    std::span<const instance<Op>> own_;
    const instance_set* next_;
    static inline const instance_set* first_ = nullptr;
};

// The kernels that all instances of an architecture and type share, in the order of Op::support.
template <class Op>
struct support_kernels
{
    architecture arch;
    data_type type;
    std::array<const kernel*, std::size(Op::support)> kernels;

    // By its name, without the family's.
    const kernel& operator[](std::string_view name) const
    {
        const auto found = std::find_if(std::begin(Op::support), std::end(Op::support),
                                        [&](std::string_view one) { return one.substr(one.rfind('/') + 1) == name; });
        return *kernels[static_cast<std::size_t>(found - std::begin(Op::support))];
    }
};

// A tuned table of devices of an architecture, which an operation's library has in it.
struct shipped_table
{
    architecture arch;
    const char* json;
};

// What a tuned table says of a problem.
struct plan_choice
{
    std::string instance;
    int splits;
};

// What the tables of the operation's library say of it (ops/shipped_choice.hpp).
template <class Op>
std::optional<plan_choice> shipped_choice(architecture arch, const typename Op::problem& p);

// A kernel to be queued, with a copy of its arguments.
class launch
{
  public:
    template <class Arguments>
    launch(const kernel& k, std::int64_t blocks, const Arguments& arguments)
        : kernel_(&k), blocks_(blocks), bytes_(sizeof arguments)
    {
        static_assert(sizeof arguments <= sizeof arguments_,
                      "launch: the arguments of a kernel have 1536 bytes at most");
        std::memcpy(arguments_.data(), &arguments, sizeof arguments);
    }

    status queue(const device& dev, stream s) const
    {
        return dev.launch(*kernel_, {static_cast<unsigned>(blocks_)}, arguments_.data(), bytes_, s);
    }

    const kernel& program() const { return *kernel_; }
    std::int64_t blocks() const { return blocks_; }
    const void* arguments() const { return arguments_.data(); }

  private:
    const kernel* kernel_;
    std::int64_t blocks_;
    std::size_t bytes_;
    alignas(64) std::array<std::byte, 1536> arguments_; // as a tensor_map is
};

// Descriptions of operations that compute some problems of another one in ways of their own: their problems are made of its problems, their
// tensors are its tensors, their costs compare with its own.
template <class... Ops>
struct formulations
{};

template <class Op>
struct plan;

namespace detail
{
template <class Op>
struct formulations_of
{
    using type = formulations<>;
};
template <class Op>
requires requires { typename Op::formulations; }
struct formulations_of<Op>
{
    using type = typename Op::formulations;
};

// A plan of one of them, or none.
template <class>
struct plan_of_one;
template <class... Ops>
struct plan_of_one<formulations<Ops...>>
{
    using type = std::variant<std::monostate, plan<Ops>...>;
};

// f(std::type_identity<F>) for each of an operation's formulations F.
template <class Op, class F>
void each_formulation(F&& f)
{
    [&]<class... Ops>(formulations<Ops...>) {
        (f(std::type_identity<Ops>{}), ...);
    }(typename formulations_of<Op>::type{});
}
} // namespace detail

// What run() will do for a problem.
template <class Op>
struct plan
{
    const instance<Op>* chosen; // null: see composed and formulations
    const support_kernels<Op>* support;
    typename Op::problem problem;
    int splits                     = 0; // of the reduction, 1 or more; where there is none to split, 1
    typename Op::schedule schedule = {};
    std::size_t workspace_bytes    = 0;
    double cost                    = 0; // compares plans of one problem
    typename detail::plan_of_one<typename detail::formulations_of<Op>::type>::type formulated =
        {}; // all of it, if it is one of these
};

namespace detail
{
// own(), or of a plan that is one of a formulation, of_formulation(that).
template <class Op, class Own, class OfFormulation>
auto visit_plan(const plan<Op>& planned, Own&& own, OfFormulation&& of_formulation)
{
    return std::visit(
        [&]<class P>(const P& p) {
            if constexpr(std::is_same_v<P, std::monostate>)
                return own();
            else
                return of_formulation(p);
        },
        planned.formulated);
}
} // namespace detail

// What a caller may prescribe to a plan.
struct plan_request
{
    std::string_view instance = {}; // by name or id; empty: the one that costs least
    int splits                = 0;  // of the reduction; 0: as many as cost least
    bool tuned = true; // where neither is prescribed, what the library's tuned table says counts before costs
};

template <class Op>
std::string_view name_of(const instance<Op>& i)
{
    return i.main->name;
}

// How ids of the operation's instances begin.
template <class Op>
constexpr std::string_view word_of()
{
    if constexpr(requires { Op::word; })
        return Op::word;
    else
        return Op::name;
}

template <class Op>
std::string id_of(const instance<Op>& i)
{
    return make_id(word_of<Op>(), name_of(i.configuration.arch), name_of(i));
}

// Whether that is its name or its id; ids have dots, which names do not.
template <class Op>
bool is_called(const instance<Op>& i, std::string_view name)
{
    return name.find('.') == name.npos ? name == name_of(i) : name == id_of(i);
}

// The id of plans without an instance, of operations that have them.
template <class Op>
std::string composed_id(const device& dev)
{
    return make_id(word_of<Op>(), dev.architecture().name, Op::composed);
}

// What a request calls the plan's instance.
template <class Op>
std::string_view name_of(const plan<Op>& planned)
{
    return detail::visit_plan(
        planned,
        [&]() -> std::string_view {
            if constexpr(requires { Op::composed; })
                if(planned.chosen == nullptr)
                    return Op::composed;
            return name_of(*planned.chosen);
        },
        [](const auto& formulated) { return name_of(formulated); });
}

// The same, short.
template <class Op>
std::string id_of(const device& dev, const plan<Op>& planned)
{
    return detail::visit_plan(
        planned,
        [&] {
            if constexpr(requires { Op::composed; })
                if(planned.chosen == nullptr)
                    return composed_id<Op>(dev);
            return id_of(*planned.chosen);
        },
        [&](const auto& formulated) { return id_of(dev, formulated); });
}

// The fields of its configuration, as instance has them.
template <class Op>
const char* fields_of(const plan<Op>& planned)
{
    return detail::visit_plan(
        planned, [&] { return planned.chosen == nullptr ? "{}" : planned.chosen->fields; },
        [](const auto& formulated) { return fields_of(formulated); });
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
    const auto add_if_runs = [&](const instance<Op>& i) {
        if(i.configuration.arch == dev.architecture().arch && (!dev.is_host() || i.main->on_host != nullptr))
            found.push_back(&i);
    };
    std::ranges::for_each(Op::instances(), add_if_runs);
    instance_set<Op>::each(add_if_runs);
    return found;
}

namespace detail
{
inline rejection built_without(const device& dev, data_type type)
{
    return rejection{fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and "
                                 "CK_TILE_TARGETS, with CK_TILE_INSTANCES=all",
                                 name_of(type), dev.architecture().name)};
}
} // namespace detail

// The support kernels for the device and the type, or that the program was built without them.
template <class Op>
result<const support_kernels<Op>*> support_for(const device& dev, data_type type)
{
    for(const support_kernels<Op>& s : Op::support_sets())
        if(s.arch == dev.architecture().arch && s.type == type)
            return &s;
    return detail::built_without(dev, type);
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

template <class Op>
result<plan<Op>> make_plan(const device& dev, const typename Op::problem& p, const plan_request& request = {});

// What a request may name.
struct named_choice
{
    std::string_view name;
    std::string id;
    const char* fields; // of an instance's configuration
    status supported;   // whether it can compute a problem
};

// visit(named_choice) for everything that a request for this problem may name.
template <class Op, class Visit>
void each_choice(const device& dev, const typename Op::problem& p, Visit&& visit)
{
    for(const instance<Op>* i : instances<Op>(dev))
        visit(named_choice{name_of(*i), id_of(*i), i->fields, supports(*i, p)});
    detail::each_formulation<Op>(
        [&]<class F>(std::type_identity<F>) { each_choice<F>(dev, typename F::problem(p), visit); });
    if constexpr(requires { Op::composed; })
    {
        const auto planned = make_plan<Op>(dev, p, {.instance = Op::composed});
        visit(named_choice{Op::composed, composed_id<Op>(dev), "{}",
                           planned ? status{} : status(rejection{planned.reason()})});
    }
}

namespace detail
{
constexpr int of_another_type = std::numeric_limits<int>::max(); // rules that an instance breaks

// consider(plan or why there is none, rules broken) for everything that the request allows.
template <class Op, class Consider>
void each_candidate(const device& dev, const typename Op::problem& p, const plan_request& request, Consider&& consider)
{
    const auto support = support_for<Op>(dev, p.type);
    if(!support)
        return consider(rejection{support.reason()}, of_another_type);
    for(const instance<Op>* i : instances<Op>(dev))
    {
        if(!request.instance.empty() && !is_called(*i, request.instance))
            continue;
        const status supported = supports_valid(*i, p);
        consider(supported ? Op::schedule_on(dev, plan<Op>{i, *support, p, Op::splits_reduction ? request.splits : 1})
                           : rejection{supported.reason()},
                 dtype_of(i->configuration) == p.type ? supported.broken_rules() : of_another_type);
    }
    each_formulation<Op>([&]<class F>(std::type_identity<F>) {
        if(F::splits_reduction || request.splits <= 1)
            each_candidate<F>(dev, typename F::problem(p), request, [&](const result<plan<F>>& found, int broken) {
                if(found)
                    consider(
                        plan<Op>{nullptr, *support, p, found->splits, {}, found->workspace_bytes, found->cost, *found},
                        broken);
                else
                    consider(rejection{found.reason()}, broken);
            });
    });
    if constexpr(requires { Op::composed; })
        if(request.instance.empty() || request.instance == Op::composed || request.instance == composed_id<Op>(dev))
            consider(Op::compose_on(dev, plan<Op>{nullptr, *support, p, 1}), of_another_type);
}
} // namespace detail

// The plan that the library's tuned tables choose for devices of this architecture; where they do not, or the request prescribes
// something, the one that costs least of those that it allows. Rejects problems that no instance supports.
template <class Op>
result<plan<Op>> make_plan(const device& dev, const typename Op::problem& p, const plan_request& request)
{
    if(status s = Op::validate(p); !s)
        return rejection{s.reason()};
    if(const auto support = support_for<Op>(dev, p.type); !support)
        return rejection{support.reason()};
    if(!Op::splits_reduction && request.splits > 1)
        return rejection{
            fmt::format("{} has no reduction to split, and splits is {}: leave it out", Op::name, request.splits)};
    if(request.tuned && request.instance.empty() && request.splits == 0)
        if(const auto choice = shipped_choice<Op>(dev.architecture().arch, p))
            if(auto tuned = make_plan<Op>(dev, p, {.instance = choice->instance, .splits = choice->splits}))
                return tuned; // else the instance was not built
    // Of several reasons, the one to tell is that of the nearest instance: one of the type, that breaks fewest rules.
    std::optional<int> fewest;
    result<plan<Op>> best = rejection{""};
    detail::each_candidate<Op>(dev, p, request, [&](result<plan<Op>> candidate, int broken) {
        if(best ? candidate && candidate->cost < best->cost : candidate || !fewest || broken < *fewest)
        {
            fewest = broken;
            best   = std::move(candidate);
        }
    });
    if(best)
        return best;
    if(best.reason().empty() && !request.instance.empty())
        return rejection{
            fmt::format("instance '{}' is not one of {}: --instance list shows them", request.instance, dev.name())};
    // Support kernels are the family's: those of a type may be there while all of this operation's instances are of others.
    if(request.instance.empty() && fewest.value_or(detail::of_another_type) == detail::of_another_type)
        return detail::built_without(dev, p.type);
    return rejection{fmt::format("{} on {}: {}",
                                 request.instance.empty() ? "no instance supports the problem" : request.instance,
                                 dev.name(), best.reason())};
}

// What run() queues.
template <class Op>
std::vector<launch> launches_of(const plan<Op>& planned, const typename Op::tensors& data, void* workspace)
{
    return detail::visit_plan(
        planned, [&] { return Op::launches(planned, data, workspace); },
        [&](const auto& formulated) { return launches_of(formulated, data, workspace); });
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
    return queue(dev, launches_of(planned, data, workspace), s);
}

// Loads the code of the kernels that the plan queues, which else its first run does.
template <class Op>
status load(const device& dev, const plan<Op>& planned)
{
    // Which kernels they are does not depend on where tensors are, if only they are somewhere.
    alignas(256) std::byte somewhere[1];
    std::vector<void*> addresses;
    for(const tensor_info& t : Op::tensor_list(planned.problem))
        addresses.push_back(t.on_device() ? somewhere : nullptr);
    for(const launch& each : launches_of(planned, Op::bind(addresses), somewhere))
        if(status loaded = dev.load(each.program()); !loaded)
            return loaded;
    return {};
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

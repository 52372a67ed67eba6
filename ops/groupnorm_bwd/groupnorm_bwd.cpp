// SPDX-License-Identifier: MIT
#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"

#include "ops/groupnorm_bwd/instance.hpp"
#include "ops/groupnorm_bwd/support_kernels.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace ck_tile::groupnorm_bwd
{
namespace
{

using step = groupnorm::step<instance>;

// Tensors of the size of x that a pass moves.
int tensors_moved(pass what) { return what == pass::sums ? 2 : 3; }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

int compute_units(const device& on) { return on.is_host() ? on.architecture().compute_units : on.compute_units(); }

const support_kernels* support_for(architecture arch, data_type type)
{
    for(const support_kernels& s : all_support_kernels())
        if(s.arch == arch && s.type == type)
            return &s;
    return nullptr;
}

rejection not_built(const device& on, data_type type)
{
    return {fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and CK_TILE_TARGETS",
                        name_of(type), on.architecture().name)};
}

status launch(const device& on, const kernel& k, std::int64_t blocks, const auto& arguments)
{
    return blocks == 0 ? status{} : on.launch(k, {static_cast<unsigned>(blocks)}, &arguments, sizeof arguments);
}

const step* step_of(const plan& what, pass which)
{
    for(const step& s : what.steps)
        if(s.instance->configuration.pass == which)
            return &s;
    return nullptr;
}

// Partials are made by the pass that makes sums, if anything needs them.
const step* summing_step(const plan& what)
{
    if(const step* sums = step_of(what, pass::sums))
        return sums;
    return what.wanted.parameters() ? step_of(what, pass::whole) : nullptr;
}

std::size_t partial_bytes(const plan& what)
{
    const step* from = summing_step(what);
    if(from == nullptr)
        return 0;
    const groupnorm::geometry& g = from->slabs;
    return static_cast<std::size_t>(g.batch) * static_cast<std::size_t>(g.parts) * static_cast<std::size_t>(g.channels) *
           sizeof(sums);
}

std::size_t group_sum_bytes(const plan& what, const problem& p)
{
    return step_of(what, pass::apply) == nullptr ? 0 : static_cast<std::size_t>(p.batch * p.groups) * sizeof(sums);
}

} // namespace

std::vector<const instance*> instances(const device& on)
{
    std::vector<const instance*> found;
    for(const instance& i : all_instances())
        if(i.configuration.arch == on.architecture().arch && (!on.is_host() || i.main->on_host != nullptr))
            found.push_back(&i);
    return found;
}

std::string name_of(const instance& i) { return i.main->name; }

std::string describe(const plan& what)
{
    std::string names;
    for(const step& s : what.steps)
        names += (names.empty() ? "" : ", ") + name_of(*s.instance);
    return names;
}

status supports(const instance& i, const problem& p)
{
    const auto made = groupnorm::cut_into_slabs(i.configuration, p, facts(i.configuration.arch).compute_units,
                                                tensors_moved(i.configuration.pass));
    return made ? status{} : rejection{made.reason()};
}

result<plan> make_plan(const device& on, const problem& p, const wanted& outputs, std::string_view instance_name)
{
    if(status s = groupnorm::validate(p); !s)
        return rejection{s.reason()};
    if(!outputs.dx && !outputs.parameters())
        return rejection{"no gradient is wanted: ask for dx, dgamma or dbeta"};
    if(support_for(on.architecture().arch, p.type) == nullptr)
        return not_built(on, p.type);

    struct choice
    {
        step chosen;
        double cost;
        bool named;
    };
    std::optional<choice> best[3]; // per pass
    std::string reasons;
    bool known = instance_name.empty();
    for(const instance* i : instances(on))
    {
        const bool named = name_of(*i) == instance_name;
        known            = known || named;
        const pass which = i->configuration.pass;
        const auto made  = groupnorm::cut_into_slabs(i->configuration, p, compute_units(on), tensors_moved(which));
        auto& so_far     = best[static_cast<int>(which)];
        if(!made)
        {
            if(named || reasons.empty())
                reasons = made.reason();
            if(named)
                break;
        }
        else if(!so_far || named || (!so_far->named && made->cost < so_far->cost))
            so_far = choice{{i, made->slabs}, made->cost, named};
    }
    if(!known)
        return rejection{
            fmt::format("instance '{}' is not one of {}: --instance list shows them", instance_name, on.name())};
    const auto& [whole, first, second] = best;
    const bool named_missing = !instance_name.empty() && !(whole && whole->named) && !(first && first->named) &&
                               !(second && second->named);
    if(named_missing || (!whole && (!first || (outputs.dx && !second))))
        return rejection{fmt::format("{} on {}: {}",
                                     named_missing ? instance_name : "no instance supports the problem", on.name(), reasons)};

    plan what;
    what.wanted = outputs;
    // The streaming formulation has one more launch, between its passes.
    const bool can_stream = first && (second || !outputs.dx);
    const double streaming =
        !can_stream ? std::numeric_limits<double>::infinity() : first->cost + (outputs.dx ? 1.2 * second->cost : 0);
    const bool wants_stream = (first && first->named) || (second && second->named);
    if(whole && !wants_stream && (whole->named || (outputs.dx && whole->cost <= streaming)))
        what.steps = {whole->chosen};
    else if(!can_stream)
        return rejection{fmt::format("no two passes on {} support the problem: {}", on.name(), reasons)};
    else
    {
        what.steps = {first->chosen};
        if(outputs.dx)
            what.steps.push_back(second->chosen);
    }
    what.workspace_bytes = partial_bytes(what) + group_sum_bytes(what, p);
    return what;
}

status run(const device& on, const problem& p, const plan& what, const tensors& data, void* workspace)
{
    const step *whole = step_of(what, pass::whole), *first = step_of(what, pass::sums), *second = step_of(what, pass::apply);
    const step* summing = summing_step(what);
    sums* partials      = summing != nullptr ? static_cast<sums*>(workspace) : nullptr;
    sums* group_sums    = second != nullptr ? partials + partial_bytes(what) / sizeof(sums) : nullptr;
    const auto queue    = [&](const step& s) {
        const float inverse = 1.f / static_cast<float>(p.group_elements());
        const arguments a   = {s.slabs, data.x, data.dy,  data.gamma, data.mean, data.inv_std, data.dx,
                               partials, group_sums, inverse};
        return launch(on, *s.instance->main, s.blocks(), a);
    };
    if(const step* begin = whole != nullptr ? whole : first)
        if(status s = queue(*begin); !s)
            return s;

    finish_arguments f = {partials,    data.gamma,   data.inv_std, group_sums, data.dgamma, data.dbeta, int(p.batch), 0,
                          int(p.groups), int(p.c), second != nullptr ? int(p.batch * p.groups) : 0};
    f.parts            = summing != nullptr ? summing->slabs.parts : 0;
    using finish       = finish_program<architecture::gfx942, data_type::fp32>;
    const std::int64_t parameter_blocks = what.wanted.parameters() ? ceil_div(p.channels(), finish::channels_of_block) : 0;
    const kernel& add_up                = *support_for(on.architecture().arch, p.type)->finish;
    if(status s = launch(on, add_up, f.group_blocks + parameter_blocks, f); !s)
        return s;
    return second != nullptr ? queue(*second) : status{};
}

status run_reference(const device& on, const problem& p, const tensors& data)
{
    if(status s = groupnorm::validate(p); !s)
        return s;
    const support_kernels* kernels = support_for(on.architecture().arch, p.type);
    if(kernels == nullptr)
        return not_built(on, p.type);
    const auto group_sums = on.allocate(static_cast<std::size_t>(p.batch * p.groups) * sizeof(sums));
    if(!group_sums)
        return rejection{group_sums.reason()};
    const bool channels   = p.layout == groupnorm::layout::nhwgc;
    reference_arguments a = {};
    a.x = data.x, a.dy = data.dy, a.gamma = data.gamma, a.mean = data.mean, a.inv_std = data.inv_std;
    a.dx = data.dx, a.dgamma = data.dgamma, a.dbeta = data.dbeta;
    a.group_sums = static_cast<sums*>(group_sums->data());
    a.batch = int(p.batch), a.pixels = int(p.pixels()), a.groups = int(p.groups), a.per_group = int(p.c);
    a.image   = p.pixels() * p.channels();
    a.pixel   = channels ? p.channels() : 1;
    a.channel = channels ? 1 : p.pixels();

    const auto stage = [&](reference_stage which, std::int64_t outputs) {
        a.stage = which, a.outputs = outputs;
        return launch(on, *kernels->reference, ceil_div(outputs, kernels->reference->threads), a);
    };
    status s;
    if(data.dx != nullptr)
        s = stage(reference_stage::group_sums, p.batch * p.groups);
    if(s && data.dx != nullptr)
        s = stage(reference_stage::dx, p.batch * a.image);
    if(s && (data.dgamma != nullptr || data.dbeta != nullptr))
        s = stage(reference_stage::parameters, p.channels());
    return s ? on.synchronize() : s;
}

} // namespace ck_tile::groupnorm_bwd

// SPDX-License-Identifier: MIT
#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"

#include "ops/groupnorm/host.hpp"
#include "ops/groupnorm_bwd/instance.hpp"
#include "ops/groupnorm_bwd/support_kernels.hpp"

namespace ck_tile::groupnorm_bwd
{
namespace
{

using step = groupnorm::step<instance>;

// Tensors of the size of x that a pass moves.
int tensors_moved(pass what) { return what == pass::sums ? 2 : 3; }

const step* step_of(const plan& what, pass which) { return groupnorm::step_of(what.steps, which); }

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
    return static_cast<std::size_t>(from->slabs.batch) * static_cast<std::size_t>(from->slabs.parts.divisor) *
           static_cast<std::size_t>(from->slabs.channels) * sizeof(sums);
}

std::size_t group_sum_bytes(const plan& what, const problem& p)
{
    return step_of(what, pass::apply) == nullptr ? 0 : static_cast<std::size_t>(p.batch * p.groups) * sizeof(sums);
}

} // namespace

std::vector<const instance*> instances(const device& on) { return instances_for(on, all_instances()); }

std::string name_of(const instance& i) { return i.main->name; }

std::string describe(const plan& what) { return groupnorm::names_of(what.steps); }

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
    if(const auto support = support_for(on, p.type, all_support_kernels()); !support)
        return rejection{support.reason()};
    const auto steps = groupnorm::choose_steps(
        on, p, instances(on), {.result = outputs.dx, .tensors = tensors_moved, .instance_name = instance_name});
    if(!steps)
        return rejection{steps.reason()};
    plan what            = {*steps, outputs};
    what.workspace_bytes = partial_bytes(what) + group_sum_bytes(what, p);
    return what;
}

status run(const device& on, const problem& p, const plan& what, const tensors& data, void* workspace)
{
    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
    const step *second = step_of(what, pass::apply), *summing = summing_step(what);
    sums* partials   = summing != nullptr ? static_cast<sums*>(workspace) : nullptr;
    sums* group_sums = second != nullptr ? partials + partial_bytes(what) / sizeof(sums) : nullptr;
    const auto queue = [&](const step& s) {
        const float inverse = 1.f / static_cast<float>(p.group_elements());
        const arguments a   = {s.slabs,      data.x,  data.dy,  data.gamma, data.mean,
                               data.inv_std, data.dx, partials, group_sums, inverse};
        return launch(on, *s.instance->main, s.blocks(), a);
    };
    if(status s = queue(what.steps.front()); !s)
        return s;

    using finish       = finish_program<architecture::gfx942, data_type::fp32>;
    finish_arguments f = {};
    f.partials = partials, f.gamma = data.gamma, f.inv_std = data.inv_std, f.group_sums = group_sums;
    f.dgamma = data.dgamma, f.dbeta = data.dbeta;
    f.batch = int(p.batch), f.groups = int(p.groups), f.per_group = int(p.c);
    f.parts                       = summing != nullptr ? summing->slabs.parts.divisor : 0;
    f.group_blocks                = second != nullptr ? int(p.batch * p.groups) : 0;
    const std::int64_t parameters = what.wanted.parameters() ? ceil_div(p.channels(), finish::channels_of_block) : 0;
    if(status s = launch(on, *(*support)->finish, f.group_blocks + parameters, f); !s)
        return s;
    return second != nullptr ? queue(*second) : status{};
}

status run_reference(const device& on, const problem& p, const tensors& data)
{
    if(status s = groupnorm::validate(p); !s)
        return s;
    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
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
        const kernel& reference = *(*support)->reference;
        return launch(on, reference, ceil_div(outputs, reference.threads), a);
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

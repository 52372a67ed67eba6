// SPDX-License-Identifier: MIT
#include "ops/groupnorm_fwd/groupnorm_fwd.hpp"

#include "ops/groupnorm/host.hpp"
#include "ops/groupnorm_fwd/instance.hpp"
#include "ops/groupnorm_fwd/support_kernels.hpp"

namespace ck_tile::groupnorm_fwd
{
namespace
{

// Tensors of the size of x that a pass moves.
int tensors_moved(pass what) { return what == pass::sums ? 1 : 2; }

} // namespace

std::vector<const instance*> instances(const device& on) { return instances_for(on, all_instances()); }

std::string name_of(const instance& i) { return i.main->name; }

std::string describe(const plan& what) { return groupnorm::names_of(what.steps); }

status supports(const instance& i, const problem& p)
{
    const config& c = i.configuration;
    const auto made =
        groupnorm::cut_into_slabs(c, p, facts(c.arch).compute_units, tensors_moved(c.pass), c.pass != pass::sums);
    return made ? status{} : rejection{made.reason()};
}

result<plan> make_plan(const device& on, const problem& p, std::string_view instance_name)
{
    if(status s = groupnorm::validate(p); !s)
        return rejection{s.reason()};
    if(const auto support = support_for(on, p.type, all_support_kernels()); !support)
        return rejection{support.reason()};
    const auto steps = groupnorm::choose_steps(
        on, p, instances(on), {.several_tiles = false, .tensors = tensors_moved, .instance_name = instance_name});
    if(!steps)
        return rejection{steps.reason()};
    plan what = {*steps};
    if(const auto* first = groupnorm::step_of(what.steps, pass::sums))
        what.workspace_bytes = static_cast<std::size_t>(p.batch * p.channels()) *
                               static_cast<std::size_t>(first->slabs.parts.divisor) * sizeof(moments);
    return what;
}

status run(const device& on, const problem& p, const plan& what, const tensors& data, float epsilon, void* workspace)
{
    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
    const float inverse = 1.f / static_cast<float>(p.group_elements());
    moments* partials   = static_cast<moments*>(workspace);
    for(const auto& s : what.steps)
    {
        const arguments a = {s.slabs,      data.x, data.gamma, data.beta, data.mean,
                             data.inv_std, data.y, partials,   epsilon,   inverse};
        if(status done = launch(on, *s.instance->main, s.blocks(), a); !done)
            return done;
        if(s.instance->configuration.pass != pass::sums)
            continue;
        const finish_arguments f = {partials,      data.mean, data.inv_std,    s.slabs.parts.divisor,
                                    int(p.groups), int(p.c),  int(p.pixels()), s.slabs.part,
                                    epsilon,       inverse};
        if(status done = launch(on, *(*support)->finish, p.batch * p.groups, f); !done)
            return done;
    }
    return {};
}

status run_reference(const device& on, const problem& p, const tensors& data, float epsilon)
{
    if(status s = groupnorm::validate(p); !s)
        return s;
    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
    const bool channels   = p.layout == groupnorm::layout::nhwgc;
    reference_arguments a = {};
    a.x = data.x, a.gamma = data.gamma, a.beta = data.beta, a.y = data.y, a.mean = data.mean, a.inv_std = data.inv_std;
    a.pixels = int(p.pixels()), a.groups = int(p.groups), a.per_group = int(p.c), a.epsilon = epsilon;
    a.image          = p.pixels() * p.channels();
    a.pixel          = channels ? p.channels() : 1;
    a.channel        = channels ? 1 : p.pixels();
    const auto stage = [&](reference_stage which, std::int64_t outputs) {
        a.stage = which, a.outputs = outputs;
        const kernel& reference = *(*support)->reference;
        return launch(on, reference, ceil_div(outputs, reference.threads), a);
    };
    const status s = stage(reference_stage::statistics, p.batch * p.groups);
    return s ? stage(reference_stage::y, p.batch * a.image) : s;
}

} // namespace ck_tile::groupnorm_fwd

// SPDX-License-Identifier: MIT
#include "ops/maxpool_fwd/maxpool_fwd.hpp"

#include "ops/maxpool/launch.hpp"
#include "ops/maxpool_fwd/instance.hpp"
#include "ops/maxpool_fwd/support_kernels.hpp"

namespace ck_tile::maxpool_fwd
{
namespace
{

using maxpool::problem;

arguments describe(const problem& p, const tensors& data)
{
    arguments a = {};
    a.in = data.in, a.out = data.out, a.indices = data.indices;
    maxpool::set_problem(a, p);
    return a;
}

std::int64_t blocks_per_image(const config& c, const problem& p)
{
    return ceil_div(p.output_pixels() * p.channels / c.vector, c.threads);
}

} // namespace

std::vector<const instance*> instances(const device& on) { return instances_for(on, all_instances()); }

std::string name_of(const instance& i) { return i.main->name; }

status supports(const instance& i, const problem& p)
{
    const config& c = i.configuration;
    if(status s = maxpool::validate(p); !s)
        return s;
    if(p.indices != indices::recompute && c.index != p.indices)
        return rejection{fmt::format("the instance writes {} indices, the problem wants {}", ck_tile::name_of(c.index),
                                     ck_tile::name_of(p.indices))};
    if(status s = maxpool::check_kind(c, p); !s)
        return s;
    if(status s = maxpool::check_image(p, maxpool::bytes_of(p.indices)); !s)
        return s;
    return maxpool::check_blocks(blocks_per_image(c, p), p.batch);
}

result<plan> make_plan(const device& on, const problem& p, std::string_view instance_name)
{
    if(status s = maxpool::validate(p); !s)
        return rejection{s.reason()};
    if(const auto support = support_for(on, p.type, all_support_kernels()); !support)
        return rejection{support.reason()};
    const auto best = maxpool::choose_instance(
        instances(on), on, instance_name, [&](const instance& i) { return supports(i, p); },
        [](const instance& i) { return -i.configuration.vector; });
    if(!best)
        return rejection{best.reason()};
    return plan{*best};
}

status run(const device& on, const problem& p, const plan& what, const tensors& data)
{
    const config& c = what.chosen->configuration;
    arguments a     = describe(p, data);
    a.blocks        = static_cast<int>(blocks_per_image(c, p));
    if(p.indices == indices::recompute)
        a.indices = nullptr;
    return launch(on, *what.chosen->main, p.batch * a.blocks, a);
}

status run_reference(const device& on, const problem& p, const tensors& data)
{
    if(status s = maxpool::validate(p); !s)
        return s;
    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
    const kernel& reference     = *(*support)->reference;
    const reference_arguments a = {describe(p, data), p.layout == maxpool::layout::nhwc};
    return launch(on, reference, ceil_div(maxpool::output_shape(p).elements(), reference.threads), a);
}

} // namespace ck_tile::maxpool_fwd

// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_bwd_weight/grouped_conv_bwd_weight.hpp"

#include "ops/grouped_conv_bwd_weight/geometry.hpp"
#include "ops/grouped_conv_bwd_weight/instance.hpp"
#include "ops/grouped_conv_bwd_weight/support_kernels.hpp"
#include "ops/host_api.hpp"

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

arguments describe(const conv::problem& p, const tensors& data)
{
    return {.in               = data.in,
            .out              = data.out,
            .wei              = data.wei,
            .partials         = nullptr,
            .conv             = conv::make_arguments(p),
            .splits           = 1,
            .pixels_per_split = 0,
            .tiles_m          = 0,
            .tiles_n          = 0};
}

} // namespace

status run(const device& on, const conv::problem& p, const plan& what, const tensors& data, void* workspace)
{
    const config& c    = what.chosen->configuration;
    arguments a        = describe(p, data);
    a.partials         = static_cast<float*>(workspace);
    a.splits           = what.splits;
    a.pixels_per_split = static_cast<int>(split_length(p, what.splits));
    a.tiles_m          = static_cast<int>(ceil_div(p.k, c.tile.block.m));
    a.tiles_n          = static_cast<int>(ceil_div(row_length(p), c.tile.block.n));
    if(status s = launch(on, *what.chosen->main, tiles_of(c, p) * a.splits, a); !s || a.splits == 1)
        return s;

    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
    const finish_arguments f = {a.partials, a.wei, weights_of(p), a.splits};
    return launch(on, *(*support)->finish,
                  ceil_div(f.weights, finish_program<architecture::gfx942, data_type::fp32>::per_block), f);
}

status run_reference(const device& on, const conv::problem& p, const tensors& data)
{
    if(status s = conv::validate(p); !s)
        return s;
    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
    const kernel& reference = *(*support)->reference;
    return launch(on, reference, ceil_div(weights_of(p), reference.threads), describe(p, data));
}

} // namespace ck_tile::grouped_conv_bwd_weight

// SPDX-License-Identifier: MIT
#include "ops/maxpool_bwd/maxpool_bwd.hpp"

#include "ops/maxpool/launch.hpp"
#include "ops/maxpool_bwd/instance.hpp"
#include "ops/maxpool_bwd/support_kernels.hpp"

namespace ck_tile::maxpool_bwd
{
namespace
{

using maxpool::problem;

arguments describe(const problem& p, const tensors& data)
{
    arguments a = {};
    a.out = data.dout, a.indices = data.indices, a.in = data.din;
    maxpool::set_problem(a, p);
    return a;
}

// The problem with the indices that the kernel reads: those that the forward pass finds again are as narrow as can be.
problem with_stored_indices(problem p)
{
    if(p.indices == indices::recompute)
        p.indices = p.window_elements() <= 256 ? indices::u8 : indices::int32;
    return p;
}

// How dX is shared out: patches in each dimension of an image and residue class, the classes, blocks for one of them.
struct shares
{
    multi_index<2> patches, classes;
    std::int64_t blocks;

    std::int64_t blocks_per_image() const { return std::int64_t(classes[0]) * classes[1] * blocks; }
};

shares shares_of(const config& c, const problem& p)
{
    shares s;
    const int patch[2] = {c.patch_height(), c.patch_width()};
    for(int d = 0; d < 2; ++d)
    {
        const std::int64_t length = p.input[static_cast<std::size_t>(d)],
                           stride = p.stride[static_cast<std::size_t>(d)];
        s.patches[d]              = static_cast<int>(ceil_div(length, c.any_window() ? stride : patch[d]));
        s.classes[d]              = static_cast<int>(c.any_window() ? std::min(stride, length) : 1);
    }
    s.blocks = ceil_div(std::int64_t(s.patches[0]) * s.patches[1] * (p.channels / c.vector), c.threads);
    return s;
}

// Memory instructions per element of dX, which only compare.
double cost(const config& c, const problem& p)
{
    const double per_patch = c.patch_height() * c.patch_width() * c.vector;
    if(c.any_window())
    {
        const auto taps = [&](std::size_t d) { return ceil_div(p.window[d], p.stride[d]); };
        return (2.0 * static_cast<double>(taps(0) * taps(1)) + 1) / per_patch;
    }
    const double reads = 2.0 * c.windows_over(c.patch_height()).count * c.row_of_windows().regs();
    return (reads + c.whole_patch().regs()) / per_patch;
}

// Success, or why an instance for one window is not for this one.
status check_window(const config& c, const problem& p)
{
    for(std::size_t d = 0; d < 2; ++d)
        if(p.window[d] != c.window || p.stride[d] != c.stride || p.left_pad[d] != c.left_pad ||
           (p.dilation[d] != 1 && c.window > 1))
            return rejection{fmt::format("the instance is for windows of {0}x{0} with stride {1}, left pad {2} and no "
                                         "dilation, in {3} the problem has {4}, {5}, {6} and dilation {7}",
                                         c.window, c.stride, c.left_pad, d == 0 ? "H" : "W", p.window[d], p.stride[d],
                                         p.left_pad[d], p.dilation[d])};
    if(c.layout == layout::nhwc)
        return {};
    if(p.output(1) % c.read_run() != 0)
        return rejection{
            fmt::format("Wo = {} is not a multiple of the vector width {}: choose an instance for any window",
                        p.output(1), c.read_run())};
    if(p.input[1] % c.write_run() != 0)
        return rejection{
            fmt::format("Wi = {} is not a multiple of the vector width {}: choose an instance for any window",
                        p.input[1], c.write_run())};
    return {};
}

} // namespace

std::vector<const instance*> instances(const device& on) { return instances_for(on, all_instances()); }

std::string name_of(const instance& i) { return i.main->name; }

status supports(const instance& i, const problem& given)
{
    if(status s = maxpool::validate(given); !s)
        return s;
    const config& c = i.configuration;
    const problem p = with_stored_indices(given);
    if(c.index != p.indices)
        return rejection{fmt::format("the instance reads {} indices, the problem has {}", ck_tile::name_of(c.index),
                                     ck_tile::name_of(p.indices))};
    if(status s = maxpool::check_kind(c, p); !s)
        return s;
    if(!c.any_window())
        if(status s = check_window(c, p); !s)
            return s;
    if(status s = maxpool::check_image(p, maxpool::bytes_of(p.indices)); !s)
        return s;
    return maxpool::check_blocks(shares_of(c, p).blocks_per_image(), p.batch);
}

result<plan> make_plan(const device& on, const problem& p, std::string_view instance_name)
{
    if(status s = maxpool::validate(p); !s)
        return rejection{s.reason()};
    if(const auto support = support_for(on, p.type, all_support_kernels()); !support)
        return rejection{support.reason()};
    const auto best = maxpool::choose_instance(
        instances(on), on, instance_name, [&](const instance& i) { return supports(i, p); },
        [&](const instance& i) { return cost(i.configuration, p); });
    if(!best)
        return rejection{best.reason()};
    if(p.indices != indices::recompute)
        return plan{*best, {}, 0};

    const problem stored = with_stored_indices(p);
    const auto maxima    = maxpool_fwd::make_plan(on, stored);
    if(!maxima)
        return rejection{maxima.reason()};
    const std::int64_t bytes = maxpool::output_shape(stored).elements() * maxpool::bytes_of(stored.indices);
    return plan{*best, *maxima, static_cast<std::size_t>(bytes)};
}

status run(const device& on, const problem& p, const plan& what, const tensors& data, void* workspace)
{
    const config& c = what.chosen->configuration;
    const shares s  = shares_of(c, p);
    arguments a     = describe(p, data);
    a.patches = s.patches, a.classes = s.classes, a.blocks = static_cast<int>(s.blocks);
    if(what.maxima)
    {
        a.indices = workspace;
        if(status done = maxpool_fwd::run(on, with_stored_indices(p), *what.maxima, {data.in, nullptr, workspace});
           !done)
            return done;
    }
    return launch(on, *what.chosen->main, p.batch * s.blocks_per_image(), a);
}

status run_reference(const device& on, const problem& p, const tensors& data)
{
    if(status s = maxpool::validate(p); !s)
        return s;
    const auto support = support_for(on, p.type, all_support_kernels());
    if(!support)
        return rejection{support.reason()};
    const kernel& reference = *(*support)->reference;
    if(p.indices == indices::recompute)
        return rejection{"the reference kernel reads indices, recompute has none: choose u8, int32 or int64"};
    const reference_arguments a = {describe(p, data), p.indices, p.layout == layout::nhwc};
    return launch(on, reference, ceil_div(maxpool::input_shape(p).elements(), reference.threads), a);
}

} // namespace ck_tile::maxpool_bwd

// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_bwd_weight/grouped_conv_bwd_weight.hpp"

#include "ops/grouped_conv_bwd_weight/instance.hpp"
#include "ops/grouped_conv_bwd_weight/support_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

constexpr std::int64_t range_bytes = std::numeric_limits<std::int32_t>::max(); // that one view can span
constexpr std::int64_t max_blocks  = std::numeric_limits<std::int32_t>::max(); // of one launch

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The three spatial dimensions of the kernels: those in front that the problem does not have get `missing`.
multi_index<3> aligned_right(const conv::extents& e, int spatial, int missing)
{
    multi_index<3> all = {missing, missing, missing};
    for(int d = 0; d < spatial; ++d)
        all[3 - spatial + d] = static_cast<int>(e[static_cast<std::size_t>(d)]);
    return all;
}

conv::extents output_extents(const conv::problem& p)
{
    conv::extents o = {};
    for(int d = 0; d < p.spatial; ++d)
        o[static_cast<std::size_t>(d)] = p.output(d);
    return o;
}

struct tensor_strides
{
    std::int64_t group, image;
    int pixel, channel;
};

tensor_strides strides_of(conv::layout order, const conv::problem& p, std::int64_t channels, std::int64_t pixels)
{
    switch(order)
    {
    case conv::layout::nhwgc: return {channels, pixels * p.groups * channels, static_cast<int>(p.groups * channels), 1};
    case conv::layout::gnhwc: return {p.batch * pixels * channels, pixels * channels, static_cast<int>(channels), 1};
    case conv::layout::ngchw: return {channels * pixels, p.groups * channels * pixels, 1, static_cast<int>(pixels)};
    }
    return {};
}

arguments describe(const conv::problem& p, const tensors& data)
{
    arguments a = {};
    a.in = data.in, a.out = data.out, a.wei = data.wei;
    a.groups = static_cast<int>(p.groups), a.batch = static_cast<int>(p.batch);
    a.k = static_cast<int>(p.k), a.c = static_cast<int>(p.c);
    a.filter    = aligned_right(p.filter, p.spatial, 1);
    a.input     = aligned_right(p.input, p.spatial, 1);
    a.output    = aligned_right(output_extents(p), p.spatial, 1);
    a.stride    = aligned_right(p.stride, p.spatial, 1);
    a.dilation  = aligned_right(p.dilation, p.spatial, 1);
    a.left_pad  = aligned_right(p.left_pad, p.spatial, 0);
    a.right_pad = aligned_right(p.right_pad, p.spatial, 0);

    const tensor_strides in = strides_of(p.layout, p, p.c, p.input_pixels());
    a.in_group = in.group, a.in_image = in.image, a.in_channel = in.channel;
    for(int d = 2, pixel = in.pixel; d >= 0; pixel *= a.input[d--])
        a.in_spatial[d] = pixel;

    const tensor_strides out = strides_of(p.layout, p, p.k, p.output_pixels());
    a.out_group = out.group, a.out_image = out.image, a.out_pixel = out.pixel, a.out_channel = out.channel;
    a.splits = 1;
    return a;
}

std::int64_t pixels_of(const conv::problem& p) { return p.batch * p.output_pixels(); }
std::int64_t row_length(const conv::problem& p) { return p.filter_taps() * p.c; }
std::int64_t weights_of(const conv::problem& p) { return p.groups * p.k * row_length(p); }

std::int64_t tiles_of(const config& c, const conv::problem& p)
{
    return ceil_div(p.k, c.block.m) * ceil_div(row_length(p), c.block.n) * p.groups;
}

// Images of a split that views of 2 GiB can span.
std::int64_t images_per_view(const conv::problem& p)
{
    const std::int64_t most = std::max(p.input_pixels() * p.groups * p.c, p.output_pixels() * p.groups * p.k);
    return range_bytes / (most * bytes_of(p.type));
}

// The longest split: one that begins in the middle of an image touches one image more than it is long.
std::int64_t max_split_pixels(const conv::problem& p)
{
    const std::int64_t images = images_per_view(p);
    return images == 1 ? p.output_pixels() : std::min((images - 1) * p.output_pixels(), range_bytes / 2);
}

// What the instance costs, in units that only compare: matrix work, and memory instructions by their width.
double cost(const config& c, const conv::problem& p)
{
    const double matrix = c.block.m * c.block.n,
                 memory = c.block.m * (1 + 8.0 / c.vector.out) + c.block.n * (1 + 8.0 / c.vector.in);
    // Asynchronous copies and products spare the threads what they issue for the others.
    const double per_pixel =
        c.pipeline == gemm::pipeline::async_stages ? matrix / 256 + memory / 2 : matrix / 64 + memory;
    const double promotion = 1 + 0.05 * (c.spatial - p.spatial);
    return static_cast<double>(tiles_of(c, p)) * per_pixel * promotion;
}

// The split that takes least, counted in steps of the main loop: rounds of blocks that fill the chip, and what each block and
// each partial sum costs beside.
int choose_split(const device& on, const config& c, const conv::problem& p)
{
    const std::int64_t pixels = std::max<std::int64_t>(pixels_of(p), 1);
    const std::int64_t useful =
        std::max<std::int64_t>(pixels / (4 * c.block.k), 1); // four steps of the main loop at least
    const std::int64_t needed = ceil_div(pixels, max_split_pixels(p));
    const int blocks_per_unit = std::min(2, std::max(1, on.architecture().lds_bytes / c.lds_bytes()));
    const std::int64_t slots = static_cast<std::int64_t>(on.compute_units()) * blocks_per_unit, tiles = tiles_of(c, p);
    const auto cost = [&](std::int64_t splits) {
        constexpr double block = 8, launch = 4, partial = 0.05; // steps: prologue and epilogue; the sum; one tile of it
        const double rounds = static_cast<double>(ceil_div(tiles * splits, slots));
        return rounds * (static_cast<double>(ceil_div(ceil_div(pixels, splits), c.block.k)) + block) +
               (splits > 1 ? launch + partial * static_cast<double>(tiles * splits) : 0);
    };
    std::int64_t best = 1;
    for(std::int64_t splits = 2; splits <= std::min(useful, ceil_div(4 * slots, tiles)); ++splits)
        if(cost(splits) < cost(best))
            best = splits;
    return static_cast<int>(std::max(best, needed));
}

// Pixels of each split but the last, which may be shorter. Where a view spans but one image, no split may cross from one
// image into the next: the length divides an image.
std::int64_t split_length(const conv::problem& p, int splits)
{
    std::int64_t length = ceil_div(std::max<std::int64_t>(pixels_of(p), 1), splits);
    if(images_per_view(p) == 1 && p.batch > 1)
        for(length = std::min(length, p.output_pixels()); p.output_pixels() % length != 0;)
            --length;
    return length;
}

const support_kernels* support_for(architecture arch, data_type type)
{
    for(const support_kernels& s : all_support_kernels())
        if(s.arch == arch && s.type == type)
            return &s;
    return nullptr;
}

status launch(const device& on, const kernel& k, std::int64_t blocks, const auto& arguments)
{
    return on.launch(k, {static_cast<unsigned>(blocks)}, &arguments, sizeof arguments);
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

status supports(const instance& i, const conv::problem& p)
{
    const config& c = i.configuration;
    if(status s = conv::validate(p); !s)
        return s;
    if(c.dtype != p.type)
        return rejection{fmt::format("the instance computes {}, the problem is {}", name_of(c.dtype), name_of(p.type))};
    const bool channels = p.layout != conv::layout::ngchw;
    if(channels != (c.dense == innermost::channels))
        return rejection{fmt::format("layout {} has its {} innermost, the instance wants the {} there",
                                     conv::name_of(p.layout), channels ? "channels" : "pixels",
                                     channels ? "pixels" : "channels")};
    if(p.spatial > c.spatial)
        return rejection{fmt::format("the instance has {} spatial dimensions, the problem {}: choose one with as many",
                                     c.spatial, p.spatial)};
    const std::int64_t out_run = channels ? p.k : p.output_pixels(), in_run = channels ? p.c : 1;
    const auto rejected = [](const char* what, std::int64_t length, int vector) {
        return rejection{
            fmt::format("{} = {} is not a multiple of the vector width {}: choose an instance with a narrower "
                        "vector, or pad",
                        what, length, vector)};
    };
    if(out_run % c.vector.out != 0)
        return rejected(channels ? "K per group" : "output pixels of an image", out_run, c.vector.out);
    if(in_run % c.vector.in != 0)
        return rejected(channels ? "C per group" : "the run of input pixels", in_run, c.vector.in);
    if(row_length(p) % c.vector.wei != 0)
        return rejected("filter taps x C per group", row_length(p), c.vector.wei);
    if(images_per_view(p) == 0)
        return rejection{
            fmt::format("one image of {} groups spans more than the {} bytes that a view can: run the groups in "
                        "several calls",
                        p.groups, range_bytes)};
    if(p.k * row_length(p) * 4 > range_bytes)
        return rejection{
            fmt::format("one group's weights span {} bytes as fp32, more than the {} that a view can: split K in "
                        "several calls",
                        p.k * row_length(p) * 4, range_bytes)};
    if(tiles_of(c, p) > max_blocks)
        return rejection{fmt::format("{} tiles are more than the {} blocks of a launch: choose a larger tile",
                                     tiles_of(c, p), max_blocks)};
    return {};
}

result<plan> make_plan(const device& on, const conv::problem& p, int split_k, std::string_view instance_name)
{
    if(status s = conv::validate(p); !s)
        return rejection{s.reason()};
    if(support_for(on.architecture().arch, p.type) == nullptr)
        return rejection{
            fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and CK_TILE_TARGETS",
                        name_of(p.type), on.architecture().name)};
    const instance* best = nullptr;
    std::string reasons;
    for(const instance* i : instances(on))
    {
        if(!instance_name.empty() && name_of(*i) != instance_name)
            continue;
        if(status s = supports(*i, p); !s)
            reasons = s.reason();
        else if(best == nullptr || cost(i->configuration, p) < cost(best->configuration, p))
            best = i;
    }
    if(best == nullptr && reasons.empty())
        return rejection{
            fmt::format("instance '{}' is not one of {}: --instance list shows them", instance_name, on.name())};
    if(best == nullptr)
        return rejection{fmt::format("{} on {}: {}",
                                     instance_name.empty() ? "no instance supports the problem" : instance_name,
                                     on.name(), reasons)};

    const config& c           = best->configuration;
    const std::int64_t pixels = std::max<std::int64_t>(pixels_of(p), 1);
    const std::int64_t wanted = split_k > 0 ? split_k : choose_split(on, c, p);
    if(wanted > pixels)
        return rejection{
            fmt::format("split-k {} is more than the {} pixels that there are to split: choose fewer", wanted, pixels)};
    if(ceil_div(pixels, wanted) > max_split_pixels(p))
        return rejection{
            fmt::format("split-k {} leaves {} pixels to a split, whose images span more than {} bytes: choose "
                        "at least {}, or auto",
                        wanted, ceil_div(pixels, wanted), range_bytes, ceil_div(pixels, max_split_pixels(p)))};
    const std::int64_t length = split_length(p, static_cast<int>(wanted));
    const std::int64_t splits = ceil_div(pixels, length); // rounding up the length can leave the last ones empty
    if(tiles_of(c, p) > max_blocks / splits)
        return rejection{
            fmt::format("{} tiles x {} splits are more than the {} blocks of a launch: choose a smaller split-k",
                        tiles_of(c, p), splits, max_blocks)};
    const std::size_t partials = static_cast<std::size_t>(weights_of(p)) * sizeof(float);
    return plan{best, static_cast<int>(splits), splits == 1 ? 0 : partials * static_cast<std::size_t>(splits)};
}

status run(const device& on, const conv::problem& p, const plan& what, const tensors& data, void* workspace)
{
    const config& c    = what.chosen->configuration;
    arguments a        = describe(p, data);
    a.partials         = static_cast<float*>(workspace);
    a.splits           = what.splits;
    a.pixels_per_split = static_cast<int>(split_length(p, what.splits));
    a.tiles_m          = static_cast<int>(ceil_div(p.k, c.block.m));
    a.tiles_n          = static_cast<int>(ceil_div(row_length(p), c.block.n));
    if(status s = launch(on, *what.chosen->main, tiles_of(c, p) * a.splits, a); !s || a.splits == 1)
        return s;

    const finish_arguments f = {a.partials, a.wei, weights_of(p), a.splits};
    return launch(on, *support_for(c.arch, c.dtype)->finish,
                  ceil_div(f.weights, finish_program<architecture::gfx942, data_type::fp32>::per_block), f);
}

status run_reference(const device& on, const conv::problem& p, const tensors& data)
{
    if(status s = conv::validate(p); !s)
        return s;
    const support_kernels* kernels = support_for(on.architecture().arch, p.type);
    if(kernels == nullptr)
        return rejection{
            fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and CK_TILE_TARGETS",
                        name_of(p.type), on.architecture().name)};
    return launch(on, *kernels->reference, ceil_div(weights_of(p), kernels->reference->threads), describe(p, data));
}

} // namespace ck_tile::grouped_conv_bwd_weight

// SPDX-License-Identifier: MIT
#include "ops/grouped_conv_conv_fwd/operation.hpp"

#include "ops/grouped_conv/computed.hpp"
#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/reference.hpp"
#include "ops/grouped_conv/regions.hpp"
#include "ops/grouped_conv/selection.hpp"
#include "ops/grouped_conv_conv_fwd/support_kernels.hpp"
#include "ops/problem_checks.hpp"

#include <algorithm>
#include <cmath>

namespace ck_tile::grouped_conv_conv_fwd
{

conv::problem problem::second() const
{
    conv::problem p = *this;
    p.groups = 1, p.c = groups * k, p.k = k1;
    for(std::size_t d = 0; d < static_cast<std::size_t>(spatial); ++d)
    {
        p.input[d]  = output(static_cast<int>(d));
        p.filter[d] = p.stride[d] = p.dilation[d] = 1;
        p.left_pad[d] = p.right_pad[d] = 0;
    }
    return p;
}

status validate(const problem& p)
{
    if(status valid = conv::validate(p.first()); !valid)
        return valid;
    if(status valid = check_range("K1", p.k1, 1); !valid)
        return valid;
    if(status valid = check_range("G * K0", p.groups * p.k, 1); !valid)
        return valid;
    if(p.layout == conv::layout::gnhwc)
        return rejection{
            "layout must be nhwgc or ngchw, as the second convolution takes the channels of all groups, but is "
            "gnhwc: choose one of them"};
    return conv::validate(p.second());
}

std::string describe(const problem& p)
{
    return fmt::format("{} then 1x1 to K{}{}, activation {}", describe(p.first()), p.k1, p.bias ? " with biases" : "",
                       name_of(p.activation));
}

namespace
{

// Tensors as they are given, as instances compute them, and which of them may be copied between.
struct copied_tensors
{
    conv::problem given, computed;
    std::vector<conv::tensor> which;
};

// Whether the first convolution has one channel per group.
bool is_depthwise(const problem& p) { return p.c == 1 && p.k == 1; }

// Instances compute channels-last, with channels and weights in whole vectors.
struct copied_problems
{
    // X, bias0 and W0, as of one group that has all channels; W0, of one channel per group, as one run, a bias of as many channels; the second
    // convolution's.
    copied_tensors images, weights, second;

    explicit copied_problems(const problem& p)
    {
        using enum conv::tensor;
        const int vector                = 16 / bytes_of(p.type);
        const conv::vector_widths whole = {vector, vector, vector};
        conv::problem q                 = p.first();
        q.groups = 1, q.c = p.groups * p.c, q.k = p.groups * p.k;
        images  = {q, conv::computed(q, 2, whole), {in, bias}};
        weights = images;
        if(is_depthwise(p))
        {
            q.k                = p.groups * p.filter_taps();
            weights            = {q, q, {bias}};
            weights.computed.k = images.computed.c * p.filter_taps();
        }
        else
            weights.which = {wei};
        second = {p.second(), conv::computed(p.second(), 2, whole), {wei, bias, out}};
    }

    // The sum of count(given, computed, which).
    auto sum(auto count) const
    {
        const auto each = [&](const copied_tensors& t) { return count(t.given, t.computed, t.which); };
        return each(images) + each(weights) + each(second);
    }
};

conv::region_limits limits_of(const config& c)
{
    return {conv::direction::forward, c.patch, c.patches(), c.patches(), c.halo};
}

// Tiles of an instance: regions, or, where the first convolution is dense, pixels as they lie.
conv::regions regions_of(const config& c, const problem& p)
{
    if(c.first != formulation::dense)
        return conv::choose_regions(limits_of(c), p);
    return {.planes = 1, .rows = 1, .cols = 1, .count = ceil_div(p.batch * p.output_pixels(), std::int64_t(c.block.m))};
}

std::int64_t steps_of(const config& c, const problem& p) { return ceil_div(p.groups * p.k, std::int64_t(c.block.k)); }
std::int64_t columns_of(const config& c, const problem& p) { return ceil_div(p.k1, std::int64_t(c.block.n)); }

std::size_t intermediate_bytes(const problem& p)
{
    constexpr std::int64_t aligned = 256;
    return static_cast<std::size_t>(ceil_div(conv::output_shape(p.first()).elements() * bytes_of(p.type), aligned) *
                                    aligned);
}

// The second convolution after the first, by plans, or by the launches of the reference.
grouped_conv_fwd::tensors first_of(const tensors& data, void* intermediate)
{
    return {data.in, data.wei0, data.bias0, nullptr, intermediate};
}
grouped_conv_fwd::tensors second_of(const tensors& data, const void* intermediate)
{
    return {intermediate, data.wei1, data.bias1, nullptr, data.out};
}

} // namespace

std::vector<tensor_info> operation::tensor_list(const problem& p)
{
    const auto biased         = p.bias ? tensor_role::input : tensor_role::absent;
    const std::int64_t middle = p.groups * p.k;
    return {{.name = "in", .type = p.type, .shape = conv::input_shape(p.first())},
            {.name = "wei0", .type = p.type, .shape = conv::weight_shape(p.first())},
            {.name = "wei1", .type = p.type, .shape = packed_shape({p.k1, middle})},
            {.name = "bias0", .type = p.type, .shape = packed_shape({middle}), .role = biased},
            {.name = "bias1", .type = p.type, .shape = packed_shape({p.k1}), .role = biased},
            {.name  = "out",
             .type  = p.type,
             .shape = conv::output_shape(p.second()),
             .role  = tensor_role::result,
             .terms = middle + 1,
             .slack = 4}}; // a matrix unit may cut off the bits where an fma would round
}

double operation::floor_bytes(const problem& p) { return bytes_on_device(tensor_list(p)); }

double operation::flops(const problem& p) { return p.first().flops() + p.second().flops(); }

status operation::supports(const config& c, const problem& p)
{
    status rules;
    const bool dense = c.first == formulation::dense;
    if(!dense && p.spatial > 2)
        rules.also(rejection{fmt::format("the instance has 2 spatial dimensions, the problem {}: run the convolutions "
                                         "one after the other, --instance {}",
                                         p.spatial, composed)});
    if(!dense && !is_depthwise(p))
        rules.also(rejection{fmt::format("the instance is depthwise, and the problem has C = {} and K0 = {}: run the "
                                         "convolutions one after the other, --instance {}",
                                         p.c, p.k, composed)});
    if(dense && (p.groups != 1 || is_depthwise(p)))
        rules.also(rejection{fmt::format("the first convolution of the instance has one group of several channels, the "
                                         "problem's has G = {} and C = {}: choose a depthwise instance, or run the "
                                         "convolutions one after the other, --instance {}",
                                         p.groups, p.c, composed)});
    if(dense && !conv::is_pointwise(p))
        rules.also(
            rejection{fmt::format("the first convolution of the instance is 1x1 of stride 1 without padding: run "
                                  "the convolutions one after the other, --instance {}",
                                  composed)});
    if(!rules)
        return rules;
    if(dense && p.c > c.first_shape().k)
        rules.also(
            rejection{fmt::format("C must be {} at most, so that LDS holds all channels of block.m pixels, but is "
                                  "{}: choose an instance of a larger halo, or run the convolutions one after "
                                  "the other, --instance {}",
                                  c.first_shape().k, p.c, composed)});
    if(!dense && !c.window.any() && !conv::is_known(c.window, p))
        rules.also(rejection{fmt::format("the instance is compiled for filter {}x{}, stride {} and dilation 1: "
                                         "choose one of any window, of 0 rows",
                                         c.window.rows, c.window.cols, c.window.stride)});
    if(c.window.any() && p.filter_taps() > c.taps())
        rules.also(rejection{fmt::format("a filter must have {} taps at most, but has {}: run the convolutions one "
                                         "after the other, --instance {}",
                                         c.taps(), p.filter_taps(), composed)});
    const conv::regions some = regions_of(c, p);
    if(!some && p.batch > 0)
        rules.also(rejection{fmt::format("the windows of a patch must see {} pixels at most, but see {}: choose an "
                                         "instance of a larger halo",
                                         c.halo, conv::halo_of_patch(limits_of(c), p))});
    if(!c.loop().keeps_all() && columns_of(c, p) > 1)
        rules.also(rejection{fmt::format("K1 must be {} at most, but is {}: choose an instance that keeps the "
                                         "intermediate, or of a larger block.n",
                                         c.block.n, p.k1)});
    if(c.loop().keeps_all() && steps_of(c, p) > c.kept)
        rules.also(rejection{
            fmt::format("the channels of the intermediate must be {} at most, so that LDS holds them, but are {}: "
                        "choose an instance that keeps more, or run the convolutions one after the "
                        "other, --instance {}",
                        c.kept * c.block.k, p.groups * p.k, composed)});
    const copied_problems q(p);
    conv::need_view_of_weights(rules, q.second.computed, bytes_of(p.type));
    if(dense)
    {
        conv::need_view_of_weights(rules, q.weights.computed, bytes_of(p.type));
        if(const std::int64_t pixels = p.batch * p.output_pixels(); pixels > conv::range_bytes)
            rules.also(
                rejection{fmt::format("the pixels of all images must be {} at most, but are {}: split the batch in "
                                      "several calls",
                                      conv::range_bytes, pixels)});
    }
    else
    {
        conv::need_view_of_images(rules, q.images.computed, c.block.m, p.output_pixels());
        conv::need_view_of_images(rules, q.second.computed, c.block.m, p.output_pixels());
    }
    conv::need_blocks(rules, some.count);
    return rules;
}

namespace
{

// What tiles of a dense first convolution take on a compute unit that has `at_once` of them: fitted to 80 plans of 14 problems on an H200, in
// microseconds. A step waits for copies and for threads to meet; tiles at once hide that of each other.
double dense_cost(const config& c, const problem& p, std::int64_t at_once)
{
    const auto steps = static_cast<double>(steps_of(c, p)), columns = static_cast<double>(columns_of(c, p)),
               channels = static_cast<double>(p.c);
    const double tile = c.block.m * c.block.n, depth = c.first_shape().k,
                 multiplied_by = channels <= depth / 4   ? depth / 4
                                 : channels <= depth / 2 ? depth / 2
                                                         : depth;
    const double each          = c.dtype() == data_type::fp32 ? 4e-6 : 0.3e-6; // multiplication
    const double products      = each * c.block.k * (tile * columns + c.block.m * multiplied_by),
                 weights       = 1e-3 * (c.block.n * columns + channels),
                 moved         = 46e-6 * tile * columns + 41e-6 * c.block.m * channels;
    return conv::microsecond * (0.37 * steps + static_cast<double>(at_once) *
                                                   (steps * (products + weights + 0.37 * (columns - 1)) + moved));
}

// What parts of a region take, in microseconds.
struct region_rates
{
    double channels; // a thousand channels of pixels of the intermediate
    double copied;   // a byte of X
    double step;
    double tile;   // an element of a tile, in a step
    double column; // a tile's column after the first one, in a step
    double stored; // an element of the result
    double kept;   // once, if the intermediate is
};

// Fitted on an H200: where halos come in boxes to 137 plans of separable blocks, else to 133.
region_rates rates_of(const config& c, const problem& p)
{
    const auto taps = static_cast<double>(p.filter_taps());
    if(!c.boxes())
        return {.channels = 0.05 + (c.window.any() ? 0.03 : 0.02) * taps,
                .copied   = 34e-6,
                .step     = 0.036,
                .tile     = 31e-6,
                .column   = 0.3,
                .stored   = 67e-6,
                .kept     = 0.8};
    return {.channels = 0.003 + 0.0046 * taps + (p.activation == conv::activation::silu ? 0.046 : 0),
            .copied   = 18e-6,
            .step     = 0.1,
            .tile     = 24e-6,
            .column   = 0.23,
            .stored   = 19e-6,
            .kept     = 0.15};
}

// What a region takes on a compute unit that has `at_once` of them, each of which hides the others' latency, but for one that nothing hides.
double region_cost(const config& c, const problem& p, const conv::regions& some, std::int64_t at_once)
{
    if(c.first == formulation::dense)
        return dense_cost(c, p, at_once);
    const region_rates rates = rates_of(c, p);
    const auto steps = static_cast<double>(steps_of(c, p)), columns = static_cast<double>(columns_of(c, p)),
               halo         = static_cast<double>(some.halo);
    const double channels   = static_cast<double>(ceil_div(p.groups * p.c, std::int64_t(16)) * 16);
    const double lines      = c.boxes() ? steps * c.block.k : channels; // of boxes they are whole
    const double tile       = c.block.m * c.block.n;
    const double computed   = 1e-3 * c.block.m * channels * rates.channels,
                 copied     = rates.copied * halo * lines * bytes_of(p.type),
                 multiplied = steps * (rates.step + rates.tile * tile * columns + rates.column * (columns - 1)),
                 stored = rates.stored * tile * columns, kept = c.loop().keeps_all() ? rates.kept : 0;
    const double together = static_cast<double>(at_once + 1) / 1.3;
    return conv::microsecond * together * (computed + copied + multiplied + stored + kept);
}

} // namespace

result<plan<operation>> operation::schedule_on(const device& dev, plan<operation> chosen)
{
    const config& c          = chosen.chosen->configuration;
    const problem& p         = chosen.problem;
    const conv::regions some = regions_of(c, p);
    const copied_problems q(p);
    const int at_once        = c.blocks_at_once(facts(c.arch));
    const std::int64_t slots = std::int64_t(dev.compute_units()) * at_once;
    chosen.schedule.regions  = some;
    chosen.schedule.blocks   = static_cast<int>(std::min(some.count, slots));
    chosen.workspace_bytes   = q.sum(conv::copies_bytes);
    // Of few regions, as many as there are.
    const std::int64_t resident =
        std::clamp<std::int64_t>(ceil_div(some.count, std::int64_t(dev.compute_units())), 1, at_once);
    chosen.cost =
        static_cast<double>(ceil_div(some.count, slots)) * region_cost(c, p, some, resident) + q.sum(conv::copies_cost);
    return chosen;
}

result<plan<operation>> operation::compose_on(const device& dev, plan<operation> planned)
{
    // Microseconds that both take beside what each costs: 15 of separable blocks on an H200, of which costs of products count 7.
    constexpr double beside = 8;
    const problem& p        = planned.problem;
    const auto first =
        make_plan<grouped_conv_fwd::operation>(dev, grouped_conv_fwd::problem(p.first(), p.bias, p.activation));
    if(!first)
        return rejection{first.reason()};
    const auto second = make_plan<grouped_conv_fwd::operation>(dev, grouped_conv_fwd::problem(p.second(), p.bias));
    if(!second)
        return rejection{second.reason()};
    planned.schedule.first  = *first;
    planned.schedule.second = *second;
    planned.workspace_bytes = intermediate_bytes(p) + std::max(first->workspace_bytes, second->workspace_bytes);
    planned.cost            = first->cost + second->cost + beside * conv::microsecond;
    return planned;
}

namespace
{

// The boxes that regions and steps are copied in.
void map_boxes(arguments& a, const config& c, const problem& p)
{
    const conv::region_shape& s = a.regions.shape;
    const auto lengths = conv::used<2>(a.first.input), filter = conv::used<2>(a.first.filter);
    // Weights of some channels are a line: the longer it is, the faster the copy. One of a row of the filter, where a box has no room for all.
    const int bytes = bytes_of(p.type), some = channels_of_line;
    const bool whole = some * product(filter) <= tensor_map::longest_box;
    const int line = some * (whole ? product(filter) : filter[1]), lines = whole ? 1 : filter[0];
    a.maps.in = packed_map(a.in, bytes, {a.first.c, lengths[1], lengths[0], static_cast<int>(p.batch)},
                           {c.block.k, s.halo_cols.divisor, s.halo_rows.divisor, s.halo_planes}, true);
    a.maps.wei0 =
        packed_map(a.wei0, bytes, {line, lines, a.first.c / some, 1}, {line, lines, c.block.k / some, 1}, false);
}

} // namespace

std::vector<launch> operation::launches(const plan<operation>& planned, const tensors& data, void* workspace)
{
    const problem& p  = planned.problem;
    const schedule& s = planned.schedule;
    if(planned.chosen == nullptr)
    {
        void* const rest = static_cast<std::byte*>(workspace) + intermediate_bytes(p);
        auto all         = launches_of(*s.first, first_of(data, workspace), rest);
        for(const launch& each : launches_of(*s.second, second_of(data, workspace), rest))
            all.push_back(each);
        return all;
    }
    if(!s.regions)
        return {};
    const copied_problems q(p);
    const kernel* const repack = &(*planned.support)["repack"];
    conv::computed_tensors x(q.images.given, q.images.computed, workspace, repack);
    const void* const in    = x.read(data.in, conv::tensor::in);
    const void* const bias0 = x.read(data.bias0, conv::tensor::bias);
    conv::computed_tensors w(q.weights.given, q.weights.computed, x.rest(), repack);
    const void* const wei0 = w.read(data.wei0, is_depthwise(p) ? conv::tensor::bias : conv::tensor::wei);
    conv::computed_tensors y(q.second.given, q.second.computed, w.rest(), repack);
    const config& c             = planned.chosen->configuration;
    const conv::arguments first = conv::make_arguments(q.images.computed);
    arguments a                 = {.in         = in,
                                   .wei0       = wei0,
                                   .wei1       = y.read(data.wei1, conv::tensor::wei),
                                   .bias0      = bias0,
                                   .bias1      = y.read(data.bias1, conv::tensor::bias),
                                   .out        = y.write(data.out, conv::tensor::out),
                                   .activation = p.activation,
                                   .first      = first,
                                   .in_lines   = conv::lines_of_input(first),
                                   .k1         = static_cast<int>(q.second.computed.k),
                                   .regions    = conv::grid_of(limits_of(c), p, s.regions),
                                   .pixels     = static_cast<int>(p.batch * p.output_pixels()),
                                   .tiles      = static_cast<int>(s.regions.count),
                                   .blocks     = s.blocks,
                                   .maps       = {}};
    if(c.boxes())
        map_boxes(a, c, p);
    return x.around(w.around(y.around({{*planned.chosen->main, a.blocks, a}})));
}

std::vector<launch> operation::reference_launches(const support_kernels<operation>& support, const problem& p,
                                                  const tensors& data, void* workspace)
{
    const auto convolution = [&](const conv::problem& one, const grouped_conv_fwd::tensors& t, conv::activation a) {
        return conv::forward::reference_launch(support["forward_reference"], one, t, a);
    };
    std::vector<launch> all = {convolution(p.first(), first_of(data, workspace), p.activation)};
    if(p.rounded && *p.rounded != p.type)
    {
        const rounding::arguments a = {workspace, conv::output_shape(p.first()).elements(), *p.rounded};
        const kernel& round         = support["round"];
        all.emplace_back(round, ceil_div(a.count, std::int64_t(round.threads)), a);
    }
    all.push_back(convolution(p.second(), second_of(data, workspace), conv::activation::none));
    return all;
}

std::size_t operation::reference_workspace_bytes(const problem& p) { return intermediate_bytes(p); }

problem operation::reference_problem(problem p)
{
    p.rounded = p.type;
    p.type    = data_type::fp32;
    return p;
}

problem operation::magnitude_problem(problem p)
{
    p.activation = conv::activation::none;
    return p;
}

namespace
{

// By how much an intermediate may be off that is rounded to `type`, after sums of `terms` numbers: silu is as much as 1.1 times as steep as
// what it is applied to. A sum that is infinite is so however it is made, and what an activation makes of it is exact.
double error_of_intermediate(data_type type, std::int64_t terms, double value, double magnitude)
{
    const double rounding = 2 * unit_roundoff(type) * std::abs(value);
    return std::isfinite(magnitude) ? rounding + 1.1 * error_bound(data_type::fp32, terms, value, magnitude) : rounding;
}

// What an error of the result counts as, as a magnitude: see error_bound().
double as_magnitude(double error, const tensor_info& result)
{
    return error / (result.slack * 0x1p-24 * (8 + 2 * std::sqrt(static_cast<double>(result.terms))));
}

std::vector<float> as_floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

} // namespace

void operation::finish_magnitudes(const problem& p, const harness::tensor_set&, std::vector<reference_values>& results)
{
    const tensor_info result = tensor_list(p).back();
    const double relative =
        1 +
        as_magnitude(error_of_intermediate(p.rounded.value_or(p.type), conv::row_length(p.first()) + 1, 1, 1), result);
    for(double& magnitude : results[0].magnitudes)
        magnitude *= relative;
}

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    grouped_conv_fwd::problem first(p.first(), p.bias, p.activation), second(p.second(), p.bias);
    const std::vector<float> wei1 = set["wei1"].values();
    // The intermediate, rounded, and by how much it may be off.
    const reference_values middle =
        conv::finished(first, conv::convolve(first, set["in"].values(), set["wei0"].values()),
                       p.bias ? set["bias0"].values() : std::vector<float>(), {});
    std::vector<double> errors(middle.values.size());
    harness::host_tensor rounded(
        tensor_info{.name = "intermediate", .type = p.type, .shape = conv::output_shape(first)});
    rounded.set_values(as_floats(middle.values));
    const std::vector<float> values = rounded.values();
    for(std::size_t i = 0; i < errors.size(); ++i)
        errors[i] = error_of_intermediate(p.type, conv::row_length(first) + 1, values[i], middle.magnitudes[i]);
    reference_values y       = conv::finished(second, conv::convolve(second, values, wei1),
                                              p.bias ? set["bias1"].values() : std::vector<float>(), {});
    const reference_values e = conv::convolve(second, as_floats(errors), wei1);
    const tensor_info result = tensor_list(p).back();
    for(std::size_t i = 0; i < y.magnitudes.size(); ++i)
        y.magnitudes[i] += as_magnitude(e.magnitudes[i], result);
    return {std::move(y)};
}

} // namespace ck_tile::grouped_conv_conv_fwd

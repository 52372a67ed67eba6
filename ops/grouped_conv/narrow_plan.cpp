// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/narrow_plan.hpp"

#include "ops/grouped_conv/selection.hpp"

#include <algorithm>
#include <cmath>

namespace ck_tile::conv
{
namespace
{

// Of what is made of a group, at most, by operands in LDS, each of which sees all of the group.
constexpr std::int64_t slices_of_group = 4;

bool makes_dx(const narrow_instance& i) { return i.limits.made == direction::backward_data; }

// Of a group, of what is made, and of what it sees.
std::int64_t made_by_group(const narrow_instance& i, const problem& p) { return makes_dx(i) ? p.c : p.k; }
std::int64_t seen_by_group(const narrow_instance& i, const problem& p) { return makes_dx(i) ? p.k : p.c; }

std::int64_t slices_of(const narrow_instance& i, const problem& p)
{
    return ceil_div(p.groups * made_by_group(i, p), std::int64_t(i.channels / i.columns * channels_of_slice(i, p)));
}

// Whether what slices of so many channels see lies in their columns: halos begin with the vector of channels that a block sees first, and so do
// the columns of each of its slices.
bool slices_fit(const narrow_instance& i, const problem& p, int of_slice)
{
    const channel_groups groups = {static_cast<int>(made_by_group(i, p)), static_cast<int>(seen_by_group(i, p)),
                                   of_slice};
    const auto vector_seen      = [&](int channel) { return groups.first_seen(channel) / i.vector * i.vector; };
    const int slices            = i.channels / i.columns;
    // From there on it is the same again.
    const std::int64_t blocks = std::min(ceil_div(p.groups * made_by_group(i, p), std::int64_t(slices * of_slice)),
                                         made_by_group(i, p) * i.vector);
    for(int slice = 0; slice < blocks * slices; ++slice)
    {
        const int first = slice * of_slice, of_block = vector_seen(slice / slices * slices * of_slice),
                  seen = vector_seen(first), end = groups.first_seen(first + of_slice - 1) + groups.seen.divisor;
        if(end - seen > i.columns * ceil_div(i.group, i.columns) || seen - of_block + i.columns > i.channels)
            return false;
    }
    return true;
}

// Adds to the rules that a problem's groups break.
void need_groups(status& rules, const narrow_instance& i, const problem& p)
{
    const bool of_slices = i.group > i.columns;
    const auto reject    = [&](const std::string& taken, const char* other) {
        rules.also(rejection{fmt::format("the instance is of {}, and the problem has G = {}, C = {} and K = {}: choose "
                                         "{}an implicit GEMM",
                                         taken, p.groups, p.c, p.k, other)});
    };
    constexpr const char* slices = "one of groups of 16 channels, or ";
    if(i.limits.taps > 1)
    {
        if(p.groups != 1 || p.c > i.columns / i.limits.taps)
            reject(fmt::format("one group of {} channels of X at most", i.columns / i.limits.taps), slices);
        return;
    }
    if(i.by_squares && i.group > 1)
    {
        if(p.c != p.k || p.c < 2 || i.group % p.c != 0)
            reject(fmt::format("groups of {} channels, or of a divisor of that", i.group), slices);
        return;
    }
    if(of_slices && (p.c != i.group || p.k != i.group))
        reject("groups of 32 channels", slices);
    else if(!i.by_matrix && (p.c != 1 || (p.k != 1 && !i.takes_multipliers)))
        reject("groups of 1 channel", slices);
    // Of any window, matrix instructions are worth it even for a channel alone.
    else if(i.by_matrix && !i.window.any() && p.c == 1 && p.k == 1)
        reject("groups of several channels", "one of groups of 1 channel, or ");
    else if((i.by_matrix && !i.in_lds && p.groups == 1 && p.c != p.k) || channels_of_slice(i, p) == 0)
        reject(i.in_lds ? fmt::format("groups that see {} channels at most, and make {}", i.columns,
                                      slices_of_group * i.columns)
                        : fmt::format("several groups whose channels fit {} columns", i.columns),
               "");
}

// Taps, or, where products take several of a row, or all, products.
std::int64_t products_of(const narrow_instance& i, const problem& p)
{
    const int cols                         = last_two(p, p.filter, 1)[1];
    const tap_product::filter_products row = {cols, i.row_taps > 0 ? cols : i.limits.taps};
    return p.filter_taps() / row.cols * row.of_row();
}

// Blocks that have the products of a filter, a few each.
std::int64_t blocks_of_products(const narrow_instance& i, const problem& p)
{
    if(i.limits.made != direction::backward_weight)
        return 1;
    const std::int64_t planes = depth_taps(p);
    return planes * (i.window.any() && i.row_taps == 0
                         ? ceil_div(products_of(i, p) / planes, std::int64_t(i.window.taps()))
                         : 1);
}

// Adds to the rules what a row of the filter breaks that is an operand.
void need_row(status& rules, const narrow_instance& i, const problem& p)
{
    constexpr int rows      = tap_product::channels; // of the matrix
    const int stride        = last_two(p, p.stride, 1)[1];
    const int taps          = last_two(p, p.filter, 1)[1];
    const std::int64_t span = (std::int64_t(taps) - 1) * last_two(p, p.dilation, 1)[1] + 1,
                       seen = span + (rows - 1) * (std::int64_t(stride) - 1);
    if(i.limits.made != direction::forward && product(last_two(p, p.stride, 1)) != 1)
        rules.also(rejection{
            fmt::format("strides must be 1 for rows of the filter, but are {}x{}: choose an instance of 1 tap, or an "
                        "implicit GEMM",
                        last_two(p, p.stride, 1)[0], stride)});
    else if(i.limits.made == direction::backward_weight)
    {
        if(taps > i.row_taps)
            rules.also(rejection{
                fmt::format("a row of the filter must have {} taps at most, but has {}: choose an instance of "
                            "more taps, or an implicit GEMM",
                            i.row_taps, taps)});
    }
    else if(stride > i.row_stride)
        rules.also(rejection{
            fmt::format("the stride along rows must be {} at most, but is {}: choose an instance of more taps, or an "
                        "implicit GEMM",
                        i.row_stride, stride)});
    else if(seen > i.row_taps)
        rules.also(rejection{fmt::format(
            "a row of the filter, and what {} windows of it see beyond at a stride of {}, must be {} pixels "
            "at most, but is {}: choose an instance of more taps, or an implicit GEMM",
            rows, stride, i.row_taps, seen)});
}

// Pixels of X that windows begin with must be a multiple of so many apart, so that weights are made of whole 16 bytes.
std::int64_t step_of_windows(const narrow_instance& i)
{
    return i.limits.made == direction::backward_weight && i.limits.taps > 1
               ? std::max(i.vector * i.limits.taps / i.columns, 1)
               : 1;
}

} // namespace

narrow_images::narrow_images(const narrow_instance& i, const problem& p) : given(p)
{
    const int of_x = i.limits.taps > 1 ? 1 : i.vector;
    given.groups = 1, given.c = p.groups * p.c, given.k = p.groups * p.k;
    const bool made = i.limits.taps > 1 && i.limits.made == direction::forward; // which a thread stores as it has it
    computed        = conv::computed(given, 2, {made ? i.of_thread : i.vector, of_x, of_x});
}

multi_index<2> weight_strides(const problem& p)
{
    return p.layout == layout::ngchw ? multi_index{1, static_cast<int>(p.filter_taps())}
                                     : multi_index{static_cast<int>(p.c), 1};
}

int channels_of_slice(const narrow_instance& i, const problem& p)
{
    if(i.limits.taps > 1)
        return i.columns;
    constexpr std::int64_t most = 32; // channels of a group, of which an implicit GEMM makes use
    if(i.in_lds ? seen_by_group(i, p) > i.columns || made_by_group(i, p) > slices_of_group * i.columns
                : std::max(p.c, p.k) > most)
        return 0;
    // A thread stores its channels at once; dY is read as it lies, and so is X, in vectors.
    const int step = i.limits.made != direction::backward_weight ? i.of_thread : i.by_matrix ? i.vector : i.columns;
    for(int channels = i.columns / step * step; channels > 0; channels -= step)
        if(slices_fit(i, p, channels))
            return channels;
    return 0;
}

channel_groups groups_of(const narrow_instance& i, const problem& p)
{
    return {static_cast<int>(made_by_group(i, p)), static_cast<int>(seen_by_group(i, p)), channels_of_slice(i, p)};
}

status narrow_supports(const narrow_instance& i, const problem& p)
{
    status rules;
    need_groups(rules, i, p);
    if(p.layout == layout::gnhwc)
        rules.also(rejection{
            "the channels of a pixel must lie side by side, or be planes of an image, and the layout is gnhwc: choose "
            "nhwgc or ngchw"});
    const known_window& w = i.window;
    if(p.spatial == 3 && i.planes == 1)
        rules.also(
            rejection{"the instance sees one plane, and the problem has 3 dimensions: choose one of several planes, or "
                      "an implicit GEMM"});
    else if(depth_taps(p) > i.planes)
        rules.also(rejection{fmt::format("a filter must have {} planes at most, but has {}: choose an implicit GEMM",
                                         i.planes, depth_taps(p))});
    if(w.any() && (i.limits.made != direction::backward_weight || i.row_taps > 0) && products_of(i, p) > i.most_taps)
        rules.also(
            rejection{fmt::format("a filter must have {} {} at most, but has {}: choose an implicit GEMM", i.most_taps,
                                  i.row_taps > 0      ? "rows"
                                  : i.limits.taps > 1 ? fmt::format("products of {} taps of a row", i.limits.taps)
                                                      : "taps",
                                  products_of(i, p))});
    if(i.row_taps > 0)
        need_row(rules, i, p);
    if(i.limits.taps > 1 && last_two(p, p.dilation, 1)[1] != 1)
        rules.also(rejection{
            fmt::format("products take neighbouring taps, so that the dilation along rows must be 1, but is {}: choose "
                        "an implicit GEMM",
                        last_two(p, p.dilation, 1)[1])});
    if(const int stride = last_two(p, p.stride, 1)[1]; stride % step_of_windows(i) != 0)
        rules.also(rejection{fmt::format(
            "the stride along rows must be a multiple of {}, but is {}: choose products of fewer taps, or an "
            "implicit GEMM",
            step_of_windows(i), stride)});
    if(i.limits.made == direction::backward_data && p.spatial == 3 && p.stride[0] != 1)
        rules.also(rejection{
            fmt::format("the stride along depth must be 1, but is {}: choose an implicit GEMM", p.stride[0])});
    const multi_index<2> strides = last_two(p, p.stride, 1);
    if(w.any() && i.limits.made == direction::backward_data &&
       (i.limits.patch.rows % strides[0] != 0 || i.limits.patch.cols % strides[1] != 0))
        rules.also(
            rejection{fmt::format("strides must divide a patch of {}x{} pixels, but are {}x{}: choose an implicit GEMM",
                                  i.limits.patch.rows, i.limits.patch.cols, strides[0], strides[1])});
    if(w.any() && i.by_matrix && i.limits.made == direction::backward_data && product(strides) != 1)
        rules.also(
            rejection{fmt::format("strides must be 1 for any window by matrix instructions, but are {}x{}: choose "
                                  "an instance of groups of 1 channel, or an implicit GEMM",
                                  strides[0], strides[1])});
    if(i.in_lds && w.any() && i.limits.made == direction::forward && strides[1] != 1)
        rules.also(rejection{
            fmt::format("the stride along rows must be 1 for any window of operands in LDS, but is {}: choose an "
                        "instance whose operands are in registers, or an implicit GEMM",
                        strides[1])});
    if(!w.any() && !is_known(w, p))
        rules.also(
            rejection{fmt::format("the instance is compiled for filter {}x{}, stride {} and dilation 1: choose one "
                                  "compiled for the problem's, or an implicit GEMM",
                                  w.rows, w.cols, w.stride)});
    if(!rules)
        return rules;
    const regions some = choose_regions(i.limits, p);
    if(!some && p.batch > 0)
        rules.also(rejection{
            fmt::format("the windows of a patch must see {} pixels at most, but see {}: choose an instance of a "
                        "larger halo",
                        i.limits.halo, halo_of_patch(i.limits, p))});
    const narrow_images q(i, p);
    need_view_of_images(rules, q.computed, i.limits.patches * i.limits.patch.pixels(),
                        std::min(p.output_pixels(), p.input_pixels()));
    need_blocks(rules, some.count * slices_of(i, p) * blocks_of_products(i, p));
    return rules;
}

narrow_schedule schedule_narrow(const device& dev, const narrow_instance& i, const problem& p)
{
    narrow_schedule s;
    s.regions = choose_regions(i.limits, p);
    s.slices  = static_cast<int>(slices_of(i, p));
    s.taps    = static_cast<int>(blocks_of_products(i, p));
    // As many blocks as run at once, and no more than make their regions in as many rounds.
    const std::int64_t slots = std::int64_t(dev.compute_units()) * i.at_once;
    const std::int64_t most =
        std::clamp<std::int64_t>(slots / (s.slices * s.taps), 1, std::max<std::int64_t>(s.regions.count, 1));
    const std::int64_t rounds = ceil_div(s.regions.count, most);
    s.shares                  = static_cast<int>(rounds == 0 ? 1 : ceil_div(s.regions.count, rounds));
    return s;
}

namespace
{
// Measured on an H200; instructions of all lanes of a compute unit.
constexpr double launch = 4, bytes_per_us = 3.4e6, instructions_per_us = 0.7 * 128 * 1.75e3;

// That a compute unit runs, at once or one after the other.
double blocks_of_unit(const device& dev, const narrow_schedule& s)
{
    return static_cast<double>(ceil_div(std::int64_t(s.blocks()), std::int64_t(dev.compute_units())));
}

// Of rows of a filter as Toeplitz matrices. A block copies, then multiplies; what it has of a pixel's channels is a part of a line of memory; and
// before, it lays out the filter.
double row_cost(const device& dev, const narrow_instance& i, const problem& p, const narrow_schedule& s, double rounds,
                double bytes)
{
    constexpr double of_row = 3.8, of_filter = 1500; // instructions: of an element's product, of a row's for a channel
    const double half_sectors = i.channels * bytes_of(p.type) < 32 ? 2.4 : 1.5;
    const double products     = static_cast<double>(i.row_steps * products_of(i, p)) *
                                static_cast<double>(s.regions.computed(i.limits)),
                 filters      = blocks_of_unit(dev, s) * i.most_taps * i.row_steps;
    return microsecond * (launch + half_sectors * bytes / bytes_per_us +
                          i.channels * (of_row * rounds * products + of_filter * filters) / instructions_per_us);
}

// Of weights by rows of the filter. A block copies, then each row of X meets all rows of dY, those too that do not exist; at the end it adds up its
// weights.
double row_weights_cost(const device& dev, const narrow_instance& i, const problem& p, const narrow_schedule& s,
                        double rounds, double bytes)
{
    constexpr double of_copy = 42, of_x = 345, of_product = 295,
                     of_weight       = 343; // instructions: of what 16 pixels of a row are in, and 16 taps
    constexpr double rows_of_product = 8;
    const int down = last_two(p, p.filter, 1)[0], apart = last_two(p, p.dilation, 1)[0];
    const conv::patch& patch = i.limits.patch;
    const double rows_of_x   = static_cast<double>(s.regions.rows * patch.rows + (down - 1) * apart),
                 operands    = static_cast<double>(s.regions.planes * s.regions.cols * patch.cols) * rows_of_x *
                               i.row_taps / (tap_product::channels * tap_product::channels),
                 region      = of_copy * static_cast<double>(s.regions.halo) +
                               operands * (of_x + of_product * i.most_taps / rows_of_product),
                 weights     = blocks_of_unit(dev, s) * i.row_taps * i.most_taps,
                 made        = i.channels * (rounds * region + of_weight * weights) / instructions_per_us;
    return microsecond * (launch + std::max(bytes / bytes_per_us, made));
}

// By squares. What computes and what memory gives hinder each other, most where both take as long. Where several blocks have a pixel, and others run beside
// them, it comes slower, but for half lines of memory that lie in one each.
double square_cost(const narrow_instance& i, const problem& p, const narrow_schedule& s, double rounds, double bytes)
{
    struct rates
    {
        double of_tap, of_element, of_region; // instructions, of an element's tap, of an element, of a region
        double bytes_per_us, of_lines, of_parts;
    };
    // Of times 0.92, by as much as costs of multiply-adds are below theirs.
    constexpr rates of_images  = {0.616, 3.96, 13600, 3.93e6, 1.1, 1.1},
                    of_weights = {0.865, 5.9, 5500, 3.75e6, 1, 1.65};
    constexpr int line         = 128; // bytes
    const rates& r             = i.limits.made == direction::backward_weight ? of_weights : of_images;
    const int row              = i.channels * bytes_of(p.type);
    const bool halves          = row == line / 2 && p.groups * p.k * bytes_of(p.type) % row == 0;
    const double of_tap        = i.group > square_product::channels ? 1.5 * r.of_tap : r.of_tap;
    const double slower        = s.slices == 1 || i.at_once == 1 || halves ? 1
                                 : row == line                             ? r.of_lines
                                                                           : r.of_parts,
                 taps          = static_cast<double>(p.filter_taps()) / s.taps,
                 elements      = i.channels * static_cast<double>(s.regions.computed(i.limits)),
                 made   = rounds * (elements * (of_tap * taps + r.of_element) + r.of_region) / instructions_per_us,
                 copies = slower * bytes / r.bytes_per_us;
    return microsecond * (launch + std::pow(std::pow(made, 4) + std::pow(copies, 4), 0.25));
}
} // namespace

double narrow_cost(const device& dev, const narrow_instance& i, const problem& p, const narrow_schedule& s,
                   double bytes)
{
    // A region computes all pixels of its patches, and copies its halo; lines of memory that a block has a half of come
    // slower, which products do not hide.
    constexpr double half_lines = 1.2, half_lines_of_products = 1.08;
    constexpr double beside_taps = 8, of_halo = 4; // instructions: of an element, of one of the halo
    constexpr double of_pixel = 40;                // of one of the halo whose few channels are copied one by one
    const double rounds =
        blocks_of_unit(dev, s) * static_cast<double>(ceil_div(s.regions.count, std::int64_t(s.shares)));
    if(i.row_taps > 0)
        return (i.limits.made == direction::backward_weight ? row_weights_cost : row_cost)(dev, i, p, s, rounds, bytes);
    if(i.by_squares)
        return square_cost(i, p, s, rounds, bytes);
    const int stride = last_two(p, p.stride, 1)[1];
    const bool any = i.window.any(), weights = i.limits.made == direction::backward_weight,
               runs = stride == 1 && last_two(p, p.dilation, 1)[1] == 1; // see visit_runs()
    double of_tap   = i.limits.taps > 1 ? 1.6 : i.group > 1 ? (weights ? 2.2 : 2.5) : 1;
    // Lanes that see every second pixel share banks of LDS: see halo_classes(), of windows that are known.
    const bool shared_banks = i.limits.taps == 1 && !weights && stride % 2 == 0;
    if(i.in_lds) // of 64 pixels and 16 channels LDS reads 3 KB, or, of 64 columns, 4
    {
        const bool tall = i.limits.patch.rows > tap_product::width;
        of_tap          = i.columns == 32 ? (tall ? 2.4 : 2.75) : tall ? 2.8 : 3.2;
    }
    else if(any)
        of_tap = i.group > 1
                     ? of_tap * (weights || shared_banks ? 2 : 1.5) * (i.group > tap_product::channels ? 1.4 : 1)
                 : weights ? 20
                 : runs    ? 2.5
                           : 5;
    // What a thread's channels see lies apart, and where it makes dX, it goes through all channels that one of X meets.
    if(i.group == 1 && p.k > 1)
        of_tap *= (i.of_thread > 1 ? 1.5 : 1) * static_cast<double>(makes_dx(i) ? p.k : 1);
    const double of_planes = i.planes == 1 ? 1 : i.group > 1 ? 1.2 : weights ? 1.4 : 2.1;
    const double of_waves  = weights && i.limits.taps > 1 && !any ? 0.5 : 1; // of few sums, of which many run at once
    const double pixels    = static_cast<double>(s.regions.computed(i.limits)),
                 taps      = static_cast<double>(products_of(i, p)) / s.taps,
                 halo   = (i.limits.taps > 1 ? of_pixel : i.channels * of_halo) * static_cast<double>(s.regions.halo),
                 region = of_planes * of_waves * (i.channels * pixels * (of_tap * taps + beside_taps) + halo);
    // Before its first region a block lays out weights in LDS.
    const double of_weight      = i.in_lds ? 25 : 0,
                 weights_in_lds = blocks_of_unit(dev, s) * of_weight * taps * i.columns * i.columns;
    const bool all      = i.channels >= p.groups * made_by_group(i, p); // channels, which are whole lines of memory
    const bool half     = !all && i.channels * bytes_of(p.type) < 128;
    const double copies = (half ? half_lines : 1) * bytes / bytes_per_us,
                 made   = ((half && i.group > 1 ? half_lines_of_products : 1) * rounds * region + weights_in_lds) /
                          instructions_per_us;
    return microsecond * (launch + std::max(copies, made));
}

narrow_arguments narrow_arguments_of(const narrow_instance& i, const problem& p, const narrow_schedule& s)
{
    const narrow_images q(i, p);
    const arguments a   = make_arguments(q.computed);
    const bool forwards = i.limits.made == direction::forward;
    return {.from        = nullptr,
            .wei         = nullptr,
            .bias        = nullptr,
            .residual    = nullptr,
            .to          = nullptr,
            .activation  = activation::none,
            .channels    = static_cast<int>(p.groups * p.k),
            .groups      = groups_of(i, p),
            .wei_strides = weight_strides(p),
            .from_lines  = forwards ? lines_of_input(a) : lines_of_output(a),
            .to_lines    = forwards ? lines_of_output(a) : lines_of_input(a),
            .regions     = grid_of(i.limits, p, s.regions),
            .slices      = s.slices,
            .shares      = s.shares};
}

namespace
{
// Boxes of so many rows and columns of X or of Y, in one plane, and of a block's channels.
tensor_map boxes(const narrow_instance& i, const problem& p, bool of_x, int rows, int cols, const void* images)
{
    const narrow_images q(i, p);
    const arguments a   = make_arguments(q.computed);
    const auto& lengths = of_x ? a.input : a.output;
    return packed_map(images, bytes_of(p.type),
                      {of_x ? a.c : a.k, lengths[2], lengths[1], static_cast<int>(p.batch) * lengths[0]},
                      {i.channels, cols, rows, 1}, true);
}
} // namespace

tensor_map boxes_of_halos(const narrow_instance& i, const problem& p, const region_shape& region, const void* images)
{
    return boxes(i, p, !makes_dx(i), region.halo_rows.divisor, region.halo_cols.divisor, images);
}
tensor_map boxes_of_patches(const narrow_instance& i, const problem& p, const void* images)
{
    return boxes(i, p, makes_dx(i), i.limits.patch.rows, i.limits.patch.cols, images);
}

} // namespace ck_tile::conv

// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/computed.hpp"

#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/repack.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ck_tile::conv
{
namespace
{

// A tensor as matrices of pixels and channels, outer x inner of them, and where they lie. Of weights, taps are pixels and output channels
// inner.
struct matrices
{
    std::int64_t outer, inner, pixels, channels;
    std::int64_t outer_stride, inner_stride, pixel_stride, channel_stride;

    std::int64_t elements() const { return outer * inner * pixels * channels; }
    friend bool operator==(const matrices&, const matrices&) = default;
};

matrices packed_matrices(const problem& p, tensor which)
{
    const auto images = [&](std::int64_t channels, std::int64_t pixels) -> matrices {
        const std::int64_t g = p.groups, n = p.batch, matrix = pixels * channels;
        switch(p.layout)
        {
        case layout::nhwgc: return {n, g, pixels, channels, g * matrix, channels, g * channels, 1};
        case layout::gnhwc: return {n, g, pixels, channels, matrix, n * matrix, channels, 1};
        case layout::ngchw: return {n, g, pixels, channels, g * matrix, matrix, 1, pixels};
        }
        __builtin_unreachable();
    };
    const std::int64_t taps = p.filter_taps(), row = row_length(p);
    switch(which)
    {
    case tensor::in: return images(p.c, p.input_pixels());
    case tensor::out: return images(p.k, p.output_pixels());
    case tensor::wei:
        if(p.layout == layout::ngchw)
            return {p.groups, p.k, taps, p.c, p.k * row, row, 1, taps};
        return {p.groups, p.k, taps, p.c, p.k * row, row, p.c, 1};
    case tensor::bias: return {1, p.groups, 1, p.k, p.groups * p.k, p.k, p.k, 1};
    }
    __builtin_unreachable();
}

// Where there is one of something, the distance to the next is 0: then equal matrices are those that lie alike.
matrices matrices_of(const problem& p, tensor which)
{
    matrices m = packed_matrices(p, which);
    for(const auto& [extent, stride] : {std::pair(m.outer, &m.outer_stride), std::pair(m.inner, &m.inner_stride),
                                        std::pair(m.pixels, &m.pixel_stride), std::pair(m.channels, &m.channel_stride)})
        if(extent == 1)
            *stride = 0;
    return m;
}

// Whether its channels lie side by side, and where the other lines begin.
bool by_channel(const matrices& m) { return m.channel_stride <= 1; }
std::int64_t line_stride(const matrices& m) { return by_channel(m) ? m.pixel_stride : m.channel_stride; }

std::size_t last_of(const problem& p) { return static_cast<std::size_t>(p.spatial - 1); } // dimension

bool is_unfolded(const problem& p, const problem& q) { return q.filter[last_of(p)] != p.filter[last_of(p)]; }
bool is_unfolded(const problem& p, const problem& q, tensor which)
{
    return is_unfolded(p, q) && (which == tensor::in || which == tensor::wei);
}

// What a tensor's lines are where it is unfolded: X's, or those of the taps of weights, which one window sees all of.
unfolded_lines lines_of(const problem& p, tensor which)
{
    const std::size_t d = last_of(p);
    const matrices m    = packed_matrices(p, which);
    const auto number   = [](std::int64_t n) { return static_cast<int>(n); };
    const int taps      = number(p.filter[d]);
    const bool images   = which == tensor::in;
    const int length    = images ? number(p.input[d]) : taps;
    unfolded_lines l    = {};
    l.count = number(m.pixels / length), l.length = length;
    l.channels = number(p.c), l.positions = images ? number(p.output(static_cast<int>(d))) : 1, l.taps = taps;
    l.before = images ? number(p.left_pad[d]) : 0, l.stride = images ? number(p.stride[d]) : taps,
    l.dilation = images ? number(p.dilation[d]) : 1;
    l.strides  = {number(length * m.pixel_stride), number(m.pixel_stride), number(m.channel_stride)};
    return l;
}

// Whether the tensor lies as if it were: windows follow each other, and have whole vectors.
bool lies_unfolded(const problem& p, const problem& q, tensor which)
{
    const unfolded_lines l = lines_of(p, which);
    return q.c == l.taps.divisor * p.c && l.strides[2] == 1 && l.strides[1] == p.c && l.before == 0 &&
           l.dilation == 1 && l.stride == l.taps.divisor && l.length == l.positions.divisor * l.stride;
}

bool is_copied(const problem& p, const problem& q, tensor which)
{
    if(is_unfolded(p, q, which))
        return !lies_unfolded(p, q, which);
    return !(matrices_of(p, which) == matrices_of(q, which));
}

std::size_t bytes_of_copy(const problem& q, tensor which)
{
    constexpr std::size_t aligned = 256;
    return ceil_div(static_cast<std::size_t>(matrices_of(q, which).elements() * ck_tile::bytes_of(q.type)), aligned) *
           aligned;
}

launch repacking(const kernel& k, data_type type, const void* from, const matrices& a, void* to, const matrices& b)
{
    using program      = repack_program<architecture::gfx942, data_type::fp32>; // its tiles, in lines, are those of all
    const int line     = 16 / ck_tile::bytes_of(type);
    const auto lengths = [&](const matrices& m) {
        return by_channel(a) ? std::pair(m.pixels, m.channels) : std::pair(m.channels, m.pixels);
    };
    const auto [rows, cols]             = lengths(b);
    const auto [rows_there, cols_there] = lengths(a);
    const bool turned                   = by_channel(b) != by_channel(a);
    const auto in_vectors               = [&](const matrices& m, std::int64_t length) {
        return length % line == 0 && line_stride(m) % line == 0 && m.inner_stride % line == 0 &&
               m.outer_stride % line == 0;
    };
    const bool loads = in_vectors(a, std::min(cols, cols_there)), stores = in_vectors(b, turned ? rows : cols);
    const repack_tile tile = !turned
                                 ? (std::max(cols, cols_there) <= line ? repack_tile::short_lines : repack_tile::lines)
                             : loads && std::max(rows, rows_there) <= program::few  ? repack_tile::turned_few_rows
                             : stores && std::max(cols, cols_there) <= program::few ? repack_tile::turned_few_columns
                                                                                    : repack_tile::turned;
    const auto tiles = [&](std::int64_t length, int of_tile) { return static_cast<int>(ceil_div(length, of_tile)); };
    const repack_arguments all = {.from       = from,
                                  .to         = to,
                                  .in_from    = {a.outer_stride, a.inner_stride, static_cast<int>(line_stride(a))},
                                  .in_to      = {b.outer_stride, b.inner_stride, static_cast<int>(line_stride(b))},
                                  .inner      = static_cast<int>(b.inner),
                                  .there      = static_cast<int>(a.inner),
                                  .from_rows  = static_cast<int>(std::min(rows, rows_there)),
                                  .from_cols  = static_cast<int>(std::min(cols, cols_there)),
                                  .to_rows    = static_cast<int>(rows),
                                  .to_cols    = static_cast<int>(cols),
                                  .tile       = tile,
                                  .loads      = loads,
                                  .stores     = stores,
                                  .tiles_rows = tiles(rows, program::rows(tile, line)),
                                  .tiles_cols = tiles(cols, program::cols(tile, line)),
                                  .lines      = {}};
    return {k, b.outer * b.inner * all.tiles_rows * all.tiles_cols, all};
}

// X of `p` or its weights to those of `q`, which is unfolded; or dW the other way.
launch unfolding(const kernel& k, const problem& p, const problem& q, tensor which, const void* from, bool unfold,
                 void* to)
{
    using program        = repack_program<architecture::gfx942, data_type::fp32>;
    const int line       = 16 / ck_tile::bytes_of(p.type);
    repack_arguments all = {};
    all.from = from, all.to = to;
    all.lines                   = lines_of(p, which);
    const matrices m            = packed_matrices(p, which);
    const std::int64_t rows     = std::int64_t(all.lines.count) * all.lines.positions.divisor;
    const matrix_strides pixels = {which == tensor::in ? m.outer_stride : m.inner_stride, 0, 0},
                         packed = {rows * q.c, 0, 0};
    all.in_from = unfold ? pixels : packed, all.in_to = unfold ? packed : pixels;
    all.inner = all.there = 1;
    all.to_cols           = static_cast<int>(q.c); // of the lines, either way
    all.tile = !unfold ? repack_tile::folded : q.c <= 2 * line ? repack_tile::short_unfolded : repack_tile::unfolded;
    all.tiles_rows = static_cast<int>(ceil_div(rows, program::rows(all.tile, line)));
    all.tiles_cols = static_cast<int>(ceil_div(q.c, program::cols(all.tile, line)));
    return {k, (which == tensor::in ? m.outer : m.inner) * all.tiles_rows * all.tiles_cols, all};
}

launch copying(const kernel& k, const problem& p, const problem& q, tensor which, const void* from, bool to_computed,
               void* to)
{
    if(is_unfolded(p, q, which))
        return unfolding(k, p, q, which, from, to_computed, to);
    const matrices given = matrices_of(p, which), taken = matrices_of(q, which);
    return to_computed ? repacking(k, p.type, from, given, to, taken) : repacking(k, p.type, from, taken, to, given);
}

} // namespace

problem computed(problem p, int spatial, const vector_widths& vector)
{
    if(spatial == 0)
        return p;
    const std::int64_t in_vector = std::max(vector.in, vector.wei); // C is along the rows of W, too
    if(p.layout == layout::ngchw)
        p.layout = layout::nhwgc;
    p.c = ceil_div(p.c, in_vector) * in_vector;
    p.k = ceil_div(p.k, vector.out) * vector.out;
    return p;
}

problem computed_through_windows(const problem& p, int spatial, const vector_widths& vector)
{
    const problem q = computed(p, spatial, vector);
    if(spatial == 0 || p.groups != 1)
        return q;
    const std::size_t d          = last_of(p);
    const std::int64_t in_vector = std::max(vector.in, vector.wei);
    problem u                    = q;
    u.c                          = ceil_div(p.filter[d] * p.c, in_vector) * in_vector;
    u.input[d]                   = p.output(static_cast<int>(d));
    u.filter[d] = u.stride[d] = u.dilation[d] = 1;
    u.left_pad[d] = u.right_pad[d] = 0;
    // Its rows are to be shorter by a quarter at least, its copy, in lines of 16 bytes, not to matter beside the other tensors, and views to
    // span some images yet.
    const auto elements = [](const problem& x) { return x.input_pixels() * x.c; };
    const bool pays     = in_vector * ck_tile::bytes_of(p.type) == 16 && 4 * u.c <= 3 * p.filter[d] * q.c &&
                          elements(u) <= std::max(4 * elements(p), p.output_pixels() * p.k) &&
                          std::min(images_per_view(q), images_per_view(u)) > 1;
    return pays ? u : q;
}

std::size_t copies_bytes(const problem& p, const problem& q, std::span<const tensor> used)
{
    std::size_t all = 0;
    for(const tensor which : used)
        if(is_copied(p, q, which))
            all += bytes_of_copy(q, which);
    return all;
}

double copies_cost(const problem& p, const problem& q, std::span<const tensor> used)
{
    constexpr double launch = 2 * microsecond;
    double all              = 0;
    for(const tensor which : used)
        if(is_copied(p, q, which))
            all +=
                launch + byte_of_memory * ck_tile::bytes_of(q.type) *
                             static_cast<double>(matrices_of(p, which).elements() + matrices_of(q, which).elements());
    return all;
}

double cost_with_copies(const split_choice& choice, int spatial, const problem& p, const problem& q,
                        std::span<const tensor> used)
{
    return choice.cost * (1 + 0.05 * std::max(spatial - p.spatial, 0)) + copies_cost(p, q, used);
}

void need_little_padding(status& rules, const problem& p, const problem& q)
{
    constexpr std::int64_t most = 4;
    const auto rule             = [&](const char* name, std::int64_t before, std::int64_t after) {
        if(after > most * before)
            rules.also(rejection{
                fmt::format("{} = {} would be padded to {}, more than {} times as many: choose an instance with "
                            "a narrower vector",
                            name, before, after, most)});
    };
    if(!is_unfolded(p, q))
        rule("C per group", p.c, q.c);
    rule("K per group", p.k, q.k);
}

void* computed_tensors::take(tensor which)
{
    void* const taken = next_;
    next_ += bytes_of_copy(q_, which);
    return taken;
}

const void* computed_tensors::read(const void* original, tensor which)
{
    if(original == nullptr || !is_copied(p_, q_, which))
        return original;
    void* const copy = take(which);
    before_.push_back(copying(*repack_, p_, q_, which, original, true, copy));
    return copy;
}

void* computed_tensors::write(void* original, tensor which)
{
    if(original == nullptr || !is_copied(p_, q_, which))
        return original;
    void* const copy = take(which);
    after_.push_back(copying(*repack_, p_, q_, which, copy, false, original));
    return copy;
}

std::vector<launch> computed_tensors::around(std::vector<launch> main) const
{
    main.insert(main.begin(), before_.begin(), before_.end());
    main.insert(main.end(), after_.begin(), after_.end());
    return main;
}

} // namespace ck_tile::conv

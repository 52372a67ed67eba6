// SPDX-License-Identifier: MIT
// Regions of what a block computes without an implicit GEMM: patches of some pixels, which a thread has each, in rows and columns of some
// images; what their windows see of the other tensor, the halo; and where the regions of a problem are.
#pragma once

#include "ck_tile/core/divider.hpp"
#include "ck_tile/core/transforms.hpp"
#include "ck_tile/targets/tensor_map.hpp"

namespace ck_tile::conv
{

// Output pixels that a thread computes of a channel.
struct patch
{
    int rows, cols;

    constexpr int pixels() const { return rows * cols; }
    // The patch of a thread that has `times` fewer pixels, a power of two: of fewer rows, then of fewer columns.
    constexpr patch smaller(int times) const
    {
        const int fewer = times < rows ? times : rows;
        return {rows / fewer, cols * fewer / times};
    }
    friend constexpr bool operator==(const patch&, const patch&) = default;
};

// What of a convolution a compiler knows: the lengths of the filter and the stride, the same along both dimensions, the dilation being 1.
// rows 0: it knows none of them, but that there are `cols` taps at most, 64 where that is 0.
struct known_window
{
    int rows, cols, stride;

    constexpr bool any() const { return rows == 0; }
    constexpr int taps() const { return !any() ? rows * cols : cols == 0 ? 64 : cols; } // at most
};

// What is made: Y, dX or dW. Pixels of Y, and of dY where dW is made of it, see windows of X; pixels of dX see dY.
enum class direction
{
    forward,
    backward_data,
    backward_weight
};

// Along a dimension whose filter has so many taps: the lines of the other tensor that `pixels` neighbours see. Of dX, the first pixel is one
// that the first tap of a window sees, and pixels are a multiple of the stride.
template <class Int>
constexpr Int lines_seen(direction made, Int pixels, Int filter, Int stride)
{
    return made == direction::backward_data ? (pixels - 1) / stride + (filter - 1) / stride + 1
                                            : (pixels - 1) * stride + filter;
}
// Through which tap such a line meets a pixel: through none, if it is not in [0, filter).
constexpr int tap_between(direction made, int line, int pixel, int filter, int stride)
{
    return made == direction::backward_data ? pixel + stride * ((filter - 1) / stride - line) : line - pixel * stride;
}

// The line that meets a pixel through a tap: -1, if none does.
constexpr int line_between(direction made, int tap, int pixel, int filter, int stride)
{
    if(made != direction::backward_data)
        return pixel * stride + tap;
    return (pixel + stride * filter - tap) % stride != 0 ? -1 : (filter - 1) / stride + (pixel - tap) / stride;
}

// Where pixel x of a row lies of which those of each class, x % Classes, lie side by side: classes, and pixels of one, are so far apart.
template <int Classes>
CK_TILE_FN int slot_of(unsigned x, int next_class, int next_pixel)
{
    return x % Classes * next_class + x / Classes * next_pixel;
}

// Patches of a region, and the pixels that their windows see, the halo. Both lie in planes: those of an image of three dimensions, which see
// several planes each, or, of fewer dimensions, images, which see one.
struct region_shape
{
    int planes, halo_planes;
    divider rows, cols;                      // patches of a plane
    divider halo_rows, halo_cols;            // pixels of a plane
    multi_index<2> next;                     // pixels of the halo from patch to patch
    int next_plane;                          // rows of the halo from plane to plane
    multi_index<2> window, stride, dilation; // of the convolution in a plane; window: lengths of the filter
    struct
    {
        int taps, stride, dilation; // of the convolution across planes
    } depth;

    CK_TILE_FN constexpr int patches() const { return planes * rows.divisor * cols.divisor; }
    CK_TILE_FN constexpr int halo() const { return halo_planes * plane(); }
    CK_TILE_FN constexpr int plane() const { return halo_rows.divisor * halo_cols.divisor; } // pixels
    CK_TILE_FN constexpr int plane_taps() const { return product(window); }
    CK_TILE_FN constexpr int taps() const { return depth.taps * plane_taps(); }

    // Where pixel x of a row of the halo lies in LDS, and which one lies there: even ones before odd ones, if they are of two classes, so that
    // those which neighbours see through a tap at a stride of 2 are neighbours too.
    template <int Classes>
    CK_TILE_FN int slot_of(unsigned x) const
    {
        return conv::slot_of<Classes>(x, next_class<Classes>(), 1);
    }
    template <int Classes>
    CK_TILE_FN int pixel_in(int slot) const
    {
        const int of_first = next_class<Classes>();
        return Classes == 1 ? slot : slot < of_first ? 2 * slot : 2 * (slot - of_first) + 1;
    }
    template <int Classes>
    CK_TILE_FN int next_class() const
    {
        static_assert(Classes == 1 || Classes == 2, "region_shape: one class of pixels, or two");
        return ceil_div(halo_cols.divisor, Classes);
    }

    // Where the first pixel of the halo is that pixel (row, col) of a patch sees; of dX, its first one. Patches begin with pixels of the first class.
    template <int Classes = 1>
    CK_TILE_FN int first_input(int number, int row = 0, int col = 0) const
    {
        const int line = number / cols, image = line / rows;
        const int y = (line - image * rows.divisor) * next[0] + row * stride[0],
                  x = (number - line * cols.divisor) * next[1] + col * stride[1];
        return (image * next_plane + y) * halo_cols.divisor + unsigned(x) / Classes;
    }
    // How far beyond it the pixels lie that it sees through the taps of one plane of the filter.
    CK_TILE_FN int beyond_first(direction made, int tap_plane) const
    {
        return (made == direction::backward_data ? depth.taps - 1 - tap_plane : tap_plane) * depth.dilation * plane();
    }
};

// Planes of a tensor that a region has: from `first` on, counted through all images, so many, and others before them, which are padding.
struct plane_range
{
    int first, count, missing;
};

// Where the regions of a problem are.
struct region_grid
{
    region_shape shape;
    merge<3, dividers<3>> order;  // of images and regions across their planes, along y and x
    divider across_planes;        // regions
    int made_planes, seen_planes; // of an image; where images are planes, of all images
    int first_plane;              // that the first region sees, which may be in the padding
    multi_index<2> first_pixel;   // of the first region: backward, some may be before the image
    multi_index<2> first_halo;    // the first pixel that it sees, which may be in the padding
    multi_index<2> patch;         // pixels

    struct coord
    {
        plane_range made, seen;     // what the region is of, and what its halo is of
        multi_index<2> pixel, halo; // the first ones

        // Where boxes of [images, rows, columns, channels] begin, from a channel on: of what the region is of, and of what it sees.
        CK_TILE_FN tensor_map::coord made_box(int channel) const { return {channel, pixel[1], pixel[0], made.first}; }
        // Of a plane that does not exist, where there is none.
        CK_TILE_FN tensor_map::coord seen_box(int channel) const
        {
            return {channel, halo[1], halo[0], seen.count > 0 ? seen.first : -1};
        }
    };
    // Deep: of images of several planes, which see others. `tap_plane`: of the filter, where a halo is what windows see through the taps of
    // one alone.
    template <bool Deep>
    CK_TILE_FN coord at(int number, int tap_plane = 0) const
    {
        const auto digits            = order.map({number});
        const auto smaller           = [](int a, int b) { return a < b ? a : b; };
        const int image              = Deep ? digits[0] / across_planes : 0;
        const int plane              = (digits[0] - image * across_planes.divisor) * shape.planes;
        const multi_index<2> patches = {digits[1] * shape.rows.divisor, digits[2] * shape.cols.divisor};
        coord c                      = {};
        c.made = c.seen = {image * made_planes + plane, smaller(made_planes - plane, shape.planes), 0};
        if constexpr(Deep)
        {
            const int seen    = plane * shape.depth.stride + first_plane + tap_plane * shape.depth.dilation,
                      missing = seen < 0 ? -seen : 0, left = smaller(seen_planes - seen, shape.halo_planes) - missing;
            c.seen = {image * seen_planes + seen + missing, left < 0 ? 0 : left, missing};
        }
        for(int d = 0; d < 2; ++d)
        {
            c.pixel[d] = first_pixel[d] + patches[d] * patch[d];
            c.halo[d]  = first_halo[d] + patches[d] * shape.next[d];
        }
        return c;
    }
};

} // namespace ck_tile::conv

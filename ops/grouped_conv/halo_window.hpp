// SPDX-License-Identifier: MIT
// What the windows of a region see of X, the halo, as [pixel, channel]: a window that moves from region to region. Which pixels
// of it a thread has it works out once; where the region's lie, and which ones exist, once for a region.
#pragma once

#include "ck_tile/core/window.hpp"
#include "ck_tile/targets/schedule.hpp"
#include "ops/grouped_conv/arguments.hpp"
#include "ops/grouped_conv/region_grid.hpp"

namespace ck_tile::conv
{

// An offset in memory, or nowhere, if either is not there: `missing` is 0 or nowhere.
CK_TILE_FN unsigned unless(unsigned offset, unsigned missing) { return offset > missing ? offset : missing; }

// A tensor of images, of one group, as such windows see it: lengths of its planes, and distances in elements.
struct image_lines
{
    multi_index<2> lengths, strides;
    std::int64_t plane;
    int channels;
};
CK_TILE_FN image_lines lines_of_input(const arguments& a)
{
    return {used<2>(a.input), used<2>(a.in.spatial), a.in.spatial[0], a.c};
}
CK_TILE_FN image_lines lines_of_output(const arguments& a)
{
    return {used<2>(a.output), used<2>(a.out.spatial), a.out.spatial[0], a.k};
}

// Classes: of the pixels of a row, as they lie in LDS: see region_shape. Planar: [channel, pixel], held alike, with rows of whole runs of
// pixels that a thread has side by side; which ones it works out for each region, as what computes them has no registers left. OnePlane: a
// region has one, which is there.
template <class T, distribution D, int Classes = 1, bool Planar = false, bool OnePlane = false>
class halo_window
{
    static constexpr int rows = D.reg.only(0).size(),
                         run  = Planar ? D.reg.at[0].extent : 1; // pixels of a thread, side by side in one row
    static_assert(D.vecs() == 1 || D.vector_dim() == 1, "halo_window: a thread has pixels in vectors of channels");

  public:
    using element                        = T;
    static constexpr distribution layout = Planar ? transposed(D) : D;
    static constexpr int channel_dim     = Planar ? 0 : 1;

    // Both are kept by reference.
    CK_TILE_FN halo_window(const image_lines& lines, const region_shape& shape)
        : lines_(&lines), shape_(&shape), memory_(static_cast<const T*>(nullptr), 0)
    {
        if constexpr(!Planar)
            for_each_thread<D>([&](thread t) {
                static_for<rows>([&](auto i) { own_[t.copy].pixel[i] = pixel_of(first_element<D, 0>(t), i); });
            });
    }

    // To planes of the images from `data` on, to the pixel that is the first one there, which may be in the padding, and to a channel.
    CK_TILE_FN void move_to(const T* data, const plane_range& planes, const multi_index<2>& pixel, int channel = 0)
    {
        const int y = pixel[0], x = pixel[1];
        memory_ = memory_range(data + planes.first * lines_->plane,
                               planes.count * lines_->plane * static_cast<std::int64_t>(sizeof(T)));
        for_each_thread<D>([&](thread t) {
            own& o                           = own_[t.copy];
            o.column                         = channel + first_element<D, 1>(t);
            [[maybe_unused]] const int first = Planar ? opaque(first_element<D, 0>(t)) : 0;
            static_for<rows / run>([&](auto j) {
                constexpr unsigned mask = (1u << bits) - 1;
                unsigned at;
                if constexpr(Planar)
                    at = pixel_of(first, constant<j * run>{});
                else
                    at = o.pixel[j];
                const int plane = int(at >> 2 * bits) - (OnePlane ? 0 : planes.missing),
                          own_y = int(at >> bits & mask) + y, own_x = int(at & mask) + x;
                // Without branches: of what does not exist the offset is any.
                const bool in_plane = unsigned(plane) < unsigned(planes.count),
                           in_rows  = unsigned(own_y) < unsigned(lines_->lengths[0]);
                const unsigned offset =
                    ((OnePlane ? 0 : unsigned(plane) * unsigned(lines_->plane)) +
                     unsigned(own_y) * unsigned(lines_->strides[0]) + unsigned(own_x) * unsigned(lines_->strides[1])) *
                    unsigned(sizeof(T));
                static_for<run>([&](auto i) {
                    const bool in_cols = unsigned(own_x + i) < unsigned(lines_->lengths[1]);
                    o.at[j * run + i]  = (in_plane & in_rows & in_cols)
                                             ? offset + unsigned(i) * unsigned(lines_->strides[1]) * unsigned(sizeof(T))
                                             : nowhere;
                });
            });
        });
    }

    template <int Dim>
    CK_TILE_FN int step(int by) const
    {
        static_assert(Dim == channel_dim, "halo_window: steps along channels");
        return by;
    }
    CK_TILE_FN void move(int channels)
    {
        for_each_thread<D>([&](thread t) { own_[t.copy].column += channels; });
    }

    // Calls visit(register number, byte offset) for each vector register of the thread.
    template <class Visit>
    CK_TILE_FN void each_access(thread t, Visit&& visit) const
    {
        const own& o = own_[t.copy];
        static_for<D.regs()>([&](auto r) {
            constexpr int i = D.reg.number_in(0, r), beyond = D.reg.along(1, r);
            const int column = o.column + beyond;
            visit(r,
                  unless(o.at[i] + ck_tile::detail::byte_offset<T>(column), column < lines_->channels ? 0 : nowhere));
        });
    }

    CK_TILE_FN const memory_range& memory() const { return memory_; }

  private:
    static constexpr int bits = 10; // of a coordinate in a plane of the halo, below 1024: see choose_regions()

    // The ith pixel of a thread whose first one this is: plane, y, x of the halo.
    CK_TILE_FN unsigned pixel_of(int first, auto i) const
    {
        constexpr int beyond = D.reg.only(0).along(0, i);
        const int number = first + beyond, line = number / shape_->halo_cols;
        const int plane = line / shape_->halo_rows, y = line - plane * shape_->halo_rows.divisor,
                  x = shape_->template pixel_in<Classes>(number - line * shape_->halo_cols.divisor);
        return number < shape_->halo() ? unsigned(plane) << 2 * bits | unsigned(y) << bits | unsigned(x) : ~0u;
    }

    // What one thread keeps.
    struct own
    {
        unsigned pixel[Planar ? 1 : rows]; // see pixel_of()
        unsigned at[rows];                 // bytes, of the region's; nowhere, if it does not exist
        int column;
    };

    const image_lines* lines_;
    const region_shape* shape_;
    memory_range memory_;
    ck_tile::detail::per_thread<own, copies_of(D.threads())> own_;
};

} // namespace ck_tile::conv

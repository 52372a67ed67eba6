// SPDX-License-Identifier: MIT
// What the windows of a region see of X, the halo, as [pixel, channel]: a window that moves from region to region. Where a pixel lies from the
// first one of the halo a thread works out once; which ones exist, once for a region.
#pragma once

#include "ops/grouped_conv/depthwise.hpp"

namespace ck_tile::conv
{

template <class T, distribution D>
class halo_window
{
    static constexpr int rows = D.reg.only(0).size();
    static_assert(rows <= 32 && D.vector_dim() == 1,
                  "halo_window: a thread has 32 pixels at most, in vectors of channels");

  public:
    using element                        = T;
    static constexpr distribution layout = D;

    CK_TILE_FN halo_window(const arguments& a, const region_shape& shape)
        : lengths_(used<2>(a.input)),
          strides_(used<2>(a.in.spatial)),
          image_(a.in.image),
          channels_(a.c),
          memory_(static_cast<const T*>(nullptr), 0)
    {
        for_each_thread<D>([&](thread t) {
            own& o   = own_[t.copy];
            o.column = first_element<D, 1>(t);
            static_for<rows>([&](auto i) {
                constexpr int beyond = D.reg.only(0).along(0, i);
                const int number = first_element<D, 0>(t) + beyond, line = number / shape.halo_cols;
                const int image = line / shape.halo_rows, x = number - line * shape.halo_cols.divisor,
                          y = line - image * shape.halo_rows.divisor;
                o.offset[i] = ck_tile::detail::byte_offset<T>(image * static_cast<int>(image_) + y * strides_[0] +
                                                              x * strides_[1]);
                o.pixel[i] =
                    number < shape.halo() ? unsigned(image) << 2 * bits | unsigned(y) << bits | unsigned(x) : ~0u;
            });
        });
    }

    // To the region whose halo begins at (y, x), which may be in the padding, of `images` images from `data` on.
    CK_TILE_FN void move_to(const T* data, int images, int y, int x)
    {
        memory_ = memory_range(data, images * image_ * static_cast<std::int64_t>(sizeof(T)));
        first_  = ck_tile::detail::byte_offset<T>(y * strides_[0] + x * strides_[1]);
        for_each_thread<D>([&](thread t) {
            own& o  = own_[t.copy];
            o.exist = 0, o.column = first_element<D, 1>(t);
            static_for<rows>([&](auto i) {
                constexpr unsigned mask = (1u << bits) - 1;
                const unsigned at       = o.pixel[i];
                const bool exists       = at >> 2 * bits < unsigned(images) &&
                                          unsigned(int(at >> bits & mask) + y) < unsigned(lengths_[0]) &&
                                          unsigned(int(at & mask) + x) < unsigned(lengths_[1]);
                o.exist |= unsigned(exists) << int(i);
            });
        });
    }

    template <int Dim>
    CK_TILE_FN int step(int by) const
    {
        static_assert(Dim == 1, "halo_window: steps along channels");
        return by;
    }
    CK_TILE_FN void move(int channels)
    {
        for_each_thread<D>([&](thread t) { own_[t.copy].column += channels; });
    }

    // Calls visit(register number, gathered) for each vector register of the thread.
    template <class Visit>
    CK_TILE_FN void each_access(thread t, Visit&& visit) const
    {
        const own& o = own_[t.copy];
        static_for<D.regs()>([&](auto r) {
            constexpr int i = D.reg.number_in(0, r), beyond = D.reg.along(1, r);
            const int column = o.column + beyond;
            visit(r, gathered{.row    = o.offset[i],
                              .column = first_ + ck_tile::detail::byte_offset<T>(column),
                              .exists = (o.exist >> i & 1) != 0 && column < channels_});
        });
    }

    CK_TILE_FN const memory_range& memory() const { return memory_; }

  private:
    static constexpr int bits = 10; // of a coordinate in the halo, which has fewer than 1024 pixels

    // What one thread keeps.
    struct own
    {
        unsigned offset[rows]; // bytes, from the first pixel
        unsigned pixel[rows];  // image, y, x
        unsigned exist;        // a bit for each
        int column;
    };

    multi_index<2> lengths_, strides_;
    std::int64_t image_;
    int channels_;
    memory_range memory_;
    unsigned first_ = 0;
    ck_tile::detail::per_thread<own, copies_of(D.threads())> own_;
};

} // namespace ck_tile::conv

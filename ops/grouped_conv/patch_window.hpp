// SPDX-License-Identifier: MIT
// The pixels of a region as threads have them, each those of a patch, or of a part of one: a window that moves from region to region, to store
// what was computed, or load what is added to it.
#pragma once

#include "ops/grouped_conv/channel_groups.hpp"
#include "ops/grouped_conv/halo_window.hpp"

namespace ck_tile::conv
{

// D: how the threads have the pixels of patches `Whole`, of which each has rows and columns `Patch`, which D's registers say the places of.
template <class T, distribution D, patch Whole, patch Patch>
class patch_window
{
    static_assert(D.regs() == Patch.pixels(), "patch_window: a thread has the pixels of a patch, or of a part of one");

  public:
    using element                        = T;
    static constexpr distribution layout = D;

    // Of a region of the images from `data` on, from patch `first` of it on, of these channels. Pixels before the first one of an image, or
    // behind its last one, do not exist.
    CK_TILE_FN patch_window(const image_lines& lines, const region_shape& shape, T* data,
                            const region_grid::coord& region, const channel_slices& channels, int first)
        : memory_(data + region.made.first * lines.plane,
                  region.made.count * lines.plane * static_cast<std::int64_t>(sizeof(T))),
          pitch_(ck_tile::detail::byte_offset<T>(lines.strides[1]))
    {
        for_each_thread<D>([&](thread t) {
            own& o        = own_[t.copy];
            const int row = first_element<D, 0>(t), number = first + row / Whole.pixels(),
                      inside = row % Whole.pixels(), line = number / shape.cols, plane = line / shape.rows,
                      column = first_element<D, 1>(t);
            const int own_y  = region.pixel[0] + (line - plane * shape.rows.divisor) * Whole.rows + inside / Whole.cols,
                      own_x = region.pixel[1] + (number - line * shape.cols.divisor) * Whole.cols + inside % Whole.cols;
            const bool exists       = number < shape.patches() && plane < region.made.count;
            const unsigned at_first = ck_tile::detail::byte_offset<T>(
                plane * static_cast<int>(lines.plane) + own_y * lines.strides[0] + own_x * lines.strides[1]);
            register_for<Patch.rows>([&](auto r) {
                const int y = row_of(r), own_column = column + reach<D.reg, 1>(r * Patch.cols),
                          channel = channels[own_column];
                o.row[r]          = exists && channels.has(own_column) && channel < lines.channels &&
                                            unsigned(own_y + y) < unsigned(lines.lengths[0])
                                        ? at_first + ck_tile::detail::byte_offset<T>(channel) +
                                              ck_tile::detail::byte_offset<T>(y * lines.strides[0])
                                        : nowhere;
            });
            register_for<Patch.cols>(
                [&](auto c) { o.missing[c] = unsigned(own_x + col_of(c)) < unsigned(lines.lengths[1]) ? 0 : nowhere; });
        });
    }

    // Calls visit(register number, byte offset) for each vector register of the thread.
    template <class Visit>
    CK_TILE_FN void each_access(thread t, Visit&& visit) const
    {
        const own& o = own_[t.copy];
        register_for<D.regs()>([&](auto r) {
            const int c = r % Patch.cols;
            visit(r, unless(o.row[r / Patch.cols] + col_of(c) * pitch_, o.missing[c]));
        });
    }

    CK_TILE_FN const memory_range& memory() const { return memory_; }

  private:
    // Where the thread's rows and columns lie from its first.
    static CK_TILE_FN constexpr int row_of(int r) { return D.reg.along(0, r * Patch.cols) / Whole.cols; }
    static CK_TILE_FN constexpr int col_of(int c) { return D.reg.along(0, c) % Whole.cols; }

    // What one thread keeps: where its rows begin, in bytes; of these and of columns, nowhere, if they do not exist.
    struct own
    {
        unsigned row[Patch.rows], missing[Patch.cols];
    };

    memory_range memory_;
    unsigned pitch_; // bytes from pixel to pixel
    ck_tile::detail::per_thread<own, copies_of(D.threads())> own_;
};

} // namespace ck_tile::conv

// SPDX-License-Identifier: MIT
// The forward pass of any pooling: a thread makes some rows of one column (nhwc: of a vector of channels) of the output. It goes down the
// rows of the input, counts what windows have of each together, and that once in every window that has the row. Or threads share a
// window, each having some of its columns.
#pragma once

#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/pooling/arguments.hpp"
#include "ops/pooling/column_shape.hpp"

namespace ck_tile::pooling
{

struct forward_arguments : window_arguments
{
    const void* in;
    void* out; // null: not wanted, by poolings that have another result
    int patch_rows,
        input_rows; // of the output that a thread makes, and of the input, in steps of the dilation, that it sees for them
    int row_step; // from one row of windows to the next in such steps, where a thread has several
    patch_numbers patches;
    merge<2, dividers<2>> blocks; // images, and blocks for one of them
};

// `Total<C>` is what of its windows' elements a thread keeps for one pixel of the output:
//   arguments                              derived from forward_arguments
//   neutral                                what elements count as that do not exist
//   nothing()                              of no elements
//   numbers_of_row(row, a)(column)         the number that take() is told of an element
//   take(t, registers, r, number)          counts one more element of each channel: register r of a tile of elements
//   take(later)                            counts those of another total, whose elements come later
//   finish(made, seen, i, a)               makes the results of the thread's pixel i, with other threads that share it; `made` and `seen`
//                                          are where the first pixel of the thread, and its window, lie
//   write(a, to)                           calls to(address, tile) for each result
template <auto C, template <auto> class Total>
struct forward_program
{
    static constexpr architecture arch = C.arch;
    static constexpr int threads       = C.threads;
    static constexpr int lds_bytes     = 0;
    using total                        = Total<C>;
    using element                      = element_t<C.dtype>;
    using arguments                    = typename total::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const auto coord             = a.blocks.map({static_cast<int>(b.at.x)});
        const image_lengths in_size  = {a.channels, a.input[0], a.input[1]};
        const image_lengths out_size = {a.channels, a.output[0], a.output[1]};
        const auto* in               = static_cast<const element*>(a.in) + coord[0] * in_size.elements();
        const std::int64_t out_image = coord[0] * out_size.elements();
        const thread_patches<C.layout, cell> own(coord[1] * patches, a.patches);
        const auto first_row = [&](const auto& patch) {
            return multi_index{wrapped_product(patch.at[0], a.patch_rows), patch.at[1]};
        };
        const auto first_pixel = [&](const auto& patch) {
            const auto at = first_row(patch);
            return multi_index{wrapped_product(at[0], a.stride[0]), wrapped_product(at[1], a.stride[1])} - a.left_pad;
        };
        window<const element, stored_elements> seen(own, in, in_size, first_pixel, a.dilation[1]);
        const window<const element, stored_cell> made(own, static_cast<const element*>(a.out), out_size, first_row);

        total found[C.rows];
        for(total& each : found)
            each = total::nothing();
        if(a.window[1] <= seen.most)
        {
            seen.move_to_columns(0, a.window[1]);
            take_rows(found, a, [&](int row) {
                total sum = total::nothing();
                take_columns(sum, seen, row, 0, a);
                return sum;
            });
        }
        else
            take_rows(found, a, [&](int row) {
                total sum = total::nothing();
                for(int x = 0; x < a.window[1]; x += seen.most)
                {
                    seen.move_to_columns(x * a.dilation[1], a.window[1] - x);
                    take_columns(sum, seen, row, x, a);
                }
                return sum;
            });

        static_for<C.rows>([&](auto i) {
            if(i >= a.patch_rows)
                return;
            found[i].finish(made, seen, i, a);
            found[i].write(a, [&]<class T>(T* to, const auto& values) {
                window<T, stored_cell> there(own, to + out_image, out_size, first_row);
                there.move_to_row(i);
                store(there, renumber<stored_cell>(values));
            });
        });
    }

  private:
    static constexpr distribution cell = C.shape().cell(), elements = C.shape().row_of_elements();
    static constexpr distribution stored_cell     = C.shape().stored_cell(),
                                  stored_elements = C.shape().stored_row_of_elements();
    static constexpr int patches = C.shape().patches(), at_once = column_shape::elements_at_once;
    template <class T, distribution D>
    using window = pixel_window<C.layout, T, D>;

    // Each row of the input once, in all windows that have it.
    static CK_TILE_FN void take_rows(total (&found)[C.rows], const arguments& a, const auto& total_of_row)
    {
        for(int row = 0; row < a.input_rows; ++row)
        {
            const total here = total_of_row(row);
            static_for<C.rows>([&](auto i) {
                const int y = row - i * a.row_step; // the row of window i that this is
                if(unsigned(y) < unsigned(a.window[0]))
                    found[i].take(here);
            });
        }
    }

    // Columns that `seen` has moved to, number x of a window's and those behind it, of a row which is `row` dilations below a thread's first.
    static CK_TILE_FN void take_columns(total& sum, window<const element, stored_elements>& seen, int row, int x,
                                        const arguments& a)
    {
        const auto number = total::numbers_of_row(row, a);
        seen.move_to_row(wrapped_product(row, a.dilation[0]));
        const auto next = renumber<elements>(load(seen, convert<element>(total::neutral)));
        for_each_thread<cell>([&](thread t) {
            static_for<at_once>([&](auto i) {
                constexpr int column = i * C.lanes;
                if(column < a.window[1] - x)
                    sum.take(t, next.file_of(t), i, number(x + column));
            });
        });
    }
};

} // namespace ck_tile::pooling

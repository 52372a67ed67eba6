// SPDX-License-Identifier: MIT
// The gradient of any pooling whose window, stride and pad a compiler knows, as a gather: a thread adds up a patch of dX of the rows of
// windows that reach it. Which element of which window each of its elements is, the compiler knows.
#pragma once

#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/subtile.hpp"
#include "ops/pooling/patch_shape.hpp"

#include <type_traits>

namespace ck_tile::pooling
{

// One image of a tensor of the output's shape as the windows of patches: a row of them begins at {patch, row * S.windows_read().count, 0}.
template <patch_shape S>
CK_TILE_FN auto windows_of_patches(const auto* data, const image_lengths& output, const multi_index<2>& patches)
{
    return patches_of<S.layout, S.channels()>(data, output, patches, S.seen());
}

// The sums of a thread's patch, the one after number `first` of the image. read(origin) gives a row of windows; add(sums, windows, number,
// key) the sums, elements `stride` apart of a row of the patch, and what the windows from number on give to their element `key`. A patch is
// a row of sums for each phase of the stride: phase j has the elements j, j + stride, ...
template <patch_shape S>
CK_TILE_FN auto sums_of_patch(int first, const auto& read, const auto& add)
{
    constexpr int height = S.height(), width = S.width(), phases = S.stride;
    constexpr auto over = S.windows_over(height), across = S.windows_read();
    tile<float, S.row_of_sums()> sums[height][phases];
    static_for<height * phases>([&](auto i) { sums[i / phases][i % phases] = fill<float, S.row_of_sums()>(0.f); });
    static_for<over.count>([&](auto row) {
        constexpr int top  = (over.first + row) * S.stride - S.left_pad; // row of the patch
        const auto windows = read(multi_index{first, row * across.count, 0});
        static_for<S.window>([&](auto x) { // these elements of the windows are phase j of the rows
            constexpr int j      = (x + S.window * phases - S.left_pad) % phases;
            constexpr int number = (j + S.left_pad - x) / phases - across.first; // that element j is element x of
            static_for<height>([&](auto i) {
                constexpr int y = i - top;
                if constexpr(y >= 0 && y < S.window)
                    sums[i][j] = add(sums[i][j], windows, std::integral_constant<int, number>{}, y * S.window + x);
            });
        });
    });

    tile<float, S.whole()> patch;
    static_for<height * phases>([&](auto n) {
        constexpr int i = n / phases, j = n % phases;
        set_subtile<multi_index{0, i * width + j, 0}, multi_index{1, phases, 1}>(patch, sums[i][j]);
    });
    return patch;
}

// Writes it to one image of dX.
template <patch_shape S, class T>
CK_TILE_FN void store_patch(const tile<float, S.whole()>& patch, T* data, const image_lengths& input,
                            const multi_index<2>& patches, int first)
{
    const auto view = patches_of<S.layout, S.channels()>(data, input, patches, S.own());
    store(make_window<S.whole()>(view, multi_index{first, 0, 0}), convert<T>(patch));
}

} // namespace ck_tile::pooling

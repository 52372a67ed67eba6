// SPDX-License-Identifier: MIT
// Reference kernels of convolutions: one thread per element of the result, which adds its terms in fp32 in the order of the
// definition. They share nothing with the main kernels but the problem's description.
#pragma once

#include "ck_tile/core/transforms.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ops/grouped_conv/arguments.hpp"

namespace ck_tile::conv
{

// `Direction` says
//   arguments
//   elements(arguments)                         of the result
//   compute<element>(arguments, number)         one of them, and where it goes
template <architecture Arch, data_type Type, class Direction>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = typename Direction::arguments;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t begin = std::int64_t(b.at.x) * threads, rest = Direction::elements(a) - begin;
        generate<float, line, 1>([&](int i) {
            if(i < rest)
                Direction::template compute<element_t<Type>>(a, begin + i);
            return 0.f;
        });
    }
};

// One element of a tensor of images, and where it lies.
struct image_element
{
    std::int64_t group, image, offset;
    multi_index<3> pixel;
    int channel;
};

// Element number `at`, counted as [group][image][pixel][channel], whatever the layout is.
CK_TILE_FN image_element image_element_at(std::int64_t at, const image_strides& s, const multi_index<3>& lengths,
                                          int channels, int batch)
{
    const int pixels = product(lengths);
    image_element e;
    e.channel              = static_cast<int>(at % channels);
    const std::int64_t row = at / channels;
    e.pixel                = merge<3>{lengths}.map({static_cast<int>(row % pixels)});
    e.image                = row / pixels % batch;
    e.group                = row / pixels / batch;
    e.offset               = e.group * s.group + e.image * s.image + std::int64_t(e.channel) * s.channel;
    for(int d = 0; d < 3; ++d)
        e.offset += std::int64_t(e.pixel[d]) * s.spatial[d];
    return e;
}

// Where weight (tap, c) lies in its row, which is [taps][c] or, channels first, [c][taps].
CK_TILE_FN std::int64_t place_in_row(const arguments& a, int tap, int c)
{
    return a.in.channel == 1 ? std::int64_t(tap) * a.c + c : std::int64_t(c) * product(a.filter) + tap;
}

} // namespace ck_tile::conv

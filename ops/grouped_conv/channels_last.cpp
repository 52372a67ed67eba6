// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/channels_last.hpp"

#include "ops/grouped_conv/transpose.hpp"

namespace ck_tile::conv
{
namespace
{

using transpose_of = transpose_program<architecture::gfx942, data_type::fp32>; // threads and lines are alike for all

launch transposition(const kernel& k, data_type type, const void* from, void* to, std::int64_t count, std::int64_t rows,
                     std::int64_t cols)
{
    const int line = 16 / bytes_of(type), across = transpose_of::across;
    const transpose_arguments a = {from,
                                   to,
                                   static_cast<int>(rows),
                                   static_cast<int>(cols),
                                   static_cast<int>(ceil_div(rows, transpose_of::threads / across * line)),
                                   static_cast<int>(ceil_div(cols, across * line))};
    return {k, count * a.tiles_rows * a.tiles_cols, a};
}

} // namespace

problem channels_last(problem p)
{
    if(p.layout == layout::ngchw)
        p.layout = layout::nhwgc;
    return p;
}

channels_last_tensors::matrices channels_last_tensors::matrices_of(tensor which) const
{
    switch(which)
    {
    case in: return {p_.batch, p_.groups * p_.c, p_.input_pixels()};
    case out: return {p_.batch, p_.groups * p_.k, p_.output_pixels()};
    case wei: return {p_.groups * p_.k, p_.c, p_.filter_taps()};
    }
    __builtin_unreachable();
}

void* channels_last_tensors::take(tensor which)
{
    constexpr std::size_t aligned = 256;
    const matrices m              = matrices_of(which);
    const auto bytes   = static_cast<std::size_t>(m.count * m.channels * m.pixels * bytes_of(p_.type));
    const std::size_t rounded = ceil_div(bytes, aligned) * aligned;
    void* const taken  = next_;
    bytes_ += rounded;
    if(next_ != nullptr)
        next_ += rounded;
    return taken;
}

const void* channels_last_tensors::read(const void* original, tensor which)
{
    if(p_.layout != layout::ngchw || original == nullptr)
        return original;
    void* const copy = take(which);
    const auto [count, channels, pixels] = matrices_of(which);
    if(copy != nullptr && count > 0)
        before_.push_back(transposition(*transpose_, p_.type, original, copy, count, channels, pixels));
    return copy;
}

void* channels_last_tensors::write(void* original, tensor which)
{
    if(p_.layout != layout::ngchw || original == nullptr)
        return original;
    void* const copy = take(which);
    const auto [count, channels, pixels] = matrices_of(which);
    if(copy != nullptr && count > 0)
        after_.push_back(transposition(*transpose_, p_.type, copy, original, count, pixels, channels));
    return copy;
}

std::vector<launch> channels_last_tensors::around(std::vector<launch> main) const
{
    main.insert(main.begin(), before_.begin(), before_.end());
    main.insert(main.end(), after_.begin(), after_.end());
    return main;
}

} // namespace ck_tile::conv

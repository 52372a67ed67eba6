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

channels_last_tensors::matrices channels_last_tensors::matrices_of(const problem& p, tensor which)
{
    switch(which)
    {
    case in: return {p.batch, p.groups * p.c, p.input_pixels()};
    case out: return {p.batch, p.groups * p.k, p.output_pixels()};
    case wei: return {p.groups * p.k, p.c, p.filter_taps()};
    }
    __builtin_unreachable();
}

std::size_t channels_last_tensors::bytes(const problem& p, std::initializer_list<tensor> copied)
{
    constexpr std::size_t aligned = 256;
    std::size_t all               = 0;
    if(p.layout == layout::ngchw)
        for(const tensor which : copied)
        {
            const matrices m = matrices_of(p, which);
            all += ceil_div(static_cast<std::size_t>(m.count * m.channels * m.pixels * bytes_of(p.type)), aligned) *
                   aligned;
        }
    return all;
}

void* channels_last_tensors::take(tensor which)
{
    void* const taken = next_;
    next_ += bytes(p_, {which});
    return taken;
}

const void* channels_last_tensors::read(const void* original, tensor which)
{
    if(p_.layout != layout::ngchw || original == nullptr)
        return original;
    void* const copy                     = take(which);
    const auto [count, channels, pixels] = matrices_of(p_, which);
    before_.push_back(transposition(*transpose_, p_.type, original, copy, count, channels, pixels));
    return copy;
}

void* channels_last_tensors::write(void* original, tensor which)
{
    if(p_.layout != layout::ngchw || original == nullptr)
        return original;
    void* const copy                     = take(which);
    const auto [count, channels, pixels] = matrices_of(p_, which);
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

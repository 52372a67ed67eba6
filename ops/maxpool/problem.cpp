// SPDX-License-Identifier: MIT
// Bytes and validity of a max-pooling.
#include "ops/maxpool/problem.hpp"

#include <fmt/format.h>

namespace ck_tile::maxpool
{

double problem::backward_floor_bytes() const
{
    const double in  = static_cast<double>(batch * channels * input_pixels());
    const double out = static_cast<double>(batch * channels * output_pixels());
    const bool again = indices == maxpool::indices::recompute;
    return tensor_bytes() + (again ? in * ck_tile::bytes_of(type) : out * bytes_of(indices));
}

double problem::forward_floor_bytes() const
{
    return tensor_bytes() + static_cast<double>(batch * channels * output_pixels()) * bytes_of(indices);
}

status validate(const problem& p)
{
    if(status possible = pooling::validate_windows(p); !possible)
        return possible;
    if(p.indices == indices::u8 && p.window_elements() > 256)
        return rejection{
            fmt::format("u8 indices need windows of at most 256 elements, but the window has {}: choose int32 "
                        "or int64 indices",
                        p.window_elements())};
    return pooling::validate_sizes(p, bytes_of(p.indices));
}

std::string describe(const problem& p)
{
    return fmt::format("maxpool {} {} {} {}", name_of(p.layout), ck_tile::name_of(p.type), name_of(p.indices),
                       pooling::describe_sizes(p, true));
}

} // namespace ck_tile::maxpool

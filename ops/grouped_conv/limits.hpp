// SPDX-License-Identifier: MIT
// Sizes of a convolution's matrices, and how much of its tensors one view, one launch can span.
#pragma once

#include "ops/grouped_conv/problem.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ck_tile::conv
{

inline constexpr std::int64_t range_bytes = std::numeric_limits<std::int32_t>::max(); // that one view can span
inline constexpr std::int64_t max_blocks  = std::numeric_limits<std::int32_t>::max(); // of one launch

inline std::int64_t pixels_of(const problem& p) { return p.batch * p.output_pixels(); }
inline std::int64_t row_length(const problem& p)
{
    return p.filter_taps() * p.c;
} // of the weights of one output channel
inline std::int64_t weights_of(const problem& p) { return p.groups * p.k * row_length(p); }

// Images, of all groups, that one view of X and one of Y can span.
inline std::int64_t images_per_view(const problem& p)
{
    const std::int64_t most = std::max(p.input_pixels() * p.groups * p.c, p.output_pixels() * p.groups * p.k);
    return range_bytes / (most * bytes_of(p.type));
}

} // namespace ck_tile::conv

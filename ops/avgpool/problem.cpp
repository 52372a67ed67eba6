// SPDX-License-Identifier: MIT
// Validity and divisors of an average pooling.
#include "ops/avgpool/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ck_tile::avgpool
{
namespace
{

// The elements of window o that count, in dimension d.
std::int64_t count_of(const problem& p, int d, std::int64_t o)
{
    const auto [begin, end] = counted(p, d);
    const std::int64_t from = o * p.stride[d] - p.left_pad[d];
    return std::min(from + p.window[d], end) - std::max(from, begin);
}

} // namespace

status validate(const problem& p)
{
    for(int d = 0; d < 2; ++d)
        if(p.dilation[d] != 1)
            return rejection{fmt::format("an average pooling has no dilation, but in dimension {} it is {}: choose 1",
                                         d == 0 ? "H" : "W", p.dilation[d])};
    if(!std::isfinite(p.divisor_override) || p.divisor_override < 0)
        return rejection{fmt::format("divisor_override must be zero, for none, or a positive number, but is {}: choose "
                                     "0 or more",
                                     p.divisor_override)};
    const status possible = pooling::validate_windows(p);
    return possible ? pooling::validate_sizes(p) : possible;
}

range counted(const problem& p, int d)
{
    return p.count_include_pad ? range{-p.left_pad[d], p.input[d] + p.right_pad[d]} : range{0, p.input[d]};
}

// The first window and the last are those that count fewest; what is between counts all of its elements.
float divisor_of_all(const problem& p)
{
    if(p.divisor_override != 0)
        return p.divisor_override;
    double all = 1;
    for(int d = 0; d < 2; ++d)
    {
        const std::int64_t last = p.output(d) - 1, count = count_of(p, d, 0);
        if(last > 0 && (count != p.window[d] || count_of(p, d, last) != count))
            return 0;
        all *= static_cast<double>(count);
    }
    return static_cast<float>(all);
}

std::string describe(const problem& p)
{
    return fmt::format("avgpool {} {} {}{}{}", name_of(p.layout), name_of(p.type), pooling::describe_sizes(p, false),
                       p.count_include_pad ? "" : " without padding",
                       p.divisor_override == 0 ? "" : fmt::format(" divisor {}", p.divisor_override));
}

} // namespace ck_tile::avgpool

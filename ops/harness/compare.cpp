// SPDX-License-Identifier: MIT
// Says in words how a result compares.
#include "ops/harness/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ck_tile::harness
{

std::vector<std::int64_t> coord_of(std::int64_t index, const std::vector<std::int64_t>& lengths)
{
    std::vector<std::int64_t> coord(lengths.size());
    for(std::size_t d = lengths.size(); d-- > 0;)
    {
        coord[d] = index % lengths[d];
        index /= lengths[d];
    }
    return coord;
}

std::string describe(const comparison& found, const std::vector<std::int64_t>& lengths)
{
    if(found.elements == 0)
        return "no elements";
    const std::string worst =
        fmt::format("error {:.3g}, bound {:.3g}, expected {:.9g}, actual {:.9g} at {{{}}}", found.error, found.bound,
                    found.expected, found.actual, fmt::join(coord_of(found.worst, lengths), ", "));
    return found.passed()
               ? fmt::format("{} elements, largest {}", found.elements, worst)
               : fmt::format("{} of {} elements are wrong, largest {}", found.failures, found.elements, worst);
}

} // namespace ck_tile::harness

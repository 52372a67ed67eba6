// SPDX-License-Identifier: MIT
// Says in words how a result compares.
#include "ops/harness/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ck_tile::harness
{

void comparison::set_worst(const expectation& of_it, double value, double overflow)
{
    expected = of_it.value;
    actual   = value;
    error    = judge(of_it, value, overflow).error;
    bound    = of_it.bound;
}

double comparison::ratio() const
{
    if(elements == 0)
        return -1;
    return error == 0 ? 0 : bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
}

void comparison::add(const comparison& next)
{
    const std::int64_t before = elements, failed = failures;
    if(next.ratio() > ratio())
    {
        *this = next;
        worst += before;
    }
    elements = before + next.elements;
    failures = failed + next.failures;
}

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

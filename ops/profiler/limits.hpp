// SPDX-License-Identifier: MIT
// The ceilings of a device, by the library's own means, and whether its clocks stay what they were.
#pragma once

#include "ops/profiler/record.hpp"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

namespace ck_tile::profiler
{

// Empty where a product takes as long as before, within 5%; else what that says of the clocks.
std::string describe_clocks(double milliseconds_before, double milliseconds);

// Of a GPU, if there are types: the bandwidth of the harness's copy kernel, and for each type the rate of the fastest instance for a large product of
// matrices, of the first operation that has one.
class measured_limits
{
  public:
    measured_limits(const device& dev, std::span<const profiled_operation* const> operations,
                    const std::set<data_type>& types);

    const ceilings& values() const { return values_; }

    // Measures the product of the type again, and says what describe_clocks() does of it.
    std::string clocks_changed(data_type type);

  private:
    struct product
    {
        std::unique_ptr<profiled_problem> problem;
        std::size_t fastest = 0;
        double milliseconds = 0;
    };

    ceilings values_;
    std::map<data_type, product> products_;
};

} // namespace ck_tile::profiler

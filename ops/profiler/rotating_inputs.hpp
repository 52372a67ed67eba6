// SPDX-License-Identifier: MIT
// How the profiler runs kernels: on inputs that no cache holds, as often as is worth the time.
#pragma once

#include "ops/harness/tensor_set.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace ck_tile::profiler
{

// Copies of a problem's inputs in device memory, so many that together they exceed any cache of a GPU; each turn takes the next. On
// the CPU there is one. Results stay where they are.
class rotating_inputs
{
  public:
    rotating_inputs(const device& dev, const harness::tensor_set& set);

    const harness::device_set& first() const { return first_; } // whose results are those of every turn

    std::vector<void*> next(); // the addresses of the next turn, in the order of the tensors

  private:
    harness::device_set first_;
    std::vector<std::vector<device_buffer>> further_;
    std::size_t turn_ = 0;
};

// Milliseconds of runs of the work: so many that they take a tenth of a second, but from 5 (on the CPU, 3) to `most` (0: 20 on a GPU, 5
// on the CPU). On a GPU one, of work that takes three times as long as the `fastest` so far (0: there is none).
result<std::vector<double>> time_within_reason(const device& dev, const std::function<status()>& work, int most,
                                               double fastest);

} // namespace ck_tile::profiler

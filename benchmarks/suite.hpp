// SPDX-License-Identifier: MIT
// What the benchmark programs share: the command line, the rows of a suite, inputs that no cache holds, the table.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/device.hpp"
#include "examples/support/demand.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ck_tile::benchmarks
{

using examples::demand;
using json = nlohmann::ordered_json;

// Random elements; the same million of them over and over, which no cache and no arithmetic notices.
std::vector<std::byte> random_elements(std::int64_t count, data_type type, std::uint64_t stream);

// Copies of inputs in device memory, so many that together they exceed any cache; each turn takes the next.
class rotating_inputs
{
  public:
    rotating_inputs(const device& on, const std::vector<std::vector<std::byte>>& inputs);

    // The inputs of the next turn, in the order given.
    const std::vector<device_buffer>& next() { return copies_[turn_++ % copies_.size()]; }

  private:
    std::vector<std::vector<device_buffer>> copies_;
    std::size_t turn_ = 0;
};

// How to time a row.
struct request
{
    data_type type;
    int repeats;          // runs, of which the median counts
    std::string instance; // empty: what the operation chooses
};

// What one row of the suite took: `ms`, `floor_bytes`, `instance`, and what else there is to say, such as `flops`.
using measurement = std::function<json(const device& on, const nlohmann::json& row, const request& how)>;

// The main() of a benchmark program: times the suite's rows of `operation`, medians with cold caches. A table, and a JSON line
// per row, to which the rates are added. A row may name its own types (`dtypes`).
int run_suite(int argc, char** argv, const char* operation, const measurement& measure);

} // namespace ck_tile::benchmarks

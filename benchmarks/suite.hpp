// SPDX-License-Identifier: MIT
// Times an operation on the rows of a suite: the command line, inputs that no cache holds, the table.
#pragma once

#include "ops/harness/fill.hpp"
#include "ops/harness/value_or_throw.hpp"
#include "ops/operation.hpp"
#include "ops/problem_fields.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ck_tile::benchmarks
{

using harness::value_or_throw;
using json = nlohmann::ordered_json;

// Sets of a problem's inputs in device memory, so many that together they exceed any cache; each turn takes the next. Results
// stay where they are.
class rotating_inputs
{
  public:
    // `image` holds the inputs of one image, which are as good as those of all: repeated, as no cache and no arithmetic notices.
    rotating_inputs(const device& dev, const std::vector<tensor_info>& list, const harness::tensor_set& image);

    // The addresses of the next turn, in the order of the list.
    std::vector<void*> next();

  private:
    std::vector<std::vector<device_buffer>> copies_; // of inputs; the first also holds the results
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
using measurement = std::function<json(const device& dev, const json& problem, const request& how)>;

template <class Op>
json measure(const device& dev, const json& problem, const request& how)
{
    using problem_type   = typename Op::problem;
    problem_type usual   = {};
    const problem_type p = value_or_throw(
        problem_from_json<problem_type>(problem, [&] { return usual.type = how.type, problem_to_json(usual); }()));
    const auto chosen = value_or_throw(make_plan<Op>(dev, p, {.instance = how.instance}));

    problem_type one = p;
    one.batch        = 1;
    harness::tensor_set image(Op::tensor_list(one));
    harness::fill_inputs<Op>(one, image, harness::fill::decimals, 1);
    rotating_inputs inputs(dev, Op::tensor_list(p), image);
    const device_buffer workspace = value_or_throw(dev.allocate(chosen.workspace_bytes));
    const double ms               = value_or_throw(
        dev.time([&] { return run(dev, chosen, Op::bind(inputs.next()), workspace.data()); }, how.repeats));
    json found = {{"ms", ms}, {"floor_bytes", Op::floor_bytes(p)}, {"instance", names_of(chosen)}};
    if constexpr(requires { Op::flops(p); })
        found["flops"] = Op::flops(p);
    if(Op::splits_reduction)
        found["splits"] = chosen.splits;
    return found;
}

// The main() of a benchmark program: times the suite's rows of `operation`, medians with cold caches. A table, and a JSON line
// per row, to which the rates are added. A row may name its own types (`dtypes`).
int run_suite(int argc, char** argv, const char* operation, const measurement& measure);

} // namespace ck_tile::benchmarks

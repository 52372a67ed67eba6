// SPDX-License-Identifier: MIT
// Puts the results of grouped_conv_bwd_weight into words and JSON.
#include "examples/grouped_conv_bwd_weight/report.hpp"

#include "examples/support/report.hpp"
#include "ops/grouped_conv/problem_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace ck_tile::examples
{

namespace
{

double tera_flops(const conv::problem& p, double milliseconds) { return p.flops() / milliseconds / 1e9; }

double giga_bytes_per_second(const conv::problem& p, double milliseconds)
{
    return p.floor_bytes() / milliseconds / 1e6;
}

} // namespace

std::string describe_timing(const device& on, const conv::problem& p, const outcome& done)
{
    const double milliseconds = *done.milliseconds;
    return fmt::format("Perf: {:.4g} ms, {:.4g} TFlops, {:.4g} GB/s, {}, {}", milliseconds, tera_flops(p, milliseconds),
                       giga_bytes_per_second(p, milliseconds), grouped_conv_bwd_weight::name_of(*done.plan.chosen),
                       on.name());
}

status write_json(const device& on, const arguments& given, const outcome& done)
{
    nlohmann::ordered_json report = {
        {"problem", conv::to_json(given.problem)},
        {"target", on.name()},
        {"instance", grouped_conv_bwd_weight::name_of(*done.plan.chosen)},
        {"splits", done.plan.splits},
        {"workspace_bytes", done.plan.workspace_bytes},
        {"timing", nullptr},
        {"verification", json_of(given.verify, done.verified, weight_shape(given.problem).lengths)}};
    if(done.milliseconds)
    {
        report["timing"] = {{"ms", *done.milliseconds},
                            {"tflops", tera_flops(given.problem, *done.milliseconds)},
                            {"gb_per_s", giga_bytes_per_second(given.problem, *done.milliseconds)}};
    }
    return examples::write_json(given.json, report);
}

} // namespace ck_tile::examples

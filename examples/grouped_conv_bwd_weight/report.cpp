// SPDX-License-Identifier: MIT
// Puts the results of grouped_conv_bwd_weight into words and JSON.
#include "examples/grouped_conv_bwd_weight/report.hpp"

#include "ops/grouped_conv/problem_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
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

const char* name_of(verification how)
{
    switch(how)
    {
    case verification::none: return "nothing";
    case verification::cpu: return "the fp64 reference on the CPU";
    case verification::reference_kernel: return "the reference kernel on the target";
    }
    return "unknown";
}

nlohmann::ordered_json json_of(const arguments& given, const comparison& found)
{
    return {{"reference", name_of(given.verify)},
            {"passed", found.passed()},
            {"elements", found.elements},
            {"failures", found.failures},
            {"worst",
             {{"index", place_of(found.worst, weight_shape(given.problem).lengths)},
              {"expected", found.expected},
              {"actual", found.actual},
              {"error", found.error},
              {"bound", found.bound}}}};
}

} // namespace

std::string describe_timing(const device& on, const conv::problem& p, const outcome& done)
{
    const double milliseconds = *done.milliseconds;
    return fmt::format("Perf: {:.4g} ms, {:.4g} TFlops, {:.4g} GB/s, {}, {}", milliseconds, tera_flops(p, milliseconds),
                       giga_bytes_per_second(p, milliseconds), grouped_conv_bwd_weight::name_of(*done.plan.chosen),
                       on.name());
}

std::string describe_verification(const arguments& given, const outcome& done)
{
    if(!done.verified)
        return "Verification: not asked for";
    return fmt::format("Verification against {}: {}, {}", name_of(given.verify),
                       done.verified->passed() ? "passed" : "FAILED",
                       describe(*done.verified, weight_shape(given.problem).lengths));
}

status write_json(const device& on, const arguments& given, const outcome& done)
{
    nlohmann::ordered_json report = {{"problem", conv::to_json(given.problem)},
                                     {"target", on.name()},
                                     {"instance", grouped_conv_bwd_weight::name_of(*done.plan.chosen)},
                                     {"splits", done.plan.splits},
                                     {"workspace_bytes", done.plan.workspace_bytes},
                                     {"timing", nullptr},
                                     {"verification", nullptr}};
    if(done.milliseconds)
    {
        report["timing"] = {{"ms", *done.milliseconds},
                            {"tflops", tera_flops(given.problem, *done.milliseconds)},
                            {"gb_per_s", giga_bytes_per_second(given.problem, *done.milliseconds)}};
    }
    if(done.verified)
        report["verification"] = json_of(given, *done.verified);

    std::ofstream file(given.json);
    file << report.dump(2) << '\n';
    file.close();
    if(!file)
        return rejection{fmt::format("{} cannot be written: choose another path", given.json.string())};
    return {};
}

} // namespace ck_tile::examples

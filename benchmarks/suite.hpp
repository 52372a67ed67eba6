// SPDX-License-Identifier: MIT
// What the benchmarks share: rows of a suite, inputs that no cache holds, a table and a JSON line per row.
#pragma once

#include "ck_tile/runtime/host_convert.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/device_memory.hpp"
#include "examples/support/tensor_init.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace ck_tile::benchmarks
{

using examples::demand;

// Inputs are rotated among so many copies that all of them exceed any cache.
inline std::size_t cold_copies(std::size_t bytes)
{
    return static_cast<std::size_t>(512e6 / static_cast<double>(bytes)) + 2;
}

// Random elements; the same million of them over and over, which no cache and no arithmetic notices.
inline std::vector<std::byte> elements(std::int64_t count, data_type type, std::uint64_t stream)
{
    const auto some = encode(type, make_values(examples::fill::decimals, 1'000'003, 1, stream));
    std::vector<std::byte> all(static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes_of(type)));
    for(std::size_t at = 0; at < all.size(); at += some.size())
        std::copy_n(some.begin(), std::min(some.size(), all.size() - at),
                    all.begin() + static_cast<std::ptrdiff_t>(at));
    return all;
}

// Times `operation`'s rows of the suite that the command line names, and prints them. `measure(device, row, type, repeats)`
// returns what it found as JSON, with ms, tflops (or null), floor_gb_per_s and instance. A row may name its own dtypes.
template <class Measure>
int run_suite(int argc, char** argv, const std::string& operation, Measure&& measure)
try
{
    std::string suite, target            = "auto", json;
    std::vector<std::string> rows, types = {"fp16", "bf16"};
    int repeats = 20;
    CLI::App app{"Times " + operation + " on the rows of a suite"};
    app.add_option("suite", suite, "the suite: benchmarks/suite.json")->required()->check(CLI::ExistingFile);
    app.add_option("--target", target, "as for the program of the operation");
    app.add_option("--rows", rows, "only these")->delimiter(',');
    app.add_option("--dtypes", types, "default: fp16,bf16")
        ->delimiter(',')
        ->check(CLI::IsMember({"fp16", "bf16", "fp32"}));
    app.add_option("--repeats", repeats, "runs, of which the median counts")->check(CLI::PositiveNumber);
    app.add_option("--json", json, "file for one JSON object per row and line");
    CLI11_PARSE(app, argc, argv);

    const device on = demand(device::open(target));
    if(!on.notice().empty())
        fmt::print("{}\n", on.notice());
    std::ofstream lines;
    if(!json.empty())
        lines.open(json);
    fmt::print("{:<8} {:<26} {:<5} {:>9} {:>9} {:>12}  {}\n", "row", "layer", "type", "ms", "TFLOP/s", "floor GB/s",
               "instance");
    const auto all = nlohmann::json::parse(std::ifstream(suite));
    for(const std::string type_name : {"fp16", "bf16", "fp32"})
        for(const auto& row : all.at(operation))
        {
            const std::string number = row.at("row");
            if(!rows.empty() && std::find(rows.begin(), rows.end(), number) == rows.end())
                continue;
            const auto wanted = row.contains("dtypes") ? row.at("dtypes").get<std::vector<std::string>>() : types;
            if(std::find(wanted.begin(), wanted.end(), type_name) == wanted.end())
                continue;
            const data_type type = type_name == "fp16"   ? data_type::fp16
                                   : type_name == "bf16" ? data_type::bf16
                                                         : data_type::fp32;
            const auto found     = measure(on, row, type, repeats);
            const std::string tflops =
                found["tflops"].is_null() ? "-" : fmt::format("{:.1f}", found["tflops"].template get<double>());
            fmt::print("{:<8} {:<26} {:<5} {:>9.4f} {:>9} {:>12.0f}  {}\n", number, row.at("name").get<std::string>(),
                       type_name, found["ms"].template get<double>(), tflops,
                       found["floor_gb_per_s"].template get<double>(), found["instance"].template get<std::string>());
            std::fflush(stdout);
            nlohmann::ordered_json line = {{"operation", operation},
                                           {"row", number},
                                           {"name", row.at("name")},
                                           {"dtype", type_name},
                                           {"target", on.name()}};
            line.update(found);
            if(lines.is_open())
                lines << line << '\n' << std::flush;
        }
    return 0;
}
catch(const std::exception& error)
{
    fmt::print(stderr, "benchmark: {}\n", error.what());
    return 2;
}

} // namespace ck_tile::benchmarks

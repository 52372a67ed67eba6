// SPDX-License-Identifier: MIT
// Times grouped convolution backward weight on the rows of a suite: medians with cold caches. A table, and a JSON line per row.
#include "ops/grouped_conv_bwd_weight/grouped_conv_bwd_weight.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/device_memory.hpp"
#include "examples/support/tensor_init.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
namespace op = ck_tile::grouped_conv_bwd_weight;

// Inputs are rotated among so many copies that all of them exceed any cache.
constexpr double cold_bytes = 512e6;

conv::problem problem_of(const nlohmann::json& row, data_type type)
{
    conv::problem p;
    p.spatial      = static_cast<int>(row.at("filter").size());
    p.groups       = row.at("groups");
    p.batch        = row.at("batch");
    p.k            = row.at("k");
    p.c            = row.at("c");
    p.type         = type;
    const auto set = [&](conv::extents& to, const nlohmann::json& from) {
        for(std::size_t d = 0; d < from.size(); ++d)
            to[d] = from[d];
    };
    set(p.filter, row.at("filter"));
    set(p.input, row.at("input"));
    set(p.stride, row.at("stride"));
    set(p.left_pad, row.at("pad"));
    set(p.right_pad, row.contains("right_pad") ? row.at("right_pad") : row.at("pad"));
    for(conv::layout l : {conv::layout::nhwgc, conv::layout::gnhwc, conv::layout::ngchw})
        if(row.at("layout") == conv::name_of(l))
            p.layout = l;
    demand(conv::validate(p));
    return p;
}

// Random elements; the same million of them over and over, which no cache and no arithmetic notices.
std::vector<std::byte> elements(std::int64_t count, data_type type, std::uint64_t stream)
{
    const auto some = encode(type, make_values(fill::decimals, 1'000'003, 1, stream));
    std::vector<std::byte> all(static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes_of(type)));
    for(std::size_t at = 0; at < all.size(); at += some.size())
        std::copy_n(some.begin(), std::min(some.size(), all.size() - at),
                    all.begin() + static_cast<std::ptrdiff_t>(at));
    return all;
}

nlohmann::ordered_json measure(const device& on, const conv::problem& p, int repeats)
{
    const op::plan plan = demand(op::make_plan(on, p));
    const auto in       = elements(conv::input_shape(p).elements(), p.type, 1);
    const auto out      = elements(conv::output_shape(p).elements(), p.type, 2);
    const auto copies   = static_cast<std::size_t>(cold_bytes / static_cast<double>(in.size() + out.size())) + 2;
    std::vector<device_buffer> ins, outs;
    for(std::size_t i = 0; i < copies; ++i)
    {
        ins.push_back(upload(on, in));
        outs.push_back(upload(on, out));
    }
    const auto weights   = static_cast<std::size_t>(conv::weight_shape(p).elements() * bytes_of(p.type));
    const auto wei       = demand(on.allocate(weights));
    const auto workspace = demand(on.allocate(plan.workspace_bytes));
    std::size_t turn     = 0;
    const double ms      = demand(on.time(
        [&] {
            const std::size_t i = turn++ % copies;
            return op::run(on, p, plan, {ins[i].data(), outs[i].data(), wei.data()}, workspace.data());
        },
        repeats));
    return {{"ms", ms},
            {"tflops", p.flops() / ms / 1e9},
            {"floor_gb_per_s", p.floor_bytes() / ms / 1e6},
            {"floor_bytes", p.floor_bytes()},
            {"flops", p.flops()},
            {"splits", plan.splits},
            {"instance", op::name_of(*plan.chosen)}};
}

} // namespace

int main(int argc, char** argv)
try
{
    std::string suite, target            = "auto", json;
    std::vector<std::string> rows, types = {"fp16", "bf16"};
    int repeats = 20;
    CLI::App app{"Times grouped convolution backward weight on the rows of a suite"};
    app.add_option("suite", suite, "the suite: benchmarks/suite.json")->required()->check(CLI::ExistingFile);
    app.add_option("--target", target, "as for the program grouped_conv_bwd_weight");
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
    for(const std::string& type_name : types)
        for(const auto& row : all.at("grouped_conv_bwd_weight"))
        {
            const std::string number = row.at("row");
            if(!rows.empty() && std::find(rows.begin(), rows.end(), number) == rows.end())
                continue;
            const data_type type = type_name == "fp16"   ? data_type::fp16
                                   : type_name == "bf16" ? data_type::bf16
                                                         : data_type::fp32;
            const auto found     = measure(on, problem_of(row, type), repeats);
            fmt::print("{:<8} {:<26} {:<5} {:>9.4f} {:>9.1f} {:>12.0f}  {}\n", number,
                       row.at("name").get<std::string>(), type_name, found["ms"].get<double>(),
                       found["tflops"].get<double>(), found["floor_gb_per_s"].get<double>(),
                       found["instance"].get<std::string>());
            std::fflush(stdout);
            nlohmann::ordered_json line = {
                {"row", number}, {"name", row.at("name")}, {"dtype", type_name}, {"target", on.name()}};
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

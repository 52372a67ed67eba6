// SPDX-License-Identifier: MIT
// Takes the command line apart, and measures one row after another.
#include "benchmarks/suite.hpp"

#include "ck_tile/runtime/files.hpp"
#include "ops/program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace ck_tile::benchmarks
{
namespace
{

using namespace ck_tile::program;

constexpr double cold_bytes = 512e6;

struct options
{
    std::string suite, target = "auto", json, instance;
    std::vector<std::string> rows, types;
    int repeats = 20;
};

bool contains(const std::vector<std::string>& some, const std::string& name)
{
    return std::find(some.begin(), some.end(), name) != some.end();
}

// Of the types that operations compute in.
std::vector<std::string> type_names()
{
    std::vector<std::string> names;
    for(const auto& e : enumerators<data_type>::all)
        if(choosable(e.value))
            names.push_back(e.name);
    return names;
}

void time_rows(const options& given, const char* operation, const measurement& measure)
{
    const device dev = value_or_throw(device::open(given.target));
    if(!dev.notice().empty())
        fmt::print("{}\n", dev.notice());
    const auto all = json::parse(value_or_throw(read_file(given.suite)), nullptr, false);
    if(!all.is_object() || !all.contains(operation))
        throw harness::rejected(fmt::format(
            "{} must be a suite that has {}: name benchmarks/suite.json, or one like it", given.suite, operation));
    std::ofstream lines;
    if(!given.json.empty())
    {
        value_or_throw(check_writable(given.json));
        lines.open(given.json);
    }
    fmt::print("{:<22} {:<26} {:<5} {:>9} {:>9} {:>12}  {}\n", "row", "layer", "type", "ms", "TFLOP/s", "floor GB/s",
               "instance");
    for(const std::string& type : type_names())
        for(const auto& row : all.at(operation))
        {
            const std::string number = row.at("row"), name = row.at("name");
            // A row may say for which types it is; else it is for all, and timed for the first two unless others are asked for.
            const std::vector<std::string> usual = {"fp16", "bf16"}, asked = given.types.empty() ? usual : given.types;
            if((!given.rows.empty() && !contains(given.rows, number)) || !contains(row.value("dtypes", asked), type) ||
               (!given.types.empty() && !contains(given.types, type)))
                continue;
            const json found =
                measure(dev, row.at("problem"),
                        {value_or_throw(parse_choice<data_type>("dtypes", type)), given.repeats, given.instance});
            const double ms   = found.at("ms");
            const json tflops = found.contains("flops") ? json(found["flops"].get<double>() / ms / 1e9) : json(nullptr);
            const double gb_per_s = found.at("floor_bytes").get<double>() / ms / 1e6;
            fmt::print("{:<22} {:<26} {:<5} {:>9.4f} {:>9} {:>12.0f}  {}\n", number, name, type, ms,
                       tflops.is_null() ? "-" : fmt::format("{:.1f}", tflops.get<double>()), gb_per_s,
                       found.at("instance").get<std::string>());
            std::fflush(stdout);
            json line = {{"operation", operation},
                         {"row", number},
                         {"name", name},
                         {"dtype", type},
                         {"target", dev.name()},
                         {"tflops", tflops},
                         {"floor_gb_per_s", gb_per_s}};
            line.update(found);
            if(lines.is_open() && !(lines << line << '\n' << std::flush))
                throw harness::rejected(
                    fmt::format("{} cannot be written, for lack of room: choose another path", given.json));
        }
}

} // namespace

rotating_inputs::rotating_inputs(const device& dev, const std::vector<tensor_info>& list,
                                 const harness::tensor_set& image)
{
    double bytes = 1;
    for(const tensor_info& t : list)
        bytes += t.role == tensor_role::input ? static_cast<double>(t.bytes()) : 0;
    copies_.resize(static_cast<std::size_t>(cold_bytes / bytes) + 2);
    for(const tensor_info& t : list)
    {
        std::vector<std::byte> all(t.role == tensor_role::input ? static_cast<std::size_t>(t.bytes()) : 0);
        const auto& some = image[t.name].elements;
        for(std::size_t at = 0; at < all.size(); at += some.size())
            std::copy_n(some.begin(), std::min(some.size(), all.size() - at),
                        all.begin() + static_cast<std::ptrdiff_t>(at));
        for(auto& copy : copies_)
            if(t.role == tensor_role::input)
            {
                copy.push_back(value_or_throw(dev.allocate(all.size())));
                value_or_throw(dev.copy_to_device(copy.back().data(), all.data(), all.size()));
            }
            else if(t.role == tensor_role::result && &copy == &copies_.front())
                copy.push_back(value_or_throw(dev.allocate(static_cast<std::size_t>(t.bytes()))));
            else
                copy.emplace_back();
    }
}

std::vector<void*> rotating_inputs::next()
{
    std::vector<void*> addresses;
    const auto& inputs = copies_[turn_++ % copies_.size()];
    for(std::size_t i = 0; i < inputs.size(); ++i)
        addresses.push_back(inputs[i].data() != nullptr ? inputs[i].data() : copies_.front()[i].data());
    return addresses;
}

int run_suite(int argc, char** argv, const char* operation, const measurement& measure)
{
    options given;
    CLI::App app{fmt::format("Times {} on the rows of a suite", operation)};
    app.add_option("suite", given.suite, "the suite: benchmarks/suite.json")->required()->check(CLI::ExistingFile);
    app.add_option("--target", given.target, "as for the program of the operation");
    app.add_option("--rows", given.rows, "only these")->delimiter(',');
    app.add_option("--dtypes", given.types, "only these; default: those of the row, else fp16,bf16")
        ->delimiter(',')
        ->check(CLI::IsMember(type_names()));
    app.add_option("--repeats", given.repeats, "runs, of which the median counts")->check(CLI::PositiveNumber);
    app.add_option("--instance", given.instance, "to be timed, instead of what the operation chooses");
    app.add_option("--json", given.json, "file for one JSON object per row and line");
    CLI11_PARSE(app, argc, argv);
    return run_program(fmt::format("benchmark_{}", operation), [&] {
        time_rows(given, operation, measure);
        return int(success);
    });
}

} // namespace ck_tile::benchmarks

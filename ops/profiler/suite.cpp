// SPDX-License-Identifier: MIT
#include "ops/profiler/suite.hpp"

#include "ops/program/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ck_tile::profiler
{
namespace
{

constexpr const char* wanted = "name benchmarks/suite.json, or one like it";

std::vector<std::string> parts_of(const std::string& list)
{
    std::vector<std::string> all;
    for(std::size_t at = 0; at < list.size();)
    {
        const std::size_t end = std::min(list.find(',', at), list.size());
        all.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return all;
}

bool contains(const std::vector<std::string>& some, const std::string& name)
{
    return std::find(some.begin(), some.end(), name) != some.end();
}

// Empty where a row has what it must, else what it lacks.
std::string wrong_with(const json& row)
{
    const auto text = [&](const char* key) { return row.contains(key) && row.at(key).is_string(); };
    if(!row.is_object() || !text("row") || !text("name") || !row.contains("problem") || !row.at("problem").is_object())
        return "give an object with the texts row and name, and the object problem";
    const json types = row.value("dtypes", json::array());
    if(!types.is_array() || !std::all_of(types.begin(), types.end(), [](const json& type) {
           return type.is_string() && value_of<data_type>(type.get<std::string>(), choosable);
       }))
        return "dtypes must be a list of " + choices<data_type>(choosable);
    return "";
}

} // namespace

result<std::vector<suite_problem>> read_suite(const std::filesystem::path& file,
                                              const std::vector<const profiled_operation*>& operations,
                                              const suite_filter& filter)
{
    const result<json> suite = program::read_json(file, wanted);
    if(!suite)
        return rejection{suite.reason()};
    const std::vector<std::string> rows = parts_of(filter.rows), types = parts_of(filter.dtypes),
                                   layouts = parts_of(filter.layouts), usual = {"fp16", "bf16"};
    for(const std::string& type : types)
        if(const auto known = program::parse_choice<data_type>("--dtype", type, choosable); !known)
            return rejection{known.reason()};
    std::vector<suite_problem> problems;
    bool any = false;
    for(const profiled_operation* op : operations)
    {
        if(!suite->contains(op->name()))
            continue;
        const json& list = suite->at(op->name());
        if(!list.is_array())
            return rejection{fmt::format("{}: {} must be a list of rows: {}", file.string(), op->name(), wanted)};
        any = true;
        for(const auto& e : enumerators<data_type>::all)
            for(std::size_t i = 0; choosable(e.value) && i < list.size(); ++i)
            {
                const json& row = list[i];
                if(const std::string wrong = wrong_with(row); !wrong.empty())
                    return rejection{fmt::format("{}: row {} of {}: {}", file.string(), i + 1, op->name(), wrong)};
                const std::vector<std::string> own = row.contains("dtypes")
                                                         ? row.at("dtypes").get<std::vector<std::string>>()
                                                     : types.empty() ? usual
                                                                     : types;
                const std::string number = row.at("row"), layout = row.at("problem").value("layout", "");
                if((rows.empty() || contains(rows, number)) && contains(own, e.name) &&
                   (types.empty() || contains(types, e.name)) && (layouts.empty() || contains(layouts, layout)))
                    problems.push_back({op, number, row.at("name"), row.at("problem"), e.value});
            }
    }
    if(!any)
        return rejection{fmt::format("{} has no rows of {}: {}", file.string(),
                                     operations.size() == 1 ? operations.front()->name() : "any operation", wanted)};
    if(problems.empty())
        return rejection{fmt::format("{} has no rows that --rows, --dtype and --layout leave", file.string())};
    return problems;
}

} // namespace ck_tile::profiler

// SPDX-License-Identifier: MIT
#include "ops/profiler/history.hpp"

#include "ops/program/instance_list.hpp"
#include "ops/program/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ck_tile::profiler
{
namespace
{

constexpr double least_change = 0.02;

struct measurement
{
    std::string problem, id;
    double median, spread;
};

// By what is measured: operation, problem, instance, splits.
std::map<std::string, measurement> measurements_of(const json& profile)
{
    std::map<std::string, measurement> all;
    for(const json& p : profile.at("problems"))
        for(const json& m : p.at("measured"))
            if(const json& t = m.at("timing"); !t.is_null())
                all[p.at("operation").dump() + p.at("problem").dump() + m.at("instance").dump() +
                    m.at("splits").dump()] = {
                    fmt::format("{}{}, {}", p.at("operation").get<std::string>(),
                                p.at("row").is_null() ? "" : " " + p.at("row").get<std::string>(),
                                p.at("dtype").get<std::string>()),
                    m.at("id").get<std::string>() +
                        (m.at("splits").is_null() ? "" : fmt::format(" / {}", m.at("splits").get<int>())),
                    t.at("median_ms"), t.at("spread")};
    return all;
}

} // namespace

result<json> read_profile(const std::filesystem::path& file, const std::string& target)
{
    constexpr const char* wanted = "name a file that ck_tile_profiler --json has written";
    result<json> profile         = program::read_json(file, wanted);
    if(!profile)
        return rejection{profile.reason()};
    const auto rejected = [&](const std::string& why) {
        return rejection{fmt::format("{} must be a profile: {}", file.string(), why)};
    };
    if(profile->value("format", json()) != "ck_tile profile 1")
        return rejected(wanted);
    if(profile->value("target", json()) != target)
        return rejected(fmt::format("it is of {}, this one is of {}", profile->value("target", json()).dump(), target));
    try
    {
        measurements_of(*profile);
    }
    catch(const json::exception&)
    {
        return rejected("what it has of problems is not what ck_tile_profiler --json writes");
    }
    return profile;
}

std::string compare_profiles(const json& before, const json& now)
{
    const auto old = measurements_of(before), fresh = measurements_of(now);
    struct change
    {
        double ratio;
        const measurement *then, *now;
    };
    std::vector<change> changes;
    int same = 0, added = 0;
    for(const auto& [key, m] : fresh)
    {
        const auto found = old.find(key);
        if(found == old.end())
        {
            ++added;
            continue;
        }
        const double ratio = m.median / found->second.median;
        if(std::max(ratio, 1 / ratio) - 1 > std::max({m.spread, found->second.spread, least_change}))
            changes.push_back({ratio, &found->second, &m});
        else
            ++same;
    }
    std::sort(changes.begin(), changes.end(), [](const change& a, const change& b) { return a.ratio > b.ratio; });
    std::vector<std::vector<std::string>> lines = {{"", "problem", "plan", "ms", "before", "ratio"}};
    for(const change& c : changes)
        lines.push_back({c.ratio > 1 ? "slower" : "faster", c.now->problem, c.now->id,
                         fmt::format("{:.4f}", c.now->median), fmt::format("{:.4f}", c.then->median),
                         fmt::format("{:.2f}", c.ratio)});
    const auto slower = std::count_if(changes.begin(), changes.end(), [](const change& c) { return c.ratio > 1; });
    const auto gone =
        std::count_if(old.begin(), old.end(), [&](const auto& each) { return !fresh.contains(each.first); });
    return fmt::format("{}{} slower, {} faster, {} within their spread, {} new, {} no longer measured\n",
                       changes.empty() ? "" : program::print_columns(lines, {false, false, false, true, true, true}),
                       slower, static_cast<std::ptrdiff_t>(changes.size()) - slower, same, added, gone);
}

} // namespace ck_tile::profiler

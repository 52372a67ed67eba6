// SPDX-License-Identifier: MIT
#include "ops/profiler/record.hpp"

#include "ops/program/instance_list.hpp"
#include "ops/program/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace ck_tile::profiler
{
namespace
{

constexpr double wide_spread      = 0.10; // above it, a median says little
constexpr const char* spread_note = "its times spread by";
constexpr double above_ceiling    = 1.05; // ceilings have a spread, too

std::string percent(const std::optional<double>& share) { return share ? fmt::format("{:.0f}%", 100 * *share) : "-"; }

std::string rate(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

json or_null(const auto& value) { return value ? json(*value) : json(nullptr); }

bool is_right(const row& r)
{
    return r.result.error.empty() && (!r.result.verified || r.result.verified->found.passed());
}

std::string verification_of(const row& r)
{
    if(!r.result.error.empty())
        return "failed";
    return !r.result.verified ? "-" : r.result.verified->found.passed() ? "passed" : "WRONG";
}

// Texts with commas, quotes or ends of lines in quotes, as RFC 4180 has it.
std::string quoted(const std::string& text)
{
    if(text.find_first_of(",\"\n\r") == text.npos)
        return text;
    std::string all = "\"";
    for(const char c : text)
        all += c == '"' ? "\"\"" : std::string(1, c);
    return all + '"';
}

} // namespace

std::optional<double> record::tflops(const timing& t) const
{
    return flops ? std::optional(*flops / t.median / 1e9) : std::nullopt;
}

std::optional<double> record::of_copy(const timing& t, const ceilings& c) const
{
    return c.copy_gb_per_s ? std::optional(gb_per_s(t) / *c.copy_gb_per_s) : std::nullopt;
}

std::optional<double> record::of_matrix(const timing& t, const ceilings& c) const
{
    const auto ceiling = c.matrix_tflops.find(type());
    const auto own     = tflops(t);
    return own && ceiling != c.matrix_tflops.end() ? std::optional(*own / ceiling->second) : std::nullopt;
}

std::string record::name() const
{
    return fmt::format("{}{}, {}", operation, number.empty() ? "" : fmt::format(", row {} ({})", number, layer),
                       type());
}

void finish(record& r, const ceilings& c)
{
    const auto key = [](const row& each) {
        const double time = each.result.time ? each.result.time->median : each.plan.cost;
        return std::tuple(!is_right(each), each.result.error.empty() ? time : std::numeric_limits<double>::infinity(),
                          each.plan.instance, each.plan.splits);
    };
    std::sort(r.rows.begin(), r.rows.end(), [&](const row& a, const row& b) { return key(a) < key(b); });
    int wide      = 0;
    double widest = 0;
    for(row& each : r.rows)
    {
        if(!each.result.error.empty())
            each.notes.push_back(each.result.error);
        if(each.result.verified && !each.result.verified->found.passed())
            each.notes.push_back(fmt::format("{} is wrong: {}", each.result.verified->tensor,
                                             describe(each.result.verified->found, each.result.verified->lengths)));
        if(!each.result.time)
            continue;
        const timing& t = *each.result.time;
        if(t.spread > wide_spread)
        {
            each.notes.push_back(fmt::format("{} {:.0f}%", spread_note, 100 * t.spread));
            ++wide, widest = std::max(widest, t.spread);
        }
        for(const auto& [share, what] :
            {std::pair(r.of_copy(t, c), "bytes of its floor faster than a copy: caches held some of them"),
             std::pair(r.of_matrix(t, c), "operations faster than a large product of matrices")})
            if(share && *share > above_ceiling)
                each.notes.push_back(fmt::format("{:.0f}% of a ceiling: {}", 100 * *share, what));
    }
    if(wide > 0)
        r.notes.push_back(
            fmt::format("times of {} plans, marked !, spread by more than {:.0f}%, up to {:.0f}%: something "
                        "else used the device, or its clocks changed; measure again",
                        wide, 100 * wide_spread, 100 * widest));
}

const row* fastest_of(const record& r)
{
    return !r.rows.empty() && is_right(r.rows.front()) && r.rows.front().result.time ? &r.rows.front() : nullptr;
}

const row* chosen_of(const record& r, bool candidate::* which)
{
    const auto found = std::find_if(r.rows.begin(), r.rows.end(), [&](const row& each) { return each.plan.*which; });
    return found == r.rows.end() ? nullptr : &*found;
}

json to_json(const profile& p, harness::verification how)
{
    json matrix = json::object();
    for(const auto& [type, tflops] : p.limits.matrix_tflops)
        matrix[type] = tflops;
    json all = {{"format", "ck_tile profile 1"},
                {"target", p.target},
                {"compute_units", p.compute_units},
                {"ceilings", {{"copy_gb_per_s", or_null(p.limits.copy_gb_per_s)}, {"matrix_tflops", matrix}}},
                {"complete", p.complete},
                {"problems", json::array()}};
    for(const record& r : p.records)
    {
        json problem = {{"operation", r.operation},
                        {"row", r.number.empty() ? json() : json(r.number)},
                        {"name", r.number.empty() ? json() : json(r.layer)},
                        {"dtype", r.type()},
                        {"problem", r.problem},
                        {"floor_bytes", r.floor_bytes},
                        {"flops", or_null(r.flops)},
                        {"notes", r.notes},
                        {"measured", json::array()},
                        {"rejected", json::array()}};
        for(const row& each : r.rows)
        {
            const auto& t = each.result.time;
            json timed;
            if(t)
                timed = {{"median_ms", t->median},
                         {"min_ms", t->least},
                         {"spread", t->spread},
                         {"repeats", t->repeats},
                         {"tflops", or_null(r.tflops(*t))},
                         {"gb_per_s", r.gb_per_s(*t)},
                         {"of_copy", or_null(r.of_copy(*t, p.limits))},
                         {"of_matrix", or_null(r.of_matrix(*t, p.limits))}};
            json verified;
            if(const auto& v = each.result.verified)
            {
                verified           = program::json_of(how, v->found, v->lengths);
                verified["tensor"] = v->tensor;
            }
            problem["measured"].push_back({{"id", each.plan.id},
                                           {"instance", each.plan.instance},
                                           {"fields", each.plan.fields},
                                           {"splits", each.plan.splits == 0 ? json() : json(each.plan.splits)},
                                           {"workspace_bytes", each.plan.workspace_bytes},
                                           {"cost", each.plan.cost},
                                           {"chosen", each.plan.chosen},
                                           {"chosen_by_cost", each.plan.chosen_by_cost},
                                           {"timing", timed},
                                           {"verification", verified},
                                           {"notes", each.notes}});
        }
        for(const candidate& each : r.rejected)
            problem["rejected"].push_back(
                {{"id", each.id}, {"instance", each.instance}, {"fields", each.fields}, {"reason", each.reason}});
        all["problems"].push_back(problem);
    }
    return all;
}

std::string to_csv(const profile& p)
{
    std::string text =
        "operation,row,name,target,dtype,problem,id,instance,splits,chosen,chosen_by_cost,median_ms,min_ms,"
        "spread,tflops,gb_per_s,of_copy,of_matrix,verification,notes\r\n";
    const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; };
    for(const record& r : p.records)
        for(const row& each : r.rows)
        {
            const auto& t    = each.result.time;
            const auto timed = [&](auto&& value) { return t ? number(value(*t)) : ""; };
            text += fmt::format(
                "{}\r\n",
                fmt::join(std::vector<std::string>{r.operation,
                                                   quoted(r.number),
                                                   quoted(r.layer),
                                                   p.target,
                                                   r.type(),
                                                   quoted(r.problem.dump()),
                                                   each.plan.id,
                                                   each.plan.instance,
                                                   each.plan.splits == 0 ? "" : fmt::to_string(each.plan.splits),
                                                   fmt::to_string(each.plan.chosen),
                                                   fmt::to_string(each.plan.chosen_by_cost),
                                                   timed([](const timing& x) { return std::optional(x.median); }),
                                                   timed([](const timing& x) { return std::optional(x.least); }),
                                                   timed([](const timing& x) { return std::optional(x.spread); }),
                                                   timed([&](const timing& x) { return r.tflops(x); }),
                                                   timed([&](const timing& x) { return std::optional(r.gb_per_s(x)); }),
                                                   timed([&](const timing& x) { return r.of_copy(x, p.limits); }),
                                                   timed([&](const timing& x) { return r.of_matrix(x, p.limits); }),
                                                   verification_of(each),
                                                   quoted(fmt::format("{}", fmt::join(each.notes, "; ")))},
                          ","));
        }
    return text;
}

std::string print(const record& r, const ceilings& c, bool all)
{
    const bool splits = std::any_of(r.rows.begin(), r.rows.end(), [](const row& each) { return each.plan.splits > 0; });
    std::vector<std::vector<std::string>> lines;
    std::vector<bool> right = {false};
    lines.push_back({"id"});
    if(splits)
        lines[0].push_back("splits"), right.push_back(true);
    for(const char* heading : {"ms", "min", "spread", "TFLOP/s", "GB/s", "copy", "matrix"})
        lines[0].push_back(heading), right.push_back(true);
    lines[0].insert(lines[0].end(), {"verified", ""});
    for(const row& each : r.rows)
    {
        auto& line = lines.emplace_back(1, each.plan.id);
        if(splits)
            line.push_back(each.plan.splits == 0 ? "-" : fmt::to_string(each.plan.splits));
        if(const auto& t = each.result.time)
            line.insert(line.end(), {fmt::format("{:.4f}", t->median), fmt::format("{:.4f}", t->least),
                                     percent(t->spread) + (t->spread > wide_spread ? "!" : ""), rate(r.tflops(*t)),
                                     rate(r.gb_per_s(*t)), percent(r.of_copy(*t, c)), percent(r.of_matrix(*t, c))});
        else
            line.insert(line.end(), 7, "-");
        line.push_back(verification_of(each));
        line.push_back(each.plan.chosen ? "<- the plan" : each.plan.chosen_by_cost ? "<- the plan by cost" : "");
    }
    std::string text = fmt::format("{}\n{}", r.name(), program::print_columns(lines, right));
    for(const row& each : r.rows)
        for(const std::string& note : each.notes)
            if(!note.starts_with(spread_note)) // which the mark says
                text += fmt::format("  {}: {}\n", each.plan.id, note);
    for(const std::string& note : r.notes)
        text += fmt::format("  {}\n", note);
    const row *best = fastest_of(r), *own = chosen_of(r, &candidate::chosen);
    if(best != nullptr && own != nullptr && own->result.time && best != own)
        text += fmt::format("  the plan takes {:.2f} times as long as the fastest\n",
                            own->result.time->median / best->result.time->median);
    if(r.rows.empty())
        text += "  nothing was measured\n";
    if(all && !r.rejected.empty())
    {
        std::vector<std::vector<std::string>> others;
        for(const candidate& each : r.rejected)
            others.push_back({"", each.id, each.reason});
        text += fmt::format("not measured:\n{}", program::print_columns(others));
    }
    else if(!r.rejected.empty())
        text += fmt::format("  {} instances are left out: --all says why\n", r.rejected.size());
    return text;
}

} // namespace ck_tile::profiler

// SPDX-License-Identifier: MIT
// Puts verification into words and JSON.
#include "ops/program/report.hpp"

#include "ck_tile/runtime/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ck_tile::program
{

std::string describe_verification(verification how, const comparison& found, const std::vector<std::int64_t>& lengths,
                                  const std::string& name)
{
    return fmt::format("Verification {}against {}: {}, {}", name.empty() ? "" : "of " + name + " ",
                       harness::describe(how), found.passed() ? "passed" : "FAILED", describe(found, lengths));
}

nlohmann::ordered_json json_of(verification how, const comparison& found, const std::vector<std::int64_t>& lengths)
{
    return {{"reference", harness::describe(how)},
            {"passed", found.passed()},
            {"elements", found.elements},
            {"failures", found.failures},
            {"worst",
             {{"index", harness::coord_of(found.worst, lengths)},
              {"expected", found.expected},
              {"actual", found.actual},
              {"error", found.error},
              {"bound", found.bound}}}};
}

result<nlohmann::ordered_json> read_json(const std::filesystem::path& path, const std::string& wanted)
{
    using json            = nlohmann::ordered_json;
    constexpr int deepest = 32;
    const auto text       = read_file(path);
    if(!text)
        return rejection{text.reason()};
    bool too_deep      = false;
    const auto shallow = [&](int brackets_around, json::parse_event_t event, const json&) {
        const bool opens = event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        too_deep         = too_deep || (opens && brackets_around == deepest);
        return !too_deep;
    };
    json document = json::parse(*text, shallow, false);
    if(too_deep || document.is_discarded() || !document.is_object())
        return rejection{fmt::format("{} {}: {}", path.string(),
                                     too_deep ? fmt::format("has brackets nested more than {} deep", deepest)
                                              : std::string(document.is_discarded() ? "is not JSON" : "is no object"),
                                     wanted)};
    return document;
}

status write_json(const std::filesystem::path& path, const nlohmann::ordered_json& report)
{
    return replace_file(path, report.dump(2) + '\n');
}

} // namespace ck_tile::program

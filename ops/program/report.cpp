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

status write_json(const std::filesystem::path& path, const nlohmann::ordered_json& report)
{
    return replace_file(path, report.dump(2) + '\n');
}

} // namespace ck_tile::program

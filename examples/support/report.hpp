// SPDX-License-Identifier: MIT
// What programs found out, for people and as JSON, whatever the operation.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "examples/support/compare.hpp"
#include "examples/support/job.hpp"

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ck_tile::examples
{

// "Verification against ...: passed, ..."; `lengths` are those of the result. Where a program has several, `name` says which it is.
std::string describe_verification(verification how, const std::optional<comparison>& found,
                                  const std::vector<std::int64_t>& lengths, const std::string& name = "");

// The same as JSON, or null.
nlohmann::ordered_json json_of(verification how, const std::optional<comparison>& found,
                               const std::vector<std::int64_t>& lengths);

// Prints each instance of an operation, and whether it supports the problem.
template <class Instance, class Problem>
void list_instances(const std::vector<const Instance*>& all, const Problem& p)
{
    for(const Instance* each : all)
    {
        const status supported = supports(*each, p);
        fmt::print("{}: {}\n", name_of(*each), supported ? "supports the problem" : supported.reason());
    }
}

status write_json(const std::filesystem::path& path, const nlohmann::ordered_json& report);

} // namespace ck_tile::examples

// SPDX-License-Identifier: MIT
// What programs found out, for people and as JSON, whatever the operation.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "ops/harness/compare.hpp"
#include "ops/harness/verify.hpp"

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ck_tile::program
{

using harness::comparison;
using harness::verification;

// "Verification against ...: passed, ..."; `lengths` are those of the result. Where a program has several, `name` says which it is.
std::string describe_verification(verification how, const comparison& found, const std::vector<std::int64_t>& lengths,
                                  const std::string& name = "");

// The same as JSON.
nlohmann::ordered_json json_of(verification how, const comparison& found, const std::vector<std::int64_t>& lengths);

// A document that is expected to be an object, of no more brackets in brackets than values can be copied with. `wanted` says what to
// name instead: "name benchmarks/suite.json, or one like it".
result<nlohmann::ordered_json> read_json(const std::filesystem::path& path, const std::string& wanted);

// Replaces the file as a whole (ck_tile/runtime/files.hpp).
status write_json(const std::filesystem::path& path, const nlohmann::ordered_json& report);

} // namespace ck_tile::program

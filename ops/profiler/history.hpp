// SPDX-License-Identifier: MIT
// What got slower or faster since an earlier profile.
#pragma once

#include "ops/profiler/record.hpp"

#include <filesystem>
#include <string>

namespace ck_tile::profiler
{

// An earlier profile. Rejects what is no file of ck_tile_profiler --json, and one of another target.
result<json> read_profile(const std::filesystem::path& file, const std::string& target);

// The plans whose medians differ by more than the spreads of both, and by more than 2%, in a table, the slower ones first; how many
// did not change; and which were there before and are not now.
std::string compare_profiles(const json& before, const json& now);

} // namespace ck_tile::profiler

// SPDX-License-Identifier: MIT
// ck_tile_profiler: measures all instances of operations on problems.
#pragma once

#include "ops/profiler/measurement.hpp"

#include <span>

namespace ck_tile::profiler
{

// main(), with the operations that there are.
int main_of(int argc, char** argv, std::span<const profiled_operation* const> operations);

} // namespace ck_tile::profiler

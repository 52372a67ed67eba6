// SPDX-License-Identifier: MIT
// How GoogleTest prints a target: by its name, so that the names of tests stay the same from run to run.
#pragma once

#include "ck_tile/targets/target.hpp"

#include <ostream>

namespace ck_tile
{

inline void PrintTo(const target* t, std::ostream* out) { *out << t->name; }

} // namespace ck_tile

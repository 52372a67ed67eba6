// SPDX-License-Identifier: MIT
// Whether the CPU checks programs while it runs them: what they would do wrong on a GPU makes a launch fail, and it says where.
#pragma once

#include <cstdint>

namespace ck_tile
{

struct host_checks
{
    bool enabled       = false;
    std::uint32_t seed = 0; // of the order of threads and blocks; 0: that of their numbers
};

// For all host devices of the process, from the next launch on. At the start it is what the environment says: CK_TILE_CHECK=1, and
// CK_TILE_CHECK_SEED=<number>.
void set_host_checks(const host_checks& checks);
host_checks current_host_checks();

} // namespace ck_tile

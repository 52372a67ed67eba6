// SPDX-License-Identifier: MIT
// Vector access to global memory within bounds: what is not there reads as zero, and is not written.
#pragma once

#include "ck_tile/numeric/types.hpp"

#include <cstdint>

#if defined(__AMDGCN__)
#include "ck_tile/targets/amdgcn/memory.hpp"
#else
#include "ck_tile/targets/host/memory.hpp"
#endif

// Each target defines
//   memory_range                                 a base address, the same for the whole block, and its bytes
//   load_vector<T, N>(range, offset, exists)     N elements from `offset` bytes on, or zeros
//   store_vector<T, N>(range, offset, exists, x)
// A range holds less than 2 GiB; one access lies in it as a whole or not at all.

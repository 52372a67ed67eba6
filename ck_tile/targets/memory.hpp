// SPDX-License-Identifier: MIT
// Vector access to global memory within bounds: what is not there reads as zero, and is not written.
#pragma once

#include "ck_tile/numeric/types.hpp"

#include <cstdint>

namespace ck_tile
{
// An offset outside of every range, and so is its sum with any offset below 2 GiB.
inline constexpr unsigned nowhere = 0x80000000u;

// What one lane moves with one instruction.
template <int Bytes>
inline constexpr bool is_access = Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16;
} // namespace ck_tile

#if defined(__AMDGCN__)
#include "ck_tile/targets/amdgcn/memory.hpp"
#elif defined(__NVPTX__)
#include "ck_tile/targets/sm90/memory.hpp"
#else
#include "ck_tile/targets/host/memory.hpp"
#endif

// Each target defines
//   memory_range                          a base address, the same for the whole block, and its bytes
//     .skip(bytes)                        leaves out the first bytes
//   load_vector<T, N>(range, offset)      N elements from `offset` bytes on, or zeros
//   store_vector<T, N>(range, offset, x)
// A range holds less than 2 GiB; one access lies in it as a whole or not at all.

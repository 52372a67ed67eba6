// SPDX-License-Identifier: MIT
// A tile in LDS with lines of 128 bytes that are half as long.
// expect: lds_tile: swizzled_128b has whole lines: make the contiguous length a multiple of 64, the other one of 8
#include "ck_tile/core/lds_tile.hpp"

using namespace ck_tile;

#if CK_TILE_BROKEN
lds_tile<short, swizzled_128b<majorness::mn>{32, 64}> columns{nullptr};
#else
lds_tile<short, swizzled_128b<majorness::mn>{64, 32}> columns{nullptr};
#endif

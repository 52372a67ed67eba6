// SPDX-License-Identifier: MIT
// An element of a vector of bf16, converted as if its bits were its number.
// expect: convert: an element of a vector of bf16 is its bits, not its number: __builtin_bit_cast it to bf16
#include "ck_tile/numeric/types.hpp"

using namespace ck_tile;

float first(vector<bf16, 2> values)
{
#if CK_TILE_BROKEN
    return convert<float>(values[0]);
#else
    return convert<float>(__builtin_bit_cast(bf16, storage_t<bf16>(values[0])));
#endif
}

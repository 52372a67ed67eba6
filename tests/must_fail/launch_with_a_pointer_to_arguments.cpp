// SPDX-License-Identifier: MIT
// A launch that is given the address of a kernel's arguments, where it copies them themselves.
// expect: launch: takes the arguments of the kernel's program themselves
#include "ck_tile/runtime/device.hpp"

struct arguments
{
    float* x;
    int count;
};

ck_tile::status launch(const ck_tile::device& dev, const ck_tile::kernel& k, const arguments& a)
{
#if CK_TILE_BROKEN
    return dev.launch(k, {1}, &a);
#else
    return dev.launch(k, {1}, a);
#endif
}

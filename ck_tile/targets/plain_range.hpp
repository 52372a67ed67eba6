// SPDX-License-Identifier: MIT
// A range of global memory as an address and a length: where no descriptor checks bounds, the access does.
#pragma once

#include "ck_tile/targets/primitives.hpp"

namespace ck_tile
{

struct memory_range
{
    char* base;
    std::uint32_t bytes;

    CK_TILE_FN memory_range(const void* address, std::int64_t size)
        : base(const_cast<char*>(static_cast<const char*>(address))), bytes(static_cast<std::uint32_t>(size))
    {
    }

    CK_TILE_FN void skip(std::uint32_t more)
    {
        if(on_device || base != nullptr) // on the CPU, nothing is added to no address
            base += more;
        bytes = more < bytes ? bytes - more : 0;
    }
};

} // namespace ck_tile

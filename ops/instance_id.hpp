// SPDX-License-Identifier: MIT
// Short ids of instances, by which people call what has a long name: "wgrad.gfx942.k3f2a" is the operation's word, the
// architecture, and letters of the name's hash. An id depends on the name alone, and stays when other instances come and go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ck_tile
{

inline std::string make_id(std::string_view word, std::string_view arch, std::string_view name)
{
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a, of 64 bits
    for(const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::string id = std::string(word) + "." + std::string(arch) + ".";
    for(int letter = 0; letter < 5; ++letter, hash >>= 5)
        id += "abcdefghijkmnpqrstuvwxyz23456789"[(hash ^ hash >> 35) % 32]; // none that is taken for another
    return id;
}

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// Where tests of kernels run: on the CPU in the shape of every architecture that is built for it, CK_TILE_HOST_SHAPES, and on each
// GPU that is there. With CK_TILE_CPU_ALONE, where the program has instances for the CPU alone, on no GPU.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ck_tile/targets/targets.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace ck_tile
{

inline const std::vector<std::string>& kernel_targets()
{
    static const std::vector<std::string> targets = [] {
        std::vector<std::string> names;
        for(const target* t : all_targets)
            if(std::string("," CK_TILE_HOST_SHAPES ",").find("," + std::string(t->name) + ",") != std::string::npos)
                names.push_back(std::string("host:") + t->name);
#ifndef CK_TILE_CPU_ALONE
        for(const char* gpu : {"hip", "cuda"})
            if(const auto found = device::open(gpu))
            {
                names.push_back(gpu);
                std::printf("kernels are also tested on %s\n", found->name().c_str());
            }
#endif
        return names;
    }();
    return targets;
}

// For the name of a test: without the colon.
inline std::string test_name_of(std::string target)
{
    for(char& c : target)
        if(c == ':')
            c = '_';
    return target;
}

} // namespace ck_tile

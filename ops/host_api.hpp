// SPDX-License-Identifier: MIT
// What the host APIs of operations share: which compiled kernels there are for a device, and launching them.
#pragma once

#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/runtime/device.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <vector>

namespace ck_tile
{

inline status launch(const device& on, const kernel& k, std::int64_t blocks, const auto& arguments)
{
    return on.launch(k, {static_cast<unsigned>(blocks)}, &arguments, sizeof arguments);
}

// The instances of a registry that the device can run.
template <class Instance>
std::vector<const Instance*> instances_for(const device& on, std::span<const Instance> all)
{
    std::vector<const Instance*> found;
    for(const Instance& i : all)
        if(i.configuration.arch == on.architecture().arch && (!on.is_host() || i.main->on_host != nullptr))
            found.push_back(&i);
    return found;
}

// The support kernels of a registry for the device and the type, or that the program was built without them.
template <class Support>
result<const Support*> support_for(const device& on, data_type type, std::span<const Support> all)
{
    for(const Support& s : all)
        if(s.arch == on.architecture().arch && s.type == type)
            return &s;
    return rejection{
        fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and CK_TILE_TARGETS",
                    name_of(type), on.architecture().name)};
}

} // namespace ck_tile

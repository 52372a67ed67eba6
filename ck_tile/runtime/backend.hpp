// SPDX-License-Identifier: MIT
// What each kind of device implements.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ck_tile/targets/targets.hpp"

#include <string>

namespace ck_tile
{

// The target of that name, or null.
inline const target* find_target(std::string_view name)
{
    for(const target* t : all_targets)
        if(name == t->name)
            return t;
    return nullptr;
}

// "gfx90a, gfx942, ...": what there is to choose from.
inline std::string target_names(std::string_view prefix = "")
{
    std::string names;
    for(const target* t : all_targets)
        names.append(names.empty() ? "" : ", ").append(prefix).append(t->name);
    return names;
}

class backend
{
  public:
    virtual ~backend() = default;

    virtual const target& architecture() const                                                             = 0;
    virtual bool is_host() const                                                                           = 0;
    virtual std::string name() const                                                                       = 0;
    virtual int compute_units() const                                                                      = 0;
    virtual result<device_buffer> allocate(std::size_t bytes, bool zeroed)                                 = 0;
    virtual status copy(void* destination, const void* source, std::size_t bytes)                          = 0;
    virtual status launch(const kernel& k, grid blocks, const void* arguments, std::size_t argument_bytes) = 0;
    virtual status synchronize()                                                                           = 0;
    virtual result<double> time(const std::function<status()>& work, int repeats)                          = 0;
};

std::unique_ptr<backend> open_host(const target& shape);

// The first AMD GPU; a rejection says that there is none, or that there is no code for it.
result<std::unique_ptr<backend>> open_hip();

// The first NVIDIA GPU, likewise.
result<std::unique_ptr<backend>> open_cuda();

} // namespace ck_tile

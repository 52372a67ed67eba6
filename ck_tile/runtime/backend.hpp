// SPDX-License-Identifier: MIT
// What each kind of device implements.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ck_tile/targets/targets.hpp"

#include <string>
#include <vector>

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

// Any thread may call these, several at a time.
class backend
{
  public:
    virtual ~backend() = default;

    virtual const target& architecture() const                                                            = 0;
    virtual bool is_host() const                                                                          = 0;
    virtual std::string name() const                                                                      = 0;
    virtual int compute_units() const                                                                     = 0;
    virtual result<device_buffer> allocate(std::size_t bytes, bool zeroed)                                = 0;
    virtual result<owned_stream> make_stream()                                                            = 0;
    virtual status fill(void* destination, unsigned char value, std::size_t bytes, stream s)              = 0;
    virtual status copy(void* destination, const void* source, std::size_t bytes, stream s)               = 0;
    virtual status load(const kernel& k)                                                                  = 0;
    virtual status launch(const kernel& k, grid blocks, const void* arguments, stream s)                  = 0;
    virtual status synchronize()                                                                          = 0;
    virtual status synchronize(stream s)                                                                  = 0;
    virtual result<std::vector<double>> times(const std::function<status()>& work, int repeats, stream s) = 0;
};

std::shared_ptr<backend> open_host(const target& shape);

// The AMD GPU, the NVIDIA GPU of that number; a rejection says that there is none, or that there is no code for it.
result<std::shared_ptr<backend>> open_hip(int ordinal);
result<std::shared_ptr<backend>> open_cuda(int ordinal);

} // namespace ck_tile

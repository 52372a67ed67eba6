// SPDX-License-Identifier: MIT
// Tensors' elements to a device and back.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "examples/support/demand.hpp"

#include <cstddef>
#include <vector>

namespace ck_tile::examples
{

inline device_buffer upload(const device& on, const std::vector<std::byte>& elements)
{
    device_buffer buffer = demand(on.allocate(elements.size()));
    demand(on.copy_to_device(buffer.data(), elements.data(), elements.size()));
    return buffer;
}

inline std::vector<std::byte> download(const device& on, const device_buffer& buffer)
{
    std::vector<std::byte> elements(buffer.bytes());
    demand(on.copy_to_host(elements.data(), buffer.data(), elements.size()));
    return elements;
}

// Memory for a result, in which every element is a NaN: one that no kernel writes does not pass for a result.
inline device_buffer make_result(const device& on, std::size_t bytes)
{
    return upload(on, std::vector<std::byte>(bytes, std::byte{0xff}));
}

} // namespace ck_tile::examples

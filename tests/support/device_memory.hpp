// SPDX-License-Identifier: MIT
// Bytes to a device and back, in tests: what fails is a failure of the test.
#pragma once

#include "ck_tile/runtime/device.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ck_tile
{

inline device_buffer upload(const device& dev, const std::vector<std::byte>& bytes)
{
    auto memory = dev.allocate(bytes.size());
    EXPECT_TRUE(memory) << memory.reason();
    EXPECT_TRUE(dev.copy_to_device(memory->data(), bytes.data(), bytes.size()));
    return std::move(*memory);
}

// Memory in which every element is a NaN or a large index: what a kernel forgets to write, or takes for zero, shows.
inline device_buffer unwritten(const device& dev, std::int64_t bytes)
{
    return upload(dev, std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{0xff}));
}

// What the device's memory holds when all that is queued is done.
inline std::vector<std::byte> download(const device& dev, const device_buffer& memory)
{
    EXPECT_TRUE(dev.synchronize());
    std::vector<std::byte> bytes(memory.bytes());
    EXPECT_TRUE(dev.copy_to_host(bytes.data(), memory.data(), bytes.size()));
    return bytes;
}

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// The harness's kernels, launched: results are held against references where they lie, and memory is copied within the device.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/harness/compare.hpp"
#include "ops/harness/judgement.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ck_tile::harness
{

// Those of an architecture.
struct device_kernels
{
    architecture arch;
    const kernel *copy, *compare_fp16, *compare_bf16, *compare_fp32;
};

std::span<const device_kernels> built_kernels(); // the build generates them

// Those that the device can run; null where the library was built without its target.
const device_kernels* kernels_for(const device& dev);

// Queues the copy of memory within the device, which begins at multiples of 16 bytes. A length that is no such multiple waits for it.
status copy_within(const device& dev, void* to, const void* from, std::size_t bytes, stream s = {});

// Holds `count` elements at `found`, of a floating type, against what is expected of them; all are addresses of the device.
result<comparison> compare_on_device(const device& dev, data_type type, const void* found, const float* expected,
                                     const float* magnitudes, std::int64_t count, const tolerance& allowed);

} // namespace ck_tile::harness

// SPDX-License-Identifier: MIT
#include "ops/harness/device_kernels.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/harness/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace ck_tile::harness
{
namespace
{

constexpr int blocks_per_unit = 8; // as many as hide the time that memory takes

// One element of a floating type in the device's memory.
result<double> element_at(const device& dev, data_type type, const void* tensor, std::int64_t number)
{
    std::vector<std::byte> element(static_cast<std::size_t>(bytes_of(type)));
    const void* const at = static_cast<const std::byte*>(tensor) + number * bytes_of(type);
    if(const status s = dev.copy_to_host(element.data(), at, element.size()); !s)
        return rejection{s.reason()};
    return static_cast<double>(decode(type, element).front());
}

} // namespace

const device_kernels* kernels_for(const device& dev)
{
    for(const device_kernels& each : built_kernels())
        if(each.arch == dev.architecture().arch && (!dev.is_host() || each.copy->on_host != nullptr))
            return &each;
    return nullptr;
}

status copy_within(const device& dev, void* to, const void* from, std::size_t bytes, stream s)
{
    const device_kernels* kernels = kernels_for(dev);
    if(kernels == nullptr)
        return rejection{fmt::format("the library was built without {}: add it to CK_TILE_TARGETS", dev.name())};
    const std::size_t whole = bytes / copy_arguments::vector_bytes * copy_arguments::vector_bytes;
    if(whole > 0)
    {
        const copy_arguments a = {static_cast<const float*>(from), static_cast<float*>(to),
                                  static_cast<std::int64_t>(whole / sizeof(float))};
        if(status queued = dev.launch(*kernels->copy, {static_cast<unsigned>(a.blocks())}, a, s); !queued)
            return queued;
    }
    std::array<std::byte, copy_arguments::vector_bytes> rest; // by way of the host
    if(whole == bytes)
        return {};
    if(status read = dev.copy_to_host(rest.data(), static_cast<const std::byte*>(from) + whole, bytes - whole, s);
       !read)
        return read;
    return dev.copy_to_device(static_cast<std::byte*>(to) + whole, rest.data(), bytes - whole, s);
}

result<comparison> compare_on_device(const device& dev, data_type type, const void* found, const float* expected,
                                     const float* magnitudes, std::int64_t count, const tolerance& allowed)
{
    comparison all{.elements = count};
    if(count == 0)
        return all;
    const device_kernels& kernels = *kernels_for(dev);
    const kernel& compare         = type == data_type::fp16   ? *kernels.compare_fp16
                                    : type == data_type::bf16 ? *kernels.compare_bf16
                                                              : *kernels.compare_fp32;
    const int blocks = static_cast<int>(std::min<std::int64_t>(std::int64_t(dev.compute_units()) * blocks_per_unit,
                                                               ceil_div(count, std::int64_t(compare.threads))));
    std::vector<finding> findings(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(compare.threads));
    const std::size_t bytes           = findings.size() * sizeof(finding);
    const result<device_buffer> there = dev.allocate(bytes);
    if(!there)
        return rejection{there.reason()};
    const compare_arguments a = {found, expected, magnitudes, count, allowed, static_cast<finding*>(there->data()),
                                 blocks};
    status s                  = dev.launch(compare, {static_cast<unsigned>(blocks)}, a);
    if(s)
        s = dev.synchronize();
    if(s)
        s = dev.copy_to_host(findings.data(), there->data(), bytes);
    if(!s)
        return rejection{s.reason()};

    finding worst = {0, 0, -1};
    for(const finding& each : findings)
    {
        all.failures += each.failures;
        if(each.ratio > worst.ratio || (each.ratio == worst.ratio && each.worst < worst.worst))
            worst = each;
    }
    const auto actual = element_at(dev, type, found, worst.worst);
    const auto value  = element_at(dev, data_type::fp32, expected, worst.worst);
    const auto size   = element_at(dev, data_type::fp32, magnitudes, worst.worst);
    if(!actual || !value || !size)
        return rejection{(!actual ? actual : !value ? value : size).reason()};
    all.worst = worst.worst;
    all.set_worst(allowed.expect(*value, *size), *actual, allowed.overflow);
    return all;
}

} // namespace ck_tile::harness

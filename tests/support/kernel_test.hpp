// SPDX-License-Identifier: MIT
// What the tests of operations' kernels share: each runs on every target in every element type, with tensors on the device.
#pragma once

#include "ck_tile/runtime/host_convert.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/kernel_targets.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ck_tile
{

using target_and_type = std::tuple<std::string, data_type>;

// The fixture, to be instantiated with every_type_on(targets) and name_of_parameter.
class kernel_test : public testing::TestWithParam<target_and_type>
{
  protected:
    device on = [] {
        auto d = device::open(std::get<0>(GetParam()));
        EXPECT_TRUE(d) << d.reason();
        return std::move(*d);
    }();
    data_type type = std::get<1>(GetParam());
};

inline auto every_type_on(const std::vector<std::string>& targets)
{
    return testing::Combine(testing::ValuesIn(targets),
                            testing::Values(data_type::fp16, data_type::bf16, data_type::fp32));
}

inline std::string name_of_parameter(const testing::TestParamInfo<target_and_type>& info)
{
    return test_name_of(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param));
}

// Values from middle - reach to middle + reach, rounded to the type.
inline std::vector<float> random_values(std::int64_t count, data_type type, std::uint32_t seed, float middle = 0,
                                        float reach = 1)
{
    random_numbers random(seed);
    std::vector<float> values(static_cast<std::size_t>(count));
    for(float& v : values)
        v = middle + reach * static_cast<float>(random.between(-1000, 1000)) / 1000.f;
    return decode(type, encode(type, values));
}

inline device_buffer upload(const device& on, data_type type, const std::vector<float>& values)
{
    return upload(on, encode(type, values));
}

inline std::vector<float> download(const device& on, data_type type, const device_buffer& memory)
{
    return decode(type, download(on, memory));
}

} // namespace ck_tile

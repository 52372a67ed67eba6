// SPDX-License-Identifier: MIT
// What the tests of operations' kernels share: each runs on every target in every element type, with tensors on the device.
#pragma once

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/kernel_targets.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ck_tile
{

using target_and_type = std::tuple<std::string, data_type>;

// The fixture, to be instantiated with ValuesIn(types_built<operation>(targets)) and name_of_parameter.
class kernel_test : public testing::TestWithParam<target_and_type>
{
  protected:
    device dev = [] {
        auto d = device::open(std::get<0>(GetParam()));
        EXPECT_TRUE(d) << d.reason();
        return std::move(*d);
    }();
    data_type type = std::get<1>(GetParam());
};

// The types that the operation has instances of, on each of the targets.
template <class Op>
std::vector<target_and_type> types_built(const std::vector<std::string>& targets)
{
    std::vector<target_and_type> found;
    for(const std::string& name : targets)
        if(const auto dev = device::open(name))
            for(data_type type : {data_type::fp16, data_type::bf16, data_type::fp32})
                for(const instance<Op>* i : instances<Op>(*dev))
                    if(dtype_of(i->configuration) == type)
                    {
                        found.emplace_back(name, type);
                        break;
                    }
    return found;
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

inline device_buffer upload(const device& dev, data_type type, const std::vector<float>& values)
{
    return upload(dev, encode(type, values));
}

inline std::vector<float> download(const device& dev, data_type type, const device_buffer& memory)
{
    return decode(type, download(dev, memory));
}

// A tensor of zeros but for some rows of it, all as long, `values` one after the other. Memory that is never touched costs nothing.
inline device_buffer upload_rows(const device& dev, data_type type, std::int64_t elements,
                                 const std::vector<std::int64_t>& firsts, const std::vector<float>& values)
{
    auto memory = dev.allocate_zeroed(static_cast<std::size_t>(elements * bytes_of(type)));
    EXPECT_TRUE(memory) << memory.reason();
    const std::size_t length = values.size() / firsts.size();
    for(std::size_t i = 0; i < firsts.size(); ++i)
    {
        const auto row   = values.begin() + static_cast<std::ptrdiff_t>(i * length);
        const auto bytes = encode(type, std::vector<float>(row, row + static_cast<std::ptrdiff_t>(length)));
        EXPECT_TRUE(dev.copy_to_device(static_cast<std::byte*>(memory->data()) + firsts[i] * bytes_of(type),
                                       bytes.data(), bytes.size()));
    }
    return std::move(*memory);
}

// Whether [rows, cols] results are the products of a [rows, length] and b [length, cols], given as functions of (row, l) and (l, col),
// within the bound of the tensor.
template <class A, class B>
void expect_product(const std::vector<float>& actual, std::int64_t rows, std::int64_t cols, std::int64_t length, A&& a,
                    B&& b, const tensor_info& result)
{
    for(std::int64_t row = 0; row < rows; ++row)
        for(std::int64_t col = 0; col < cols; ++col)
        {
            double sum = 0, magnitude = 0;
            for(std::int64_t l = 0; l < length; ++l)
            {
                const double term = double(a(row, l)) * double(b(l, col));
                sum += term;
                magnitude += std::abs(term);
            }
            EXPECT_LE(std::abs(actual[std::size_t(row * cols + col)] - sum),
                      error_bound(result.type, result.terms, sum, result.slack * magnitude))
                << row << ", " << col;
        }
}

// Of packed values, element (i, j) of rows of `cols`; and of the transposed ones.
inline auto matrix(const std::vector<float>& values, std::int64_t cols)
{
    return [&values, cols](std::int64_t i, std::int64_t j) { return values[std::size_t(i * cols + j)]; };
}
inline auto transposed_matrix(const std::vector<float>& values, std::int64_t cols)
{
    return [&values, cols](std::int64_t i, std::int64_t j) { return values[std::size_t(j * cols + i)]; };
}

} // namespace ck_tile

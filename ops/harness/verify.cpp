// SPDX-License-Identifier: MIT
#include "ops/harness/verify.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/harness/chunks.hpp"
#include "ops/harness/device_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace ck_tile::harness
{
namespace
{

// `expect(i)` is the expectation of the chunk's element i.
template <class Expect>
comparison compare_chunk(const host_tensor& found, chunk c, const Expect& expect)
{
    if(found.elements.empty()) // zeros
        return compare(found.type, std::vector<float>(static_cast<std::size_t>(c.end - c.begin)), expect);
    const std::int64_t element = bytes_of(found.type);
    const auto bytes           = std::span<const std::byte>(found.elements)
                                     .subspan(static_cast<std::size_t>(c.begin * element),
                                              static_cast<std::size_t>((c.end - c.begin) * element));
    return compare(found.type, decode(found.type, bytes), expect);
}

comparison together(const std::vector<comparison>& each)
{
    comparison all;
    for(const comparison& c : each)
        all.add(c);
    return all;
}

std::vector<float> floats_at(const device& dev, const device_buffer& from, chunk c)
{
    std::vector<float> values(static_cast<std::size_t>(c.end - c.begin));
    value_or_throw(dev.copy_to_host(values.data(), static_cast<const float*>(from.data()) + c.begin,
                                    values.size() * sizeof(float)));
    return values;
}

const float* floats(const device_buffer& b) { return static_cast<const float*>(b.data()); }

} // namespace

tolerance tolerance_of(const tensor_info& found, bool by_kernel)
{
    const double terms = static_cast<double>(found.terms);
    return {.roundoff  = unit_roundoff(found.type),
            .smallest  = found.type == data_type::fp16 ? 0x1p-14 : 0x1p-126,
            .sum       = 0x1p-24 * (8 + 2 * std::sqrt(terms)) * found.slack,
            .overflow  = overflow_threshold(found.type),
            .exact     = found.terms == 0,
            .by_kernel = by_kernel};
}

comparison compare_result(const host_tensor& found, const reference_values& expected, bool by_kernel)
{
    const tolerance allowed = tolerance_of(found, by_kernel);
    std::vector<comparison> each(chunks_of(found.shape.elements()));
    in_chunks(found.shape.elements(), [&](chunk c) {
        each[c.number] = compare_chunk(found, c, [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(c.begin + i);
            return allowed.expect(expected.values[at], allowed.exact ? 0 : expected.magnitudes[at]);
        });
    });
    return together(each);
}

comparison compare_result(const device& dev, const host_tensor& found, const device_reference& expected)
{
    const tolerance allowed = tolerance_of(found, true);
    std::vector<comparison> each(chunks_of(found.shape.elements()));
    in_chunks(found.shape.elements(), [&](chunk c) {
        const std::vector<float> values     = floats_at(dev, expected.values, c);
        const std::vector<float> magnitudes = floats_at(dev, expected.magnitudes, c);
        each[c.number]                      = compare_chunk(found, c, [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            return allowed.expect(values[at], magnitudes[at]);
        });
    });
    return together(each);
}

comparison compare_result(const device& dev, const tensor_info& found, const device_buffer& elements,
                          const device_reference& expected)
{
    if(kernels_for(dev) != nullptr)
        return value_or_throw(compare_on_device(dev, found.type, elements.data(), floats(expected.values),
                                                floats(expected.magnitudes), found.shape.elements(),
                                                tolerance_of(found, true)));
    host_tensor t{found};
    t.elements.resize(elements.bytes());
    value_or_throw(dev.copy_to_host(t.elements.data(), elements.data(), elements.bytes()));
    return compare_result(dev, t, expected);
}

comparison compare_integers(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& expected)
{
    comparison result{.elements = static_cast<std::int64_t>(found.size())};
    for(std::size_t i = 0; i < found.size(); ++i)
        if(found[i] != expected[i] && ++result.failures == 1)
        {
            result.worst    = static_cast<std::int64_t>(i);
            result.expected = static_cast<double>(expected[i]);
            result.actual   = static_cast<double>(found[i]);
            result.error    = result.actual - result.expected;
        }
    return result;
}

tensor_set converted(const tensor_set& from, const std::vector<tensor_info>& list)
{
    tensor_set to(list);
    for(host_tensor& t : to.tensors)
        for(const host_tensor& f : from.tensors)
        {
            if(std::string_view(f.name) != t.name)
                continue;
            if(f.role == tensor_role::absent && t.role == tensor_role::input)
                t.role = tensor_role::absent; // as it was for the operation
            if(!f.elements.empty())
            {
                if(is_floating(t.type))
                    t.set_values(f.values());
                else
                    t.elements = f.elements;
            }
        }
    return to;
}

void make_absolute(tensor_set& set)
{
    for(host_tensor& t : set.tensors)
        if(t.role == tensor_role::input && is_floating(t.type))
        {
            std::vector<float> v = t.values();
            for(float& x : v)
                x = std::abs(x);
            t.set_values(v);
        }
}

void fetch_reference(const device& dev, const device_reference& from, reference_values& to)
{
    const auto fetch = [&](const device_buffer& buffer, std::vector<double>& values) {
        values.resize(buffer.bytes() / sizeof(float));
        in_chunks(static_cast<std::int64_t>(values.size()), [&](chunk c) {
            const std::vector<float> some = floats_at(dev, buffer, c);
            std::copy(some.begin(), some.end(), values.begin() + c.begin);
        });
    };
    fetch(from.values, to.values);
    fetch(from.magnitudes, to.magnitudes);
}

void send_magnitudes(const device& dev, const reference_values& from, device_reference& to)
{
    in_chunks(static_cast<std::int64_t>(to.magnitudes.bytes() / sizeof(float)), [&](chunk c) {
        const std::vector<float> some(from.magnitudes.begin() + c.begin, from.magnitudes.begin() + c.end);
        value_or_throw(dev.copy_to_device(static_cast<float*>(to.magnitudes.data()) + c.begin, some.data(),
                                          some.size() * sizeof(float)));
    });
}

} // namespace ck_tile::harness

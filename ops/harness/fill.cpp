// SPDX-License-Identifier: MIT
// Every element is a hash of its index, so that neither the standard library nor the order of filling matters.
#include "ops/harness/fill.hpp"

#include "ops/harness/chunks.hpp"

#include <cmath>

namespace ck_tile::harness
{

namespace
{

// The finalizer of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
std::uint64_t mix(std::uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
}

float integer(std::uint32_t random)
{
    return static_cast<float>(static_cast<int>(std::uint64_t{random} * 11 >> 32) - 5);
}

float decimal(std::uint32_t random)
{
    // No fp16 subnormals: some matrix units take them for zero.
    constexpr float smallest_normal_fp16 = 0x1p-14f;
    const float value                    = static_cast<float>(random >> 8) * 0x1p-24f - 0.5f;
    return std::abs(value) < smallest_normal_fp16 ? 0.0f : value;
}

} // namespace

std::vector<float> make_values(fill how, std::int64_t elements, std::uint64_t seed, std::uint64_t stream)
{
    constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
    const std::uint64_t first            = mix(mix(seed + golden_ratio) + stream);

    std::vector<float> values(elements);
    if(how == fill::zeros)
        return values;
    in_chunks(elements, [&](chunk c) {
        for(std::int64_t i = c.begin; i < c.end; ++i)
        {
            const auto random =
                static_cast<std::uint32_t>(mix(first + static_cast<std::uint64_t>(i) * golden_ratio) >> 32);
            values[static_cast<std::size_t>(i)] = how == fill::integers ? integer(random) : decimal(random);
        }
    });
    return values;
}

void fill_floats(tensor_set& set, fill how, std::uint64_t seed)
{
    std::uint64_t stream = 0;
    for(host_tensor& t : set.tensors)
        if((t.role == tensor_role::input || t.role == tensor_role::origin) && is_floating(t.type))
        {
            if(how != fill::zeros || t.role == tensor_role::origin)
                t.set_values(make_values(how, t.shape.elements(), seed, stream));
            ++stream;
        }
}

} // namespace ck_tile::harness

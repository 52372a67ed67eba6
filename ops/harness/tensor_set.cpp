// SPDX-License-Identifier: MIT
#include "ops/harness/tensor_set.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/harness/chunks.hpp"
#include "ops/harness/value_or_throw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ck_tile::harness
{
namespace
{

std::span<const std::byte> bytes_at(const host_tensor& t, chunk c)
{
    const auto element = static_cast<std::size_t>(bytes_of(t.type));
    return std::span(t.elements)
        .subspan(static_cast<std::size_t>(c.begin) * element, static_cast<std::size_t>(c.end - c.begin) * element);
}

const host_tensor* find(const tensor_set& set, std::string_view name)
{
    for(const host_tensor& t : set.tensors)
        if(t.name == name)
            return &t;
    return nullptr;
}

// The elements of `from`, as `type` has them, to memory of the device.
void send(const device& dev, const host_tensor& from, data_type type, conversion how, void* to)
{
    in_chunks(from.shape.elements(), [&](chunk c) {
        std::vector<float> values = decode(from.type, bytes_at(from, c));
        if(how == conversion::absolute)
            for(float& v : values)
                v = std::abs(v);
        const std::vector<std::byte> bytes = encode(type, values);
        value_or_throw(
            dev.copy_to_device(static_cast<std::byte*>(to) + c.begin * bytes_of(type), bytes.data(), bytes.size()));
    });
}

} // namespace

std::vector<float> host_tensor::values() const
{
    std::vector<float> all(static_cast<std::size_t>(shape.elements()));
    if(!elements.empty())
        in_chunks(shape.elements(), [&](chunk c) {
            const std::vector<float> some = decode(type, bytes_at(*this, c));
            std::copy(some.begin(), some.end(), all.begin() + c.begin);
        });
    return all;
}

void host_tensor::set_values(const std::vector<float>& v)
{
    elements.resize(v.size() * static_cast<std::size_t>(bytes_of(type)));
    in_chunks(static_cast<std::int64_t>(v.size()), [&](chunk c) {
        const auto some = encode(
            type, std::span(v).subspan(static_cast<std::size_t>(c.begin), static_cast<std::size_t>(c.end - c.begin)));
        std::copy(some.begin(), some.end(), elements.begin() + c.begin * bytes_of(type));
    });
}

std::vector<std::int64_t> host_tensor::integers() const
{
    if(is_floating(type))
        throw rejected(fmt::format("{} holds {}, which are no integers", name, ck_tile::name_of(type)));
    return decode_integers(type, elements);
}

tensor_set::tensor_set(const std::vector<tensor_info>& list)
{
    for(const tensor_info& info : list)
        tensors.push_back({info});
}

const host_tensor& tensor_set::operator[](std::string_view name) const
{
    for(const host_tensor& t : tensors)
        if(t.name == name)
            return t;
    throw rejected(fmt::format("the problem has no tensor {}", name));
}

host_tensor& tensor_set::operator[](std::string_view name)
{
    return const_cast<host_tensor&>(std::as_const(*this)[name]);
}

device_set::device_set(const device& dev, const tensor_set& from)
{
    for(const host_tensor& t : from.tensors)
    {
        const auto bytes = static_cast<std::size_t>(t.bytes());
        if(!t.on_device())
            buffers_.emplace_back();
        else if(t.role == tensor_role::result)
            allocate_result(dev, bytes);
        else if(t.elements.empty())
            buffers_.push_back(value_or_throw(dev.allocate_zeroed(bytes))); // zeros, which take no memory here
        else
        {
            buffers_.push_back(value_or_throw(dev.allocate(bytes)));
            value_or_throw(dev.copy_to_device(buffers_.back().data(), t.elements.data(), bytes));
        }
    }
    value_or_throw(dev.synchronize());
}

device_set::device_set(const device& dev, const tensor_set& from, const std::vector<tensor_info>& list, conversion how)
{
    for(const tensor_info& t : list)
    {
        const auto bytes         = static_cast<std::size_t>(t.bytes());
        const host_tensor* given = find(from, t.name);
        if(!t.on_device() || (t.role == tensor_role::input && given != nullptr && given->role == tensor_role::absent))
            buffers_.emplace_back();
        else if(t.role == tensor_role::result)
            allocate_result(dev, bytes);
        else if(given == nullptr || given->elements.empty())
            buffers_.push_back(value_or_throw(dev.allocate_zeroed(bytes)));
        else
        {
            buffers_.push_back(value_or_throw(dev.allocate(bytes)));
            if(is_floating(t.type))
                send(dev, *given, t.type, how, buffers_.back().data());
            else
                value_or_throw(dev.copy_to_device(buffers_.back().data(), given->elements.data(), bytes));
        }
    }
    value_or_throw(dev.synchronize());
}

void device_set::allocate_result(const device& dev, std::size_t bytes)
{
    buffers_.push_back(value_or_throw(dev.allocate(bytes)));
    value_or_throw(dev.fill(buffers_.back().data(), 0xff, bytes));
}

void device_set::forget_results(const device& dev, const std::vector<tensor_info>& list) const
{
    for(std::size_t i = 0; i < buffers_.size(); ++i)
        if(list[i].role == tensor_role::result)
            value_or_throw(dev.fill(buffers_[i].data(), 0xff, buffers_[i].bytes()));
}

std::vector<void*> device_set::addresses() const
{
    std::vector<void*> all;
    for(const device_buffer& b : buffers_)
        all.push_back(b.data());
    return all;
}

void device_set::fetch(const device& dev, std::size_t number, host_tensor& to) const
{
    to.elements.resize(buffers_[number].bytes());
    value_or_throw(dev.copy_to_host(to.elements.data(), buffers_[number].data(), to.elements.size()));
}

void device_set::fetch_results(const device& dev, tensor_set& to) const
{
    value_or_throw(dev.synchronize());
    for(std::size_t i = 0; i < buffers_.size(); ++i)
        if(host_tensor& t = to.tensors[i]; t.role == tensor_role::result)
            fetch(dev, i, t);
}

} // namespace ck_tile::harness

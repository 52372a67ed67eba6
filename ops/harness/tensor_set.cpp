// SPDX-License-Identifier: MIT
#include "ops/harness/tensor_set.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/harness/value_or_throw.hpp"

#include <fmt/format.h>

namespace ck_tile::harness
{

std::vector<float> host_tensor::values() const
{
    return elements.empty() ? std::vector<float>(static_cast<std::size_t>(shape.elements())) : decode(type, elements);
}

void host_tensor::set_values(const std::vector<float>& v) { elements = encode(type, v); }

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
        else if(t.role == tensor_role::input && t.elements.empty())
            buffers_.push_back(value_or_throw(dev.allocate_zeroed(bytes))); // zeros, which take no memory here
        else
        {
            buffers_.push_back(value_or_throw(dev.allocate(bytes)));
            const std::vector<std::byte> nans(t.role == tensor_role::result ? bytes : 0, std::byte{0xff});
            value_or_throw(dev.copy_to_device(buffers_.back().data(),
                                              t.role == tensor_role::result ? nans.data() : t.elements.data(), bytes));
        }
    }
}

std::vector<void*> device_set::addresses() const
{
    std::vector<void*> all;
    for(const device_buffer& b : buffers_)
        all.push_back(b.data());
    return all;
}

void device_set::fetch_results(const device& dev, tensor_set& to) const
{
    value_or_throw(dev.synchronize());
    for(std::size_t i = 0; i < buffers_.size(); ++i)
        if(host_tensor& t = to.tensors[i]; t.role == tensor_role::result)
        {
            t.elements.resize(buffers_[i].bytes());
            value_or_throw(dev.copy_to_host(t.elements.data(), buffers_[i].data(), t.elements.size()));
        }
}

} // namespace ck_tile::harness

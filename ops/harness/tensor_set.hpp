// SPDX-License-Identifier: MIT
// The tensors of a problem with their elements: on the host, and on a device.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/tensor_info.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace ck_tile::harness
{

// A tensor on the host. An input without elements is all zeros, an origin is not there: its inputs came from files.
struct host_tensor : tensor_info
{
    std::vector<std::byte> elements = {};

    std::vector<float> values() const;            // of a floating type, exactly
    void set_values(const std::vector<float>& v); // rounds them to the type
    std::vector<std::int64_t> integers() const;   // of an index type
};

// All tensors of a problem, in the order of its list.
class tensor_set
{
  public:
    explicit tensor_set(const std::vector<tensor_info>& list);

    host_tensor& operator[](std::string_view name);
    const host_tensor& operator[](std::string_view name) const;

    std::vector<host_tensor> tensors;
};

// What becomes of floats on their way to a device.
enum class conversion
{
    same,
    absolute
};

// The inputs on a device, and memory for the results in which every element is a NaN: one that no kernel writes does not pass for
// a result. Throws `rejected` where the device has no room.
class device_set
{
  public:
    device_set(const device& dev, const tensor_set& from);

    // The tensors of `list`, with the elements that `from` has under the same names, converted piece by piece. An input that is
    // absent from `from` stays so.
    device_set(const device& dev, const tensor_set& from, const std::vector<tensor_info>& list, conversion how);

    std::vector<void*> addresses() const; // null where nothing is
    const device_buffer& buffer(std::size_t number) const { return buffers_[number]; }
    device_buffer take(std::size_t number) { return std::move(buffers_[number]); }

    void fetch(const device& dev, std::size_t number, host_tensor& to) const; // when the device's work is done
    void fetch_results(const device& dev, tensor_set& to) const;

    // Makes results NaNs again.
    void forget_results(const device& dev, const std::vector<tensor_info>& list) const;

  private:
    void allocate_result(const device& dev, std::size_t bytes);

    std::vector<device_buffer> buffers_;
};

} // namespace ck_tile::harness

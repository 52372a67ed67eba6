// SPDX-License-Identifier: MIT
// An operation whose type is not known where it is used: problems are JSON (ops/problem_fields.hpp), tensors addresses. For bindings
// to other languages; operation_of.hpp makes one of an operation's description.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ck_tile/runtime/tuned_table.hpp"
#include "ops/operation.hpp"
#include "ops/problem_fields.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ck_tile
{

// What kernels read and write begins at multiples of it.
constexpr std::uintptr_t kernel_alignment = 16;

// A plan, of any operation, with the device that it is for. Any thread may use it, several at a time.
class any_plan
{
  public:
    virtual ~any_plan() = default;

    const std::string instances; // "name", or "name, name" for passes
    const int splits;
    const std::size_t workspace_bytes;

    // Loads the kernels' code.
    virtual status load() const = 0;

    // Whether the addresses, in the order of the problem's tensors, can be those of a run: null where a tensor is absent, else
    // aligned, and null only where that is optional or there are no bytes.
    status check(std::span<void* const> addresses, const void* workspace) const;

    // Queues the kernels. The addresses have passed check().
    virtual status run(std::span<void* const> addresses, void* workspace, stream s) const = 0;

  protected:
    any_plan(std::string operation, std::string names, int split, std::size_t bytes, std::vector<tensor_info> list)
        : instances(std::move(names)),
          splits(split),
          workspace_bytes(bytes),
          operation_(std::move(operation)),
          tensors_(std::move(list))
    {
    }

  private:
    std::string operation_;
    std::vector<tensor_info> tensors_;
};

// What a request may name, and whether it can compute a problem.
struct any_choice
{
    std::string name, id, fields; // of an instance's configuration, as JSON
    status supported;
};

class any_operation
{
  public:
    using json = nlohmann::ordered_json;

    virtual ~any_operation() = default;

    virtual const char* name() const = 0;

    // The fields of a problem of which some are given, and the values of those that need not be.
    virtual std::vector<problem_field> fields(const json& given) const = 0;
    virtual json defaults() const                                      = 0;

    // The following reject what is given if it is no problem, with what is missing in it.
    virtual result<std::vector<tensor_info>> tensors(const json& given) const              = 0;
    virtual result<std::unique_ptr<any_plan>> make_plan(const device& dev, const json& given,
                                                        const plan_request& request) const = 0;
    // What the table chooses; where it chooses nothing, as above.
    virtual result<std::unique_ptr<any_plan>> make_plan(const device& dev, const json& given,
                                                        const tuned_table& tuned) const = 0;
    // Everything that a request may name.
    virtual result<std::vector<any_choice>> choices(const device& dev, const json& given) const = 0;

    virtual result<tuned_table> load_tuned_table(const std::filesystem::path& file) const = 0;
};

namespace detail
{
inline status check_alignment(std::string_view operation, std::string_view name, const void* address)
{
    const auto misaligned = reinterpret_cast<std::uintptr_t>(address) % kernel_alignment;
    return misaligned == 0 ? status{}
                           : rejection{fmt::format("{}: the address of {} must be a multiple of {}, but is {}: align "
                                                   "it, or copy it to memory that is",
                                                   operation, name, kernel_alignment, address)};
}
} // namespace detail

inline status any_plan::check(std::span<void* const> addresses, const void* workspace) const
{
    if(addresses.size() != tensors_.size())
        return rejection{
            fmt::format("{} takes the addresses of its {} tensors, but {} are given: pass all, null of those that the "
                        "problem does not have",
                        operation_, tensors_.size(), addresses.size())};
    for(std::size_t i = 0; i < tensors_.size(); ++i)
    {
        const tensor_info& t      = tensors_[i];
        const void* const address = addresses[i];
        if(address != nullptr && !t.on_device())
            return rejection{fmt::format("{}: this problem has no {}, but its address is {}: pass null, or set the "
                                         "field of the problem that asks for it",
                                         operation_, t.name, address)};
        if(address == nullptr && t.on_device() && !t.optional && t.bytes() > 0)
            return rejection{fmt::format("{}: {} must be in the device's memory, but its address is null: pass the "
                                         "address of {} bytes",
                                         operation_, t.name, t.bytes())};
        if(status aligned = detail::check_alignment(operation_, t.name, address); !aligned)
            return aligned;
    }
    if(workspace == nullptr && workspace_bytes > 0)
        return rejection{fmt::format("{}: the plan needs a workspace, but its address is null: pass the address of {} "
                                     "bytes",
                                     operation_, workspace_bytes)};
    return detail::check_alignment(operation_, "the workspace", workspace);
}

// Those that were built: defined where they are known, as in libck_tile.
std::span<const any_operation* const> all_operations();

} // namespace ck_tile

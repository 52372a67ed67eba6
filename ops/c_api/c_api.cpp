// SPDX-License-Identifier: MIT
// The functions of ck_tile.h: handles, texts and codes around any_operation.
#include "ops/c_api/ck_tile.h"

#include "ops/c_api/any_operation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using ck_tile::any_operation;
using ck_tile::field_kind;
using ck_tile::problem_field;
using ck_tile::result;
using ck_tile::status;
using ck_tile::stream;

struct ck_tile_device
{
    ck_tile::device open;
    std::string name;
};

struct ck_tile_buffer
{
    ck_tile::device_buffer memory;
};

struct ck_tile_problem
{
    const any_operation* operation;
    any_operation::json defaults;
    any_operation::json given = any_operation::json::object();

    // What was asked for of it since it was set: texts and shapes that callers look at.
    std::vector<std::pair<problem_field, std::optional<std::string>>> fields = {}; // with their values
    std::vector<ck_tile::tensor_info> tensors                                = {};
    std::vector<ck_tile::any_choice> choices                                 = {}; // when they were last listed
};

struct ck_tile_plan
{
    std::unique_ptr<ck_tile::any_plan> chosen;
};

namespace
{

thread_local std::string last_error;

ck_tile_status reject(ck_tile_status code, std::string_view reason)
{
    last_error = reason;
    return code;
}

ck_tile_status code_of(const status& s, ck_tile_status code) { return s ? CK_TILE_SUCCESS : reject(code, s.reason()); }

// work() -> code. What it throws becomes a code.
template <class Work>
ck_tile_status without_exceptions(Work&& work) noexcept
{
    try
    {
        return work();
    }
    catch(const std::bad_alloc&)
    {
        last_error.clear(); // short enough to need no memory:
        last_error = "no memory left";
        return CK_TILE_NO_MEMORY;
    }
    catch(const std::exception& e)
    {
        try
        {
            last_error = e.what();
        }
        catch(const std::bad_alloc&)
        {
            last_error.clear();
        }
        return CK_TILE_FAILED;
    }
}

// An argument of a function that must not be null, by its name in the header.
struct argument
{
    const char* name;
    const void* value;
};

// The same of a function that needs these.
template <class Work>
ck_tile_status checked(const char* function, std::initializer_list<argument> needed, Work&& work) noexcept
{
    return without_exceptions([&] {
        for(const argument& each : needed)
            if(each.value == nullptr)
                return reject(CK_TILE_INVALID,
                              fmt::format("{}: {} must not be null: pass one, as ck_tile.h says", function, each.name));
        return work();
    });
}

// Success, or that there are not so many.
status need_number(const char* function, int number, std::size_t count)
{
    if(number >= 0 && static_cast<std::size_t>(number) < count)
        return {};
    return ck_tile::rejection{fmt::format("{}: number must be from 0 to {}, but is {}: choose one of them", function,
                                          static_cast<int>(count) - 1, number)};
}

ck_tile_kind c_kind(field_kind kind)
{
    switch(kind)
    {
    case field_kind::number: return CK_TILE_NUMBER;
    case field_kind::list: return CK_TILE_LIST;
    case field_kind::real: return CK_TILE_REAL;
    case field_kind::flag: return CK_TILE_FLAG;
    case field_kind::choice: return CK_TILE_CHOICE;
    }
    __builtin_unreachable();
}

const char* setter_of(field_kind kind)
{
    switch(kind)
    {
    case field_kind::number: return "ck_tile_problem_set_int";
    case field_kind::list: return "ck_tile_problem_set_ints";
    case field_kind::real: return "ck_tile_problem_set_real";
    case field_kind::flag: return "ck_tile_problem_set_int, to 0 or 1";
    case field_kind::choice: return "ck_tile_problem_set_text";
    }
    __builtin_unreachable();
}

// make(kind) -> JSON, or none if a field of that kind does not take the value.
template <class Make>
ck_tile_status set_field(const char* function, ck_tile_problem* problem, const char* field, Make&& make)
{
    return checked(function, {{"problem", problem}, {"field", field}}, [&] {
        const std::vector<problem_field> all = problem->operation->fields(problem->given);
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& f) { return f.name == std::string_view(field); });
        if(found == all.end())
        {
            std::vector<const char*> names;
            for(const problem_field& each : all)
                names.push_back(each.name);
            return reject(CK_TILE_INVALID, fmt::format("a problem of {} has no field '{}': choose one of {}",
                                                       problem->operation->name(), field, fmt::join(names, ", ")));
        }
        const std::optional<any_operation::json> value = make(found->kind);
        if(!value)
            return reject(CK_TILE_INVALID,
                          fmt::format("{}: the field '{}' of {} must be {}: set it by {}", function, field,
                                      problem->operation->name(), found->values, setter_of(found->kind)));
        problem->given[field] = *value;
        problem->fields.clear();
        problem->tensors.clear();
        return CK_TILE_SUCCESS;
    });
}

const char* text_of(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

// The value of a field as a text, which is not quoted.
std::optional<std::string> value_of(const ck_tile_problem& problem, const char* field)
{
    using json       = any_operation::json;
    const json* from = problem.given.contains(field) ? &problem.given : &problem.defaults;
    if(!from->contains(field))
        return std::nullopt;
    const json& value = from->at(field);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

status list_tensors(ck_tile_problem& problem)
{
    if(!problem.tensors.empty())
        return {};
    auto list = problem.operation->tensors(problem.given);
    if(list)
        problem.tensors = std::move(*list);
    return list.verdict();
}

ck_tile_role c_role(ck_tile::tensor_role role)
{
    using enum ck_tile::tensor_role;
    switch(role)
    {
    case input: return CK_TILE_INPUT;
    case result: return CK_TILE_RESULT;
    case origin:
    case absent: return CK_TILE_ABSENT;
    }
    __builtin_unreachable();
}

result<std::unique_ptr<ck_tile::any_plan>> planned(const ck_tile::device& dev, const ck_tile_problem& problem,
                                                   const ck_tile_request& request,
                                                   const std::optional<ck_tile::tuned_table>& tuned)
{
    if(tuned && request.instance == nullptr && request.splits == 0)
        return problem.operation->make_plan(dev, problem.given, *tuned);
    const ck_tile::plan_request wanted = {.instance = request.instance != nullptr ? request.instance : "",
                                          .splits   = request.splits,
                                          .tuned    = request.by_cost == 0};
    return problem.operation->make_plan(dev, problem.given, wanted);
}

} // namespace

int ck_tile_api_version() { return CK_TILE_API_VERSION; }
const char* ck_tile_version() { return CK_TILE_RELEASE; }
const char* ck_tile_targets() { return CK_TILE_BUILT_TARGETS; }
const char* ck_tile_last_error() { return last_error.c_str(); }

ck_tile_status ck_tile_device_open(const char* name, ck_tile_device** device)
{
    return checked("ck_tile_device_open", {{"name", name}, {"device", device}}, [&] {
        auto open = ck_tile::device::open(name);
        if(!open)
            return reject(CK_TILE_NO_DEVICE, open.reason());
        const std::string called = open->name();
        *device                  = new ck_tile_device{std::move(*open), called};
        return CK_TILE_SUCCESS;
    });
}

void ck_tile_device_close(ck_tile_device* device) { delete device; }
const char* ck_tile_device_name(const ck_tile_device* device)
{
    return device != nullptr ? device->name.c_str() : nullptr;
}
int ck_tile_device_is_host(const ck_tile_device* device) { return device != nullptr && device->open.is_host() ? 1 : 0; }

ck_tile_status ck_tile_device_synchronize(const ck_tile_device* device, void* queue)
{
    return checked("ck_tile_device_synchronize", {{"device", device}},
                   [&] { return code_of(device->open.synchronize(stream{queue}), CK_TILE_FAILED); });
}

ck_tile_status ck_tile_buffer_create(const ck_tile_device* device, size_t bytes, ck_tile_buffer** buffer)
{
    return checked("ck_tile_buffer_create", {{"device", device}, {"buffer", buffer}}, [&] {
        auto memory = device->open.allocate(bytes);
        if(!memory)
            return reject(CK_TILE_NO_MEMORY, memory.reason());
        *buffer = new ck_tile_buffer{std::move(*memory)};
        return CK_TILE_SUCCESS;
    });
}

void ck_tile_buffer_destroy(ck_tile_buffer* buffer) { delete buffer; }
void* ck_tile_buffer_address(const ck_tile_buffer* buffer)
{
    return buffer != nullptr ? buffer->memory.data() : nullptr;
}

ck_tile_status ck_tile_copy_to_device(const ck_tile_device* device, void* destination, const void* source, size_t bytes,
                                      void* queue)
{
    return checked(
        "ck_tile_copy_to_device", {{"device", device}, {"destination", destination}, {"source", source}}, [&] {
            return code_of(device->open.copy_to_device(destination, source, bytes, stream{queue}), CK_TILE_FAILED);
        });
}

ck_tile_status ck_tile_copy_to_host(const ck_tile_device* device, void* destination, const void* source, size_t bytes,
                                    void* queue)
{
    return checked("ck_tile_copy_to_host", {{"device", device}, {"destination", destination}, {"source", source}}, [&] {
        return code_of(device->open.copy_to_host(destination, source, bytes, stream{queue}), CK_TILE_FAILED);
    });
}

int ck_tile_operation_count() { return static_cast<int>(ck_tile::all_operations().size()); }

const char* ck_tile_operation_name(int number)
{
    const auto all = ck_tile::all_operations();
    return number >= 0 && static_cast<std::size_t>(number) < all.size() ? all[static_cast<std::size_t>(number)]->name()
                                                                        : nullptr;
}

ck_tile_status ck_tile_problem_create(const char* operation, ck_tile_problem** problem)
{
    return checked("ck_tile_problem_create", {{"operation", operation}, {"problem", problem}}, [&] {
        std::vector<const char*> names;
        for(const any_operation* each : ck_tile::all_operations())
        {
            if(each->name() == std::string_view(operation))
            {
                *problem = new ck_tile_problem{each, each->defaults()};
                return CK_TILE_SUCCESS;
            }
            names.push_back(each->name());
        }
        return reject(CK_TILE_INVALID, fmt::format("'{}' is not an operation of this library: choose one of {}, or add "
                                                   "it to CK_TILE_OPS when it is built",
                                                   operation, fmt::join(names, ", ")));
    });
}

void ck_tile_problem_destroy(ck_tile_problem* problem) { delete problem; }

int ck_tile_problem_field_count(const ck_tile_problem* problem)
{
    int count = 0;
    without_exceptions([&] {
        if(problem != nullptr)
            count = static_cast<int>(problem->operation->fields(problem->given).size());
        return CK_TILE_SUCCESS;
    });
    return count;
}

ck_tile_status ck_tile_problem_field(ck_tile_problem* problem, int number, ck_tile_field* field)
{
    return checked("ck_tile_problem_field", {{"problem", problem}, {"field", field}}, [&] {
        if(problem->fields.empty())
            for(problem_field& each : problem->operation->fields(problem->given))
            {
                const char* const name = each.name;
                problem->fields.emplace_back(std::move(each), value_of(*problem, name));
            }
        if(status there = need_number("ck_tile_problem_field", number, problem->fields.size()); !there)
            return reject(CK_TILE_INVALID, there.reason());
        const auto& [described, value] = problem->fields[static_cast<std::size_t>(number)];
        *field = {described.name, c_kind(described.kind), described.values.c_str(), text_of(value)};
        return CK_TILE_SUCCESS;
    });
}

ck_tile_status ck_tile_problem_set_int(ck_tile_problem* problem, const char* field, int64_t value)
{
    return set_field("ck_tile_problem_set_int", problem, field,
                     [&](field_kind kind) -> std::optional<any_operation::json> {
                         if(kind == field_kind::number)
                             return value;
                         if(kind == field_kind::flag && (value == 0 || value == 1))
                             return value == 1;
                         return std::nullopt;
                     });
}

ck_tile_status ck_tile_problem_set_ints(ck_tile_problem* problem, const char* field, const int64_t* values, int count)
{
    return set_field("ck_tile_problem_set_ints", problem, field,
                     [&](field_kind kind) -> std::optional<any_operation::json> {
                         if(kind != field_kind::list || count < 0 || (values == nullptr && count > 0))
                             return std::nullopt;
                         return std::vector<std::int64_t>(values, values + count);
                     });
}

ck_tile_status ck_tile_problem_set_real(ck_tile_problem* problem, const char* field, double value)
{
    return set_field("ck_tile_problem_set_real", problem, field,
                     [&](field_kind kind) -> std::optional<any_operation::json> {
                         return kind == field_kind::real ? std::optional<any_operation::json>(value) : std::nullopt;
                     });
}

ck_tile_status ck_tile_problem_set_text(ck_tile_problem* problem, const char* field, const char* value)
{
    return set_field(
        "ck_tile_problem_set_text", problem, field, [&](field_kind kind) -> std::optional<any_operation::json> {
            return kind == field_kind::choice && value != nullptr ? std::optional<any_operation::json>(value)
                                                                  : std::nullopt;
        });
}

ck_tile_status ck_tile_problem_tensor_count(ck_tile_problem* problem, int* count)
{
    return checked("ck_tile_problem_tensor_count", {{"problem", problem}, {"count", count}}, [&] {
        if(status listed = list_tensors(*problem); !listed)
            return reject(CK_TILE_INVALID, listed.reason());
        *count = static_cast<int>(problem->tensors.size());
        return CK_TILE_SUCCESS;
    });
}

ck_tile_status ck_tile_problem_tensor(ck_tile_problem* problem, int number, ck_tile_tensor* tensor)
{
    return checked("ck_tile_problem_tensor", {{"problem", problem}, {"tensor", tensor}}, [&] {
        if(status listed = list_tensors(*problem); !listed)
            return reject(CK_TILE_INVALID, listed.reason());
        if(status there = need_number("ck_tile_problem_tensor", number, problem->tensors.size()); !there)
            return reject(CK_TILE_INVALID, there.reason());
        const ck_tile::tensor_info& t = problem->tensors[static_cast<std::size_t>(number)];
        *tensor                       = {t.name,
                                         name_of(t.type),
                                         c_role(t.role),
                                         t.optional ? 1 : 0,
                                         static_cast<int>(t.shape.lengths.size()),
                                         t.shape.lengths.data(),
                                         t.shape.strides.data(),
                                         t.bytes()};
        return CK_TILE_SUCCESS;
    });
}

ck_tile_status ck_tile_problem_list_instances(ck_tile_problem* problem, const ck_tile_device* device, int* count)
{
    return checked("ck_tile_problem_list_instances", {{"problem", problem}, {"device", device}, {"count", count}}, [&] {
        auto listed = problem->operation->choices(device->open, problem->given);
        if(!listed)
            return reject(CK_TILE_INVALID, listed.reason());
        problem->choices = std::move(*listed);
        *count           = static_cast<int>(problem->choices.size());
        return CK_TILE_SUCCESS;
    });
}

ck_tile_status ck_tile_problem_instance(const ck_tile_problem* problem, int number, ck_tile_instance* instance)
{
    return checked("ck_tile_problem_instance", {{"problem", problem}, {"instance", instance}}, [&] {
        if(problem->choices.empty())
            return reject(CK_TILE_INVALID,
                          "ck_tile_problem_instance: there are no instances: list them first, or build "
                          "some for the device");
        if(status there = need_number("ck_tile_problem_instance", number, problem->choices.size()); !there)
            return reject(CK_TILE_INVALID, there.reason());
        const ck_tile::any_choice& c = problem->choices[static_cast<std::size_t>(number)];
        *instance                    = {c.name.c_str(), c.id.c_str(), c.fields.c_str(),
                                        c.supported ? nullptr : c.supported.reason().c_str()};
        return CK_TILE_SUCCESS;
    });
}

ck_tile_status ck_tile_plan_create(const ck_tile_device* device, const ck_tile_problem* problem,
                                   const ck_tile_request* request, ck_tile_plan** plan)
{
    return checked("ck_tile_plan_create", {{"device", device}, {"problem", problem}, {"plan", plan}}, [&] {
        if(const auto valid = problem->operation->tensors(problem->given); !valid)
            return reject(CK_TILE_INVALID, valid.reason());
        const ck_tile_request wanted = request != nullptr ? *request : ck_tile_request{};
        std::optional<ck_tile::tuned_table> tuned;
        if(wanted.tuned_table != nullptr)
        {
            auto table = problem->operation->load_tuned_table(wanted.tuned_table);
            if(!table)
                return reject(CK_TILE_INVALID, table.reason());
            tuned = std::move(*table);
        }
        auto chosen = planned(device->open, *problem, wanted, tuned);
        if(!chosen)
            return reject(CK_TILE_UNSUPPORTED, chosen.reason());
        if(status loaded = (*chosen)->load(); !loaded)
            return reject(CK_TILE_FAILED, loaded.reason());
        *plan = new ck_tile_plan{std::move(*chosen)};
        return CK_TILE_SUCCESS;
    });
}

void ck_tile_plan_destroy(ck_tile_plan* plan) { delete plan; }
size_t ck_tile_plan_workspace_bytes(const ck_tile_plan* plan)
{
    return plan != nullptr ? plan->chosen->workspace_bytes : 0;
}
const char* ck_tile_plan_instances(const ck_tile_plan* plan)
{
    return plan != nullptr ? plan->chosen->instances.c_str() : nullptr;
}
int ck_tile_plan_splits(const ck_tile_plan* plan) { return plan != nullptr ? plan->chosen->splits : 0; }

ck_tile_status ck_tile_run(const ck_tile_plan* plan, void* queue, void* const* tensors, int count, void* workspace)
{
    return checked("ck_tile_run", {{"plan", plan}, {"tensors", tensors}}, [&] {
        const std::span<void* const> addresses(tensors, static_cast<std::size_t>(std::max(count, 0)));
        if(status right = plan->chosen->check(addresses, workspace); !right)
            return reject(CK_TILE_INVALID, right.reason());
        return code_of(plan->chosen->run(addresses, workspace, stream{queue}), CK_TILE_FAILED);
    });
}

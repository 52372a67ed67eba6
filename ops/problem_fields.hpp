// SPDX-License-Identifier: MIT
// The fields of a problem by name, listed once: JSON both ways, command lines and descriptions derive from the list.
//
// A family of operations lists them in a friend or free function in its namespace, in the order of command lines:
//
//   template <class Problem, class Visit>
//   void visit_fields(Problem& p, Visit&& v)      // Problem: const or not
//   {
//       v.number("N", p.batch);                        // a whole number of 64 bits
//       v.rank("ndim", p.spatial, 1, 3);               // how many entries the lists have that follow
//       v.list("input", p.input, p.spatial, {"Hi", "Wi"});  // that many numbers, and what command lines call them
//       v.sized_list("image", p.image, p.spatial);     // numbers that tell how many they are; command lines give as many as before
//       v.choice("layout", p.layout);                  // an enumeration; "dtype" is one
//       v.flag("ceil", p.ceil_mode);
//       v.real("epsilon", p.epsilon);
//   }
#pragma once

#include "ck_tile/numeric/choices.hpp"
#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/status.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ck_tile
{

namespace detail
{

struct json_writer
{
    nlohmann::ordered_json to = nlohmann::ordered_json::object();

    void number(const char* name, std::int64_t value) { to[name] = value; }
    void rank(const char* name, int value, int, int) { to[name] = value; }
    template <class List>
    void list(const char* name, const List& values, int count, std::initializer_list<const char*> = {})
    {
        to[name] = std::vector<std::int64_t>(values.begin(), values.begin() + count);
    }
    template <class List>
    void sized_list(const char* name, const List& values, int count, std::initializer_list<const char*> = {})
    {
        list(name, values, count);
    }
    template <class Enum>
    void choice(const char* name, Enum value)
    {
        to[name] = name_of(value);
    }
    void flag(const char* name, bool value) { to[name] = value; }
    void real(const char* name, float value)
    {
        to[name] = std::stod(fmt::format("{}", value));
    } // 1e-05, not 9.99999975e-06
};

inline std::string keys_of(const nlohmann::ordered_json& object)
{
    std::string all;
    for(const auto& [key, ignored] : object.items())
        all += (all.empty() ? "" : ", ") + key;
    return all;
}

// What fields may be, as rejections and lists of fields say it.
inline constexpr const char* any_number = "a whole number";
inline constexpr const char* any_flag   = "true or false";
inline constexpr const char* any_real   = "a number";
inline std::string rank_between(int least, int most) { return fmt::format("from {} to {}", least, most); }
inline std::string list_with(int count) { return fmt::format("a list of {} whole numbers", count); }
inline std::string list_up_to(std::size_t most) { return fmt::format("a list of 1 to {} whole numbers", most); }
template <class Enum>
std::string one_of_all()
{
    return "one of " + choices<Enum>(choosable);
}

// Keeps the first rejection.
struct json_reader
{
    using json = nlohmann::ordered_json;

    const json& from;
    status verdict = {};

    void number(const char* name, std::int64_t& value)
    {
        if(const json* found = find(name, any_number);
           found != nullptr && expect(found->is_number_integer(), name, any_number))
            value = *found;
    }
    void rank(const char* name, int& value, int least, int most)
    {
        const std::string wanted = rank_between(least, most);
        if(const json* found = find(name, wanted);
           found != nullptr && expect(found->is_number_integer() && *found >= least && *found <= most, name, wanted))
            value = *found;
    }
    template <class List>
    void list(const char* name, List& values, int count, std::initializer_list<const char*> = {})
    {
        const std::string wanted = list_with(count);
        const auto is_number     = [](const json& each) { return each.is_number_integer(); };
        if(const json* found = find(name, wanted);
           found != nullptr && expect(found->is_array() && found->size() == static_cast<std::size_t>(count) &&
                                          std::all_of(found->begin(), found->end(), is_number),
                                      name, wanted))
            std::copy(found->begin(), found->end(), values.begin());
    }
    template <class List>
    void sized_list(const char* name, List& values, int& count, std::initializer_list<const char*> = {})
    {
        const std::string wanted = list_up_to(values.size());
        if(const json* found = find(name, wanted);
           found != nullptr &&
           expect(found->is_array() && !found->empty() && found->size() <= values.size(), name, wanted))
            list(name, values, count = static_cast<int>(found->size()));
    }
    template <class Enum>
    void choice(const char* name, Enum& value)
    {
        const std::string wanted = one_of_all<Enum>();
        const json* found        = find(name, wanted);
        if(found == nullptr || !expect(found->is_string(), name, wanted))
            return;
        if(const auto known = value_of<Enum>(found->get<std::string>(), choosable))
            value = *known;
        else
            expect(false, name, wanted);
    }
    void flag(const char* name, bool& value)
    {
        if(const json* found = find(name, any_flag); found != nullptr && expect(found->is_boolean(), name, any_flag))
            value = *found;
    }
    void real(const char* name, float& value)
    {
        if(const json* found = find(name, any_real); found != nullptr && expect(found->is_number(), name, any_real))
            value = *found;
    }

  private:
    const json* find(const char* name, const std::string& wanted)
    {
        if(!verdict || !expect(from.contains(name), name, wanted))
            return nullptr;
        return &from.at(name);
    }
    bool expect(bool right, const char* name, const std::string& wanted)
    {
        if(!right && verdict)
        {
            const auto given = from.find(name);
            verdict          = rejection{fmt::format(
                "a problem's {} must be {}, but is {}", name, wanted,
                given == from.end() ? "not given" : given->dump(-1, ' ', false, json::error_handler_t::replace))};
        }
        return right;
    }
};

} // namespace detail

// {"ndim": 2, "G": 1, ..., "filter": [3, 3], ..., "dtype": "fp16", "layout": "nhwgc"}
template <class Problem>
nlohmann::ordered_json problem_to_json(const Problem& p)
{
    detail::json_writer writer;
    visit_fields(p, writer);
    return std::move(writer.to);
}

// Reads what problem_to_json writes, in any order of the keys; keys that `defaults` has may be missing. Rejects other keys, values
// of the wrong kind, and problems that are none.
template <class Problem>
result<Problem> problem_from_json(const nlohmann::ordered_json& given, const nlohmann::ordered_json& defaults = {})
{
    if(!given.is_object())
        return rejection{"a problem must be an object"};
    nlohmann::ordered_json from = defaults.is_object() ? defaults : nlohmann::ordered_json::object();
    from.update(given);
    Problem p;
    detail::json_reader reader{from};
    visit_fields(p, reader);
    if(!reader.verdict)
        return rejection{reader.verdict.reason()};
    const nlohmann::ordered_json known = problem_to_json(p);
    for(const auto& [key, ignored] : given.items())
        if(!known.contains(key))
            return rejection{fmt::format("a problem has no {}: its fields are {}", key, detail::keys_of(known))};
    if(status valid = validate(p); !valid)
        return rejection{valid.reason()};
    return p;
}

// What a field is set to.
enum class field_kind
{
    number, // a whole number
    list,   // of whole numbers
    real,
    flag,
    choice // a name
};

// A field as those see it who do not know the problem's type.
struct problem_field
{
    const char* name;
    field_kind kind;
    std::string values; // what it may be: "a list of 2 whole numbers", "one of nhwgc, ngchw"
    bool has_default;   // sizes have none, nor has the type: memory depends on them
};

namespace detail
{

struct field_lister
{
    const nlohmann::ordered_json& given;
    std::vector<problem_field> all = {};

    void number(const char* name, const auto&) { add(name, field_kind::number, any_number, false); }
    void rank(const char* name, int& value, int least, int most)
    {
        add(name, field_kind::number, rank_between(least, most), false);
        if(const auto found = given.find(name); found != given.end())
            (void)json_reader{given}.rank(name, value, least, most); // lists that follow are as long
    }
    void list(const char* name, const auto&, int count, std::initializer_list<const char*> = {})
    {
        add(name, field_kind::list, list_with(count), false);
    }
    void sized_list(const char* name, const auto& values, int, std::initializer_list<const char*> = {})
    {
        add(name, field_kind::list, list_up_to(values.size()), false);
    }
    template <class Enum>
    void choice(const char* name, Enum)
    {
        add(name, field_kind::choice, one_of_all<Enum>(), !std::is_same_v<Enum, data_type>);
    }
    void flag(const char* name, bool) { add(name, field_kind::flag, any_flag, true); }
    void real(const char* name, float) { add(name, field_kind::real, any_real, true); }

  private:
    void add(const char* name, field_kind kind, std::string values, bool has_default)
    {
        all.push_back({name, kind, std::move(values), has_default});
    }
};

} // namespace detail

// The fields of a problem of which some are given, in their order.
template <class Problem>
std::vector<problem_field> list_fields(const nlohmann::ordered_json& given)
{
    Problem p;
    detail::field_lister lister{given};
    visit_fields(p, lister);
    return std::move(lister.all);
}

// The values of the fields that have a default.
template <class Problem>
nlohmann::ordered_json field_defaults()
{
    const nlohmann::ordered_json usual = problem_to_json(Problem{});
    nlohmann::ordered_json defaults    = nlohmann::ordered_json::object();
    for(const problem_field& each : list_fields<Problem>(defaults))
        if(each.has_default)
            defaults[each.name] = usual.at(each.name);
    return defaults;
}

} // namespace ck_tile

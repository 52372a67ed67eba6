// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/problem_json.hpp"

#include "ck_tile/numeric/choices.hpp"

#include <fmt/format.h>

namespace ck_tile::conv
{
namespace
{

using json = nlohmann::ordered_json;

// The numbers of a problem by their keys: one list for both directions.
template <class Problem, class Number, class List>
void each_number(Problem& p, Number&& number, List&& list)
{
    number("G", p.groups);
    number("N", p.batch);
    number("K", p.k);
    number("C", p.c);
    list("filter", p.filter);
    list("input", p.input);
    list("strides", p.stride);
    list("dilations", p.dilation);
    list("left_pads", p.left_pad);
    list("right_pads", p.right_pad);
}

} // namespace

json to_json(const problem& p)
{
    json to = {{"ndim", p.spatial}};
    each_number(
        p, [&](const char* key, std::int64_t number) { to[key] = number; },
        [&](const char* key, const extents& numbers) {
            to[key] = std::vector<std::int64_t>(numbers.begin(), numbers.begin() + p.spatial);
        });
    to["dtype"]  = name_of(p.type);
    to["layout"] = name_of(p.layout);
    return to;
}

result<problem> problem_from_json(const json& from)
{
    const auto is_number = [](const json& value) { return value.is_number_integer(); };
    if(!from.is_object() || !from.contains("ndim") || !is_number(from.at("ndim")) || from.at("ndim") < 1 ||
       from.at("ndim") > max_spatial)
        return rejection{"a problem's ndim must be 1, 2 or 3"};
    problem p;
    p.spatial = from.at("ndim");
    status read;
    const auto refuse = [&](const char* key, const std::string& wanted) {
        if(read)
            read = rejection{fmt::format("a problem's {} must be {}", key, wanted)};
    };
    const auto at = [&](const char* key) { return from.contains(key) ? from.at(key) : json(); };
    each_number(
        p,
        [&](const char* key, std::int64_t& number) {
            if(const json value = at(key); is_number(value))
                number = value;
            else
                refuse(key, "a whole number");
        },
        [&](const char* key, extents& numbers) {
            const json value = at(key);
            if(!value.is_array() || value.size() != static_cast<std::size_t>(p.spatial) ||
               !std::all_of(value.begin(), value.end(), is_number))
                return refuse(key, fmt::format("a list of {} whole numbers", p.spatial));
            std::copy(value.begin(), value.end(), numbers.begin());
        });
    const auto read_choice = [&]<class Choice>(const char* key, Choice& choice, bool (*allowed)(Choice) = nullptr) {
        const json value = at(key);
        const auto found = value.is_string() ? value_of<Choice>(value.get<std::string>(), allowed) : std::nullopt;
        if(!found)
            return refuse(key, "one of " + choices<Choice>(allowed));
        choice = *found;
    };
    read_choice("dtype", p.type, is_floating);
    read_choice("layout", p.layout);
    if(read)
        read = validate(p);
    if(!read)
        return rejection{read.reason()};
    const json known = to_json(p);
    for(const auto& [key, ignored] : from.items())
        if(!known.contains(key))
            return rejection{fmt::format("a problem has no {}", key)};
    return p;
}

} // namespace ck_tile::conv

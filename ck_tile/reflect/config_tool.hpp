// SPDX-License-Identifier: MIT
// The program by which tile_engine_configs/generate.py asks C++ about an operation's configurations. It knows the fields and
// their defaults, and check() knows what is legal, so that Python repeats neither.
//
//   TOOL fields    JSON: {"operation": ..., "support": [...], "fields": [{"name": "block.m", "kind": "number"},
//                  {"name": "dense", "kind": "choice", "type": "conv::innermost", "values": ["channels", ...], "default":
//                  "channels"}, ...]}; a field without a default must be given
//   TOOL check     reads a configuration per line, its values in the order of the fields, parted by blanks; writes a line for
//                  each: its name, type, C++ value and text and, if check() rejects it, the rule and the reason, parted by tabs
#pragma once

#include "ck_tile/reflect/text.hpp"

#include <cstdio>
#include <iterator>
#include <string_view>
#include <vector>

namespace ck_tile::reflect
{

namespace detail
{
template <class Items, class Text>
std::string json_list(const Items& items, Text&& text)
{
    std::string list;
    for(const auto& item : items)
        list += (list.empty() ? "" : ", ") + text(item);
    return "[" + list + "]";
}

inline std::string quoted(const std::string& text) { return '"' + text + '"'; }

// The fields of a configuration, structs taken apart, each as a JSON object.
template <described T>
std::vector<std::string> fields()
{
    std::vector<std::string> all;
    each_leaf<T>([&](const std::string& name, auto get) {
        const T example   = {};
        using M           = std::remove_cvref_t<decltype(get(example))>;
        const char* quote = enumeration<M> ? "\"" : "";
        std::string field = fmt::format(R"({{"name": "{}", "kind": "{}")", name, enumeration<M> ? "choice" : "number");
        if constexpr(enumeration<M>)
        {
            std::vector<std::string> names;
            for(const auto& e : enumerators<M>::all)
                if(choosable(e.value))
                    names.push_back(e.name);
            field += fmt::format(R"(, "type": "{}", "values": {})", enumerators<M>::type, json_list(names, quoted));
        }
        if constexpr(has_default<T, decltype(get)>)
            field += fmt::format(R"(, "default": {}{}{})", quote, leaf(get(example)), quote);
        all.push_back(field + "}");
    });
    return all;
}

// Takes the next word off the front of `line` for a member.
template <class M>
bool take_value(std::string_view& line, M& member)
{
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    if constexpr(enumeration<M>)
    {
        const auto found = value_of<M>(word, choosable);
        member           = found.value_or(member);
        return found.has_value();
    }
    else
    {
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), member);
        return error == std::errc() && end == word.data() + word.size();
    }
}

template <described T>
result<T> parse_values(const std::string& line)
{
    T c                   = {};
    std::string_view rest = line;
    std::string wrong;
    each_leaf<T>([&](const std::string& name, auto get) {
        if(wrong.empty() && !take_value(rest, get(c)))
            wrong = name;
    });
    if(!wrong.empty() || rest.find_first_not_of(' ') != rest.npos)
        return rejection{fmt::format("'{}' is not a configuration: {}", line, wrong.empty() ? "too long" : wrong)};
    return c;
}

inline bool read_line(std::FILE* from, std::string& line)
{
    line.clear();
    int c;
    while((c = std::fgetc(from)) != EOF && c != '\n')
        line += static_cast<char>(c);
    return c != EOF || !line.empty();
}
} // namespace detail

// `support` are the kernels that all instances of an architecture and type share: the program `S_program` for each S.
template <described Config>
int config_tool(int argc, char** argv, const std::string& operation, const std::vector<std::string>& support)
{
    const std::string command = argc == 2 ? argv[1] : "";
    if(command == "fields")
    {
        const std::string all =
            detail::json_list(detail::fields<Config>(), [](const std::string& field) { return field; });
        fmt::print(R"({{"operation": "{}", "support": {}, "fields": {}}})", operation,
                   detail::json_list(support, detail::quoted), all);
        return 0;
    }
    if(command != "check")
    {
        fmt::print(stderr, "usage: {} fields | check\n", argv[0]);
        return 2;
    }
    for(std::string line; detail::read_line(stdin, line);)
    {
        const result<Config> c = detail::parse_values<Config>(line);
        if(!c)
        {
            fmt::print(stderr, "{}\n", c.reason());
            return 2;
        }
        const violation broken = check(*c);
        fmt::print("{}\t{}\t{}\t{}{}\n", instance_name(operation, *c), name_of(dtype_of(*c)), literal(*c), print(*c),
                   broken ? fmt::format("\t{}\t{}", broken.rule, describe(broken)) : "");
    }
    return 0;
}

} // namespace ck_tile::reflect

// SPDX-License-Identifier: MIT
// The program by which tile_engine_configs/generate.py asks C++ about an operation's configurations. It knows the fields, and
// check() knows what is legal, so that Python repeats neither.
//
//   TOOL fields    {"operation": ..., "support": [...], "fields": [...]}
//   TOOL check     reads a JSON array of configurations; for each writes {"name", "dtype", "value", "text"}, `value` being C++,
//                  and if check() rejects it "rule" and "reason"
#pragma once

#include "ck_tile/reflect/json.hpp"

#include <cstdio>
#include <iostream>
#include <vector>

namespace ck_tile::reflect
{

// The type that a configuration computes in: its field dtype, or what follows from its other fields.
template <class Config>
constexpr data_type dtype_of(const Config& c)
{
    if constexpr(requires { c.dtype(); })
        return c.dtype();
    else
        return c.dtype;
}

// `support` are the kernels that all instances of an architecture and type share: the program `S_program` for each S.
template <described Config>
int config_tool(int argc, char** argv, const std::string& operation, const std::vector<std::string>& support)
{
    const std::string command = argc == 2 ? argv[1] : "";
    if(command == "fields")
    {
        const json all = {{"operation", operation}, {"support", support}, {"fields", fields<Config>()}};
        fmt::print("{}\n", all.dump());
        return 0;
    }
    if(command != "check")
    {
        fmt::print(stderr, "usage: {} fields | check\n", argv[0]);
        return 2;
    }
    const json given = json::parse(std::cin, nullptr, false);
    if(!given.is_array())
    {
        fmt::print(stderr, "{} check: give a JSON array of configurations\n", argv[0]);
        return 2;
    }
    json answers = json::array();
    for(const json& each : given)
    {
        const result<Config> c = from_json<Config>(each, operation);
        if(!c)
        {
            fmt::print(stderr, "{}\n", c.reason());
            return 2;
        }
        json answer = {{"name", instance_name(operation, *c)}, {"dtype", name_of(dtype_of(*c))}, {"value", literal(*c)}, {"text", print(*c)}};
        if(const violation broken = check(*c))
            answer["rule"] = broken.rule, answer["reason"] = describe(broken);
        answers.push_back(std::move(answer));
    }
    fmt::print("{}\n", answers.dump());
    return 0;
}

} // namespace ck_tile::reflect

// SPDX-License-Identifier: MIT
// What `--instance list` prints: which instances there are, what they differ in, and whether they can compute the problem.
#pragma once

#include "ops/operation.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ck_tile::program
{

struct listed_instance
{
    std::string id, name;
    nlohmann::ordered_json fields; // of its configuration; empty of plans without an instance
    std::string reason;            // why it cannot compute the problem; empty where it can
};

// Columns of texts, each as wide as its longest, two blanks apart. Those in `right` (numbers) end where the column does.
std::string print_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right = {});

// The fields that the instances do not have in common, in the order of the first one's.
std::vector<std::string> differing_fields(const std::vector<nlohmann::ordered_json>& configurations);

// A field's value as a column has it.
std::string text_of(const nlohmann::ordered_json& fields, const std::string& name);

// A line per instance: id, the fields that differ in columns, what it says of the problem. A table for each kind of configurations, as those of
// formulations have other fields.
std::string print_instances(std::vector<listed_instance> all);

// [{"id": ..., "name": ..., "fields": {...}, "supports": true, "reason": null}, ...]
nlohmann::ordered_json json_of(const std::vector<listed_instance>& all);

// All instances of a device, and plans without one.
template <class Op>
std::vector<listed_instance> list_instances(const device& dev, const typename Op::problem& p)
{
    std::vector<listed_instance> all;
    each_choice<Op>(dev, p, [&](const named_choice& each) {
        all.push_back(
            {each.id, std::string(each.name), nlohmann::ordered_json::parse(each.fields), each.supported.reason()});
    });
    return all;
}

} // namespace ck_tile::program

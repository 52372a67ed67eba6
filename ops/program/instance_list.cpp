// SPDX-License-Identifier: MIT
#include "ops/program/instance_list.hpp"

#include <algorithm>
#include <iterator>

namespace ck_tile::program
{

using json = nlohmann::ordered_json;

std::string print_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right)
{
    std::vector<std::size_t> widths;
    for(const auto& row : rows)
    {
        widths.resize(std::max(widths.size(), row.size()));
        for(std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for(const auto& row : rows)
    {
        std::string line;
        for(std::size_t i = 0; i < row.size(); ++i)
        {
            const std::string blanks(widths[i] - row[i].size(), ' ');
            line += (i < right.size() && right[i] ? blanks + row[i] : row[i] + blanks) + "  ";
        }
        text += line.erase(line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

std::vector<std::string> differing_fields(const std::vector<json>& configurations)
{
    std::vector<std::string> names;
    if(!configurations.empty())
        for(const auto& [name, value] : configurations.front().items())
            if(std::any_of(configurations.begin(), configurations.end(),
                           [&, &key = name, &first = value](const json& c) { return c.value(key, json()) != first; }))
                names.push_back(name);
    return names;
}

std::string text_of(const json& fields, const std::string& name)
{
    if(!fields.contains(name))
        return "-";
    return fields.at(name).is_string() ? fields.at(name).get<std::string>() : fields.at(name).dump();
}

namespace
{

std::string print_alike(const std::vector<listed_instance>& all)
{
    std::vector<json> configurations;
    for(const listed_instance& each : all)
        if(!each.fields.empty())
            configurations.push_back(each.fields);
    const std::vector<std::string> names = differing_fields(configurations);
    std::vector<std::vector<std::string>> rows(1, {"id"});
    rows.front().insert(rows.front().end(), names.begin(), names.end());
    rows.front().push_back("problem");
    for(const listed_instance& each : all)
    {
        auto& row = rows.emplace_back(1, each.id);
        for(const std::string& name : names)
            row.push_back(text_of(each.fields, name));
        row.push_back(each.reason.empty() ? "supported" : each.reason);
    }
    return print_columns(rows);
}

std::vector<std::string> names_of_fields(const listed_instance& i)
{
    std::vector<std::string> names;
    for(const auto& [name, value] : i.fields.items())
        names.push_back(name);
    return names;
}

} // namespace

std::string print_instances(std::vector<listed_instance> all)
{
    std::string text;
    while(!all.empty())
    {
        std::vector<listed_instance> alike, others;
        std::partition_copy(all.begin(), all.end(), std::back_inserter(alike), std::back_inserter(others),
                            [names = names_of_fields(all.front())](const listed_instance& i) {
                                return i.fields.empty() || names_of_fields(i) == names;
                            });
        text += (text.empty() ? "" : "\n") + print_alike(alike);
        all = std::move(others);
    }
    return text;
}

json json_of(const std::vector<listed_instance>& all)
{
    json list = json::array();
    for(const listed_instance& each : all)
        list.push_back({{"id", each.id},
                        {"name", each.name},
                        {"fields", each.fields},
                        {"supports", each.reason.empty()},
                        {"reason", each.reason.empty() ? json() : json(each.reason)}});
    return list;
}

} // namespace ck_tile::program

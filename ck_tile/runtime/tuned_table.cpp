// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/tuned_table.hpp"

#include "ck_tile/runtime/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

namespace ck_tile
{
namespace
{

using json = nlohmann::ordered_json;

// Brackets in brackets; a choice's problem has lists in the fourth. Values are copied and compared by functions that call themselves.
constexpr int deepest = 16;

result<tuned_choice> read_choice(const json& from)
{
    const auto text = [&](const char* key) { return from.contains(key) && from.at(key).is_string(); };
    if(!from.is_object() || !text("target") || !text("instance") || !from.contains("problem") ||
       !from.at("problem").is_object())
        return rejection{"give an object with the texts target and instance, and the object problem"};
    if(!from.contains("splits") || !from.at("splits").is_number_integer() || from.at("splits") < 1 ||
       from.at("splits") > std::numeric_limits<int>::max())
        return rejection{"splits must be a whole number, 1 or more"};
    return tuned_choice{from.at("target"), from.at("problem"), from.at("instance"), from.at("splits")};
}

} // namespace

result<tuned_table> tuned_table::parse(const std::string& text, const std::string& operation, const judgement& accept)
{
    bool too_deep      = false;
    const auto shallow = [&](int brackets_around, json::parse_event_t event, const json&) {
        const bool opens = event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        too_deep         = too_deep || (opens && brackets_around == deepest);
        return !too_deep;
    };
    const json document = json::parse(text, shallow, false);
    if(too_deep)
        return rejection{
            fmt::format("its brackets are nested more than {} deep: name a file that --tune has written", deepest)};
    if(document.is_discarded())
        return rejection{"it is not JSON"};
    if(!document.is_object() || document.value("operation", json()) != operation)
        return rejection{fmt::format("its operation is not {}", operation)};
    if(!document.contains("choices") || !document.at("choices").is_array())
        return rejection{"it has no list of choices"};

    tuned_table table(operation);
    for(const json& each : document.at("choices"))
    {
        const auto numbered = [&](const std::string& why) {
            return rejection{fmt::format("choice {}: {}", table.size() + 1, why)};
        };
        result<tuned_choice> choice = read_choice(each);
        if(!choice)
            return numbered(choice.reason());
        if(status accepted = accept(*choice); !accepted)
            return numbered(accepted.reason());
        if(table.find(choice->target, choice->problem) != nullptr)
            return numbered("an earlier one has the same target and problem");
        table.choices_.push_back(std::move(*choice));
    }
    return table;
}

result<tuned_table> tuned_table::load(const std::filesystem::path& file, const std::string& operation,
                                      const judgement& accept)
{
    const result<std::string> text = read_file(file);
    if(!text)
        return rejection{"the tuned table " + text.reason()};
    result<tuned_table> table = parse(*text, operation, accept);
    return table ? std::move(table) : rejection{fmt::format("the tuned table {}: {}", file.string(), table.reason())};
}

result<tuned_table> tuned_table::load_or_start(const std::filesystem::path& file, const std::string& operation,
                                               const judgement& accept)
{
    std::error_code error;
    const bool holds_nothing =
        std::filesystem::status(file, error).type() == std::filesystem::file_type::not_found ||
        (std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) == 0);
    return holds_nothing ? tuned_table(operation) : load(file, operation, accept);
}

status tuned_table::set_in_file(const std::filesystem::path& file, const std::string& operation,
                                const judgement& accept, tuned_choice choice)
{
    const result<file_lock> lock = file_lock::acquire(file);
    if(!lock)
        return rejection{lock.reason()};
    result<tuned_table> table = load_or_start(file, operation, accept);
    if(!table)
        return rejection{table.reason()};
    table->set(std::move(choice));
    return table->save(file);
}

status tuned_table::save(const std::filesystem::path& file) const
{
    std::string lines; // a choice each, so that what changes of a table is what was measured
    for(const tuned_choice& c : choices_)
        lines += fmt::format(
            "{}\n  {}", lines.empty() ? "" : ",",
            json{{"target", c.target}, {"problem", c.problem}, {"instance", c.instance}, {"splits", c.splits}}.dump());
    return replace_file(file,
                        fmt::format("{{\"operation\": {}, \"choices\": [{}\n]}}\n", json(operation_).dump(), lines));
}

const tuned_choice* tuned_table::find(const std::string& target, const json& problem) const
{
    const auto found = std::find_if(choices_.begin(), choices_.end(),
                                    [&](const tuned_choice& c) { return c.target == target && c.problem == problem; });
    return found == choices_.end() ? nullptr : &*found;
}

void tuned_table::set(tuned_choice choice)
{
    std::erase_if(choices_,
                  [&](const tuned_choice& c) { return c.target == choice.target && c.problem == choice.problem; });
    choices_.push_back(std::move(choice));
}

} // namespace ck_tile

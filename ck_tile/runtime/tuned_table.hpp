// SPDX-License-Identifier: MIT
// What measuring has shown: problem -> instance, per target, in a JSON file. It overrides an operation's own choice.
//
//   {"operation": "grouped_conv_bwd_weight",
//    "choices": [{"target": "hip:gfx942", "problem": {...}, "instance": "grouped_conv_bwd_weight_gfx942_...", "splits": 4}]}
#pragma once

#include "ck_tile/runtime/status.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ck_tile
{

struct tuned_choice
{
    std::string target; // device::name()
    nlohmann::ordered_json problem;
    std::string instance;
    int splits; // of the reduction; 1 where an operation has none
};

class tuned_table
{
  public:
    explicit tuned_table(std::string operation) : operation_(std::move(operation)) {}

    // An operation's judgement of a choice, which it may bring into its usual form.
    using judgement = std::function<status(tuned_choice&)>;

    // Reads a text. Rejects one of another form or operation, and choices that are not accepted, with their number.
    static result<tuned_table> parse(const std::string& text, const std::string& operation, const judgement& accept);

    // The same of a file. Rejects what parse() does.
    static result<tuned_table> load(const std::filesystem::path& file, const std::string& operation,
                                    const judgement& accept);
    // The same; where there is no file, or an empty one, a table without choices.
    static result<tuned_table> load_or_start(const std::filesystem::path& file, const std::string& operation,
                                             const judgement& accept);
    status save(const std::filesystem::path& file) const;

    // Sets a choice in a file, which load_or_start() accepts. What other programs have set since this one read the file stays.
    static status set_in_file(const std::filesystem::path& file, const std::string& operation, const judgement& accept,
                              tuned_choice choice);

    // The choice for a problem, or null.
    const tuned_choice* find(const std::string& target, const nlohmann::ordered_json& problem) const;

    // Adds a choice, in place of the one for the same target and problem.
    void set(tuned_choice choice);

    std::size_t size() const { return choices_.size(); }
    const std::vector<tuned_choice>& choices() const { return choices_; }

  private:
    std::string operation_;
    std::vector<tuned_choice> choices_;
};

} // namespace ck_tile

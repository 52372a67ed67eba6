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

    // Reads a file. `accept` is the operation's judgement of a choice, and may bring it into its usual form. Rejects files of another form or operation, and
    // choices that are not accepted, with their number.
    static result<tuned_table> load(const std::filesystem::path& file, const std::string& operation,
                                    const std::function<status(tuned_choice&)>& accept);
    status save(const std::filesystem::path& file) const;

    // The choice for a problem, or null.
    const tuned_choice* find(const std::string& target, const nlohmann::ordered_json& problem) const;

    // Adds a choice, in place of the one for the same target and problem.
    void set(tuned_choice choice);

    std::size_t size() const { return choices_.size(); }

  private:
    std::string operation_;
    std::vector<tuned_choice> choices_;
};

} // namespace ck_tile

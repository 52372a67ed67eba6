// SPDX-License-Identifier: MIT
// What the programs of operations have in common: their options and leading numbers, named tensors in a folder, main().
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "examples/support/compare.hpp"
#include "examples/support/tensor_init.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace ck_tile::examples
{

enum class verification
{
    none,
    cpu,             // the fp64 reference
    reference_kernel // on the target
};

const char* name_of(verification how);

struct common_arguments
{
    verification verify = verification::cpu;
    fill init           = fill::integers;
    bool time           = false;
    std::string target  = "auto";
    std::string instance;
    bool list_instances = false;
    std::uint64_t seed  = 1;
    std::filesystem::path load; // folders and files; empty: none
    std::filesystem::path dump;
    std::filesystem::path json;
    std::string help; // to be printed instead of anything else when not empty
};

// Reads numbers from the front of a list and keeps the first rejection, so that a caller asks once, at the end.
class number_reader
{
  public:
    explicit number_reader(std::span<const std::string> texts) : texts_(texts) {}

    std::int64_t next(const std::string& what, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                      std::int64_t most = std::numeric_limits<std::int64_t>::max());

    const status& verdict() const { return verdict_; }

  private:
    void refuse(const std::string& reason);

    std::span<const std::string> texts_;
    status verdict_;
};

// Parses the command line with `app`, which holds the program's own options: the common ones, and `verify init time` in front
// of what is left in `numbers`. `tensors` says what --load and --dump are about.
status parse_common(CLI::App& app, int argc, const char* const* argv, const std::string& inputs, const std::string& all,
                    common_arguments& given, std::vector<std::string>& numbers);

// A tensor of a problem, by the name that its file has.
struct named_tensor
{
    std::string name;
    data_type type;
    std::vector<std::int64_t> lengths;
    std::vector<std::byte> elements = {};

    std::int64_t count() const;
    std::vector<float> values() const;
    void set(const std::vector<float>& values);
};

// Rejects a folder that has not all of these tensors, as .npy files; reads only their headers.
status check_folder_holds(const std::filesystem::path& folder, const std::vector<named_tensor*>& tensors);
status load_tensors(const std::filesystem::path& folder, const std::vector<named_tensor*>& tensors);
status dump_tensors(const std::filesystem::path& folder, const std::vector<const named_tensor*>& tensors);

// "name: dim 3, lengths {2, 8, 4}, strides {32, 4, 1}"
std::string describe_tensor(const named_tensor& tensor);

// One result as it was verified.
nlohmann::ordered_json json_of(const comparison& found, const std::vector<std::int64_t>& lengths);

status write_json(const std::filesystem::path& file, const nlohmann::ordered_json& report);

// Runs a program and returns its exit code: what it throws, it says in one line.
int run_program(const char* name, const std::function<int()>& program);

} // namespace ck_tile::examples

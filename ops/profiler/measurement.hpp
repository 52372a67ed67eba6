// SPDX-License-Identifier: MIT
// What the profiler needs of an operation, whichever it is: problems, the plans that can compute each, and what came of running one.
// ops/profiler/profiled.hpp makes it of the operation's description.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/harness/compare.hpp"
#include "ops/program/instance_list.hpp"
#include "ops/program/job.hpp"
#include "ops/program/job_parser.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ck_tile::profiler
{

using json = nlohmann::ordered_json;

// Of several runs, in milliseconds.
struct timing
{
    double median, least;
    double spread; // from the tenth to the ninetieth percentile, as a share of the median
    int repeats;
};

timing make_timing(std::vector<double> milliseconds); // of one or more

// One way to compute a problem: an instance, and splits of its reduction.
struct candidate
{
    std::string id, instance;
    json fields                 = {};    // of the configuration; empty of plans without an instance
    int splits                  = 0;     // 0: the operation has none to choose
    bool chosen                 = false; // the plan that is made without being told
    bool chosen_by_cost         = false; // the one that would be, were there no tuned table
    std::string reason          = {};    // why it cannot compute the problem; else empty
    double cost                 = 0;     // compares candidates of one problem
    std::size_t workspace_bytes = 0;
};

// How a result compares; of several, the worst.
struct verdict
{
    harness::comparison found;
    std::string tensor;
    std::vector<std::int64_t> lengths;
};

// What came of running a candidate.
struct outcome
{
    std::optional<timing> time      = {};
    std::optional<verdict> verified = {};
    std::string error               = {}; // why it could not be run; else empty
};

struct settings
{
    harness::verification verify = harness::verification::reference_kernel;
    harness::fill init           = harness::fill::decimals;
    std::uint64_t seed           = 1;
    bool time                    = true;
    int repeats                  = 0;     // at most; 0: what is usual on the device
    std::string instance         = {};    // by name or id; empty: all
    int splits                   = 0;     // 0: as many as cost least, half and double of it
    bool chosen_only             = false; // what the plan chooses, and nothing else
};

// A problem on a device. Memory is taken when the first candidate is measured.
class profiled_problem
{
  public:
    virtual ~profiled_problem() = default;

    virtual json problem() const                = 0;
    virtual double floor_bytes() const          = 0;
    virtual std::optional<double> flops() const = 0; // of operations that count them
    const std::vector<candidate>& candidates() const { return candidates_; }

    virtual outcome measure(std::size_t candidate) = 0;

    // Writes the candidate to a tuned table, as what is best for the problem.
    virtual void remember(std::size_t candidate, const std::filesystem::path& file) const = 0;

  protected:
    std::vector<candidate> candidates_;
};

class profiled_operation
{
  public:
    virtual ~profiled_operation() = default;

    virtual const char* name() const = 0;

    // The problem that a command line states, as the operation's program would take it; `add` adds further options to the parser's.
    // Where help is asked for, it is in the job, and the problem is not to be used.
    virtual json parse(program::job& given, const std::string& program,
                       const std::function<void(program::job_parser&)>& add, int argc,
                       const char* const* argv) const = 0;

    // Of that type, where the JSON names none. Throws `rejected` where it is no problem of the operation.
    virtual std::unique_ptr<profiled_problem> open(const device& dev, const json& problem, data_type type,
                                                   const settings& how) const = 0;

    // What `--instance list` says of it.
    virtual std::vector<program::listed_instance> list(const device& dev, const json& problem,
                                                       data_type type) const = 0;

    // Rejects a file that remember() could not add to.
    virtual status check_tuned_table(const std::filesystem::path& file) const = 0;

    // A problem that is a large product of matrices, to see what matrix instructions can do; none of other operations.
    virtual std::optional<json> matrix_product(data_type type) const = 0;
};

} // namespace ck_tile::profiler

// SPDX-License-Identifier: MIT
// What the profiler has found, to be printed, and written as JSON (profile.schema.json) and CSV.
#pragma once

#include "ops/profiler/measurement.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ck_tile::profiler
{

// What the device can do, measured in the same run. Of the CPU nothing is.
struct ceilings
{
    std::optional<double> copy_gb_per_s;
    std::map<std::string, double> matrix_tflops; // by type
};

// A candidate that was measured.
struct row
{
    candidate plan;
    outcome result;
    std::vector<std::string> notes; // on what makes no sense
};

// A problem with what was measured of it.
struct record
{
    std::string operation, number, layer; // the latter two of a suite
    json problem;
    double floor_bytes = 0;
    std::optional<double> flops;
    std::vector<row> rows;           // the fastest first
    std::vector<candidate> rejected; // what cannot compute it
    std::vector<std::string> notes;  // on the problem

    std::string type() const { return problem.at("dtype"); }
    std::optional<double> tflops(const timing& t) const;
    double gb_per_s(const timing& t) const { return floor_bytes / t.median / 1e6; }
    std::optional<double> of_copy(const timing& t, const ceilings& c) const; // share of the ceiling
    std::optional<double> of_matrix(const timing& t, const ceilings& c) const;

    std::string name() const; // "grouped_conv_fwd, row 5 (ResNet-50 3x3), fp16"
};

struct profile
{
    std::string target          = {};
    int compute_units           = 0;
    ceilings limits             = {};
    bool complete               = false; // false: interrupted, and what there is was kept
    std::vector<record> records = {};
};

// Sorts the rows, the fastest first, wrong and failed ones last, and says of what makes no sense that it does not.
void finish(record& r, const ceilings& c);

// Of the rows: the fastest that is right, or null.
const row* fastest_of(const record& r);
const row* chosen_of(const record& r, bool candidate::* which);

json to_json(const profile& p, harness::verification how);
std::string to_csv(const profile& p);

// The table of a problem; with `all`, also what was not measured, and why.
std::string print(const record& r, const ceilings& c, bool all);

} // namespace ck_tile::profiler

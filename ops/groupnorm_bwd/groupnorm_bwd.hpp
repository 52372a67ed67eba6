// SPDX-License-Identifier: MIT
// Group norm backward: the host API. Describe the problem, ask what supports it, plan, run.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/groupnorm/plan.hpp"
#include "ops/groupnorm/problem.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile::groupnorm_bwd
{

using groupnorm::problem;

struct instance; // one compiled configuration

// The tensors of a problem in device memory, packed as the problem's layout says, 16-byte aligned. gamma, dgamma and dbeta
// have the problem's type, mean and inv_std are fp32.
struct tensors
{
    const void* x;
    const void* dy;
    const void* gamma; // null: all ones
    const float* mean;
    const float* inv_std; // 1 / sqrt(variance + epsilon), as the forward pass has used it
    void* dx;             // null: not wanted; as the plan was made for
    void* dgamma;
    void* dbeta;
};

// Which gradients are wanted.
struct wanted
{
    bool dx     = true;
    bool dgamma = true;
    bool dbeta  = true;

    bool parameters() const { return dgamma || dbeta; }
};

// What run() will do: one kernel that holds whole groups, or one or two passes; and the workspace that they need.
struct plan
{
    std::vector<groupnorm::step<instance>> steps;
    groupnorm_bwd::wanted wanted;
    std::size_t workspace_bytes = 0;
};

// The configurations compiled into this program for the device's architecture.
std::vector<const instance*> instances(const device& on);

std::string name_of(const instance& i);

// "name" or "name, name": the kernels of a plan.
std::string describe(const plan& what);

// Success, or why this instance cannot compute this problem.
status supports(const instance& i, const problem& p);

// Chooses the instances that move the fewest bytes per compute unit (README.md has the rule); with `instance_name`, that one
// does its pass. Rejects problems that no instance supports.
result<plan> make_plan(const device& on, const problem& p, const wanted& outputs = {},
                       std::string_view instance_name = {});

// Queues the kernels of the plan. `workspace` has at least workspace_bytes bytes of device memory. The same problem, plan and
// inputs give the same bits on every run.
status run(const device& on, const problem& p, const plan& what, const tensors& data, void* workspace);

// The same gradients by the reference kernel: one thread per output, no tiles, fp32 sums in scan order. Returns when done.
status run_reference(const device& on, const problem& p, const tensors& data);

} // namespace ck_tile::groupnorm_bwd

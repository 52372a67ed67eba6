// SPDX-License-Identifier: MIT
// Max-pooling, backward: the host API. Describe the problem, ask what supports it, plan, run.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/maxpool/problem.hpp"
#include "ops/maxpool_fwd/maxpool_fwd.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile::maxpool_bwd
{

struct instance; // one compiled configuration

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct tensors
{
    const void* dout;    // dY, the gradient of the output
    const void* indices; // of the maxima, of the problem's kind; not read for indices::recompute
    const void* in;      // X, the input of the forward pass; read for indices::recompute alone
    void* din;           // dX, the result
};

// What run() will do: the instance and, to recompute the indices, the forward pass that writes them to the workspace.
struct plan
{
    const instance* chosen;
    std::optional<maxpool_fwd::plan> maxima;
    std::size_t workspace_bytes;
};

// The configurations compiled into this program for the device's architecture.
std::vector<const instance*> instances(const device& on);

std::string name_of(const instance& i);

// Success, or why this instance cannot compute this problem.
status supports(const instance& i, const maxpool::problem& p);

// Chooses the instance: the best that supports the problem, or the one called `instance_name`.
result<plan> make_plan(const device& on, const maxpool::problem& p, std::string_view instance_name = {});

// Queues the kernels of the plan: every element of dX is written once. `workspace` has at least workspace_bytes bytes of
// device memory. The same problem, plan and inputs give the same bits on every run.
status run(const device& on, const maxpool::problem& p, const plan& what, const tensors& data, void* workspace);

// The same gradient by the reference kernel: one thread per element of dX, no tiles. Indices are not recomputed.
status run_reference(const device& on, const maxpool::problem& p, const tensors& data);

} // namespace ck_tile::maxpool_bwd

// SPDX-License-Identifier: MIT
// Max-pooling, forward: the host API. Describe the problem, ask what supports it, plan, run.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ops/maxpool/problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ck_tile::maxpool_fwd
{

struct instance; // one compiled configuration

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned. The output
// and the indices are each optional: null is not written.
struct tensors
{
    const void* in;
    void* out;
    void* indices; // of the problem's kind; not written for indices::recompute
};

struct plan
{
    const instance* chosen;
};

// The configurations compiled into this program for the device's architecture.
std::vector<const instance*> instances(const device& on);

std::string name_of(const instance& i);

// Success, or why this instance cannot compute this problem.
status supports(const instance& i, const maxpool::problem& p);

// Chooses the instance: the best that supports the problem, or the one called `instance_name`.
result<plan> make_plan(const device& on, const maxpool::problem& p, std::string_view instance_name = {});

// Queues the kernel of the plan.
status run(const device& on, const maxpool::problem& p, const plan& what, const tensors& data);

// The same by the reference kernel, one thread per element, no tiles. Writes the output and the indices, which are int64
// whatever the problem says.
status run_reference(const device& on, const maxpool::problem& p, const tensors& data);

} // namespace ck_tile::maxpool_fwd

// SPDX-License-Identifier: MIT
// Grouped convolution, backward weight: the host API. Describe the problem, ask what supports it, plan, run.
#pragma once

#include "ck_tile/runtime/device.hpp"
#include "ck_tile/runtime/tuned_table.hpp"
#include "ops/grouped_conv/problem.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile::grouped_conv_bwd_weight
{

struct instance; // one compiled configuration

// The tensors of a problem in device memory, packed in the order that the problem's layout says. 16-byte aligned.
struct tensors
{
    const void* in;  // X
    const void* out; // dY, the gradient of the output
    void* wei;       // dW, the result
};

// What run() will do: the instance, how many splits of the reduction it makes, and the workspace that they need.
struct plan
{
    const instance* chosen;
    int splits;
    std::size_t workspace_bytes;
};

// The configurations compiled into this program for the device's architecture.
std::vector<const instance*> instances(const device& on);

// The canonical name, and the configuration in words.
std::string name_of(const instance& i);
std::string describe(const instance& i);

// Success, or why this instance cannot compute this problem.
status supports(const instance& i, const conv::problem& p);

// Chooses the instance (the best that supports the problem, or the one called `instance_name`) and the split of the
// reduction (`splits_asked` 0: enough splits to fill the device). Rejects problems that no instance supports.
result<plan> make_plan(const device& on, const conv::problem& p, int splits_asked = 0,
                       std::string_view instance_name = {});

// The same by a tuned table, where it has a choice for the device and the problem.
result<plan> make_plan(const device& on, const conv::problem& p, const tuned_table& tuned);

// Measures every instance that supports the problem, in the heuristic's number of splits, half and double of it; the fastest.
// Overwrites data.wei.
struct measured_plan
{
    plan fastest;
    double milliseconds;
    int measured; // instances and splits
};
result<measured_plan> tune(const device& on, const conv::problem& p, const tensors& data);

// A tuned table of this operation. Rejects files with names that are not those of instances, and problems that are none.
result<tuned_table> load_tuned_table(const std::filesystem::path& file);
void remember(tuned_table& table, const device& on, const conv::problem& p, const plan& fastest);

// Queues the kernels of the plan: dW from X and dY. `workspace` has at least workspace_bytes bytes of device memory.
// The same problem, plan and inputs give the same bits on every run.
status run(const device& on, const conv::problem& p, const plan& what, const tensors& data, void* workspace);

// The same gradient by the reference kernel: one thread per weight, no tiles, fp32 accumulation in scan order.
status run_reference(const device& on, const conv::problem& p, const tensors& data);

} // namespace ck_tile::grouped_conv_bwd_weight

// SPDX-License-Identifier: MIT
// How much memory of this machine a problem takes, to be asked for before any of it is.
#pragma once

#include "ops/harness/fill.hpp"
#include "ops/harness/verify.hpp"

#include <algorithm>
#include <vector>

namespace ck_tile::program
{

// Bytes that tensors and their verification take at their peak on the CPU. What a GPU has of them, the GPU refuses. `touched`:
// whether inputs have elements; those that are all zeros take no memory.
template <class Op>
double memory_needed(const device& dev, const std::vector<tensor_info>& list, harness::verification verify,
                     bool touched)
{
    using harness::verification;
    touched           = touched || harness::derives_inputs<Op>; // of zeros, too
    const bool by_cpu = verify == verification::cpu, by_kernel = verify == verification::reference_kernel;
    // Some operations see on this side what the reference kernel takes and makes, which is on the device.
    const bool sees_kernel = by_kernel && harness::sees_magnitudes<Op>;
    const double copies    = (by_cpu ? 1 : 0) + (by_kernel && dev.is_host() ? 1 : 0) + (sees_kernel ? 1 : 0);
    double bytes           = 0;
    for(const tensor_info& t : list)
    {
        // Inputs: the elements here and on a device that is the CPU; copies of a reference in fp32; random numbers, at first.
        // Results: the elements here and there; values and magnitudes of the reference.
        const double element = bytes_of(t.type);
        const double input =
            (touched ? (dev.is_host() ? 2 : 1) * element : 0) + std::max(touched ? 1. : 0., copies) * sizeof(float);
        const double result = 2 * element + 2 * (by_cpu || sees_kernel ? sizeof(double) : 0) +
                              2 * (by_kernel && dev.is_host() ? sizeof(float) : 0);
        if(t.role != tensor_role::absent)
            bytes += static_cast<double>(t.shape.elements()) * (t.role == tensor_role::result ? result : input);
    }
    return bytes;
}

} // namespace ck_tile::program

// SPDX-License-Identifier: MIT
// A problem with its inputs, its fp64 reference, and a run of the operation on a device.
#pragma once

#include "ops/maxpool_bwd/maxpool_bwd.hpp"
#include "tests/ops/maxpool/fixture.hpp"
#include "tests/support/device_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace ck_tile::maxpool_bwd
{

struct experiment
{
    maxpool::problem p;
    std::vector<float> in, dout;
    maxpool::maxima expected;
    maxpool::reference_gradient gradient;

    experiment(const maxpool::problem& given, maxpool::content kind, std::uint32_t seed)
        : p(given),
          in(input_values(p, kind, seed)),
          dout(gradient_values(p, seed)),
          expected(reference_maxima(p, in)),
          gradient(reference_backward(p, dout, expected.indices))
    {
    }

    // dX as the plan computes it, from the indices of the reference.
    std::vector<std::byte> run_plan(const device& on, const plan& what) const
    {
        const bool finds_indices = p.indices == maxpool::indices::recompute;
        const auto stored        = finds_indices ? device_buffer() : upload(on, encode_indices(p, expected.indices));
        return run_plan(on, what, stored);
    }

    // From indices that are on the device.
    std::vector<std::byte> run_plan(const device& on, const plan& what, const device_buffer& stored) const
    {
        const auto dout_memory = upload(on, encode(p.type, dout)), in_memory = upload(on, encode(p.type, in));
        const auto din       = unwritten(on, input_shape(p).elements() * bytes_of(p.type));
        const auto workspace = unwritten(on, static_cast<std::int64_t>(what.workspace_bytes));
        const status s =
            run(on, p, what, {dout_memory.data(), stored.data(), in_memory.data(), din.data()}, workspace.data());
        EXPECT_TRUE(s) << s.reason();
        return download(on, din);
    }

    // Expects each element of dX within the bound of the reference; stops at the first that is not.
    void expect_right(const std::vector<std::byte>& bytes, const std::string& what) const
    {
        const auto actual = decode(p.type, bytes);
        ASSERT_EQ(actual.size(), gradient.gradient.size());
        for(std::size_t i = 0; i < actual.size(); ++i)
            ASSERT_LE(std::abs(actual[i] - gradient.gradient[i]),
                      error_bound(p, gradient.gradient[i], gradient.magnitude[i]))
                << what << ": element " << i << " is " << actual[i] << ", the reference says " << gradient.gradient[i]
                << "; " << describe(p);
    }
};

} // namespace ck_tile::maxpool_bwd

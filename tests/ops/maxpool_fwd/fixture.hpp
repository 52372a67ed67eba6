// SPDX-License-Identifier: MIT
// A problem with its input, its maxima, and a run of the operation on a device.
#pragma once

#include "ops/maxpool_fwd/maxpool_fwd.hpp"
#include "tests/ops/maxpool/fixture.hpp"
#include "tests/support/device_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace ck_tile::maxpool_fwd
{

struct experiment
{
    maxpool::problem p;
    std::vector<float> in;
    maxpool::maxima expected;

    experiment(const maxpool::problem& given, maxpool::content kind, std::uint32_t seed)
        : p(given), in(input_values(p, kind, seed)), expected(reference_maxima(p, in))
    {
    }

    struct outputs
    {
        std::vector<std::byte> values, indices; // no indices for indices::recompute
    };

    // What `launch` writes: launch(tensors) -> status.
    template <class Launch>
    outputs run(const device& on, Launch&& launch) const
    {
        const auto memory = upload(on, encode(p.type, in));
        const auto out    = unwritten(on, output_shape(p).elements() * bytes_of(p.type));
        const auto at     = unwritten(on, output_shape(p).elements() * maxpool::bytes_of(p.indices));
        const status s    = launch(tensors{memory.data(), out.data(), at.data()});
        EXPECT_TRUE(s) << s.reason();
        return {download(on, out), download(on, at)};
    }

    outputs run_plan(const device& on, const plan& what) const
    {
        return run(on, [&](const tensors& t) { return maxpool_fwd::run(on, p, what, t); });
    }

    // Expects the values and indices of the reference, exactly; stops at the first that differs.
    void expect_right(const outputs& actual, const std::string& what) const
    {
        const auto values = decode(p.type, actual.values);
        ASSERT_EQ(values.size(), expected.values.size());
        for(std::size_t i = 0; i < values.size(); ++i)
            ASSERT_TRUE(values[i] == expected.values[i] || (std::isnan(values[i]) && std::isnan(expected.values[i])))
                << what << ": element " << i << " is " << values[i] << ", not " << expected.values[i] << "; "
                << describe(p);
        if(p.indices != maxpool::indices::recompute)
            ASSERT_EQ(decode_indices(p, actual.indices), expected.indices) << what << "; " << describe(p);
    }
};

} // namespace ck_tile::maxpool_fwd

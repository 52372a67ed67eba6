// SPDX-License-Identifier: MIT
// A problem with random inputs, its fp64 reference, and a run of the operation on a device.
#pragma once

#include "ops/grouped_conv_bwd_weight/grouped_conv_bwd_weight.hpp"
#include "ops/grouped_conv_bwd_weight/reference.hpp"
#include "tests/support/kernel_test.hpp"

#include <cmath>
#include <vector>

namespace ck_tile::grouped_conv_bwd_weight
{

struct experiment
{
    conv::problem problem;
    std::vector<float> in, out;

    explicit experiment(const conv::problem& p, std::uint32_t seed = 0)
        : problem(p),
          in(random_values(conv::input_shape(p).elements(), p.type, 2 * seed)),
          out(random_values(conv::output_shape(p).elements(), p.type, 2 * seed + 1))
    {
    }

    // dW as `launch` computes it: launch(device, tensors) -> status.
    template <class Launch>
    std::vector<float> run(const device& on, Launch&& launch) const
    {
        const device_buffer in_memory  = upload(on, problem.type, in);
        const device_buffer out_memory = upload(on, problem.type, out);
        const device_buffer wei_memory = unwritten(on, conv::weight_shape(problem).elements() * bytes_of(problem.type));
        const status s                 = launch(on, tensors{in_memory.data(), out_memory.data(), wei_memory.data()});
        EXPECT_TRUE(s) << s.reason();
        return download(on, problem.type, wei_memory);
    }

    std::vector<float> run_plan(const device& on, const plan& what) const
    {
        return run(on, [&](const device& d, const tensors& t) -> status {
            auto workspace = d.allocate(what.workspace_bytes);
            if(!workspace)
                return rejection{workspace.reason()};
            if(status s = grouped_conv_bwd_weight::run(d, problem, what, t, workspace->data()); !s)
                return s;
            return d.synchronize();
        });
    }

    // Expects each weight within the bound of the reference; stops at the first that is not.
    void expect_matches(const reference_gradient& expected, const std::vector<float>& actual,
                        const std::string& what) const
    {
        ASSERT_EQ(expected.gradient.size(), actual.size());
        for(std::size_t i = 0; i < actual.size(); ++i)
        {
            const double bound = error_bound(problem, expected.gradient[i], expected.magnitude[i]);
            ASSERT_LE(std::abs(actual[i] - expected.gradient[i]), bound)
                << what << ": weight " << i << " is " << actual[i] << ", the reference says " << expected.gradient[i]
                << "; " << conv::describe(problem);
        }
    }
};

} // namespace ck_tile::grouped_conv_bwd_weight

// SPDX-License-Identifier: MIT
// A group norm with random inputs, its fp64 reference, and a run of the operation on a device.
#pragma once

#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"
#include "ops/groupnorm_bwd/reference.hpp"
#include "tests/ops/groupnorm/fixture.hpp"

#include <cmath>
#include <vector>

namespace ck_tile::groupnorm_bwd
{

struct gradients
{
    std::vector<float> dx, dgamma, dbeta; // empty: not wanted

    friend bool operator==(const gradients&, const gradients&) = default;
};

struct experiment
{
    groupnorm::problem problem;
    std::vector<float> x, dy, gamma, mean, inv_std;

    // x has mean `offset` and a standard deviation of about 1; mean and inv_std are those of x, as a forward pass gives them.
    explicit experiment(const groupnorm::problem& p, std::uint32_t seed = 0, bool with_gamma = true, float offset = 0)
        : problem(p),
          x(random_values(image_shape(p).elements(), p.type, 3 * seed, offset, 1.7f)),
          dy(random_values(image_shape(p).elements(), p.type, 3 * seed + 1, 0.1f, 1.f)),
          gamma(random_values(with_gamma ? p.channels() : 0, p.type, 3 * seed + 2, 0.5f, 1.f))
    {
        groupnorm::statistics of_x(p, x, 1e-5);
        mean    = std::move(of_x.mean);
        inv_std = std::move(of_x.inv_std);
    }

    reference_gradients expected() const { return reference(problem, {x, dy, gamma, mean, inv_std}); }

    // The gradients as `launch` computes them: launch(tensors) -> status.
    template <class Launch>
    gradients run(const device& on, const wanted& outputs, Launch&& launch) const
    {
        const data_type type         = problem.type;
        const device_buffer inputs[] = {upload(on, type, x), upload(on, type, dy), upload(on, type, gamma),
                                        upload(on, data_type::fp32, mean), upload(on, data_type::fp32, inv_std)};
        const auto result            = [&](std::size_t elements) {
            return unwritten(on, static_cast<std::int64_t>(elements) * bytes_of(type));
        };
        const std::size_t channels = static_cast<std::size_t>(problem.channels());
        const device_buffer dx = result(x.size()), dgamma = result(channels), dbeta = result(channels);
        const status s = launch(tensors{.x       = inputs[0].data(),
                                        .dy      = inputs[1].data(),
                                        .gamma   = gamma.empty() ? nullptr : inputs[2].data(),
                                        .mean    = static_cast<const float*>(inputs[3].data()),
                                        .inv_std = static_cast<const float*>(inputs[4].data()),
                                        .dx      = outputs.dx ? dx.data() : nullptr,
                                        .dgamma  = outputs.dgamma ? dgamma.data() : nullptr,
                                        .dbeta   = outputs.dbeta ? dbeta.data() : nullptr});
        EXPECT_TRUE(s) << s.reason();
        const auto fetch = [&](const device_buffer& memory, bool is_wanted) {
            return is_wanted ? download(on, type, memory) : std::vector<float>{};
        };
        return {fetch(dx, outputs.dx), fetch(dgamma, outputs.dgamma), fetch(dbeta, outputs.dbeta)};
    }

    gradients run_plan(const device& on, const plan& what) const
    {
        const device_buffer workspace = unwritten(on, static_cast<std::int64_t>(what.workspace_bytes));
        return run(on, what.wanted,
                   [&](const tensors& t) { return groupnorm_bwd::run(on, problem, what, t, workspace.data()); });
    }

    // Expects each wanted gradient to be what the reference says.
    void expect_matches(const reference_gradients& right, const gradients& actual, const wanted& outputs,
                        std::string what) const
    {
        what += "; " + groupnorm::describe(problem);
        const std::int64_t along = problem.batch * problem.pixels();
        if(outputs.dx)
            groupnorm::expect_matches("dx", problem.type, problem.group_elements(), right.dx, actual.dx, what);
        if(outputs.dgamma)
            groupnorm::expect_matches("dgamma", problem.type, along, right.dgamma, actual.dgamma, what);
        if(outputs.dbeta)
            groupnorm::expect_matches("dbeta", problem.type, along, right.dbeta, actual.dbeta, what);
    }
};

} // namespace ck_tile::groupnorm_bwd

// SPDX-License-Identifier: MIT
// A group norm with random inputs, its fp64 reference, and a run of the operation on a device.
#pragma once

#include "ops/groupnorm_fwd/groupnorm_fwd.hpp"
#include "ops/groupnorm_fwd/reference.hpp"
#include "tests/ops/groupnorm/fixture.hpp"

#include <vector>

namespace ck_tile::groupnorm_fwd
{

inline constexpr float epsilon = 1e-5f;

struct results
{
    std::vector<float> y, mean, inv_std;

    friend bool operator==(const results&, const results&) = default;
};

struct experiment
{
    groupnorm::problem problem;
    std::vector<float> x, gamma, beta;

    // x has mean `offset` and a standard deviation of about 1.
    explicit experiment(const groupnorm::problem& p, std::uint32_t seed = 0, bool with_parameters = true,
                        float offset = 0)
        : problem(p),
          x(random_values(image_shape(p).elements(), p.type, 3 * seed, offset, 1.7f)),
          gamma(random_values(with_parameters ? p.channels() : 0, p.type, 3 * seed + 1, 0.5f, 1.f)),
          beta(random_values(with_parameters ? p.channels() : 0, p.type, 3 * seed + 2, 0.f, 1.f))
    {
    }

    reference_results expected() const { return reference(problem, {x, gamma, beta, epsilon}); }

    // y, mean and inv_std as `launch` computes them: launch(tensors) -> status.
    template <class Launch>
    results run(const device& on, Launch&& launch) const
    {
        const data_type type          = problem.type;
        const std::int64_t statistics = statistic_shape(problem).elements() * 4;
        const auto x_memory = upload(on, type, x), gamma_memory = upload(on, type, gamma),
                   beta_memory = upload(on, type, beta);
        const auto y           = unwritten(on, image_shape(problem).elements() * bytes_of(type));
        const auto mean = unwritten(on, statistics), inv_std = unwritten(on, statistics);
        const status s = launch(tensors{.x       = x_memory.data(),
                                        .gamma   = gamma.empty() ? nullptr : gamma_memory.data(),
                                        .beta    = beta.empty() ? nullptr : beta_memory.data(),
                                        .y       = y.data(),
                                        .mean    = static_cast<float*>(mean.data()),
                                        .inv_std = static_cast<float*>(inv_std.data())});
        EXPECT_TRUE(s) << s.reason();
        return {download(on, type, y), download(on, data_type::fp32, mean), download(on, data_type::fp32, inv_std)};
    }

    results run_plan(const device& on, const plan& what) const
    {
        const auto workspace = unwritten(on, static_cast<std::int64_t>(what.workspace_bytes));
        return run(
            on, [&](const tensors& t) { return groupnorm_fwd::run(on, problem, what, t, epsilon, workspace.data()); });
    }

    void expect_matches(const reference_results& right, const results& actual, std::string what) const
    {
        what += "; " + groupnorm::describe(problem);
        const std::int64_t terms = problem.group_elements();
        groupnorm::expect_matches("y", problem.type, terms, right.y, actual.y, what);
        groupnorm::expect_matches("mean", data_type::fp32, terms, right.mean, actual.mean, what);
        groupnorm::expect_matches("inv_std", data_type::fp32, terms, right.inv_std, actual.inv_std, what);
    }
};

} // namespace ck_tile::groupnorm_fwd

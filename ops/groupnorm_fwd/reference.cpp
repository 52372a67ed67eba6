// SPDX-License-Identifier: MIT
// The fp64 reference. Runs on all cores; the result does not depend on how many there are.
//   y = (x - mean) * inv_std * gamma + beta,  inv_std = 1 / sqrt(mean of (x - mean)^2 + epsilon), means over a group
// The magnitudes say what an error of 2^-24, the unit of fp32, costs that cannot be helped: the mean is as exact as fp32 holds it
// and a sum of distances from it is; and so are inv_std and y, which are made with it.
#include "ops/groupnorm/reference_support.hpp"
#include "ops/groupnorm_fwd/operation.hpp"

namespace ck_tile::groupnorm_fwd
{

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    const groupnorm::image_order offset(p);
    const std::vector<float> x = set["x"].values(), gammas = set["gamma"].values(), betas = set["beta"].values();
    const bool with_gamma = set["gamma"].on_device(), with_beta = set["beta"].on_device();
    std::vector<reference_values> results = {reference_values(p.batch * offset.image),
                                             reference_values(p.batch * p.groups),
                                             reference_values(p.batch * p.groups)};
    on_all_cores(p.batch * p.groups, [&](std::int64_t statistic) {
        const std::int64_t n = statistic / p.groups, first = statistic % p.groups * p.c;
        const auto each = [&](auto&& visit) {
            for(std::int64_t c = first; c < first + p.c; ++c)
                for(std::int64_t i = 0; i < p.pixels(); ++i)
                    visit(c, offset(n, c, i));
        };
        const double elements = static_cast<double>(p.group_elements());
        double sum = 0, squares = 0, distances = 0;
        each([&](std::int64_t, std::size_t at) { sum += x[at]; });
        const double mean = sum / elements;
        each([&](std::int64_t, std::size_t at) {
            squares += (x[at] - mean) * (x[at] - mean);
            distances += std::abs(x[at] - mean);
        });
        const double variance = squares / elements, inv_std = 1 / std::sqrt(variance + p.epsilon);

        // Of the mean, then of inv_std: the variance's error is that of its sum, and the square of the mean's.
        const double mean_unit    = std::abs(mean) + distances / elements;
        const double off          = 0x1p-24 * (8 + 2 * std::sqrt(elements)) * mean_unit;
        const double inv_std_unit = inv_std * (1 + off * off / 0x1p-24 * inv_std * inv_std);
        results[1].set(static_cast<std::size_t>(statistic), mean, mean_unit);
        results[2].set(static_cast<std::size_t>(statistic), inv_std, inv_std_unit);
        each([&](std::int64_t c, std::size_t at) {
            const double gamma    = with_gamma ? gammas[static_cast<std::size_t>(c)] : 1.0;
            const double beta     = with_beta ? betas[static_cast<std::size_t>(c)] : 0.0;
            const double distance = x[at] - mean;
            results[0].set(at, distance * inv_std * gamma + beta,
                           std::abs(gamma) * (mean_unit * inv_std + std::abs(distance) * inv_std_unit) +
                               std::abs(beta));
        });
    });
    return results;
}

} // namespace ck_tile::groupnorm_fwd

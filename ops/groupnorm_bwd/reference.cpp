// SPDX-License-Identifier: MIT
// The fp64 reference. Runs on all cores; the result does not depend on how many there are.
//   dbeta = sum of dy,  dgamma = sum of dy * (x - mean) * inv_std               over images and pixels
//   dx = inv_std * (gamma * dy - m1 - xhat * m2),  with the means m1 of gamma * dy and m2 of gamma * dy * xhat over a group
#include "ops/groupnorm/reference_support.hpp"
#include "ops/groupnorm_bwd/operation.hpp"

namespace ck_tile::groupnorm_bwd
{

std::vector<reference_values> operation::reference(const problem& p, const harness::tensor_set& set)
{
    using groupnorm::checked_sum;
    const groupnorm::image_order offset(p);
    const std::vector<float> x = set["x"].values(), dy = set["dy"].values(), means = set["mean"].values(),
                             inv_stds = set["inv_std"].values(), gammas = set["gamma"].values();
    const bool with_gamma = set["gamma"].on_device();
    const auto gamma      = [&](std::int64_t c) {
        return with_gamma ? static_cast<double>(gammas[static_cast<std::size_t>(c)]) : 1.0;
    };
    reference_values dx(p.batch * offset.image), dgammas(p.channels()), dbetas(p.channels());

    // dx, group by group.
    on_all_cores(p.batch * p.groups, [&](std::int64_t statistic) {
        const std::int64_t n = statistic / p.groups, first = statistic % p.groups * p.c;
        const double mean    = means[static_cast<std::size_t>(statistic)];
        const double inv_std = inv_stds[static_cast<std::size_t>(statistic)];
        const auto each      = [&](auto&& visit) {
            for(std::int64_t c = first; c < first + p.c; ++c)
                for(std::int64_t i = 0; i < p.pixels(); ++i)
                {
                    const std::size_t at = offset(n, c, i);
                    visit(at, gamma(c) * dy[at], (x[at] - mean) * inv_std);
                }
        };
        checked_sum m1, m2;
        each([&](std::size_t, double weighted, double xhat) {
            m1.add(weighted);
            m2.add(weighted * xhat);
        });
        const double elements = static_cast<double>(p.group_elements());
        each([&](std::size_t at, double weighted, double xhat) {
            dx.set(at, inv_std * (weighted - m1.value / elements - xhat * (m2.value / elements)),
                   std::abs(inv_std) *
                       (std::abs(weighted) + m1.magnitude / elements + std::abs(xhat) * (m2.magnitude / elements)));
        });
    });

    // dgamma and dbeta, channel by channel.
    on_all_cores(p.channels(), [&](std::int64_t c) {
        checked_sum dgamma, dbeta;
        for(std::int64_t n = 0; n < p.batch; ++n)
        {
            const auto statistic = static_cast<std::size_t>(n * p.groups + c / p.c);
            const double mean = means[statistic], inv_std = inv_stds[statistic];
            for(std::int64_t i = 0; i < p.pixels(); ++i)
            {
                const std::size_t at = offset(n, c, i);
                dbeta.add(dy[at]);
                dgamma.add(dy[at] * ((x[at] - mean) * inv_std));
            }
        }
        dgammas.set(static_cast<std::size_t>(c), dgamma.value, dgamma.magnitude);
        dbetas.set(static_cast<std::size_t>(c), dbeta.value, dbeta.magnitude);
    });
    std::vector<reference_values> wanted;
    if(p.wanted.dx)
        wanted.push_back(std::move(dx));
    if(p.wanted.dgamma)
        wanted.push_back(std::move(dgammas));
    if(p.wanted.dbeta)
        wanted.push_back(std::move(dbetas));
    return wanted;
}

} // namespace ck_tile::groupnorm_bwd

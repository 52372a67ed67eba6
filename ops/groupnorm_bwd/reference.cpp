// SPDX-License-Identifier: MIT
#include "ops/groupnorm_bwd/reference.hpp"

namespace ck_tile::groupnorm_bwd
{

reference_gradients reference(const groupnorm::problem& p, const reference_inputs& in)
{
    using groupnorm::checked_sum;
    const groupnorm::image_order place(p);
    const auto gamma = [&](std::int64_t c) {
        return in.gamma.empty() ? 1.0 : static_cast<double>(in.gamma[static_cast<std::size_t>(c)]);
    };
    reference_gradients out = {groupnorm::reference_result(p.batch * place.image),
                               groupnorm::reference_result(p.channels()), groupnorm::reference_result(p.channels())};

    // dx, group by group.
    on_all_cores(p.batch * p.groups, [&](std::int64_t statistic) {
        const std::int64_t n = statistic / p.groups, first = statistic % p.groups * p.c;
        const double mean    = in.mean[static_cast<std::size_t>(statistic)];
        const double inv_std = in.inv_std[static_cast<std::size_t>(statistic)];
        const auto each      = [&](auto&& visit) {
            for(std::int64_t c = first; c < first + p.c; ++c)
                for(std::int64_t i = 0; i < p.pixels(); ++i)
                {
                    const std::size_t at = place(n, c, i);
                    visit(at, gamma(c) * in.dy[at], (in.x[at] - mean) * inv_std);
                }
        };
        checked_sum m1, m2;
        each([&](std::size_t, double weighted, double xhat) {
            m1.add(weighted);
            m2.add(weighted * xhat);
        });
        const double elements = static_cast<double>(p.group_elements());
        each([&](std::size_t at, double weighted, double xhat) {
            out.dx.set(at, inv_std * (weighted - m1.value / elements - xhat * (m2.value / elements)),
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
            const double mean = in.mean[statistic], inv_std = in.inv_std[statistic];
            for(std::int64_t i = 0; i < p.pixels(); ++i)
            {
                const std::size_t at = place(n, c, i);
                dbeta.add(in.dy[at]);
                dgamma.add(in.dy[at] * ((in.x[at] - mean) * inv_std));
            }
        }
        out.dgamma.set(static_cast<std::size_t>(c), dgamma.value, dgamma.magnitude);
        out.dbeta.set(static_cast<std::size_t>(c), dbeta.value, dbeta.magnitude);
    });
    return out;
}

} // namespace ck_tile::groupnorm_bwd

// SPDX-License-Identifier: MIT
#include "ops/groupnorm_fwd/reference.hpp"

namespace ck_tile::groupnorm_fwd
{

reference_results reference(const groupnorm::problem& p, const reference_inputs& in)
{
    const groupnorm::image_order place(p);
    const auto parameter = [](const std::vector<float>& of, std::int64_t c, double absent) {
        return of.empty() ? absent : static_cast<double>(of[static_cast<std::size_t>(c)]);
    };
    reference_results out = {groupnorm::reference_result(p.batch * place.image),
                             groupnorm::reference_result(p.batch * p.groups),
                             groupnorm::reference_result(p.batch * p.groups)};
    on_all_cores(p.batch * p.groups, [&](std::int64_t statistic) {
        const std::int64_t n = statistic / p.groups, first = statistic % p.groups * p.c;
        const auto each = [&](auto&& visit) {
            for(std::int64_t c = first; c < first + p.c; ++c)
                for(std::int64_t i = 0; i < p.pixels(); ++i)
                    visit(c, place(n, c, i));
        };
        const double elements = static_cast<double>(p.group_elements());
        double sum = 0, squares = 0, distances = 0;
        each([&](std::int64_t, std::size_t at) { sum += in.x[at]; });
        const double mean = sum / elements;
        each([&](std::int64_t, std::size_t at) {
            squares += (in.x[at] - mean) * (in.x[at] - mean);
            distances += std::abs(in.x[at] - mean);
        });
        const double variance = squares / elements, inv_std = 1 / std::sqrt(variance + in.epsilon);

        // Of the mean, then of inv_std: the variance's error is that of its sum, and the square of the mean's.
        const double mean_unit    = std::abs(mean) + distances / elements;
        const double off          = 0x1p-24 * (8 + 2 * std::sqrt(elements)) * mean_unit;
        const double inv_std_unit = inv_std * (1 + off * off / 0x1p-24 * inv_std * inv_std);
        out.mean.set(static_cast<std::size_t>(statistic), mean, mean_unit);
        out.inv_std.set(static_cast<std::size_t>(statistic), inv_std, inv_std_unit);
        each([&](std::int64_t c, std::size_t at) {
            const double gamma = parameter(in.gamma, c, 1), beta = parameter(in.beta, c, 0), distance = in.x[at] - mean;
            out.y.set(at, distance * inv_std * gamma + beta,
                      std::abs(gamma) * (mean_unit * inv_std + std::abs(distance) * inv_std_unit) + std::abs(beta));
        });
    });
    return out;
}

} // namespace ck_tile::groupnorm_fwd

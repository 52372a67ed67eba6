// SPDX-License-Identifier: MIT
// The references of groupnorm_bwd and their error bounds.
#include "examples/groupnorm_bwd/verify.hpp"

#include "examples/support/demand.hpp"
#include "ops/groupnorm_bwd/reference.hpp"

#include <cmath>

namespace ck_tile::examples
{

namespace
{

using groupnorm::problem;
using groupnorm::reference_result;
using groupnorm_bwd::reference_gradients;

// The reference kernel's results in fp32, so that neither gradients nor magnitudes are rounded to a narrow type.
tensors run_reference_kernel(const device& on, problem p, const tensors& statistics, const std::vector<float>& x,
                             const std::vector<float>& dy, const std::vector<float>& gamma)
{
    p.type = data_type::fp32;
    tensors wide(p);
    wide.x.set(x);
    wide.dy.set(dy);
    wide.gamma.set(gamma);
    wide.mean    = statistics.mean;
    wide.inv_std = statistics.inv_std;
    const device_tensors there(on, wide);
    demand(groupnorm_bwd::run_reference(on, p, there.addresses()));
    there.fetch_results(on, wide);
    return wide;
}

reference_result result_of(const named_tensor& gradient, const named_tensor& magnitude)
{
    const std::vector<float> values = gradient.values(), magnitudes = magnitude.values();
    reference_result r;
    r.value.assign(values.begin(), values.end());
    r.magnitude.assign(magnitudes.begin(), magnitudes.end());
    return r;
}

// Magnitudes come from the reference kernel too, run with absolute values of dy, gamma and x - mean. dx then comes out as the
// magnitude of its first term less those of the other two.
reference_gradients reference_on_target(const device& on, const problem& p, const tensors& data)
{
    std::vector<float> x = data.x.values(), dy = data.dy.values(), gamma = data.gamma.values();
    const std::vector<float> mean = data.mean.values(), inv_std = data.inv_std.values();
    const tensors gradient = run_reference_kernel(on, p, data, x, dy, gamma);

    const groupnorm::image_order place(p);
    const auto each = [&](auto&& visit) { // element, statistic, channel
        for(std::int64_t n = 0; n < p.batch; ++n)
            for(std::int64_t c = 0; c < p.channels(); ++c)
                for(std::int64_t i = 0; i < p.pixels(); ++i)
                    visit(place(n, c, i), static_cast<std::size_t>(n * p.groups + c / p.c),
                          static_cast<std::size_t>(c));
    };
    each([&](std::size_t at, std::size_t statistic, std::size_t) {
        x[at]  = mean[statistic] + std::abs(x[at] - mean[statistic]);
        dy[at] = std::abs(dy[at]);
    });
    for(float& v : gamma)
        v = std::abs(v);
    const tensors magnitude = run_reference_kernel(on, p, data, x, dy, gamma);

    reference_gradients out = {result_of(gradient.dx, magnitude.dx), result_of(gradient.dgamma, magnitude.dgamma),
                               result_of(gradient.dbeta, magnitude.dbeta)};
    each([&](std::size_t at, std::size_t statistic, std::size_t c) {
        const double first   = double(inv_std[statistic]) * gamma[c] * dy[at];
        out.dx.magnitude[at] = 2 * first - out.dx.magnitude[at];
    });
    return out;
}

reference_gradients reference_on_cpu(const problem& p, const tensors& data)
{
    const std::vector<float> x = data.x.values(), dy = data.dy.values(), gamma = data.gamma.values(),
                             mean = data.mean.values(), inv_std = data.inv_std.values();
    return groupnorm_bwd::reference(p, {x, dy, gamma, mean, inv_std});
}

} // namespace

std::array<comparison, 3> verify(const device& on, verification how, const problem& p, const tensors& data)
{
    const bool on_cpu               = how == verification::cpu;
    const reference_gradients right = on_cpu ? reference_on_cpu(p, data) : reference_on_target(on, p, data);
    const auto hold = [&](const named_tensor& found, const reference_result& expected, std::int64_t terms) {
        return compare(p.type, found.values(), [&](std::int64_t i) {
            const double value     = expected.value[static_cast<std::size_t>(i)];
            const double magnitude = expected.magnitude[static_cast<std::size_t>(i)];
            // The reference kernel may be as wrong as an fp32 result may be.
            const double own = on_cpu ? 0 : error_bound(data_type::fp32, terms, value, magnitude);
            return expectation{value, error_bound(p.type, terms, value, magnitude) + own};
        });
    };
    const std::int64_t along = p.batch * p.pixels();
    return {hold(data.dx, right.dx, p.group_elements()), hold(data.dgamma, right.dgamma, along),
            hold(data.dbeta, right.dbeta, along)};
}

} // namespace ck_tile::examples

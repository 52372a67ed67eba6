// SPDX-License-Identifier: MIT
// The references: threads take planes.
#include "ops/avgpool/reference.hpp"

#include "ops/pooling/planes.hpp"

#include <cmath>

namespace ck_tile::avgpool
{

namespace
{

// What window (oh, ow) divides by: PyTorch's rule, element by element. One in the padding counts, if that is to count, but not one beyond
// it, where the last window of ceil mode may reach.
double divisor_at(const problem& p, std::int64_t oh, std::int64_t ow)
{
    if(p.divisor_override != 0)
        return p.divisor_override;
    const std::int64_t o[2] = {oh, ow};
    double all              = 1;
    for(std::size_t d = 0; d < 2; ++d)
    {
        int count = 0;
        for(std::int64_t i = 0; i < p.window[d]; ++i)
        {
            const std::int64_t at = o[d] * p.stride[d] - p.left_pad[d] + i;
            const bool inside     = at >= 0 && at < p.input[d];
            count += inside || (p.count_include_pad && at < p.input[d] + p.right_pad[d]);
        }
        all *= count;
    }
    return all;
}

// visit(output pixel, input pixel, divisor) for each element of each window that exists.
template <class Visit>
void each_element(const problem& p, const Visit& visit)
{
    for(std::int64_t oh = 0; oh < p.output(0); ++oh)
        for(std::int64_t ow = 0; ow < p.output(1); ++ow)
        {
            const double divisor = divisor_at(p, oh, ow);
            for(std::int64_t y = 0; y < p.window[0]; ++y)
                for(std::int64_t x = 0; x < p.window[1]; ++x)
                    if(const std::int64_t pixel = pooling::pixel_of(p, oh, ow, y, x); pixel >= 0)
                        visit(oh * p.output(1) + ow, pixel, divisor);
        }
}

} // namespace

reference_values reference_forward(const problem& p, const std::vector<float>& in)
{
    reference_values result(pooling::output_shape(p).elements());
    pooling::each_plane(p, [&](std::int64_t n) {
        const auto from = pooling::plane_of(p, n, p.input_pixels()), to = pooling::plane_of(p, n, p.output_pixels());
        each_element(p, [&](std::int64_t out, std::int64_t pixel, double divisor) {
            const double term = in[from.at(pixel)] / divisor;
            result.values[to.at(out)] += term;
            result.magnitudes[to.at(out)] += std::abs(term);
        });
    });
    return result;
}

reference_values reference_backward(const problem& p, const std::vector<float>& out)
{
    reference_values result(pooling::input_shape(p).elements());
    pooling::each_plane(p, [&](std::int64_t n) {
        const auto from = pooling::plane_of(p, n, p.output_pixels()), to = pooling::plane_of(p, n, p.input_pixels());
        each_element(p, [&](std::int64_t pixel_out, std::int64_t pixel, double divisor) {
            const double term = out[from.at(pixel_out)] / divisor;
            result.values[to.at(pixel)] += term;
            result.magnitudes[to.at(pixel)] += std::abs(term);
        });
    });
    return result;
}

} // namespace ck_tile::avgpool

// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/forward.hpp"

#include "ops/grouped_conv/limits.hpp"
#include "ops/grouped_conv/reference.hpp"
#include "ops/grouped_conv/reference_kernel.hpp"

#include <cmath>

namespace ck_tile::conv
{

std::vector<tensor_info> forward::tensor_list(const forward_problem& p)
{
    const auto optional = [](bool given) { return given ? tensor_role::input : tensor_role::absent; };
    // slack: a matrix unit adds several products at once, and may cut off the bits where an fma would round; silu is as much as 1.1
    // times as steep as what it is applied to.
    return {{.name = "in", .type = p.type, .shape = input_shape(p)},
            {.name = "wei", .type = p.type, .shape = weight_shape(p)},
            {.name = "bias", .type = p.type, .shape = packed_shape({p.groups, p.k}), .role = optional(p.bias)},
            {.name = "residual", .type = p.type, .shape = output_shape(p), .role = optional(p.residual)},
            {.name  = "out",
             .type  = p.type,
             .shape = output_shape(p),
             .role  = tensor_role::result,
             .terms = row_length(p) + 2,
             .slack = p.activation == activation::silu ? 4.4 : 4}};
}

double forward::floor_bytes(const forward_problem& p) { return bytes_on_device(tensor_list(p)); }

launch forward::reference_launch(const kernel& reference, const problem& p, const tensors& data,
                                 conv::activation activation)
{
    const std::int64_t outputs           = p.groups * p.k * pixels_of(p);
    const forward_reference::arguments a = {
        data.in, data.wei, data.out, {data.bias, data.residual, activation}, make_arguments(p), outputs};
    return {reference, ceil_div(outputs, reference.threads), a};
}

reference_values finished(const forward_problem& p, reference_values y, const std::vector<float>& bias,
                          const std::vector<float>& residual)
{
    const std::int64_t pixels = p.output_pixels(), channels = p.groups * p.k;
    for(std::size_t i = 0; i < y.values.size(); ++i)
    {
        const auto at = static_cast<std::int64_t>(i);
        const auto channel =
            static_cast<std::size_t>(p.layout == layout::nhwgc   ? at % channels
                                     : p.layout == layout::gnhwc ? at / (p.batch * pixels * p.k) * p.k + at % p.k
                                                                 : at / pixels % channels);
        for(const double term : {p.bias ? double(bias[channel]) : 0, p.residual ? double(residual[i]) : 0})
        {
            y.values[i] += term;
            y.magnitudes[i] += std::abs(term);
        }
        double& v = y.values[i];
        switch(p.activation)
        {
        case activation::none: break;
        case activation::relu: v = v < 0 ? 0 : v; break;
        case activation::relu6: v = v < 0 ? 0 : v > 6 ? 6 : v; break;
        case activation::silu: v = v / (1 + std::exp(-v)); break;
        }
    }
    return y;
}

std::vector<reference_values> forward::reference(const forward_problem& p, const harness::tensor_set& set)
{
    const auto values_of = [&](bool given, const char* name) {
        return given ? set[name].values() : std::vector<float>();
    };
    return {finished(p, convolve(p, set["in"].values(), set["wei"].values()), values_of(p.bias, "bias"),
                     values_of(p.residual, "residual"))};
}

forward_problem forward::magnitude_problem(forward_problem p)
{
    p.activation = activation::none;
    return p;
}

} // namespace ck_tile::conv

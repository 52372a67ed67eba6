// SPDX-License-Identifier: MIT
// A group normalisation as its users state it: sizes, layout, type. Shared by forward and backward.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/status.hpp"
#include "ops/tensor_info.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ck_tile::groupnorm
{

// Memory order of x, y and their gradients, slowest dimension first. "HW" stands for all spatial dimensions (W, HW or DHW).
// gamma, beta and their gradients are [G, C], mean and inv_std [N, G] in both.
enum class layout
{
    nhwgc, // N HW G C
    ngchw  // N G C HW
};

} // namespace ck_tile::groupnorm

template <>
struct ck_tile::enumerators<ck_tile::groupnorm::layout>
{
    using enum groupnorm::layout;
    static constexpr const char* type                    = "groupnorm::layout";
    static constexpr enumerator<groupnorm::layout> all[] = {{nhwgc, "nhwgc"}, {ngchw, "ngchw"}};
};

namespace ck_tile::groupnorm
{

constexpr int max_spatial = 3;

// One length per spatial dimension, outermost first (D, H, W); entries from `spatial` on are not used.
using extents = std::array<std::int64_t, max_spatial>;

struct problem
{
    int spatial              = 2;  // spatial dimensions: 1, 2 or 3
    std::int64_t batch       = 16; // N; 0 is legal
    extents image            = {16, 16};
    std::int64_t groups      = 32;
    std::int64_t c           = 64; // channels per group
    data_type type           = data_type::fp32;
    groupnorm::layout layout = groupnorm::layout::nhwgc;

    std::int64_t pixels() const;                                 // of one image
    std::int64_t channels() const { return groups * c; }         // of one image
    std::int64_t group_elements() const { return pixels() * c; } // that one mean is taken over
};

tensor_shape image_shape(const problem& p);     // x, y, dy, dx: e.g. N, H, W, G, C
tensor_shape parameter_shape(const problem& p); // gamma, beta, dgamma, dbeta: G, C
tensor_shape statistic_shape(const problem& p); // mean, inv_std: N, G

// The fields by name: see ops/problem_fields.hpp.
template <class Problem, class Visit>
void visit_fields(Problem& p, Visit&& v)
{
    v.number("N", p.batch);
    v.sized_list("image", p.image, p.spatial, {"H", "W"});
    v.number("G", p.groups);
    v.number("C", p.c);
    v.choice("dtype", p.type);
    v.choice("layout", p.layout);
}

// The same of what a problem of forward or backward adds to.
template <class Derived, class Visit>
void visit_base(Derived& p, Visit&& v)
{
    visit_fields(static_cast<std::conditional_t<std::is_const_v<Derived>, const problem, problem>&>(p), v);
}

// Whether the numbers describe a group normalisation at all: counts positive (batch may be 0), all within 32 bits, no tensor
// of 2^63 bytes or more. Only then may the other functions be called.
status validate(const problem& p);

// "groupnorm nhwgc fp16 N16 image 64x64 G32 C10" for messages and tables.
std::string describe(const problem& p);

} // namespace ck_tile::groupnorm

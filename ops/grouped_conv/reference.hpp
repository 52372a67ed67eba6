// SPDX-License-Identifier: MIT
// The fp64 references of all directions.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "ops/reference.hpp"

#include <vector>

namespace ck_tile::conv
{

// Y[n,o,g,k] = sum over y,c of X[n, o*s + y*d - p, g,c] * W[g,k,y,c], in any layout and number of spatial dimensions.
reference_values convolve(const problem& p, const std::vector<float>& in, const std::vector<float>& wei);

// dX[n,i,g,c] = sum over k and all o, y with o*s + y*d - p = i of dY[n,o,g,k] * W[g,k,y,c].
reference_values convolve_back(const problem& p, const std::vector<float>& out, const std::vector<float>& wei);

// dW[g,k,y,c] = sum over n, o of dY[n,o,g,k] * X[n, o*s + y*d - p, g,c].
reference_values weight_gradient(const problem& p, const std::vector<float>& in, const std::vector<float>& out);

} // namespace ck_tile::conv

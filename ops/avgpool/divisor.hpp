// SPDX-License-Identifier: MIT
// What the sum of a window is divided by, as kernels of both passes work it out.
#pragma once

#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/numeric/data_type.hpp"

namespace ck_tile::avgpool
{

struct divisor
{
    float of_all;              // 0: each window has its own, the product of its counts
    multi_index<2> begin, end; // of the input and its padding, the elements that count: [begin, end)

    // In dimension d, the elements that count of a window that begins at element `from`; of one that does not exist, any positive number.
    CK_TILE_FN float count(int d, int from, int window) const
    {
        const int left = wrapped_difference(begin[d], from), right = wrapped_difference(end[d], from);
        const int n = wrapped_difference(right < window ? right : window, left > 0 ? left : 0);
        return n > 0 ? static_cast<float>(n) : 1.f;
    }
};

// A sum divided: exactly in fp32; what is rounded to fewer bits, by a product, which costs a tenth.
template <data_type Type>
class division
{
  public:
    CK_TILE_FN explicit division(float by) : by_(Type == data_type::fp32 ? by : 1.f / by) {}
    CK_TILE_FN float operator()(float sum) const { return Type == data_type::fp32 ? sum / by_ : sum * by_; }

  private:
    float by_;
};

} // namespace ck_tile::avgpool

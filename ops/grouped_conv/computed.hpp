// SPDX-License-Identifier: MIT
// Problems as kernels compute them: channels-last, and with channels in whole vectors. Tensors of others are copied to a workspace before,
// transposed or with zeros for the channels that they do not have, or unfolded, and out of it after.
#pragma once

#include "ops/grouped_conv/config.hpp"
#include "ops/grouped_conv/pointwise.hpp"
#include "ops/grouped_conv/problem.hpp"
#include "ops/grouped_conv/selection.hpp"
#include "ops/operation.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace ck_tile::conv
{

// The problem that the kernels of an instance compute, of so many spatial dimensions, whose vectors are so wide. Pointwise ones compute
// what they are asked.
problem computed(problem p, int spatial, const vector_widths& vector);

// The same of kernels that see X through the windows of the convolution. Where it has so few channels that most of a vector would be zeros, as
// the first layer of a network has, the last spatial dimension is unfolded: what a window sees of a line of pixels is the channels of one pixel
// of a problem whose filter is 1 long there, at as many positions as the result has. As in im2col, but of one dimension, where the copy is a
// few times as large as X instead of as many times as the filter has taps.
problem computed_through_windows(const problem& p, int spatial, const vector_widths& vector);

// Of Y, or of dX, in so many tiles of pixels and of channels. What the launch adds is left out.
template <class Finish>
pointwise_arguments<Finish> pointwise_arguments_of(const problem& p, bool forward, const void* wei, const void* from,
                                                   void* to, const Finish& end, int pixel_tiles, int channel_tiles)
{
    const arguments a               = make_arguments(p);
    pointwise_arguments<Finish> all = {};
    all.wei = wei, all.from = from, all.to = to, all.end = end;
    all.from_strides = forward ? a.in : a.out, all.to_strides = forward ? a.out : a.in;
    all.groups = a.groups, all.batch = a.batch;
    all.rows = forward ? a.k : a.c, all.depth = forward ? a.c : a.k;
    all.wei_strides = forward ? multi_index{a.c, 1} : multi_index{1, a.c};
    all.wei_group   = std::int64_t(a.k) * a.c;
    all.by_pixels   = a.by_pixels;
    all.order       = {{{a.groups, pixel_tiles, channel_tiles}}};
    return all;
}

// Which of a convolution's tensors.
enum class tensor
{
    in,
    out,
    wei,
    bias // [groups, K]
};

// What the copies of such tensors take of a workspace, and what making them costs, in units that compare instances.
std::size_t copies_bytes(const problem& p, const problem& q, std::span<const tensor> used);
double copies_cost(const problem& p, const problem& q, std::span<const tensor> used);

// Of an implicit GEMM of `spatial` dimensions that computes q for p, and the copies: each dimension that p does not have costs a twentieth.
double cost_with_copies(const split_choice& choice, int spatial, const problem& p, const problem& q,
                        std::span<const tensor> used);

// Tensors of `p` that are large and that `q` makes more than four times as large are not to be copied so.
void need_little_padding(status& rules, const problem& p, const problem& q);

// The tensors of `p` as the kernels of `q`, which it is computed as, take them; many are what they are. Both are kept by reference.
class computed_tensors
{
  public:
    computed_tensors(const problem& p, const problem& q, void* workspace, const kernel* repack)
        : p_(p), q_(q), next_(static_cast<std::byte*>(workspace)), repack_(repack)
    {
    }

    // An input, and a result; null stays null.
    const void* read(const void* original, tensor which);
    void* write(void* original, tensor which);

    void* rest() const { return next_; }                        // of the workspace
    std::vector<launch> around(std::vector<launch> main) const; // the launches, between what they need

  private:
    void* take(tensor which);

    const problem &p_, &q_;
    std::byte* next_;
    const kernel* repack_;
    std::vector<launch> before_, after_;
};

} // namespace ck_tile::conv

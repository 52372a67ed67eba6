// SPDX-License-Identifier: MIT
// Problems in channels-first layouts run as channels-last ones: their tensors are transposed into a workspace before, and out of it
// after.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "ops/operation.hpp"

#include <cstddef>
#include <vector>

namespace ck_tile::conv
{

// The problem that kernels compute: channels-last.
problem channels_last(problem p);

// The tensors of a problem as its kernels take them. Channels-last already, they are what they are. A workspace of null is for
// bytes() alone.
class channels_last_tensors
{
  public:
    channels_last_tensors(const problem& p, void* workspace, const kernel* transpose)
        : p_(p), next_(static_cast<std::byte*>(workspace)), transpose_(transpose)
    {
    }

    enum tensor
    {
        in,
        out,
        wei
    };
    // An input, and a result; null stays null.
    const void* read(const void* original, tensor which);
    void* write(void* original, tensor which);

    std::size_t bytes() const { return bytes_; }                // of the workspace
    void* rest() const { return next_; }                        // what is behind them
    std::vector<launch> around(std::vector<launch> main) const; // the launches, between what they need

  private:
    struct matrices
    {
        std::int64_t count, channels, pixels;
    };
    matrices matrices_of(tensor which) const;
    void* take(tensor which);

    const problem& p_;
    std::byte* next_;
    const kernel* transpose_;
    std::size_t bytes_ = 0;
    std::vector<launch> before_, after_;
};

} // namespace ck_tile::conv

// SPDX-License-Identifier: MIT
// Problems in channels-first layouts run as channels-last ones: their tensors are transposed into a workspace before, and out of it
// after.
#pragma once

#include "ops/grouped_conv/problem.hpp"
#include "ops/operation.hpp"

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace ck_tile::conv
{

// The problem that kernels compute: channels-last.
problem channels_last(problem p);

// The tensors of a problem as its kernels take them. Channels-last already, they are what they are.
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
    // What the copies of such tensors take of a workspace.
    static std::size_t bytes(const problem& p, std::initializer_list<tensor> copied);

    // An input, and a result; null stays null.
    const void* read(const void* original, tensor which);
    void* write(void* original, tensor which);

    void* rest() const { return next_; }                        // what is behind them
    std::vector<launch> around(std::vector<launch> main) const; // the launches, between what they need

  private:
    // A tensor is many matrices, and so is its copy, which are those transposed.
    struct matrices
    {
        std::int64_t count, channels, pixels;
    };
    static matrices matrices_of(const problem& p, tensor which);
    void* take(tensor which);

    const problem& p_;
    std::byte* next_;
    const kernel* transpose_;
    std::vector<launch> before_, after_;
};

} // namespace ck_tile::conv

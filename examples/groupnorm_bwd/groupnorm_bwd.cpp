// SPDX-License-Identifier: MIT
// Computes the gradients of one group normalisation, and verifies, times and saves them as the arguments say.
#include "ops/groupnorm_bwd/operation.hpp"
#include "ops/program/program.hpp"

namespace
{

constexpr const char* about =
    R"(Group norm backward: computes, verifies and times the gradients of input, gamma and beta.

  groupnorm_bwd [verify init time [N H W G C]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]; mean and inv_std are those of x
    time      0 no, 1 yes
    N H W     images, and their height and width
    G C       groups, and channels per group

  Without numbers: 1 1 0 and 16 16 16 32 64.
  Files in: x.npy, dy.npy, gamma.npy, mean.npy and inv_std.npy. Out: those, dx.npy, dgamma.npy and dbeta.npy (the results).
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

} // namespace

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::groupnorm_bwd::operation>(argc, argv, "groupnorm_bwd", about);
}

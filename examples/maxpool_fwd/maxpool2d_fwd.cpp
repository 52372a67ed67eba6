// SPDX-License-Identifier: MIT
// Computes one max-pooling and the indices of its maxima, and verifies, times and saves them as the arguments say.
#include "ops/maxpool_fwd/operation.hpp"
#include "ops/program/program.hpp"

namespace
{

constexpr const char* about =
    R"(2-D max-pooling, forward: computes, verifies and times the maxima and their indices.

  maxpool2d_fwd [verify init time [N C Hi Wi Y X Sy Sx Dy Dx LPy LPx RPy RPx]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]
    time      0 no, 1 yes
    N C Hi Wi batch, channels, height and width of the input
    Y X       height and width of the window; S strides, D dilations, LP left (top) and RP right (bottom) pads

  Without numbers: 1 1 0 and 1 1 32 32  3 3  1 1  1 1  0 0  0 0.
  Files in: in.npy. Out: that, out.npy and indices.npy (the results).
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

} // namespace

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::maxpool_fwd::operation>(argc, argv, "maxpool2d_fwd", about);
}

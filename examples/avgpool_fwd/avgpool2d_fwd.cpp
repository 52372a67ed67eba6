// SPDX-License-Identifier: MIT
// Computes one average pooling, and verifies, times and saves it as the arguments say.
#include "ops/avgpool_fwd/operation.hpp"
#include "ops/program/program.hpp"

namespace
{

constexpr const char* about =
    R"(2-D average pooling, forward: computes, verifies and times the means of windows.

  avgpool2d_fwd [verify init time [N C Hi Wi Y X Sy Sx LPy LPx RPy RPx]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]
    time      0 no, 1 yes
    N C Hi Wi batch, channels, height and width of the input
    Y X       height and width of the window; S strides, LP left (top) and RP right (bottom) pads

  Without numbers: 1 1 0 and 1 1 32 32  3 3  1 1  0 0  0 0. Windows count their elements in the padding, which are zero, or, by
  --no-count_include_pad, do not; or are all divided by what --divisor_override says.
  Files in: in.npy. Out: that, and out.npy (the result).
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

} // namespace

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::avgpool_fwd::operation>(argc, argv, "avgpool2d_fwd", about);
}

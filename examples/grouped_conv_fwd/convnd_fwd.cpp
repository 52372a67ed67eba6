// SPDX-License-Identifier: MIT
// Computes one N-D grouped convolution, and verifies, times and saves it as the arguments say.
#include "ops/grouped_conv_fwd/operation.hpp"
#include "ops/program/program.hpp"

namespace
{

constexpr const char* about =
    R"(N-D grouped convolution, forward: computes, verifies and times the output.

  convnd_fwd [verify init time [ndim G N K C <filter> <input> <strides> <dilations> <left> <right>]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]
    time      0 no, 1 yes
    ndim      spatial dimensions: 1, 2 or 3
    G N K C   groups, batch, output and input channels per group
    <...>     filter and input lengths, strides, dilations, left pads and right pads: ndim numbers each

  Without numbers: 1 1 0 and 2 1 128 256 128 with filter 3 3, input 71 71, strides 2 2, and dilations and pads of 1.
  y = activation(convolution + bias + residual): --bias, --residual, --activation none|relu|relu6|silu.
  Files in: in.npy, wei.npy, and with --bias and --residual bias.npy and residual.npy. Out: those and out.npy (the result).
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

constexpr ck_tile::conv::problem usual = {
    .spatial = 2, .groups = 1, .batch = 128, .k = 256, .c = 128, .filter = {3, 3}, .input = {71, 71}, .stride = {2, 2}};

} // namespace

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::grouped_conv_fwd::operation>(argc, argv, "convnd_fwd", about, usual);
}

// SPDX-License-Identifier: MIT
// Computes a grouped convolution and a 1x1 convolution behind it, and verifies, times and saves it as the arguments say.
#include "ops/grouped_conv_conv_fwd/operation.hpp"
#include "ops/program/program.hpp"

namespace
{

constexpr const char* about =
    R"(Grouped convolution, activation, 1x1 convolution, forward: computes, verifies and times the output.

  grouped_conv_conv_fwd [verify init time [ndim G N K0 C <filter> <input> <strides> <dilations> <left> <right> K1]]

    verify      0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init        0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]
    time        0 no, 1 yes
    ndim        spatial dimensions: 1, 2 or 3
    G N K0 C    groups, batch, output and input channels per group of the first convolution
    <...>       its filter and input lengths, strides, dilations, left pads and right pads: ndim numbers each
    K1          output channels of the second one, which takes the channels of all groups

  Without numbers: 1 1 0 and 2 144 4 1 1 with filter 3 3, input 56 56, strides, dilations and pads of 1, and K1 24.
  out = wei1 * activation(convolution + bias0) + bias1, what is in between rounded to the type: --bias, --activation
  none|relu|relu6|silu. It is computed in one kernel, or, where that takes less, in two: --instance.
  Files in: in.npy, wei0.npy, wei1.npy, and with --bias bias0.npy and bias1.npy. Out: those and out.npy (the result).
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

} // namespace

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::grouped_conv_conv_fwd::operation>(argc, argv, "grouped_conv_conv_fwd",
                                                                                about);
}

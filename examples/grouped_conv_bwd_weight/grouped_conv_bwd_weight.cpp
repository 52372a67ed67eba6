// SPDX-License-Identifier: MIT
// Computes the weight gradient of one grouped convolution, and verifies, times and saves it as the arguments say.
#include "ops/grouped_conv_bwd_weight/operation.hpp"
#include "ops/program/program.hpp"

namespace
{

constexpr const char* about =
    R"(Grouped convolution, backward weight: computes, verifies and times the gradient of the weights.

  grouped_conv_bwd_weight [verify init time [ndim G N K C <filter> <input> <strides> <dilations> <left> <right>]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]
    time      0 no, 1 yes
    ndim      spatial dimensions: 1, 2 or 3
    G N K C   groups, batch, output and input channels per group
    <...>     filter and input lengths, strides, dilations, left pads and right pads: ndim numbers each

  Without numbers: 1 1 0 and 3 4 1 128 256 with filter 3 3 3, input 14 14 14, and strides, dilations and pads of 1.
  Files in: in.npy and out.npy (the output's gradient). Out: those and wei.npy (the result).
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

} // namespace

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::grouped_conv_bwd_weight::operation>(argc, argv, "grouped_conv_bwd_weight",
                                                                                  about);
}

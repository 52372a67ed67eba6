// SPDX-License-Identifier: MIT
// The program of backward weight, in which the operation knows further instances; its arguments are those of grouped_conv_bwd_weight.
#include "ops/grouped_conv_bwd_weight/operation.hpp"
#include "ops/program/program.hpp"

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::grouped_conv_bwd_weight::operation>(
        argc, argv, "own_instances", "Grouped convolution, backward weight, with instances of this project.");
}

// SPDX-License-Identifier: MIT
// Scales one tensor, and verifies, times and saves the result as the arguments say.
#include "ops/program/program.hpp"
#include "ops/scale/operation.hpp"

int main(int argc, char** argv)
{
    return ck_tile::program::main_of<ck_tile::scale::operation>(argc, argv, "scale",
                                                                "y = factor * x: scale [verify init time [N]]\n");
}

// SPDX-License-Identifier: MIT
#include "ck_tile/reflect/config_tool.hpp"

#include "ops/grouped_conv_bwd_weight/describe.hpp"

int main(int argc, char** argv)
{
    using namespace ck_tile::grouped_conv_bwd_weight;
    return ck_tile::reflect::config_tool<config>(argc, argv, "grouped_conv_bwd_weight", {"finish", "reference"});
}

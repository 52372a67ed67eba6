// SPDX-License-Identifier: MIT
#include "ck_tile/reflect/config_tool.hpp"

#include "ops/maxpool_fwd/describe.hpp"

int main(int argc, char** argv)
{
    using namespace ck_tile::maxpool_fwd;
    return ck_tile::reflect::config_tool<config>(argc, argv, "maxpool_fwd", {"reference"});
}

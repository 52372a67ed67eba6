// SPDX-License-Identifier: MIT
#include "ck_tile/reflect/config_tool.hpp"

#include "ops/groupnorm/describe.hpp"

int main(int argc, char** argv)
{
    return ck_tile::reflect::config_tool<ck_tile::groupnorm::config>(argc, argv, "groupnorm_fwd",
                                                                     {"finish", "reference"});
}

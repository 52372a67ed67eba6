// SPDX-License-Identifier: MIT
// A configuration with a field that its description does not name: names of instances would lack it.
// expect: the struct has a member that its description forgets: name it in BOOST_HANA_ADAPT_STRUCT
#include "ck_tile/reflect/members.hpp"

struct settings
{
    int rows, cols;
    ck_tile::gemm::block_tile block;
};

#if CK_TILE_BROKEN
BOOST_HANA_ADAPT_STRUCT(settings, rows, cols);
#else
BOOST_HANA_ADAPT_STRUCT(settings, rows, cols, block);
#endif

constexpr bool same = ck_tile::reflect::compare(settings{}, settings{}) == 0;

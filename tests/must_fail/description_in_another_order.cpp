// SPDX-License-Identifier: MIT
// A description whose order is not the struct's: generated sources would initialise members out of order.
// expect: the description names the members in another order than the struct: use the struct's in BOOST_HANA_ADAPT_STRUCT
#include "ck_tile/reflect/members.hpp"

struct settings
{
    int rows, cols;
};

#if CK_TILE_BROKEN
BOOST_HANA_ADAPT_STRUCT(settings, cols, rows);
#else
BOOST_HANA_ADAPT_STRUCT(settings, rows, cols);
#endif

constexpr bool same = ck_tile::reflect::compare(settings{}, settings{}) == 0;

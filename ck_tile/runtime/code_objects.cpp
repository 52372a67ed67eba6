// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/code_objects.hpp"

#include "ck_tile/runtime/add_code_object.hpp"

#include <vector>

namespace ck_tile
{
namespace
{
// Made when it is first used: objects of other sources register before or after this one is initialised.
std::vector<code_object>& objects()
{
    static std::vector<code_object> all;
    return all;
}
} // namespace

bool add_code_object(const char* architecture, const unsigned char* begin, const unsigned char* end)
{
    objects().push_back({architecture, {begin, end}});
    return true;
}

std::span<const code_object> all_code_objects() { return objects(); }

} // namespace ck_tile

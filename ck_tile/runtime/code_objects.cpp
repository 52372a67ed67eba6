// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/code_objects.hpp"

#include "ck_tile/runtime/add_code_object.hpp"

#include <mutex>

namespace ck_tile
{
namespace
{

// A library that is loaded later adds its own while others are looked at.
struct shared_objects
{
    std::mutex mutex;
    std::vector<code_object> all;
};

// Made when it is first used: objects of other sources register before or after this one is initialised.
shared_objects& objects()
{
    static shared_objects shared;
    return shared;
}

} // namespace

bool add_code_object(const char* architecture, const unsigned char* begin, const unsigned char* end)
{
    const std::scoped_lock lock(objects().mutex);
    objects().all.push_back({architecture, {begin, end}});
    return true;
}

std::vector<code_object> all_code_objects()
{
    const std::scoped_lock lock(objects().mutex);
    return objects().all;
}

} // namespace ck_tile

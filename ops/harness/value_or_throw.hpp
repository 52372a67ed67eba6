// SPDX-License-Identifier: MIT
// How a rejection leaves a program: as an exception that main() prints, so that every step states only what it does.
#pragma once

#include "ck_tile/runtime/status.hpp"

#include <stdexcept>
#include <utility>

namespace ck_tile::harness
{

struct rejected : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

inline void value_or_throw(const status& done)
{
    if(!done)
        throw rejected(done.reason());
}

template <class T>
T value_or_throw(result<T> made)
{
    if(!made)
        throw rejected(made.reason());
    return std::move(*made);
}

} // namespace ck_tile::harness

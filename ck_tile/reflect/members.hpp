// SPDX-License-Identifier: MIT
// A struct that Boost.Hana describes (BOOST_HANA_ADAPT_STRUCT), as its members in their order. A member is a number, an
// enumeration, or again a described struct. Names, JSON, printing and ordering of configurations come from this alone.
//
// For the host only: kernels do not need it, and its headers take longer to parse than theirs.
#pragma once

#include "ck_tile/gemm/tile_config.hpp"

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>

#include <compare>
#include <concepts>
#include <string_view>
#include <type_traits>

BOOST_HANA_ADAPT_STRUCT(ck_tile::gemm::block_tile, m, n, k);
BOOST_HANA_ADAPT_STRUCT(ck_tile::gemm::wave_grid, m, n);
BOOST_HANA_ADAPT_STRUCT(ck_tile::gemm::tile_config, block, waves, instruction, pipeline, stages, epilogue);

namespace ck_tile::reflect
{

template <class T>
concept described = boost::hana::Struct<std::remove_cvref_t<T>>::value;

template <class T>
concept enumeration = std::is_enum_v<std::remove_cvref_t<T>>;

// Whether the members of a T stand in its place, in JSON, names and printouts: who configures an operation does not care which
// struct of it holds the block's tile.
template <class T>
inline constexpr bool dissolves = false;
template <>
inline constexpr bool dissolves<gemm::tile_config> = true;

// Calls visit(name, member) for each member that C++ knows of `object`.
template <described T, class Visit>
void each_own_member(T&& object, Visit&& visit)
{
    boost::hana::for_each(boost::hana::accessors<std::remove_cvref_t<T>>(), [&](const auto& member) {
        visit(std::string_view(boost::hana::first(member).c_str()), boost::hana::second(member)(object));
    });
}

// Calls visit(name, member) for each member of `object`, and for those of members that dissolve.
template <described T, class Visit>
void each_member(T&& object, Visit&& visit)
{
    each_own_member(object, [&](std::string_view name, auto& member) {
        if constexpr(dissolves<std::remove_cvref_t<decltype(member)>>)
            each_member(member, visit);
        else
            visit(name, member);
    });
}

// Member by member, the first that differs decides.
template <class T>
std::strong_ordering compare(const T& a, const T& b)
{
    if constexpr(described<T>)
    {
        std::strong_ordering order = std::strong_ordering::equal;
        boost::hana::for_each(boost::hana::accessors<T>(), [&](const auto& member) {
            if(order == 0)
                order = compare(boost::hana::second(member)(a), boost::hana::second(member)(b));
        });
        return order;
    }
    else
        return a <=> b;
}

} // namespace ck_tile::reflect

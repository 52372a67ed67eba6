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
#include <boost/hana/size.hpp>
#include <boost/hana/tuple.hpp>

#include <compare>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

BOOST_HANA_ADAPT_STRUCT(ck_tile::gemm::block_tile, m, n, k);
BOOST_HANA_ADAPT_STRUCT(ck_tile::gemm::wave_grid, m, n);
BOOST_HANA_ADAPT_STRUCT(ck_tile::gemm::tile_config, block, waves, instruction, pipeline, stages, epilogue);

namespace ck_tile::reflect
{

template <class T>
concept described = boost::hana::Struct<std::remove_cvref_t<T>>::value;

namespace detail
{
// What any member can be initialised with.
template <int>
struct anything
{
    template <class T>
    constexpr operator T() const;
};

// Whether T can be initialised with N values: whether it has N members or more.
template <class T, int N>
constexpr bool has_members = []<int... I>(ck_tile::detail::counting<int, I...>) {
    return requires { T{anything<I>{}...}; };
}(__make_integer_seq<ck_tile::detail::counting, int, N>{});

// Whether the members lie in memory as they are described.
template <class T>
constexpr bool in_order()
{
    T object         = {};
    const void* last = nullptr;
    bool ascending   = true;
    boost::hana::for_each(boost::hana::accessors<T>(), [&](const auto& member) {
        const void* const at = &boost::hana::second(member)(object);
        ascending            = ascending && (last == nullptr || last < at);
        last                 = at;
    });
    return ascending;
}

// Calls visit(name, accessor) for each member of T as C++ knows it; accessor(object) is the member. Whoever sees members
// comes here.
template <class T, class Visit>
constexpr void each_own_accessor(Visit&& visit)
{
    static_assert(!has_members<T, decltype(boost::hana::size(boost::hana::accessors<T>()))::value + 1>,
                  "the struct has a member that its description forgets: name it in BOOST_HANA_ADAPT_STRUCT");
    static_assert(in_order<T>(), "the description names the members in another order than the struct: use the struct's "
                                 "in BOOST_HANA_ADAPT_STRUCT");
    boost::hana::for_each(boost::hana::accessors<T>(), [&](const auto& member) {
        visit(std::string_view(boost::hana::first(member).c_str()), boost::hana::second(member));
    });
}

template <described T>
constexpr bool all_are_numbers()
{
    bool all = true;
    each_own_accessor<T>([&](std::string_view, const auto& member) {
        all = all && std::same_as<std::remove_cvref_t<decltype(member(std::declval<T&>()))>, int>;
    });
    return all;
}

// Whether the members of a T stand in its place, in JSON, names and printouts: a struct of numbers is one thing (a block of
// 128x128x32), another one only groups what has names of its own.
template <class T>
concept dissolves = described<T> && !all_are_numbers<std::remove_cvref_t<T>>();

struct itself
{
    constexpr auto& operator()(auto& object) const { return object; }
};

template <class Outer, class Inner>
struct member_of
{
    constexpr auto& operator()(auto& object) const { return Inner{}(Outer{}(object)); }
};

// Calls visit(name, accessor) for each member of T, and for those of members that dissolve; if T is itself a member of
// another struct, get(whole) gives it, and accessor(whole) the member.
template <class T, class Visit, class Get = itself>
constexpr void each_accessor(Visit&& visit, Get = {})
{
    each_own_accessor<T>([&](std::string_view name, const auto& member) {
        using M = std::remove_cvref_t<decltype(member(std::declval<T&>()))>;
        const member_of<Get, std::remove_cvref_t<decltype(member)>> accessor;
        if constexpr(dissolves<M>)
            each_accessor<M>(visit, accessor);
        else
            visit(name, accessor);
    });
}

template <class T, class Get>
constexpr auto initial_value(Get get)
{
    T object;
    return get(object);
}
} // namespace detail

// Calls visit(name, member) for each member of `object`, and for those of members that dissolve.
template <described T, class Visit>
constexpr void each_member(T&& object, Visit&& visit)
{
    detail::each_accessor<std::remove_cvref_t<T>>(
        [&](std::string_view name, const auto& accessor) { visit(name, accessor(object)); });
}

// Calls visit(name, accessor) for each member of T that has no members of its own, those of inner structs by their full names
// (block.m).
template <described T, class Visit, class Get = detail::itself>
void each_leaf(Visit&& visit, const std::string& prefix = "", Get get = {})
{
    using Whole = std::remove_cvref_t<decltype(get(std::declval<T&>()))>;
    detail::each_accessor<Whole>(
        [&](std::string_view name, const auto& accessor) {
            const std::string full = prefix + std::string(name);
            if constexpr(described<decltype(accessor(std::declval<T&>()))>)
                each_leaf<T>(visit, full + ".", accessor);
            else
                visit(full, accessor);
        },
        get);
}

// Whether the struct gives the member accessor(object) an initial value: reading one that has none is no constant.
template <class T, class Accessor>
concept has_default = requires { typename std::bool_constant<(detail::initial_value<T>(Accessor{}), true)>; };

// Member by member, the first that differs decides.
template <class T>
constexpr std::strong_ordering compare(const T& a, const T& b)
{
    if constexpr(described<T>)
    {
        std::strong_ordering order = std::strong_ordering::equal;
        detail::each_own_accessor<T>([&](std::string_view, const auto& member) {
            if(order == 0)
                order = compare(member(a), member(b));
        });
        return order;
    }
    else
        return a <=> b;
}

} // namespace ck_tile::reflect

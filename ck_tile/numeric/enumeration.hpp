// SPDX-License-Identifier: MIT
// The names of an enumeration's values, written once: what configurations, problems, command lines and messages say. From a
// name to its value: choices.hpp.
#pragma once

namespace ck_tile
{

template <class E>
struct enumerator
{
    E value;
    const char* name;
};

// enumerators<E>, specialised beside the enumeration:
//   static constexpr const char* type         E's name in namespace ck_tile, for generated sources
//   static constexpr enumerator<E> all[]      its values with their identifiers
template <class E>
struct enumerators;

template <class E>
concept enumeration = requires { enumerators<E>::all; };

template <enumeration E>
constexpr const char* name_of(E value)
{
    for(const enumerator<E>& e : enumerators<E>::all)
        if(e.value == value)
            return e.name;
    return "unknown";
}

// Such a list, where another table has the names.
template <class E, int N>
struct enumerator_list
{
    enumerator<E> at[N];

    constexpr const enumerator<E>* begin() const { return at; }
    constexpr const enumerator<E>* end() const { return at + N; }
};

// The list of what `row` makes of each of `rows`.
template <class E, int N>
constexpr enumerator_list<E, N> enumerators_of(const auto (&rows)[N], auto&& row)
{
    enumerator_list<E, N> all = {};
    for(int i = 0; i < N; ++i)
        all.at[i] = row(rows[i]);
    return all;
}

} // namespace ck_tile

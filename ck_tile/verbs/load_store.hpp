// SPDX-License-Identifier: MIT
// The verbs that move tiles: load from a window or from LDS, store to a window or to LDS.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/tile.hpp"
#include "ck_tile/core/window.hpp"

namespace ck_tile
{

// What window and lookup_window have in common.
template <class Window>
concept looks_at_memory = requires(const Window& w) {
    w.memory();
    Window::layout;
};

// The tile under the window; elements that do not exist are zero.
template <looks_at_memory Window>
CK_TILE_FN auto load(const Window& from)
{
    using element            = std::remove_const_t<typename Window::element>;
    constexpr distribution D = Window::layout;
    tile<element, D> to;
    for_each_thread<D>([&](thread t) {
        auto& registers = to.file_of(t);
        from.each_access(t, [&](auto r, unsigned byte_offset) {
            registers.reg[r] = load_vector<element, D.vecs()>(from.memory(), byte_offset);
        });
    });
    return to;
}

// Writes the tile under the window; elements that do not exist are not written.
template <looks_at_memory Window>
CK_TILE_FN void store(const Window& to, const tile<typename Window::element, Window::layout>& from)
{
    constexpr distribution D = Window::layout;
    for_each_thread<D>([&](thread t) {
        const auto& registers = from.file_of(t);
        to.each_access(t, [&](auto r, unsigned byte_offset) {
            store_vector<typename Window::element, D.vecs()>(to.memory(), byte_offset, registers.reg[r]);
        });
    });
}

namespace detail
{
// Elements that one LDS access moves: contiguous in the register and in LDS, 16 bytes at most. Every line of LDS starts at a
// multiple of them.
template <distribution D, class T, auto Layout>
inline constexpr int lds_run = [] {
    int run = D.vector_dim() == Layout.contiguous ? 16 / int(sizeof(T)) : 1;
    while(D.contiguous() % run != 0 || Layout.chunk % run != 0 || Layout.line() % run != 0)
        run /= 2;
    return run;
}();

// Where each run of a thread's elements lies in a tile, from the thread's first.
template <distribution D, int Run>
inline constexpr auto coords_of_runs = [] {
    constexpr int runs = D.vecs() / Run; // in a register
    constants<multi_index<2>, D.regs() * runs> coords;
    for(int i = 0; i < D.regs() * runs; ++i)
        for(int d = 0; d < 2; ++d)
            coords.values[i][d] = D.reg.along(d, i / runs) + D.vec.along(d, i % runs * Run);
    return coords;
}();

// Calls visit(register, first vector element, address) for each run of a thread's elements that is contiguous in LDS.
template <distribution D, class T, auto Layout, class Visit>
CK_TILE_FN void each_lds_access(const lds_tile<T, Layout>& memory, multi_index<2> origin, thread t, Visit&& visit)
{
    constexpr int run  = lds_run<D, T, Layout>;
    const int row      = origin[0] + first_element<D, 0>(t);
    const int col      = origin[1] + first_element<D, 1>(t);
    constexpr int runs = D.vecs() / run; // in a register
    register_for<D.regs() * runs>([&](auto i) {
        const multi_index<2> coord = entry<coords_of_runs<D, run>>(i);
        visit(i / runs, i % runs * run, memory.at(row + coord[0], col + coord[1]));
    });
}
} // namespace detail

// The tile that lies at `origin` (row, column) of an lds_tile.
template <distribution D, class T, auto Layout>
CK_TILE_FN tile<T, D> load(const lds_tile<T, Layout>& from, multi_index<2> origin = {})
{
    constexpr int run = detail::lds_run<D, T, Layout>;
    tile<T, D> to;
    for_each_thread<D>([&](thread t) {
        auto& registers = to.file_of(t);
        detail::each_lds_access<D>(from, origin, t, [&](int r, int v, const T* address) {
            __builtin_memcpy(reinterpret_cast<T*>(&registers.reg[r]) + v,
                             __builtin_assume_aligned(address, run * sizeof(T)), run * sizeof(T));
        });
    });
    return to;
}

template <class T, auto Layout, distribution D>
CK_TILE_FN void store(const lds_tile<T, Layout>& to, const tile<T, D>& from, multi_index<2> origin = {})
{
    constexpr int run = detail::lds_run<D, T, Layout>;
    for_each_thread<D>([&](thread t) {
        const auto& registers = from.file_of(t);
        detail::each_lds_access<D>(to, origin, t, [&](int r, int v, T* address) {
            __builtin_memcpy(__builtin_assume_aligned(address, run * sizeof(T)),
                             reinterpret_cast<const T*>(&registers.reg[r]) + v, run * sizeof(T));
        });
    });
}

} // namespace ck_tile

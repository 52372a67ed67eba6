// SPDX-License-Identifier: MIT
// The verbs that move tiles: load from a window or from LDS, store to a window or to LDS.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/tile.hpp"
#include "ck_tile/core/window.hpp"
#include "ck_tile/verbs/broadcast.hpp"

namespace ck_tile
{

// What window and lookup_window have in common.
template <class Window>
concept looks_at_memory = requires(const Window& w) {
    w.memory();
    Window::layout;
};

namespace detail
{
// What a window accesses: its tile, or one element of it along dimensions in which the view repeats.
template <class Window>
inline constexpr distribution accessed_by = [] {
    if constexpr(requires { Window::read; })
        return Window::read;
    else
        return Window::layout;
}();

// What the checker is told of the access of a thread's register r.
template <class Window>
CK_TILE_FN memory_access access_of(const Window& w, thread t, int r, unsigned byte_offset)
{
    memory_access a = {};
    if constexpr(checks_programs)
    {
        constexpr int element_bytes = sizeof(typename Window::element);
        a.base                      = w.memory().base;
        a.range_bytes               = w.memory().bytes;
        a.offset                    = byte_offset;
        a.bytes                     = accessed_by<Window>.vecs() * element_bytes;
        a.element_bytes             = element_bytes;
        a.window                    = &w;
        a.reg                       = r;
        if constexpr(requires { w.coordinates(t, r); })
        {
            a.may_end_outside = Window::has_unbounded;
            a.coordinates     = [](const void* window, const thread& who, int reg, int* to) {
                const auto at = static_cast<const Window*>(window)->coordinates(who, reg);
                for(int d = 0; d < Window::rank; ++d)
                    to[d] = at[d];
                return Window::rank;
            };
            if constexpr(accessed_by<Window>.vecs() > 1)
                a.reach = [](const void* window, const thread& who, int reg) {
                    return static_cast<const Window*>(window)->reach(who, reg);
                };
        }
    }
    return a;
}

// Apart from the loops of those who do not check, which stay as short as without.
template <class Checker, class Window>
[[gnu::noinline]] void check_read(Checker& c, const Window& from, thread t, int r, unsigned byte_offset)
{
    c.read_memory(access_of(from, t, r, byte_offset));
}
template <class Checker, class Window>
[[gnu::noinline]] void check_write(Checker& c, const Window& to, thread t, int r, unsigned byte_offset,
                                   const void* registers)
{
    c.write_memory(access_of(to, t, r, byte_offset), registers);
}
} // namespace detail

namespace detail
{
// `otherwise`: what elements are that do not exist; nothing: zero.
template <looks_at_memory Window, class... Otherwise>
CK_TILE_FN auto load_under(const Window& from, source_line at, Otherwise... otherwise)
{
    using element            = std::remove_const_t<typename Window::element>;
    constexpr distribution D = accessed_by<Window>;
    [[maybe_unused]] const verb_scope verb("load", at);
    tile<element, D> to;
    for_each_thread<D>([&](thread t) {
        auto& registers = to.file_of(t);
        from.each_access(t, [&](auto r, auto byte_offset) {
            if constexpr(checks_programs)
                tell_checker([&](auto& c) { detail::check_read(c, from, t, r, byte_offset); });
            registers.reg[r] = load_vector<element, D.vecs()>(from.memory(), byte_offset, otherwise...);
        });
    });
    if constexpr(D == Window::layout)
        return to;
    else
        return broadcast<Window::layout>(to);
}
} // namespace detail

// The tile under the window; elements that do not exist are zero, or `otherwise`.
template <looks_at_memory Window>
CK_TILE_FN auto load(const Window& from, source_line at = source_line::current())
{
    return detail::load_under(from, at);
}
template <looks_at_memory Window>
CK_TILE_FN auto load(const Window& from, std::remove_const_t<typename Window::element> otherwise,
                     source_line at = source_line::current())
{
    return detail::load_under(from, at, otherwise);
}

// Writes the tile under the window; elements that do not exist are not written.
template <looks_at_memory Window>
CK_TILE_FN void store(const Window& to, const tile<typename Window::element, Window::layout>& from,
                      source_line at = source_line::current())
{
    constexpr distribution D = Window::layout;
    static_assert(detail::accessed_by<Window> == D,
                  "store: many elements of the tile would go to one of a view that repeats: store to the view that "
                  "repeated() was given, what reduce() makes of the tile, say");
    [[maybe_unused]] const verb_scope verb("store", at);
    for_each_thread<D>([&](thread t) {
        const auto& registers = from.file_of(t);
        to.each_access(t, [&](auto r, auto byte_offset) {
            if constexpr(checks_programs)
                tell_checker([&](auto& c) { detail::check_write(c, to, t, r, byte_offset, &registers.reg[r]); });
            store_vector<typename Window::element, D.vecs()>(to.memory(), byte_offset, registers.reg[r]);
        });
    });
}

// Some of a tile's registers.
struct register_range
{
    int first, count;
};
constexpr register_range all_registers(const distribution& d) { return {0, d.regs()}; }

namespace detail
{
// A place in a tile in LDS.
template <auto Layout>
using lds_index = multi_index<Layout.rank>;

// The one that is given, or where the tile begins.
template <auto Layout, lds_index<Layout>... Origin>
inline constexpr lds_index<Layout> origin_of = {};
template <auto Layout, lds_index<Layout> Origin>
inline constexpr lds_index<Layout> origin_of<Layout, Origin> = Origin;

// Whether a tile at an origin is within a tile in LDS.
template <distribution D, auto Layout, lds_index<Layout> Origin = {}>
inline constexpr bool lies_in = [] {
    for(int d = 0; d < Layout.rank; ++d)
        if(Origin[d] + D.length(d) > Layout.lengths()[d])
            return false;
    return fits_rank(D, Layout.rank);
}();

// Where each run of a thread's elements lies in a tile, from the thread's first.
template <distribution D, int Rank, int Run>
inline constexpr auto coords_of_runs = [] {
    constexpr int runs = D.vecs() / Run; // in a register
    constants<multi_index<Rank>, D.regs() * runs> coords;
    for(int i = 0; i < D.regs() * runs; ++i)
        for(int d = 0; d < Rank; ++d)
            coords.values[i][d] = D.reg.along(d, i / runs) + D.vec.along(d, i % runs * Run);
    return coords;
}();

// Where the runs lie from the thread's first element, in a layout that permutes chunks: an offset xor `turn`, and then plus `far`.
struct permuted_offset
{
    int turn, far;
};

// The same for the runs of D at an origin, if the offsets of lanes, waves and registers have no bits in common: then none carries into
// another, and the permutation of their sum is that of each. So a thread works out one address, and an exclusive or a turn.
template <distribution D, auto Layout, int Run, lds_index<Layout> Origin>
inline constexpr auto permuted_offsets = [] {
    struct
    {
        bool apart                                                    = false;
        constants<permuted_offset, D.regs() * D.vecs() / Run> offsets = {};
    } found;
    if constexpr(Layout.chunk > 0)
    {
        const auto number = [](auto&& along) {
            lds_index<Layout> at;
            for(int d = 0; d < Layout.rank; ++d)
                at[d] = along(d);
            return Layout.unpermuted(at);
        };
        int of_lanes = 0, of_waves = 0;
        for(int lane = 0; lane < D.lanes(); ++lane)
            of_lanes |= number([&](int d) { return D.lane.along(d, lane); });
        for(int wave = 0; wave < D.waves(); ++wave)
            of_waves |= number([&](int d) { return D.wave.along(d, wave); });
        found.apart = (of_lanes & of_waves) == 0;
        for(int i = 0; i < D.regs() * D.vecs() / Run; ++i)
        {
            const lds_index<Layout> at = Origin + coords_of_runs<D, Layout.rank, Run>.values[i];
            const int permuted         = Layout.map()(at).offset;
            const int turn             = permuted % (lds_line_chunks * Layout.chunk);
            found.apart                = found.apart && (Layout.unpermuted(at) & (of_lanes | of_waves)) == 0;
            found.offsets.values[i]    = {turn, permuted - turn};
        }
    }
    return found;
}();

// Calls visit(register, first vector element, address) for each run of a thread's elements that is contiguous in LDS, of the
// registers in `Of`. The tile is at Origin, and `beyond` from there.
template <distribution D, auto Origin, bool Fixed, register_range Of, class T, auto Layout, class Visit>
CK_TILE_FN void each_lds_access(const lds_tile<T, Layout>& memory, lds_index<Layout> beyond, thread t, Visit&& visit)
{
    constexpr int run  = lds_run(D, Layout, int(sizeof(T)));
    constexpr int runs = D.vecs() / run; // in a register
    lds_index<Layout> first;
    static_for<Layout.rank>([&](auto d) { first[d] = first_element<D, d>(t); });
    if constexpr(Fixed && permuted_offsets<D, Layout, run, Origin>.apart)
    {
        const int own = Layout.map()(first).offset;
        register_for<Of.count * runs, Of.first * runs>([&](auto i) {
            const permuted_offset from = entry<permuted_offsets<D, Layout, run, Origin>.offsets>(i);
            visit(i / runs, i % runs * run, memory.data + (own ^ from.turn) + from.far);
        });
    }
    else
        register_for<Of.count * runs, Of.first * runs>([&](auto i) {
            const lds_index<Layout> coord = entry<coords_of_runs<D, Layout.rank, run>>(i);
            visit(i / runs, i % runs * run, memory.at(first + (Origin + beyond) + coord));
        });
}

template <auto Origin, bool Fixed, register_range Of, class T, distribution D, auto Layout>
CK_TILE_FN void load_from_lds(tile<T, D>& to, const lds_tile<T, Layout>& from, lds_index<Layout> beyond = {})
{
    constexpr int run = lds_run(D, Layout, int(sizeof(T)));
    for_each_thread<D>([&](thread t) {
        auto& registers = to.file_of(t);
        each_lds_access<D, Origin, Fixed, Of>(from, beyond, t, [&](int r, int v, const T* address) {
            check_lds_read(address, run * sizeof(T));
            __builtin_memcpy(reinterpret_cast<T*>(&registers.reg[r]) + v,
                             __builtin_assume_aligned(address, run * sizeof(T)), run * sizeof(T));
        });
    });
}
} // namespace detail

// The tile that lies at Origin (row, column; or plane, row, column) of an lds_tile; or at an origin that the program works out.
template <distribution D, auto... Origin, class T, auto Layout>
CK_TILE_FN tile<T, D> load(const lds_tile<T, Layout>& from, source_line at = source_line::current())
{
    constexpr auto origin = detail::origin_of<Layout, Origin...>;
    static_assert(detail::lies_in<D, Layout, origin>, "load: the tile at its origin is larger than the tile in LDS");
    [[maybe_unused]] const verb_scope verb("load", at);
    tile<T, D> to;
    detail::load_from_lds<origin, true, all_registers(D)>(to, from);
    return to;
}
template <distribution D, class T, auto Layout>
CK_TILE_FN tile<T, D> load(const lds_tile<T, Layout>& from, std::type_identity_t<detail::lds_index<Layout>> origin,
                           source_line at = source_line::current())
{
    static_assert(detail::lies_in<D, Layout>, "load: the tile is larger than the tile in LDS");
    [[maybe_unused]] const verb_scope verb("load", at);
    tell_checker([&](auto& c) {
        for(int d = 0; d < Layout.rank; ++d)
            if(origin[d] < 0 || origin[d] + D.length(d) > Layout.lengths()[d])
                c.fail("the tile at its origin lies beyond the rows or columns of the tile in LDS: take an origin "
                       "within it");
    });
    tile<T, D> to;
    detail::load_from_lds<detail::lds_index<Layout>{}, false, all_registers(D)>(to, from, origin);
    return to;
}

// Of the tile that lies in LDS some of the registers, for programs that say what is loaded when.
template <register_range Of, class T, distribution D, auto Layout>
CK_TILE_FN void load_registers(tile<T, D>& to, const lds_tile<T, Layout>& from, source_line at = source_line::current())
{
    static_assert(detail::lies_in<D, Layout>, "load_registers: the tile is larger than the tile in LDS");
    [[maybe_unused]] const verb_scope verb("load_registers", at);
    detail::load_from_lds<detail::lds_index<Layout>{}, true, Of>(to, from);
}

template <register_range Of, auto... Origin, class T, auto Layout, distribution D>
CK_TILE_FN void store_registers(const lds_tile<T, Layout>& to, const tile<T, D>& from,
                                source_line at = source_line::current())
{
    constexpr auto origin = detail::origin_of<Layout, Origin...>;
    static_assert(detail::lies_in<D, Layout, origin>, "store: the tile at its origin is larger than the tile in LDS");
    [[maybe_unused]] const verb_scope verb("store", at);
    constexpr int run = lds_run(D, Layout, int(sizeof(T)));
    for_each_thread<D>([&](thread t) {
        const auto& registers = from.file_of(t);
        detail::each_lds_access<D, origin, true, Of>(to, {}, t, [&](int r, int v, T* address) {
            check_lds_write(address, reinterpret_cast<const T*>(&registers.reg[r]) + v, run * sizeof(T));
            __builtin_memcpy(__builtin_assume_aligned(address, run * sizeof(T)),
                             reinterpret_cast<const T*>(&registers.reg[r]) + v, run * sizeof(T));
        });
    });
}

template <auto... Origin, class T, auto Layout, distribution D>
CK_TILE_FN void store(const lds_tile<T, Layout>& to, const tile<T, D>& from, source_line at = source_line::current())
{
    store_registers<all_registers(D), Origin...>(to, from, at);
}

} // namespace ck_tile

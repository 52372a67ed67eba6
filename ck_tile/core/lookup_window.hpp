// SPDX-License-Identifier: MIT
// A window that looks up where it is: for a dimension that runs through a merge, such as the pixels of a convolution.
//
// The threads of a block stand at the same positions along that dimension, and each would work out the same coordinates
// in every step. Here one thread does, for all, many steps ahead: a table in LDS holds the offset of each position, and in
// which rows it does not exist. Rows that meet the guards alike (the channels of one tap of a filter) are a class; the
// table has one bit for each class.
//
//   auto x = make_lookup_window<distribution, classes>(view, origin, b.lds_at<unsigned>(...));
//   x.look_ahead(); b.sync();         // the first `positions` positions are known ...
//   x.look_ahead();                   // ... and the next ones, after the next sync; then once every `positions` moved
//   tile = load(x); x.move(step);
#pragma once

#include "ck_tile/core/window.hpp"

namespace ck_tile
{

// The table of a window of distribution `d` whose rows are in at most `classes` classes.
struct lookup_table
{
    int positions; // that are looked up together; the table holds twice as many, in two halves
    int words;     // of the mask: bit c of word w says that a position does not exist for class 32 * w + c

    constexpr lookup_table(const distribution& d, int classes)
        : positions(2 * d.length(1)), words(ceil_div(classes, 32))
    {
        while(positions * words < d.threads())
            positions *= 2;
    }

    constexpr int bytes() const { return 2 * positions * (1 + words) * 4; }
};

namespace detail
{
// The classes of rows: the digits of the rows' merge that guards depend on, numbered; the others do not count.
template <class Below, class Placed>
struct row_classes
{
    static constexpr int digits = Placed::lower.count;

    static constexpr bool counts(int i) { return Below::guards_along(Placed::lower.at[i]); }
    static constexpr int leading() // digits that count, before the first that does not
    {
        int n = 0;
        while(n < digits && counts(n))
            ++n;
        return n;
    }
    static constexpr int counting()
    {
        int n = 0;
        for(int i = 0; i < digits; ++i)
            n += counts(i);
        return n;
    }

    merge<digits> numbers;

    explicit CK_TILE_FN constexpr row_classes(const Placed& rows)
    {
        if constexpr(counting() > 0)
        {
            static_assert(
                requires { rows.transform.extents; }, "lookup_window: rows that guards depend on must be a merge");
            static_for<digits>(
                [&](auto i) { numbers.extents[i] = counts(i) ? length_of(rows.transform.extents[i]) : 1; });
        }
        else
            static_for<digits>([&](auto i) { numbers.extents[i] = 1; });
    }

    CK_TILE_FN constexpr int number(const multi_index<digits>& row) const
    {
        multi_index<digits> kept;
        static_for<digits>([&](auto i) { kept[i] = counts(i) ? row[i] : 0; });
        return unmerge<digits>{numbers.extents}.map(kept)[0];
    }
};
} // namespace detail

template <class T, class Map, distribution D, int Classes>
class lookup_window
{
    using staged     = detail::staged_map<Map>;
    using rows_place = std::remove_cvref_t<decltype(member<0>(staged{}.layer))>;
    using classes    = detail::row_classes<decltype(staged{}.below), rows_place>;
    static_assert(staged::rank == 2, "lookup_window: the view has two dimensions, rows and positions");

    static constexpr lookup_table table = {D, Classes};
    static constexpr int threads = D.threads(), row_count = D.reg.only(0).size(), position_count = D.reg.only(1).size();
    static constexpr int slots = ceil_div(table.positions, threads); // positions that one thread works out at a time

  public:
    using element                        = T;
    static constexpr distribution layout = D;
    static constexpr int positions       = table.positions;
    static_assert(D.vec.count <= 1 && D.contiguous() == D.vecs(),
                  "lookup_window: a vector register must be contiguous along one dimension to be moved by one access");
    static_assert(positions % threads == 0 || threads % positions == 0,
                  "lookup_window: the threads must share the positions of the table evenly; use powers of two");

    // The window whose element 0 lies at `origin` of the view, where rows of one vector are in one class. `lds` has room for
    // lookup_table::bytes().
    CK_TILE_FN lookup_window(const tensor_view<T, Map>& view, const multi_index<2>& origin, unsigned* lds)
        : memory_(view.data, view.elements * static_cast<std::int64_t>(sizeof(T))),
          map_(detail::staged(view.map)),
          classes_(member<0>(map_.layer)),
          lds_(lds),
          at_(0),
          ahead_(0)
    {
        const auto& rows      = member<0>(map_.layer);
        const auto& along     = member<1>(map_.layer).transform;
        const int length      = map_.lengths()[0];
        const int last        = origin[0] + D.length(0) < length ? origin[0] + D.length(0) - 1 : length - 1;
        const int all         = product(classes_.numbers.extents);
        const auto first_row  = rows.transform.map({origin[0]});
        const int first_class = classes_.number(first_row);
        static_for<classes::digits>([&](auto i) { first_class_[i] = classes::counts(i) ? first_row[i] : 0; });
        if constexpr(classes::leading() == classes::counting())
            used_ = classes_.number(rows.transform.map({last})) - first_class + 1;
        else
            used_ = all < last - origin[0] + 1 ? all : last - origin[0] + 1;

        chunk_ = detail::step_of(along, positions);
        for_each_thread<D>([&](thread t) {
            own& o = own_[t.copy];
            o.at   = origin[1] + number(t);
            static_for<slots>([&](auto i) { o.digits[i] = along.map({o.at + i * threads}); });
            static_for<row_count>([&](auto i) {
                constexpr int beyond = D.reg.only(0).along(0, i);
                const int row        = origin[0] + first_element<D, 0>(t) + beyond;
                const auto digits    = rows.transform.map({row});
                const int relative   = classes_.number(digits) - first_class;
                const int c          = row >= length ? used_ : relative < 0 ? relative + all : relative;
                o.row[i] = {detail::byte_offset<T>(row_footprint(digits).offset), c / 32 * 2 * positions, 31 - c % 32};
            });
        });
    }

    // Works out the next `positions` positions: they may be loaded from after a sync, and until twice as many have been
    // worked out.
    CK_TILE_FN void look_ahead()
    {
        const int end = map_.lengths()[1];
        for_each_thread<D>([&](thread t) {
            own& o = own_[t.copy];
            static_for<slots>([&](auto i) {
                if(slots > 1 || number(t) < positions)
                    look_up(ahead_ + number(t) + i * threads, position_footprint(o.digits[i]),
                            o.at + i * threads < end);
                o.digits[i] = detail::advance(member<1>(map_.layer).transform, o.digits[i], chunk_);
            });
            o.at += positions;
        });
        ahead_ = positions - ahead_;
    }

    template <int Dim>
    CK_TILE_FN constexpr int step(int by) const
    {
        static_assert(Dim == 1, "lookup_window: moves along its positions");
        return by;
    }

    // Moves `by` positions, a multiple of the tile's length that divides `positions`.
    CK_TILE_FN void move(int by) { at_ = at_ + by == 2 * positions ? 0 : at_ + by; }

    // Calls visit(register number, byte offset) for each vector register of the thread.
    template <class Visit>
    CK_TILE_FN void each_access(thread t, Visit&& visit) const
    {
        const unsigned* here = lds_ + at_ + first_element<D, 1>(t);
        const own& o         = own_[t.copy];
        entries offset, missing[row_count];
        read(offset, here);
        static_for<row_count>([&](auto i) {
            if(i == 0 || table.words > 1)
                read(missing[i], here + 2 * positions + (table.words > 1 ? o.row[i].mask : 0));
            else
                missing[i] = missing[0];
        });
        static_for<D.regs()>([&](auto r) {
            constexpr int i = D.reg.number_in(0, r), j = D.reg.number_in(1, r);
            visit(r, (offset.values[j] + o.row[i].offset) | (missing[i].values[j] << o.row[i].shift & nowhere));
        });
    }

    CK_TILE_FN const memory_range& memory() const { return memory_; }

  private:
    using position_digits = multi_index<std::remove_cvref_t<decltype(member<1>(staged{}.layer))>::lower.count>;

    struct row
    {
        unsigned offset; // bytes
        int mask, shift; // where its class has its bit: the word, and what brings the bit to the top
    };

    // What one thread keeps: its rows, and the positions that it works out.
    struct own
    {
        row row[row_count];
        int at;
        position_digits digits[slots];
    };

    struct entries
    {
        unsigned values[position_count];
    };

    static CK_TILE_FN constexpr int number(thread t) { return t.wave * D.lanes() + t.lane; }

    CK_TILE_FN auto row_footprint(const auto& digits) const { return footprint_of<0>(digits) - map_.below({}); }
    CK_TILE_FN auto position_footprint(const auto& digits) const { return footprint_of<1>(digits); }

    template <int Dim>
    CK_TILE_FN auto footprint_of(const auto& digits) const
    {
        multi_index<decltype(map_.below)::rank> l;
        member<Dim>(map_.layer).scatter(digits, l);
        return map_.below(l);
    }

    CK_TILE_FN void look_up(int slot, const footprint<staged::guards>& f, bool inside)
    {
        put(slot, detail::byte_offset<T>(f.offset));
        const auto limits = map_.below.limits();
        auto digits       = first_class_;
        multi_index<classes::digits> one;
        one[classes::digits - 1] = 1;
        CK_TILE_KEEP_LOOP
        for(int w = 0; w < table.words; ++w)
        {
            unsigned missing = ~0u; // also for the class used_, which has the rows beyond the view
            CK_TILE_KEEP_LOOP
            for(int c = 0; c < 32 && 32 * w + c < used_; ++c)
            {
                missing ^= unsigned(inside && exists(f + row_footprint(digits), limits)) << c;
                digits = classes_.numbers.advance(digits, one);
            }
            put(slot + (1 + w) * 2 * positions, missing);
        }
    }

    CK_TILE_FN void put(int slot, unsigned entry)
    {
        check_lds_write(lds_ + slot, &entry, sizeof entry);
        lds_[slot] = entry;
    }

    // A thread's entries: its positions lie side by side, or one vector apart.
    static CK_TILE_FN void read(entries& to, const unsigned* from)
    {
        constexpr digits own = D.reg.only(1);
        if constexpr(own.count == 0 || (own.count == 1 && own.at[0].stride == 1))
        {
            constexpr int aligned = position_count % 4 == 0 ? 16 : position_count % 2 == 0 ? 8 : 4;
            check_lds_read(from, sizeof to);
            __builtin_memcpy(&to, __builtin_assume_aligned(from, aligned), sizeof to);
        }
        else
            static_for<position_count>([&](auto j) {
                check_lds_read(from + own.along(1, j), sizeof(unsigned));
                to.values[j] = from[own.along(1, j)];
            });
    }

    memory_range memory_;
    staged map_;
    classes classes_;
    multi_index<classes::digits> first_class_;
    int used_; // classes in the tile
    position_digits chunk_;
    unsigned* lds_;
    int at_, ahead_; // in the table
    detail::per_thread<own, copies_of(D.threads())> own_;
};

// A lookup window of the tile that `D` distributes, at `origin` (row, position) of the view; its rows are in at most
// `Classes` classes.
template <distribution D, int Classes, class T, class Map>
CK_TILE_FN auto make_lookup_window(const tensor_view<T, Map>& view, const multi_index<2>& origin, unsigned* lds)
{
    return lookup_window<T, Map, D, Classes>{view, origin, lds};
}

} // namespace ck_tile

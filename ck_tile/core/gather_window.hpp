// SPDX-License-Identifier: MIT
// A window whose rows stay: gathered from wherever they are, as the windows of a convolution, while its columns move.
//
// Where a row lies, and what guards say of it, a thread works out once. Each guard depends on the row and on one digit of the
// columns' merge, such as a filter's tap along one dimension. Where there is one such digit a row keeps the range of its values that
// exist, of any length. Where there are more it has one bit for each value of each, and an element exists if no bit that its column
// selects is set.
//
// Columns of a thread that follow each other without a carry, such as channels of one tap, can be a run: only where the first one of
// it is, is worked out.
//
//   auto x = make_gather_window<distribution, run>(view, origin);       // view: [rows, columns]
//   tile = load(x); x.move(step);
#pragma once

#include "ck_tile/core/window.hpp"

namespace ck_tile
{

// Values of several digits that guards depend on, together at most.
inline constexpr int gather_bits = 30;

namespace detail
{
// For which values of the columns' digits a row exists, here one bit for each for which it does not. Of a digit `first` is where its
// part of a word begins, which has width(values) bits.
class row_bits
{
    static constexpr unsigned beyond = 1u << gather_bits;       // what columns beyond the view select
    static constexpr unsigned always = 1u << (gather_bits + 1); // what all others do, and rows beyond the view miss

  public:
    static constexpr CK_TILE_FN int width(int values) { return values; }
    static constexpr CK_TILE_FN row_bits of_row(bool inside) { return row_bits{inside ? beyond : ~0u}; }

    // Calls each_row(visit), which calls visit(row, here) for all rows of a thread: the coordinate of a value is `here` + value * `by`,
    // and those exist that are below `limit`.
    static CK_TILE_FN void guard(int first, int values, int by, int limit, auto&& each_row)
    {
        // Where a value moves by one, those that exist are a run: value v is inside from -here on, or to here. One or two are looked at one
        // by one in fewer instructions.
        if((by == 1 || by == -1) && values > 2)
            each_row([&](row_bits& row, int here) {
                const int from = by == 1 ? -here : 1 - limit + here, end = from + limit;
                row.missing_ |= (bits_below(values) & ~(bits_below(end) & ~bits_below(from))) << first;
            });
        else
        {
            CK_TILE_KEEP_LOOP
            for(int v = 0; v < values; ++v)
                each_row([&](row_bits& row, int here) {
                    row.missing_ |= unsigned(unsigned(here + v * by) >= unsigned(limit)) << (first + v);
                });
        }
    }

    // The word of a column is the sum of what its digits' values are there; or it lies beyond the view.
    static constexpr CK_TILE_FN unsigned of_value(int first, int value) { return 1u << (first + value); }
    static constexpr CK_TILE_FN unsigned of_column(bool inside, unsigned values)
    {
        return inside ? always | values : beyond;
    }

    CK_TILE_FN bool has(unsigned column) const { return (missing_ & column) == 0; }

  private:
    explicit constexpr CK_TILE_FN row_bits(unsigned missing) : missing_(missing) {}

    // The bits of the values below n, of gather_bits at most.
    static CK_TILE_FN unsigned bits_below(int n) { return (1u << (n < 0 ? 0 : n > gather_bits ? gather_bits : n)) - 1; }

    unsigned missing_;
};

// The same for one digit: its values that exist are a range.
class row_range
{
  public:
    static constexpr CK_TILE_FN int width(int) { return 0; }
    static constexpr CK_TILE_FN row_range of_row(bool inside) { return row_range{0, inside ? all : 0}; }

    // `by` is not 0.
    static CK_TILE_FN void guard(int, int values, int by, int limit, auto&& each_row)
    {
        const int size   = by < 0 ? -by : by;
        const auto steps = [&](int length) { return size == 1 ? length : length / size; };
        each_row([&](row_range& row, int here) {
            const int start = by < 0 ? limit - 1 - here : here; // value v exists if 0 <= start + v * size < limit
            const int from  = start >= 0 ? 0 : steps(size - 1 - start);
            const int end   = start >= limit ? 0 : steps(limit - 1 - start) + 1;
            row.narrow(from, end < values ? end : values);
        });
    }

    static constexpr CK_TILE_FN unsigned of_value(int, int value) { return static_cast<unsigned>(value); }
    static constexpr CK_TILE_FN unsigned of_column(bool inside, unsigned value) { return inside ? value : ~0u; }

    CK_TILE_FN bool has(unsigned column) const { return column - first_ < size_; }

  private:
    static constexpr unsigned all = ~0u >> 1;

    constexpr CK_TILE_FN row_range(unsigned first, unsigned size) : first_(first), size_(size) {}

    CK_TILE_FN void narrow(int from, int end)
    {
        const int now = static_cast<int>(first_), end_now = static_cast<int>(first_ + size_);
        from   = from > now ? from : now;
        end    = end < end_now ? end : end_now;
        first_ = static_cast<unsigned>(from);
        size_  = end > from ? static_cast<unsigned>(end - from) : 0;
    }

    unsigned first_, size_;
};

// The digits of a dimension's merge that guards depend on.
template <class Below, class Placed>
struct guarded_digits
{
    static constexpr int count = Placed::lower.count;

    static constexpr int guarded()
    {
        int n = 0;
        for(int i = 0; i < count; ++i)
            n += has(i);
        return n;
    }
    static constexpr bool has(int i) { return Below::guards_along(Placed::lower.at[i]); }
    static constexpr bool depends(int guard, int i) { return Below::guard_depends_on(guard, Placed::lower.at[i]); }
    static constexpr bool one_each()
    {
        for(int g = 0; g < Below::guards; ++g)
        {
            int digits = 0;
            for(int i = 0; i < count; ++i)
                digits += depends(g, i);
            if(digits > 1)
                return false;
        }
        return true;
    }
};
} // namespace detail

template <class T, class Map, distribution D, int Run>
class gather_window
{
    using staged        = detail::staged_map<Map>;
    using below         = decltype(staged{}.below);
    using columns_place = std::remove_cvref_t<decltype(member<1>(staged{}.layer))>;
    using digits        = detail::guarded_digits<below, columns_place>;
    static_assert(staged::rank == 2, "gather_window: the view has two dimensions, rows and columns");
    static_assert(digits::one_each(), "gather_window: a guard may depend on one digit of the columns");

    static constexpr int row_count = D.reg.only(0).size(), runs = D.reg.only(1).size() / Run;
    static_assert(D.reg.only(1).size() % Run == 0 && (Run == 1 || D.reg.only(1).at[0].stride == 1) &&
                      (D.vector_dim() == 1 ? Run == 1 : true),
                  "gather_window: a run is of registers whose columns follow each other");

  public:
    using element                        = T;
    static constexpr distribution layout = D;
    static_assert(D.vec.count <= 1 && D.contiguous() == D.vecs(),
                  "gather_window: a vector register must be contiguous along one dimension to be moved by one access");

    // The window whose element 0 lies at `origin` of the view. Digits of the columns that guards depend on have gather_bits values
    // together at most, or are one of any length; the last digit's extent, and the origin's column, are multiples of Run.
    CK_TILE_FN gather_window(const tensor_view<T, Map>& view, const multi_index<2>& origin)
        : memory_(view.data, view.elements * static_cast<std::int64_t>(sizeof(T))), map_(detail::staged(view.map))
    {
        const auto& rows    = member<0>(map_.layer);
        const auto& columns = member<1>(map_.layer).transform;
        const int length    = map_.lengths()[0];
        for_each_thread<D>([&](thread t) {
            own& o = own_[t.copy];
            footprint<staged::guards> first[row_count]; // where rows lie where all digits of the column are 0
            static_for<row_count>([&](auto i) {
                constexpr int beyond_first = D.reg.only(0).along(0, i);
                const int number           = origin[0] + first_element<D, 0>(t) + beyond_first;
                multi_index<below::rank> l;
                rows.scatter(rows.transform.map({number}), l);
                first[i]          = map_.below(l);
                const bool inside = number < length;
                o.row[i]          = {inside ? detail::byte_offset<T>(first[i].offset) : 0u, existing::of_row(inside)};
            });
            find_missing(o, first);
            o.at = origin[1] + first_element<D, 1>(t);
            static_for<runs>([&](auto j) { o.digits[j] = columns.map({o.at + entry<firsts_of_runs>(j)}); });
        });
    }

    template <int Dim>
    CK_TILE_FN constexpr auto step(int by) const
    {
        static_assert(Dim == 1, "gather_window: moves along its columns");
        const auto& columns = member<1>(map_.layer).transform;
        using lower         = multi_index<columns_place::lower.count>;
        return window_step<1, lower>{by, detail::step_of(columns, by), 0};
    }

    template <class Lower>
    CK_TILE_FN void move(const window_step<1, Lower>& step)
    {
        for_each_thread<D>([&](thread t) {
            own& o = own_[t.copy];
            o.at += step.by;
            static_for<runs>([&](auto j) {
                o.digits[j] = detail::advance(member<1>(map_.layer).transform, o.digits[j], step.digits);
            });
        });
    }

    // Calls visit(register number, gathered) for each vector register of the thread.
    template <class Visit>
    CK_TILE_FN void each_access(thread t, Visit&& visit) const
    {
        const own& o = own_[t.copy];
        unsigned offset[runs], selected[runs];
        const int length = map_.lengths()[1];
        // Unsigned, so that differences of more elements than an int holds wrap, as bytes do.
        const unsigned origin = static_cast<unsigned>(map_.below({}).offset);
        const unsigned next   = detail::byte_offset<T>(next_in_run().offset - origin);
        static_for<runs>([&](auto j) {
            multi_index<below::rank> l;
            member<1>(map_.layer).scatter(o.digits[j], l);
            offset[j]   = detail::byte_offset<T>(map_.below(l).offset - origin);
            selected[j] = existing::of_column(o.at + entry<firsts_of_runs>(j) < length, word_of(o.digits[j]));
        });
        static_for<D.regs()>([&](auto r) {
            constexpr int i = D.reg.number_in(0, r), j = D.reg.number_in(1, r);
            visit(r, gathered{.row    = o.row[i].offset,
                              .column = offset[j / Run] + j % Run * next,
                              .exists = o.row[i].values.has(selected[j / Run])});
        });
    }

    CK_TILE_FN const memory_range& memory() const { return memory_; }

  private:
    using existing = std::conditional_t<digits::guarded() == 1, detail::row_range, detail::row_bits>;

    struct row
    {
        unsigned offset = 0; // bytes
        existing values = existing::of_row(false);
    };

    // What one thread keeps.
    struct own
    {
        row row[row_count];
        int at;
        multi_index<columns_place::lower.count> digits[runs];
    };

    // The first column of each run.
    static constexpr auto firsts_of_runs = [] {
        constants<int, runs> firsts;
        for(int j = 0; j < runs; ++j)
            firsts.values[j] = D.reg.only(1).along(1, j * Run);
        return firsts;
    }();

    // Where the second column of a run would be whose first is at 0.
    CK_TILE_FN auto next_in_run() const
    {
        multi_index<below::rank> one;
        one[columns_place::lower.at[columns_place::lower.count - 1]] = 1;
        return map_.below(one);
    }

    // How many values a digit of the columns has, of a merge: what nothing is guarded along may be none.
    static CK_TILE_FN int values_of(const auto& columns, int digit) { return length_of(columns.extents[digit]); }

    // The word of a column: digits that guards depend on have their parts one behind the other.
    CK_TILE_FN unsigned word_of(const auto& column) const
    {
        unsigned word = 0;
        int first     = 0;
        static_for<digits::count>([&](auto i) {
            if constexpr(digits::has(i))
            {
                word |= existing::of_value(first, column[i]);
                first += existing::width(values_of(member<1>(map_.layer).transform, i));
            }
        });
        return word;
    }

    // Takes from the rows the values of each digit at which they do not exist.
    CK_TILE_FN void find_missing(own& o, footprint<staged::guards> (&at)[row_count]) const
    {
        const auto limits = map_.below.limits();
        const auto origin = map_.below({});
        int first         = 0; // bit of the digit
        static_for<digits::count>([&](auto d) {
            if constexpr(digits::has(d))
            {
                multi_index<below::rank> one;
                one[columns_place::lower.at[d]] = 1;
                const auto step                 = map_.below(one) - origin;
                const int values                = values_of(member<1>(map_.layer).transform, d);
                static_for<staged::guards>([&](auto g) {
                    if constexpr(digits::depends(g, d))
                        existing::guard(first, values, step.guarded[g], limits[g], [&](auto&& visit) {
                            static_for<row_count>([&](auto i) { visit(o.row[i].values, at[i].guarded[g]); });
                        });
                });
                first += existing::width(values);
            }
        });
    }

    memory_range memory_;
    staged map_;
    detail::per_thread<own, copies_of(D.threads())> own_;
};

// A gather window of the tile that `D` distributes, at `origin` (row, column) of the view.
template <distribution D, int Run = 1, class T, class Map>
CK_TILE_FN auto make_gather_window(const tensor_view<T, Map>& view, const multi_index<2>& origin)
{
    return gather_window<T, Map, D, Run>{view, origin};
}

} // namespace ck_tile

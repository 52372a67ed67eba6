// SPDX-License-Identifier: MIT
// Kernels with one mistake each, which the checker of the host target rejects; and the same kernels without it, of which it says nothing.
// docs/writing_kernels.md shows what stands between marks.
#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/runtime/device.hpp"
#include "ck_tile/runtime/host_checks.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/arrive_wait_barrier.hpp"
#include "ck_tile/verbs/box_copy.hpp"
#include "ck_tile/verbs/copy.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ck_tile/verbs/reduce_into_lds.hpp"
#include "ck_tile/verbs/stage_ring.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ck_tile
{
namespace
{

// Two waves and rows of floats: a wave has a row, or half of the columns of both; or a lane has other columns than in a row.
template <architecture A>
inline constexpr int lanes = facts(A).wave;
template <architecture A>
inline constexpr int columns = 4 * lanes<A>;
template <architecture A>
inline constexpr distribution by_row = {
    .lengths = {2, columns<A>}, .wave = {{2, 0, 1}}, .lane = {{lanes<A>, 1, 4}}, .reg = {}, .vec = {{4, 1, 1}}};
template <architecture A>
inline constexpr distribution by_column = {.lengths = {2, columns<A>},
                                           .wave    = {{2, 1, columns<A> / 2}},
                                           .lane    = {{lanes<A>, 1, 2}},
                                           .reg     = {{2, 0, 1}},
                                           .vec     = {{2, 1, 1}}};
template <architecture A>
inline constexpr distribution by_lane = {
    .lengths = {2, columns<A>}, .wave = {{2, 0, 1}}, .lane = {{lanes<A>, 1, 1}}, .reg = {{4, 1, lanes<A>}}, .vec = {}};
template <architecture A>
using rows_in_lds = lds_tile<float, lds_layout{.rows = 2, .cols = columns<A>}>;

struct buffers
{
    float* x;
    float* y;
    unsigned* counters;
};

template <architecture A, int Lds = rows_in_lds<A>::bytes, int Waves = 2>
struct program_base
{
    static constexpr architecture arch = A;
    static constexpr int threads = Waves * lanes<A>, lds_bytes = Lds;
    using arguments = buffers;
};

template <architecture A>
auto rows_of(float* from)
{
    return packed_view(from, multi_index{2, columns<A>});
}
template <architecture A, distribution D = by_row<A>>
auto window_of(float* from)
{
    return make_window<D>(rows_of<A>(from), multi_index{0, 0});
}

// Waves, and LDS

template <architecture A, bool Wrong>
struct read_without_a_barrier : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        const auto x = load(window_of<A>(p.x));
        if constexpr(Wrong)
        {
            // [read_without_a_barrier]
            store(lds, x);
            const auto y = load<by_column<A>>(lds); // sync() in between
            // [/read_without_a_barrier]
            store(window_of<A, by_column<A>>(p.y), y);
        }
        else
        {
            store(lds, x);
            in.sync();
            store(window_of<A, by_column<A>>(p.y), load<by_column<A>>(lds));
        }
    }
};

template <architecture A, bool Wrong>
struct overwritten_without_a_barrier : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        const auto next = fill<float, by_row<A>>(1.f);
        store(lds, load(window_of<A>(p.x)));
        in.sync();
        if constexpr(Wrong)
        {
            // [overwritten_without_a_barrier]
            const auto y = load<by_column<A>>(lds);
            store(lds, next); // sync() before
            // [/overwritten_without_a_barrier]
            store(window_of<A, by_column<A>>(p.y), y);
        }
        else
        {
            const auto y = load<by_column<A>>(lds);
            in.sync();
            store(lds, next);
            store(window_of<A, by_column<A>>(p.y), y);
        }
    }
};

template <architecture A, bool Wrong>
struct written_twice_without_a_barrier : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        store(lds, load(window_of<A>(p.x)));
        if(!Wrong)
            in.sync();
        store(lds, fill<float, by_column<A>>(1.f));
        in.sync();
        store(window_of<A>(p.y), load<by_row<A>>(lds));
    }
};

template <architecture A, bool Wrong>
struct last_barrier_of_a_loop : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        auto sum = fill<float, by_column<A>>(0.f);
        for(int i = 0; i < 3; ++i)
        {
            store(lds, load(window_of<A>(p.x)));
            in.sync();
            sum = map([](float s, float x) { return s + x; }, sum, load<by_column<A>>(lds));
            store(lds, sum); // where no other wave reads
            if(!Wrong || i == 0)
                in.sync();
        }
        store(window_of<A, by_column<A>>(p.y), sum);
    }
};

// Two waves have read it, and the second one overwrites it.
template <architecture A, bool Wrong>
struct overwritten_by_the_last_to_read : program_base<A>
{
    static void run(const block& in, const buffers&)
    {
        const auto numbers = in.lds_at<float>(0);
        for_each_index<by_row<A>>(lanes<A>, [&](thread, int i) { numbers[i] = 1; });
        in.sync();
        for(const int wave : {0, 1})
            for_each_thread<by_row<A>>([&](thread t) {
                if(t.wave == wave)
                    (void)float(numbers[t.lane]);
            });
        if(!Wrong)
            in.sync();
        for_each_thread<by_row<A>>([&](thread t) {
            if(t.wave == 1)
                numbers[t.lane] = 2;
        });
    }
};

// Of a vector the first element is the wave's own, the others are those of another one.
template <architecture A, class F>
void each_element_of_two_waves(const F& f)
{
    for_each_thread<by_row<A>>([&](thread t) {
        for(int v = 0; v < 4; ++v)
        {
            if(t.wave == (v == 0 ? 0 : 1))
                f(4 * t.lane + v);
            if(t.wave == 1)
                f(columns<A> + 4 * t.lane + v);
        }
    });
}

template <architecture A, bool Wrong>
struct vector_that_two_waves_have_written : program_base<A>
{
    static void run(const block& in, const buffers&)
    {
        const auto numbers = in.lds_at<float>(0);
        each_element_of_two_waves<A>([&](int i) { numbers[i] = 1; });
        if(!Wrong)
            in.sync();
        (void)load<by_row<A>>(rows_in_lds<A>{numbers});
    }
};

template <architecture A, bool Wrong>
struct vector_that_two_waves_have_read : program_base<A>
{
    static void run(const block& in, const buffers&)
    {
        const auto numbers = in.lds_at<float>(0);
        store(rows_in_lds<A>{numbers}, fill<float, by_row<A>>(1.f));
        in.sync();
        each_element_of_two_waves<A>([&](int i) { (void)float(numbers[i]); });
        if(!Wrong)
            in.sync();
        store(rows_in_lds<A>{numbers}, fill<float, by_row<A>>(2.f));
    }
};

template <architecture A, bool Wrong>
struct element_of_another_wave : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const auto numbers = in.lds_at<float>(0);
        for_each_index<by_row<A>>(2 * lanes<A>, [&](thread, int i) { numbers[i] = float(i); });
        if(!Wrong)
            in.sync();
        tile<float, by_row<A>> y;
        for_each_thread<by_row<A>>([&](thread t) {
            for_each_element<by_row<A>>(
                [&](int r, int v) { y.file_of(t).set(r, v, numbers[(1 - t.wave) * lanes<A> + t.lane]); });
        });
        store(window_of<A>(p.y), y);
    }
};

template <architecture A, bool Wrong>
struct lds_that_nobody_has_written : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        if constexpr(Wrong)
        {
            // [lds_that_nobody_has_written]
            in.sync(); // store(lds, x) before
            const auto y = load<by_row<A>>(lds);
            // [/lds_that_nobody_has_written]
            store(window_of<A>(p.y), y);
        }
        else
        {
            store(lds, load(window_of<A>(p.x)));
            in.sync();
            store(window_of<A>(p.y), load<by_row<A>>(lds));
        }
    }
};

// A sum that counts on zeros.
template <architecture A, bool Wrong>
struct sum_that_is_not_cleared : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const auto sums = in.lds_at<float>(0);
        if(!Wrong)
            for_each_index<by_row<A>>(2 * lanes<A>, [&](thread, int i) { sums[i] = 0; });
        for_each_index<by_row<A>>(2 * lanes<A>, [&](thread, int i) { sums[i] += float(i); });
        tile<float, by_row<A>> y = fill<float, by_row<A>>(0.f);
        store(window_of<A>(p.y), y);
    }
};

template <architecture A, bool>
struct lds_too_small : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        store(lds, load(window_of<A>(p.x)));
        in.sync();
        store(window_of<A>(p.y), load<by_row<A>>(lds));
    }
};
template <architecture A>
struct lds_too_small<A, true> : lds_too_small<A, false>
{
    // [lds_too_small]
    static constexpr int lds_bytes = rows_in_lds<A>::bytes - 1; // rows_in_lds<A>::bytes, or sizeof(plan)
    // [/lds_too_small]
};

template <architecture A, bool Wrong>
struct element_behind_lds : program_base<A>
{
    static void run(const block& in, const buffers&)
    {
        const auto numbers = in.lds_at<float>(0);
        for_each_index<by_row<A>>(2 * columns<A> + Wrong, [&](thread, int i) { numbers[i] = 1; });
    }
};

template <architecture A, bool Wrong>
struct lds_not_aligned : program_base<A, rows_in_lds<A>::bytes + 16>
{
    static void run(const block& in, const buffers& p)
    {
        const auto x = load(window_of<A>(p.x));
        if constexpr(Wrong)
        {
            // [lds_not_aligned]
            const rows_in_lds<A> lds{in.lds_at<float>(4)}; // 16, or 32
            store(lds, x);
            // [/lds_not_aligned]
        }
        else
        {
            const rows_in_lds<A> lds{in.lds_at<float>(16)};
            store(lds, x);
        }
    }
};

template <architecture A, bool Wrong>
struct origin_beyond_the_tile : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        store(lds, load(window_of<A>(p.x)));
        in.sync();
        if constexpr(Wrong)
        {
            // [origin_beyond_the_tile]
            const auto some = load<by_row<A>>(lds, multi_index{1, 0}); // {0, 0}
            // [/origin_beyond_the_tile]
            store(window_of<A>(p.y), some);
        }
        else
        {
            const auto some = load<by_row<A>>(lds, multi_index{0, 0});
            store(window_of<A>(p.y), some);
        }
    }
};

template <architecture A>
struct ring_plan
{
    lds_memory<rows_in_lds<A>, 2> ring;
    lds_memory<rows_in_lds<A>> behind;
};
template <architecture A, bool Wrong>
struct stage_beyond_the_ring : program_base<A, sizeof(ring_plan<A>)>
{
    static void run(const block& in, const buffers& p)
    {
        const auto x    = load(window_of<A>(p.x));
        const auto ring = in.lds_at<&ring_plan<A>::ring>();
        if constexpr(Wrong)
        {
            // [stage_beyond_the_ring]
            store(ring[2], x); // 0 or 1
            // [/stage_beyond_the_ring]
        }
        else
            store(ring[1], x);
    }
};

template <architecture A>
struct array_plan
{
    lds_memory<float[lanes<A>]> few;
    lds_memory<float[lanes<A>]> behind;
};
template <architecture A, bool Wrong>
struct element_beyond_the_array : program_base<A, sizeof(array_plan<A>)>
{
    static void run(const block& in, const buffers&)
    {
        const auto few = in.lds_at<&array_plan<A>::few>();
        if constexpr(Wrong)
        {
            // [element_beyond_the_array]
            for_each_index<by_row<A>>(few.length + 1, [&](thread, int i) { few[i] = 1; }); // few.length
            // [/element_beyond_the_array]
        }
        else
            for_each_index<by_row<A>>(few.length, [&](thread, int i) { few[i] = 1; });
    }
};

template <architecture A, bool>
struct reduce_without_lds : program_base<A, reduce_lds_bytes<by_row<A>, float>(0)>
{
    static void run(const block& in, const buffers& p)
    {
        const auto x = load(window_of<A>(p.x));
        (void)reduce<0>(in, x, [](float l, float r) { return l + r; });
    }
};
template <architecture A>
struct reduce_without_lds<A, true> : reduce_without_lds<A, false>
{
    // [reduce_without_lds]
    static constexpr int lds_bytes = 0; // sizeof(plan), with lds_memory<reduce_partials<by_row<A>, 0>>
    // [/reduce_without_lds]
};

template <architecture A, bool Wrong>
struct reduce_into_a_short_array : program_base<A, sizeof(array_plan<A>)>
{
    static void run(const block& in, const buffers&)
    {
        const auto read = [](thread, int o, int k) { return float(o + k); };
        const auto plus = [](float l, float r) { return l + r; };
        if constexpr(Wrong)
        {
            // [reduce_into_a_short_array]
            reduce_into_lds<by_row<A>, &array_plan<A>::few>(in, lanes<A> - 1, 4, read, plus); // lanes<A> - 2: 2 waves
            // [/reduce_into_a_short_array]
        }
        else
            reduce_into_lds<by_row<A>, &array_plan<A>::few>(in, lanes<A> - 2, 4, read, plus);
    }
};

// Barriers, roles, shapes

template <architecture A, bool Wrong>
struct barrier_of_one_thread : program_base<A>
{
    static void run(const block& in, const buffers&)
    {
        if constexpr(Wrong)
        {
            // [barrier_of_one_thread]
            for_each_thread<by_row<A>>([&](thread) { in.sync(); }); // outside
            // [/barrier_of_one_thread]
        }
        else
            in.sync();
        in.sync();
    }
};

template <architecture A, bool Wrong>
struct verb_of_one_thread : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const auto y = window_of<A>(p.y);
        const auto x = fill<float, by_row<A>>(1.f);
        if constexpr(Wrong)
        {
            // [verb_of_one_thread]
            for_each_thread<by_row<A>>([&](thread) { store(y, x); }); // outside
            // [/verb_of_one_thread]
        }
        else
            store(y, x);
    }
};

template <architecture A, bool Wrong>
struct barrier_of_some_waves : program_base<A>
{
    static void run(const block& in, const buffers&)
    {
        if constexpr(Wrong)
        {
            // [barrier_of_some_waves]
            const role_scope role(0, 1); // first wave, how many
            in.sync();                   // sync_waves(), or behind the role
            // [/barrier_of_some_waves]
        }
        else
        {
            const role_scope role(0, 2);
            in.sync();
        }
    }
};

template <architecture A, bool>
struct more_waves_than_the_tile : program_base<A, 0>
{
    static void run(const block&, const buffers& p) { store(window_of<A>(p.y), load(window_of<A>(p.x))); }
};
template <architecture A>
struct more_waves_than_the_tile<A, true> : more_waves_than_the_tile<A, false>
{
    // [more_waves_than_the_tile]
    static constexpr int threads = 4 * lanes<A>; // by_row<A>.threads()
    // [/more_waves_than_the_tile]
};

template <architecture A, bool Wrong>
struct lanes_of_another_wave : program_base<A>
{
    static constexpr architecture other = lanes<A> == 64 ? architecture::gfx11 : architecture::gfx942;

    static void run(const block&, const buffers& p)
    {
        if constexpr(Wrong)
        {
            // [lanes_of_another_wave]
            constexpr distribution row = by_row<other>; // by_row<A>
            store(window_of<other, row>(p.y), fill<float, row>(0.f));
            // [/lanes_of_another_wave]
        }
        else
            store(window_of<A>(p.y), fill<float, by_row<A>>(0.f));
    }
};

// An instruction of fp16, or one of another architecture.
template <architecture A, bool Wrong>
struct instruction_of_others : program_base<A, 0, 1>
{
    static constexpr gemm::shape mfma = {32, 32, 32, 1, 1, opcode::mfma_32x32x8_fp16},
                                 wmma = {16, 16, 32, 1, 1, opcode::wmma_16x16x16_fp16},
                                 mma  = {16, 8, 32, 1, 1, opcode::mma_16x8x16_fp16};
    // [instruction_of_others]
    static constexpr gemm::shape later = {32, 32, 32, 1, 1, opcode::mfma_32x32x16_fp16}; // gfx950 has it
    // [/instruction_of_others]
    static constexpr gemm::shape s = A == architecture::gfx942  ? (Wrong ? later : mfma)
                                     : A == architecture::gfx11 ? (Wrong ? mma : wmma)
                                                                : (Wrong ? wmma : mma);

    static void run(const block&, const buffers&)
    {
        auto acc = accumulators<s>();
        ck_tile::mma<s>(acc, fill<fp16, gemm::a_fragments(s)>(fp16(0)), fill<fp16, gemm::b_fragments(s)>(fp16(0)));
    }
};

// Memory

template <architecture A, bool Wrong>
struct view_longer_than_its_memory : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const multi_index origin{0, 0};
        if constexpr(Wrong)
        {
            // [view_longer_than_its_memory]
            const tensor_view x{p.x, 2 * columns<A> - 1, packed(multi_index{2, columns<A>})}; // 2 * columns<A>
            const auto y = load(make_window<by_row<A>>(x, origin));
            // [/view_longer_than_its_memory]
            store(window_of<A>(p.y), y);
        }
        else
        {
            const tensor_view x{p.x, 2 * columns<A>, packed(multi_index{2, columns<A>})};
            const auto y = load(make_window<by_row<A>>(x, origin));
            store(window_of<A>(p.y), y);
        }
    }
};

template <architecture A, bool Wrong>
struct strides_beyond_the_memory : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const tensor_view x{p.x, std::int64_t(2) * columns<A>,
                            strided<2>{{2, columns<A>}, {Wrong ? 2 * columns<A> : columns<A>, 1}}};
        store(make_window<by_row<A>>(x, multi_index{0, 0}), fill<float, by_row<A>>(1.f));
    }
};

template <architecture A, bool Wrong>
struct strides_before_the_memory : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const tensor_view x{p.x, std::int64_t(2) * columns<A>,
                            strided<2>{{2, columns<A>}, {Wrong ? -columns<A> : columns<A>, 1}}};
        (void)load(make_window<by_row<A>>(x, multi_index{0, 0}));
    }
};

template <architecture A, bool Wrong>
struct view_behind_a_buffer : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const multi_index origin{0, 0};
        if constexpr(Wrong)
        {
            // [view_behind_a_buffer]
            const auto y = load(make_window<by_row<A>>(packed_view(p.x + 4, 2, columns<A>), origin)); // p.x
            // [/view_behind_a_buffer]
            store(window_of<A>(p.y), y);
        }
        else
        {
            const auto y = load(make_window<by_row<A>>(packed_view(p.x, 2, columns<A>), origin));
            store(window_of<A>(p.y), y);
        }
    }
};

template <architecture A, bool Wrong>
struct view_before_a_buffer : program_base<A>
{
    static void run(const block&, const buffers& p) { (void)load(window_of<A>(p.x - (Wrong ? 4 : 0))); }
};

template <architecture A, bool Wrong>
struct pointer_behind_a_buffer : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        if constexpr(Wrong)
        {
            // [pointer_behind_a_buffer]
            for_each_index<by_row<A>>(1, [&](thread, int) { p.y[2 * columns<A>] = 1; }); // 2 * columns<A> - 1
            // [/pointer_behind_a_buffer]
        }
        else
            for_each_index<by_row<A>>(1, [&](thread, int) { p.y[2 * columns<A> - 1] = 1; });
    }
};

template <architecture A, bool Wrong>
struct vector_across_rows : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const multi_index<2> strides = Wrong ? multi_index{1, 2} : multi_index{columns<A>, 1};
        const tensor_view x{p.x, std::int64_t(2) * columns<A>, strided<2>{{2, columns<A> - 3 * Wrong}, strides}};
        (void)load(make_window<by_column<A>>(x, multi_index{0, 0}));
    }
};

template <architecture A, bool Wrong>
struct vector_over_the_end_of_a_row : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const multi_index origin{0, 0};
        if constexpr(Wrong)
        {
            // [vector_over_the_end_of_a_row]
            const strided<2> map{{2, columns<A> - 2}, {columns<A>, 1}}; // columns<A> - 4
            const auto y = load(make_window<by_row<A>>(tensor_view{p.x, 2 * columns<A>, map}, origin));
            // [/vector_over_the_end_of_a_row]
            store(window_of<A>(p.y), y);
        }
        else
        {
            const strided<2> map{{2, columns<A> - 4}, {columns<A>, 1}};
            const auto y = load(make_window<by_row<A>>(tensor_view{p.x, 2 * columns<A>, map}, origin));
            store(window_of<A>(p.y), y);
        }
    }
};

template <architecture A, bool Wrong>
struct rows_not_aligned : program_base<A>
{
    static void run(const block&, const buffers& p)
    {
        const multi_index origin{0, 0};
        if constexpr(Wrong)
        {
            // [rows_not_aligned]
            const auto y = load(make_window<by_row<A>>(packed_view(p.x + 1, 1, columns<A> - 4), origin)); // p.x
            // [/rows_not_aligned]
            store(window_of<A>(p.y), y);
        }
        else
        {
            const auto y = load(make_window<by_row<A>>(packed_view(p.x, 1, columns<A> - 4), origin));
            store(window_of<A>(p.y), y);
        }
    }
};

template <architecture A, bool Wrong>
struct elements_of_two_blocks : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const auto y                    = packed_view(p.y, multi_index{4, columns<A> / 2});
        constexpr distribution two_rows = {.lengths = {2, columns<A> / 2},
                                           .wave    = {{2, 0, 1}},
                                           .lane    = {{lanes<A>, 1, 2}},
                                           .reg     = {},
                                           .vec     = {{2, 1, 1}}};
        const auto x                    = fill<float, two_rows>(1.f);
        if constexpr(Wrong)
        {
            // [elements_of_two_blocks]
            store(make_window<two_rows>(y, multi_index{int(in.at.x), 0}), x); // int(in.at.x) * 2
            // [/elements_of_two_blocks]
        }
        else
            store(make_window<two_rows>(y, multi_index{int(in.at.x) * 2, 0}), x);
    }
};

template <architecture A, bool Wrong>
struct block_that_reads_another : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        if(in.at.x == 0)
            store(window_of<A>(p.y), fill<float, by_row<A>>(1.f));
        else
            (void)load(window_of<A>(Wrong ? p.y : p.x));
    }
};

template <architecture A, bool Wrong>
struct waves_through_memory : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const auto y = rows_of<A>(p.y);
        const auto x = fill<float, by_row<A>>(1.f);
        const multi_index origin{0, 0};
        if constexpr(Wrong)
        {
            // [waves_through_memory]
            store(make_window<by_row<A>>(y, origin), x);
            in.sync();
            const auto z = load(make_window<by_column<A>>(y, origin)); // by_row<A>, or through LDS
            // [/waves_through_memory]
            (void)z;
        }
        else
        {
            store(make_window<by_row<A>>(y, origin), x);
            in.sync();
            (void)load(make_window<by_row<A>>(y, origin));
        }
    }
};

// The last of two blocks adds up what both have left, if it has counted them.
template <architecture A, bool Wrong>
struct blocks_that_do_not_arrive : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const auto rows            = packed_view(p.y, multi_index{2, columns<A>});
        constexpr distribution row = {.lengths = {1, columns<A>},
                                      .wave    = {{2, 1, columns<A> / 2}},
                                      .lane    = {{lanes<A>, 1, 2}},
                                      .reg     = {},
                                      .vec     = {{2, 1, 1}}};
        store(make_window<row>(rows, multi_index{int(in.at.x), 0}), fill<float, row>(1.f));
        bool last = true;
        if(!Wrong)
            last = arrive_in_memory<2>(p.counters) == 1;
        if(last)
            for(int block = 0; block < 2; ++block)
                (void)load(make_window<row>(rows, multi_index{block, 0}));
    }
};

// Both waves of the last of two blocks read what is left there, and so does a third block, which has not waited for it.
template <architecture A, bool Wrong>
struct block_that_reads_with_others : program_base<A>
{
    static constexpr distribution half_a_row = {
        .lengths = {1, 2 * lanes<A>}, .wave = {{2, 1, lanes<A>}}, .lane = {{lanes<A>, 1, 1}}, .reg = {}, .vec = {}};

    static void run(const block& in, const buffers& p)
    {
        if(in.at.x == 0)
            store(window_of<A>(p.y), fill<float, by_row<A>>(1.f));
        if(in.at.x < 2 && arrive_in_memory<2>(p.counters) == 1)
        {
            (void)load(window_of<A>(p.y));
            (void)load(window_of<A, by_column<A>>(p.y));
        }
        if(in.at.x == 2)
            (void)load(make_window<half_a_row>(rows_of<A>(Wrong ? p.y : p.x), multi_index{1, 0}));
    }
};

// What Hopper does meanwhile

constexpr architecture hopper = architecture::sm90;

template <architecture A, bool Wrong>
struct copies_not_waited_for : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        const auto x = window_of<A>(p.x);
        if constexpr(Wrong)
        {
            // [copies_not_waited_for]
            copy(x, lds);
            commit_copies();
            in.sync(); // wait_for_copies<0>() before
            const auto y = load<by_row<A>>(lds);
            // [/copies_not_waited_for]
            (void)y;
        }
        else
        {
            copy(x, lds);
            commit_copies();
            wait_for_copies<0>();
            in.sync();
            (void)load<by_row<A>>(lds);
        }
    }
};

// A box of two rows of 16 numbers of p.x, as rows_in_lds holds them, and its barrier.
template <architecture A>
struct box_plan
{
    alignas(128) std::byte rows[128];
    alignas(16) std::byte barrier[16];
};
template <architecture A>
struct boxes
{
    const block& in;
    tensor_map map;
    box_barrier<2, lanes<A>> copied{in.lds_at<mbarrier>(offsetof(box_plan<A>, barrier))};

    boxes(const block& b, const buffers& p) : in(b), map(packed_map(p.x, 4, {16, 2, 1, 1}, {16, 2, 1, 1}, false))
    {
        copied.init();
        in.sync();
    }
    void copy(int fewer = 0)
    {
        copied.copy([&](auto box) { box(in.lds_at<float>(0), map, {}, map.box_bytes() - fewer); });
    }
    void read() const
    {
        run_threads<1, 2, lanes<A>>([&](thread) { (void)float(*in.lds_at<float>(0)); });
    }
};

template <architecture A, bool Wrong>
struct box_that_is_not_waited_for : program_base<A, sizeof(box_plan<A>)>
{
    static void run(const block& in, const buffers& p)
    {
        boxes<A> b(in, p);
        b.copy();
        if(Wrong)
        {
            commit_copies();
            wait_for_copies<0>(); // of lines, not of boxes
            in.sync();
        }
        else
            b.copied.wait(0);
        b.read();
    }
};

template <architecture A, bool Wrong>
struct box_of_other_bytes : program_base<A, sizeof(box_plan<A>)>
{
    static void run(const block& in, const buffers& p)
    {
        boxes<A> b(in, p);
        b.copy(Wrong ? 16 : 0);
        b.copied.wait(0);
        b.read();
    }
};

// A box overwrites what both waves have read, or the first one alone, a lane of which copies it: its lanes meet for what it has read itself.
template <architecture A, bool Wrong, bool OfOneWave>
struct box_overwrites : program_base<A, sizeof(box_plan<A>)>
{
    static void run(const block& in, const buffers& p)
    {
        boxes<A> b(in, p);
        b.copy();
        b.copied.wait(0);
        if(OfOneWave)
        {
            const role_scope reading(0, 1);
            const auto numbers = in.lds_at<float>(0);
            run_threads<1, 1, lanes<A>>([&](thread t) { (void)float(numbers[t.lane % 16]); });
        }
        else
            b.read();
        if(OfOneWave != Wrong)
            sync_wave();
        else if(!Wrong)
            in.sync();
        b.copy();
        b.copied.wait(1);
    }
};
template <architecture A, bool Wrong>
using box_over_what_is_read = box_overwrites<A, Wrong, false>;
template <architecture A, bool Wrong>
using box_over_what_lanes_read = box_overwrites<A, Wrong, true>;

// Two rows of 16 numbers in LDS, a row of each of two waves, which are stored to p.y as a box.
template <architecture A>
struct box_of_rows
{
    const block& in;
    tensor_map map;
    float* rows = in.lds_at<float>(0);

    box_of_rows(const block& b, const buffers& p) : in(b), map(packed_map(p.y, 4, {16, 2, 1, 1}, {16, 2, 1, 1}, false))
    {
    }
    void put(float x) const
    {
        run_threads<1, 2, lanes<A>>([&](thread t) {
            if(t.lane < 16)
                in.lds_of<float>(t, 0)[16 * t.wave + t.lane] = x;
        });
        see_copies();
    }
};

template <architecture A, bool Wrong>
struct box_stored_before_threads_meet : program_base<A, 128>
{
    static void run(const block& in, const buffers& p)
    {
        const box_of_rows<A> box(in, p);
        box_store<2, lanes<A>> boxes;
        box.put(1);
        if(!Wrong)
            in.sync();
        boxes.store(box.map, {}, box.rows);
        boxes.wait();
    }
};

template <architecture A, bool Wrong>
struct box_overwritten_before_it_is_stored : program_base<A, 128>
{
    static void run(const block& in, const buffers& p)
    {
        const box_of_rows<A> box(in, p);
        box_store<2, lanes<A>> boxes;
        box.put(1);
        in.sync();
        if constexpr(Wrong)
        {
            // [box_overwritten_before_it_is_stored]
            boxes.store(box.map, {}, box.rows); // boxes.wait() behind it
            in.sync();
            box.put(2);
            // [/box_overwritten_before_it_is_stored]
        }
        else
        {
            boxes.store(box.map, {}, box.rows);
            boxes.wait();
            in.sync();
            box.put(2);
        }
        boxes.wait();
    }
};

template <architecture A, bool Wrong>
struct one_batch_too_few : program_base<A, 2 * rows_in_lds<A>::bytes>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> first{in.lds_at<float>(0)}, second{in.lds_at<float>(rows_in_lds<A>::bytes)};
        copy(window_of<A>(p.x), first);
        commit_copies();
        copy(window_of<A>(p.y), second);
        commit_copies();
        wait_for_copies<1>();
        in.sync();
        (void)load<by_row<A>>(Wrong ? second : first);
    }
};

template <architecture A, bool Wrong>
struct copies_without_a_barrier : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        copy(window_of<A>(p.x), lds);
        commit_copies();
        wait_for_copies<0>();
        if(!Wrong)
            in.sync();
        (void)load<by_column<A>>(lds);
    }
};

template <architecture A, bool Wrong>
struct copy_over_what_is_read : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        store(lds, load(window_of<A>(p.x)));
        in.sync();
        (void)load<by_column<A>>(lds);
        if(!Wrong)
            in.sync();
        copy(window_of<A>(p.x), lds);
        commit_copies();
    }
};

// Of what has been read before, too.
template <architecture A, bool Wrong>
struct copy_between_two_reads : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        store(lds, load(window_of<A>(p.x)));
        in.sync();
        (void)load<by_row<A>>(lds);
        copy(window_of<A>(p.x), lds);
        commit_copies();
        if(!Wrong)
        {
            wait_for_copies<0>();
            in.sync();
        }
        (void)load<by_row<A>>(lds);
    }
};

constexpr gemm::shape of_lds        = {64, 64, 64, 4, 1, opcode::wgmma_64x64x16_fp16};
using operand_in_lds                = lds_tile<fp16, swizzled_128b<majorness::k>{64, 64}>;
constexpr distribution operand_rows = {
    .lengths = {64, 64}, .wave = {{4, 0, 16}}, .lane = {{8, 1, 8}, {4, 0, 1}}, .reg = {{4, 0, 4}}, .vec = {{8, 1, 1}}};

struct product_base : program_base<hopper, 2 * operand_in_lds::bytes, 4>
{
    static operand_in_lds a_in(const block& in) { return {in.lds_at<fp16>(0)}; }
    static operand_in_lds b_in(const block& in) { return {in.lds_at<fp16>(operand_in_lds::bytes)}; }
    static void put(const block& in)
    {
        store(a_in(in), fill<fp16, operand_rows>(fp16(0)));
        store(b_in(in), fill<fp16, operand_rows>(fp16(0)));
        see_copies();
        in.sync();
    }
};

template <architecture, bool Wrong>
struct accumulators_of_a_product_under_way : product_base
{
    static void run(const block& in, const buffers&)
    {
        put(in);
        const operand_in_lds a = a_in(in), b = b_in(in);
        auto acc = accumulators<of_lds>();
        if constexpr(Wrong)
        {
            // [accumulators_of_a_product_under_way]
            mma<of_lds>(acc, a, b);
            pin_accumulators(acc); // wait_for_products<0>() before
            // [/accumulators_of_a_product_under_way]
        }
        else
        {
            mma<of_lds>(acc, a, b);
            wait_for_products<0>();
            pin_accumulators(acc);
        }
        wait_for_products<0>();
    }
};

template <architecture, bool Wrong>
struct operands_of_a_product_under_way : product_base
{
    static void run(const block& in, const buffers&)
    {
        put(in);
        const operand_in_lds a = a_in(in), b = b_in(in);
        auto acc        = accumulators<of_lds>();
        const auto next = fill<fp16, operand_rows>(fp16(1));
        if constexpr(Wrong)
        {
            // [operands_of_a_product_under_way]
            mma<of_lds>(acc, a, b);
            in.sync(); // wait_for_products<0>() before
            store(a, next);
            // [/operands_of_a_product_under_way]
        }
        else
        {
            mma<of_lds>(acc, a, b);
            wait_for_products<0>();
            in.sync();
            store(a, next);
        }
        wait_for_products<0>();
    }
};

// The second product reads what the first one has read.
template <architecture, bool Wrong>
struct operands_of_the_last_product : product_base
{
    static void run(const block& in, const buffers&)
    {
        put(in);
        const operand_in_lds a = a_in(in), b = b_in(in);
        auto first = accumulators<of_lds>(), second = accumulators<of_lds>();
        mma<of_lds>(first, a, b);
        mma<of_lds>(second, a, b);
        wait_for_products<Wrong>();
        in.sync();
        store(a, fill<fp16, operand_rows>(fp16(1)));
        wait_for_products<0>();
    }
};

template <architecture, bool Wrong>
struct product_that_nobody_waits_for : product_base
{
    static void run(const block& in, const buffers&)
    {
        put(in);
        const operand_in_lds a = a_in(in), b = b_in(in);
        auto acc = accumulators<of_lds>();
        if constexpr(Wrong)
        {
            // [product_that_nobody_waits_for]
            mma<of_lds>(acc, a, b); // wait_for_products<0>() behind it
            // [/product_that_nobody_waits_for]
        }
        else
        {
            mma<of_lds>(acc, a, b);
            wait_for_products<0>();
        }
    }
};

template <architecture A, bool Wrong>
struct arrival_that_is_not_waited_for : program_base<A, rows_in_lds<A>::bytes + 16>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        arrive_wait_barrier<2, lanes<A>> done(in, rows_in_lds<A>::bytes);
        in.sync();
        store(lds, load(window_of<A>(p.x)));
        done.arrive();
        if(!Wrong)
            done.wait();
        (void)load<by_column<A>>(lds);
        done.close(in);
    }
};

template <architecture A, bool Wrong>
struct written_after_the_arrival : program_base<A, rows_in_lds<A>::bytes + 16>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        arrive_wait_barrier<2, lanes<A>> done(in, rows_in_lds<A>::bytes);
        in.sync();
        if(Wrong)
            done.arrive();
        store(lds, load(window_of<A>(p.x)));
        if(!Wrong)
            done.arrive();
        done.wait();
        (void)load<by_column<A>>(lds);
        done.close(in);
    }
};

template <architecture A>
struct mbarrier_plan
{
    lds_memory<arrive_wait_barrier<2, lanes<A>>> done;
};
template <architecture A, bool Wrong>
struct phase_that_nobody_ends : program_base<A, sizeof(mbarrier_plan<A>)>
{
    static void run(const block& in, const buffers&)
    {
        if constexpr(Wrong)
        {
            // [phase_that_nobody_ends]
            arrive_wait_barrier done(in, in.lds_at<&mbarrier_plan<A>::done>());
            in.sync();
            done.wait(); // done.arrive() before
            // [/phase_that_nobody_ends]
            done.close(in);
        }
        else
        {
            arrive_wait_barrier done(in, in.lds_at<&mbarrier_plan<A>::done>());
            in.sync();
            done.arrive();
            done.wait();
            done.close(in);
        }
    }
};

template <architecture A, bool Wrong>
struct mbarrier_of_another_wave : program_base<A, sizeof(mbarrier_plan<A>)>
{
    static void run(const block& in, const buffers&)
    {
        if constexpr(Wrong)
        {
            // [mbarrier_of_another_wave]
            arrive_wait_barrier done(in, in.lds_at<&mbarrier_plan<A>::done>());
            done.arrive(); // in.sync() before
            // [/mbarrier_of_another_wave]
            done.wait();
            done.close(in);
        }
        else
        {
            arrive_wait_barrier done(in, in.lds_at<&mbarrier_plan<A>::done>());
            in.sync();
            done.arrive();
            done.wait();
            done.close(in);
        }
    }
};

// Wave 1 overwrites what wave 0 has read, of which one lane says so.
template <architecture A, bool Wrong>
struct one_lane_arrives_for_all : program_base<A, 64 * 4 + 16>
{
    static void run(const block& in, const buffers&)
    {
        const auto numbers   = in.lds_at<float>(0);
        mbarrier* const free = in.lds_at<mbarrier>(64 * 4);
        const auto each_lane = [](auto&& f) { run_threads<1, 1, lanes<A>>(f); };
        run_one_thread<2, lanes<A>>([&] { free->init(1); });
        for_each_thread<by_row<A>>([&](thread t) { numbers[t.wave * lanes<A> + t.lane] = 1; });
        in.sync();
        {
            const role_scope usage(0, 1);
            if constexpr(Wrong)
            {
                // [one_lane_arrives_for_all]
                each_lane([&](thread t) { (void)float(numbers[t.lane]); });
                run_one_thread<1, lanes<A>>([&] { free->arrive(); }); // sync_wave() before
                // [/one_lane_arrives_for_all]
            }
            else
            {
                each_lane([&](thread t) { (void)float(numbers[t.lane]); });
                sync_wave();
                run_one_thread<1, lanes<A>>([&] { free->arrive(); });
            }
        }
        {
            const role_scope filling(1, 1);
            each_lane([&](thread) { free->wait(0); });
            each_lane([&](thread t) { numbers[t.lane] = 2; });
        }
        in.sync();
    }
};

template <architecture A, bool Wrong>
struct mbarrier_that_ends_too_early : program_base<A, sizeof(mbarrier_plan<A>)>
{
    static void run(const block& in, const buffers&)
    {
        mbarrier* const memory = in.lds_at<mbarrier>(0);
        arrive_wait_barrier done(in, in.lds_at<&mbarrier_plan<A>::done>());
        in.sync();
        done.arrive();
        if constexpr(Wrong)
        {
            // [mbarrier_that_ends_too_early]
            done.wait();
            for_each_index<by_row<A>>(1, [&](thread, int) { memory->invalidate(); }); // done.close(in)
            // [/mbarrier_that_ends_too_early]
        }
        else
        {
            done.wait();
            done.close(in);
        }
        in.sync();
    }
};

// One wave fills a stage that the other uses.
template <architecture A, bool Wrong, bool ReadsEarly>
struct ring_program : program_base<A, 64 * 4 + 64>
{
    static void run(const block& in, const buffers&)
    {
        constexpr distribution row = {
            .lengths = {1, lanes<A>}, .wave = {}, .lane = {{lanes<A>, 1, 1}}, .reg = {}, .vec = {}};
        const lds_tile<float, lds_layout{.rows = 1, .cols = lanes<A>}> stage{in.lds_at<float>(0)};
        stage_ring<1, 1, 1, lanes<A>> ring(in, 64 * 4);
        in.sync();
        for(int i = 0; i < 2; ++i)
        {
            {
                const role_scope filling(1, 1);
                ring.wait_free();
                if(!Wrong || ReadsEarly)
                    store(stage, fill<float, row>(1.f + i));
                ring.filled();
                if(Wrong && !ReadsEarly)
                    store(stage, fill<float, row>(1.f + i));
            }
            const role_scope usage(0, 1);
            ring.wait_full();
            if(!Wrong || !ReadsEarly)
                (void)load<row>(stage);
            ring.used();
            if(Wrong && ReadsEarly)
                (void)load<row>(stage);
        }
        ring.close(in);
    }
};
template <architecture A, bool Wrong>
using stage_told_before_it_is_filled = ring_program<A, Wrong, false>;
template <architecture A, bool Wrong>
using stage_used_after_it_is_free = ring_program<A, Wrong, true>;

template <architecture A, bool Wrong>
struct lanes_that_do_not_meet : program_base<A>
{
    static void run(const block& in, const buffers& p)
    {
        const rows_in_lds<A> lds{in.lds_at<float>(0)};
        const auto x = load(window_of<A>(p.x));
        if constexpr(Wrong)
        {
            // [lanes_that_do_not_meet]
            store(lds, x);
            const auto y = load<by_lane<A>>(lds); // sync_wave() in between
            // [/lanes_that_do_not_meet]
            (void)y;
        }
        else
        {
            store(lds, x);
            sync_wave();
            (void)load<by_lane<A>>(lds);
        }
    }
};

// A lane reads what its neighbour has written, and read.
template <architecture A, bool Wrong>
struct lanes_that_read_each_other : program_base<A>
{
    static void run(const block& in, const buffers&)
    {
        const auto numbers = in.lds_at<float>(0);
        const auto own     = [](thread t) { return t.wave * lanes<A> + t.lane; };
        for_each_thread<by_row<A>>([&](thread t) { numbers[own(t)] = 1; });
        for_each_thread<by_row<A>>([&](thread t) { (void)float(numbers[own(t)]); });
        if(!Wrong)
            sync_wave();
        for_each_thread<by_row<A>>([&](thread t) { (void)float(numbers[own(t) ^ 1]); });
    }
};

template <architecture A, bool Wrong>
struct ranks_that_do_not_meet : program_base<A, 256>
{
    static constexpr int cluster      = 2;
    static constexpr distribution all = {.lengths = {2, 2 * lanes<A>},
                                         .wave    = {{2, 1, lanes<A>}},
                                         .lane    = {{lanes<A>, 1, 1}},
                                         .reg     = {},
                                         .vec     = {},
                                         .cluster = {{2, 0, 1}}};

    static void run(const block& in, const buffers&)
    {
        for_each_index<all>(1, [&](thread t, int) { in.lds_of<float>(t, 0)[0] = float(t.rank); });
        if(Wrong)
            in.sync();
        else
            in.sync_cluster<2>();
        for_each_index<all>(1, [&](thread t, int) { (void)in.lds_of_rank<float>(1 - t.rank, 0)[0]; });
        in.arrive_cluster<2>();
        in.wait_cluster<2>();
    }
};

// A workgroup's LDS is gone with it.
template <architecture A, bool Wrong>
struct rank_that_ends_early : program_base<A, 256>
{
    static constexpr int cluster      = 2;
    static constexpr distribution all = ranks_that_do_not_meet<A, false>::all;

    static void run(const block& in, const buffers&)
    {
        for_each_index<all>(1, [&](thread t, int) { in.lds_of<float>(t, 0)[0] = float(t.rank); });
        in.sync_cluster<2>();
        for_each_index<all>(1, [&](thread t, int) { (void)in.lds_of_rank<float>(1 - t.rank, 0)[0]; });
        in.arrive_cluster<2>();
        if(!Wrong)
            in.wait_cluster<2>();
    }
};

// The rules that the checker has said were broken, in this process.
std::set<std::string> rules_told;

std::string rule_of(const std::string& sentence)
{
    const std::size_t begin = sentence.find(": ") + 2; // behind the kernel's name
    return sentence.substr(begin, sentence.find(": ", begin) - begin);
}

// Runs both, of `blocks` blocks, in the order of numbers and in others.
template <template <architecture, bool> class Program, architecture A>
void expect_found(const char* text, unsigned blocks = 1)
{
    SCOPED_TRACE(facts(A).name);
    const auto run = [&]<bool Wrong>(std::bool_constant<Wrong>, std::uint32_t seed) {
        set_host_checks({.enabled = true, .seed = seed});
        const auto dev      = device::open(std::string("host:") + facts(A).name);
        const auto bytes    = std::size_t(2 * columns<A>) * sizeof(float);
        const auto x        = dev->allocate_zeroed(bytes);
        const auto y        = dev->allocate_zeroed(bytes);
        const auto counters = dev->allocate_zeroed(sizeof(unsigned));
        constexpr kernel k  = make_kernel<Program<A, Wrong>>("wrong_kernel");
        const status done   = dev->launch(k, {blocks, 1, 1},
                                          buffers{static_cast<float*>(x->data()), static_cast<float*>(y->data()),
                                                  static_cast<unsigned*>(counters->data())});
        set_host_checks({});
        return done;
    };
    for(const std::uint32_t seed : {0u, 1u, 77u})
    {
        const status right = run(std::false_type{}, seed);
        EXPECT_TRUE(right) << right.reason();
        const status wrong = run(std::true_type{}, seed);
        EXPECT_FALSE(wrong) << "the mistake is not seen: " << text;
        EXPECT_NE(wrong.reason().find(text), std::string::npos) << wrong.reason() << "\n  does not say: " << text;
        rules_told.insert(rule_of(wrong.reason()));
    }
}

// On waves of 64 lanes, of 32, and on Hopper.
template <template <architecture, bool> class Program>
void expect_found_everywhere(const char* text, unsigned blocks = 1)
{
    expect_found<Program, architecture::gfx942>(text, blocks);
    expect_found<Program, architecture::gfx11>(text, blocks);
    expect_found<Program, architecture::sm90>(text, blocks);
}

void mistakes_with_lds()
{
    expect_found_everywhere<read_without_a_barrier>("take turns at LDS");
    expect_found_everywhere<overwritten_without_a_barrier>("is written, which ");
    expect_found_everywhere<written_twice_without_a_barrier>("has written in store at");
    expect_found_everywhere<last_barrier_of_a_loop>("take turns at LDS");
    expect_found_everywhere<overwritten_by_the_last_to_read>("is written, which wave 0 has read");
    expect_found_everywhere<vector_that_two_waves_have_written>("is read, which wave 1 has written");
    expect_found_everywhere<vector_that_two_waves_have_read>("is written, which wave 1 has read");
    expect_found_everywhere<element_of_another_wave>("take turns at LDS");
    expect_found_everywhere<lds_that_nobody_has_written>("LDS is written before it is read");
    expect_found_everywhere<sum_that_is_not_cleared>("LDS is written before it is read");
    expect_found_everywhere<lds_too_small>("a program keeps to its LDS");
    expect_found_everywhere<element_behind_lds>("a program keeps to its LDS");
    expect_found_everywhere<lds_not_aligned>("an access to LDS is aligned to its size");
    expect_found_everywhere<origin_beyond_the_tile>("lies beyond the rows or columns of the tile in LDS");
    expect_found_everywhere<stage_beyond_the_ring>("a stage lies beyond its ring in LDS");
    expect_found_everywhere<element_beyond_the_array>("an element lies beyond its array in LDS");
    expect_found_everywhere<reduce_without_lds>("takes reduce_lds_bytes() of LDS");
    expect_found_everywhere<reduce_into_a_short_array>("the array of reduce_into_lds() has room");
}

TEST(WrongKernels, Lds) { mistakes_with_lds(); }

void mistakes_with_barriers_and_shapes()
{
    expect_found_everywhere<barrier_of_one_thread>("a barrier is for all threads of the block");
    expect_found_everywhere<verb_of_one_thread>("a verb is for all threads of the block");
    expect_found_everywhere<barrier_of_some_waves>("1 of its 2 waves call it");
    expect_found_everywhere<more_waves_than_the_tile>("a tile has the waves of the program");
    expect_found_everywhere<lanes_of_another_wave>("a tile has the lanes of the architecture's waves");
    expect_found_everywhere<instruction_of_others>("a program multiplies with instructions of its architecture");
}

TEST(WrongKernels, BarriersAndShapes) { mistakes_with_barriers_and_shapes(); }

void mistakes_with_memory()
{
    expect_found_everywhere<view_longer_than_its_memory>("a view's elements lie in its memory");
    expect_found_everywhere<strides_beyond_the_memory>(") of the view are written");
    expect_found_everywhere<strides_before_the_memory>("bytes before it");
    expect_found_everywhere<view_behind_a_buffer>("a view lies in a buffer of the device");
    expect_found_everywhere<view_before_a_buffer>("a view lies in a buffer of the device: bytes -16 to -1");
#if !__has_feature(address_sanitizer) // which says it itself
    expect_found_everywhere<pointer_behind_a_buffer>("a program writes to buffers of the device alone");
#endif
    expect_found_everywhere<vector_across_rows>("a vector runs along a dimension of stride 1");
    expect_found_everywhere<vector_over_the_end_of_a_row>("ends where the view does not exist");
    expect_found_everywhere<rows_not_aligned>("an access is aligned to its size");
    expect_found_everywhere<elements_of_two_blocks>("give each element to one block", 2);
    expect_found_everywhere<block_that_reads_another>("blocks of a launch do not touch what another writes", 2);
    expect_found_everywhere<waves_through_memory>("a sync() is for LDS alone");
    expect_found_everywhere<blocks_that_do_not_arrive>("blocks of a launch do not touch what another writes", 2);
    expect_found_everywhere<block_that_reads_with_others>("blocks of a launch do not touch what another writes", 3);
}

TEST(WrongKernels, Memory) { mistakes_with_memory(); }

void mistakes_with_what_goes_on_meanwhile()
{
    expect_found<copies_not_waited_for, hopper>("an asynchronous copy of wave");
    expect_found<one_batch_too_few, hopper>("wait_for_copies() in its wave");
    expect_found<copies_without_a_barrier, hopper>("take turns at LDS");
    expect_found<copy_over_what_is_read, hopper>("is written by an asynchronous copy, which wave");
    expect_found<box_that_is_not_waited_for, hopper>("a box copied by wave 0 has written");
    expect_found<box_of_other_bytes, hopper>("waiting for other bytes than a box has");
    expect_found<box_over_what_is_read, hopper>("is written by a copied box, which wave 1 has read");
    expect_found<box_stored_before_threads_meet, hopper>("is read, which another lane has written");
    expect_found<box_overwritten_before_it_is_stored, hopper>("a box is overwritten in LDS before it is stored");
    expect_found<copy_between_two_reads, hopper>("is read, which an asynchronous copy of wave");
    expect_found<accumulators_of_a_product_under_way, hopper>("accumulators are used after wait_for_products");
    expect_found<operands_of_a_product_under_way, hopper>("a product under way of wave");
    expect_found<operands_of_the_last_product, hopper>("a product under way of wave");
    expect_found<product_that_nobody_waits_for, hopper>("products of operands in LDS are waited for");
    expect_found<arrival_that_is_not_waited_for, hopper>("take turns at LDS");
    expect_found<written_after_the_arrival, hopper>("take turns at LDS");
    expect_found<phase_that_nobody_ends, hopper>("waiting for a phase that nobody ends");
    expect_found<mbarrier_of_another_wave, hopper>("an mbarrier is used after a barrier of the block");
    expect_found<one_lane_arrives_for_all, hopper>("meet at a sync_wave() before one lane arrives");
    expect_found<box_over_what_lanes_read, hopper>(
        "meet at a sync_wave() before one lane arrives, or copies a box, for all");
    expect_found<mbarrier_that_ends_too_early, hopper>("an mbarrier begins, and ends, when all threads have met");
    expect_found<stage_told_before_it_is_filled, hopper>("LDS");
    expect_found<stage_used_after_it_is_free, hopper>("LDS");
    expect_found<lanes_that_do_not_meet, hopper>("lanes of a wave take turns at LDS on sm90");
    expect_found<lanes_that_read_each_other, hopper>("lanes of a wave take turns at LDS on sm90");
    expect_found<ranks_that_do_not_meet, hopper>("take turns at LDS");
    expect_found<rank_that_ends_early, hopper>("ends its workgroup's");
}

TEST(WrongKernels, WhatGoesOnMeanwhile) { mistakes_with_what_goes_on_meanwhile(); }

// The verb's line, block, wave and lane, byte and coordinates.
TEST(WrongKernels, AreNamedByPlace)
{
    set_host_checks({.enabled = true});
    const auto dev     = device::open("host:gfx942");
    const auto x       = dev->allocate_zeroed(2 * columns<architecture::gfx942> * sizeof(float));
    constexpr kernel k = make_kernel<read_without_a_barrier<architecture::gfx942, true>>("named");
    auto* const data   = static_cast<float*>(x->data());
    const status done  = dev->launch(k, {1, 1, 1}, buffers{data, data, nullptr});
    set_host_checks({});
    const std::string& text = done.reason();
    for(const char* words : {"kernel named: ", "byte 1024 is read, which wave 1 has written in store at ",
                             "wrong_kernels_test.cpp:", "(load at ", ", block (0, 0, 0), wave 0, lane 0)"})
        EXPECT_NE(text.find(words), std::string::npos) << text << "\n  lacks: " << words;
}

// A text in one line, whose lines of sources are not told.
std::string plain(const std::string& text)
{
    const std::string placeless = std::regex_replace(text, std::regex("[a-z_/]+\\.[ch]pp:[0-9]+"), "*");
    return std::regex_replace(placeless, std::regex("\\s+"), " ");
}

// What a program's mistake is rejected with, from behind the kernel's name.
template <template <architecture, bool> class Program, architecture A = architecture::gfx942>
std::string sentence_of(unsigned blocks = 1)
{
    set_host_checks({.enabled = true});
    const auto dev     = device::open(std::string("host:") + facts(A).name);
    const auto bytes   = std::size_t(2 * columns<A>) * sizeof(float);
    const auto x       = dev->allocate_zeroed(bytes);
    const auto y       = dev->allocate_zeroed(bytes);
    constexpr kernel k = make_kernel<Program<A, true>>("my_kernel");
    const status done  = dev->launch(k, {blocks, 1, 1},
                                     buffers{static_cast<float*>(x->data()), static_cast<float*>(y->data()), nullptr});
    set_host_checks({});
    return plain(done.reason());
}

// Blocks run side by side: which of two comes second, by which wave, and is told of, is up to the machine. As if that were wave 0 of block 1.
std::string of_the_second_block(const std::string& sentence)
{
    const std::string second = std::regex_replace(sentence, std::regex(R"(which block \([01],)"), "which block (0,");
    return std::regex_replace(second, std::regex(R"(, block \([01], 0, 0\), wave [01],)"),
                              ", block (1, 0, 0), wave 0,");
}

// docs/writing_kernels.md shows these mistakes, each with its sentence below it, and one of every rule.
TEST(WrongKernels, AreOnThePageOfMistakes)
{
    std::ifstream file(CK_TILE_PAGE_OF_MISTAKES);
    const std::string page = plain({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    std::set<std::string> rules_shown;
    for(const auto& [name, sentence] : std::initializer_list<std::pair<std::string, std::string>>{
            {"read_without_a_barrier", sentence_of<read_without_a_barrier>()},
            {"overwritten_without_a_barrier", sentence_of<overwritten_without_a_barrier>()},
            {"lds_that_nobody_has_written", sentence_of<lds_that_nobody_has_written>()},
            {"lds_too_small", sentence_of<lds_too_small>()},
            {"lds_not_aligned", sentence_of<lds_not_aligned>()},
            {"origin_beyond_the_tile", sentence_of<origin_beyond_the_tile>()},
            {"stage_beyond_the_ring", sentence_of<stage_beyond_the_ring>()},
            {"element_beyond_the_array", sentence_of<element_beyond_the_array>()},
            {"reduce_without_lds", sentence_of<reduce_without_lds>()},
            {"reduce_into_a_short_array", sentence_of<reduce_into_a_short_array>()},
            {"barrier_of_one_thread", sentence_of<barrier_of_one_thread>()},
            {"verb_of_one_thread", sentence_of<verb_of_one_thread>()},
            {"barrier_of_some_waves", sentence_of<barrier_of_some_waves>()},
            {"more_waves_than_the_tile", sentence_of<more_waves_than_the_tile>()},
            {"lanes_of_another_wave", sentence_of<lanes_of_another_wave>()},
            {"instruction_of_others", sentence_of<instruction_of_others>()},
            {"view_longer_than_its_memory", sentence_of<view_longer_than_its_memory>()},
            {"view_behind_a_buffer", sentence_of<view_behind_a_buffer>()},
#if !__has_feature(address_sanitizer)
            {"pointer_behind_a_buffer", sentence_of<pointer_behind_a_buffer>()},
#endif
            {"rows_not_aligned", sentence_of<rows_not_aligned>()},
            {"vector_over_the_end_of_a_row", sentence_of<vector_over_the_end_of_a_row>()},
            {"elements_of_two_blocks", of_the_second_block(sentence_of<elements_of_two_blocks>(2))},
            {"waves_through_memory", sentence_of<waves_through_memory>()},
            {"lanes_that_do_not_meet", sentence_of<lanes_that_do_not_meet, hopper>()},
            {"copies_not_waited_for", sentence_of<copies_not_waited_for, hopper>()},
            {"accumulators_of_a_product_under_way", sentence_of<accumulators_of_a_product_under_way, hopper>()},
            {"operands_of_a_product_under_way", sentence_of<operands_of_a_product_under_way, hopper>()},
            {"product_that_nobody_waits_for", sentence_of<product_that_nobody_waits_for, hopper>()},
            {"box_overwritten_before_it_is_stored", sentence_of<box_overwritten_before_it_is_stored, hopper>()},
            {"phase_that_nobody_ends", sentence_of<phase_that_nobody_ends, hopper>()},
            {"mbarrier_of_another_wave", sentence_of<mbarrier_of_another_wave, hopper>()},
            {"one_lane_arrives_for_all", sentence_of<one_lane_arrives_for_all, hopper>()},
            {"mbarrier_that_ends_too_early", sentence_of<mbarrier_that_ends_too_early, hopper>()},
        })
    {
        EXPECT_EQ(sentence.find("kernel my_kernel: "), 0u) << sentence;
        const std::size_t begin = page.find("/wrong_kernels_test.cpp#" + name + " -->");
        ASSERT_NE(begin, std::string::npos) << "the page does not show: " << name;
        const std::string below = page.substr(begin, page.find("<!-- BEGIN", begin) - begin);
        EXPECT_NE(below.find(sentence), std::string::npos)
            << "the page does not show below " << name << ": " << sentence;
        rules_shown.insert(rule_of(sentence));
    }
    mistakes_with_lds();
    mistakes_with_barriers_and_shapes();
    mistakes_with_memory();
    mistakes_with_what_goes_on_meanwhile();
    EXPECT_EQ(rules_told, rules_shown);
}

// Without checks, and for those who ask for none, a launch runs wrong programs.
TEST(WrongKernels, RunWhereNobodyLooks)
{
    set_host_checks({});
    const auto dev     = device::open("host:gfx942");
    const auto x       = dev->allocate_zeroed(2 * columns<architecture::gfx942> * sizeof(float));
    constexpr kernel k = make_kernel<read_without_a_barrier<architecture::gfx942, true>>("unseen");
    auto* const data   = static_cast<float*>(x->data());
    EXPECT_TRUE(dev->launch(k, {1, 1, 1}, buffers{data, data, nullptr}));
    set_host_checks({.enabled = true, .seed = 5});
    EXPECT_EQ(current_host_checks().seed, 5u);
    EXPECT_FALSE(dev->launch(k, {1, 1, 1}, buffers{data, data, nullptr}));
    set_host_checks({});
}

} // namespace
} // namespace ck_tile

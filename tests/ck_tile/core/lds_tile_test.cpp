// SPDX-License-Identifier: MIT
// Tiles in LDS: layouts are bijections, swizzled ones meet each bank once, and what is stored is loaded.
#include "ck_tile/core/lds_tile.hpp"

#include "ck_tile/gemm/tile_config.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/verbs/arrive_wait_barrier.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ck_tile/verbs/stage_ring.hpp"
#include "tests/support/gemm_shapes.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile
{
namespace
{

template <class Layout>
void expect_bijection(const Layout& layout)
{
    const auto map = layout.map();
    std::vector<bool> used(static_cast<std::size_t>(layout.elements()));
    const merge<Layout::rank> all = {layout.lengths()};
    for(int i = 0; i < product(layout.lengths()); ++i)
    {
        const auto at    = all.map({i});
        const int offset = map(at).offset;
        ASSERT_TRUE(offset >= 0 && offset < layout.elements()) << "element " << i;
        ASSERT_FALSE(used[static_cast<std::size_t>(offset)]) << "element " << i << " is not alone";
        used[static_cast<std::size_t>(offset)] = true;
    }
}

TEST(LdsTile, LayoutsAreBijections)
{
    for(int chunk : {4, 8})
        for(int rows : {8, 16, 48, 64, 128})
            for(int cols : {8, 16, 32, 64, 96, 128, 256})
                if(rows * cols % (8 * chunk) == 0)
                    expect_bijection(
                        lds_layout{.rows = rows, .cols = cols, .chunk = chunk, .keys = {1, 6, 0, 3, 7, 4}});
    expect_bijection(lds_layout{.rows = 5, .cols = 7});
    expect_bijection(lds_layout{.rows = 5, .cols = 7, .pad = 3});
    expect_bijection(lds_planes{.planes = 3, .rows = 5, .cols = 7, .pad = 3, .plane_pad = 2});
    expect_bijection(lds_planes{.planes = 6, .rows = 8, .cols = 32, .chunk = 8, .keys = {1, 6, 0, 3, 7, 4}});
    for(int rows : {64, 128, 256})
        for(int cols : {8, 32, 64})
            expect_bijection(swizzled_128b<majorness::mn>{rows, cols}),
                expect_bijection(swizzled_128b<majorness::k>{cols, rows});
}

// What the swizzle of 128 bytes is by the PTX ISA: bits 4 to 6 of a byte's address xor bits 7 to 9, over lines of 128 bytes
// that hold 64 rows of one column, or 64 columns of one row; eight lines repeat, panels follow each other.
TEST(LdsTile, LinesAreSwizzledAsWgmmaReadsThem)
{
    constexpr swizzled_128b<majorness::mn> rows_contiguous = {192, 40};
    constexpr swizzled_128b<majorness::k> k_contiguous     = {40, 192};
    for(int far = 0; far < 192; ++far)
        for(int line = 0; line < 40; ++line)
        {
            const int plain = far / 64 * 40 * 128 + line * 128 + far % 64 * 2, there = plain ^ (plain >> 7 & 7) << 4;
            ASSERT_EQ(rows_contiguous.map()({far, line}).offset * 2, there) << far << ", " << line;
            ASSERT_EQ(k_contiguous.map()({line, far}).offset * 2, there) << line << ", " << far;
        }
}

// Of 32 bytes: bit 4 xor bit 7; of 64, bits 4 and 5 xor bits 7 and 8; of 128, bits 4 to 6 xor bits 7 to 9.
template <int Cols>
void expect_swizzled(int keys)
{
    constexpr lds_layout rows = swizzled_rows(24, Cols);
    expect_bijection(rows);
    for(int row = 0; row < rows.rows; ++row)
        for(int k = 0; k < rows.cols; ++k)
        {
            const int plain = (row * rows.cols + k) * 2, permuted = plain ^ (plain >> 7 & keys) << 4;
            ASSERT_EQ(rows.map()({row, k}).offset * 2, permuted) << row << ", " << k;
            ASSERT_EQ(row * rows.cols * 2 + (k / 8 ^ swizzle_of_row<rows>(row)) * 16 + k % 8 * 2, permuted)
                << row << ", " << k;
        }
}

TEST(LdsTile, RowsAreSwizzledAsWgmmaReadsThem)
{
    expect_swizzled<16>(1);
    expect_swizzled<32>(3);
    expect_swizzled<64>(7);
}

// Lanes as the hardware serves them together: an access takes as many cycles as its busiest bank has words.
TEST(LdsTile, CostsOfAccesses)
{
    const auto cost = [](int bytes, int lanes, lds_direction direction, auto&& byte_of) {
        const lds_cost c = cost_of_access({bytes, lanes, direction}, byte_of);
        return std::pair(c.cycles, c.least);
    };
    using enum lds_direction;
    EXPECT_EQ(cost(4, 64, write, [](int lane) { return 4 * lane; }), std::pair(2, 2));
    EXPECT_EQ(cost(4, 32, read, [](int) { return 40; }), std::pair(1, 1)) << "all lanes read one word";
    EXPECT_EQ(cost(4, 32, read, [](int lane) { return 128 * lane; }), std::pair(32, 1)) << "all in one bank";
    EXPECT_EQ(cost(8, 64, write, [](int lane) { return 8 * lane; }), std::pair(4, 4));
    EXPECT_EQ(cost(8, 64, write, [](int lane) { return 16 * lane; }), std::pair(8, 4)) << "every other pair of banks";
    EXPECT_EQ(cost(16, 64, write, [](int lane) { return 16 * lane; }), std::pair(8, 8));
    EXPECT_EQ(cost(2, 64, write, [](int lane) { return 2 * lane; }), std::pair(1, 1));
    // From lane 20 on half a line further. Lanes 0 to 3 are read with 20 to 23, 8 to 11 with 28 to 31, 12 to 15 with 24 to 27:
    // three of the eight groups meet each bank twice; of those that write, 16 to 23.
    EXPECT_EQ(cost(16, 64, read, [](int lane) { return lane < 20 ? 16 * lane : 16 * (lane + 4); }).first, 11);
    EXPECT_EQ(cost(16, 64, write, [](int lane) { return lane < 20 ? 16 * lane : 16 * (lane + 4); }).first, 9);
}

// Whoever reads 16 bytes of rows of a power of two of chunks, or of another number, by the lanes of a matrix instruction.
TEST(LdsTile, RowsAreReadWithoutConflicts)
{
    const distribution down = {.lengths = {64}, .wave = {}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {}};
    for(int element_bytes : {2, 4})
        for(int chunks : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 64})
        {
            distribution reader     = down;
            reader.vec              = digit{16 / element_bytes, 1, 1};
            const lds_layout layout = free_of_conflicts(64, chunks * 16 / element_bytes, element_bytes, reader, reader);
            EXPECT_FALSE(cost_of(reader, layout, element_bytes, lds_direction::read).has_conflicts())
                << chunks << " chunks a row, elements of " << element_bytes << " bytes";
            expect_bijection(layout);
        }
}

// The law of the main loops: what they store and what they read meets each bank once, in the shapes of every architecture, whatever
// the order in memory.
TEST(LdsTile, OperandsOfGemmShapesMeetEachBankOnce)
{
    int seen = 0;
    for(const target* arch : all_targets)
        for(const gemm::shape& s : gemm_shapes(*arch))
            for(majorness major : {majorness::mn, majorness::k})
                for(bool of_b : {false, true})
                {
                    const int rows   = of_b ? s.n * s.inst().blocks : s.m;
                    const int vector = 16 / bytes_of(s.type());
                    if(s.inst().operands == operand_source::lds || // the hardware's own layout
                       gemm::detail::check_operand(
                           gemm::tile_config{{s.m, s.n, s.k}, {s.waves_m, s.waves_n}, s.instruction}, rows,
                           {major, vector}))
                        continue;
                    const auto [layout, writes, reads] = operand_of(s, of_b, gemm::tiled_copy(s, rows, major, vector));
                    const std::string what             = describe_shape(s) + (of_b ? " B" : " A") +
                                                         (major == majorness::k ? " k contiguous" : " rows contiguous");
                    EXPECT_FALSE(reads.has_conflicts()) << what << ": reads " << reads.cycles << " of " << reads.least;
                    EXPECT_FALSE(writes.has_conflicts())
                        << what << ": writes " << writes.cycles << " of " << writes.least;
                    expect_bijection(layout);
                    ++seen;
                }
    EXPECT_GT(seen, 300);
}

// Distributions of a 64 x 32 tile: what one writes, the others read.
constexpr distribution along_rows   = {.lengths = {64, 32},
                                       .wave    = {{2, 0, 32}},
                                       .lane    = {{4, 1, 8}, {16, 0, 1}},
                                       .reg     = {{2, 0, 16}},
                                       .vec     = {{8, 1, 1}}};
constexpr distribution down_columns = {.lengths = {64, 32},
                                       .wave    = {{2, 1, 16}},
                                       .lane    = {{16, 1, 1}, {4, 0, 4}},
                                       .reg     = {{4, 0, 16}},
                                       .vec     = {{4, 0, 1}}};
constexpr distribution scattered    = {
    .lengths = {64, 32}, .wave = {{2, 0, 1}}, .lane = {{32, 0, 2}}, .reg = {{4, 1, 2}}, .vec = {{2, 1, 1}, {4, 1, 8}}};
constexpr distribution replicated = {
    .lengths = {64, 32}, .wave = {{2}}, .lane = {{64, 0, 1}}, .reg = {}, .vec = {{32, 1, 1}}};

constexpr lds_layout permuted(int rows, int cols, int chunk)
{
    return {.rows = rows, .cols = cols, .chunk = chunk, .keys = {3, 1, 4, 2, 7, 5}};
}

template <distribution Write, distribution Read, multi_index<2> Origin, class T, lds_layout Layout>
void expect_round_trip(const lds_tile<T, Layout>& memory)
{
    constexpr multi_index<2> origin = Origin;
    const auto value                = [](int i, int j) { return (i * 37 + j * 5) % 251 - 100; };
    store<Origin>(memory, generate<T, Write>([&](int i, int j) { return convert<T>(float(value(i, j))); }));
    for(int i = 0; i < 64; ++i)
        for(int j = 0; j < 32; ++j)
            ASSERT_EQ(convert<float>(*memory.at(origin[0] + i, origin[1] + j)), float(value(i, j)));
    for(const auto& loaded : {load<Read, Origin>(memory), load<Read>(memory, origin)})
    {
        int wrong = 0;
        each_element(loaded,
                     [&](const multi_index<3>& at, T x) { wrong += convert<float>(x) != float(value(at[0], at[1])); });
        EXPECT_EQ(wrong, 0);
    }
}

// Through both corners, with one pair of distributions each way.
template <distribution Write, distribution Read, class T, lds_layout Layout>
void expect_round_trips()
{
    alignas(16) static T data[Layout.elements() + 16];
    for(T& x : data)
        x = convert<T>(-1.f);
    const lds_tile<T, Layout> memory{data};
    expect_round_trip<Write, Read, multi_index{0, 0}>(memory);
    expect_round_trip<Write, Read, multi_index{Layout.rows - 64, Layout.cols - 32}>(memory);
    for(int i = Layout.elements(); i < Layout.elements() + 16; ++i)
        EXPECT_EQ(convert<float>(data[i]), -1.f) << "stored past the end";
}

TEST(LdsTile, LoadGivesWhatAnotherDistributionStored)
{
    expect_round_trips<along_rows, down_columns, fp16, permuted(64, 32, 8)>();
    expect_round_trips<replicated, along_rows, fp16, permuted(96, 64, 8)>();
    expect_round_trips<down_columns, scattered, float, permuted(96, 64, 4)>();
    expect_round_trips<scattered, replicated, float, permuted(64, 96, 4)>();
    expect_round_trips<along_rows, scattered, bf16, lds_layout{.rows = 64, .cols = 64}>();
    expect_round_trips<along_rows, scattered, fp16, lds_layout{.rows = 64, .cols = 32, .pad = 2}>();
    static_assert(lds_run(along_rows, lds_layout{.rows = 64, .cols = 32}, 2) == 8);
    static_assert(lds_run(along_rows, lds_layout{.rows = 64, .cols = 32, .pad = 2}, 2) == 2,
                  "rows start at multiples of 4 bytes only");
    static_assert(lds_tile<fp16, lds_layout{.rows = 4, .cols = 8, .pad = 2}>::bytes == 80);
}

// Planes of a halo, say: what one distribution stores another loads, at either corner, by constant origins and by others.
constexpr distribution along_columns = {.lengths = {4, 8, 32},
                                        .wave    = {{2, 0, 2}},
                                        .lane    = {{8, 2, 4}, {4, 1, 1}},
                                        .reg     = {{2, 1, 4}, {2, 0, 1}},
                                        .vec     = {{4, 2, 1}}};
constexpr distribution along_planes  = {.lengths = {4, 8, 32},
                                        .wave    = {{2, 1, 4}},
                                        .lane    = {{4, 0, 1}, {8, 2, 1}},
                                        .reg     = {{4, 1, 1}, {4, 2, 8}},
                                        .vec     = {}};
template <class T, lds_planes Layout>
void expect_planes_round_trip()
{
    alignas(16) static T data[Layout.elements()];
    const lds_tile<T, Layout> memory{data};
    constexpr multi_index<3> corner = {Layout.planes - 4, Layout.rows - 8, Layout.cols - 32};
    const auto value                = [](int i, int j, int k) { return float((i * 61 + j * 37 + k * 5) % 251); };
    const auto expect               = [&](const auto& x, const multi_index<3>& origin) {
        each_element(x, [&](const multi_index<3>& at, T e) {
            ASSERT_EQ(convert<float>(e), value(at[0], at[1], at[2]));
            ASSERT_EQ(e, *memory.at(origin + at));
            ASSERT_EQ(memory.at(origin + at), memory.at(origin[0] + at[0], origin[1] + at[1], origin[2] + at[2]));
        });
    };
    const auto x = generate<T, along_columns>(value);
    store(memory, x);
    expect(load<along_planes>(memory), {});
    store<corner>(memory, x);
    expect(load<along_planes, corner>(memory), corner);
    expect(load<along_columns>(memory, corner), corner);
}

TEST(LdsTile, PlanesOfRows)
{
    expect_planes_round_trip<float, lds_planes{.planes = 4, .rows = 8, .cols = 32}>();
    expect_planes_round_trip<fp16, lds_planes{.planes = 5, .rows = 9, .cols = 40, .pad = 4, .plane_pad = 8}>();
    expect_planes_round_trip<fp16, lds_planes{.planes = 4, .rows = 16, .cols = 64, .chunk = 8, .keys = {3, 1, 4}}>();
    static_assert(lds_run(along_columns, lds_planes{.planes = 4, .rows = 8, .cols = 32}, 4) == 4);
    static_assert(lds_run(along_columns, lds_planes{.planes = 4, .rows = 8, .cols = 32, .plane_pad = 2}, 4) == 2,
                  "planes start at multiples of 8 bytes only");
    static_assert(lds_tile<float, lds_planes{.planes = 2, .rows = 3, .cols = 4, .plane_pad = 5}>::bytes == 2 * 17 * 4);
}

// Lanes that have planes and columns meet each bank once, where all have chunks: as they do in rows.
TEST(LdsTile, PlanesAreReadWithoutConflicts)
{
    constexpr distribution stored = {.lengths = {8, 4, 64},
                                     .wave    = {},
                                     .lane    = {{8, 2, 8}, {4, 1, 1}, {2, 0, 1}},
                                     .reg     = {{4, 0, 2}},
                                     .vec     = {{8, 2, 1}}};
    constexpr distribution loaded = {
        .lengths = {8, 4, 64}, .wave = {}, .lane = {{8, 0, 1}, {8, 2, 8}}, .reg = {{4, 1, 1}}, .vec = {{8, 2, 1}}};
    constexpr lds_planes layout = free_of_conflicts(8, 4, 64, 2, stored, loaded);
    EXPECT_TRUE(
        cost_of(loaded, lds_planes{.planes = 8, .rows = 4, .cols = 64}, 2, lds_direction::read).has_conflicts());
    EXPECT_FALSE(cost_of(loaded, layout, 2, lds_direction::read).has_conflicts());
    EXPECT_FALSE(cost_of(stored, layout, 2, lds_direction::write).has_conflicts());
    expect_bijection(layout);
}

// A plan: members of two types, a ring, and two that share their memory.
struct plan
{
    lds_memory<lds_tile<fp16, lds_layout{.rows = 3, .cols = 8, .pad = 1}>> odd; // 54 bytes
    lds_memory<lds_tile<float, lds_layout{.rows = 5, .cols = 4}>, 3> ring;
    union
    {
        lds_memory<lds_tile<fp16, lds_layout{.rows = 16, .cols = 8}>> first;
        lds_memory<lds_tile<float, lds_layout{.rows = 4, .cols = 4}>> second;
    };
    lds_memory<lds_tile<fp16, swizzled_128b<majorness::k>{8, 64}>, 2> swizzled;
};

TEST(LdsPlan, MembersLieApartAndAligned)
{
    alignas(1024) static std::byte memory[sizeof(plan)];
    const block in = {{}, memory};
    const auto at  = [&](const auto& t) { return reinterpret_cast<const std::byte*>(t.data) - memory; };

    const auto ring     = in.lds_at<&plan::ring>();
    const auto swizzled = in.lds_at<&plan::swizzled>();
    static_assert(decltype(ring)::stages == 3 && decltype(swizzled)::stages == 2);
    EXPECT_EQ(at(in.lds_at<&plan::odd>()), 0);
    EXPECT_EQ(at(ring), 64); // behind 54 bytes, at a multiple of 16
    for(int stage = 0; stage < 3; ++stage)
        EXPECT_EQ(at(ring[stage]), 64 + stage * 80);
    EXPECT_EQ(at(in.lds_at<&plan::first>()), 64 + 3 * 80);
    EXPECT_EQ(at(in.lds_at<&plan::second>()), 64 + 3 * 80);
    for(int stage = 0; stage < 2; ++stage)
        EXPECT_EQ(at(swizzled[stage]), 1024 + stage * 1024) << "what wgmma reads starts at a multiple of 1024 bytes";
    static_assert(sizeof(plan) == 3 * 1024);
}

TEST(LdsPlan, MembersHaveTheTypesOfTheirTiles)
{
    alignas(1024) static std::byte memory[sizeof(plan)];
    const block in                                                       = {{}, memory};
    const auto ring                                                      = in.lds_at<&plan::ring>();
    const lds_tile<fp16, lds_layout{.rows = 3, .cols = 8, .pad = 1}> odd = in.lds_at<&plan::odd>();
    const lds_tile<float, lds_layout{.rows = 5, .cols = 4}> last         = ring[2];
    *odd.at(2, 7)                                                        = convert<fp16>(1.f);
    *last.at(4, 3)                                                       = 2.f;
    EXPECT_EQ(memory + 52, reinterpret_cast<std::byte*>(odd.at(2, 7)) + 2);
    EXPECT_EQ(memory + 64 + 3 * 80, reinterpret_cast<std::byte*>(last.at(4, 3)) + 4) << "the end of the ring";
}

// What is no tile: an array, what waves combine, barriers of a ring of stages.
struct other_plan
{
    lds_memory<char[5]> few;
    lds_memory<unsigned[100]> table;
    lds_memory<reduce_partials<along_rows, 0>> partials;
    lds_memory<reduce_partials<along_rows, 1>> none; // rows of one wave
    lds_memory<stage_ring<3, 1, 2, 64>> stages;
    lds_memory<arrive_wait_barrier<2, 64>> done;
};

TEST(LdsPlan, HasWhatIsNoTile)
{
    alignas(16) static std::byte memory[2 * sizeof(other_plan)];
    const block in = {{}, memory, sizeof(other_plan)};
    const auto at  = [&](const auto& member) { return reinterpret_cast<const std::byte*>(member.data) - memory; };

    const auto table = in.lds_at<&other_plan::table>();
    static_assert(decltype(table)::length == 100 && sizeof(lds_memory<unsigned[100]>) == 400);
    EXPECT_EQ(at(in.lds_at<&other_plan::few>()), 0);
    EXPECT_EQ(at(table), 16) << "behind 5 bytes, at a multiple of 16";
    table[99]            = 7;
    unsigned* const last = static_cast<lds_pointer<unsigned>>(table) + 99;
    EXPECT_EQ(*last, 7u);
    const auto partials = in.lds_at<&other_plan::partials>();
    EXPECT_EQ(at(partials), 416);
    static_assert(sizeof(lds_memory<reduce_partials<along_rows, 0>>) == reduce_lds_bytes<along_rows, float>(0));
    static_assert(reduce_partials<along_rows, 1>::bytes == 0 && sizeof(other_plan::none) == 16);
    EXPECT_EQ(at(in.lds_of<&other_plan::table>(thread{0, 0, 0, 1})), int(sizeof(other_plan)) + 16);
    EXPECT_EQ(at(in.lds_of_rank<&other_plan::table>(1)), int(sizeof(other_plan)) + 16);

    stage_ring ring(in, in.lds_at<&other_plan::stages>());
    static_assert(std::is_same_v<decltype(ring), stage_ring<3, 1, 2, 64>>);
    arrive_wait_barrier done(in, in.lds_at<&other_plan::done>());
    EXPECT_TRUE(ring.has_free());
    ring.wait_free(), ring.filled(), ring.wait_full(), ring.used();
    done.arrive(), done.wait();
    EXPECT_EQ(ring.to_fill(), 1);
}

} // namespace
} // namespace ck_tile

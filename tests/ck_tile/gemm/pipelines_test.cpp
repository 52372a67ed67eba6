// SPDX-License-Identifier: MIT
// Whole small GEMMs through both pipelines and the epilogue: sizes that no tile divides, either order in memory.
#include "ck_tile/gemm/pipelines.hpp"

#include "ck_tile/core/lookup_window.hpp"
#include "ck_tile/gemm/epilogue.hpp"
#include "tests/support/checked_block.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace ck_tile
{
namespace
{

// C [m, n] = A [m, k] * B [blocks * n, k]; A and B with k contiguous, or their rows.
struct problem
{
    int m, n, k;
};

struct variant
{
    gemm::shape shape;
    gemm::main_loop pipeline;
    majorness major; // of A and B in memory
    int vector_ab;
    int vector_c;
};

constexpr int guard_elements   = 64;
constexpr unsigned guard_value = 0x5a;

// Elements in memory. bf16 is kept as bits here too, because libraries older than the compiler cannot move vectors of it.
template <class T>
struct elements
{
    std::vector<storage_t<T>> stored;

    explicit elements(int count) : stored(static_cast<std::size_t>(count)) {}
    elements(int count, random_numbers& random) : elements(count)
    {
        for(storage_t<T>& e : stored)
            e = __builtin_bit_cast(storage_t<T>, convert<T>(static_cast<float>(random.between(-1000, 1000)) / 512.f));
    }

    T* data() { return reinterpret_cast<T*>(stored.data()); }
    const T* data() const { return reinterpret_cast<const T*>(stored.data()); }
    std::size_t bytes() const { return stored.size() * sizeof(T); }
    double at(int i) const { return convert<float>(__builtin_bit_cast(T, stored[static_cast<std::size_t>(i)])); }
};

// Runs one block after the other, with LDS full of NaN at the start.
template <variant V, class Out>
void expect_gemm_right(const problem& p, std::uint32_t seed)
{
    constexpr gemm::shape s = V.shape;
    constexpr int blocks    = s.inst().blocks;
    using element           = element_t<s.type()>;
    SCOPED_TRACE(std::string(s.inst().name) + " " + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
                 std::to_string(p.k));

    random_numbers random(seed);
    const elements<element> a(p.m * p.k, random), b(p.n * blocks * p.k, random);
    elements<Out> c(p.m * p.n + 2 * guard_elements);
    std::memset(static_cast<void*>(c.data()), guard_value, c.bytes());

    const auto view = [&](const elements<element>& x, int rows) {
        const multi_index<2> strides = V.major == majorness::k ? multi_index{p.k, 1} : multi_index{1, rows};
        return tensor_view{x.data(), std::int64_t(rows) * p.k, strided<2>{{rows, p.k}, strides}};
    };
    constexpr distribution a_copy = gemm::tiled_copy(s, s.m, V.major, V.vector_ab);
    constexpr distribution b_copy = gemm::tiled_copy(s, s.n * blocks, V.major, V.vector_ab);
    for(int tile_m = 0; tile_m < ceil_div(p.m, s.m); ++tile_m)
        for(int tile_n = 0; tile_n < ceil_div(p.n, s.n); ++tile_n)
            run_checked(block_of(s, gemm::lds_bytes(s, V.pipeline)), [&](const block& in) {
                auto acc = accumulators<s>();
                gemm::run_pipeline<s, V.pipeline>(
                    in, acc, make_window<a_copy>(view(a, p.m), multi_index{tile_m * s.m, 0}),
                    make_window<b_copy>(view(b, p.n * blocks), multi_index{tile_n * s.n * blocks, 0}),
                    ceil_div(p.k, s.k));
                if constexpr(V.pipeline.kind == gemm::pipeline::double_buffer)
                {
                    // Both stages are in use: the waves that are ahead must not write what the others still read.
                    const std::byte* second = in.lds + gemm::operand_bytes(s);
                    ASSERT_TRUE(std::any_of(second, second + gemm::operand_bytes(s),
                                            [](std::byte b) { return b != std::byte{0xff}; }));
                }
                gemm::store_through_lds<s, V.vector_c>(
                    in, acc,
                    tensor_view{c.data() + guard_elements, std::int64_t(p.m) * p.n, packed(multi_index{p.m, p.n})},
                    multi_index{tile_m * s.m, tile_n * s.n});
            });

    const auto at = [&](const elements<element>& x, int rows, int row, int k) {
        return x.at(V.major == majorness::k ? row * p.k + k : row + k * rows);
    };
    const double rounding = std::ldexp(8 + 2 * std::sqrt(p.k), -24);
    for(int row = 0; row < p.m; ++row)
        for(int col = 0; col < p.n; ++col)
        {
            const int of_block = row % s.a_rows() / s.fragment().m;
            const int b_row    = col / s.fragment().n * s.b_rows() + of_block * s.fragment().n + col % s.fragment().n;
            double sum = 0, magnitude = 0;
            for(int k = 0; k < p.k; ++k)
            {
                const double term = at(a, p.m, row, k) * at(b, p.n * blocks, b_row, k);
                sum += term;
                magnitude += std::abs(term);
            }
            const double got = c.at(guard_elements + row * p.n + col);
            ASSERT_LE(std::abs(got - sum), unit_roundoff(type_of<Out>) * std::abs(sum) + rounding * magnitude)
                << "C[" << row << "][" << col << "] is " << got << ", not " << sum;
        }
    const auto* bytes     = reinterpret_cast<const unsigned char*>(c.data());
    const auto guard_size = guard_elements * sizeof(Out);
    for(std::size_t i = 0; i < guard_size; ++i)
        ASSERT_TRUE(bytes[i] == guard_value && bytes[c.bytes() - 1 - i] == guard_value) << "stored out of bounds";
}

using gemm::pipeline;

TEST(Pipelines, MfmaFp16KContiguousOddK)
{
    constexpr gemm::shape s = {64, 64, 64, 2, 2, opcode::mfma_16x16x16_fp16};
    expect_gemm_right<variant{s, pipeline::single_buffer, majorness::k, 1, 1}, fp16>({70, 65, 131}, 1);
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 1, 1}, fp16>({70, 65, 131}, 2);
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 1, 1}, fp16>({1, 1, 1}, 3);
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 1, 1}, fp16>({64, 64, 64}, 4);
}

TEST(Pipelines, MfmaBf16RowsContiguousWideVectors)
{
    constexpr gemm::shape s = {64, 128, 32, 1, 2, opcode::mfma_32x32x8_bf16};
    expect_gemm_right<variant{s, pipeline::single_buffer, majorness::mn, 8, 4}, float>({72, 136, 77}, 5);
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::mn, 8, 8}, bf16>({72, 136, 77}, 6);
}

// So many accumulators that a step goes chunk by chunk, and what is stored for the next one goes between them.
TEST(Pipelines, MfmaFp16ChunkByChunk)
{
    constexpr gemm::shape s = {128, 256, 16, 1, 2, opcode::mfma_32x32x8_fp16};
    static_assert(gemm::detail::chunks_of_products<s>::wanted);
    expect_gemm_right<variant{s, pipeline::single_buffer, majorness::k, 4, 4}, float>({128, 260, 44}, 27);
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 4, 4}, float>({128, 256, 44}, 28);
}

TEST(Pipelines, MfmaFp32)
{
    constexpr gemm::shape s = {32, 32, 16, 1, 1, opcode::mfma_32x32x2_fp32};
    expect_gemm_right<variant{s, pipeline::single_buffer, majorness::mn, 4, 4}, float>({36, 36, 21}, 8);
}

TEST(Pipelines, WmmaFp16)
{
    constexpr gemm::shape s = {32, 64, 32, 2, 2, opcode::wmma_16x16x16_fp16};
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 4, 2}, float>({35, 66, 44}, 10);
}

TEST(Pipelines, AsyncStages)
{
    constexpr gemm::shape wide = {128, 256, 64, 8, 1, opcode::wgmma_64x256x16_fp16};
    expect_gemm_right<variant{wide, pipeline::async_stages, majorness::mn, 8, 8}, fp16>({136, 264, 200}, 14);
    expect_gemm_right<variant{wide, pipeline::async_stages, majorness::mn, 8, 8}, fp16>({128, 256, 64}, 15);
    constexpr gemm::shape three_panels = {64, 192, 32, 4, 1, opcode::wgmma_64x192x16_fp16};
    expect_gemm_right<variant{three_panels, pipeline::async_stages, majorness::mn, 8, 8}, fp16>({72, 200, 150}, 20);
    // Fewer stages and more, also than there are steps.
    expect_gemm_right<variant{three_panels, {pipeline::async_stages, 3}, majorness::mn, 8, 8}, fp16>({64, 192, 150},
                                                                                                     21);
    expect_gemm_right<variant{three_panels, {pipeline::async_stages, 6}, majorness::mn, 8, 8}, fp16>({64, 192, 150},
                                                                                                     22);
    expect_gemm_right<variant{three_panels, {pipeline::async_stages, 6}, majorness::mn, 8, 8}, fp16>({64, 192, 64}, 23);
    constexpr gemm::shape narrow = {64, 128, 32, 4, 1, opcode::wgmma_64x128x16_bf16};
    expect_gemm_right<variant{narrow, pipeline::async_stages, majorness::mn, 8, 4}, float>({64, 72, 333}, 16);
    expect_gemm_right<variant{narrow, pipeline::async_stages, majorness::mn, 8, 4}, float>({8, 8, 1}, 17);
}

// Operands whose k is contiguous, as wgmma takes them too, and as instructions of one wave do.
TEST(Pipelines, AsyncStagesKContiguous)
{
    constexpr gemm::shape wide = {128, 128, 128, 8, 1, opcode::wgmma_64x128x16_bf16};
    expect_gemm_right<variant{wide, {pipeline::async_stages, 3}, majorness::k, 8, 8}, bf16>({136, 136, 328}, 24);
    constexpr gemm::shape narrow = {64, 64, 64, 2, 2, opcode::mma_16x8x16_fp16};
    expect_gemm_right<variant{narrow, pipeline::async_stages, majorness::k, 8, 8}, fp16>({72, 72, 200}, 25);
}

// An operand that is no window: A squared on its way from memory.
template <class Window>
struct squared
{
    using element                        = typename Window::element;
    static constexpr distribution layout = Window::layout;
    Window from;

    template <int Dim>
    auto step(int by) const
    {
        return from.template step<Dim>(by);
    }
    void move(const auto& by) { from.move(by); }

    friend auto load(const squared& s)
    {
        return map([](auto x) { return x * x; }, ck_tile::load(s.from));
    }
};

template <gemm::main_loop P, gemm::shape S, majorness Major, int Vector>
void expect_computed_operand_right()
{
    constexpr int m = 72, n = 80, k = 104;
    random_numbers random(26);
    elements<fp16> a(m * k), b(n * k);
    for(int i = 0; i < m * k; ++i)
        a.data()[i] = static_cast<fp16>(random.between(-4, 4));
    for(int i = 0; i < n * k; ++i)
        b.data()[i] = static_cast<fp16>(random.between(-4, 4));
    std::vector<float> c(m * n);
    constexpr distribution a_copy = gemm::tiled_copy(S, S.m, Major, Vector),
                           b_copy = gemm::tiled_copy(S, S.n, Major, Vector);
    const auto view               = [&](const elements<fp16>& x, int rows) {
        const multi_index<2> strides = Major == majorness::k ? multi_index{k, 1} : multi_index{1, rows};
        return tensor_view{x.data(), std::int64_t(rows) * k, strided<2>{{rows, k}, strides}};
    };
    for(int row = 0; row < m; row += S.m)
        for(int col = 0; col < n; col += S.n)
            run_checked(block_of(S, gemm::lds_bytes(S, P)), [&](const block& in) {
                auto acc = accumulators<S>();
                gemm::run_pipeline<S, P>(in, acc, squared{make_window<a_copy>(view(a, m), multi_index{row, 0})},
                                         make_window<b_copy>(view(b, n), multi_index{col, 0}), ceil_div(k, S.k));
                gemm::store_directly<S>(acc, tensor_view{c.data(), m * n, packed(multi_index{m, n})},
                                        multi_index{row, col});
            });
    const auto at = [&](const elements<fp16>& x, int rows, int row, int i) {
        return x.at(Major == majorness::k ? row * k + i : row + i * rows);
    };
    for(int row = 0; row < m; ++row)
        for(int col = 0; col < n; ++col)
        {
            double sum = 0;
            for(int i = 0; i < k; ++i)
                sum += at(a, m, row, i) * at(a, m, row, i) * at(b, n, col, i);
            ASSERT_EQ(c[static_cast<std::size_t>(row * n + col)], sum) << row << ", " << col;
        }
}

TEST(Pipelines, ComputedOperand)
{
    constexpr gemm::shape s = {64, 64, 32, 2, 2, opcode::mfma_16x16x16_fp16};
    expect_computed_operand_right<pipeline::double_buffer, s, majorness::k, 4>();
    constexpr gemm::shape wide = {64, 128, 64, 4, 1, opcode::wgmma_64x128x16_fp16};
    expect_computed_operand_right<pipeline::async_stages, wide, majorness::mn, 8>();
}

// Products of rows of A and B, each tile over its own stretch of k, which may be empty.
template <gemm::shape S, int K>
struct product_tiles
{
    static constexpr int across = 2, copying = gemm::copying_waves(gemm::pipeline::wave_specialized);
    static constexpr int count           = 38; // one block needs five lists of where tiles are
    static constexpr distribution a_copy = gemm::tiled_copy(S, S.m, majorness::k, 8, copying),
                                  b_copy = gemm::tiled_copy(S, S.n, majorness::k, 8, copying);

    const std::vector<fp16>&x, &y; // [count / across * S.m, K], [across * S.n, K]
    float* c;
    int* stored;

    int at(int number) const { return number; }
    int steps(int number) const { return steps_of(number); }
    // Of some lists no tile has steps: then nothing but the lists makes waves that copy wait.
    static int steps_of(int number)
    {
        constexpr int some[] = {3, 0, 1, 2, 1, 0, 5, 1};
        return number / 8 % 4 < 2 ? some[number % std::size(some)] : 0;
    }
    auto view(const std::vector<fp16>& operand, int rows) const
    {
        return tensor_view{operand.data(), std::int64_t(rows) * K, packed(multi_index{rows, K})};
    }
    auto a(int number) const
    {
        return make_window<a_copy>(view(x, count / across * S.m), multi_index{number / across * S.m, 0});
    }
    auto b(int number) const
    {
        return make_window<b_copy>(view(y, across * S.n), multi_index{number % across * S.n, 0});
    }
    void store(int number, const tile<float, gemm::accumulator(S)>& acc) const
    {
        ++stored[number];
        gemm::store_directly<S>(acc, tensor_view{c + number * S.m * S.n, S.m * S.n, packed(multi_index{S.m, S.n})},
                                multi_index{0, 0});
    }
};

// Random operands of product_tiles, and what so many blocks make of them: each tile stored once. steps_of(number): those of a tile;
// run(in, products, b): what block b does.
template <gemm::shape S, int K>
class experiment_with_tiles
{
  public:
    using tiles                           = product_tiles<S, K>;
    static constexpr gemm::main_loop loop = {gemm::pipeline::wave_specialized, 4};

    experiment_with_tiles(std::uint32_t seed, const auto& steps_of)
        : x_(tiles::count / tiles::across * S.m * K), y_(tiles::across * S.n * K), expected_(tiles::count * S.m * S.n)
    {
        random_numbers random(seed);
        for(auto* all : {&x_, &y_})
            for(fp16& e : *all)
                e = static_cast<fp16>(random.between(-3, 3));
        for(int number = 0; number < tiles::count; ++number)
            for(int i = 0; i < S.m; ++i)
                for(int j = 0; j < S.n; ++j)
                    for(int l = 0; l < steps_of(number) * S.k; ++l)
                        expected_[(number * S.m + i) * S.n + j] +=
                            float(x_[(number / tiles::across * S.m + i) * K + l]) *
                            float(y_[(number % tiles::across * S.n + j) * K + l]);
    }

    void expect_right(int blocks, const auto& run) const
    {
        std::vector<float> c(expected_.size(), -1.f);
        int stored[tiles::count] = {};
        for(int b = 0; b < blocks; ++b)
            run_checked(block_of(S, gemm::main_loop_lds_bytes(S, loop), gemm::copying_waves(loop.kind)),
                        [&](const block& in) { run(in, tiles{x_, y_, c.data(), stored}, b); });
        EXPECT_EQ(c, expected_) << blocks << " blocks";
        for(const int times : stored)
            EXPECT_EQ(times, 1) << blocks << " blocks";
    }

  private:
    std::vector<fp16> x_, y_;
    std::vector<float> expected_;
};

// Whatever blocks there are, each makes its tiles, one after the other.
TEST(Pipelines, ManyTiles)
{
    constexpr gemm::shape s = {64, 64, 64, 4, 1, opcode::wgmma_64x64x16_fp16};
    using experiment        = experiment_with_tiles<s, 5 * s.k>;
    using tiles             = experiment::tiles;
    const experiment e(80, tiles::steps_of);
    for(const int blocks : {1, 2, 3, 8})
        e.expect_right(blocks, [&](const block& in, const tiles& products, int b) {
            gemm::run_tiles<s, experiment::loop>(in, products, b, tiles::count, blocks);
        });
}

// The same with operands that come in boxes: of B k is contiguous, of A rows are, all panels of which are one box, or each is one.
template <gemm::shape S, int K, bool AllPanels>
struct tiles_in_boxes : product_tiles<S, K>
{
    using base                = product_tiles<S, K>;
    static constexpr int rows = base::count / base::across * S.m, panel = 64;
    static constexpr distribution a_turned = gemm::tiled_copy(S, S.m, majorness::mn, 8, base::copying);
    struct row_by_k
    {
        static constexpr bool all_panels = AllPanels;

        int line(int k) const { return k; }
        tensor_map::coord operator()(int k, int row, int) const { return {0, k, row / panel, 0}; }
    };
    struct k_by_row
    {
        static constexpr bool all_panels = false;

        int line(int row) const { return row; }
        tensor_map::coord operator()(int row, int k, int) const { return {k, row, 0, 0}; }
    };

    const std::vector<fp16>& turned; // x, [K, rows]
    tensor_map of_a = strided_map(turned.data(), 2, {1, rows, panel, K * rows}, {panel, K, rows / panel, 1},
                                  {panel, S.k, AllPanels ? S.m / panel : 1, 1}, true),
               of_b = packed_map(base::y.data(), 2, {K, base::across * S.n, 1, 1}, {S.k, S.n, 1, 1}, true);

    auto a(int number) const
    {
        return gemm::make_box_operand<fp16, a_turned>(of_a, rows, {number / base::across * S.m, 0}, row_by_k{});
    }
    auto b(int number) const
    {
        return gemm::make_box_operand<fp16, base::b_copy>(of_b, base::across * S.n, {number % base::across * S.n, 0},
                                                          k_by_row{});
    }
};

template <bool AllPanels>
void expect_boxes_right(std::uint32_t seed)
{
    constexpr gemm::shape s = {128, 128, 64, 8, 1, opcode::wgmma_64x128x16_fp16};
    constexpr int k         = 5 * s.k;
    using experiment        = experiment_with_tiles<s, k>;
    using tiles             = tiles_in_boxes<s, k, AllPanels>;
    const experiment e(seed, experiment::tiles::steps_of);
    for(const int blocks : {1, 3})
        e.expect_right(blocks, [&](const block& in, const experiment::tiles& products, int b) {
            std::vector<fp16> turned(products.x.size());
            for(int row = 0; row < tiles::rows; ++row)
                for(int l = 0; l < k; ++l)
                    turned[l * tiles::rows + row] = products.x[row * k + l];
            constexpr gemm::main_loop loop = {gemm::pipeline::wave_specialized_boxes, experiment::loop.stages};
            gemm::run_tiles<s, loop>(in, tiles{products, turned}, b, tiles::count, blocks);
        });
}

TEST(Pipelines, OperandsInBoxes)
{
    expect_boxes_right<true>(84);
    expect_boxes_right<false>(85);
}

// The same where blocks share the steps of some tiles.
template <gemm::shape S, int Steps>
struct tiles_in_shares : product_tiles<S, Steps * S.k>
{
    using base = product_tiles<S, Steps * S.k>;
    const gemm::stream_k& work;
    gemm::partial_tiles memory;

    gemm::tile_share at(int number) const { return work.share<true>(number); }
    gemm::tile_share share(const gemm::tile_share& p) const { return p; }
    gemm::partial_tiles partials() const { return memory; }
    int steps(const gemm::tile_share& p) const { return p.tile < work.whole ? Steps : p.steps; }
    auto a(const gemm::tile_share& p) const { return from_step(base::a(p.tile), p.first); }
    auto b(const gemm::tile_share& p) const { return from_step(base::b(p.tile), p.first); }
    void store(const gemm::tile_share& p, const tile<float, gemm::accumulator(S)>& acc) const
    {
        base::store(p.tile, acc);
    }

  private:
    static auto from_step(auto window, int step)
    {
        window.move(window.template step<1>(step * S.k));
        return window;
    }
};

TEST(Pipelines, TilesInShares)
{
    constexpr gemm::shape s = {64, 64, 64, 4, 1, opcode::wgmma_64x64x16_fp16};
    constexpr int steps     = 5;
    using experiment        = experiment_with_tiles<s, steps * s.k>;
    using tiles             = tiles_in_shares<s, steps>;
    const experiment e(83, [](int) { return steps; });
    for(const int blocks : {3, 5, 6})
    {
        const auto work = gemm::stream_k::of_shares(tiles::count, blocks, steps, 0);
        std::vector<float> sums(gemm::partial_tiles::sums_of(s, work), NAN);
        std::vector<unsigned> arrived(gemm::partial_tiles::arrivals_of(s, work));
        e.expect_right(blocks, [&](const block& in, const experiment::tiles& products, int b) {
            const tiles of_block{products, work, {sums.data(), arrived.data()}};
            gemm::run_tiles<s, experiment::loop>(in, of_block, b, work.count(), blocks);
        });
    }
}

// A window that counts how often it is loaded.
template <class Window>
struct counted
{
    using element                        = typename Window::element;
    static constexpr distribution layout = Window::layout;
    Window from;
    int* loads;

    template <int Dim>
    auto step(int by) const
    {
        return from.template step<Dim>(by);
    }
    void move(const auto& by) { from.move(by); }

    friend auto load(const counted& c)
    {
        ++*c.loads;
        return ck_tile::load(c.from);
    }
};

// Rows of A by the same B, which the tiles may say.
template <gemm::shape S, int Steps>
struct tiles_of_one_b : product_tiles<S, Steps * S.k>
{
    using base = product_tiles<S, Steps * S.k>;
    int* loads;
    bool stays;

    int steps(int) const { return Steps; }
    auto a(int number) const { return base::a(number * base::across); }
    auto b(int) const { return counted<decltype(base::b(0))>{base::b(0), loads}; }
    bool b_stays(int stages) const { return stays && stages % Steps == 0; }
};

TEST(Pipelines, BStaysInItsStages)
{
    constexpr gemm::shape s = {64, 64, 64, 4, 1, opcode::wgmma_64x64x16_fp16};
    constexpr int steps = 2, k = steps * s.k, tiles = 4;
    using tile_list = tiles_of_one_b<s, steps>;
    random_numbers random(81);
    std::vector<fp16> x(tiles * s.m * k), y(tile_list::across * s.n * k);
    for(auto* all : {&x, &y})
        for(fp16& e : *all)
            e = static_cast<fp16>(random.between(-3, 3));
    std::vector<float> expected(tiles * s.m * s.n);
    for(int row = 0; row < tiles * s.m; ++row)
        for(int j = 0; j < s.n; ++j)
            for(int l = 0; l < k; ++l)
                expected[row * s.n + j] += float(x[row * k + l]) * float(y[j * k + l]);
    const auto loads_of_b = [&](auto loop, bool stays) {
        std::vector<float> c(expected.size(), -1.f);
        int stored[tile_list::count] = {}, loads = 0;
        run_checked(block_of(s, gemm::main_loop_lds_bytes(s, loop()), gemm::copying_waves(loop().kind)),
                    [&](const block& in) {
                        gemm::run_tiles<s, loop()>(in, tile_list{{x, y, c.data(), stored}, &loads, stays}, 0, tiles, 1);
                    });
        EXPECT_EQ(c, expected);
        return loads;
    };
    constexpr auto four  = [] { return gemm::main_loop{gemm::pipeline::wave_specialized, 4}; };
    constexpr auto three = [] { return gemm::main_loop{gemm::pipeline::wave_specialized, 3}; };
    EXPECT_EQ(loads_of_b(four, false), tiles * steps);
    EXPECT_EQ(loads_of_b(four, true), 4) << "once for each stage";
    EXPECT_EQ(loads_of_b(three, true), tiles * steps) << "a stage has another step of B each time";
}

// Rows of images by rows of B, over pixels that are looked up in a table, which turns over several times.
template <gemm::shape S, gemm::main_loop P>
struct tiles_looked_up
{
    static constexpr int count = 2, rows = count * S.m, lines = 7, pixels = 60, k = lines * pixels;
    static constexpr int line            = (pixels + 1) * rows; // elements
    static constexpr int copying         = gemm::copying_waves(P.kind);
    static constexpr distribution a_copy = gemm::tiled_copy(S, S.m, majorness::mn, 8, copying),
                                  b_copy = gemm::tiled_copy(S, S.n, majorness::mn, 8, copying);
    static constexpr int table_at        = gemm::main_loop_lds_bytes(S, P),
                         lds_bytes       = table_at + lookup_table(a_copy, 1).bytes();

    const block& in;
    const std::vector<fp16>&x, &y;
    float* c;

    static int element(int row, int position) { return row + position / pixels * line + position % pixels * rows; }

    int at(int number) const { return number; }
    int steps(int) const { return ceil_div(k, S.k); }
    auto a(int number) const
    {
        const auto map =
            transform(strided<3>{{rows, lines, pixels}, {1, line, rows}}, along<dims{0}, dims{0}>(pass_through{rows}),
                      along<dims{1, 2}, dims{1}>(merge<2>{{lines, pixels}, k}));
        return make_lookup_window<a_copy, 1>(tensor_view{x.data(), std::int64_t(lines) * line, map},
                                             multi_index{number * S.m, 0}, in.lds_at<unsigned>(table_at));
    }
    auto b(int) const
    {
        return make_window<b_copy>(tensor_view{y.data(), std::int64_t(S.n) * k, strided<2>{{S.n, k}, {1, S.n}}},
                                   multi_index{0, 0});
    }
    void store(int number, const tile<float, gemm::accumulator(S)>& acc) const
    {
        gemm::store_directly<S>(acc, tensor_view{c + number * S.m * S.n, S.m * S.n, packed(multi_index{S.m, S.n})},
                                multi_index{0, 0});
    }
};

template <gemm::shape S, gemm::main_loop P>
void expect_looked_up_right()
{
    using tiles = tiles_looked_up<S, P>;
    random_numbers random(82);
    std::vector<fp16> x(tiles::lines * tiles::line), y(S.n * tiles::k);
    for(auto* all : {&x, &y})
        for(fp16& e : *all)
            e = static_cast<fp16>(random.between(-3, 3));
    std::vector<float> expected(tiles::rows * S.n), c(expected.size(), -1.f);
    for(int i = 0; i < tiles::rows; ++i)
        for(int j = 0; j < S.n; ++j)
            for(int l = 0; l < tiles::k; ++l)
                expected[i * S.n + j] += float(x[tiles::element(i, l)]) * float(y[l * S.n + j]);
    const int blocks = gemm::is_persistent(P.kind) ? 1 : tiles::count;
    for(int b = 0; b < blocks; ++b)
        run_checked(block_of(S, tiles::lds_bytes, tiles::copying), [&](const block& in) {
            gemm::run_tiles<S, P>(in, tiles{in, x, y, c.data()}, b, tiles::count, blocks);
        });
    EXPECT_EQ(c, expected);
}

TEST(Pipelines, OperandThatLooksAhead)
{
    expect_looked_up_right<gemm::shape{64, 64, 32, 2, 2, opcode::mfma_16x16x16_fp16}, pipeline::double_buffer>();
    constexpr gemm::shape wide = {64, 64, 64, 4, 1, opcode::wgmma_64x64x16_fp16};
    expect_looked_up_right<wide, gemm::main_loop{pipeline::async_stages, 3}>();
    expect_looked_up_right<wide, gemm::main_loop{pipeline::wave_specialized, 3}>();
}

TEST(Pipelines, MmaFp16)
{
    constexpr gemm::shape s = {64, 32, 32, 2, 2, opcode::mma_16x8x16_fp16};
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 4, 2}, float>({65, 34, 44}, 18);
    expect_gemm_right<variant{s, pipeline::single_buffer, majorness::mn, 4, 2}, fp16>({68, 36, 45}, 19);
}

TEST(Pipelines, PlainMultiplyAddsFp32)
{
    constexpr gemm::shape s = {16, 32, 16, 1, 2, opcode::fma_4x8x1_fp32};
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 1, 1}, float>({17, 33, 19}, 11);
}

// Sixteen products at once: block i of the rows of A times block i of the rows of B.
TEST(Pipelines, MfmaOf16BlocksFp16)
{
    constexpr gemm::shape s = {128, 8, 32, 2, 1, opcode::mfma_4x4x4_16_blocks_fp16};
    expect_gemm_right<variant{s, pipeline::double_buffer, majorness::k, 1, 1}, float>({128, 8, 65}, 13);
}

} // namespace
} // namespace ck_tile

// SPDX-License-Identifier: MIT
// Windows: loading and storing through them is element-wise access, wherever they stand and however they got there.
#include "ck_tile/core/window.hpp"

#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "tests/support/im2col.hpp"
#include "tests/support/tile_elements.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <sys/mman.h>

namespace ck_tile
{
namespace
{

// One wave of 64 lanes and two of 32; scalar registers and vectors; a thread's rows apart and together.
constexpr distribution scalars = {
    .lengths = {16, 32}, .wave = {}, .lane = {{16, 1, 1}, {4, 0, 1}}, .reg = {{2, 1, 16}, {4, 0, 4}}, .vec = {}};
constexpr distribution vectors = {
    .lengths = {16, 32}, .wave = {{2, 0, 8}}, .lane = {{4, 0, 1}, {8, 1, 4}}, .reg = {{2, 0, 4}}, .vec = {{4, 1, 1}}};

// Expects that the tile holds what reading the view element by element gives at `origin`; zeros outside.
template <class Map, distribution D>
void expect_tile_of_view(const tile<float, D>& x, const tensor_view<const float, Map>& view,
                         multi_index<Map::rank> origin)
{
    each_element(x, [&](const multi_index<3>& at, float value) {
        multi_index<Map::rank> u;
        bool inside = true;
        for(int d = 0; d < Map::rank; ++d)
        {
            u[d]   = origin[d] + at[d];
            inside = inside && u[d] < view.map.lengths()[d];
        }
        float expected = 0;
        if(inside && exists(view.map(u), view.map.limits()))
            expected = view.data[view.map(u).offset];
        ASSERT_EQ(value, expected) << "element " << at[0] << ", " << at[1] << ", " << at[2];
    });
}

TEST(Window, OverStridedViewsOfRank1To3)
{
    const auto memory  = numbered(20000);
    const auto view_of = [&](const auto& map) { return tensor_view{memory.data(), 20000, map}; };

    constexpr distribution line = {
        .lengths = {256}, .wave = {{2, 0, 64}}, .lane = {{64, 0, 1}}, .reg = {{2, 0, 128}}, .vec = {}};
    for(int origin : {0, 1, 300, 400})
    {
        const auto view = view_of(strided<1>{{500}, {7}});
        expect_tile_of_view(load(make_window<line>(view, multi_index{origin})), view, multi_index{origin});
    }
    for(const multi_index<2> origin : {multi_index{0, 0}, {5, 8}, {30, 40}})
    {
        const auto rows = view_of(strided<2>{{37, 60}, {68, 1}});
        expect_tile_of_view(load(make_window<scalars>(rows, origin)), rows, origin);
        expect_tile_of_view(load(make_window<vectors>(rows, origin)), rows, origin);
        const auto columns = view_of(strided<2>{{37, 60}, {1, 41}});
        expect_tile_of_view(load(make_window<scalars>(columns, origin)), columns, origin);
    }
    constexpr distribution cube = {.lengths = {4, 8, 16},
                                   .wave    = {},
                                   .lane    = {{8, 1, 1}, {4, 2, 4}, {2, 0, 1}},
                                   .reg     = {{2, 0, 2}},
                                   .vec     = {{4, 2, 1}}};
    for(const multi_index<3> origin : {multi_index{0, 0, 0}, {1, 2, 4}, {5, 7, 8}})
    {
        const auto view = view_of(strided<3>{{7, 11, 20}, {1000, 24, 1}});
        expect_tile_of_view(load(make_window<cube>(view, origin)), view, origin);
    }
}

// Accesses of each thread to a window.
template <class Window>
int accesses(const Window& w)
{
    int count = 0;
    for_each_thread<Window::layout>([&](thread t) { w.each_access(t, [&](auto, unsigned) { ++count; }); });
    return count / Window::layout.threads();
}

// What lies along one dimension, in all rows or in all columns: as if each had it, and read once for each that a thread has.
TEST(Window, RepeatedDimensionsAreReadOnce)
{
    const auto memory = numbered(100);
    const auto line   = packed_view(memory.data(), 60);
    for(const multi_index<2> origin : {multi_index{0, 0}, {4, 8}, {1000000, 40}})
    {
        const auto rows = repeated<0>(line);
        auto by_vectors = make_window<vectors>(rows, origin);
        expect_tile_of_view(load(by_vectors), rows, origin);
        expect_tile_of_view(load(make_window<scalars>(rows, origin)), rows, origin);
        EXPECT_EQ(accesses(by_vectors), 1) << "a vector for both rows of a thread";
        EXPECT_EQ(accesses(make_window<scalars>(rows, origin)), 2) << "two columns in four rows";

        by_vectors.move(by_vectors.step<0>(16));
        expect_tile_of_view(load(by_vectors), rows, origin);
        by_vectors.move(by_vectors.step<1>(8));
        expect_tile_of_view(load(by_vectors), rows, {origin[0], origin[1] + 8});

        const auto columns          = repeated<1>(line);
        const multi_index<2> turned = {origin[1], origin[0]};
        const auto one_each         = make_window<vectors>(columns, turned);
        expect_tile_of_view(load(one_each), columns, turned);
        expect_tile_of_view(load(make_window<scalars>(columns, turned)), columns, turned);
        static_assert(decltype(one_each)::read.vecs() == 1, "what a vector's elements have in common is one");
        EXPECT_EQ(accesses(one_each), 2) << "one for each row";
    }
    // A number everywhere, and rows between merged dimensions, which stay in the top layer.
    const auto everywhere = repeated<1>(repeated<0>(tensor_view{memory.data() + 7, 1, strided<0>{}}));
    const auto numbers    = make_window<scalars>(everywhere, multi_index{5, 6});
    expect_tile_of_view(load(numbers), everywhere, {5, 6});
    EXPECT_EQ(accesses(numbers), 1);
    const auto merged = transform(strided<2>{{5, 7}, {10, 1}}, along<dims{0, 1}, dims{0}>(merge<2>{{5, 7}}));
    const auto rows   = repeated<0>(tensor_view{memory.data(), 100, merged});
    auto moving       = make_window<scalars>(rows, multi_index{0, 0});
    expect_tile_of_view(load(moving), rows, {0, 0});
    moving.move(moving.step<1>(3));
    expect_tile_of_view(load(moving), rows, {0, 3});
    EXPECT_EQ(accesses(moving), 2);
    EXPECT_EQ(
        accesses(make_window<scalars>(tensor_view{memory.data(), 60, strided<2>{{16, 60}, {0, 1}}}, multi_index{0, 0})),
        8)
        << "a stride of 0 that is known when the kernel runs";
}

template <int S>
void expect_im2col_loads(random_numbers& random)
{
    const im2col<S> c = random_im2col<S>(random);
    const int end     = random.between(1, c.pixels());
    const auto memory = numbered(c.elements());
    const tensor_view view{memory.data(), c.elements(), c.matrix(end)};
    const multi_index<2> origin = {random.between(0, c.rows() - 1), random.between(0, end - 1)};
    const auto x                = load(make_window<scalars>(view, origin));
    expect_tile_of_view(x, view, origin);

    // The same against the definition, without the view.
    each_element(x, [&](const multi_index<3>& at, float value) {
        const int row = origin[0] + at[0], pixel = origin[1] + at[1];
        const auto coord = row < c.rows() && pixel < end ? c.place_of(row, pixel) : std::nullopt;
        ASSERT_EQ(value, coord ? memory[static_cast<std::size_t>(*coord)] : 0.f) << "row " << row << " pixel " << pixel;
    });

    // Moving along the merged dimensions is standing there from the start.
    auto moving      = make_window<scalars>(view, multi_index{0, 0});
    const int stride = random.between(1, 40), down = random.between(1, 20);
    const auto right = moving.template step<1>(stride);
    const auto lower = moving.template step<0>(down);
    for(multi_index at{0, 0}; at[1] < end + 64;)
    {
        expect_tile_of_view(load(moving), view, at);
        if(random.between(0, 3) == 0)
            moving.move(lower), at[0] += down;
        else
            moving.move(right), at[1] += stride;
        if(testing::Test::HasFatalFailure())
            return;
    }
}

TEST(Window, OverIm2colViews1d)
{
    random_numbers random(20);
    for(int i = 0; i < 60 && !HasFatalFailure(); ++i)
        expect_im2col_loads<1>(random);
}

TEST(Window, OverIm2colViews2d)
{
    random_numbers random(21);
    for(int i = 0; i < 40 && !HasFatalFailure(); ++i)
        expect_im2col_loads<2>(random);
}

TEST(Window, OverIm2colViews3d)
{
    random_numbers random(22);
    for(int i = 0; i < 15 && !HasFatalFailure(); ++i)
        expect_im2col_loads<3>(random);
}

TEST(Window, ManyMovesAlongAMergedDimension)
{
    const im2col<2> c = {.images   = 9,
                         .channels = 2,
                         .input    = {13, 11},
                         .filter   = {3, 2},
                         .stride   = {1, 2},
                         .dilation = {2, 1},
                         .left     = {2, 0},
                         .right    = {1, 1},
                         .strides  = {286, 22, 2, 1}};
    const auto memory = numbered(c.elements());
    const tensor_view view{memory.data(), c.elements(), c.matrix(c.pixels())};
    auto moving     = make_window<scalars>(view, multi_index{0, 0});
    const auto step = moving.step<1>(1);
    for(int pixel = 0; pixel < c.pixels() && !HasFatalFailure(); ++pixel)
    {
        expect_tile_of_view(load(moving), view, multi_index{0, pixel});
        moving.move(step);
    }
}

// Through a merge whose parts lie apart in memory, channels in vectors of four.
TEST(Window, VectorsOverMergedViews)
{
    const auto memory = numbered(4000);
    const auto images = strided<4>{{3, 5, 4, 32}, {900, 170, 40, 1}};
    const auto pixels = transform(images, along<dims{0, 1, 2}, dims{0}>(merge<3>{{3, 5, 4}}),
                                  along<dims{3}, dims{1}>(pass_through{32}));
    const tensor_view view{memory.data(), 4000, pixels};
    auto moving     = make_window<vectors>(view, multi_index{0, 0});
    const auto step = moving.step<0>(7);
    for(int row = 0; row < 70 && !HasFatalFailure(); row += 7)
    {
        expect_tile_of_view(load(moving), view, multi_index{row, 0});
        moving.move(step);
    }
}

// Numbers its elements, so that each place in memory tells which element it got.
template <distribution D>
tile<float, D> numbered_tile(int from = 1000)
{
    return generate<float, D>([&](int i, int j) { return from * (i + 1) + j; });
}

template <distribution D>
void expect_stores_inside(multi_index<2> lengths, multi_index<2> strides, multi_index<2> origin)
{
    constexpr int guard = 100;
    const int elements  = (lengths[0] - 1) * strides[0] + (lengths[1] - 1) * strides[1] + 1;
    std::vector<float> memory(static_cast<std::size_t>(elements + 2 * guard), -1.f);
    const tensor_view view{memory.data() + guard, elements, strided<2>{lengths, strides}};
    store(make_window<D>(view, origin), numbered_tile<D>());

    std::vector<float> expected(memory.size(), -1.f);
    for(int i = 0; i < D.length(0) && origin[0] + i < lengths[0]; ++i)
        for(int j = 0; j < D.length(1) && origin[1] + j < lengths[1]; ++j)
            expected[static_cast<std::size_t>(guard + (origin[0] + i) * strides[0] + (origin[1] + j) * strides[1])] =
                static_cast<float>(1000 * (i + 1) + j);
    EXPECT_EQ(memory, expected);
}

TEST(Window, OverhangStoresNothing)
{
    for(const multi_index<2> origin : {multi_index{0, 0}, {20, 28}, {36, 56}, {40, 64}})
    {
        expect_stores_inside<scalars>({37, 60}, {60, 1}, origin);
        expect_stores_inside<scalars>({37, 61}, {65, 1}, origin);
        expect_stores_inside<scalars>({37, 60}, {1, 40}, origin);
        expect_stores_inside<vectors>({37, 60}, {60, 1}, origin);
        expect_stores_inside<vectors>({37, 60}, {64, 1}, origin);
    }
}

TEST(Window, PaddingIsNotStored)
{
    std::vector<float> memory(12, -1.f);
    const auto padded  = transform(packed(multi_index{3, 4}), along<dims{0}, dims{0}>(pad{3, 2, 1}),
                                   along<dims{1}, dims{1}>(pad{4, 1, 2}));
    const auto lengths = padded.lengths();
    const auto image   = transform(padded, along<dims{0}, dims{0}>(pass_through{lengths[0]}),
                                   along<dims{1}, dims{1}>(pass_through{lengths[1]}));
    store(make_window<scalars>(tensor_view{memory.data(), 12, image}, multi_index{0, 0}), numbered_tile<scalars>());
    for(int i = 0; i < 3; ++i)
        for(int j = 0; j < 4; ++j)
            EXPECT_EQ(memory[static_cast<std::size_t>(4 * i + j)], static_cast<float>(1000 * (i + 3) + j + 1));
}

TEST(Window, NaNsOutsideOfTheViewDoNotGetIn)
{
    std::vector<float> memory(400, __builtin_nanf(""));
    for(std::size_t i = 0; i < 10; ++i)
        memory[10 * i] = 1;
    const tensor_view view{static_cast<const float*>(memory.data()), 400, strided<2>{{10, 1}, {10, 1}}};
    float sum = 0;
    each_element(load(make_window<scalars>(view, multi_index{0, 0})),
                 [&](const multi_index<3>&, float x) { sum += x; });
    EXPECT_EQ(sum, 10);
}

// Memory that costs nothing until it is touched.
class address_space
{
  public:
    explicit address_space(std::size_t bytes)
        : bytes_(bytes),
          at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
    }
    ~address_space()
    {
        if(at_ != MAP_FAILED)
            munmap(at_, bytes_);
    }
    address_space(const address_space&)            = delete;
    address_space& operator=(const address_space&) = delete;

    float* data() const { return at_ == MAP_FAILED ? nullptr : static_cast<float*>(at_); }

  private:
    std::size_t bytes_;
    void* at_;
};

TEST(Window, TensorsBeyond4GiB)
{
    constexpr std::int64_t all = std::int64_t(7) << 30; // bytes
    const address_space space(all);
    ASSERT_NE(space.data(), nullptr);
    // A view that starts 5 GiB in and whose rows lie 127 MiB apart: its last offset is just below 2 GiB.
    constexpr std::int64_t base = (std::int64_t(5) << 30) / 4;
    constexpr int row           = (127 << 20) / 4;
    float* const data           = space.data() + base;
    const tensor_view view{data, std::int64_t(15) * row + 32, strided<2>{{16, 32}, {row, 1}}};
    store(make_window<vectors>(view, multi_index{0, 0}), numbered_tile<vectors>());
    for(int i = 0; i < 16; ++i)
        for(int j = 0; j < 32; ++j)
            ASSERT_EQ(data[std::int64_t(i) * row + j], static_cast<float>(1000 * (i + 1) + j));
    EXPECT_EQ(space.data()[0], 0.f);
    EXPECT_EQ(space.data()[base - 1], 0.f);
    EXPECT_EQ(data[std::int64_t(15) * row + 32], 0.f);

    const tensor_view reading{static_cast<const float*>(data), view.elements, view.map};
    expect_tile_of_view(load(make_window<scalars>(reading, multi_index{0, 0})), reading, multi_index{0, 0});
}

} // namespace
} // namespace ck_tile

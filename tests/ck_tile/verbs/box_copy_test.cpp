// SPDX-License-Identifier: MIT
// Boxes of tensors in LDS: of every rank-4 box the elements that exist, and zeros for those that do not, as they lie or permuted; at once, or
// when the barrier says so.
#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/verbs/box_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace ck_tile
{
namespace
{

using coordinates = tensor_map::coord;

// A tensor of different numbers.
template <class T>
std::vector<T> numbers(const coordinates& lengths)
{
    std::vector<T> all(static_cast<std::size_t>(lengths[0]) * lengths[1] * lengths[2] * lengths[3]);
    for(std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<T>(i + 1);
    return all;
}

// f(coordinate in the box, its number in it) for all.
void each_of(const coordinates& box, auto&& f)
{
    int number = 0;
    for(int d3 = 0; d3 < box[3]; ++d3)
        for(int d2 = 0; d2 < box[2]; ++d2)
            for(int d1 = 0; d1 < box[1]; ++d1)
                for(int d0 = 0; d0 < box[0]; ++d0)
                    f(coordinates{d0, d1, d2, d3}, number++);
}

template <class T>
T expected(const std::vector<T>& all, const coordinates& lengths, const coordinates& at)
{
    std::size_t offset = 0;
    for(int d = tensor_map::dims - 1; d >= 0; --d)
    {
        if(at[d] < 0 || at[d] >= lengths[d])
            return 0;
        offset = offset * static_cast<std::size_t>(lengths[d]) + static_cast<std::size_t>(at[d]);
    }
    return all[offset];
}

template <class T>
void expect_box(const coordinates& lengths, const coordinates& box, const coordinates& at, bool permuted)
{
    SCOPED_TRACE(testing::Message() << "box at " << at[0] << ", " << at[1] << ", " << at[2] << ", " << at[3]);
    const std::vector<T> all = numbers<T>(lengths);
    const tensor_map map     = packed_map(all.data(), sizeof(T), lengths, box, permuted);
    std::vector<T> lds(static_cast<std::size_t>(map.box_bytes()) / sizeof(T), T(-1));
    alignas(16) std::byte memory[16];
    box_barrier<1, 1> copied(reinterpret_cast<mbarrier*>(memory));
    copied.init();
    copied.copy([&](auto copy) { copy(lds.data(), map, at, map.box_bytes()); });
    copied.wait(0);
    each_of(box, [&](const coordinates& i, int number) {
        int lies = number;
        if(permuted) // as swizzled_rows says of 16 bits
            lies = static_cast<int>(swizzled_rows(box[1] * box[2] * box[3], box[0])
                                        .map()(multi_index<2>{number / box[0], number % box[0]})
                                        .offset);
        coordinates there = at;
        for(int d = 0; d < tensor_map::dims; ++d)
            there[d] += i[d];
        EXPECT_EQ(lds[static_cast<std::size_t>(lies)], expected(all, lengths, there)) << "element " << number;
    });
}

TEST(BoxCopy, HasWhatExistsAndZeros)
{
    for(const coordinates& at : {coordinates{0, 0, 0, 0}, {8, -1, -2, 0}, {16, 3, 4, 1}, {-8, 5, 6, 2}, {24, 0, 0, 3}})
    {
        expect_box<std::int16_t>({24, 5, 6, 3}, {8, 3, 4, 2}, at, false);
        expect_box<std::int32_t>({24, 5, 6, 3}, {4, 3, 4, 2}, at, false);
        expect_box<std::int8_t>({24, 5, 2, 1}, {16, 3, 2, 1}, at, false);
    }
}

TEST(BoxCopy, PermutesChunksAsSwizzledRowsAre)
{
    for(const coordinates& at : {coordinates{0, 0, 0, 0}, {64, -1, -1, 0}, {32, 4, 4, 1}})
        for(const int cols : {16, 32, 64})
            expect_box<std::int16_t>({72, 5, 6, 2}, {cols, 4, 4, 1}, at, true);
}

// Boxes of windows, whose first one is any: of each what the tap sees, of windows that follow each other through rows, images, and into
// images that there are none of.
TEST(BoxCopy, HasWhatATapOfWindowsSees)
{
    const coordinates lengths = {72, 7, 5, 3};
    struct along
    {
        int positions, first, stride, tap;
    };
    for(const auto& [cols, rows] : {std::pair{along{7, -1, 1, 0}, along{5, -1, 1, 2}},
                                    {along{4, -2, 2, 3}, along{2, 0, 3, 1}},
                                    {along{1, 3, 1, 0}, along{6, -3, 2, 1}}})
    {
        const std::vector<std::int16_t> all = numbers<std::int16_t>(lengths);
        tensor_map map                      = packed_map(all.data(), 2, lengths, {64, 24, 1, 1}, true);
        map.of_windows                      = true;
        for(const auto& [d, l] : {std::pair{0, cols}, {1, rows}})
        {
            map.first[d] = static_cast<std::int16_t>(l.first), map.stride[d] = static_cast<std::int16_t>(l.stride);
            map.last[d] = static_cast<std::int16_t>(l.first + (l.positions - 1) * l.stride - (lengths[1 + d] - 1));
        }
        const int per_image = cols.positions * rows.positions;
        for(const int begin : {0, 1, per_image + cols.positions, 3 * per_image - 2})
        {
            const auto seen = [&](int window) {
                const int x = window % cols.positions, y = window / cols.positions % rows.positions;
                return coordinates{8, cols.first + x * cols.stride, rows.first + y * rows.stride, window / per_image};
            };
            alignas(1024) std::int16_t lds[24 * 64];
            alignas(16) std::byte memory[16];
            box_barrier<1, 1> copied(reinterpret_cast<mbarrier*>(memory));
            copied.init();
            copied.copy([&](auto box) {
                box(lds, map, tensor_map::tap_coord{seen(begin), {cols.tap, rows.tap}}, map.box_bytes());
            });
            copied.wait(0);
            for(int line = 0; line < 24; ++line)
                for(int channel = 0; channel < 64; ++channel)
                {
                    coordinates at = seen(begin + line);
                    at[0] += channel, at[1] += cols.tap, at[2] += rows.tap;
                    const int lies = swizzled_rows(24, 64).map()(multi_index<2>{line, channel}).offset;
                    ASSERT_EQ(lds[lies], expected(all, lengths, at))
                        << "window " << begin + line << ", channel " << channel;
                }
        }
    }
}

// One turn after the other, of two boxes each.
TEST(BoxCopy, TurnsEndWhenAllBoxesAreThere)
{
    const coordinates lengths = {8, 4, 1, 1}, box = {8, 1, 1, 1};
    const std::vector<std::int16_t> all = numbers<std::int16_t>(lengths);
    const tensor_map map                = packed_map(all.data(), 2, lengths, box, false);
    std::int16_t lds[2][8];
    alignas(16) std::byte memory[16];
    box_barrier<1, 1> copied(reinterpret_cast<mbarrier*>(memory));
    copied.init();
    for(int turn = 0; turn < 3; ++turn)
    {
        copied.copy([&](auto copy) {
            copy(lds[0], map, {0, turn, 0, 0}, map.box_bytes());
            copy(lds[1], map, {0, turn + 1, 0, 0}, map.box_bytes());
        });
        copied.wait(turn);
        EXPECT_EQ(lds[0][0], 8 * turn + 1);
        EXPECT_EQ(lds[1][7], 8 * turn + 16);
    }
}

// Of what a box in LDS holds, the elements that exist in the tensor are stored, the others of the tensor stay.
template <class T>
void expect_stored(const coordinates& lengths, const coordinates& box, const coordinates& at, bool permuted)
{
    SCOPED_TRACE(testing::Message() << "box at " << at[0] << ", " << at[1] << ", " << at[2] << ", " << at[3]);
    const std::vector<T> before = numbers<T>(lengths);
    std::vector<T> all          = before;
    const tensor_map map        = packed_map(all.data(), sizeof(T), lengths, box, permuted);
    std::vector<T> lds(static_cast<std::size_t>(map.box_bytes()) / sizeof(T));
    for(std::size_t i = 0; i < lds.size(); ++i)
        lds[i] = static_cast<T>(-1 - static_cast<int>(i));
    box_store<1, 1> boxes;
    boxes.store(map, at, lds.data());
    EXPECT_EQ(all, before) << "stored when it is waited for";
    boxes.wait();
    std::vector<T> right = before;
    each_of(box, [&](const coordinates& i, int number) {
        std::size_t offset = 0;
        for(int d = tensor_map::dims - 1; d >= 0; --d)
        {
            if(at[d] + i[d] < 0 || at[d] + i[d] >= lengths[d])
                return;
            offset = offset * static_cast<std::size_t>(lengths[d]) + static_cast<std::size_t>(at[d] + i[d]);
        }
        const multi_index<2> line = {number / box[0], number % box[0]};
        const int lies = permuted ? swizzled_rows(box[1] * box[2] * box[3], box[0]).map()(line).offset : number;
        right[offset]  = lds[static_cast<std::size_t>(lies)];
    });
    EXPECT_EQ(all, right);
    all = before;
    boxes.wait();
    EXPECT_EQ(all, before) << "stored once";
}

TEST(BoxCopy, StoresWhatExists)
{
    for(const coordinates& at : {coordinates{0, 0, 0, 0}, {8, -1, -2, 0}, {16, 3, 4, 1}, {-8, 5, 6, 2}, {24, 0, 0, 3}})
    {
        expect_stored<std::int16_t>({24, 5, 6, 3}, {8, 3, 4, 2}, at, false);
        expect_stored<std::int32_t>({24, 5, 6, 3}, {4, 3, 4, 2}, at, false);
    }
    for(const coordinates& at : {coordinates{0, 0, 0, 0}, {64, -1, -1, 0}, {32, 4, 4, 1}})
        for(const int cols : {16, 32, 64})
            expect_stored<std::int16_t>({72, 5, 6, 2}, {cols, 4, 4, 1}, at, true);
}

TEST(BoxCopyDeathTest, BoxesOfWindowsAreOfMapsOfWindows)
{
    const std::vector<std::int16_t> all = numbers<std::int16_t>({8, 1, 1, 1});
    tensor_map map                      = packed_map(all.data(), 2, {8, 1, 1, 1}, {8, 1, 1, 1}, false);
    std::int16_t lds[8];
    alignas(16) std::byte memory[16];
    box_barrier<1, 1> copied(reinterpret_cast<mbarrier*>(memory));
    copied.init();
    EXPECT_DEATH(copied.copy([&](auto box) { box(lds, map, tensor_map::tap_coord{}, 16); }),
                 "a box of windows is copied as one of none, or the reverse: its map says which it is");
    map.of_windows = true;
    EXPECT_DEATH(copied.copy([&](auto box) { box(lds, map, {}, 16); }),
                 "a box of windows is copied as one of none, or the reverse: its map says which it is");
}

TEST(BoxCopyDeathTest, WaitingForATurnThatNobodyBeganFails)
{
    alignas(16) std::byte memory[16];
    box_barrier<1, 1> copied(reinterpret_cast<mbarrier*>(memory));
    copied.init();
    EXPECT_DEATH(copied.wait(0), "waiting for a phase that nobody ends");
}

} // namespace
} // namespace ck_tile

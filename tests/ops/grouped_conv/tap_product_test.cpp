// SPDX-License-Identifier: MIT
// The layouts of tap products: what a lane has of a product is what it has of images and of weights, whatever the instruction.
#include "ops/grouped_conv/tap_product.hpp"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>

namespace ck_tile::conv
{
namespace
{

template <architecture Arch>
using of_architecture = std::integral_constant<architecture, Arch>;

template <class Arch>
class TapProduct : public testing::Test
{
  protected:
    static constexpr matrix_instruction inst = *tap_product::instruction(data_type::fp16, facts(Arch::value));
};
using architectures = testing::Types<of_architecture<architecture::gfx90a>, of_architecture<architecture::gfx942>,
                                     of_architecture<architecture::gfx950>, of_architecture<architecture::gfx11>,
                                     of_architecture<architecture::sm90>>;
TYPED_TEST_SUITE(TapProduct, architectures);

TYPED_TEST(TapProduct, ImagesAreWhatLanesHaveOfProducts)
{
    constexpr matrix_instruction inst = TestFixture::inst;
    for(const int classes : {1, 2})
        for(const int rows : {1, 4, 7})
        {
            const patch p        = {rows, tap_product::width * classes};
            const distribution d = tap_product::images(inst, 4, 32, p, classes), one = inst.c;
            ASSERT_TRUE(d.covers());
            const int side = d.regs() / rows; // pixels of a row that a lane has
            for(int lane = 0; lane < one.lanes(); ++lane)
                for(int v = 0; v < one.vecs(); ++v)
                    for(int of_class = 0; of_class < classes; ++of_class)
                    {
                        const int m      = one.locate(0, {.lane = lane, .vec = v}),
                                  n      = one.locate(1, {.lane = lane, .vec = v});
                        const int beside = one.vec.number_in(1, v) * classes + of_class, own = one.vec.number_in(0, v);
                        const slot at           = {.lane = lane, .reg = beside + (rows - 1) * side, .vec = own};
                        constexpr digit of_lane = tap_product::rows_of_lane(inst);
                        EXPECT_EQ(d.locate(1, at), tap_product::channel_of_row<of_lane>(m));
                        EXPECT_EQ(d.locate(0, at), n / tap_product::width * p.pixels() + (rows - 1) * p.cols +
                                                       n % tap_product::width * classes + of_class);
                    }
        }
}

TYPED_TEST(TapProduct, EveryRowIsAChannel)
{
    constexpr digit of_lane = tap_product::rows_of_lane(TestFixture::inst);
    std::set<int> channels;
    for(int m = 0; m < tap_product::channels; ++m)
        channels.insert(tap_product::channel_of_row<of_lane>(m));
    EXPECT_EQ(channels.size(), std::size_t(tap_product::channels));
    EXPECT_EQ(*channels.rbegin(), tap_product::channels - 1);
}

TYPED_TEST(TapProduct, SumsOfWeightsCoverAllPairsOfChannels)
{
    constexpr matrix_instruction inst = TestFixture::inst;
    const distribution d              = tap_product::weights(inst, 8, 2, 3),
                       one            = tap_product::result(inst, 8, tap_product::channels);
    ASSERT_TRUE(d.covers());
    ASSERT_TRUE(one.covers());
    for(int lane = 0; lane < one.lanes(); ++lane)
        for(int r = 0; r < one.regs(); ++r)
            for(int v = 0; v < one.vecs(); ++v)
            {
                const slot at = {.lane = lane, .reg = r, .vec = v};
                EXPECT_EQ(d.locate(1, at), one.locate(0, at) * tap_product::channels + one.locate(1, at));
            }
}

TEST(TapProductColumns, EveryColumnIsAPixel)
{
    std::set<int> pixels;
    for(int k = 0; k < 2 * tap_product::width; ++k)
        pixels.insert(tap_product::pixel_of_column(k));
    EXPECT_EQ(pixels.size(), std::size_t(2 * tap_product::width));
    // Rows of a square that are read at once lie side by side.
    for(int row = 0; row < 8; ++row)
        EXPECT_EQ(tap_product::pixel_of_column(row / 2 * 4 + row % 2), row);
}

} // namespace
} // namespace ck_tile::conv

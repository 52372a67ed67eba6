// SPDX-License-Identifier: MIT
// A divider divides: every small number by every small divisor, and the awkward ones near powers of two.
#include "ck_tile/core/divider.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ck_tile
{
namespace
{

TEST(Divider, DividesSmallNumbers)
{
    for(int d = 1; d < 400; ++d)
    {
        const divider by(d);
        for(int n = 0; n < 1500; ++n)
        {
            ASSERT_EQ(n / by, n / d) << n << " / " << d;
            ASSERT_EQ(n % by, n % d) << n << " % " << d;
        }
    }
}

TEST(Divider, DividesNumbersOf31Bits)
{
    constexpr int largest = 0x7fffffff;
    std::mt19937 random(11);
    for(int i = 0; i < 200000; ++i)
    {
        const int bits = 1 + static_cast<int>(random() % 30);
        const int d    = i % 3 == 0 ? (1 << bits) + static_cast<int>(random() % 3) - 1
                                    : 1 + static_cast<int>(random() >> 1 >> random() % 31) % largest;
        const divider by(d);
        const int near = static_cast<int>(random() >> 1) / d * d; // a multiple, and its neighbours
        for(const int n : {near, near > 0 ? near - 1 : 0, largest, largest - 1, static_cast<int>(random() >> 1)})
            ASSERT_EQ(n / by, n / d) << n << " / " << d;
    }
}

} // namespace
} // namespace ck_tile

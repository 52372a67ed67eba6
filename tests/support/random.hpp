// SPDX-License-Identifier: MIT
// Seeded random numbers, the same on every machine.
#pragma once

#include <cstdint>
#include <random>

namespace ck_tile
{

class random_numbers
{
  public:
    explicit random_numbers(std::uint32_t seed) : state_(seed) {}

    // A whole number in [low, high].
    int between(int low, int high)
    {
        return low + static_cast<int>(state_() % static_cast<std::uint32_t>(high - low + 1));
    }

  private:
    std::mt19937 state_;
};

} // namespace ck_tile

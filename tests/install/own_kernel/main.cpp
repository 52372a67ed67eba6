// SPDX-License-Identifier: MIT
// Runs the kernel's blocks on the CPU and compares with plain loops.
#include "row_sums.hpp"

#include <cstdio>
#include <vector>

extern const ck_tile::kernel row_sums;

int main()
{
    constexpr int rows = 37, columns = 100;
    std::vector<float> matrix(rows * columns), sums(rows, -1);
    for(int i = 0; i < rows * columns; ++i)
        matrix[i] = static_cast<float>(i % 11);

    const row_sums_program::arguments arguments = {matrix.data(), sums.data(), rows, columns};
    alignas(16) std::byte lds[row_sums_program::lds_bytes + 16];
    for(unsigned block = 0; block < (rows + 15) / 16; ++block)
        row_sums.on_host(&arguments, {block}, lds);

    for(int r = 0; r < rows; ++r)
    {
        float expected = 0;
        for(int c = 0; c < columns; ++c)
            expected += matrix[r * columns + c];
        if(sums[r] != expected)
            return std::printf("row %d: %g instead of %g\n", r, sums[r], expected), 1;
    }
    std::puts("37 rows are right");
    return 0;
}

// SPDX-License-Identifier: MIT
// Runs the softmax, and compares with sums in double precision.
#include "../lesson.hpp"
#include "softmax_kernel.hpp"

#include <algorithm>
#include <cmath>

extern const ck_tile::kernel_set tutorial_softmax;

int main(int argc, char** argv)
{
    using namespace ck_tile;
    tutorial::lesson l(argc, argv);
    const auto [rows, columns] = l.sizes(33, 1000); // shorter than the tile: what does not exist counts as -infinity
    std::vector<fp16> x(rows * columns), y(rows * columns);
    for(int i = 0; i < rows * columns; ++i)
        x[i] = static_cast<fp16>((i * 37 % 1009 - 500) * 0.02f);

    const tutorial::softmax_arguments arguments = {l.upload(x), l.upload(y), rows, columns};
    l.launch(tutorial_softmax, arguments);
    y = l.download(arguments.y, y.size());

    int wrong = 0;
    for(const int i : tutorial::some_of(rows))
    {
        const fp16* row  = &x[i * columns];
        const double top = static_cast<double>(*std::max_element(row, row + columns));
        double sum       = 0;
        for(int j = 0; j < columns; ++j)
            sum += std::exp(static_cast<double>(row[j]) - top);
        for(int j = 0; j < columns; ++j)
        {
            const double expected = std::exp(static_cast<double>(row[j]) - top) / sum;
            const double bound    = std::ldexp(expected, -10) + std::ldexp(1, -24); // of rounding to fp16, and a little
            wrong += !(std::abs(static_cast<double>(y[i * columns + j]) - expected) <= bound);
        }
    }
    return l.finish(fmt::format("softmax of {} x {}", rows, columns), wrong, tutorial_softmax, arguments,
                    {.bytes = 4. * rows * columns});
}

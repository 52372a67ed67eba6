// SPDX-License-Identifier: MIT
// Runs the step, and compares: of small integers, and a rate of 1/4, it is exact.
#include "../lesson.hpp"
#include "stencil_kernel.hpp"

extern const ck_tile::kernel_set tutorial_stencil;

int main(int argc, char** argv)
{
    tutorial::lesson l(argc, argv);
    const auto [rows, columns] = l.sizes(131, 203);
    std::vector<float> x(std::size_t(rows) * columns), y(x.size());
    for(std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i * 7919 % 1009);

    const tutorial::stencil_arguments arguments = {l.upload(x), l.upload(y), rows, columns, 0.25f};
    l.launch(tutorial_stencil, arguments);
    y = l.download(arguments.y, y.size());

    const auto at = [&, rows = rows, columns = columns](int i, int j) {
        return i < 0 || i >= rows || j < 0 || j >= columns ? 0 : x[std::size_t(i) * columns + j];
    };
    int wrong = 0;
    for(const int i : tutorial::some_of(rows))
        for(int j = 0; j < columns; ++j)
        {
            const float around = at(i - 1, j) + at(i, j - 1) + at(i, j + 1) + at(i + 1, j);
            wrong += y[std::size_t(i) * columns + j] != at(i, j) + 0.25f * (around - 4 * at(i, j));
        }
    return l.finish(fmt::format("stencil of {} x {}", rows, columns), wrong, tutorial_stencil, arguments,
                    {.bytes = 8. * rows * columns});
}

// SPDX-License-Identifier: MIT
// Runs the copy, and compares.
#include "../lesson.hpp"
#include "copy_kernel.hpp"

extern const ck_tile::kernel_set tutorial_copy;

int main(int argc, char** argv)
{
    using namespace ck_tile;
    tutorial::lesson l(argc, argv);
    const auto [count] = l.sizes(1000 * 1000); // no multiple of a block's 8192 elements: what overhangs is not touched
    std::vector<fp16> x(count), y(count);
    for(int i = 0; i < count; ++i)
        x[i] = static_cast<fp16>(i % 1000);

    const tutorial::copy_arguments arguments = {l.upload(x), l.upload(y), count};
    l.launch(tutorial_copy, arguments);
    y = l.download(arguments.y, count);

    int wrong = 0;
    for(int i = 0; i < count; ++i)
        wrong += y[i] != x[i];
    return l.finish(fmt::format("copy of {} elements", count), wrong, tutorial_copy, arguments, {.bytes = 4. * count});
}

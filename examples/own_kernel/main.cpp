// SPDX-License-Identifier: MIT
// Runs the kernel on a GPU if there is one, else on the CPU, or where the argument says, and compares with plain loops.
#include "row_sums.hpp"

#include <ck_tile/runtime/device.hpp>

#include <cstdio>
#include <vector>

extern const ck_tile::kernel_set row_sums;

int main(int argc, char** argv)
{
    const auto dev = ck_tile::device::open(argc > 1 ? argv[1] : "auto"); // or "hip", "cuda:1", "host:gfx942"
    if(!dev)
        return std::puts(dev.reason().c_str()), 2;

    constexpr int rows = 37, columns = 100;
    std::vector<ck_tile::fp16> matrix(rows * columns);
    for(int i = 0; i < rows * columns; ++i)
        matrix[i] = ck_tile::fp16(i % 11);
    std::vector<float> sums(rows);

    const auto x = dev->allocate(matrix.size() * sizeof(ck_tile::fp16)), y = dev->allocate(sums.size() * sizeof(float));
    if(!x || !y)
        return std::puts((!x ? x : y).reason().c_str()), 2;
    ck_tile::status done = dev->copy_to_device(x->data(), matrix.data(), matrix.size() * sizeof(ck_tile::fp16));
    if(done) // as many blocks as the program says
        done = dev->launch(row_sums, own::row_sums_arguments{static_cast<const ck_tile::fp16*>(x->data()),
                                                             static_cast<float*>(y->data()), rows, columns});
    if(done)
        done = dev->copy_to_host(sums.data(), y->data(), sums.size() * sizeof(float));
    if(!done)
        return std::puts(done.reason().c_str()), 2;

    for(int r = 0; r < rows; ++r)
    {
        float expected = 0;
        for(int c = 0; c < columns; ++c)
            expected += float(matrix[r * columns + c]);
        if(sums[r] != expected)
            return std::printf("row %d: %g instead of %g\n", r, sums[r], expected), 1;
    }
    std::printf("%d rows are right on %s\n", rows, dev->name().c_str());
}

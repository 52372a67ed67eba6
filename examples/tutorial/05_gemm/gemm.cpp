// SPDX-License-Identifier: MIT
// Runs the matrix product, and compares: of small integers it is exact.
#include "../lesson.hpp"
#include "gemm_kernel.hpp"

extern const ck_tile::kernel_set tutorial_gemm;

int main(int argc, char** argv)
{
    using namespace ck_tile;
    tutorial::lesson here(argc, argv);
    const auto [m, n, k] = here.sizes(150, 99, 104); // no multiples of the tile: what overhangs reads as zero
    std::vector<fp16> a(m * k), b(n * k), c(m * n);
    for(int i = 0; i < m * k; ++i)
        a[i] = static_cast<fp16>(i % 7 - 3);
    for(int i = 0; i < n * k; ++i)
        b[i] = static_cast<fp16>(i % 5 - 2);

    const tutorial::small_gemm_arguments arguments = {here.upload(a), here.upload(b), here.upload(c), m, n, k};
    here.launch(tutorial_gemm, arguments);
    c = here.download(arguments.c, c.size());

    int wrong = 0;
    for(const int i : tutorial::some_of(m))
        for(int j = 0; j < n; ++j)
        {
            double sum = 0;
            for(int l = 0; l < k; ++l)
                sum += static_cast<double>(a[i * k + l]) * static_cast<double>(b[j * k + l]);
            wrong += static_cast<double>(c[i * n + j]) != sum;
        }
    return here.finish(fmt::format("product of {} x {} x {}", m, n, k), wrong, tutorial_gemm, arguments,
                       {.bytes = 2. * (m * k + n * k + m * n), .flops = 2. * m * n * k});
}

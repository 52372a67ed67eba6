// SPDX-License-Identifier: MIT
// Runs the tutorial's matrix product on a GPU if there is one, else on the CPU, or on the device that is named: tutorial_gemm host:gfx11.
#include "ck_tile/runtime/device.hpp"
#include "gemm_kernel.hpp"

#include <fmt/format.h>

#include <vector>

extern const ck_tile::kernel_set tutorial_gemm;

int main(int argc, char** argv)
{
    using namespace ck_tile;
    constexpr int m = 300, n = 200, k = 104; // not multiples of the tile: what overhangs reads as zero
    std::vector<fp16> a(m * k), b(n * k), c(m * n);
    for(int i = 0; i < m * k; ++i)
        a[i] = static_cast<fp16>(i % 7 - 3);
    for(int i = 0; i < n * k; ++i)
        b[i] = static_cast<fp16>(i % 5 - 2);

    const auto dev = device::open(argc > 1 ? argv[1] : "auto");
    if(!dev)
        return fmt::print(stderr, "{}\n", dev.reason()), 2;
    auto a_memory = dev->allocate(a.size() * sizeof(fp16)), b_memory = dev->allocate(b.size() * sizeof(fp16)),
         c_memory = dev->allocate(c.size() * sizeof(fp16));
    if(!a_memory || !b_memory || !c_memory)
        return fmt::print(stderr, "out of memory\n"), 2;

    const tutorial::gemm_arguments arguments = {static_cast<const fp16*>(a_memory->data()),
                                                static_cast<const fp16*>(b_memory->data()),
                                                static_cast<fp16*>(c_memory->data()),
                                                m,
                                                n,
                                                k};
    for(const status& s :
        {dev->copy_to_device(a_memory->data(), a.data(), a_memory->bytes()),
         dev->copy_to_device(b_memory->data(), b.data(), b_memory->bytes()), dev->launch(tutorial_gemm, arguments),
         dev->synchronize(), dev->copy_to_host(c.data(), c_memory->data(), c_memory->bytes())})
        if(!s)
            return fmt::print(stderr, "{}\n", s.reason()), 2;

    int wrong = 0;
    for(int i = 0; i < m; ++i)
        for(int j = 0; j < n; ++j)
        {
            double sum = 0; // integers: the product is exact
            for(int l = 0; l < k; ++l)
                sum += static_cast<double>(a[i * k + l]) * static_cast<double>(b[j * k + l]);
            wrong += static_cast<double>(c[i * n + j]) != sum;
        }
    fmt::print("{}x{}x{} on {}: {}\n", m, n, k, dev->name(),
               wrong == 0 ? "right" : fmt::format("{} elements wrong", wrong));
    return wrong == 0 ? 0 : 1;
}

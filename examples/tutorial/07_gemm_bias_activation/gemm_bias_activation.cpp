// SPDX-License-Identifier: MIT
// Runs the layer, and compares: of small integers it is exact.
#include "../lesson.hpp"
#include "gemm_bias_activation_kernel.hpp"

#include <algorithm>

extern const ck_tile::kernel_set tutorial_gemm_bias_activation;

int main(int argc, char** argv)
{
    using namespace ck_tile;
    tutorial::lesson here(argc, argv);
    const auto [m, n, k] = here.sizes(300, 200, 104);
    std::vector<fp16> a(m * k), b(n * k), bias(n), c(m * n);
    for(int i = 0; i < m * k; ++i)
        a[i] = static_cast<fp16>(i % 7 - 3);
    for(int i = 0; i < n * k; ++i)
        b[i] = static_cast<fp16>(i % 5 - 2);
    for(int i = 0; i < n; ++i)
        bias[i] = static_cast<fp16>(i % 9 - 4);

    const tutorial::gemm_arguments product     = {here.upload(a),      here.upload(b), here.upload(c), m, n, k,
                                                  here.compute_units()};
    const tutorial::linear_arguments arguments = {product, here.upload(bias)};
    here.launch(tutorial_gemm_bias_activation, arguments);
    c = here.download(arguments.product.c, c.size());

    int wrong = 0;
    for(const int i : tutorial::some_of(m))
        for(int j = 0; j < n; ++j)
        {
            double sum = static_cast<double>(bias[j]);
            for(int l = 0; l < k; ++l)
                sum += static_cast<double>(a[i * k + l]) * static_cast<double>(b[j * k + l]);
            wrong += static_cast<double>(c[i * n + j]) != std::max(sum, 0.);
        }
    return here.finish(fmt::format("layer of {} x {} x {}", m, n, k), wrong, tutorial_gemm_bias_activation, arguments,
                       {.bytes = 2. * (m * k + n * k + m * n), .flops = 2. * m * n * k});
}

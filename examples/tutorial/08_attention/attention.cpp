// SPDX-License-Identifier: MIT
// Runs attention, causal and not, and compares with sums in double precision.
#include "../lesson.hpp"
#include "attention_kernel.hpp"

#include <algorithm>
#include <cmath>

extern const ck_tile::kernel_set tutorial_attention;

namespace
{

// What the result of a query must be, and how far it may be off: weights are rounded to fp16, as the result is.
std::vector<double> attend(const ck_tile::fp16* q, const ck_tile::fp16* k, const ck_tile::fp16* v, int count)
{
    constexpr int dim = 128;
    std::vector<double> weight(count), out(dim);
    double top = -INFINITY, sum = 0;
    for(int j = 0; j < count; ++j)
    {
        double s = 0;
        for(int d = 0; d < dim; ++d)
            s += static_cast<double>(q[d]) * static_cast<double>(k[j * dim + d]);
        weight[j] = s / std::sqrt(double(dim));
        top       = std::max(top, weight[j]);
    }
    for(double& w : weight)
        sum += w = std::exp(w - top);
    for(int j = 0; j < count; ++j)
        for(int d = 0; d < dim; ++d)
            out[d] += weight[j] / sum * static_cast<double>(v[j * dim + d]);
    return out;
}

} // namespace

int main(int argc, char** argv)
{
    using namespace ck_tile;
    tutorial::lesson l(argc, argv);
    const auto [heads, tokens] = l.sizes(2, 200); // no multiple of a block's queries or keys
    constexpr int dim          = 128;
    std::vector<fp16> q(heads * tokens * dim), k(q.size()), v(q.size()), out(q.size());
    const auto value = [](std::size_t i, int period) {
        return static_cast<fp16>(static_cast<int>(i * 7919 % 1009) % period * 0.05f - 1);
    };
    for(std::size_t i = 0; i < q.size(); ++i)
        q[i] = value(i, 41), k[i] = value(i + 1000, 43), v[i] = value(i + 2000, 37);

    tutorial::attention_arguments arguments = {l.upload(q), l.upload(k), l.upload(v), l.upload(out),
                                               heads,       tokens,      false};
    int wrong                               = 0;
    for(const bool causal : {true, false}) // the last is timed
    {
        arguments.causal = causal;
        l.launch(tutorial_attention, arguments);
        out = l.download(arguments.out, out.size());
        for(const int i : tutorial::some_of(heads * tokens))
        {
            const std::size_t head = i / tokens * std::size_t(tokens * dim);
            const auto expected    = attend(&q[i * dim], &k[head], &v[head], causal ? i % tokens + 1 : tokens);
            for(int d = 0; d < dim; ++d)
                wrong += !(std::abs(static_cast<double>(out[i * dim + d]) - expected[d]) <= std::ldexp(1, -9));
        }
    }
    return l.finish(fmt::format("attention of {} heads, {} tokens", heads, tokens), wrong, tutorial_attention,
                    arguments, {.bytes = 8. * heads * tokens * dim, .flops = 4. * heads * tokens * tokens * dim});
}

// SPDX-License-Identifier: MIT
// check(config) is sufficient: a configuration that it accepts has distributions that cover, and fits its architecture.
#include "ops/grouped_conv_bwd_weight/config.hpp"

#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ck_tile::grouped_conv_bwd_weight
{
namespace
{

config random_config(random_numbers& random)
{
    const auto among = [&](std::initializer_list<int> values) {
        return values.begin()[random.between(0, static_cast<int>(values.size()) - 1)];
    };
    const target& arch = *all_targets[random.between(0, 2)];
    config c           = {};
    c.arch             = arch.arch;
    c.instruction      = arch.instructions[random.between(0, arch.instruction_count - 1)];
    c.type             = describe(c.instruction).type;
    c.spatial          = random.between(1, 3);
    c.dense            = random.between(0, 1) ? innermost::channels : innermost::spatial;
    c.m                = among({16, 32, 48, 64, 96, 128, 160, 192, 256});
    c.n                = among({16, 32, 48, 64, 96, 128, 160, 192, 256});
    c.k                = among({8, 16, 24, 32, 48, 64, 96, 128});
    c.waves_m          = among({1, 1, 2, 3, 4});
    c.waves_n          = among({1, 1, 2, 3, 4});
    c.pipeline         = random.between(0, 1) ? gemm::pipeline::single_buffer : gemm::pipeline::double_buffer;
    c.vector_out       = among({1, 2, 4, 8});
    c.vector_in        = among({1, 2, 4, 8});
    c.vector_wei       = among({1, 2, 4, 8});
    return c;
}

std::string describe_config(const config& c)
{
    std::ostringstream s;
    s << facts(c.arch).name << ' ' << c.m << 'x' << c.n << 'x' << c.k << " waves " << c.waves_m << 'x' << c.waves_n
      << ' ' << describe(c.instruction).name << (c.dense == innermost::channels ? " channels" : " spatial")
      << " vectors " << c.vector_out << ' ' << c.vector_in << ' ' << c.vector_wei;
    return s.str();
}

TEST(Config, WhatCheckAcceptsCanBeBuilt)
{
    random_numbers random(60);
    int accepted = 0, broken = 0;
    for(int i = 0; i < 100000 && broken < 5; ++i)
    {
        const config c = random_config(random);
        if(check(c))
            continue;
        ++accepted;
        const gemm::shape s                                 = c.shape();
        const std::pair<const char*, distribution> needed[] = {
            {"dY from memory", c.out_transfer().memory},
            {"dY to LDS", c.out_transfer().lds},
            {"X from memory", c.in_transfer().memory},
            {"X to LDS", c.in_transfer().lds},
            {"fragments of A", gemm::a_fragments(s)},
            {"fragments of B", gemm::b_fragments(s)},
            {"accumulator", gemm::accumulator(s)},
            {"rows of the result", gemm::detail::rows_at_once(s, c.vector_wei)}};
        for(const auto& [what, d] : needed)
            if(!d.covers() || d.threads() != s.threads())
            {
                ++broken;
                ADD_FAILURE() << "check accepts " << describe_config(c) << ", but " << what
                              << " does not cover the tile";
                break;
            }
        EXPECT_LE(c.lds_bytes(), facts(c.arch).lds_bytes);
        EXPECT_LE(s.threads(), facts(c.arch).max_block_threads);
    }
    EXPECT_GT(accepted, 300);
}

TEST(Config, RejectionsSayRuleValueAndFix)
{
    random_numbers random(61);
    for(int i = 0; i < 2000; ++i)
        if(const violation v = check(random_config(random)))
        {
            EXPECT_GT(std::string(v.rule).size(), 20u);
            EXPECT_GT(std::string(v.fix).size(), 10u);
        }
}

} // namespace
} // namespace ck_tile::grouped_conv_bwd_weight

// SPDX-License-Identifier: MIT
// Verbs as one block of a program runs them, under the checker.
#pragma once

#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/runtime/device.hpp"
#include "ck_tile/runtime/host_checks.hpp"
#include "ck_tile/targets/block.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace ck_tile
{

// What a program says of its blocks.
struct block_shape
{
    architecture arch;
    int threads, lds_bytes, cluster = 1;
};

// The first architecture that has the instruction.
inline architecture architecture_with(opcode op)
{
    for(const target* t : all_targets)
        if(t->has(op))
            return t->arch;
    ADD_FAILURE() << "no architecture has " << describe(op).name;
    return {};
}

// Of a product's main loop; `copying_waves` do nothing else.
inline block_shape block_of(const gemm::shape& s, int lds_bytes, int copying_waves = 0)
{
    return {architecture_with(s.instruction), s.threads() + copying_waves * s.fragment().a.lanes(), lds_bytes};
}

// While there is one, programs run under the checker; their LDS is full of NaNs at the start.
class checker_scope
{
  public:
    checker_scope() { set_host_checks({.enabled = true, .seed = 3}); }
    ~checker_scope() { set_host_checks(before_); }
    checker_scope(const checker_scope&)            = delete;
    checker_scope& operator=(const checker_scope&) = delete;

  private:
    const host_checks before_ = current_host_checks();
};

// What becomes of program(block) under the checker.
inline status run_under_checker(const block_shape& shape, const std::function<void(const block&)>& program)
{
    struct arguments
    {
        const std::function<void(const block&)>* program;
        int rank_lds_bytes;
    };
    const kernel k = {.name           = "checked_block",
                      .arch           = shape.arch,
                      .threads        = shape.threads,
                      .lds_bytes      = shape.lds_bytes,
                      .cluster        = shape.cluster,
                      .argument_bytes = sizeof(arguments),
                      .on_host        = [](const void* given, grid at, std::byte* lds) {
                          const auto& a = *static_cast<const arguments*>(given);
                          (*a.program)({at, lds, a.rank_lds_bytes});
                      }};
    const checker_scope checked;
    const auto dev = device::open(std::string("host:") + facts(shape.arch).name);
    return dev->launch(k, grid{}, arguments{&program, shape.lds_bytes});
}

// The same; what the checker finds fails the test.
inline void run_checked(const block_shape& shape, const std::function<void(const block&)>& program)
{
    const status done = run_under_checker(shape, program);
    EXPECT_TRUE(done) << done.reason();
}

// Whether the checker finds something.
inline bool is_rejected(const block_shape& shape, const std::function<void(const block&)>& program)
{
    return !run_under_checker(shape, program);
}

} // namespace ck_tile

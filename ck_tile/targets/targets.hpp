// SPDX-License-Identifier: MIT
// All targets: look-up by architecture, and the architecture that the compiler is compiling for.
#pragma once

#include "ck_tile/targets/gfx11/facts.hpp"
#include "ck_tile/targets/gfx90a/facts.hpp"
#include "ck_tile/targets/gfx942/facts.hpp"
#include "ck_tile/targets/gfx950/facts.hpp"
#include "ck_tile/targets/sm90/facts.hpp"

namespace ck_tile
{

inline constexpr const target* all_targets[] = {&gfx90a, &gfx942, &gfx950, &gfx11, &sm90};

template <>
struct enumerators<architecture>
{
    static constexpr const char* type = "architecture";
    static constexpr auto all         = enumerators_of<architecture>(
        all_targets, [](const target* t) { return enumerator<architecture>{t->arch, t->name}; });
};

constexpr const target& facts(architecture arch)
{
    for(const target* t : all_targets)
        if(t->arch == arch)
            return *t;
    __builtin_unreachable(); // an architecture without a row: the compiler says so, this being constant evaluation
}

// Whether code for `arch` is what this compilation makes. The CPU runs every architecture's programs.
constexpr bool compiles_for(architecture arch)
{
    return !on_device || __builtin_strcmp(facts(arch).name, target_name) == 0;
}

// The target that a GPU's compilation is for; on the CPU, which runs the programs of all, the first.
constexpr const target& compiled_target()
{
    for(const target* t : all_targets)
        if(compiles_for(t->arch))
            return *t;
    __builtin_unreachable(); // compiles_for() has said so
}

} // namespace ck_tile

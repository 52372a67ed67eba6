// SPDX-License-Identifier: MIT
// All targets: look-up by architecture, and the architecture that the compiler is compiling for.
#pragma once

#include "ck_tile/targets/gfx11/gfx11.hpp"
#include "ck_tile/targets/gfx90a/gfx90a.hpp"
#include "ck_tile/targets/gfx942/gfx942.hpp"
#include "ck_tile/targets/sm90/sm90.hpp"

namespace ck_tile
{

inline constexpr const target* all_targets[] = {&gfx90a, &gfx942, &gfx11, &sm90};

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
constexpr bool compiles_for([[maybe_unused]] architecture arch)
{
#if defined(__gfx90a__)
    return arch == architecture::gfx90a;
#elif defined(__gfx942__)
    return arch == architecture::gfx942;
#elif defined(__GFX11__)
    return arch == architecture::gfx11;
#elif defined(__AMDGCN__)
#error "ck_tile has no facts for this AMD architecture; it knows gfx90a, gfx942 and gfx11 (--offload-arch=...). \
Add a folder in ck_tile/targets/ to add one."
    return false;
#elif defined(__NVPTX__) && __CUDA_ARCH__ == 900
    return arch == architecture::sm90;
#elif defined(__NVPTX__)
#error "ck_tile has no facts for this NVIDIA architecture; it knows sm_90a (--cuda-gpu-arch=sm_90a). \
Add a folder in ck_tile/targets/ to add one."
    return false;
#else
    return true;
#endif
}

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// The architecture that this compilation makes code for. Its folder in ck_tile/targets/ says what everything else stands on.
#pragma once

// clang-format off
#if defined(__gfx90a__)
#define CK_TILE_TARGET gfx90a
#elif defined(__gfx942__)
#define CK_TILE_TARGET gfx942
#elif defined(__gfx950__)
#define CK_TILE_TARGET gfx950
#elif defined(__GFX11__)
#define CK_TILE_TARGET gfx11
#elif defined(__NVPTX__) && __CUDA_ARCH__ == 900
#define CK_TILE_TARGET sm90
#elif defined(__AMDGCN__)
#error "ck_tile has no facts for this AMD architecture; it knows gfx90a, gfx942, gfx950 and gfx11 (--offload-arch=...). \
Add a folder in ck_tile/targets/ to add one."
#elif defined(__NVPTX__)
#error "ck_tile has no facts for this NVIDIA architecture; it knows sm_90a (--cuda-gpu-arch=sm_90a). \
Add a folder in ck_tile/targets/ to add one."
#endif
// clang-format on

#if defined(CK_TILE_TARGET)
#define CK_TILE_ON_DEVICE 1
#else
#define CK_TILE_ON_DEVICE 0
#define CK_TILE_TARGET host
#endif

// Whether functions can be for the GPU: so they can where the CPU's part of a GPU's source is compiled, too.
#if defined(__HIP__) || defined(__CUDA__)
#define CK_TILE_IN_GPU_LANGUAGE 1
#else
#define CK_TILE_IN_GPU_LANGUAGE 0
#endif

// #include CK_TILE_TARGET_HEADER(primitives.hpp): a header of the architecture's folder.
#define CK_TILE_QUOTED(...) #__VA_ARGS__
#define CK_TILE_QUOTE(...) CK_TILE_QUOTED(__VA_ARGS__)
// clang-format off
#define CK_TILE_TARGET_HEADER(name) CK_TILE_QUOTE(ck_tile/targets/CK_TILE_TARGET/name)
// clang-format on

namespace ck_tile
{

inline constexpr bool on_device          = CK_TILE_ON_DEVICE;
inline constexpr const char* target_name = CK_TILE_QUOTE(CK_TILE_TARGET); // "host" on the CPU

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// How this compilation runs a block: on a GPU each thread runs the program, on the CPU one run stands for all threads.
#pragma once

#if defined(__HIP__) || defined(__CUDA__)
#define CK_TILE_FN __attribute__((host, device, always_inline)) inline
#else
#define CK_TILE_FN __attribute__((always_inline)) inline
#endif

#if defined(__AMDGCN__) || defined(__NVPTX__)
#define CK_TILE_ON_DEVICE 1
#define CK_TILE_UNROLL _Pragma("unroll")
#define CK_TILE_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define CK_TILE_ON_DEVICE 0
#define CK_TILE_UNROLL
#define CK_TILE_KEEP_LOOP
#endif

namespace ck_tile
{

inline constexpr bool on_device = CK_TILE_ON_DEVICE;

// Register files that a program holds: a GPU thread holds its own, the CPU those of all threads of the block.
constexpr int copies_of(int threads) { return on_device ? 1 : threads; }

// One thread of a block. `copy` is the place of its registers among those held here.
struct thread
{
    int wave;
    int lane;
    int copy;
    int unit = 0; // the compute unit, in a block that several share
};

// A number known to the compiler, as a value.
template <int N>
struct constant
{
    consteval operator int() const { return N; }
};

namespace detail
{
template <class, int... I>
struct counting
{};
} // namespace detail

// f(constant<0>), f(constant<1>) ... f(constant<N - 1>), in sequence: for registers that must have a fixed number. A large f
// is inlined too: called, it would take registers through memory.
template <int N, class F>
CK_TILE_FN constexpr void static_for(F&& f)
{
    if constexpr(N > 0)
        [&]<int... I>(detail::counting<int, I...>) __attribute__((always_inline)) {
            [[clang::always_inline]] (f(constant<I>{}), ...);
        }(__make_integer_seq<detail::counting, int, N>{});
}

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// How this compilation runs a block: on a GPU each thread runs the program, on the CPU one run stands for all threads.
#pragma once

#include "ck_tile/targets/selection.hpp"

// Functions over tiles. On a GPU they are inlined by force: called, they would take registers through memory. CK_TILE_INLINE
// does so with a lambda that is large and called once. On the CPU, where such a function is a loop over the block's threads, a
// call costs nothing beside it, and the compiler decides: a third of the time to compile.
#if CK_TILE_IN_GPU_LANGUAGE
#define CK_TILE_INLINE __attribute__((always_inline))
#define CK_TILE_FN __attribute__((host, device, always_inline)) inline
#else
#define CK_TILE_INLINE
#define CK_TILE_FN inline
#endif

#if CK_TILE_ON_DEVICE
#define CK_TILE_UNROLL _Pragma("unroll")
#define CK_TILE_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define CK_TILE_UNROLL
#define CK_TILE_KEEP_LOOP
#endif

namespace ck_tile
{

// Register files that a program holds: a GPU thread holds its own, the CPU those of all threads of the block.
constexpr int copies_of(int threads) { return on_device ? 1 : threads; }

// One thread of a block. `copy` is the place of its registers among those held here.
struct thread
{
    int wave;
    int lane;
    int copy;
    int rank = 0; // of its workgroup in the cluster that the block is
};

// Blocks of a launch, and the place of one block among them. Kernels use `x` fastest.
struct grid
{
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
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

// f(constant<0>), f(constant<1>) ... f(constant<N - 1>), in sequence: for registers that must have a fixed number.
template <int N, class F>
CK_TILE_FN constexpr void static_for(F&& f)
{
    if constexpr(N > 0)
        [&]<int... I>(detail::counting<int, I...>) CK_TILE_INLINE {
            [[clang::always_inline]] (f(constant<I>{}), ...);
        }(__make_integer_seq<detail::counting, int, N>{});
}

// f(First) ... f(First + N - 1), where f takes the number as `auto`: for what is done to each of a thread's registers. On a GPU the numbers
// are constants, see static_for; on the CPU, where register files are memory, ints in a loop, which takes half the time to compile.
template <int N, int First = 0, class F>
CK_TILE_FN constexpr void register_for(F&& f)
{
    if constexpr(on_device)
        static_for<N>([&](auto i) { f(constant<First + i>{}); });
    else
    {
        CK_TILE_KEEP_LOOP
        for(int i = First; i < First + N; ++i)
            f(i);
    }
}

// What the compiler works out for each of N registers.
template <class T, int N>
struct constants
{
    T values[N];
};

// Entry i of such constants, constant itself where i is: see register_for.
template <const auto& Constants, class I>
CK_TILE_FN constexpr auto entry(I i)
{
    if constexpr(on_device)
    {
        constexpr auto found = Constants.values[i];
        return found;
    }
    else
        return Constants.values[i];
}

} // namespace ck_tile

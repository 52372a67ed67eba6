// SPDX-License-Identifier: MIT
// wgmma: a warpgroup (four warps) multiplies 64 rows of A by N rows of B, both in shared memory, asynchronously.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/targets/matrix_instruction.hpp"
#include "ck_tile/targets/primitives.hpp"

namespace ck_tile::detail
{

// The matrix descriptor (PTX ISA, wgmma) of an operand in a slab_layout, from its line `column` on: addresses and distances
// in units of 16 bytes. Slabs lie one column count of lines apart, groups of eight lines 1024 bytes.
CK_TILE_FN unsigned long wgmma_descriptor(const void* slab, int cols, int column)
{
    constexpr unsigned long swizzle_128 = 1ul << 62;
    const unsigned long start           = (lds_address(slab) + unsigned(column) * 128) >> 4;
    return swizzle_128 | (1024ul >> 4) << 32 | static_cast<unsigned long>(cols * 128 >> 4) << 16 | (start & 0x3fff);
}

CK_TILE_FN void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
CK_TILE_FN void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until all but the last `Groups` committed groups of products are made.
template <int Groups>
CK_TILE_FN void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}

// The accumulators as operands of the instruction: four of each register, for two, four ... registers.
#define CK_TILE_ACC_1(i) "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
#define CK_TILE_ACC_4(i) CK_TILE_ACC_1(i), CK_TILE_ACC_1(i + 1), CK_TILE_ACC_1(i + 2), CK_TILE_ACC_1(i + 3)
#define CK_TILE_ACC_16(i) CK_TILE_ACC_4(i), CK_TILE_ACC_4(i + 4), CK_TILE_ACC_4(i + 8), CK_TILE_ACC_4(i + 12)
#define CK_TILE_WGMMA(n, type, registers, a, b)                                                                        \
    "{.reg .pred add; setp.eq.u32 add, 1, 1; "                                                                         \
    "wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" registers "}, " a ", " b ", add, 1, 1, 1, 1;}"

#define CK_TILE_REGISTERS_64                                                                                           \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "                       \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "                       \
    "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "                       \
    "%56, %57, %58, %59, %60, %61, %62, %63"
#define CK_TILE_REGISTERS_96                                                                                           \
    CK_TILE_REGISTERS_64 ", "                                                                                          \
                         "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "  \
                         "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define CK_TILE_REGISTERS_128                                                                                          \
    CK_TILE_REGISTERS_96 ", "                                                                                          \
                         "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "      \
                         "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "  \
                         "%126, %127"

// c += A * B over 16 columns, both operands contiguous along their rows; c: the warp's 16 rows of the result, its fragments
// of mma side by side.
template <opcode Op, int N, class C>
CK_TILE_FN void wgmma(C& c, unsigned long a, unsigned long b)
{
    static_assert(N == 128 || N == 192 || N == 256, "wgmma: a block tile is 128, 192 or 256 columns wide here");
// Both types at one width; the accumulators come last.
#define CK_TILE_WGMMA_OF_WIDTH(n, registers, a_operand, b_operand, ...)                                                \
    if constexpr(N == n && Op == opcode::mma_16x8x16_fp16)                                                             \
        asm volatile(CK_TILE_WGMMA(#n, "f16", registers, a_operand, b_operand) : __VA_ARGS__ : "l"(a), "l"(b));        \
    else if constexpr(N == n && Op == opcode::mma_16x8x16_bf16)                                                        \
    asm volatile(CK_TILE_WGMMA(#n, "bf16", registers, a_operand, b_operand) : __VA_ARGS__ : "l"(a), "l"(b))
    CK_TILE_WGMMA_OF_WIDTH(128, CK_TILE_REGISTERS_64, "%64", "%65", CK_TILE_ACC_16(0));
    CK_TILE_WGMMA_OF_WIDTH(192, CK_TILE_REGISTERS_96, "%96", "%97", CK_TILE_ACC_16(0), CK_TILE_ACC_4(16),
                           CK_TILE_ACC_4(20));
    CK_TILE_WGMMA_OF_WIDTH(256, CK_TILE_REGISTERS_128, "%128", "%129", CK_TILE_ACC_16(0), CK_TILE_ACC_16(16));
#undef CK_TILE_WGMMA_OF_WIDTH
}

#undef CK_TILE_ACC_1
#undef CK_TILE_ACC_4
#undef CK_TILE_ACC_16
#undef CK_TILE_WGMMA
#undef CK_TILE_REGISTERS_64
#undef CK_TILE_REGISTERS_96
#undef CK_TILE_REGISTERS_128

inline constexpr bool multiplies_slabs = true;

template <opcode Op, int N, int K, class Registers>
CK_TILE_FN void multiply_slabs(Registers& acc, const void* a, const void* b, int a_lines, int b_lines)
{
    wgmma_begin();
    CK_TILE_UNROLL
    for(int column = 0; column < K; column += describe(Op).k)
        wgmma<Op, N>(acc, wgmma_descriptor(a, a_lines, column), wgmma_descriptor(b, b_lines, column));
    wgmma_commit();
}

template <int Pending>
CK_TILE_FN void wait_for_slabs()
{
    wgmma_wait<Pending>();
}

} // namespace ck_tile::detail

// SPDX-License-Identifier: MIT
// wgmma: a warpgroup (four warps) multiplies 64 rows of A by N rows of B, both in shared memory, asynchronously.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/targets/matrix_instruction.hpp"
#include "ck_tile/targets/primitives.hpp"

namespace ck_tile::detail
{

// The matrix descriptor (PTX ISA, wgmma) of an operand, from `column` of its k on: addresses and distances in units of 16
// bytes. Groups of eight lines lie 1024 bytes apart. With the rows contiguous, k runs through the lines and the panels are the
// other distance; with k contiguous it runs along the lines, and an instruction stays within one panel.
template <majorness Major>
CK_TILE_FN unsigned long wgmma_descriptor(const void* operand, swizzled_128b<Major> layout, int column)
{
    constexpr unsigned long swizzle_128 = 1ul << 62;
    const int panel_bytes               = layout.lines() * 128;
    const int from =
        Major == majorness::mn ? column * 128 : column / layout.panel * panel_bytes + column % layout.panel * 2;
    const auto next           = static_cast<unsigned long>(Major == majorness::mn ? panel_bytes >> 4 : 1);
    const unsigned long start = (lds_address(operand) + unsigned(from)) >> 4;
    return swizzle_128 | (1024ul >> 4) << 32 | next << 16 | (start & 0x3fff);
}

CK_TILE_FN void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
CK_TILE_FN void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// The accumulators as operands of the instruction: four of each register, for two, four ... registers.
#define CK_TILE_ACC_1(i) "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
#define CK_TILE_ACC_4(i) CK_TILE_ACC_1(i), CK_TILE_ACC_1(i + 1), CK_TILE_ACC_1(i + 2), CK_TILE_ACC_1(i + 3)
#define CK_TILE_ACC_16(i) CK_TILE_ACC_4(i), CK_TILE_ACC_4(i + 4), CK_TILE_ACC_4(i + 8), CK_TILE_ACC_4(i + 12)
#define CK_TILE_WGMMA(n, type, registers, a, b, a_is_mn, b_is_mn)                                                      \
    "{.reg .pred add; setp.eq.u32 add, 1, 1; "                                                                         \
    "wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" registers "}, " a ", " b                       \
    ", add, 1, 1, " a_is_mn ", " b_is_mn ";}"

#define CK_TILE_REGISTERS_32                                                                                           \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "                       \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
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

// c += A * B over 16 columns; c: the warp's 16 rows of the result, its fragments of mma side by side.
template <opcode Op, majorness A, majorness B, class C>
CK_TILE_FN void wgmma(C& c, unsigned long a, unsigned long b)
{
    constexpr matrix_instruction i = describe(Op);
    constexpr int a_is_mn = A == majorness::mn, b_is_mn = B == majorness::mn;
// Both types at one width; the accumulators come last.
#define CK_TILE_WGMMA_OF_WIDTH(width, registers, a_operand, b_operand, a_major, b_major, ...)                          \
    if constexpr(i.n == width && i.type == data_type::fp16)                                                            \
        asm volatile(CK_TILE_WGMMA(#width, "f16", registers, a_operand, b_operand, a_major, b_major)                   \
                     : __VA_ARGS__                                                                                     \
                     : "l"(a), "l"(b), "n"(a_is_mn), "n"(b_is_mn));                                                    \
    else if constexpr(i.n == width && i.type == data_type::bf16)                                                       \
    asm volatile(CK_TILE_WGMMA(#width, "bf16", registers, a_operand, b_operand, a_major, b_major)                      \
                 : __VA_ARGS__                                                                                         \
                 : "l"(a), "l"(b), "n"(a_is_mn), "n"(b_is_mn))
    CK_TILE_WGMMA_OF_WIDTH(64, CK_TILE_REGISTERS_32, "%32", "%33", "%34", "%35", CK_TILE_ACC_4(0), CK_TILE_ACC_4(4));
    CK_TILE_WGMMA_OF_WIDTH(128, CK_TILE_REGISTERS_64, "%64", "%65", "%66", "%67", CK_TILE_ACC_16(0));
    CK_TILE_WGMMA_OF_WIDTH(192, CK_TILE_REGISTERS_96, "%96", "%97", "%98", "%99", CK_TILE_ACC_16(0), CK_TILE_ACC_4(16),
                           CK_TILE_ACC_4(20));
    CK_TILE_WGMMA_OF_WIDTH(256, CK_TILE_REGISTERS_128, "%128", "%129", "%130", "%131", CK_TILE_ACC_16(0),
                           CK_TILE_ACC_16(16));
#undef CK_TILE_WGMMA_OF_WIDTH
}

template <opcode Op, auto ALayout, auto BLayout, class Registers>
CK_TILE_FN void multiply_from_lds(Registers& acc, const void* a, const void* b)
{
    constexpr auto major = []<majorness Major>(swizzled_128b<Major>) { return Major; };
    constexpr int depth  = ALayout.cols;
    wgmma_begin();
    CK_TILE_UNROLL
    for(int column = 0; column < depth; column += describe(Op).k)
        wgmma<Op, major(ALayout), major(BLayout)>(acc, wgmma_descriptor(a, ALayout, column),
                                                  wgmma_descriptor(b, BLayout, column));
    wgmma_commit();
}

// Waits until all but the last `Groups` committed groups of products are made.
template <int Groups>
CK_TILE_FN void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}

#undef CK_TILE_ACC_1
#undef CK_TILE_ACC_4
#undef CK_TILE_ACC_16
#undef CK_TILE_WGMMA
#undef CK_TILE_REGISTERS_32
#undef CK_TILE_REGISTERS_64
#undef CK_TILE_REGISTERS_96
#undef CK_TILE_REGISTERS_128

} // namespace ck_tile::detail

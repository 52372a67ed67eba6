// SPDX-License-Identifier: MIT
// wgmma: a warpgroup (four warps) multiplies 64 rows of A by N rows of B, both in shared memory, asynchronously.
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/targets/matrix_instruction.hpp"
#include "ck_tile/targets/primitives.hpp"

namespace ck_tile::detail
{

// The matrix descriptor (PTX ISA, wgmma) of an operand: addresses and distances in units of 16 bytes. Groups of eight lines lie 1024
// bytes apart. With the rows contiguous, k runs through the lines and the panels are the other distance; with k contiguous it
// runs along the lines, and an instruction stays within one panel. Addresses end below 2^18, so that what is further on in the operand
// is a sum in the lower word, and the two words are put together at the instruction: as one number of 64 bits they cost 3 instructions
// each time.
struct wgmma_descriptor
{
    static constexpr unsigned upper = 1u << 30 | 1024u >> 4; // swizzled by lines of 128 bytes
    unsigned lower;

    template <majorness Major>
    CK_TILE_FN wgmma_descriptor(const void* operand, swizzled_128b<Major> layout)
        : lower((lds_address(operand) >> 4) | unsigned(Major == majorness::mn ? layout.lines() * 128 >> 4 : 1) << 16)
    {
    }
    // Of rows of 64 or 128 bytes, so many chunks of 16 each; the upper word has the distance of groups of eight rows.
    static constexpr unsigned upper_of_rows(int chunks) { return (chunks == 4 ? 2u : 1u) << 30; }
    CK_TILE_FN wgmma_descriptor(const void* operand, lds_layout) : lower((lds_address(operand) >> 4) | 1u << 16) {}
};

// From a row, a multiple of 64, and a column of k of the operand on, in such units.
template <majorness Major>
constexpr unsigned wgmma_offset(swizzled_128b<Major> layout, int row, int column)
{
    const int along = Major == majorness::mn ? row : column, line = Major == majorness::mn ? column : row;
    return unsigned((along / layout.panel * layout.lines() + line) * 128 + along % layout.panel * 2) >> 4;
}

// A number that all threads of a warp have, known as such to the compiler.
CK_TILE_FN int same_in_wave(int x) { return __nvvm_shfl_sync_idx_i32(0xffffffff, x, 0, 0x1f); }

CK_TILE_FN void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
CK_TILE_FN void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// The accumulators as operands of the instruction: four of each register, for two, four ... registers.
#define CK_TILE_ACC_1(i) "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
#define CK_TILE_ACC_4(i) CK_TILE_ACC_1(i), CK_TILE_ACC_1(i + 1), CK_TILE_ACC_1(i + 2), CK_TILE_ACC_1(i + 3)
#define CK_TILE_ACC_16(i) CK_TILE_ACC_4(i), CK_TILE_ACC_4(i + 4), CK_TILE_ACC_4(i + 8), CK_TILE_ACC_4(i + 12)
#define CK_TILE_WGMMA(n, type, registers, a, b, above_a, above_b, a_is_mn, b_is_mn)                                    \
    "{.reg .pred add; .reg .b64 a, b; setp.eq.u32 add, 1, 1; mov.b64 a, {" a ", " above_a "}; "                        \
    "mov.b64 b, {" b ", " above_b "}; wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" registers     \
    "}, a, b"                                                                                                          \
    ", add, 1, 1, " a_is_mn ", " b_is_mn ";}"
#define CK_TILE_WGMMA_OF_REGISTERS(n, type, registers, a, b, above, b_is_mn)                                           \
    "{.reg .pred add; .reg .b64 b; setp.eq.u32 add, 1, 1; mov.b64 b, {" b ", " above "}; "                             \
    "wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" registers "}, {" a "}, b, add, 1, 1, " b_is_mn \
    ";}"

#define CK_TILE_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
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
CK_TILE_FN void wgmma(C& c, unsigned a, unsigned b)
{
    constexpr matrix_instruction i = describe(Op);
    constexpr int a_is_mn = A == majorness::mn, b_is_mn = B == majorness::mn;
// Both types at one width; the accumulators come last.
#define CK_TILE_WGMMA_OF_WIDTH(width, registers, a_operand, b_operand, above, a_major, b_major, ...)                   \
    if constexpr(i.n == width && i.type == data_type::fp16)                                                            \
        asm volatile(CK_TILE_WGMMA(#width, "f16", registers, a_operand, b_operand, above, above, a_major, b_major)     \
                     : __VA_ARGS__                                                                                     \
                     : "r"(a), "r"(b), "n"(wgmma_descriptor::upper), "n"(a_is_mn), "n"(b_is_mn));                      \
    else if constexpr(i.n == width && i.type == data_type::bf16)                                                       \
    asm volatile(CK_TILE_WGMMA(#width, "bf16", registers, a_operand, b_operand, above, above, a_major, b_major)        \
                 : __VA_ARGS__                                                                                         \
                 : "r"(a), "r"(b), "n"(wgmma_descriptor::upper), "n"(a_is_mn), "n"(b_is_mn))
    CK_TILE_WGMMA_OF_WIDTH(32, CK_TILE_REGISTERS_16, "%16", "%17", "%18", "%19", "%20", CK_TILE_ACC_4(0));
    CK_TILE_WGMMA_OF_WIDTH(64, CK_TILE_REGISTERS_32, "%32", "%33", "%34", "%35", "%36", CK_TILE_ACC_4(0),
                           CK_TILE_ACC_4(4));
    CK_TILE_WGMMA_OF_WIDTH(128, CK_TILE_REGISTERS_64, "%64", "%65", "%66", "%67", "%68", CK_TILE_ACC_16(0));
    CK_TILE_WGMMA_OF_WIDTH(192, CK_TILE_REGISTERS_96, "%96", "%97", "%98", "%99", "%100", CK_TILE_ACC_16(0),
                           CK_TILE_ACC_4(16), CK_TILE_ACC_4(20));
    CK_TILE_WGMMA_OF_WIDTH(256, CK_TILE_REGISTERS_128, "%128", "%129", "%130", "%131", "%132", CK_TILE_ACC_16(0),
                           CK_TILE_ACC_16(16));
#undef CK_TILE_WGMMA_OF_WIDTH
}

// The same of operands in rows of so many chunks of 16 bytes, k contiguous. `a_above`: the upper word of A's descriptor.
template <opcode Op, int Chunks, class C>
CK_TILE_FN void wgmma_of_rows(C& c, unsigned a, unsigned a_above, unsigned b)
{
    constexpr matrix_instruction i = describe(Op);
    constexpr unsigned b_above     = wgmma_descriptor::upper_of_rows(Chunks) | 8 * Chunks;
    static_assert(i.n == 32 || i.n == 64, "mma: rows that lie anywhere are multiplied by 32 or 64 columns");
#define CK_TILE_WGMMA_OF_WIDTH(width, registers, a_operand, b_operand, above_a, above_b, major, ...)                   \
    if constexpr(i.n == width && i.type == data_type::fp16)                                                            \
        asm volatile(CK_TILE_WGMMA(#width, "f16", registers, a_operand, b_operand, above_a, above_b, major, major)     \
                     : __VA_ARGS__                                                                                     \
                     : "r"(a), "r"(b), "r"(a_above), "n"(b_above), "n"(0));                                            \
    else if constexpr(i.n == width && i.type == data_type::bf16)                                                       \
    asm volatile(CK_TILE_WGMMA(#width, "bf16", registers, a_operand, b_operand, above_a, above_b, major, major)        \
                 : __VA_ARGS__                                                                                         \
                 : "r"(a), "r"(b), "r"(a_above), "n"(b_above), "n"(0))
    CK_TILE_WGMMA_OF_WIDTH(32, CK_TILE_REGISTERS_16, "%16", "%17", "%18", "%19", "%20", CK_TILE_ACC_4(0));
    CK_TILE_WGMMA_OF_WIDTH(64, CK_TILE_REGISTERS_32, "%32", "%33", "%34", "%35", "%36", CK_TILE_ACC_4(0),
                           CK_TILE_ACC_4(4));
#undef CK_TILE_WGMMA_OF_WIDTH
}

// The same of A in registers: four words of a lane, rows g and g + 8 of columns 2 i and 2 i + 1, then of columns 8 further.
template <opcode Op, majorness B, class C>
CK_TILE_FN void wgmma(C& c, const vector<unsigned, 4>& a, unsigned b)
{
    constexpr matrix_instruction i = describe(Op);
    constexpr int b_is_mn          = B == majorness::mn;
#define CK_TILE_WGMMA_OF_WIDTH(width, registers, a_operand, b_operand, above, b_major, ...)                            \
    if constexpr(i.n == width && i.type == data_type::fp16)                                                            \
        asm volatile(CK_TILE_WGMMA_OF_REGISTERS(#width, "f16", registers, a_operand, b_operand, above, b_major)        \
                     : __VA_ARGS__                                                                                     \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "n"(wgmma_descriptor::upper),               \
                       "n"(b_is_mn));                                                                                  \
    else if constexpr(i.n == width && i.type == data_type::bf16)                                                       \
    asm volatile(CK_TILE_WGMMA_OF_REGISTERS(#width, "bf16", registers, a_operand, b_operand, above, b_major)           \
                 : __VA_ARGS__                                                                                         \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "n"(wgmma_descriptor::upper), "n"(b_is_mn))
    CK_TILE_WGMMA_OF_WIDTH(32, CK_TILE_REGISTERS_16, "%16, %17, %18, %19", "%20", "%21", "%22", CK_TILE_ACC_4(0));
    CK_TILE_WGMMA_OF_WIDTH(64, CK_TILE_REGISTERS_32, "%32, %33, %34, %35", "%36", "%37", "%38", CK_TILE_ACC_4(0),
                           CK_TILE_ACC_4(4));
    CK_TILE_WGMMA_OF_WIDTH(128, CK_TILE_REGISTERS_64, "%64, %65, %66, %67", "%68", "%69", "%70", CK_TILE_ACC_16(0));
    CK_TILE_WGMMA_OF_WIDTH(192, CK_TILE_REGISTERS_96, "%96, %97, %98, %99", "%100", "%101", "%102", CK_TILE_ACC_16(0),
                           CK_TILE_ACC_4(16), CK_TILE_ACC_4(20));
    CK_TILE_WGMMA_OF_WIDTH(256, CK_TILE_REGISTERS_128, "%128, %129, %130, %131", "%132", "%133", "%134",
                           CK_TILE_ACC_16(0), CK_TILE_ACC_16(16));
#undef CK_TILE_WGMMA_OF_WIDTH
}

// Every `Apart`-th of a wave's registers.
template <int Apart, class Registers>
struct registers_apart
{
    Registers& all;
    int first;
    CK_TILE_FN auto& operator[](int i) const { return all[first + i * Apart]; }
};

// Of the first `Depth` columns of the operands.
template <opcode Op, auto ALayout, auto BLayout, int Depth, int Fragments, int RowsApart, class Registers>
CK_TILE_FN void multiply_from_lds(Registers& acc, const void* a, const void* b)
{
    constexpr auto major = []<majorness Major>(swizzled_128b<Major>) { return Major; };
    const wgmma_descriptor first_a(a, ALayout), first_b(b, BLayout);
    wgmma_begin();
    static_for<Depth / describe(Op).k>([&](auto i) {
        constexpr int column = i * describe(Op).k;
        static_for<Fragments>([&](auto fragment) {
            registers_apart<Fragments, Registers> own{acc, fragment};
            wgmma<Op, major(ALayout), major(BLayout)>(
                own, first_a.lower + wgmma_offset(ALayout, fragment * RowsApart, column),
                first_b.lower + wgmma_offset(BLayout, 0, column));
        });
    });
    wgmma_commit();
}

// The same of rows of A, of 64 or 128 bytes, that lie anywhere in LDS, in groups of eight neighbours that are so many rows apart: `beyond` rows behind `a`,
// of the `number`th of operands B that lie one after the other.
template <opcode Op, lds_layout ALayout, lds_layout BLayout, int Depth, int Fragments, class Registers>
CK_TILE_FN void multiply_rows_from_lds(Registers& acc, const void* a, int beyond, int next_group, const void* b,
                                       int number)
{
    constexpr int row      = ALayout.cols * 2 >> 4;
    const unsigned first_a = wgmma_descriptor(a, ALayout).lower + beyond * row,
                   first_b = wgmma_descriptor(b, BLayout).lower + number * BLayout.rows * row,
                   a_above = wgmma_descriptor::upper_of_rows(row) | unsigned(next_group * row);
    wgmma_begin();
    static_for<Depth / describe(Op).k>([&](auto i) {
        constexpr unsigned column = i * describe(Op).k * 2 >> 4;
        static_for<Fragments>([&](auto fragment) {
            constexpr int groups = describe(Op).m / 8;
            registers_apart<Fragments, Registers> own{acc, fragment};
            wgmma_of_rows<Op, row>(own, first_a + fragment * groups * next_group * row + column, a_above,
                                   first_b + column);
        });
    });
    wgmma_commit();
}

// The same of A in registers.
template <opcode Op, auto BLayout, int Depth, int Fragments, class Registers, class A>
CK_TILE_FN void multiply_b_from_lds(Registers& acc, const A& a, const void* b)
{
    constexpr auto major = []<majorness Major>(swizzled_128b<Major>) { return Major; };
    const wgmma_descriptor first_b(b, BLayout);
    wgmma_begin();
    static_for<Depth / describe(Op).k>([&](auto i) {
        static_for<Fragments>([&](auto fragment) {
            registers_apart<Fragments, Registers> own{acc, fragment};
            wgmma<Op, major(BLayout)>(own, __builtin_bit_cast(vector<unsigned, 4>, a[fragment + i * Fragments]),
                                      first_b.lower + wgmma_offset(BLayout, 0, i * describe(Op).k));
        });
    });
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
#undef CK_TILE_WGMMA_OF_REGISTERS
#undef CK_TILE_REGISTERS_16
#undef CK_TILE_REGISTERS_32
#undef CK_TILE_REGISTERS_64
#undef CK_TILE_REGISTERS_96
#undef CK_TILE_REGISTERS_128

} // namespace ck_tile::detail

// SPDX-License-Identifier: MIT
// The function that compilers call to round to bf16 where the CPU has no instruction for it. They call it of moves of bf16 too, in loops for
// example, and libgcc has it from version 13 on: without it, programs that hold instances for the CPU may not link.
#include "ck_tile/numeric/types.hpp"

extern "C" [[gnu::visibility("hidden")]] ck_tile::bf16 __truncsfbf2(float x); // NOLINT: the compiler chose the name

ck_tile::bf16 __truncsfbf2(float x) { return ck_tile::convert<ck_tile::bf16>(x); }

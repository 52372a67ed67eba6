// SPDX-License-Identifier: MIT
// The primitives: what a thread, a block, an access, an exchange, a copy, a barrier and a hint are on the architecture that this
// compilation is for. They move bytes and words; element types, tiles and instruction tables are built on them.
#pragma once

#include "ck_tile/targets/execution.hpp"

#include <cstddef>
#include <cstdint>

namespace ck_tile
{

// An offset outside of every range, and so is its sum with any offset below 2 GiB.
inline constexpr unsigned nowhere = 0x80000000u;

// Where a window that gathers rows accesses memory: what stays in a loop, and what moves, in bytes, either of them negative as an int
// perhaps. If it exists it lies in the range.
struct gathered
{
    unsigned row, column;
    bool exists;

    CK_TILE_FN operator unsigned() const { return exists ? row + column : nowhere; }
};

// Where a window that sees several planes accesses memory, in bytes: at `first` in the first one, which is nowhere if it does not exist, and
// `plane` further. Then it exists in all of them. `plane` is the same for the whole block, so that threads need neither ask nor add for each.
struct plane_offset
{
    unsigned first, plane;

    CK_TILE_FN operator unsigned() const { return first + plane; }
};

// One access of a thread to memory through a window, for the checker. Of its register `reg`, `coordinates` tells those of the first
// element, and returns how many there are, and `reach` how many bytes the last element lies behind the first, or -1 if it does not
// exist; null: not known.
struct memory_access
{
    const char* base;
    std::uint32_t range_bytes;
    std::uint32_t offset;
    int bytes, element_bytes;
    bool may_end_outside; // it may lie behind the memory: along an unbounded dimension
    const void* window;
    int reg;
    int (*coordinates)(const void* window, const thread& t, int reg, int* to);
    int (*reach)(const void* window, const thread& t, int reg);
};

// What one lane moves with one instruction.
template <int Bytes>
inline constexpr bool is_access = Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16;

// Instructions that a thread issues in one step of a main loop, by kind; vectors of 16 bytes count once.
struct step_mix
{
    int matrix;
    int lds_reads;
    int lds_writes;
    int loads; // from global memory
};

} // namespace ck_tile

#include CK_TILE_TARGET_HEADER(primitives.hpp)

// Each architecture's primitives.hpp defines
//
// memory: a range holds less than 2 GiB; one access lies in it as a whole or not at all
//   memory_range                              a base address, the same for the whole block, and its bytes
//     .skip(bytes)                            leaves out the first bytes
//   load_access<V>(range, offset)             the V at `offset` bytes, or zeros, or what a further argument says; is_access<sizeof(V)>
//   store_access(range, offset, x)            does nothing where the range has ended
//                                             both may know more of a plane_offset than its sum
//
// block
//   sync_block()                              waits for all threads of the workgroup; they see each other's LDS
//   sync_waves<Waves, Lanes>()                the same for so many waves that work apart from others of the block
//   use_registers<N>()                        gives or takes registers so that a lane has N; all waves of a fourth of the compute unit
//   sync_wave()                               the same for the threads of a wave
//   own_rank<Cluster>()                       this thread's workgroup's number in its cluster
//   lds_of_rank(own, rank, rank_bytes)        where that lies in rank `rank` which lies at `own` in this thread's LDS
//   sync_cluster()                            waits for all threads of the cluster; they see each other's LDS
//   arrive_at_cluster(), wait_for_cluster()    the same in two halves; what a thread has written is not shown to others
//
// reads of LDS of 16-bit elements for other lanes; if has_transposed_reads
//   read_transposed(to, row)                  four squares of 8 x 8: lane 8 * s + i gives the address of row i of square s, 16 bytes; lane l has of
//                                             each, in to[s], column l / 4 of rows l % 4 * 2 and the next one
//   read_squares(to, row)                     two or four such squares as they lie: of row l / 4, columns l % 4 * 2 and the next one; row:
//                                             lds_address() of it
//
// copies of 16 bytes from memory to LDS, in batches, without a stop in registers; if has_async_copies, or else no-ops
//   copy_line(to, range, offset or gathered), commit_copies(), wait_for_copies<Batches>()
//   see_copies()                              lets products of operands in LDS see what this thread has copied or stored, after a barrier
//   arrive_in_memory<Waves>(counters)         counts an arrival at the counter of this thread's wave, one for all lanes, or at the first one for
//                                             all waves where they do not wait; how many came before, whose writes to memory are seen
//   copy_box(to, map, at, bytes, barrier)     copies the box, of so many bytes, of a tensor_map that begins at the coordinates `at`, some of which may not exist, to
//                                             LDS, where `to` is aligned to 128 bytes, to 1024 if the map is permuted. One
//                                             thread calls it, and then arrives at the mbarrier with the bytes of all its boxes
//   stored_boxes                              boxes that one thread stores from LDS to memory
//     .store(map, at, from)                   copies one that lies at `from`, aligned as `to` above, but for what of it does not exist: later, as of stores
//                                             to LDS that a barrier and see_copies() show it
//     .wait()                                 until LDS may be overwritten where they were; before the program ends
//   prefetch_run(from, bytes)                 asks for a run of memory, of a multiple of 16 bytes, to come to the shared cache
//
// barrier in LDS at which some arrive without waiting, and for which others wait. It counts arrivals. With the last that it
// expects, a phase ends and the next one begins; phases are numbered from 0, and phase -1 has ended before anyone arrives
//   mbarrier                                  8 bytes; one thread calls each of
//     .init(arrivals)                         expects so many in a phase; other threads may use it after a barrier of the block
//     .invalidate()                           its memory becomes free for something else
//     .arrive_when_copied()                   arrives, perhaps later, when this thread's asynchronous copies are in LDS
//     .arrive_with_boxes(bytes)               arrives, perhaps later, when boxes of so many bytes are in LDS
//     .arrive()                               what this thread has read and written happened before the phase ended
//     .wait(phase)                            until that phase has ended; the next one must not end before all have waited
//
// what the checker of programs is told, on the CPU
//   checks_programs                           whether there may be one; else all of these do nothing
//   source_line                               where a verb is called: a default argument
//   verb_scope(name, source_line)             the verb that what follows belongs to
//   role_scope(first wave, waves)             what follows is done by some waves alone
//   tell_checker(f)                           f(program_checker)
//   check_lds_read(at, bytes), check_lds_write(at, from, bytes)
//   lds_pointer<T>                            a T*, on the CPU one that tells of its accesses
//
// arithmetic
//   rounds_to_bf16                            whether an instruction rounds binary32 to bf16, to nearest, ties to even
//   add_if_equal(sum, x, a, b)                sum + x if a == b, else the sum as it is
//   larger(x, y), smaller(x, y)               the larger or the smaller one, or x if that is a NaN; y is none
//   larger_halves<Bf16>(x, y), smaller_halves<Bf16>(x, y)    the same of two numbers of 16 bits in each word, fp16 or bf16; if compares_halves
//   take_larger(most, x)                      makes most the larger one, or a NaN if one is; whether that is x: if x > most or a NaN. If most
//                                             was a NaN before it stays one, and x may be said to be it
//   take_larger_halves<Bf16>(most, at, x, from)    the same of two numbers of 16 bits in each word, fp16 or bf16, but that `at` becomes `from`
//                                             where x > most alone
//   approximate_exp2(x)                       2^x, and
//   approximate_reciprocal(x)                 1/x, within a few units in the last place; subnormal numbers count as 0
//   join_halves<Low, High>(low, high)         a word of 16 bits of each, their upper half where Low, or High, is 1; if joins_halves
//
// hints to the compiler
//   schedule_fence()                          no instruction moves across this point of the program
//   schedule_step<step_mix>()                 how the instructions of a step mix
//   make_opaque(word)                         where the word came from is not known any more
//
// and on a GPU
//   thread_id()                               the number of this thread in its workgroup
//   exchange_word(x, mask, lanes)             what lane (own lane xor mask) gives for x
//   own_block<Cluster>()                      which block this is
//   own_lds<Bytes>()                          the workgroup's LDS
//   wait_for_earlier_kernels()                what they wrote can be seen
//   CK_TILE_BLOCK_OF(program)                 attributes of a kernel: its threads, its registers
//   CK_TILE_ARGUMENTS                         attributes of its parameter

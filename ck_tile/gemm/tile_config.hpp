// SPDX-License-Identifier: MIT
// The configuration of a block's matrix product, and what makes one legal: for operations, and for kernels of one's own.
//
//   constexpr gemm::tile_config tile = {.block = {128, 128, 32}, .waves = {2, 2}, .instruction = opcode::mfma_32x32x8_fp16};
//   CK_TILE_REJECT(gemm::check(tile, gfx942, {.a = {majorness::k, 8}, .b = {majorness::k, 8}, .result = 8}));
#pragma once

#include "ck_tile/gemm/epilogue.hpp"
#include "ck_tile/gemm/pipelines.hpp"

namespace ck_tile::gemm
{

struct tile_config
{
    block_tile block;
    wave_grid waves;
    opcode instruction;
    gemm::pipeline pipeline = gemm::pipeline::single_buffer;
    int stages              = 1; // of operands in LDS
    gemm::epilogue epilogue = gemm::epilogue::through_lds;

    constexpr gemm::shape shape() const { return {block.m, block.n, block.k, waves.m, waves.n, instruction}; }
    constexpr main_loop loop() const { return {pipeline, stages}; }
    constexpr data_type dtype() const { return describe(instruction).type; }
    // Waves that copy operands: some that do nothing else, or 0, all.
    constexpr int copying_waves() const { return gemm::copying_waves(pipeline); }
    constexpr int lanes() const { return shape().fragment().a.lanes(); }
    constexpr int threads() const { return shape().threads() + copying_waves() * lanes(); }
    constexpr int copying_threads() const { return copying_waves() > 0 ? copying_waves() * lanes() : threads(); }
    // With `tables` bytes for the tables of lookup windows.
    constexpr int lds_bytes(int tables = 0) const { return gemm::lds_bytes(shape(), loop(), tables, epilogue); }

    constexpr int epilogue_at(int tables = 0) const { return gemm::epilogue_at(shape(), loop(), tables, epilogue); }

    // Blocks that run on a compute unit at once, more or less: as many as LDS has room for, of few that registers allow.
    constexpr int blocks_at_once(const target& t, int tables = 0) const
    {
        constexpr int beside = 48, of_copies = 80; // registers of a lane that multiplies, and of one that copies
        const int fit  = t.lds_bytes / lds_bytes(tables);
        const int most = copying_waves() == 0
                             ? 2
                             : t.compute_unit_registers / (shape().threads() * (shape().accumulators() + beside) +
                                                           copying_threads() * of_copies);
        return fit < 1 || most < 1 ? 1 : fit < most ? fit : most;
    }
    // That a lane has so that they do, where each makes many tiles; 0 leaves it to the compiler.
    constexpr int registers(const target& t, int tables = 0) const
    {
        return is_persistent(pipeline) ? t.compute_unit_registers / (threads() * blocks_at_once(t, tables)) : 0;
    }
};

// Which thread of those that copy loads what of an operand [rows, k]: see operand.hpp.
constexpr distribution tiled_copy(const tile_config& c, int rows, majorness major, int vector)
{
    return tiled_copy(c.shape(), rows, major, vector, c.copying_waves());
}

namespace detail
{
// Whether the threads share an operand [rows, k] as tiled_copy() hands it out.
constexpr violation check_operand(const tile_config& c, int rows, const operand_memory& o)
{
    const gemm::shape s = c.shape();
    const int line      = 16 / bytes_of(s.type());
    if(o.vector < 1 || o.vector > line || (o.vector & (o.vector - 1)) != 0)
        return {"vector widths must be powers of two of at most 16 bytes", o.vector, "use 1, 2, 4 or 8"};
    const int threads = c.copying_threads();
    if(rows * s.k % threads != 0)
        return {"the threads must share block.m * k and block.n * k evenly", threads,
                "enlarge the tile or use fewer waves"};
    const int own = rows * s.k / threads, fast = own < line ? own : line;
    const bool rows_contiguous = o.major == majorness::mn;
    if(own % fast != 0 || (rows_contiguous ? rows : s.k) % fast != 0)
        return {"a thread's part of an operand must be whole lines", own, "use powers of two"};
    if(own / fast > (rows_contiguous ? s.k : rows))
        return {"a thread's part of an operand must fit the tile", own, "use more waves"};
    if(own < o.vector)
        return {"a vector must not be wider than a thread's part of the operand", o.vector, "use a narrower vector"};
    const distribution loaded = tiled_copy(c, rows, o.major, o.vector);
    for(const distribution& d : {loaded, along_k(loaded)})
        if(!d.covers() || d.threads() != threads)
            return {"threads must cover operands and result evenly", threads, "use powers of two"};
    return {};
}

constexpr violation check_result(const shape& s, epilogue e, int vector)
{
    const int line = 16 / bytes_of(s.type());
    if(vector < 1 || vector > line || (vector & (vector - 1)) != 0)
        return {"vector widths must be powers of two of at most 16 bytes", vector, "use 1, 2, 4 or 8"};
    if(e == epilogue::direct && vector != 1)
        return {"the direct epilogue writes one element at a time", vector, "use a vector of 1 or through_lds"};
    if(e == epilogue::by_wave)
    {
        if(!has_lines(s))
            return {"each wave must have rows alone, of whole lines of 128 bytes, to store them by itself",
                    s.inst().name,
                    "use through_lds, or waves.n = 1 and a block.n that is a multiple of 64 or divides it"};
        if(vector != line)
            return {"an epilogue by wave writes 16 bytes at once", vector, "use vectors of 16 bytes, or direct"};
        return {};
    }
    const bool direct       = e == epilogue::direct;
    const distribution wide = direct              ? in_vectors(accumulator(s), 1)
                              : s.n % vector == 0 ? rows_at_once(s, vector)
                                                  : distribution{};
    const bool whole_strips = direct || strip(s).lengths[0] % wide.length(0) == 0;
    if(s.n % vector != 0 || !whole_strips)
        return {"threads must hold whole rows of the result, and strips of it whole turns of the threads", vector,
                "use another vector or number of waves"};
    if(!wide.covers() || wide.threads() != s.threads())
        return {"threads must cover operands and result evenly", s.threads(), "use powers of two"};
    return {};
}
} // namespace detail

// `tables`: the bytes of LDS that lookup windows take.
constexpr violation check_lds(const tile_config& c, const target& t, int tables = 0)
{
    if(c.lds_bytes(tables) > t.lds_bytes)
        return {"LDS of the main loop and the epilogue must fit the block's", c.lds_bytes(tables),
                "shrink the tile or use single_buffer"};
    return {};
}

// The only place that knows which matrix products of a block are legal. `t` are the facts of the architecture, `access` is how
// the kernel moves operands and result.
constexpr violation check(const tile_config& c, const target& t, const operand_access& access)
{
    const gemm::shape s = c.shape();
    if(const violation v = check(s, t))
        return v;
    if(constexpr int most = 16; c.stages > most)
        return {"a main loop must have 16 stages at most", c.stages, "use fewer"};
    if(const violation v = with_traits(c.pipeline, [&](auto p) { return p.check(s, c.stages, t, access); }))
        return v;
    if(const violation v = detail::check_operand(c, s.m, access.a))
        return v;
    if(const violation v = detail::check_operand(c, s.n * s.inst().blocks, access.b))
        return v;
    if(const violation v = detail::check_result(s, c.epilogue, access.result))
        return v;
    if(const violation v = check_lds(c, t))
        return v;
    if(c.copying_waves() > 0)
    {
        constexpr int least = 56;
        if(c.threads() > t.max_block_threads)
            return {"the waves that multiply and those that copy must be within the threads of a block", c.threads(),
                    "use fewer waves"};
        if(const int left = role_registers(s, c.copying_waves(), c.registers(t)).copying; left < least)
            return {"the waves that copy must have 56 registers left by those that multiply", left,
                    "use a smaller block"};
        return {};
    }
    return check_registers(s, c.loop(), tiled_copy(c, s.m, access.a.major, access.a.vector),
                           tiled_copy(c, s.n * s.inst().blocks, access.b.major, access.b.vector), t);
}

// Writes C at `origin` of a view by the configuration's epilogue, in vectors of `Vector` elements; transposed, by one that can.
template <tile_config C, int Vector, int Tables = 0, bool Transposed = false, class Acc, class Out,
          class... FinishAndViews>
CK_TILE_FN void store_result(const block& in, const Acc& acc, const Out& to, const multi_index<2>& origin,
                             const FinishAndViews&... finish_and_views)
{
    static_assert(!Transposed || C.epilogue == epilogue::by_wave,
                  "store_result: by_wave alone stores transposed results");
    if constexpr(C.epilogue == epilogue::direct)
        store_directly<C.shape()>(acc, to, origin, finish_and_views...);
    else if constexpr(C.epilogue == epilogue::by_wave)
        store_by_wave<C.shape(), C.epilogue_at(Tables), Transposed>(in, acc, to, origin, finish_and_views...);
    else
        store_through_lds<C.shape(), Vector>(in, acc, to, origin, finish_and_views...);
}

} // namespace ck_tile::gemm

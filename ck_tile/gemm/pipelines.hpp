// SPDX-License-Identifier: MIT
// The main loop of a matrix product, by one of the pipelines.
#pragma once

#include "ck_tile/gemm/pipelines/async_stages.hpp"
#include "ck_tile/gemm/pipelines/through_registers.hpp"
#include "ck_tile/gemm/pipelines/wave_specialized.hpp"

namespace ck_tile::gemm
{

// What f(traits) says of a pipeline known at run time.
template <class F>
constexpr auto with_traits(pipeline p, F&& f)
{
    switch(p)
    {
    case pipeline::single_buffer: return f(pipeline_traits<pipeline::single_buffer>{});
    case pipeline::double_buffer: return f(pipeline_traits<pipeline::double_buffer>{});
    case pipeline::async_stages: return f(pipeline_traits<pipeline::async_stages>{});
    case pipeline::wave_specialized: return f(pipeline_traits<pipeline::wave_specialized>{});
    case pipeline::wave_specialized_boxes: return f(pipeline_traits<pipeline::wave_specialized_boxes>{});
    }
    __builtin_unreachable();
}

// A pipeline and its stages of operands in LDS.
struct main_loop
{
    pipeline kind;
    int stages;

    constexpr main_loop(pipeline p) : main_loop(p, with_traits(p, [](auto t) { return t.usual_stages; })) {}
    constexpr main_loop(pipeline p, int n) : kind(p), stages(n) {}
};

constexpr int main_loop_lds_bytes(const shape& s, main_loop p)
{
    return p.stages * operand_bytes(s) + with_traits(p.kind, [&](auto t) { return t.barrier_bytes(p.stages); });
}

// Whether a block makes many tiles, one after the other: there are to be as many blocks as run at once. Else it makes one.
constexpr bool is_persistent(pipeline p)
{
    return with_traits(p, [](auto t) { return t.persistent; });
}

// Whether operands come to LDS in boxes.
constexpr bool takes_boxes(pipeline p)
{
    return with_traits(p, [](auto t) { return t.takes_boxes; });
}

// Waves of a block that copy operands and do nothing else, beside those of the shape.
constexpr int copying_waves(pipeline p)
{
    return with_traits(p, [](auto t) { return t.copying_waves; });
}

// 4-byte registers that a lane needs in the main loop: accumulators, what the pipeline holds beside them, and what counts and
// points. `a` and `b` distribute the operands as they are loaded. An estimate, measured on compiled kernels of every
// architecture: above it they spill, or could.
constexpr int registers(const shape& s, main_loop p, const distribution& a, const distribution& b)
{
    return s.accumulators() + with_traits(p.kind, [&](auto t) { return t.registers(s, a, b); });
}

constexpr violation check_registers(const shape& s, main_loop p, const distribution& a, const distribution& b,
                                    const target& t)
{
    constexpr int beside = 216; // what 256 registers hold well, where accumulators have 256 of their own
    const int all = registers(s, p, a, b), other = all - s.accumulators();
    if(all > t.vgprs || (t.vgprs > 256 && other > beside))
        return {"accumulators, fragments and operands on their way must fit a lane's registers", all,
                "use more waves, a smaller block or wider vectors"};
    return {};
}

// In a GPU's compilation, says it of a main loop, once.
template <shape S, main_loop P, distribution A, distribution B>
struct fits_registers
{
    static constexpr violation broken = on_device ? check_registers(S, P, A, B, compiled_target()) : violation{};
    CK_TILE_REJECT(broken);
    static constexpr bool value = !broken;
};

// Tiles of a result, as run_tiles() makes them.
//   at(number)             where a tile is: whatever the others want to know
//   steps(coord)           of its main loop; 0 where there is nothing to multiply
//   a(coord), b(coord)     its operands; box_operands, of a pipeline that takes boxes
//   store(coord, product)  what becomes of A * B
//   share(coord), partials()    if it has them: what the block makes of the tile, and where the sums of shares go, see stream_k.hpp; the
//                          epilogue must store wave by wave
//   rows(coord)            if it has one: rows of the result from the tile's first one on; where waves have roles, those whose rows all lie
//                          beyond multiply nothing
//   b_stays(stages)        if it has one: whether all tiles of a block have the same B, and as many steps, which divide `stages`; then each
//                          stage has the same steps of B whenever it is used, and need not be given them again
// Where a block makes several, the next one's operands are on their way while one is stored: that needs its LDS for them. `Registers`: of a
// lane, as the kernel is launched, where waves have roles.
template <shape S, main_loop P, int Registers = 0, class Tiles>
CK_TILE_FN void run_tiles(const block& in, const Tiles& tiles, int first, int end, int stride)
{
    using coord = decltype(tiles.at(first));
    using a     = decltype(tiles.a(std::declval<const coord&>()));
    using b     = decltype(tiles.b(std::declval<const coord&>()));
    if constexpr(!legal_shape<S>::value)
        return; // said above
    else if constexpr(fits_registers<S, P, a::layout, b::layout>::value)
    {
        if constexpr(is_persistent(P.kind))
            pipeline_traits<P.kind>::template run_tiles<S, P.stages, Registers>(in, tiles, first, end, stride);
        else
        {
            const coord here = tiles.at(first); // the only one: there is a block for each
            auto acc         = accumulators<S>();
            if(const int steps = tiles.steps(here); steps > 0)
                pipeline_traits<P.kind>::template run<S, P.stages>(in, acc, tiles.a(here), tiles.b(here), steps);
            pin_accumulators(acc); // until the epilogue takes them, strip by strip
            tiles.store(here, acc);
        }
    }
}

// acc += A * B over `steps` steps of S.k. Operands that run past the end of k read zeros, which add nothing.
template <shape S, main_loop P, class A, class B, class Acc>
CK_TILE_FN void run_pipeline(const block& in, Acc& acc, A a, B b, int steps)
{
    static_assert(operand<A>,
                  "run_pipeline: A is no operand; gemm::operand says what one has: element, layout, load(), "
                  "step<1>() and move()");
    static_assert(operand<B>,
                  "run_pipeline: B is no operand; gemm::operand says what one has: element, layout, load(), "
                  "step<1>() and move()");
    static_assert(!is_persistent(P.kind),
                  "run_pipeline: a pipeline whose waves have roles makes tiles, see run_tiles()");
    if constexpr(!legal_shape<S>::value || !operand<A> || !operand<B> || is_persistent(P.kind))
        return; // said above
    else if constexpr(fits_registers<S, P, A::layout, B::layout>::value)
    {
        pipeline_traits<P.kind>::template run<S, P.stages>(in, acc, a, b, steps);
        pin_accumulators(acc); // until the epilogue takes them, strip by strip
    }
}

} // namespace ck_tile::gemm

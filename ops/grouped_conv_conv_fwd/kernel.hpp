// SPDX-License-Identifier: MIT
// Grouped convolution, activation, and a 1x1 convolution over all its channels, in one kernel.
//
// Y [m = pixel of a region, n = K1] = sum over l = channel of A [m, l] * W1 [n, l], where A, the intermediate, is computed by the block: the
// first convolution of the region, bias and activation, rounded to the type. It is in LDS alone.
#pragma once

#include "ops/grouped_conv_conv_fwd/first_convolution.hpp"

namespace ck_tile::grouped_conv_conv_fwd
{

template <config C>
struct program
{
    static constexpr violation broken = check(C);
    CK_TILE_REJECT(broken);
    static constexpr architecture arch        = C.arch;
    static constexpr gemm::shape shape        = C.shape();
    static constexpr gemm::computed_loop loop = C.loop();
    static constexpr int threads              = C.threads();
    static constexpr int lds_bytes            = C.lds_bytes();
    static constexpr int registers            = C.registers(facts(arch));
    using element                             = element_t<C.dtype()>;
    using arguments                           = grouped_conv_conv_fwd::arguments;
    static constexpr int map_at               = offsetof(arguments, maps),
                         maps                 = C.boxes() ? sizeof(arguments::maps) / sizeof(tensor_map) : 0;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        gemm::run_computed_tiles<shape, loop>(b, tiles{{b, a}}, static_cast<int>(b.at.x), a.tiles, a.blocks);
    }

  private:
    static constexpr int epilogue_at = loop.epilogue_at(shape);

    using first_convolution = std::conditional_t<C.first == formulation::dense, dense_first<C>, depthwise_first<C>>;
    using coord             = first_convolution::coord;

    struct tiles : first_convolution
    {
        static constexpr distribution rows = C.rows(shape.k);
        using first_convolution::args, first_convolution::in;

        CK_TILE_FN int terms() const { return args.first.k; }
        CK_TILE_FN int steps() const { return ceil_div(args.first.k, shape.k); }
        CK_TILE_FN int columns() const { return loop.keeps_all() ? ceil_div(args.k1, shape.n) : 1; }

        CK_TILE_FN auto b(const coord&, int column) const
        {
            const tensor_view matrix{static_cast<const element*>(args.wei1), std::int64_t(args.k1) * args.first.k,
                                     packed(multi_index{args.k1, args.first.k})};
            return make_gather_window<C.wei1_copy()>(matrix, multi_index{column * shape.n, 0});
        }

        // Sums begin with the bias of their column.
        CK_TILE_FN auto begin(int column) const
        {
            constexpr distribution all = gemm::accumulator(shape);
            return broadcast<all>(
                conv::load_bias<reduced<all, 0>, element, C.vector()>(args.bias1, args.k1, column * shape.n));
        }

        CK_TILE_FN void store(const coord& p, int column, const auto& acc) const
        {
            const block there{in.at, in.lds + epilogue_at};
            // Others' products may still read A, which is overwritten next. Not where it is read into registers, or one step is kept:
            // threads have met since. And an epilogue for the whole block meets first. There nothing is moved across, as live sums and
            // what an epilogue loads do not fit half of the registers.
            if constexpr(C.epilogue != gemm::epilogue::through_lds && loop.kept > 1 &&
                         shape.inst().operands == operand_source::lds)
                in.sync();
            else
                schedule_fence();
            const multi_index<2> origin = {0, column * shape.n};
            if constexpr(C.epilogue == gemm::epilogue::by_wave)
                gemm::store_by_wave<shape, 0>(there, acc, this->pixels(p), origin);
            else if constexpr(C.epilogue == gemm::epilogue::direct)
                gemm::store_directly<shape>(acc, this->pixels(p), origin);
            else
                gemm::store_through_lds<shape, C.vector()>(there, acc, this->pixels(p), origin);
        }
    };
};

} // namespace ck_tile::grouped_conv_conv_fwd

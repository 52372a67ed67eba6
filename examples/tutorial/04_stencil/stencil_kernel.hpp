// SPDX-License-Identifier: MIT
// A step of diffusion: y = x + rate * (the sum of the four neighbours - 4 x), where x is 0 outside of the image.
#pragma once

#include "ck_tile/ck_tile.hpp"

namespace tutorial
{

using namespace ck_tile;

struct stencil_arguments
{
    const float* x; // [rows, columns]
    float* y;
    int rows, columns;
    float rate;
};

template <architecture Arch>
struct stencil_program
{
    using arguments              = stencil_arguments;
    static constexpr auto arch   = Arch;
    static constexpr int threads = 256;
    static constexpr int wave    = facts(Arch).wave;

    // 64 x 64 elements are read, of which those within the border become results: rows of the image lie anywhere, hence one by one.
    static constexpr int read = 64, made = read - 2;
    static constexpr distribution square = {.lengths = {read, read},
                                            .wave    = {{read / wave, 1, wave}, {threads / read, 0, 1}},
                                            .lane    = {{wave, 1, 1}},
                                            .reg     = {{read * read / threads, 0, threads / read}},
                                            .vec     = {}};

    struct plan
    {
        lds_memory<lds_tile<float, lds_layout{.rows = read, .cols = read}>> x;
    };
    static constexpr int lds_bytes = sizeof(plan);

    static grid blocks(const arguments& p)
    {
        return {unsigned(ceil_div(p.columns, made)), unsigned(ceil_div(p.rows, made))};
    }

    static CK_TILE_FN void run(const block& in, const arguments& p)
    {
        const multi_index<2> first = {int(in.at.y) * made, int(in.at.x) * made}; // of the results
        const auto x               = in.lds_at<&plan::x>();

        // X with a row and a column before it that do not exist, so that coordinates are those of the results.
        const auto bordered =
            transform(packed(multi_index{p.rows, p.columns}), along<dims{0}, dims{0}>(pad{p.rows, 1, 1}),
                      along<dims{1}, dims{1}>(pad{p.columns, 1, 1}));
        store(x, load(make_window<square>(tensor_view{p.x, std::int64_t(p.rows) * p.columns, bordered}, first)));
        in.sync();

        // What lies beyond the results is computed of what is there, and not stored.
        const auto y             = generate<float, square>([&](int i, int j) {
            const int row = smallest(i, made - 1), column = smallest(j, made - 1);
            const auto at = [&](int down, int right) { return *x.at(row + down, column + right); };
            return at(1, 1) + p.rate * (at(0, 1) + at(1, 0) + at(1, 2) + at(2, 1) - 4 * at(1, 1));
        });
        const multi_index<2> end = {smallest(first[0] + made, p.rows), smallest(first[1] + made, p.columns)};
        const tensor_view results{p.y, std::int64_t(p.rows) * p.columns, strided<2>{end, {p.columns, 1}}};
        store(make_window<square>(results, first), y);
    }
};

} // namespace tutorial

// SPDX-License-Identifier: MIT
// Draws the pictures of the documents into the folder that the argument names: docs/pictures has them, and a test draws them again.
#include "ck_tile/reflect/draw.hpp"
#include "examples/tutorial/01_copy/copy_kernel.hpp"
#include "examples/tutorial/02_softmax/softmax_kernel.hpp"
#include "examples/tutorial/03_transpose/transpose_kernel.hpp"
#include "examples/tutorial/06_gemm_pipelined/gemm_pipelined_kernel.hpp"

#include <filesystem>
#include <fstream>

int main(int argc, char** argv)
{
    using namespace ck_tile;
    using enum architecture;
    if(argc != 2)
    {
        fmt::print(stderr, "usage: ck_tile_pictures FOLDER\n");
        return 2;
    }
    bool written     = true;
    const auto write = [&](const char* name, const picture& p) {
        written &=
            bool((std::ofstream(std::filesystem::path(argv[1]) / (std::string(name) + ".svg")) << to_svg(p)).flush());
    };
    write("copy", draw(tutorial::copy_program<gfx942>::held, {.rows = 6, .cols = 64}));
    write("softmax", draw(tutorial::softmax_program<gfx11>::row, {.rows = 1, .cols = 96}));

    using turn                      = tutorial::transpose_program<gfx942>;
    constexpr lds_layout as_it_lies = {.rows = turn::layout.rows, .cols = turn::layout.cols};
    write("transpose_loaded", draw(turn::loaded, {.rows = 16}));
    write("transpose_stored", draw(turn::stored, {.rows = 16, .cols = 16}));
    write("transpose_as_it_lies", draw_access(turn::stored, as_it_lies, sizeof(fp16), lds_direction::read));
    write("transpose_permuted", draw_access(turn::stored, turn::layout, sizeof(fp16), lds_direction::read));

    const float image[15] = {};
    const auto bordered   = transform(packed(multi_index{3, 5}), along<dims{0}, dims{0}>(pad{3, 1, 1}),
                                      along<dims{1}, dims{1}>(pad{5, 1, 1}));
    write("stencil_view", draw(tensor_view{image, 15, bordered}, {0, 0}, {4, 4}));

    write("accumulators_gfx942",
          draw(gemm::accumulator(tutorial::gemm_program<gfx942>::shape), {.rows = 16, .cols = 32}));
    write("accumulators_gfx11",
          draw(gemm::accumulator(tutorial::gemm_program<gfx11>::shape), {.rows = 16, .cols = 16}));
    write("accumulators_sm90", draw(gemm::accumulator(tutorial::gemm_program<sm90>::shape), {.rows = 16, .cols = 16}));
    write("operand_sm90", draw(swizzled_128b<majorness::k>{128, 64}, sizeof(fp16), {.rows = 16}));
    return written ? 0 : 1;
}

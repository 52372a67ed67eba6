// SPDX-License-Identifier: MIT
// Draws the pictures of the documents into the folder that the argument names: docs/pictures has them, and a test draws them again.
#include "ck_tile/reflect/draw.hpp"
#include "examples/tutorial/01_copy/copy_kernel.hpp"
#include "examples/tutorial/02_softmax/softmax_kernel.hpp"
#include "examples/tutorial/03_transpose/transpose_kernel.hpp"
#include "examples/tutorial/05_gemm/gemm_kernel.hpp"
#include "examples/tutorial/06_gemm_pipelined/gemm_pipelined_kernel.hpp"
#include "examples/tutorial/08_attention/attention_kernel.hpp"

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

    // Lesson 5: an operand as the instructions of two architectures take it, and the lanes that load it from LDS at once.
    using small                    = tutorial::small_gemm_program<gfx942>;
    constexpr distribution by_mfma = gemm::a_fragments(small::shape);
    write("gemm_loaded", draw(small::loaded, {.rows = 16}));
    write("gemm_operand_gfx942", draw(by_mfma, {.rows = 16}));
    write("gemm_operand_gfx11", draw(gemm::a_fragments(tutorial::small_tile_for(gfx11)), {.rows = 16}));
    write("gemm_banks", draw_access(by_mfma, small::a_layout, sizeof(fp16), lds_direction::read));

    write("accumulators_gfx942",
          draw(gemm::accumulator(tutorial::gemm_program<gfx942>::shape), {.rows = 16, .cols = 32}));
    write("accumulators_gfx11",
          draw(gemm::accumulator(tutorial::gemm_program<gfx11>::shape), {.rows = 16, .cols = 16}));
    write("accumulators_sm90", draw(gemm::accumulator(tutorial::gemm_program<sm90>::shape), {.rows = 16, .cols = 16}));
    write("operand_sm90", draw(swizzled_128b<majorness::k>{128, 64}, sizeof(fp16), {.rows = 16}));

    // Lesson 7: a bias in every row, and what is loaded of it beside accumulators.
    const float bias[32] = {};
    const auto in_rows   = repeated<0>(packed_view(bias, 32));
    write("bias_view", draw(in_rows, {0, 4}, {4, 16}, {.rows = 6, .cols = 32}));
    write("bias_loaded", draw(make_window<gemm::accumulator(tutorial::gemm_program<gfx942>::shape)>(
                                  repeated<0>(packed_view(bias, 28)), multi_index{0, 0}),
                              {.cols = 32}));

    // Lesson 8: weights as the first product leaves them, and as the second takes them.
    write("attention_scores",
          draw(gemm::accumulator(tutorial::attention_program<gfx942>::scores), {.rows = 16, .cols = 16}));
    write("attention_weights",
          draw(gemm::a_registers(tutorial::attention_program<gfx942>::values), {.rows = 16, .cols = 32}));
    write("attention_values", draw(tutorial::attention_program<gfx942>::v_across, {.rows = 16, .cols = 16}));
    return written ? 0 : 1;
}

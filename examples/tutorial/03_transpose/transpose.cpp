// SPDX-License-Identifier: MIT
// Runs the transposition, and compares; says what the tile in LDS costs its banks.
#include "../lesson.hpp"
#include "transpose_kernel.hpp"

extern const ck_tile::kernel_set tutorial_transpose;

template <ck_tile::architecture Arch>
void print_lds_cost()
{
    using namespace ck_tile;
    using program      = tutorial::transpose_program<Arch>;
    const lds_cost in  = cost_of(program::loaded, program::layout, sizeof(fp16), lds_direction::write),
                   out = cost_of(program::stored, program::layout, sizeof(fp16), lds_direction::read);
    fmt::print("LDS on {}: {} cycles to write a tile, of at least {}, and {} to read it, of at least {}\n",
               facts(Arch).name, in.cycles, in.least, out.cycles, out.least);
}

int main(int argc, char** argv)
{
    using namespace ck_tile;
    tutorial::lesson l(argc, argv);
    const auto [rows, columns] = l.sizes(200, 136); // no multiples of the tile
    std::vector<fp16> x(rows * columns), y(rows * columns);
    for(int i = 0; i < rows * columns; ++i)
        x[i] = static_cast<fp16>(i % 2047);

    const tutorial::transpose_arguments arguments = {l.upload(x), l.upload(y), rows, columns};
    l.launch(tutorial_transpose, arguments);
    y = l.download(arguments.y, y.size());

    print_lds_cost<architecture::gfx942>();
    print_lds_cost<architecture::sm90>();

    int wrong = 0;
    for(int i = 0; i < rows; ++i)
        for(int j = 0; j < columns; ++j)
            wrong += y[j * rows + i] != x[i * columns + j];
    return l.finish(fmt::format("transposition of {} x {}", rows, columns), wrong, tutorial_transpose, arguments,
                    {.bytes = 4. * rows * columns});
}

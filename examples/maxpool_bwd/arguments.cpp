// SPDX-License-Identifier: MIT
// The problem and the options of maxpool2d_bwd.
#include "examples/maxpool_bwd/arguments.hpp"

#include "examples/support/command_line.hpp"
#include "examples/support/job_parser.hpp"

#include <span>

namespace ck_tile::examples
{

namespace
{

constexpr const char* about =
    R"(2-D max-pooling, backward: computes, verifies and times the gradient of the input.

  maxpool2d_bwd [verify init time [N C Hi Wi Y X Sy Sx Dy Dx LPy LPx RPy RPx]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]
    time      0 no, 1 yes
    N C Hi Wi batch, channels, height and width of the input
    Y X       height and width of the window; S strides, D dilations, LP left (top) and RP right (bottom) pads

  Without numbers: 1 1 0 and 1 1 32 32  3 3  1 1  1 1  0 0  0 0. The indices of the maxima are those of the forward pass on
  the same input.
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

status parse_problem(maxpool::problem& p, std::span<const std::string> texts)
{
    if(texts.empty())
        return {};
    if(status all = check_count(texts, 14, "N C Hi Wi Y X Sy Sx Dy Dx LPy LPx RPy RPx"); !all)
        return all;
    number_reader numbers(texts);
    p.batch    = numbers.next("N");
    p.channels = numbers.next("C");
    const struct
    {
        maxpool::extents& both;
        const char *height, *width;
    } pairs[] = {{p.input, "Hi", "Wi"},    {p.window, "Y", "X"},       {p.stride, "Sy", "Sx"},
                 {p.dilation, "Dy", "Dx"}, {p.left_pad, "LPy", "LPx"}, {p.right_pad, "RPy", "RPx"}};
    for(const auto& [both, height, width] : pairs)
    {
        both[0] = numbers.next(height);
        both[1] = numbers.next(width);
    }
    return numbers.verdict();
}

} // namespace

result<arguments> parse_arguments(int argc, const char* const* argv)
{
    arguments given;
    std::string indices = ck_tile::name_of(given.problem.indices);
    job_parser parser(
        given,
        {about, "maxpool2d_bwd", "nhwc or nchw",
         "folder to read dout.npy, the gradient of the output, and indices.npy from; and in.npy, for recompute",
         "folder to write in.npy, out.npy, indices.npy, dout.npy and din.npy (the result) to"},
        given.problem.type, ck_tile::name_of(given.problem.layout));
    parser.app().add_option("--indices", indices, "u8, int32, int64 or recompute")->capture_default_str();
    parser.app().add_flag("--ceil", given.problem.ceil_mode, "round the output's lengths up");
    if(status read = parser.parse(argc, argv); !read)
        return rejection{read.reason()};
    if(!given.help.empty())
        return given;

    if(status read = parse_problem(given.problem, parser.problem_numbers()); !read)
        return rejection{read.reason()};
    const auto type   = parser.type();
    const auto layout = parse_choice<maxpool::layout>("--layout", parser.layout);
    const auto kind   = parse_choice<maxpool::indices>("--indices", indices);
    if(!type || !layout || !kind)
        return rejection{!type ? type.reason() : !layout ? layout.reason() : kind.reason()};
    given.problem.type    = *type;
    given.problem.layout  = *layout;
    given.problem.indices = *kind;
    if(status valid = maxpool::validate(given.problem); !valid)
        return rejection{valid.reason()};
    return given;
}

} // namespace ck_tile::examples

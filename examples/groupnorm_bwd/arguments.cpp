// SPDX-License-Identifier: MIT
// The problem and the options of groupnorm_bwd.
#include "examples/groupnorm_bwd/arguments.hpp"

#include "examples/support/command_line.hpp"
#include "examples/support/job_parser.hpp"

#include <span>

namespace ck_tile::examples
{

namespace
{

constexpr const char* about =
    R"(Group norm backward: computes, verifies and times the gradients of input, gamma and beta.

  groupnorm_bwd [verify init time [N H W G C]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]; mean and inv_std are those of x
    time      0 no, 1 yes
    N H W     images, and their height and width
    G C       groups, and channels per group

  Without numbers: 1 1 0 and 16 16 16 32 64.
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

status parse_problem(groupnorm::problem& p, std::span<const std::string> texts)
{
    if(texts.empty())
        return {};
    if(status all = check_count(texts, 5, "N H W G C"); !all)
        return all;
    number_reader numbers(texts);
    p.batch    = numbers.next("N");
    p.image[0] = numbers.next("H");
    p.image[1] = numbers.next("W");
    p.groups   = numbers.next("G");
    p.c        = numbers.next("C");
    return numbers.verdict();
}

} // namespace

result<arguments> parse_arguments(int argc, const char* const* argv)
{
    arguments given;
    job_parser parser(given,
                      {about, "groupnorm_bwd", "nhwgc or ngchw",
                       "folder to read x.npy, dy.npy, gamma.npy, mean.npy and inv_std.npy from",
                       "folder to write those and dx.npy, dgamma.npy and dbeta.npy (the results) to"},
                      given.problem.type, ck_tile::name_of(given.problem.layout));
    if(status read = parser.parse(argc, argv); !read)
        return rejection{read.reason()};
    if(!given.help.empty())
        return given;

    if(status read = parse_problem(given.problem, parser.problem_numbers()); !read)
        return rejection{read.reason()};
    const auto chosen_type   = parser.type();
    const auto chosen_layout = parse_choice<groupnorm::layout>("--layout", parser.layout);
    if(!chosen_type || !chosen_layout)
        return rejection{chosen_type ? chosen_layout.reason() : chosen_type.reason()};
    given.problem.type   = *chosen_type;
    given.problem.layout = *chosen_layout;
    if(status valid = groupnorm::validate(given.problem); !valid)
        return rejection{valid.reason()};
    return given;
}

} // namespace ck_tile::examples

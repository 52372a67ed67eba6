// SPDX-License-Identifier: MIT
#include "examples/groupnorm_bwd/arguments.hpp"

#include "examples/support/command_line.hpp"

#include <fmt/format.h>

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

status parse_problem(groupnorm::problem& p, const std::vector<std::string>& texts)
{
    if(texts.empty())
        return {};
    if(texts.size() != 5)
        return rejection{fmt::format(
            "a problem needs 5 numbers after verify, init and time (N H W G C), but {} are given", texts.size())};
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
    std::vector<std::string> numbers;
    std::string type = ck_tile::name_of(given.problem.type), layout = groupnorm::name_of(given.problem.layout);
    CLI::App app(about, "groupnorm_bwd");
    app.add_option("--dtype", type, "fp16, bf16 or fp32")->capture_default_str();
    app.add_option("--layout", layout, "nhwgc or ngchw")->capture_default_str();
    if(status s = parse_common(app, argc, argv, "x, dy, gamma, mean and inv_std (.npy)",
                               "those and dx, dgamma and dbeta (the results)", given, numbers);
       !s)
        return rejection{s.reason()};
    if(!given.help.empty())
        return given;

    const result<data_type> chosen_type           = parse_data_type("--dtype", type);
    const result<groupnorm::layout> chosen_layout = parse_choice<groupnorm::layout>(
        "--layout", layout, {{"nhwgc", groupnorm::layout::nhwgc}, {"ngchw", groupnorm::layout::ngchw}});
    if(!chosen_type || !chosen_layout)
        return rejection{chosen_type ? chosen_layout.reason() : chosen_type.reason()};
    given.problem.type   = *chosen_type;
    given.problem.layout = *chosen_layout;
    for(const status& s : {parse_problem(given.problem, numbers), groupnorm::validate(given.problem)})
        if(!s)
            return rejection{s.reason()};
    return given;
}

} // namespace ck_tile::examples

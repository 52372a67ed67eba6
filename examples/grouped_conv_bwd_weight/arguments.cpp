// SPDX-License-Identifier: MIT
// The problem and the options of grouped_conv_bwd_weight.
#include "examples/grouped_conv_bwd_weight/arguments.hpp"

#include "examples/support/command_line.hpp"
#include "examples/support/job_parser.hpp"

#include <fmt/format.h>

#include <limits>
#include <span>

namespace ck_tile::examples
{

namespace
{

constexpr const char* about =
    R"(Grouped convolution, backward weight: computes, verifies and times the gradient of the weights.

  grouped_conv_bwd_weight [verify init time [ndim G N K C <filter> <input> <strides> <dilations> <left> <right>]]

    verify    0 no, 1 fp64 reference on the CPU, 2 reference kernel on the target
    init      0 none (zeros), 1 integers in [-5, 5], 2 decimals in [-0.5, 0.5]
    time      0 no, 1 yes
    ndim      spatial dimensions: 1, 2 or 3
    G N K C   groups, batch, output and input channels per group
    <...>     filter and input lengths, strides, dilations, left pads and right pads: ndim numbers each

  Without numbers: 1 1 0 and 3 4 1 128 256 with filter 3 3 3, input 14 14 14, and strides, dilations and pads of 1.
  Exit code: 0 verified or nothing to verify, 1 wrong result, 2 bad arguments or not supported.
)";

conv::extents next_list(number_reader& numbers, const std::string& what, int count)
{
    conv::extents list{};
    for(int d = 0; d < count; ++d)
        list[d] = numbers.next(fmt::format("{}[{}]", what, d));
    return list;
}

status parse_problem(conv::problem& p, std::span<const std::string> texts)
{
    if(texts.empty())
        return {};
    number_reader numbers(texts);
    p.spatial = static_cast<int>(numbers.next("ndim", 1, conv::max_spatial));
    if(!numbers.verdict())
        return numbers.verdict();
    const std::size_t expected = 5 + 6 * static_cast<std::size_t>(p.spatial);
    if(texts.size() != expected)
    {
        return rejection{
            fmt::format("a problem with ndim {} needs {} numbers after verify, init and time (ndim G N K C "
                        "and six lists of {}), but {} are given",
                        p.spatial, expected, p.spatial, texts.size())};
    }
    p.groups    = numbers.next("G");
    p.batch     = numbers.next("N");
    p.k         = numbers.next("K");
    p.c         = numbers.next("C");
    p.filter    = next_list(numbers, "filter", p.spatial);
    p.input     = next_list(numbers, "input", p.spatial);
    p.stride    = next_list(numbers, "stride", p.spatial);
    p.dilation  = next_list(numbers, "dilation", p.spatial);
    p.left_pad  = next_list(numbers, "left pad", p.spatial);
    p.right_pad = next_list(numbers, "right pad", p.spatial);
    return numbers.verdict();
}

status parse_split_k(int& split_k, const std::string& text)
{
    if(text == "auto")
        return {};
    const result<std::int64_t> splits = parse_integer("--split-k", text);
    if(!splits || *splits < 1 || *splits > std::numeric_limits<int>::max())
        return rejection{fmt::format("--split-k must be auto or a positive number of 32 bits, but is '{}'", text)};
    split_k = static_cast<int>(*splits);
    return {};
}

} // namespace

result<arguments> parse_arguments(int argc, const char* const* argv)
{
    arguments given;
    std::string split_k = "auto";
    job_parser parser(given,
                      {about, "grouped_conv_bwd_weight", "nhwgc, gnhwc or ngchw",
                       "folder to read in.npy and out.npy (the output's gradient) from",
                       "folder to write in.npy, out.npy and wei.npy (the result) to"},
                      given.problem.type, ck_tile::name_of(given.problem.layout));
    parser.app().add_option("--split-k", split_k, "splits of the reduction: auto or a number")->capture_default_str();
    parser.app().add_option("--tuned", given.tuned,
                            "table (JSON) of measured choices to use for the problems that it has");
    parser.app().add_flag("--tune", given.tune,
                          "measure all instances that support the problem, and write the fastest to --tuned");
    if(status read = parser.parse(argc, argv); !read)
        return rejection{read.reason()};
    if(!given.help.empty())
        return given;

    for(const status& read :
        {parse_problem(given.problem, parser.problem_numbers()), parse_split_k(given.split_k, split_k)})
    {
        if(!read)
            return rejection{read.reason()};
    }
    const result<data_type> chosen_type      = parser.type();
    const result<conv::layout> chosen_layout = parse_choice<conv::layout>("--layout", parser.layout);
    if(!chosen_type || !chosen_layout)
        return rejection{chosen_type ? chosen_layout.reason() : chosen_type.reason()};
    given.problem.type   = *chosen_type;
    given.problem.layout = *chosen_layout;
    if(given.tune && given.tuned.empty())
        return rejection{"--tune needs a file to write to: give --tuned FILE"};
    if(!given.tuned.empty() && (!given.instance.empty() || given.split_k != 0))
        return rejection{"--tuned chooses the instance and the split: leave out --instance and --split-k"};
    if(status valid = conv::validate(given.problem); !valid)
        return rejection{valid.reason()};
    return given;
}

} // namespace ck_tile::examples

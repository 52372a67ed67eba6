// SPDX-License-Identifier: MIT
// CLI11 takes the options apart; the numbers are read here, as their count depends on one of them.
#include "examples/grouped_conv_bwd_weight/arguments.hpp"

#include "examples/support/command_line.hpp"

#include <CLI/CLI.hpp>
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

constexpr std::size_t leading_numbers = 3; // verify init time

// Reads numbers from the front of the list and keeps the first rejection, so that a caller asks once, at the end.
class number_reader
{
  public:
    explicit number_reader(std::span<const std::string> texts) : texts_(texts) {}

    std::int64_t next(const std::string& what, std::int64_t least, std::int64_t most)
    {
        const result<std::int64_t> number = parse_integer(what, texts_.front());
        texts_                            = texts_.subspan(1);
        if(!number)
        {
            refuse(number.reason());
            return least;
        }
        if(*number < least || *number > most)
        {
            refuse(fmt::format("{} must be from {} to {}, but is {}", what, least, most, *number));
            return least;
        }
        return *number;
    }

    // Any number: conv::validate says what is wrong with it.
    std::int64_t next(const std::string& what)
    {
        return next(what, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    }

    conv::extents next_list(const std::string& what, int count)
    {
        conv::extents list{};
        for(int d = 0; d < count; ++d)
            list[d] = next(fmt::format("{}[{}]", what, d));
        return list;
    }

    const status& verdict() const { return verdict_; }

  private:
    void refuse(const std::string& reason)
    {
        if(verdict_)
            verdict_ = rejection{reason};
    }

    std::span<const std::string> texts_;
    status verdict_;
};

status parse_problem(conv::problem& p, std::span<const std::string> texts)
{
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
    p.filter    = numbers.next_list("filter", p.spatial);
    p.input     = numbers.next_list("input", p.spatial);
    p.stride    = numbers.next_list("stride", p.spatial);
    p.dilation  = numbers.next_list("dilation", p.spatial);
    p.left_pad  = numbers.next_list("left pad", p.spatial);
    p.right_pad = numbers.next_list("right pad", p.spatial);
    return numbers.verdict();
}

status parse_numbers(arguments& given, std::span<const std::string> texts)
{
    if(texts.empty())
        return {};
    if(texts.size() < leading_numbers)
    {
        return rejection{fmt::format("expected no numbers, 3 (verify init time) or 3 and a problem, but {} {} given",
                                     texts.size(), texts.size() == 1 ? "is" : "are")};
    }
    number_reader numbers(texts);
    given.verify = static_cast<verification>(numbers.next("verify", 0, 2));
    given.init   = static_cast<fill>(numbers.next("init", 0, 2));
    given.time   = numbers.next("time", 0, 1) == 1;
    if(!numbers.verdict() || texts.size() == leading_numbers)
        return numbers.verdict();
    return parse_problem(given.problem, texts.subspan(leading_numbers));
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

status parse_seed(std::uint64_t& seed, const std::string& text)
{
    const result<std::int64_t> number = parse_integer("--seed", text);
    if(!number || *number < 0)
    {
        return number ? rejection{fmt::format("--seed must not be negative, but is {}", text)}
                      : rejection{number.reason()};
    }
    seed = static_cast<std::uint64_t>(*number);
    return {};
}

} // namespace

result<arguments> parse_arguments(int argc, const char* const* argv)
{
    arguments given;
    std::vector<std::string> numbers;
    std::string type    = name_of(given.problem.type);
    std::string layout  = name_of(given.problem.layout);
    std::string split_k = "auto";
    std::string seed    = fmt::to_string(given.seed);

    CLI::App app(about, "grouped_conv_bwd_weight");
    app.add_option("numbers", numbers, "as above");
    app.add_option("--dtype", type, "fp16, bf16 or fp32")->capture_default_str();
    app.add_option("--layout", layout, "nhwgc, gnhwc or ngchw")->capture_default_str();
    app.add_option("--split-k", split_k, "splits of the reduction: auto or a number")->capture_default_str();
    app.add_option("--target", given.target,
                   "auto, hip, cuda, host, or the CPU in an architecture's shape: host:gfx90a, host:gfx942, "
                   "host:gfx11, host:sm90")
        ->capture_default_str();
    app.add_option("--instance", given.instance,
                   "the kernel to use, by its name; list: print all and what they support");
    app.add_option("--tuned", given.tuned, "table (JSON) of measured choices to use for the problems that it has");
    app.add_flag("--tune", given.tune,
                 "measure all instances that support the problem, and write the fastest to --tuned");
    app.add_option("--seed", seed, "of the random numbers")->capture_default_str();
    app.add_option("--load", given.load, "folder to read in.npy and out.npy (the output's gradient) from");
    app.add_option("--dump", given.dump, "folder to write in.npy, out.npy and wei.npy (the result) to");
    app.add_option("--json", given.json, "file to write problem, timing and verification to");
    try
    {
        app.parse(argc, argv);
    }
    catch(const CLI::CallForHelp&)
    {
        given.help = app.help();
        return given;
    }
    catch(const CLI::ParseError& error)
    {
        return rejection{fmt::format("{}: see --help", error.what())};
    }

    for(const status& read :
        {parse_numbers(given, numbers), parse_split_k(given.split_k, split_k), parse_seed(given.seed, seed)})
    {
        if(!read)
            return rejection{read.reason()};
    }
    const result<data_type> chosen_type      = parse_data_type("--dtype", type);
    const result<conv::layout> chosen_layout = parse_choice<conv::layout>(
        "--layout", layout,
        {{"nhwgc", conv::layout::nhwgc}, {"gnhwc", conv::layout::gnhwc}, {"ngchw", conv::layout::ngchw}});
    if(!chosen_type || !chosen_layout)
        return rejection{chosen_type ? chosen_layout.reason() : chosen_type.reason()};
    given.problem.type   = *chosen_type;
    given.problem.layout = *chosen_layout;
    given.list_instances = given.instance == "list";
    if(given.tune && given.tuned.empty())
        return rejection{"--tune needs a file to write to: give --tuned FILE"};
    if(!given.tuned.empty() && (!given.instance.empty() || given.split_k != 0))
        return rejection{"--tuned chooses the instance and the split: leave out --instance and --split-k"};
    if(status valid = conv::validate(given.problem); !valid)
        return rejection{valid.reason()};
    return given;
}

} // namespace ck_tile::examples

// SPDX-License-Identifier: MIT
// CLI11 takes the options apart; the numbers are read here, as their count depends on one of them.
#include "examples/support/job_parser.hpp"

#include "ck_tile/targets/targets.hpp"
#include "examples/support/command_line.hpp"

#include <fmt/format.h>

#include <limits>

namespace ck_tile::examples
{

namespace
{
constexpr std::size_t leading_numbers = 3; // verify init time
} // namespace

std::int64_t number_reader::next(const std::string& what, std::int64_t least, std::int64_t most)
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

std::int64_t number_reader::next(const std::string& what)
{
    return next(what, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

void number_reader::refuse(const std::string& reason)
{
    if(verdict_)
        verdict_ = rejection{reason};
}

status check_count(std::span<const std::string> numbers, std::size_t wanted, const std::string& names)
{
    if(numbers.size() == wanted)
        return {};
    return rejection{fmt::format("a problem needs {} numbers after verify, init and time ({}), but {} {} given", wanted,
                                 names, numbers.size(), numbers.size() == 1 ? "is" : "are")};
}

job_parser::job_parser(job& given, const job_help& help, data_type type, std::string default_layout)
    : layout(std::move(default_layout)),
      given_(given),
      app_(help.about, help.program),
      type_(ck_tile::name_of(type)),
      seed_(fmt::to_string(given.seed))
{
    app_.add_option("numbers", numbers_, "as above");
    app_.add_option("--dtype", type_, "fp16, bf16 or fp32")->capture_default_str();
    app_.add_option("--layout", layout, help.layouts)->capture_default_str();
    std::string shapes;
    for(const target* t : all_targets)
        shapes += fmt::format("{}host:{}", shapes.empty() ? "" : ", ", t->name);
    app_.add_option("--target", given.target,
                    "auto, hip, cuda, host, or the CPU in an architecture's shape: " + shapes)
        ->capture_default_str();
    app_.add_option("--instance", given.instance,
                    "the kernel to use, by its name; list: print all and what they support");
    app_.add_option("--seed", seed_, "of the random numbers")->capture_default_str();
    app_.add_option("--load", given.load, help.load);
    app_.add_option("--dump", given.dump, help.dump);
    app_.add_option("--json", given.json, "file to write problem, timing and verification to");
}

status job_parser::parse(int argc, const char* const* argv)
{
    try
    {
        app_.parse(argc, argv);
    }
    catch(const CLI::CallForHelp&)
    {
        given_.help = app_.help();
        return {};
    }
    catch(const CLI::ParseError& error)
    {
        return rejection{fmt::format("{}: see --help", error.what())};
    }
    given_.list_instances = given_.instance == "list";
    if(status read = read_numbers(); !read)
        return read;
    return read_seed();
}

result<data_type> job_parser::type() const { return parse_data_type("--dtype", type_); }

std::span<const std::string> job_parser::problem_numbers() const
{
    const std::span<const std::string> all = numbers_;
    return all.size() > leading_numbers ? all.subspan(leading_numbers) : all.subspan(all.size());
}

status job_parser::read_numbers()
{
    if(numbers_.empty())
        return {};
    if(numbers_.size() < leading_numbers)
    {
        return rejection{fmt::format("expected no numbers, 3 (verify init time) or 3 and a problem, but {} {} given",
                                     numbers_.size(), numbers_.size() == 1 ? "is" : "are")};
    }
    number_reader numbers(numbers_);
    given_.verify = static_cast<verification>(numbers.next("verify", 0, 2));
    given_.init   = static_cast<fill>(numbers.next("init", 0, 2));
    given_.time   = numbers.next("time", 0, 1) == 1;
    return numbers.verdict();
}

status job_parser::read_seed()
{
    const result<std::int64_t> number = parse_integer("--seed", seed_);
    if(!number || *number < 0)
    {
        return number ? rejection{fmt::format("--seed must not be negative, but is {}", seed_)}
                      : rejection{number.reason()};
    }
    given_.seed = static_cast<std::uint64_t>(*number);
    return {};
}

} // namespace ck_tile::examples

// SPDX-License-Identifier: MIT
// CLI11 takes the options apart; the numbers are read here, as their count depends on one of them.
#include "ops/program/job_parser.hpp"

#include "ck_tile/targets/targets.hpp"
#include "ops/program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <limits>

namespace ck_tile::program
{

namespace
{
constexpr std::size_t leading_numbers = 3; // verify init time
} // namespace

std::int64_t number_reader::next(const std::string& name, std::int64_t least, std::int64_t most)
{
    const result<std::int64_t> number = parse_integer(name, texts_.front());
    texts_                            = texts_.subspan(1);
    if(!number)
    {
        refuse(number.reason());
        return least;
    }
    if(*number < least || *number > most)
    {
        refuse(fmt::format("{} must be from {} to {}, but is {}", name, least, most, *number));
        return least;
    }
    return *number;
}

std::int64_t number_reader::next(const std::string& name)
{
    return next(name, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

void number_reader::refuse(const std::string& reason)
{
    if(verdict_)
        verdict_ = rejection{reason};
}

struct job_parser::options
{
    CLI::App app;
};

job_parser::job_parser(job& given, const job_help& help)
    : given_(given), options_(new options{CLI::App(help.about, help.program)}), seed_(fmt::to_string(given.seed))
{
    CLI::App& app = options_->app;
    app.add_option("numbers", numbers_, "as above");
    std::string shapes;
    for(const target* t : all_targets)
        shapes += fmt::format("{}host:{}", shapes.empty() ? "" : ", ", t->name);
    app.add_option("--target", given.target, "auto, hip, cuda, host, or the CPU in an architecture's shape: " + shapes)
        ->capture_default_str();
    app.add_option("--instance", given.instance,
                   "the kernel to use, by its name or id; list: print all and what they support");
    if(help.splits)
        app.add_option("--split-k", splits_, "splits of the reduction: auto or a number")->capture_default_str();
    app.add_option("--tuned", given.tuned,
                   help.files ? "table (JSON) of measured choices to use for the problems that it has"
                              : "table (JSON) of measured choices that --tune adds to, or a folder of them");
    app.add_flag("--tune", given.tune,
                 "measure all instances that support the problem, and write the fastest to --tuned");
    app.add_option("--seed", seed_, "of the random numbers")->capture_default_str();
    app.add_flag("--check", given.check,
                 "on the CPU, check the kernel while it runs: races, bounds, barriers; threads and blocks in an order "
                 "that --seed says");
    if(help.files)
    {
        app.add_option("--load", given.load, "folder to read the inputs from, a .npy file each");
        app.add_option("--dump", given.dump, "folder to write all tensors to, a .npy file each");
    }
    app.add_option("--json", given.json, "file to write what is found to");
}

job_parser::~job_parser() = default;

void job_parser::add_text(const std::string& name, std::string& value, const std::string& help)
{
    options_->app.add_option("--" + name, value, help)->capture_default_str();
}

void job_parser::add_flag(const std::string& name, bool& value, const std::string& help)
{
    const std::string usual = fmt::format("{} by default", value ? "on" : "off");
    options_->app.add_flag(fmt::format("--{0},!--no-{0}", name), value, help.empty() ? usual : help);
}

void job_parser::add_real(const std::string& name, float& value)
{
    options_->app.add_option("--" + name, value)->capture_default_str();
}

status job_parser::parse(int argc, const char* const* argv)
{
    try
    {
        options_->app.parse(argc, argv);
    }
    catch(const CLI::CallForHelp&)
    {
        given_.help = options_->app.help();
        return {};
    }
    catch(const CLI::ParseError& error)
    {
        return rejection{fmt::format("{}: see --help", error.what())};
    }
    given_.list_instances = given_.instance == "list";
    if(status read = read_numbers(); !read)
        return read;
    return read_options();
}

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

status job_parser::read_options()
{
    const result<std::int64_t> number = parse_integer("--seed", seed_);
    if(!number || *number < 0)
    {
        return number ? rejection{fmt::format("--seed must not be negative, but is {}", seed_)}
                      : rejection{number.reason()};
    }
    given_.seed = static_cast<std::uint64_t>(*number);
    if(splits_ != "auto")
    {
        const result<std::int64_t> splits = parse_integer("--split-k", splits_);
        if(!splits || *splits < 1 || *splits > std::numeric_limits<int>::max())
            return rejection{
                fmt::format("--split-k must be auto or a positive number of 32 bits, but is '{}'", splits_)};
        given_.splits = static_cast<int>(*splits);
    }
    if(given_.tune && given_.tuned.empty())
        return rejection{"--tune needs a file to write to: give --tuned FILE"};
    if(!given_.tuned.empty() && (!given_.instance.empty() || given_.splits != 0))
        return rejection{fmt::format("--tuned chooses the instance{0}: leave out --instance{1}",
                                     options_->app.get_option_no_throw("--split-k") ? " and the split" : "",
                                     options_->app.get_option_no_throw("--split-k") ? " and --split-k" : "")};
    return {};
}

} // namespace ck_tile::program

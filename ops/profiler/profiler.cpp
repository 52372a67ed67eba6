// SPDX-License-Identifier: MIT
// The command line, one problem after another, and the files that keep what was found.
#include "ops/profiler/profiler.hpp"

#include "ck_tile/runtime/files.hpp"
#include "ops/profiler/history.hpp"
#include "ops/profiler/limits.hpp"
#include "ops/profiler/python.hpp"
#include "ops/profiler/record.hpp"
#include "ops/profiler/suite.hpp"
#include "ops/program/progress_line.hpp"
#include "ops/program/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>

namespace ck_tile::profiler
{
namespace
{

using namespace ck_tile::program;
using harness::rejected;

constexpr const char* program_name = "ck_tile_profiler";
constexpr double near_the_fastest  = 1.10;

struct request : job
{
    std::string suite, rows, dtypes, layouts, filter, csv, plot, compare, repeats = "auto";
    bool all = false, chosen = false;
    suite_filter rows_of_suite() const { return {rows, dtypes, layouts}; }
};

volatile std::sig_atomic_t interrupted = 0;

// The first interruption ends the profile when the plan that is being measured is done; the second one ends the program.
void watch_interruptions()
{
    struct sigaction action = {};
    action.sa_handler       = [](int) { interrupted = 1; };
    action.sa_flags         = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

void add_options(job_parser& to, request& given)
{
    to.add_flag("all", given.all, "list what was not measured too, and why");
    to.add_text("filter", given.filter,
                "only instances whose configuration meets a condition, such as 'block.m >= 128 and dtype == \"fp16\"'");
    to.add_flag("chosen", given.chosen, "only what the plan chooses");
    to.add_text("repeats", given.repeats, "runs, of which the median counts: auto or a number");
    to.add_text("csv", given.csv, "file for a line per plan");
    to.add_text("plot", given.plot, "file for a chart (SVG), drawn by Python's matplotlib");
    to.add_text("compare", given.compare, "an earlier --json file: say what got slower or faster");
    to.add_text("suite", given.suite, "file of problems: see benchmarks/suite.json");
}

std::string names_of(std::span<const profiled_operation* const> operations)
{
    std::vector<std::string> names;
    for(const profiled_operation* op : operations)
        names.emplace_back(op->name());
    return fmt::format("{}", fmt::join(names, ", "));
}

class profile_run
{
  public:
    profile_run(const request& given, std::vector<suite_problem> problems,
                std::span<const profiled_operation* const> operations)
        : given_(given),
          problems_(std::move(problems)),
          operations_(operations),
          dev_(value_or_throw(device::open(given.target)))
    {
        if(!given_.suite.empty() && dev_.is_host() && !given_.target.starts_with("host"))
            throw rejected(
                fmt::format("{}; times of the CPU say nothing of a GPU: give --target host to measure a suite on it",
                            dev_.notice().substr(0, dev_.notice().rfind("; "))));
    }

    int run()
    {
        if(!dev_.notice().empty())
            fmt::print("{}\n", dev_.notice());
        if(given_.list_instances)
            return list();
        check_files();
        const json before = given_.compare.empty() ? json() : value_or_throw(read_profile(given_.compare, dev_.name()));
        open_problems();
        watch_interruptions();
        profile_.target        = dev_.name();
        profile_.compute_units = dev_.compute_units();
        measure();
        profile_.complete = interrupted == 0;
        write_files();
        if(!given_.plot.empty())
            value_or_throw(replace_file(given_.plot, value_or_throw(plot(document()))));
        summarize();
        if(!before.is_null())
            fmt::print("since {}:\n{}", given_.compare, compare_profiles(before, document()));
        return verdict();
    }

  private:
    // The instances of each problem; as JSON, a list of lists where there are several.
    int list() const
    {
        json all = json::array();
        for(const suite_problem& each : problems_)
        {
            const std::vector<listed_instance> instances = each.operation->list(dev_, each.problem, each.type);
            all.push_back(json_of(instances));
            fmt::print("{}{}",
                       problems_.size() == 1 ? "" : fmt::format("{}, row {}\n", each.operation->name(), each.row),
                       print_instances(instances));
        }
        if(!given_.json.empty())
            value_or_throw(write_json(given_.json, problems_.size() == 1 ? all.front() : all));
        return success;
    }

    // What would fail in the end fails now.
    void check_files() const
    {
        for(const std::filesystem::path& file :
            {given_.json, std::filesystem::path(given_.csv), std::filesystem::path(given_.plot)})
            if(!file.empty())
                value_or_throw(check_writable(file));
        if(!given_.plot.empty())
            value_or_throw(plot(document())); // of nothing: whether Python can
        if(!given_.tune)
            return;
        for(const suite_problem& p : problems_)
        {
            if(!std::filesystem::is_directory(given_.tuned) && p.operation != problems_.front().operation)
                throw rejected(
                    fmt::format("{} would have choices of several operations: name a folder that there is, for a "
                                "file each",
                                given_.tuned.string()));
            value_or_throw(p.operation->check_tuned_table(tuned_file(*p.operation)));
        }
    }

    // Of an operation: below a folder, where the package has those that it is shipped with.
    std::filesystem::path tuned_file(const profiled_operation& op) const
    {
        if(!std::filesystem::is_directory(given_.tuned))
            return given_.tuned;
        const std::filesystem::path folder = given_.tuned / op.name() / "tuned";
        value_or_throw(check_folder(folder));
        return folder / (std::string(dev_.architecture().name) + ".json");
    }

    void open_problems()
    {
        const settings how = {.verify      = given_.verify,
                              .init        = given_.init,
                              .seed        = given_.seed,
                              .time        = given_.time,
                              .repeats     = read_repeats(),
                              .instance    = given_.instance,
                              .splits      = given_.splits,
                              .chosen_only = given_.chosen};
        std::map<const profiled_operation*, std::vector<json>> configurations;
        for(const suite_problem& each : problems_)
        {
            opened_.push_back(each.operation->open(dev_, each.problem, each.type, how));
            for(const candidate& c : opened_.back()->candidates())
                if(c.reason.empty() && !c.fields.empty())
                    configurations[each.operation].push_back(c.fields);
        }
        if(!given_.filter.empty())
            for(const auto& [op, fields] : configurations)
            {
                const std::vector<bool> kept = value_or_throw(filter_configurations(given_.filter, fields));
                for(std::size_t i = 0; i < kept.size(); ++i)
                    if(kept[i])
                        kept_.insert({op, fields[i].dump()});
            }
        for(std::size_t i = 0; i < opened_.size(); ++i)
            for(const candidate& c : opened_[i]->candidates())
                plans_ += is_wanted(problems_[i], c);
    }

    int read_repeats() const
    {
        if(given_.repeats == "auto")
            return 0;
        const auto number = parse_integer("--repeats", given_.repeats);
        if(!number || *number < 1 || *number > 1'000'000)
            throw rejected(
                fmt::format("--repeats must be auto or a number from 1 to 1000000, but is '{}'", given_.repeats));
        return static_cast<int>(*number);
    }

    bool is_wanted(const suite_problem& p, const candidate& c) const
    {
        return c.reason.empty() && (given_.filter.empty() || kept_.contains({p.operation, c.fields.dump()}));
    }

    void measure()
    {
        progress_line line("profiling");
        report_progress(0, plans_);
        std::set<data_type> types;
        if(given_.time)
            for(const auto& each : opened_)
                types.insert(value_of<data_type>(each->problem().at("dtype").get<std::string>()).value());
        measured_limits limits = [&] {
            const watched_progress unwatched({});
            return measured_limits(dev_, operations_, types);
        }();
        profile_.limits = limits.values();
        if(const auto copy = profile_.limits.copy_gb_per_s)
        {
            fmt::print("ceilings of {}: a copy {:.0f} GB/s", dev_.name(), *copy);
            for(const auto& [type, tflops] : profile_.limits.matrix_tflops)
                fmt::print(", {} products {:.1f} TFLOP/s", type, tflops);
            fmt::print("\n");
        }
        for(std::size_t i = 0; i < problems_.size() && interrupted == 0; ++i)
        {
            record& r = profile_.records.emplace_back();
            measure(problems_[i], *opened_[i], r);
            if(interrupted == 0)
                if(const std::string changed = limits.clocks_changed(value_of<data_type>(r.type()).value());
                   !changed.empty())
                    r.notes.push_back(changed);
            finish(r, profile_.limits);
            line.hide();
            fmt::print("{}{}", i == 0 ? "" : "\n", print(r, profile_.limits, given_.all));
            value_or_throw(flush_output());
            if(given_.tune)
                remember(problems_[i], *opened_[i], r);
            opened_[i].reset(); // and its memory
            write_files();
        }
    }

    void measure(const suite_problem& p, profiled_problem& opened, record& r)
    {
        r.operation = p.operation->name(), r.number = p.row, r.layer = p.name;
        r.problem     = opened.problem();
        r.floor_bytes = opened.floor_bytes();
        r.flops       = opened.flops();
        for(std::size_t i = 0; i < opened.candidates().size() && interrupted == 0; ++i)
        {
            const candidate& c = opened.candidates()[i];
            if(!is_wanted(p, c))
            {
                if(r.rejected.empty() || r.rejected.back().id != c.id) // splits of one instance
                    r.rejected.push_back(c);
                if(c.reason.empty())
                    r.rejected.back().reason = "the filter leaves it out";
                continue;
            }
            {
                const watched_progress unwatched({});
                r.rows.push_back({c, opened.measure(i), {}});
            }
            report_progress(++done_, plans_);
        }
    }

    void remember(const suite_problem& p, const profiled_problem& opened, record& r) const
    {
        const row* best = fastest_of(r);
        if(best == nullptr || interrupted != 0)
            return;
        for(std::size_t i = 0; i < opened.candidates().size(); ++i)
            if(const candidate& c = opened.candidates()[i];
               c.reason.empty() && c.instance == best->plan.instance && c.splits == best->plan.splits)
                opened.remember(i, tuned_file(*p.operation));
    }

    json document() const { return to_json(profile_, given_.verify); }

    void write_files() const
    {
        if(!given_.json.empty())
            value_or_throw(write_json(given_.json, document()));
        if(!given_.csv.empty())
            value_or_throw(replace_file(given_.csv, to_csv(profile_)));
    }

    // Of many problems, how good what is chosen is.
    void summarize() const
    {
        if(problems_.size() < 2 || !given_.time)
            return;
        int compared = 0, near_by_cost = 0, near_as_chosen = 0;
        for(const record& r : profile_.records)
        {
            const row *best = fastest_of(r), *own = chosen_of(r, &candidate::chosen),
                      *by_cost = chosen_of(r, &candidate::chosen_by_cost);
            const auto near    = [&](const row* which) {
                return which != nullptr && which->result.time &&
                       which->result.time->median <= near_the_fastest * best->result.time->median;
            };
            if(best == nullptr)
                continue;
            ++compared;
            near_by_cost += near(by_cost);
            near_as_chosen += near(own);
        }
        fmt::print(
            "\n{} plans of {} problems; the plan is within 10% of the fastest for {} of {}, by cost alone for {}\n",
            done_, profile_.records.size(), near_as_chosen, compared, near_by_cost);
    }

    int verdict() const
    {
        int wrong = 0;
        for(const record& r : profile_.records)
            for(const row& each : r.rows)
                wrong += !each.result.error.empty() || (each.result.verified && !each.result.verified->found.passed());
        if(interrupted != 0)
            return fail(program_name,
                        fmt::format("interrupted: {} of {} plans were measured{}", done_, plans_,
                                    given_.json.empty() ? "" : fmt::format(", which {} has", given_.json.string())),
                        stopped);
        if(done_ == 0)
            return fail(program_name,
                        fmt::format("nothing was measured, as no instance can compute what was asked for{}",
                                    given_.all ? "" : ": --all says why"));
        if(wrong > 0)
            return fail(program_name, fmt::format("{} of {} plans are wrong or failed: see their notes", wrong, done_),
                        wrong_result);
        return success;
    }

    const request& given_;
    std::vector<suite_problem> problems_;
    std::span<const profiled_operation* const> operations_;
    device dev_;
    std::vector<std::unique_ptr<profiled_problem>> opened_;            // one for each problem
    std::set<std::pair<const profiled_operation*, std::string>> kept_; // configurations, by the filter
    std::int64_t plans_ = 0, done_ = 0;
    profile profile_;
};

int profile_operations(int argc, char** argv, std::span<const profiled_operation* const> operations)
{
    const std::string word = argc < 2 ? "--help" : argv[1];
    const std::string all  = names_of(operations);
    if(word == "--help" || word == "-h")
    {
        fmt::print("Measures and verifies all instances of an operation that support a problem.\n\n"
                   "  {0} OPERATION [arguments of the operation's program] [options]\n"
                   "  {0} OPERATION|all [verify init time] --suite FILE [options]\n\n"
                   "  {0} OPERATION --help says what there is to say of each: {1}\n",
                   program_name, all);
        return argc < 2 ? int(not_supported) : int(success);
    }
    std::vector<const profiled_operation*> asked;
    for(const profiled_operation* op : operations)
        if(word == op->name() || word == "all")
            asked.push_back(op);
    if(asked.empty())
        throw rejected(fmt::format("'{}' is not an operation: choose from {}, or all of a suite", word, all));

    request given;
    given.verify             = verification::reference_kernel;
    given.init               = fill::decimals;
    given.time               = true;
    const std::string called = fmt::format("{} {}", program_name, word);
    const bool of_suite      = std::any_of(argv + 2, argv + argc, [](const char* each) {
        return std::string_view(each) == "--suite" || std::string_view(each).starts_with("--suite=");
    });
    std::vector<suite_problem> problems;
    if(of_suite || word == "all")
    {
        const std::string about = "Measures every instance that supports a problem of a suite, and verifies it.\n\n"
                                  "  " +
                                  called + " [verify init time] --suite FILE\n";
        job_parser parser(given, {about.c_str(), called.c_str(), false, false});
        add_options(parser, given);
        parser.add_text("rows", given.rows, "only these of the suite, parted by commas");
        parser.add_text("dtype", given.dtypes, "only these, parted by commas; else those of the row, or fp16,bf16");
        parser.add_text("layout", given.layouts, "only problems of these, parted by commas");
        value_or_throw(parser.parse(argc - 1, argv + 1));
        if(given.help.empty())
        {
            if(!parser.problem_numbers().empty())
                throw rejected("the problems are those of the suite: give no more numbers than verify, init and time");
            if(given.suite.empty())
                throw rejected("all operations have the problems of a suite: give --suite FILE");
            problems = value_or_throw(read_suite(given.suite, asked, given.rows_of_suite()));
        }
    }
    else
    {
        const json problem = asked.front()->parse(
            given, called, [&](job_parser& parser) { add_options(parser, given); }, argc - 1, argv + 1);
        problems.push_back({asked.front(), "", "", problem, data_type::fp16});
    }
    if(!given.help.empty())
    {
        fmt::print("{}", given.help);
        return success;
    }
    if(!given.tuned.empty() && !given.tune)
        throw rejected("--tuned says where --tune writes to: give --tune too");
    return profile_run(given, std::move(problems), operations).run();
}

} // namespace

int main_of(int argc, char** argv, std::span<const profiled_operation* const> operations)
{
    return run_program(program_name, [&] { return profile_operations(argc, argv, operations); });
}

} // namespace ck_tile::profiler

// SPDX-License-Identifier: MIT
// The command line of a program that runs one operation: options that all have, options and numbers of the problem's fields.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "ops/problem_fields.hpp"
#include "ops/program/command_line.hpp"
#include "ops/program/job.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ck_tile::program
{

// What the help says, and which options there are.
struct job_help
{
    const char* about;
    const char* program;
    bool splits; // whether the operation splits a reduction
    bool files;  // whether tensors may come from files, and go to them
};

// The part that does not depend on the operation. CLI11, which takes the options apart, is in its source alone: it takes a second
// to compile.
class job_parser
{
  public:
    job_parser(job& given, const job_help& help);
    ~job_parser();

    // Options of a problem's fields, called --<name>. What is given is in the value, or stays what it was.
    void add_text(const std::string& name, std::string& value, const std::string& help);
    void add_flag(const std::string& name, bool& value, const std::string& help = "");
    void add_real(const std::string& name, float& value);

    // Fills in the job. When it asks for help, nothing else is read.
    status parse(int argc, const char* const* argv);

    std::span<const std::string> problem_numbers() const; // those after verify, init and time

  private:
    status read_numbers();
    status read_options();

    struct options;

    job& given_;
    std::unique_ptr<options> options_;
    std::vector<std::string> numbers_;
    std::string seed_, splits_ = "auto";
};

// Reads numbers from the front of the list and keeps the first rejection, so that a caller asks once, at the end.
class number_reader
{
  public:
    explicit number_reader(std::span<const std::string> texts) : texts_(texts) {}

    std::int64_t next(const std::string& name, std::int64_t least, std::int64_t most);
    std::int64_t next(const std::string& name); // any number: the operation's validate() says what is wrong with it

    const status& verdict() const { return verdict_; }

  private:
    void refuse(const std::string& reason);

    std::span<const std::string> texts_;
    status verdict_;
};

namespace detail
{

// The visitors of a problem's fields (ops/problem_fields.hpp): each does what a command line needs of one kind of field.
struct ignore_fields
{
    void number(const char*, auto&) {}
    void rank(const char*, auto&, int, int) {}
    void list(const char*, auto&, int, std::initializer_list<const char*> = {}) {}
    void sized_list(const char*, auto&, auto&, std::initializer_list<const char*> = {}) {}
    void choice(const char*, auto&) {}
    void flag(const char*, auto&) {}
    void real(const char*, auto&) {}
};

inline std::string entry_name(const char* name, int i, std::initializer_list<const char*> names)
{
    return i < static_cast<int>(names.size()) ? names.begin()[i] : fmt::format("{}[{}]", name, i);
}

struct add_options : ignore_fields
{
    job_parser& parser;
    std::map<std::string, std::string>& texts;
    add_options(job_parser& to, std::map<std::string, std::string>& given) : parser(to), texts(given) {}

    template <class Enum>
    void choice(const char* name, Enum& value)
    {
        parser.add_text(name, texts[name] = name_of(value), choices<Enum>(choosable));
    }
    void flag(const char* name, bool& value) { parser.add_flag(name, value); }
    void real(const char* name, float& value) { parser.add_real(name, value); }
};

struct read_choices : ignore_fields
{
    const std::map<std::string, std::string>& texts;
    status verdict = {};
    explicit read_choices(const std::map<std::string, std::string>& given) : texts(given) {}

    template <class Enum>
    void choice(const char* name, Enum& value)
    {
        const auto read = parse_choice<Enum>(fmt::format("--{}", name), texts.at(name), choosable);
        if(read)
            value = *read;
        else if(verdict)
            verdict = rejection{read.reason()};
    }
};

struct list_names : ignore_fields
{
    std::vector<std::string> names;

    void number(const char* name, auto&) { names.push_back(name); }
    void rank(const char* name, auto&, int, int) { names.push_back(name); }
    void list(const char* name, auto&, int count, std::initializer_list<const char*> labels = {})
    {
        for(int i = 0; i < count; ++i)
            names.push_back(entry_name(name, i, labels));
    }
    void sized_list(const char* name, auto& values, auto& count, std::initializer_list<const char*> labels = {})
    {
        list(name, values, count, labels);
    }
};

struct list_groups : ignore_fields
{
    std::vector<std::string> names;

    void number(const char* name, auto&) { names.push_back(name); }
    void rank(const char* name, auto&, int, int) { names.push_back(name); }
    void list(const char* name, auto&, int, std::initializer_list<const char*> = {})
    {
        names.push_back(fmt::format("<{}>", name));
    }
    void sized_list(const char* name, auto& values, auto& count, std::initializer_list<const char*> = {})
    {
        list(name, values, count);
    }
};

// The first number, where that is the rank: how many others there are depends on it.
struct read_rank : ignore_fields
{
    number_reader numbers;
    explicit read_rank(std::span<const std::string> texts) : numbers(texts) {}
    void rank(const char* name, auto& value, int least, int most)
    {
        value = static_cast<int>(numbers.next(name, least, most));
    }
};

struct read_numbers : ignore_fields
{
    number_reader numbers;
    explicit read_numbers(std::span<const std::string> texts) : numbers(texts) {}

    void number(const char* name, auto& value) { value = numbers.next(name); }
    void rank(const char* name, auto& value, int least, int most)
    {
        value = static_cast<int>(numbers.next(name, least, most));
    }
    void list(const char* name, auto& values, int count, std::initializer_list<const char*> labels = {})
    {
        for(int i = 0; i < count; ++i)
            values[static_cast<std::size_t>(i)] = numbers.next(entry_name(name, i, labels));
    }
    void sized_list(const char* name, auto& values, auto& count, std::initializer_list<const char*> labels = {})
    {
        list(name, values, count, labels);
    }
};

// Reads a problem's numbers, if there are any.
template <class Problem>
status read_problem(Problem& p, std::span<const std::string> texts)
{
    if(texts.empty())
        return {};
    read_rank first(texts);
    visit_fields(p, first);
    if(!first.numbers.verdict())
        return first.numbers.verdict();
    list_names wanted;
    visit_fields(p, wanted);
    if(texts.size() != wanted.names.size())
        return rejection{fmt::format("a problem needs {} numbers after verify, init and time ({}), but {} {} given",
                                     wanted.names.size(), fmt::join(wanted.names, " "), texts.size(),
                                     texts.size() == 1 ? "is" : "are")};
    read_numbers all(texts);
    visit_fields(p, all);
    return all.numbers.verdict();
}

} // namespace detail

template <class Problem>
struct arguments : job
{
    Problem problem;
};

// What command lines call the numbers of a problem: "N", "<input>" of several.
template <class Problem>
std::vector<std::string> names_of_numbers(Problem p)
{
    detail::list_groups all;
    visit_fields(p, all);
    return all.names;
}

// The arguments, with a valid problem, or which of them is wrong and why. Without numbers, the problem is `usual`; what else is not
// given is as in `defaults`. `add` adds options to the parser's.
template <class Problem>
result<arguments<Problem>> parse_arguments(const job_help& help, const Problem& usual, int argc,
                                           const char* const* argv, const job& defaults = {},
                                           const std::function<void(job_parser&)>& add = {})
{
    arguments<Problem> given{defaults, usual};
    job_parser parser(given, help);
    if(add)
        add(parser);
    std::map<std::string, std::string> texts;
    visit_fields(given.problem, detail::add_options(parser, texts));
    if(status read = parser.parse(argc, argv); !read)
        return rejection{read.reason()};
    if(!given.help.empty())
        return given;
    if(status read = detail::read_problem(given.problem, parser.problem_numbers()); !read)
        return rejection{read.reason()};
    detail::read_choices choice(texts);
    visit_fields(given.problem, choice);
    if(!choice.verdict)
        return rejection{choice.verdict.reason()};
    if(status valid = validate(given.problem); !valid)
        return rejection{valid.reason()};
    return given;
}

} // namespace ck_tile::program

// SPDX-License-Identifier: MIT
#include "examples/support/program.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/tensor_file.hpp"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <new>
#include <stdexcept>

namespace ck_tile::examples
{

namespace
{

std::filesystem::path file_of(const std::filesystem::path& folder, const named_tensor& tensor)
{
    return folder / (tensor.name + ".npy");
}

} // namespace

const char* name_of(verification how)
{
    switch(how)
    {
    case verification::none: return "nothing";
    case verification::cpu: return "the fp64 reference on the CPU";
    case verification::reference_kernel: return "the reference kernel on the target";
    }
    return "unknown";
}

std::int64_t number_reader::next(const std::string& what, std::int64_t least, std::int64_t most)
{
    const result<std::int64_t> number = parse_integer(what, texts_.front());
    texts_                            = texts_.subspan(1);
    if(!number)
        refuse(number.reason());
    else if(*number < least || *number > most)
        refuse(fmt::format("{} must be from {} to {}, but is {}", what, least, most, *number));
    return number && verdict_ ? *number : least;
}

void number_reader::refuse(const std::string& reason)
{
    if(verdict_)
        verdict_ = rejection{reason};
}

status parse_common(CLI::App& app, int argc, const char* const* argv, const std::string& inputs, const std::string& all,
                    common_arguments& given, std::vector<std::string>& numbers)
{
    std::string seed = fmt::to_string(given.seed);
    app.add_option("numbers", numbers, "as above");
    app.add_option(
           "--target", given.target,
           "auto, hip, cuda, host, or the CPU in an architecture's shape: host:gfx90a, host:gfx942, host:gfx11, "
           "host:sm90")
        ->capture_default_str();
    app.add_option("--instance", given.instance,
                   "the kernel to use, by its name; list: print all and what they support");
    app.add_option("--seed", seed, "of the random numbers")->capture_default_str();
    app.add_option("--load", given.load, fmt::format("folder to read {} from", inputs));
    app.add_option("--dump", given.dump, fmt::format("folder to write {} to", all));
    app.add_option("--json", given.json, "file to write problem, timing and verification to");
    try
    {
        app.parse(argc, argv);
    }
    catch(const CLI::CallForHelp&)
    {
        given.help = app.help();
        return {};
    }
    catch(const CLI::ParseError& error)
    {
        return rejection{fmt::format("{}: see --help", error.what())};
    }
    given.list_instances              = given.instance == "list";
    const result<std::int64_t> number = parse_integer("--seed", seed);
    if(!number || *number < 0)
        return rejection{number ? fmt::format("--seed must not be negative, but is {}", seed) : number.reason()};
    given.seed = static_cast<std::uint64_t>(*number);

    constexpr std::size_t leading = 3; // verify init time
    if(numbers.empty())
        return {};
    if(numbers.size() < leading)
        return rejection{fmt::format("expected no numbers, 3 (verify init time) or 3 and a problem, but {} {} given",
                                     numbers.size(), numbers.size() == 1 ? "is" : "are")};
    number_reader front(numbers);
    given.verify = static_cast<verification>(front.next("verify", 0, 2));
    given.init   = static_cast<fill>(front.next("init", 0, 2));
    given.time   = front.next("time", 0, 1) == 1;
    numbers.erase(numbers.begin(), numbers.begin() + leading);
    return front.verdict();
}

std::int64_t named_tensor::count() const
{
    std::int64_t all = 1;
    for(const std::int64_t length : lengths)
        all *= length;
    return all;
}

std::vector<float> named_tensor::values() const { return decode(type, elements); }
void named_tensor::set(const std::vector<float>& values) { elements = encode(type, values); }

status check_folder_holds(const std::filesystem::path& folder, const std::vector<named_tensor*>& tensors)
{
    for(const named_tensor* t : tensors)
        if(status s = check_tensor_file(file_of(folder, *t), t->type, t->lengths); !s)
            return s;
    return {};
}

status load_tensors(const std::filesystem::path& folder, const std::vector<named_tensor*>& tensors)
{
    for(named_tensor* t : tensors)
    {
        auto loaded = load_tensor(file_of(folder, *t), t->type, t->lengths);
        if(!loaded)
            return rejection{loaded.reason()};
        t->elements = std::move(*loaded);
    }
    return {};
}

status dump_tensors(const std::filesystem::path& folder, const std::vector<const named_tensor*>& tensors)
{
    for(const named_tensor* t : tensors)
        if(status s = dump_tensor(file_of(folder, *t), t->type, t->lengths, t->elements); !s)
            return s;
    return {};
}

std::string describe_tensor(const named_tensor& tensor)
{
    std::vector<std::int64_t> strides(tensor.lengths.size());
    std::int64_t stride = 1;
    for(std::size_t d = strides.size(); d-- > 0; stride *= tensor.lengths[d])
        strides[d] = stride;
    return describe_tensor(tensor.name, tensor.lengths, strides);
}

nlohmann::ordered_json json_of(const comparison& found, const std::vector<std::int64_t>& lengths)
{
    return {{"passed", found.passed()},
            {"elements", found.elements},
            {"failures", found.failures},
            {"worst",
             {{"index", place_of(found.worst, lengths)},
              {"expected", found.expected},
              {"actual", found.actual},
              {"error", found.error},
              {"bound", found.bound}}}};
}

status write_json(const std::filesystem::path& file, const nlohmann::ordered_json& report)
{
    std::ofstream to(file);
    to << report.dump(2) << '\n';
    to.close();
    return to ? status{} : rejection{fmt::format("{} cannot be written: choose another path", file.string())};
}

int run_program(const char* name, const std::function<int()>& program)
{
    constexpr const char* no_memory = "there is not enough memory for this problem: choose a smaller one";
    try
    {
        return program();
    }
    catch(const std::bad_alloc&)
    {
        return fail(name, no_memory);
    }
    catch(const std::length_error&) // a std::vector larger than any memory
    {
        return fail(name, no_memory);
    }
    catch(const std::exception& error) // a rejection, or what the system refuses, such as one more thread
    {
        return fail(name, error.what());
    }
}

} // namespace ck_tile::examples

// SPDX-License-Identifier: MIT
#include "ops/profiler/python.hpp"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

extern char** environ;

namespace ck_tile::profiler
{
namespace
{

namespace fs = std::filesystem;

// A file in memory, to be read or written by another program.
class memory_file
{
  public:
    explicit memory_file(const std::string& content = "") : number_(memfd_create("profiler", MFD_CLOEXEC))
    {
        for(std::size_t at = 0; at < content.size();)
        {
            const ssize_t count = write(number_, content.data() + at, content.size() - at);
            if(count < 0)
                break;
            at += static_cast<std::size_t>(count);
        }
        lseek(number_, 0, SEEK_SET);
    }
    memory_file(const memory_file&)            = delete;
    memory_file& operator=(const memory_file&) = delete;
    ~memory_file() { close(number_); }

    int number() const { return number_; }

    std::string content() const
    {
        std::string text;
        std::array<char, 4096> some;
        lseek(number_, 0, SEEK_SET);
        for(ssize_t count = 1; (count = read(number_, some.data(), some.size())) > 0;)
            text.append(some.data(), static_cast<std::size_t>(count));
        return text;
    }

  private:
    int number_;
};

// The package's scripts: where they are installed, or built, beside the folder of this program.
fs::path script(const char* name)
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "share" / "ck_tile" / "profiler" /
           name;
}

// What the script writes for an input. Where it ends with an error, the last line that it says of it.
result<std::string> run_python(const char* name, const std::vector<std::string>& arguments, const std::string& input)
{
    std::vector<std::string> words = {"python3", script(name).string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::error_code error;
    if(!fs::is_regular_file(words[1], error))
        return rejection{
            fmt::format("{} is missing: install the package's share folder beside its programs", words[1])};
    std::vector<char*> pointers;
    for(std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);

    const memory_file in(input), out, errors;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for(const auto& [own, standard] : {std::pair(in.number(), STDIN_FILENO), std::pair(out.number(), STDOUT_FILENO),
                                       std::pair(errors.number(), STDERR_FILENO)})
        posix_spawn_file_actions_adddup2(&actions, own, standard);
    pid_t child       = 0;
    const int spawned = posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if(spawned != 0)
        return rejection{
            fmt::format("python3 cannot be run ({}): install it", std::generic_category().message(spawned))};
    int ended = 0;
    while(waitpid(child, &ended, 0) < 0 && errno == EINTR)
    {
    }
    if(WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return out.content();
    std::string said = errors.content();
    said.erase(said.find_last_not_of('\n') + 1);
    said.erase(0, said.rfind('\n') + 1);
    return rejection{said.empty() ? fmt::format("{} did not end well", words[1]) : said};
}

} // namespace

result<std::vector<bool>> filter_configurations(const std::string& expression, const std::vector<json>& configurations)
{
    const auto answer = run_python("filter_configurations.py", {expression}, json(configurations).dump());
    if(!answer)
        return rejection{answer.reason()};
    return json::parse(*answer).get<std::vector<bool>>();
}

result<std::string> plot(const json& profile) { return run_python("plot_profile.py", {}, profile.dump()); }

} // namespace ck_tile::profiler

// SPDX-License-Identifier: MIT
// Command lines of programs, a word a line: taken apart, or rejected with a reason.
#include "ops/grouped_conv/problem.hpp"
#include "ops/maxpool/problem.hpp"
#include "ops/program/job_parser.hpp"

#include <cstdlib>

namespace
{

template <class Problem>
void parse(const std::vector<const char*>& words)
{
    const auto given = ck_tile::program::parse_arguments({"about", "program", true}, Problem{},
                                                         static_cast<int>(words.size()), words.data());
    if(!given && given.reason().empty())
        std::abort();
    if(given && given->help.empty() && !validate(given->problem))
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string text = "program\n" + std::string(reinterpret_cast<const char*>(data), size);
    std::vector<const char*> words;
    for(std::size_t at = 0; at < text.size();)
    {
        words.push_back(text.data() + at);
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if(end < text.size())
            text[end] = 0;
        at = end + 1;
    }
    parse<ck_tile::maxpool::problem>(words);
    parse<ck_tile::conv::problem>(words);
    return 0;
}

// SPDX-License-Identifier: MIT
// Tables of tuned choices: read, or rejected with a reason; what has been read is the same when it is written and read again.
#include "ck_tile/runtime/tuned_table.hpp"
#include "tests/fuzz/file_of_bytes.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using ck_tile::tuned_choice, ck_tile::tuned_table;
    const auto accept = [](tuned_choice& c) {
        return c.splits > 100 ? ck_tile::status(ck_tile::rejection{"too many splits"}) : ck_tile::status{};
    };
    const ck_tile::fuzz::file_of_bytes file(data, size);
    const auto table = tuned_table::load(file.path(), "operation", accept);
    if(!table)
    {
        if(table.reason().empty())
            std::abort();
        return 0;
    }
    static const auto copy = std::filesystem::temp_directory_path() / ("tuned_table_fuzz." + std::to_string(getpid()));
    if(!table->save(copy))
        std::abort();
    const auto again = tuned_table::load(copy, "operation", accept);
    std::filesystem::remove(copy);
    if(!again || again->size() != table->size())
        std::abort();
    return 0;
}

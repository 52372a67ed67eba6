// SPDX-License-Identifier: MIT
// Files that claim to be NumPy's: read, or rejected with a reason; what has been read has as many bytes as its lengths say.
#include "ck_tile/runtime/npy.hpp"
#include "tests/fuzz/file_of_bytes.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const ck_tile::fuzz::file_of_bytes file(data, size);
    const auto header = ck_tile::read_npy_header(file.path());
    if(!header && header.reason().empty())
        std::abort();
    const auto array = ck_tile::read_npy(file.path());
    if(array &&
       (!header || array->data.size() != header->data_bytes || header->data_offset + header->data_bytes > size))
        std::abort();
    return 0;
}

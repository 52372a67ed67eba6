// SPDX-License-Identifier: MIT
// Reads and writes NumPy's .npy files of little-endian float16, float32, uint8, int32 and int64. Reads formats 1.0, 2.0 and 3.0, in C
// and Fortran order; writes 1.0, in C order.
#pragma once

#include "ck_tile/runtime/files.hpp"
#include "ck_tile/runtime/status.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace ck_tile
{

// The element types of files.
enum class npy_type
{
    float16,
    float32,
    uint8,
    int32,
    int64
};

const char* name_of(npy_type type); // as NumPy says

// What a file says that it holds.
struct npy_header
{
    npy_type type;
    std::vector<std::int64_t> lengths;
    bool fortran_order;      // the first index runs fastest
    std::size_t data_offset; // bytes from the start of the file to the first element
    std::size_t data_bytes;
};

// Elements in C order, whatever the file's order is.
struct npy_array
{
    npy_type type;
    std::vector<std::int64_t> lengths;
    std::vector<std::byte> data;
};

// Reads no elements, so it costs nothing to look at a large file before there is memory for it. Rejects files that are
// not such arrays and files whose size is not what their header promises; says what was expected and what was found.
result<npy_header> read_npy_header(const std::filesystem::path& path);

// `accept` is asked of the header before there is memory for elements, and what it rejects is not read.
result<npy_array> read_npy(const std::filesystem::path& path,
                           const std::function<status(const npy_header&)>& accept = {});

// `data` holds as many elements as the lengths say. An existing file is replaced, as a whole (files.hpp): at once, or when the new one is
// put in its place.
result<new_file> new_npy(const std::filesystem::path& path, npy_type type, const std::vector<std::int64_t>& lengths,
                         std::span<const std::byte> data);
status write_npy(const std::filesystem::path& path, npy_type type, const std::vector<std::int64_t>& lengths,
                 std::span<const std::byte> data);

} // namespace ck_tile

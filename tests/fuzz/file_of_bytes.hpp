// SPDX-License-Identifier: MIT
// Bytes as a file, for readers that take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace ck_tile::fuzz
{

// A file in memory that goes when this does.
class file_of_bytes
{
  public:
    file_of_bytes(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("fuzz", 0))
    {
        if(descriptor_ < 0 || write(descriptor_, data, size) != static_cast<ssize_t>(size))
            std::abort();
    }
    ~file_of_bytes() { close(descriptor_); }
    file_of_bytes(const file_of_bytes&)            = delete;
    file_of_bytes& operator=(const file_of_bytes&) = delete;

    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
};

} // namespace ck_tile::fuzz

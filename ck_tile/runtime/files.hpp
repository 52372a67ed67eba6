// SPDX-License-Identifier: MIT
// Files that are read and written as a whole: who reads one finds what it held before or all that is new, whenever the writer is
// ended and however full the disk is.
#pragma once

#include "ck_tile/runtime/status.hpp"

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace ck_tile
{

// What a regular file holds. Rejects folders, pipes and devices, which may have no end.
result<std::string> read_file(const std::filesystem::path& file);

// Rejects a path at which replace_file() would fail, so that no long computation is lost in the end; changes nothing.
status check_writable(const std::filesystem::path& file);

// A file that is to replace another, or to be a new one: written to the disk under a name of its own in the same folder, and removed
// unless put_in_place() renames it.
class new_file
{
  public:
    // For the place of `file`: of a link, of the file that it leads to. A character device is written to at once, as it holds nothing
    // to be kept; folders and pipes are rejected.
    static result<new_file> write(const std::filesystem::path& file,
                                  std::initializer_list<std::span<const std::byte>> content);

    new_file(new_file&& other) noexcept;
    new_file& operator=(new_file&&) = delete;
    ~new_file();

    status put_in_place();

    // Those that belong together. The earlier files go before the first new one comes, so that whenever the program is ended, some of one
    // set are there, or none, but never some of each.
    static status put_in_place(std::span<new_file> together);

  private:
    new_file(std::filesystem::path target, std::filesystem::path written);

    std::filesystem::path target_, written_; // written_ is empty when nothing is left to be done
};

// Puts a file with this content in the place of the one that is there, if any.
status replace_file(const std::filesystem::path& file, std::initializer_list<std::span<const std::byte>> content);
status replace_file(const std::filesystem::path& file, std::string_view text);

// What one program at a time holds, until it is destroyed or the program ends, however it ends: who reads a file, changes what it
// read and replaces the file loses nothing that others do. It is a lock of the file <file>.lock, which stays: were it removed, two
// programs could lock two files of that name.
class file_lock
{
  public:
    static result<file_lock> acquire(const std::filesystem::path& file); // waits for it

    file_lock(file_lock&& other) noexcept;
    file_lock& operator=(file_lock&&) = delete;
    ~file_lock();

  private:
    explicit file_lock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
};

} // namespace ck_tile

// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace ck_tile
{
namespace
{

namespace fs = std::filesystem;

std::string last_error() { return std::generic_category().message(errno); }

rejection not_readable(const fs::path& file, const std::string& why)
{
    return {fmt::format("{} must be a file that can be read ({}): choose another path", file.string(), why)};
}

rejection not_writable(const fs::path& file, const std::string& why)
{
    return {fmt::format("{} must be a file that can be written ({}): choose another path", file.string(), why)};
}

// The file that a link leads to: replaced itself, the link would be gone.
fs::path destination(const fs::path& file)
{
    std::error_code error;
    const fs::path found = fs::canonical(file, error);
    return error ? file : found;
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

class descriptor
{
  public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(const descriptor&)            = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { close(); }

    explicit operator bool() const { return number_ >= 0; }
    int number() const { return number_; }

    // Some filesystems say here, and not before, that there was no room.
    bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

    bool write(std::initializer_list<std::span<const std::byte>> content) const
    {
        for(std::span<const std::byte> bytes : content)
            while(!bytes.empty())
            {
                const ssize_t written = ::write(number_, bytes.data(), bytes.size());
                if(written < 0 && errno != EINTR)
                    return false;
                bytes = bytes.subspan(written < 0 ? 0 : static_cast<std::size_t>(written));
            }
        return true;
    }

  private:
    int number_;
};

// Opens a file that is not there yet, in the folder of another.
int create_beside(const fs::path& file, fs::path& created)
{
    static std::atomic<unsigned> count = 0;
    for(;;)
    {
        created          = folder_of(file) / fmt::format(".ck_tile.{}.{}.tmp", getpid(), count++);
        const int number = open(created.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if(number >= 0 ||
           errno != EEXIST) // an earlier process of this number may have been ended before it renamed its file
            return number;
    }
}

// A name lasts when its folder is on the disk; where that cannot be asked for, it comes to be there a little later.
void synchronize_folder(const fs::path& folder)
{
    if(const descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); opened)
        fsync(opened.number());
}

} // namespace

result<std::string> read_file(const fs::path& file)
{
    std::error_code error;
    const fs::file_status found = fs::status(file, error);
    if(fs::exists(found) && !fs::is_regular_file(found)) // opening a pipe would wait for who writes to it
        return not_readable(file, fs::is_directory(found) ? "it is a folder" : "it is no regular file");
    const descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    std::vector<char> some(1 << 16);
    ssize_t count = opened ? 1 : -1;
    while(count > 0)
    {
        count = read(opened.number(), some.data(), some.size());
        text.append(some.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    if(count < 0)
        return not_readable(file, last_error());
    return text;
}

status check_writable(const fs::path& file)
{
    std::error_code error;
    const fs::path target       = destination(file);
    const fs::file_status found = fs::status(target, error);
    if(fs::is_directory(found))
        return not_writable(file, "it is a folder");
    if(fs::exists(found) && !fs::is_regular_file(found) && !fs::is_character_file(found))
        return not_writable(file, "it is no regular file");
    const bool replaced = !fs::is_character_file(found);
    if((fs::exists(found) && access(target.c_str(), W_OK) != 0) ||
       (replaced && access(folder_of(target).c_str(), W_OK | X_OK) != 0))
        return not_writable(file, last_error());
    if(!fs::status_known(found)) // a name that is too long
        return not_writable(file, error.message());
    return {};
}

result<new_file> new_file::write(const fs::path& file, std::initializer_list<std::span<const std::byte>> content)
{
    if(status possible = check_writable(file); !possible)
        return possible;
    const fs::path target = destination(file);
    if(fs::is_character_file(target))
    {
        descriptor device(open(target.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
        if(device && device.write(content) && device.close())
            return new_file(target, {});
        return not_writable(file, last_error());
    }

    fs::path temporary;
    descriptor fresh(create_beside(target, temporary));
    if(!fresh)
        return not_writable(file, last_error());
    struct stat old = {};
    if(stat(target.c_str(), &old) == 0)
        fchmod(fresh.number(),
               old.st_mode & 0777); // who may read it stays; where it cannot, what is usual for a new file
    if(fresh.write(content) && fsync(fresh.number()) == 0 && fresh.close())
        return new_file(target, temporary);
    const std::string why = last_error();
    unlink(temporary.c_str());
    return not_writable(file, why);
}

new_file::new_file(fs::path target, fs::path written) : target_(std::move(target)), written_(std::move(written)) {}
new_file::new_file(new_file&& other) noexcept
    : target_(std::move(other.target_)), written_(std::exchange(other.written_, {}))
{
}
new_file::~new_file()
{
    if(!written_.empty())
        unlink(written_.c_str());
}

status new_file::put_in_place()
{
    if(written_.empty())
        return {};
    if(rename(written_.c_str(), target_.c_str()) != 0)
        return not_writable(target_, last_error());
    written_.clear();
    synchronize_folder(folder_of(target_));
    return {};
}

status new_file::put_in_place(std::span<new_file> together)
{
    for(const new_file& file : together)
        if(!file.written_.empty() && unlink(file.target_.c_str()) != 0 && errno != ENOENT)
            return not_writable(file.target_, last_error());
    for(new_file& file : together)
        if(status done = file.put_in_place(); !done)
            return done;
    return {};
}

status replace_file(const fs::path& file, std::initializer_list<std::span<const std::byte>> content)
{
    result<new_file> written = new_file::write(file, content);
    return written ? written->put_in_place() : written.verdict();
}

status replace_file(const fs::path& file, std::string_view text)
{
    return replace_file(file, {std::as_bytes(std::span(text))});
}

result<file_lock> file_lock::acquire(const fs::path& file)
{
    const fs::path locked = destination(file).concat(".lock");
    const int number      = open(locked.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if(number < 0)
        return not_writable(locked, last_error());
    file_lock lock(number);
    while(flock(number, LOCK_EX) != 0)
        if(errno != EINTR)
            return not_writable(locked, last_error());
    return lock;
}

file_lock::file_lock(file_lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

file_lock::~file_lock()
{
    if(descriptor_ >= 0)
        close(descriptor_);
}

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// Files are replaced as a whole or not at all, whoever reads them meanwhile and however the writer ends.
#include "ck_tile/runtime/files.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ck_tile
{
namespace
{

namespace fs = std::filesystem;

class files : public testing::Test
{
  protected:
    files()
        : folder(fs::path(testing::TempDir()) / ("files_test_" + std::to_string(getpid()) +
                                                 testing::UnitTest::GetInstance()->current_test_info()->name())),
          file(folder / "file")
    {
        fs::create_directories(folder);
    }
    ~files() override { fs::remove_all(folder); }

    std::size_t files_in_folder() const
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
    }

    void expect_not_writable(const fs::path& path, const std::string& why) const
    {
        const std::string expected =
            path.string() + " must be a file that can be written (" + why + "): choose another path";
        EXPECT_EQ(check_writable(path).reason(), expected);
        EXPECT_EQ(replace_file(path, "text").reason(), expected);
    }

    fs::path folder, file;
};

TEST_F(files, that_are_not_put_in_place_change_nothing)
{
    const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
    ASSERT_TRUE(replace_file(file, "old"));
    {
        auto dropped = new_file::write(file, {bytes("dropped")});
        ASSERT_TRUE(dropped) << dropped.reason();
        EXPECT_EQ(*read_file(file), "old");
        EXPECT_EQ(files_in_folder(), 2u);
    }
    EXPECT_EQ(files_in_folder(), 1u);
    auto next = new_file::write(file, {bytes("ne"), bytes("xt")});
    ASSERT_TRUE(next) << next.reason();
    new_file moved = std::move(*next);
    ASSERT_TRUE(moved.put_in_place());
    EXPECT_EQ(*read_file(file), "next");
    EXPECT_TRUE(moved.put_in_place()) << "again, it does nothing";
    EXPECT_EQ(*read_file(file), "next");
    EXPECT_EQ(files_in_folder(), 1u);
}

// Where the last one cannot take its place, as where the program is ended before, none of the earlier ones is left beside a new one.
TEST_F(files, that_belong_together_are_of_one_set)
{
    const auto bytes    = [](std::string_view text) { return std::as_bytes(std::span(text)); };
    const fs::path last = folder / "last";
    const auto put      = [&](std::string_view text, bool last_is_folder) {
        std::vector<new_file> together;
        for(const fs::path& each : {file, last})
            together.push_back(std::move(*new_file::write(each, {bytes(text)})));
        if(last_is_folder)
        {
            fs::remove(last);
            fs::create_directory(last);
        }
        return new_file::put_in_place(together);
    };
    ASSERT_TRUE(put("old", false));
    ASSERT_TRUE(put("next", false));
    EXPECT_EQ(*read_file(file), "next");
    EXPECT_EQ(*read_file(last), "next");
    EXPECT_TRUE(put("third", true).reason().starts_with(last.string() + " must be a file that can be written"));
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(files_in_folder(), 1u) << "the folder; nothing new is left";
}

TEST_F(files, are_replaced)
{
    ASSERT_TRUE(check_writable(file));
    EXPECT_FALSE(fs::exists(file)) << "a check changes nothing";
    for(const std::string text : {"first", "", "a third one\n"})
    {
        const status replaced = replace_file(file, text);
        ASSERT_TRUE(replaced) << replaced.reason();
        EXPECT_EQ(*read_file(file), text);
    }
    EXPECT_EQ(files_in_folder(), 1u);

    const std::string a = "two ", b = "pieces";
    ASSERT_TRUE(replace_file(file, {std::as_bytes(std::span(a)), std::as_bytes(std::span(b))}));
    EXPECT_EQ(*read_file(file), "two pieces");
}

TEST_F(files, keep_their_modes_and_links)
{
    ASSERT_TRUE(replace_file(file, "old"));
    fs::permissions(file, fs::perms(0640));
    fs::create_symlink("file", folder / "link");
    ASSERT_TRUE(replace_file(folder / "link", "new"));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(*read_file(file), "new");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
}

TEST_F(files, that_are_none)
{
    expect_not_writable(folder, "it is a folder");
    expect_not_writable(folder / "none" / "file", "No such file or directory");
    expect_not_writable(folder / std::string(1000, 'x'), "File name too long");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0666), 0);
    expect_not_writable(folder / "pipe", "it is no regular file"); // and nobody waits for a reader
    EXPECT_EQ(files_in_folder(), 1u);

    const auto expect_not_readable = [](const fs::path& path, const std::string& why) {
        EXPECT_EQ(read_file(path).reason(),
                  path.string() + " must be a file that can be read (" + why + "): choose another path");
    };
    expect_not_readable(file, "No such file or directory");
    expect_not_readable(folder, "it is a folder");
    expect_not_readable(folder / "pipe", "it is no regular file");
    expect_not_readable("/dev/zero", "it is no regular file");
}

TEST_F(files, devices_are_written_to)
{
    EXPECT_TRUE(replace_file("/dev/null", "text"));
    EXPECT_EQ(replace_file("/dev/full", "text").reason(),
              "/dev/full must be a file that can be written (No space left on device): choose another path");
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// As on a full disk: the process may write files of 1000 bytes.
TEST_F(files, are_as_they_were_where_there_is_no_room)
{
    ASSERT_TRUE(replace_file(file, "old"));
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before      = {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit little = {1000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    const status written = replace_file(file, std::string(2000, 'x'));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, ignored);
    EXPECT_EQ(written.reason(),
              file.string() + " must be a file that can be written (File too large): choose another path");
    EXPECT_EQ(*read_file(file), "old");
    EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(files, are_whole_at_any_time)
{
    const std::string a(100'000, 'a'), b(300'000, 'b');
    ASSERT_TRUE(replace_file(file, a));
    std::atomic<bool> done = false;
    std::thread writer([&] {
        for(int i = 0; i < 100; ++i)
            EXPECT_TRUE(replace_file(file, i % 2 == 0 ? b : a));
        done = true;
    });
    while(!done)
    {
        const result<std::string> read = read_file(file);
        EXPECT_TRUE(read && (*read == a || *read == b));
    }
    writer.join();
    EXPECT_EQ(files_in_folder(), 1u);
}

// A process that is killed while it writes leaves the old file or the new one.
TEST_F(files, are_whole_when_their_writer_is_killed)
{
    const std::string a(100'000, 'a'), b(300'000, 'b');
    ASSERT_TRUE(replace_file(file, a));
    for(int i = 0; i < 20; ++i)
    {
        const pid_t writer = fork();
        if(writer == 0)
            for(;;)
                if(!replace_file(file, b) || !replace_file(file, a))
                    _exit(1);
        usleep(2000 + 500 * i);
        kill(writer, SIGKILL);
        int ended = 0;
        ASSERT_EQ(waitpid(writer, &ended, 0), writer);
        EXPECT_TRUE(WIFSIGNALED(ended));
        const result<std::string> read = read_file(file);
        EXPECT_TRUE(read && (*read == a || *read == b));
    }
}

TEST_F(files, locks_let_one_at_a_time_in)
{
    ASSERT_TRUE(replace_file(file, ""));
    std::atomic<int> inside = 0;
    const auto lengthen     = [&] {
        for(int i = 0; i < 25; ++i)
        {
            const result<file_lock> lock = file_lock::acquire(file);
            ASSERT_TRUE(lock) << lock.reason();
            EXPECT_EQ(++inside, 1);
            ASSERT_TRUE(replace_file(file, *read_file(file) + "x"));
            --inside;
        }
    };
    std::thread other(lengthen);
    lengthen();
    other.join();
    EXPECT_EQ(read_file(file)->size(), 50u);
    EXPECT_EQ(file_lock::acquire(folder / "none" / "file").reason(),
              (folder / "none" / "file.lock").string() +
                  " must be a file that can be written (No such file or directory): choose another path");
}

} // namespace
} // namespace ck_tile

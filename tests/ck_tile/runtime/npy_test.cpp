// SPDX-License-Identifier: MIT
// Round trips of .npy files, the bytes that NumPy itself writes, and every way in which a file can be wrong.
#include "ck_tile/runtime/npy.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace ck_tile
{

namespace
{

namespace fs = std::filesystem;
using namespace std::string_literals;
using lengths = std::vector<std::int64_t>;

std::vector<std::byte> counting_bytes(std::size_t count)
{
    std::vector<std::byte> bytes(count);
    for(std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::byte>(i * 7 + 1);
    return bytes;
}

// A file as format 1.0 has it, around any dictionary.
std::string file_of(const std::string& dictionary, std::size_t data_bytes)
{
    return "\x93NUMPY\x01\x00"s + static_cast<char>(dictionary.size() & 0xff) +
           static_cast<char>(dictionary.size() >> 8) + dictionary + std::string(data_bytes, '\x01');
}

class npy : public testing::Test
{
  protected:
    npy()
        : folder_(fs::path(testing::TempDir()) / ("npy_test_" + std::to_string(getpid()) +
                                                  testing::UnitTest::GetInstance()->current_test_info()->name())),
          file_(folder_ / "array.npy")
    {
        fs::create_directories(folder_);
    }
    ~npy() override { fs::remove_all(folder_); }

    void save(std::string_view content) const { std::ofstream(file_, std::ios::binary) << content; }

    std::string saved() const
    {
        std::ifstream file(file_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    // Rejected by both ways of reading, with a text that names the file.
    void expect_rejection(std::string_view content, std::string_view reason) const
    {
        save(content);
        const std::string expected = file_.string() + ": " + std::string(reason);
        EXPECT_EQ(read_npy_header(file_).reason(), expected);
        EXPECT_EQ(read_npy(file_).reason(), expected);
    }

    fs::path folder_;
    fs::path file_;
};

TEST_F(npy, reads_what_it_writes)
{
    for(const auto& [type, element_bytes] : {std::pair{npy_type::float16, 2},
                                             {npy_type::float32, 4},
                                             {npy_type::uint8, 1},
                                             {npy_type::int32, 4},
                                             {npy_type::int64, 8}})
    {
        for(const lengths& shape : {lengths{}, lengths{5}, lengths{2, 3, 4}, lengths{0, 7}, lengths{1, 1, 1, 1, 1, 1}})
        {
            auto bytes = static_cast<std::size_t>(element_bytes);
            for(const std::int64_t length : shape)
                bytes *= length;
            const std::vector<std::byte> data = counting_bytes(bytes);
            const status written              = write_npy(file_, type, shape, data);
            ASSERT_TRUE(written) << written.reason();
            const result<npy_array> read = read_npy(file_);
            ASSERT_TRUE(read) << read.reason();
            EXPECT_EQ(read->type, type);
            EXPECT_EQ(read->lengths, shape);
            EXPECT_EQ(read->data, data);

            const result<npy_header> header = read_npy_header(file_);
            ASSERT_TRUE(header) << header.reason();
            EXPECT_EQ(header->lengths, shape);
            EXPECT_EQ(header->data_offset % 64, 0u);
            EXPECT_EQ(header->data_bytes, bytes);
        }
    }
}

TEST_F(npy, writes_the_format)
{
    ASSERT_TRUE(write_npy(file_, npy_type::float16, {2, 3}, counting_bytes(12)));
    const std::string content = saved();
    ASSERT_EQ(content.size(), 128u + 12u);
    EXPECT_EQ(content.substr(0, 10), "\x93NUMPY\x01\x00\x76\x00"s);
    EXPECT_TRUE(content.substr(10).starts_with("{'descr': '<f2', 'fortran_order': False, 'shape': (2,3,), }  "));
    EXPECT_EQ(content[127], '\n');
}

TEST_F(npy, reads_what_numpy_writes)
{
    // numpy.save("array.npy", numpy.ones((2, 3), numpy.float32)) of NumPy 1.24
    const std::string dictionary =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + std::string(58, ' ') + "\n";
    save(file_of(dictionary, 24));
    const result<npy_array> read = read_npy(file_);
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(read->type, npy_type::float32);
    EXPECT_EQ(read->lengths, (lengths{2, 3}));

    const std::string size = {static_cast<char>(dictionary.size()), 0, 0, 0};
    for(const char version : {'\x02', '\x03'}) // in 3.0, names of fields may have letters beyond Latin-1
    {
        save("\x93NUMPY"s + version + '\x00' + size + dictionary + std::string(24, '\x01'));
        const result<npy_array> later = read_npy(file_);
        ASSERT_TRUE(later) << later.reason();
        EXPECT_EQ(later->lengths, (lengths{2, 3}));
    }
}

// numpy.save() of an array like numpy.zeros((2, 3, 4), order="F").
TEST_F(npy, reads_fortran_order)
{
    const auto value = [](int i, int j, int k) { return static_cast<char>(100 * i + 10 * j + k); };
    for(const auto& [descr, bytes] : {std::pair{"|u1", 1}, {"<f2", 2}, {"<i4", 4}, {"<i8", 8}})
    {
        std::string in_file = file_of("{'descr': '"s + descr + "', 'fortran_order': True, 'shape': (2, 3, 4), }", 0);
        std::string expected;
        for(int k = 0; k < 4; ++k)
            for(int j = 0; j < 3; ++j)
                for(int i = 0; i < 2; ++i)
                    in_file += std::string(bytes - 1, '\x7f') + value(i, j, k);
        for(int i = 0; i < 2; ++i)
            for(int j = 0; j < 3; ++j)
                for(int k = 0; k < 4; ++k)
                    expected += std::string(bytes - 1, '\x7f') + value(i, j, k);
        save(in_file);
        EXPECT_TRUE(read_npy_header(file_)->fortran_order);
        const result<npy_array> read = read_npy(file_);
        ASSERT_TRUE(read) << read.reason();
        EXPECT_EQ(read->lengths, (lengths{2, 3, 4}));
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(read->data.data()), read->data.size()), expected) << descr;
    }
    for(const auto& [shape, count] :
        {std::pair{"()", 1}, {"(5,)", 5}, {"(1, 5, 1)", 5}, {"(0, 3)", 0}, {"(3, 0, 2)", 0}})
    {
        save(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': "s + shape + ", }", count));
        EXPECT_EQ(read_npy(file_)->data, std::vector<std::byte>(count, std::byte{1})) << shape;
    }
}

TEST_F(npy, reads_every_name_of_a_type)
{
    for(const auto& [type, bytes, names] :
        {std::tuple{npy_type::float16, 2, std::vector{"<f2", "=f2", "|f2", "f2", "e", "<e", "float16"}},
         {npy_type::float32, 4, std::vector{"<f4", "=f4", "f4", "f", "=f", "float32"}},
         {npy_type::uint8, 1, std::vector{"|u1", "<u1", ">u1", "=u1", "u1", "B", ">B", "uint8"}},
         {npy_type::int32, 4, std::vector{"<i4", "=i4", "i4", "i", "int32"}},
         {npy_type::int64, 8, std::vector{"<i8", "=i8", "i8", "q", "l", "<l", "int64"}}})
        for(const char* name : names)
        {
            save(file_of("{'descr': '"s + name + "', 'fortran_order': False, 'shape': (3L, 1), }", 3 * bytes));
            const result<npy_array> read = read_npy(file_);
            ASSERT_TRUE(read) << read.reason();
            EXPECT_EQ(read->type, type) << name;
            EXPECT_EQ(read->lengths, (lengths{3, 1})); // written by Python 2
        }
}

TEST_F(npy, reads_any_order_and_spacing_of_the_dictionary)
{
    save(file_of("{ \"shape\":(3,),\"descr\" : '<f2','fortran_order':False}\n", 6));
    const result<npy_array> read = read_npy(file_);
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(read->type, npy_type::float16);
    EXPECT_EQ(read->lengths, (lengths{3}));
}

TEST_F(npy, rejects_what_is_no_file)
{
    EXPECT_EQ(read_npy(file_).reason(), file_.string() + ": expected a NumPy .npy file, found no such file");
    EXPECT_EQ(read_npy(folder_).reason(), folder_.string() + ": expected a NumPy .npy file, found something else");
}

TEST_F(npy, rejects_other_formats)
{
    constexpr auto no_start = "expected a NumPy .npy file, found a file that does not start like one";
    expect_rejection("", no_start);
    expect_rejection("\x93NUM", no_start);
    expect_rejection("PK\x03\x04 this is an .npz file, a zip archive", no_start);
    expect_rejection("\x93NUMPY\x04\x00\x10\x00 and more"s, "expected .npy format 1.0, 2.0 or 3.0, found 4.0");
    expect_rejection("\x93NUMPY\x01\x07\x10\x00 and more"s, "expected .npy format 1.0, 2.0 or 3.0, found 1.7");
    expect_rejection("\x93NUMPY\x01\x00\xff\x7f..."s,
                     "expected a header of at most 65536 bytes, found one of 32767 bytes in a file of 13 bytes");
    expect_rejection("\x93NUMPY\x02\x00\xff\xff\xff\xff..."s,
                     "expected a header of at most 65536 bytes, found one of 4294967295 bytes in a file of 15 bytes");
}

TEST_F(npy, rejects_other_dictionaries)
{
    for(const char* dictionary : {
            "",
            "{",
            "{}",
            "garbage",
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3)",
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3)} and more",
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2 3)}",
            "{'descr': '<f2', 'fortran_order': False, 'shape': (-2, 3)}",
            "{'descr': '<f2', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "{'descr': '<f2', 'fortran_order': False, 'shape': 6}",
            "{'descr': '<f2', 'fortran_order': 0, 'shape': (2, 3)}",
            "{'descr': [('x', '<f2')], 'fortran_order': False, 'shape': (2, 3)}",
            "{'descr': '<f2', 'fortran_order': False}",
            "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
            "{'descr': '<f2",
        })
    {
        SCOPED_TRACE(dictionary);
        expect_rejection(
            file_of(dictionary, 12),
            "expected a header with a simple descr, fortran_order and shape, found one that is not such a dictionary");
    }
}

TEST_F(npy, rejects_other_arrays)
{
    for(const char* descr : {"<f8", ">f2", ">e", "<u4", "|b1", "<c8", "", "<", "<float16", "lq", "f2 ", "<<f2"})
    {
        expect_rejection(file_of("{'descr': '"s + descr + "', 'fortran_order': False, 'shape': (2, 3), }", 12),
                         "expected an array of little-endian float16, float32, uint8, int32 or int64 ('<f2', '<f4', "
                         "'|u1', '<i4' or '<i8'), "
                         "found '"s +
                             descr + "'");
    }
}

TEST_F(npy, shows_no_control_characters_of_headers)
{
    expect_rejection(file_of("{'descr': '\x1b[2J\x07\x9b', 'fortran_order': False, 'shape': (2, 3), }", 12),
                     "expected an array of little-endian float16, float32, uint8, int32 or int64 ('<f2', '<f4', '|u1', "
                     "'<i4' or '<i8'), found '\\x1b[2J\\x07\\x9b'");
}

TEST_F(npy, rejects_other_sizes)
{
    const std::string dictionary = "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }";
    expect_rejection(file_of(dictionary, 11), "expected 12 bytes of elements, as its shape says, found 11 bytes");
    expect_rejection(file_of(dictionary, 13), "expected 12 bytes of elements, as its shape says, found 13 bytes");
    expect_rejection(file_of("{'descr': '<f2', 'fortran_order': False, 'shape': "
                             "(1000000000000000000, 1000000000000000000), }",
                             12),
                     "expected a shape whose size fits 64 bits, found 12 bytes");
}

// Whatever a file is cut off at or spoilt with, reading says so or succeeds; it never crashes.
TEST_F(npy, survives_truncated_and_spoilt_files)
{
    const std::string whole = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
    for(std::size_t size = 0; size < whole.size(); ++size)
    {
        save(whole.substr(0, size));
        EXPECT_FALSE(read_npy(file_)) << "cut off after " << size << " bytes";
    }
    std::minstd_rand random(1);
    for(int i = 0; i < 1000; ++i)
    {
        std::string spoilt = whole;
        for(int n = 0; n < 3; ++n)
            spoilt[random() % spoilt.size()] = static_cast<char>(random());
        save(spoilt);
        const result<npy_array> read = read_npy(file_);
        EXPECT_TRUE(read || read.reason().starts_with(file_.string() + ": expected "));
    }
}

TEST_F(npy, rejects_what_it_cannot_write)
{
    EXPECT_EQ(write_npy(file_, npy_type::float16, {3}, counting_bytes(5)).reason(),
              file_.string() + ": the data must have as many bytes as the shape says, but has 5");
    EXPECT_EQ(write_npy(folder_ / "no such folder" / "a.npy", npy_type::float16, {3}, counting_bytes(6)).reason(),
              (folder_ / "no such folder" / "a.npy").string() +
                  " must be a file that can be written (No such file or directory): choose another path");
    EXPECT_FALSE(fs::exists(file_));
}

} // namespace

} // namespace ck_tile

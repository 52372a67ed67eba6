// SPDX-License-Identifier: MIT
// The harness: verification sees what is wrong, inputs are what they are said to be, tensors are where they should be.
#include "ck_tile/runtime/files.hpp"
#include "ck_tile/runtime/host_convert.hpp"
#include "ck_tile/runtime/npy.hpp"
#include "ops/harness/chunks.hpp"
#include "ops/harness/compare.hpp"
#include "ops/harness/device_kernels.hpp"
#include "ops/harness/fill.hpp"
#include "ops/harness/tensor_file.hpp"
#include "ops/harness/verify.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

namespace ck_tile::harness
{

namespace
{

constexpr float infinity = std::numeric_limits<float>::infinity();

comparison compare_one(data_type type, float actual, expectation expected)
{
    return compare(type, {actual}, [&](std::int64_t) { return expected; });
}

TEST(compare, counts_failures_and_finds_the_worst)
{
    const std::vector<float> actual = {1.0f, 2.5f, 3.0f, 100.5f};
    const auto expect               = [](std::int64_t i) {
        constexpr expectation each[] = {{1, 0.1}, {2, 0.1}, {3.05, 0.1}, {100, 1}};
        return each[i];
    };
    const comparison found = compare(data_type::fp32, actual, expect);
    EXPECT_FALSE(found.passed());
    EXPECT_EQ(found.failures, 1);
    EXPECT_EQ(found.worst, 1); // five times its bound; element 3 errs as much, within its bound
    EXPECT_EQ(describe(found, {2, 2}),
              "1 of 4 elements are wrong, largest error 0.5, bound 0.1, expected 2, actual 2.5 at {0, 1}");
}

TEST(compare, without_a_bound_only_the_same_passes)
{
    EXPECT_TRUE(compare_one(data_type::fp32, 0, {0, 0}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, 1e-30f, {0, 0}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, 1, {0, INFINITY}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, 1, {0, NAN}).passed());
}

TEST(compare, not_a_number_and_infinity_must_be_of_the_same_kind)
{
    EXPECT_TRUE(compare_one(data_type::fp16, NAN, {NAN, NAN}).passed());
    EXPECT_TRUE(compare_one(data_type::fp16, infinity, {INFINITY, INFINITY}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, 0, {NAN, NAN}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, NAN, {0, 1e9}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, -infinity, {INFINITY, INFINITY}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, 65504, {INFINITY, INFINITY}).passed());
}

TEST(compare, what_is_too_large_for_the_type_may_be_infinite)
{
    EXPECT_EQ(overflow_threshold(data_type::fp16), 65520);
    EXPECT_TRUE(compare_one(data_type::fp16, infinity, {65519, 2}).passed());
    EXPECT_TRUE(compare_one(data_type::fp16, -infinity, {-1e6, 2}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, infinity, {65510, 2}).passed());
    EXPECT_FALSE(compare_one(data_type::fp16, infinity, {-1e6, 2}).passed());
    EXPECT_FALSE(compare_one(data_type::fp32, infinity, {1e6, 2}).passed());
}

TEST(make_values, are_what_their_name_says)
{
    EXPECT_EQ(make_values(fill::zeros, 3, 1, 0), std::vector<float>(3, 0.0f));

    std::vector<int> counts(11);
    for(const float value : make_values(fill::integers, 11000, 1, 0))
    {
        ASSERT_TRUE(value >= -5 && value <= 5 && value == std::floor(value)) << value;
        ++counts[static_cast<int>(value) + 5];
    }
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 800);

    double sum = 0;
    for(const float value : make_values(fill::decimals, 10000, 1, 0))
    {
        ASSERT_TRUE(value >= -0.5f && value < 0.5f && (value == 0 || std::abs(value) >= 0x1p-14f)) << value;
        sum += value;
    }
    EXPECT_LT(std::abs(sum), 150);
}

TEST(make_values, depend_on_seed_and_stream_alone)
{
    const std::vector<float> values = make_values(fill::decimals, 100, 1, 0);
    EXPECT_EQ(make_values(fill::decimals, 100, 1, 0), values);
    EXPECT_NE(make_values(fill::decimals, 100, 2, 0), values);
    EXPECT_NE(make_values(fill::decimals, 100, 1, 1), values);
    EXPECT_EQ(make_values(fill::integers, 8, 1, 0),
              (std::vector<float>{-5, -1, -1, 0, 3, -4, -4, 3})); // on every machine
}

TEST(tensor_file, keeps_bf16_and_rejects_what_is_not)
{
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("tensor_file_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "x.npy").string();
    const host_tensor t    = {{.name = "x", .type = data_type::bf16, .shape = packed_shape({2, 3})},
                              encode(data_type::bf16, std::vector{1.0f, -0.5f, 3.140625f, NAN, infinity, 0.0f})};
    ASSERT_EQ(file_of(t, folder), file);
    ASSERT_TRUE(dump_tensors({&t, 1}, folder));
    EXPECT_EQ(read_npy_header(file)->type, npy_type::float32);
    const auto loaded = load_tensor(t, folder);
    ASSERT_TRUE(loaded) << loaded.reason();
    EXPECT_EQ(*loaded, t.elements);

    const tensor_info other = {.name = "x", .type = data_type::bf16, .shape = packed_shape({3, 2})};
    EXPECT_EQ(load_tensor(other, folder).reason(), file + ": the problem needs the shape (3, 2), found (2, 3)");
    const tensor_info half = {.name = "x", .type = data_type::fp16, .shape = packed_shape({2, 3})};
    EXPECT_EQ(check_tensor_file(half, folder).reason(),
              file + ": fp16 needs an array of float16, found float32: convert the file, or choose another --dtype");
    const tensor_info indices = {.name = "x", .type = data_type::int32, .shape = packed_shape({2, 3})};
    EXPECT_EQ(check_tensor_file(indices, folder).reason(),
              file + ": int32 needs an array of int32, found float32: convert the file, or choose another --x");

    const tensor_info two = {.name = "x", .type = data_type::bf16, .shape = packed_shape({2})};
    ASSERT_TRUE(write_npy(file, npy_type::float32, {2}, encode(data_type::fp32, std::vector{1.0f, 1.001f})));
    EXPECT_EQ(load_tensor(two, folder).reason(),
              file +
                  ": every value must be a bf16 number, but element 1 is 1.001, between two of them: round the values "
                  "before they are saved, or choose --dtype fp32");
    std::filesystem::remove_all(folder);
}

// A file of a terabyte, of which the filesystem stores the header alone: its elements are not read.
TEST(tensor_file, rejects_other_shapes_by_their_headers)
{
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("huge_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string file       = (folder / "x.npy").string();
    constexpr std::int64_t bytes = 1'000'000'000'000;
    ASSERT_TRUE(write_npy(file, npy_type::uint8, {0, bytes}, {}));
    std::string header = *read_file(file);
    header.replace(header.find("(0,"), 3, "(1,");
    ASSERT_TRUE(replace_file(file, header));
    std::error_code error;
    std::filesystem::resize_file(file, header.size() + bytes, error);
    const tensor_info small = {.name = "x", .type = data_type::u8, .shape = packed_shape({150})};
    if(!error)
        EXPECT_EQ(load_tensor(small, folder).reason(),
                  file + ": the problem needs the shape (150), found (1, 1000000000000)");
    std::filesystem::remove_all(folder);
    if(error)
        GTEST_SKIP() << error.message();
}

// Zeros that have no elements, and tensors that have none at all, of every type.
TEST(tensor_file, writes_zeros_and_empty_tensors)
{
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("zeros_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for(const data_type type : {data_type::fp16, data_type::bf16, data_type::fp32})
    {
        const host_tensor zeros = {{.name = "x", .type = type, .shape = packed_shape({2, 3})}};
        ASSERT_TRUE(dump_tensors({&zeros, 1}, folder));
        EXPECT_EQ(*load_tensor(zeros, folder), encode(type, std::vector<float>(6)));
    }
    for(const data_type type : {data_type::fp16, data_type::bf16, data_type::u8, data_type::int32, data_type::int64})
    {
        const host_tensor empty = {{.name = "x", .type = type, .shape = packed_shape({0, 3})}};
        ASSERT_TRUE(dump_tensors({&empty, 1}, folder));
        EXPECT_TRUE(load_tensor(empty, folder)->empty());
    }
    std::filesystem::remove_all(folder);
}

// A set of tensors that cannot be written as a whole leaves the one that is there.
TEST(tensor_file, sets_are_written_as_a_whole)
{
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("set_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder / "y.npy");
    const auto set_of = [](float value) {
        const auto one = [&](const char* name) {
            return host_tensor{{.name = name, .type = data_type::fp32, .shape = packed_shape({1})},
                               encode(data_type::fp32, std::vector{value})};
        };
        return std::vector{one("x"), one("y")};
    };
    const auto first = set_of(1), second = set_of(2);
    ASSERT_TRUE(dump_tensors(std::span(first).first(1), folder));
    EXPECT_EQ(dump_tensors(second, folder).reason(),
              (folder / "y.npy").string() +
                  " must be a file that can be written (it is a folder): choose another path");
    EXPECT_EQ(*load_tensor(first[0], folder), first[0].elements);
    std::filesystem::remove(folder / "y.npy");
    ASSERT_TRUE(dump_tensors(second, folder));
    EXPECT_EQ(*load_tensor(second[0], folder), second[0].elements);
    EXPECT_EQ(*load_tensor(second[1], folder), second[1].elements);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2) << "nothing else is left";
    std::filesystem::remove_all(folder);
}

// One tensor of each role.
tensor_set each_role()
{
    const tensor_shape shape = packed_shape({4});
    return tensor_set({{.name = "input", .type = data_type::fp16, .shape = shape},
                       {.name = "integers", .type = data_type::int32, .shape = shape},
                       {.name = "origin", .type = data_type::fp32, .shape = shape, .role = tensor_role::origin},
                       {.name = "absent", .type = data_type::fp32, .shape = shape, .role = tensor_role::absent},
                       {.name = "result", .type = data_type::bf16, .shape = shape, .role = tensor_role::result}});
}

TEST(tensor_set, fills_inputs_and_origins)
{
    tensor_set set = each_role();
    fill_floats(set, fill::zeros, 1);
    EXPECT_TRUE(set["input"].elements.empty()) << "zeros take no memory";
    EXPECT_EQ(set["input"].values(), std::vector<float>(4));
    EXPECT_EQ(set["origin"].elements.size(), 16u) << "others are made of it";
    fill_floats(set, fill::integers, 1);
    EXPECT_EQ(set["input"].elements.size(), 8u);
    EXPECT_NE(set["input"].values(), set["origin"].values());
    for(const char* name : {"integers", "absent", "result"})
        EXPECT_TRUE(set[name].elements.empty()) << name;
    EXPECT_THROW(set["none"], rejected);
}

TEST(tensor_set, integers_of_every_type)
{
    host_tensor t = {{.name = "i", .type = data_type::u8, .shape = packed_shape({2})}, {std::byte{255}, std::byte{7}}};
    EXPECT_EQ(t.integers(), (std::vector<std::int64_t>{255, 7}));
    t.type     = data_type::int32;
    t.elements = std::vector<std::byte>(8, std::byte{0xff});
    EXPECT_EQ(t.integers(), (std::vector<std::int64_t>{-1, -1}));
    t.type = data_type::int64;
    EXPECT_EQ(t.integers(), std::vector<std::int64_t>{-1});
    t.type = data_type::fp16;
    EXPECT_THROW(t.integers(), rejected);
}

// On a device, results are NaNs until a kernel writes them, inputs without elements zeros, and the others nowhere.
TEST(device_set, holds_inputs_and_unwritten_results)
{
    const auto dev = device::open("host");
    ASSERT_TRUE(dev) << dev.reason();
    tensor_set set           = each_role();
    set["integers"].elements = std::vector<std::byte>(16, std::byte{1});
    const device_set there(*dev, set);
    const std::vector<void*> at = there.addresses();
    ASSERT_EQ(at.size(), 5u);
    EXPECT_EQ(at[2], nullptr);
    EXPECT_EQ(at[3], nullptr);
    std::vector<std::byte> bytes(8, std::byte{1});
    ASSERT_TRUE(dev->copy_to_host(bytes.data(), at[0], 8));
    EXPECT_EQ(bytes, std::vector<std::byte>(8));
    ASSERT_TRUE(dev->copy_to_host(bytes.data(), at[1], 8));
    EXPECT_EQ(bytes, std::vector<std::byte>(8, std::byte{1}));
    there.fetch_results(*dev, set);
    EXPECT_EQ(set["result"].elements.size(), 8u);
    for(const float v : set["result"].values())
        EXPECT_TRUE(std::isnan(v));
}

TEST(converted, keeps_values_and_what_is_absent)
{
    tensor_set set = each_role();
    fill_floats(set, fill::decimals, 3);
    set["integers"].elements      = std::vector<std::byte>(16, std::byte{1});
    std::vector<tensor_info> wide = {set.tensors.begin(), set.tensors.end()};
    wide[0].type                  = data_type::fp32;
    wide[3].role                  = tensor_role::input;
    wide[4].role                  = tensor_role::input;
    const tensor_set to           = converted(set, wide);
    EXPECT_EQ(to["input"].type, data_type::fp32);
    EXPECT_EQ(to["input"].values(), set["input"].values());
    EXPECT_EQ(to["integers"].elements, set["integers"].elements);
    EXPECT_EQ(to["absent"].role, tensor_role::absent);
    EXPECT_TRUE(to["result"].elements.empty());
}

// By the reference kernel, the reference is an fp32 result itself: it may be as wrong as one. Exact results have no bound.
TEST(compare_result, knows_whose_error_counts)
{
    host_tensor t = {{.name = "r", .type = data_type::fp32, .shape = packed_shape({1}), .terms = 4}};
    reference_values right(1);
    right.set(0, 1, 10);
    const double cpu = error_bound(data_type::fp32, 4, 1, 10);
    EXPECT_DOUBLE_EQ(cpu, 0x1p-24 + 0x1p-24 * (8 + 2 * 2) * 10);
    const auto passes = [&](double error, bool by_kernel) {
        t.set_values({static_cast<float>(1 + error)});
        return compare_result(t, right, by_kernel).passed();
    };
    EXPECT_TRUE(passes(0.9 * cpu, false));
    EXPECT_FALSE(passes(1.1 * cpu, false));
    EXPECT_TRUE(passes(1.9 * cpu, true));
    EXPECT_FALSE(passes(2.1 * cpu, true));
    t.slack = 4;
    EXPECT_TRUE(passes(3 * cpu, false));
    t.terms = 0;
    EXPECT_TRUE(passes(0, true));
    EXPECT_FALSE(passes(0x1p-20, true));
}

// Of a tensor that each thread has many elements of, a comparison where it lies finds what one on the host does: of elements that are
// equally wrong the first.
TEST(compare_on_device, finds_what_the_host_does)
{
    const auto dev = device::open("host");
    ASSERT_TRUE(dev) << dev.reason();
    if(kernels_for(*dev) == nullptr)
        GTEST_SKIP() << "built without " << dev->name();
    constexpr std::int64_t count = 3 * chunk_elements / 2 + 7;
    for(const data_type type : {data_type::fp16, data_type::bf16, data_type::fp32})
    {
        host_tensor found = {{.name = "r", .type = type, .shape = packed_shape({count}), .terms = 4, .slack = 2}};
        reference_values right(count);
        std::vector<float> values = make_values(fill::integers, count, 1, 0);
        for(std::int64_t i = 0; i < count; ++i)
            right.set(static_cast<std::size_t>(i), values[static_cast<std::size_t>(i)], 5);
        for(const std::size_t wrong : {70'000u, 70'000u + (1u << 19), 70'000u + (1u << 20)}) // equally, in one thread
        {
            right.values[wrong] = 1;
            values[wrong]       = 3;
        }
        right.values[5] = NAN;
        values[5]       = NAN;
        found.set_values(values);
        const comparison here = compare_result(found, right, true);
        EXPECT_EQ(here.failures, 3);
        EXPECT_EQ(here.worst, 70'000);

        const auto send = [&](const void* data, std::size_t bytes) {
            device_buffer buffer = value_or_throw(dev->allocate(bytes));
            value_or_throw(dev->copy_to_device(buffer.data(), data, bytes));
            return buffer;
        };
        const std::vector<float> expected(right.values.begin(), right.values.end()),
            magnitudes(right.magnitudes.begin(), right.magnitudes.end());
        const device_buffer elements = send(found.elements.data(), found.elements.size());
        const device_reference reference{send(expected.data(), count * sizeof(float)),
                                         send(magnitudes.data(), count * sizeof(float))};
        for(const comparison& there :
            {compare_result(*dev, found, elements, reference), compare_result(*dev, found, reference)})
        {
            EXPECT_EQ(there.elements, count);
            EXPECT_EQ(there.failures, here.failures);
            EXPECT_EQ(there.worst, here.worst);
            EXPECT_EQ(there.expected, here.expected);
            EXPECT_EQ(there.actual, here.actual);
            EXPECT_DOUBLE_EQ(there.bound, here.bound);
        }
    }
}

TEST(copy_within, copies_all_and_nothing_more)
{
    const auto dev = device::open("host");
    ASSERT_TRUE(dev) << dev.reason();
    if(kernels_for(*dev) == nullptr)
        GTEST_SKIP() << "built without " << dev->name();
    for(const std::size_t bytes : {0u, 1u, 16u, 16384u, 16399u, 400'000u})
    {
        const device_buffer from = value_or_throw(dev->allocate(bytes)), to = value_or_throw(dev->allocate(bytes + 64));
        const std::vector<float> random = make_values(fill::decimals, static_cast<std::int64_t>(bytes), 1, 0);
        const auto *given               = reinterpret_cast<const std::byte*>(random.data()),
                   *copied              = static_cast<const std::byte*>(to.data());
        std::copy_n(given, bytes, static_cast<std::byte*>(from.data())); // none of none, whose addresses may be null
        std::memset(to.data(), 7, bytes + 64);
        ASSERT_TRUE(copy_within(*dev, to.data(), from.data(), bytes));
        EXPECT_TRUE(std::equal(given, given + bytes, copied));
        for(std::size_t i = bytes; i < bytes + 64; ++i)
            ASSERT_EQ(copied[i], std::byte(7)) << bytes;
    }
}

// What goes to a device converted is what the conversion on the host makes.
TEST(device_set, converts_on_the_way)
{
    const auto dev = device::open("host");
    ASSERT_TRUE(dev) << dev.reason();
    tensor_set set = each_role();
    set["input"].set_values({-1, 2, -0.5f, 0});
    set["integers"].elements      = std::vector<std::byte>(16, std::byte{1});
    std::vector<tensor_info> wide = {set.tensors.begin(), set.tensors.end()};
    wide[0].type                  = data_type::fp32;
    wide[3].role                  = tensor_role::input; // it is absent, and stays so
    const tensor_set expected     = converted(set, wide);
    const device_set there(*dev, set, wide, conversion::absolute);
    const std::vector<float> values = expected["input"].values();
    ASSERT_EQ(there.buffer(0).bytes(), values.size() * sizeof(float));
    for(std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(static_cast<const float*>(there.buffer(0).data())[i], std::abs(values[i]));
    EXPECT_EQ(std::memcmp(there.buffer(1).data(), set["integers"].elements.data(), 16), 0);
    EXPECT_EQ(there.addresses()[3], nullptr);
}

TEST(compare_integers, counts_failures)
{
    EXPECT_TRUE(compare_integers({3, -1}, {3, -1}).passed());
    const comparison found = compare_integers({3, 5, 7}, {3, 4, 8});
    EXPECT_EQ(describe(found, {3}), "2 of 3 elements are wrong, largest error 1, bound 0, expected 4, actual 5 at {1}");
}

TEST(error_bound, is_the_documented_one)
{
    const double accumulation = 0x1p-24 * (8 + 2 * 6) * 10; // of 36 terms
    EXPECT_DOUBLE_EQ(error_bound(data_type::fp16, 36, -2, 10), 2 * 0x1p-11 + accumulation);
    EXPECT_DOUBLE_EQ(error_bound(data_type::bf16, 36, -2, 10), 2 * 0x1p-8 + accumulation);
    EXPECT_DOUBLE_EQ(error_bound(data_type::fp32, 36, -2, 10), 2 * 0x1p-24 + accumulation);
    EXPECT_DOUBLE_EQ(error_bound(data_type::fp16, 1, 0, 0), 0x1p-25); // half the smallest subnormal fp16
}

} // namespace

} // namespace ck_tile::harness

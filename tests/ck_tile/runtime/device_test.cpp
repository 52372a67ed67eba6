// SPDX-License-Identifier: MIT
// Devices, streams and launches, on the CPU and on each GPU that is there.
#include "ck_tile/runtime/device.hpp"

#include "tests/ck_tile/runtime/scale_add.hpp"
#include "tests/support/kernel_targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ck_tile
{
namespace
{

using arguments = scale_add_program<architecture::gfx942, 1>::arguments;

// The kernel for the device's architecture. Every architecture's code object has it under the same name.
template <int Halves, std::size_t... Target>
kernel kernel_of(const device& dev, const char* name, std::index_sequence<Target...>)
{
    kernel found               = {};
    const auto take_if_its_own = [&]<architecture Arch>() {
        if(dev.architecture().arch == Arch)
            found = make_kernel<scale_add_program<Arch, Halves>>(name);
    };
    (take_if_its_own.template operator()<all_targets[Target]->arch>(), ...);
    return found;
}
constexpr auto every_target = std::make_index_sequence<std::size(all_targets)>{};
kernel halve_add(const device& dev) { return kernel_of<1>(dev, "halve_add", every_target); }
kernel negate_add(const device& dev) { return kernel_of<-2>(dev, "negate_add", every_target); }

device opened(const std::string& name)
{
    auto d = device::open(name);
    EXPECT_TRUE(d) << d.reason();
    return std::move(*d);
}

grid blocks_of(std::size_t count) { return {static_cast<unsigned>((count + 1023) / 1024)}; }

// Runs both kernels in turn on a stream, and the same sums here: `right` says whether they agree.
struct alternation
{
    std::vector<float> expected, x;
    bool right = false;

    explicit alternation(float first, std::size_t count = 5000)
    {
        for(std::size_t i = 0; i < count; ++i)
            expected.push_back(first + static_cast<float>(i % 97));
        x = expected;
    }

    void run(const device& dev, stream s, int launches)
    {
        const kernel halve = halve_add(dev), negate = negate_add(dev);
        const std::size_t bytes = x.size() * sizeof(float);
        const auto memory       = dev.allocate(bytes);
        if(!memory || !dev.copy_to_device(memory->data(), x.data(), bytes, s))
            return;
        for(int i = 0; i < launches; ++i)
        {
            const auto added  = static_cast<float>(i);
            const arguments a = {static_cast<float*>(memory->data()), added, static_cast<int>(x.size())};
            if(!dev.launch(i % 2 == 0 ? halve : negate, blocks_of(x.size()), a, s))
                return;
            for(float& e : expected)
                e = e * (i % 2 == 0 ? 0.5f : -1.f) + added;
        }
        right = dev.copy_to_host(x.data(), memory->data(), bytes, s) && x == expected; // the copy waits for the kernels
    }
};

class Device : public testing::TestWithParam<std::string>
{};

TEST_P(Device, RunsWhatIsQueuedOnAStreamInOrder)
{
    const device dev = opened(GetParam());
    const auto made  = dev.make_stream();
    ASSERT_TRUE(made) << made.reason();
    const stream own = *made, foreign = {own.native}; // as somebody passes it who has the handle
    EXPECT_EQ(own.native == nullptr, dev.is_host());
    for(const stream s : {stream{}, own, foreign})
    {
        alternation a(3);
        a.run(dev, s, 9);
        EXPECT_TRUE(a.right);
    }
}

TEST_P(Device, IsUsedByThreadsThatDidNotOpenItEachWithItsStream)
{
    for(int round = 0; round < 5; ++round) // each with kernels that were never launched, by both threads at once
    {
        const device dev                = opened(GetParam());
        const owned_stream streams[]    = {std::move(*dev.make_stream()), std::move(*dev.make_stream())};
        std::array<alternation, 2> work = {alternation(1), alternation(-5)};
        std::thread first([&] { work[0].run(dev, streams[0], 20); });
        std::thread second([&] { work[1].run(dev, streams[1], 20); });
        first.join();
        second.join();
        EXPECT_TRUE(work[0].right);
        EXPECT_TRUE(work[1].right);
    }
}

TEST_P(Device, TwoOpenOnesDoNotDisturbEachOther)
{
    const device one = opened(GetParam()), other = opened(GetParam());
    alternation a(1), b(2);
    std::thread thread([&] { b.run(other, {}, 9); });
    a.run(one, {}, 9);
    thread.join();
    EXPECT_TRUE(a.right);
    EXPECT_TRUE(b.right);
}

TEST_P(Device, StaysOpenForItsCopiesItsBuffersAndItsStreams)
{
    std::optional<device> first = opened(GetParam());
    const device copy           = *first;
    first.reset();
    alternation a(7);
    a.run(copy, {}, 4);
    EXPECT_TRUE(a.right);

    device_buffer memory;
    owned_stream s;
    {
        const device dev = opened(GetParam());
        memory           = std::move(*dev.allocate(64));
        s                = std::move(*dev.make_stream());
    }
    EXPECT_EQ(memory.bytes(), 64u);
}

TEST_P(Device, FillsAndZeroesMemory)
{
    const device dev  = opened(GetParam());
    const auto made   = dev.make_stream();
    const auto zeroed = dev.allocate_zeroed(1000);
    std::vector<unsigned char> bytes(1000, 1);
    ASSERT_TRUE(made && zeroed);
    ASSERT_TRUE(dev.copy_to_host(bytes.data(), zeroed->data(), bytes.size(), *made));
    EXPECT_EQ(bytes, std::vector<unsigned char>(1000, 0));

    ASSERT_TRUE(dev.fill(static_cast<std::byte*>(zeroed->data()) + 10, 0xab, 500, *made));
    ASSERT_TRUE(dev.fill(zeroed->data(), 0xcd, 0, *made));
    ASSERT_TRUE(dev.copy_to_host(bytes.data(), zeroed->data(), bytes.size(), *made));
    std::vector<unsigned char> expected(1000, 0);
    std::fill(expected.begin() + 10, expected.begin() + 510, 0xab);
    EXPECT_EQ(bytes, expected);
}

TEST_P(Device, RunsKernelsOnMemoryThatItDidNotAllocate)
{
    const device dev = opened(GetParam());
    std::vector<float> x(64, 8);
    std::optional<device_buffer> pool; // of somebody else
    std::span<float> foreign = x;
    if(!dev.is_host())
    {
        pool.emplace(std::move(*opened(GetParam()).allocate(1024)));
        foreign = {static_cast<float*>(pool->data()) + 64, x.size()};
        ASSERT_TRUE(dev.copy_to_device(foreign.data(), x.data(), foreign.size_bytes()));
    }
    ASSERT_TRUE(dev.launch(halve_add(dev), {1}, arguments{foreign.data(), 1, 64}));
    ASSERT_TRUE(dev.synchronize(stream{}));
    if(!dev.is_host())
        ASSERT_TRUE(dev.copy_to_host(x.data(), foreign.data(), foreign.size_bytes()));
    EXPECT_EQ(x, std::vector<float>(64, 5));
}

TEST_P(Device, TimesWorkOnAStream)
{
    const device dev  = opened(GetParam());
    const auto s      = dev.make_stream();
    const auto memory = dev.allocate_zeroed(4096);
    ASSERT_TRUE(s && memory);
    const arguments a = {static_cast<float*>(memory->data()), 1, 1024};
    int runs          = 0;
    const auto work   = [&] {
        ++runs;
        return dev.launch(halve_add(dev), {1}, a, *s);
    };
    const result<double> milliseconds = dev.time(work, 3, *s);
    ASSERT_TRUE(milliseconds) << milliseconds.reason();
    EXPECT_GE(*milliseconds, 0);
    EXPECT_GE(runs, 3);
    std::vector<float> x(1024);
    ASSERT_TRUE(dev.copy_to_host(x.data(), memory->data(), 4096, *s));
    EXPECT_EQ(x, std::vector<float>(1024, 2 - std::ldexp(2.f, -runs))); // each halves what is missing to 2

    EXPECT_EQ(dev.time([] { return status(rejection{"no work"}); }, 1, *s).reason(), "no work");
}

TEST_P(Device, RejectsKernelsOfOtherArchitecturesAndOtherArguments)
{
    const device dev  = opened(GetParam());
    const char* own   = dev.architecture().name;
    kernel halve      = halve_add(dev);
    const arguments a = {};
    EXPECT_TRUE(dev.load(halve));
    EXPECT_TRUE(dev.launch(halve, {0}, a));

    struct larger
    {
        arguments first;
        double more;
    };
    const auto of_other_size =
        "a launch passes the arguments of the kernel's program: halve_add takes 16 bytes, given are 24: pass the "
        "program's own struct `arguments`";
    EXPECT_EQ(dev.launch(halve, {1}, larger{}).reason(), of_other_size);
    EXPECT_EQ(dev.launch(halve, {0}, &a, 24).reason(), of_other_size); // whether there is work or not

    const target& other = dev.architecture().arch == architecture::gfx942 ? static_cast<const target&>(gfx11) : gfx942;
    halve.arch          = other.arch;
    const std::string of_another_architecture =
        std::string("a kernel runs on the architecture that it is compiled for: halve_add is compiled for ") +
        other.name + ", the device is " + dev.name() + ": launch a kernel compiled for " + own +
        ", or open a device of " + other.name;
    EXPECT_EQ(dev.launch(halve, {1}, a).reason(), of_another_architecture);
    EXPECT_EQ(dev.load(halve).reason(), of_another_architecture);
}

// The program of halve_add, which says how many blocks it takes.
template <architecture Arch>
struct counted_program : scale_add_program<Arch, 1>
{
    using own_arguments = typename scale_add_program<Arch, 1>::arguments;
    static grid blocks(const own_arguments& a) { return blocks_of(static_cast<std::size_t>(a.count)); }
};

TEST_P(Device, LaunchesItsOwnKernelOfASet)
{
    static constexpr kernel all[] = {make_kernel<counted_program<architecture::gfx90a>>("halve_add"),
                                     make_kernel<counted_program<architecture::gfx942>>("halve_add"),
                                     make_kernel<counted_program<architecture::gfx950>>("halve_add"),
                                     make_kernel<counted_program<architecture::gfx11>>("halve_add"),
                                     make_kernel<counted_program<architecture::sm90>>("halve_add")};
    std::vector<const kernel*> kernels;
    for(const kernel& k : all)
        kernels.push_back(&k);
    const device dev = opened(GetParam());
    std::vector<float> x(3000, 4);
    const std::size_t bytes = x.size() * sizeof(float);
    const auto memory       = dev.allocate(bytes);
    ASSERT_TRUE(memory && dev.copy_to_device(memory->data(), x.data(), bytes));
    const arguments a = {static_cast<float*>(memory->data()), 1, static_cast<int>(x.size())};

    const kernel_set set = {"halve_add", kernels};
    const auto chosen    = dev.choose(set);
    ASSERT_TRUE(chosen) << chosen.reason();
    EXPECT_EQ((*chosen)->arch, dev.architecture().arch);
    ASSERT_TRUE(dev.launch(set, a));
    ASSERT_TRUE(dev.launch(set, {1}, a)); // the first 1024 elements again
    ASSERT_TRUE(dev.copy_to_host(x.data(), memory->data(), bytes));
    EXPECT_EQ(x[1023], 2.5f);
    EXPECT_EQ(x[1024], 3);
    EXPECT_EQ(x.back(), 3);

    const kernel unsaid = [&] {
        kernel k = halve_add(dev);
        k.blocks = nullptr;
        return k;
    }();
    const kernel* const one[] = {&unsaid};
    EXPECT_EQ(dev.launch(kernel_set{"halve_add", one}, a).reason(),
              "a launch without a number of blocks takes the program's: that of halve_add has no blocks(const "
              "arguments&): add it, or launch with a grid");
}

TEST_P(Device, RejectsASetThatHasNoneOfItsArchitecture)
{
    const device dev = opened(GetParam());
    std::vector<const kernel*> kernels;
    std::string names;
    const kernel known[] = {make_kernel<counted_program<architecture::gfx90a>>("halve_add"),
                            make_kernel<counted_program<architecture::gfx11>>("halve_add")};
    for(const kernel& k : known)
        if(k.arch != dev.architecture().arch)
        {
            kernels.push_back(&k);
            names += (names.empty() ? "" : ", ") + std::string(facts(k.arch).name);
        }
    const std::string own = dev.is_host() ? dev.name() : dev.architecture().name;
    const auto expected   = "a kernel runs on an architecture that it is compiled for: halve_add is compiled for " +
                            names + ", the device is " + dev.name() + ": add " + dev.architecture().name +
                            " to the ARCHITECTURES of its ck_tile_add_kernel(), and " + own + " to CK_TILE_TARGETS";
    const kernel_set set  = {"halve_add", kernels};
    EXPECT_EQ(dev.choose(set).reason(), expected);
    EXPECT_EQ(dev.launch(set, arguments{}).reason(), expected);
    EXPECT_EQ(dev.launch(set, {1}, arguments{}).reason(), expected);
}

TEST_P(Device, RejectsAKernelThatTheProgramDoesNotHold)
{
    const device dev = opened(GetParam());
    kernel unknown   = halve_add(dev);
    unknown.name     = "no_such_kernel";
    unknown.on_host  = nullptr;
    const auto s     = dev.launch(unknown, {1}, arguments{});
    EXPECT_TRUE(s.reason().starts_with("kernel no_such_kernel ")) << s.reason();
    EXPECT_EQ(dev.load(unknown).reason(), s.reason());
}

INSTANTIATE_TEST_SUITE_P(Targets, Device, testing::ValuesIn(kernel_targets()),
                         [](const auto& info) { return test_name_of(info.param); });

TEST(DeviceNames, AreRejectedWithThoseThatAreKnown)
{
    const std::string known = "auto, hip, cuda, hip:<number>, cuda:<number>, host, host:";
    for(const std::string name :
        {"", "hop", "hip:", "hip:x", "cuda:-1", "cuda:0x", "cuda:123456", "hipp", "host:", "host:gfx1"})
    {
        const auto d = device::open(name);
        EXPECT_TRUE(d.reason().starts_with("target '" + name + "' is not known: choose one of " + known)) << d.reason();
    }
}

TEST(DeviceNames, TellGpusByNumber)
{
    for(const std::string kind : {"hip", "cuda"})
    {
        const auto first = device::open(kind), far = device::open(kind + ":9999");
        EXPECT_EQ(first.ok(), device::open(kind + ":0").ok());
        EXPECT_FALSE(far);
        if(first)
        {
            EXPECT_TRUE(far.reason().find(" GPU 9999 is not there: ") != std::string::npos) << far.reason();
            if(const auto second = device::open(kind + ":1")) // two in one process, from one thread
            {
                alternation a(1), b(2);
                a.run(*first, {}, 9);
                b.run(*second, {}, 9);
                EXPECT_TRUE(a.right && b.right);
            }
        }
    }
}

} // namespace
} // namespace ck_tile

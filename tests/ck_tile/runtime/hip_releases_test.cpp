// SPDX-License-Identifier: MIT
// Programs run with each release of ROCm: the name of its runtime, the layout of its structures, the code objects that it loads.
// Runtimes are stand-ins; each test has a process of its own, as a program loads one runtime.
#include "ck_tile/runtime/device.hpp"
#include "tests/ck_tile/runtime/scale_add.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ck_tile
{
namespace
{

constexpr const char* not_a_stand_in =
    "the HIP runtime of this machine is found instead of the stand-in: run it by ctest";

// Opens the GPU behind the stand-ins of the releases, which are found as if they were installed, and launches a kernel on it.
// Returns what a user sees of it.
std::string seen_with(const std::vector<std::string>& releases, const char* processor)
{
    setenv("HIP_STAND_IN_PROCESSOR", processor, 1);
    for(const std::string& release : releases)
        if(dlopen((CK_TILE_STAND_INS "/hip_" + release + ".so").c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
            return dlerror();
    void* first = nullptr;
    for(const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"})
        if(first == nullptr)
            first = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if(first == nullptr || dlsym(first, "hip_stand_in") == nullptr)
        return not_a_stand_in;
    const auto gpu = device::open("hip");
    if(!gpu)
        return gpu.reason();
    const auto memory = gpu->allocate_zeroed(4096);
    if(!memory)
        return memory.reason();
    const auto launch = [&]<architecture Arch>() {
        using program = scale_add_program<Arch, 1>;
        return gpu->launch(make_kernel<program>("halve_add"), {1},
                           typename program::arguments{static_cast<float*>(memory->data()), 1, 1024});
    };
    const status launched = gpu->architecture().arch == architecture::gfx11
                                ? launch.template operator()<architecture::gfx11>()
                                : launch.template operator()<architecture::gfx942>();
    return fmt::format("{} with {} units{}", gpu->name(), gpu->compute_units(),
                       launched ? "" : ": " + launched.reason());
}

// The same in a process of its own, which has loaded no runtime yet.
std::string seen_in_a_process(const std::vector<std::string>& releases, const char* processor)
{
    int ends[2];
    if(pipe(ends) != 0)
        return "no pipe";
    const pid_t child = fork();
    if(child == 0)
    {
        const std::string seen = seen_with(releases, processor);
        std::_Exit(write(ends[1], seen.data(), seen.size()) == static_cast<ssize_t>(seen.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string seen(4096, '\0');
    const ssize_t bytes = read(ends[0], seen.data(), seen.size());
    seen.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? seen : "the process ended with " + std::to_string(status);
}

void expect_seen(const std::vector<std::string>& releases, const char* processor, const std::string& expected)
{
    const std::string seen = seen_in_a_process(releases, processor);
    if(seen == not_a_stand_in)
        GTEST_SKIP() << seen;
    EXPECT_EQ(seen, expected);
}

TEST(HipReleases, FivePointSeven) { expect_seen({"5.7"}, "gfx942:sramecc+:xnack-", "hip:gfx942 with 57 units"); }
TEST(HipReleases, SixPointOne) { expect_seen({"6.1"}, "gfx942:sramecc+:xnack-", "hip:gfx942 with 61 units"); }
TEST(HipReleases, SevenPointZero) { expect_seen({"7.0"}, "gfx942", "hip:gfx942 with 70 units"); }
TEST(HipReleases, NewestOfSeveral) { expect_seen({"5.7", "7.0", "6.1"}, "gfx942", "hip:gfx942 with 70 units"); }
TEST(HipReleases, OfADevelopmentPackage) { expect_seen({"development"}, "gfx942", "hip:gfx942 with 64 units"); }

TEST(HipReleases, FamiliesOfProcessorsNeed6Point2)
{
    const std::string missing =
        " is too old for the code for gfx11-generic that this program holds: install ROCm 6.2 or "
        "later, or build with gfx1100 in CK_TILE_GFX11_PROCESSORS";
    expect_seen({"5.7"}, "gfx1100", "the HIP runtime 5.7" + missing);
    expect_seen({"6.1"}, "gfx1100", "the HIP runtime 6.1" + missing);
}

TEST(HipReleases, FamiliesOfProcessorsSince6Point2)
{
    expect_seen({"7.0"}, "gfx1100", "hip:gfx1100 with 70 units");
    expect_seen({"7.0"}, "gfx1151", "hip:gfx1151 with 70 units");
}

TEST(HipReleases, OtherProcessorsAreNamed)
{
    expect_seen({"6.1"}, "gfx1030",
                "the AMD GPU gfx1030 is not a target of this library: it knows gfx90a, gfx942, gfx950, gfx11, sm90");
}

} // namespace
} // namespace ck_tile

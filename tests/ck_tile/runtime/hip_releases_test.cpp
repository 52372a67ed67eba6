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

namespace ck_tile
{
namespace
{

// Opens the GPU behind the stand-ins of the releases, which are found as if they were installed, and launches a kernel on it.
// Returns what a user sees of it.
std::string seen_with(const std::vector<std::string>& releases, const char* processor)
{
    setenv("HIP_STAND_IN_PROCESSOR", processor, 1);
    for(const std::string& release : releases)
        if(dlopen((CK_TILE_STAND_INS "/hip_" + release + ".so").c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
            return dlerror();
    const auto gpu = device::open("hip");
    if(!gpu)
        return gpu.reason();
    const auto memory = gpu->allocate_zeroed(4096);
    if(!memory)
        return memory.reason();
    using program          = scale_add_program<architecture::gfx942, 1>;
    const auto k           = make_kernel<program>("halve_add");
    const status launched  = gpu->launch(k, {1}, program::arguments{static_cast<float*>(memory->data()), 1, 1024});
    const std::string what = launched ? "" : ": " + launched.reason();
    return fmt::format("{} with {} units{}", gpu->name(), gpu->compute_units(), what);
}

void expect_seen(const std::vector<std::string>& releases, const char* processor, const std::string& expected)
{
    for(const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"})
        if(dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr)
            GTEST_SKIP() << "the HIP runtime of this machine, " << name << ", would be found instead of the stand-ins";
    EXPECT_EXIT(
        {
            const std::string seen = seen_with(releases, processor);
            fmt::print(stderr, "<{}>", seen);
            std::_Exit(seen == expected ? 0 : 1);
        },
        testing::ExitedWithCode(0), "")
        << "expected was " << expected;
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

// The kernel was made for another architecture, which is told when it is launched: the GPU was opened.
TEST(HipReleases, FamiliesOfProcessorsSince6Point2)
{
    const char* other = ": kernel halve_add is for gfx942, the device is gfx11: launch it on its own architecture";
    expect_seen({"7.0"}, "gfx1100", fmt::format("hip:gfx1100 with 70 units{}", other));
    expect_seen({"7.0"}, "gfx1151", fmt::format("hip:gfx1151 with 70 units{}", other));
}

TEST(HipReleases, OtherProcessorsAreNamed)
{
    expect_seen({"6.1"}, "gfx1030",
                "the AMD GPU gfx1030 is not a target of this library: it knows gfx90a, gfx942, gfx950, gfx11, sm90");
}

} // namespace
} // namespace ck_tile

// SPDX-License-Identifier: MIT
// Loads a shared library that the runtime and an operation are linked into, and launches from it.
#include <gtest/gtest.h>

#include <vector>

#include <dlfcn.h>

namespace
{

TEST(SharedLibrary, HoldsTheRuntimeAnOperationAndTheirGpuCode)
{
    void* library = dlopen(CK_TILE_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto halve        = reinterpret_cast<bool (*)(float*, int)>(dlsym(library, "halve_on_host"));
    const auto code_objects = reinterpret_cast<int (*)()>(dlsym(library, "code_objects_inside"));
    ASSERT_TRUE(halve != nullptr && code_objects != nullptr);

    std::vector<float> x(3000, 8);
    EXPECT_TRUE(halve(x.data(), 3000));
    EXPECT_EQ(x, std::vector<float>(3000, 5));
    EXPECT_GE(code_objects(), CK_TILE_LEAST_CODE_OBJECTS);
}

} // namespace

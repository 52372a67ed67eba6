// SPDX-License-Identifier: MIT
// A HIP runtime of one release, with one GPU that executes nothing: what a program sees of ROCm before its first kernel. Compiled
// once for each release, as ROCM_MAJOR and ROCM_MINOR say; HIP_STAND_IN_PROCESSOR in the environment is the GPU's.
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static_assert(HIP_VERSION_MAJOR < 6, "the header's hipDeviceProp_t is to be the old one");

namespace
{

// hipDeviceProp_t since HIP 6, up to what a program asks.
struct properties_since_6
{
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_device_node_mask;
    std::size_t total_global_memory, shared_memory_per_block;
    int registers_per_block, warp_size;
    std::size_t memory_pitch;
    int max_threads_per_block, max_threads_dimensions[3], max_grid_size[3], clock_rate;
    std::size_t total_constant_memory;
    int major, minor;
    std::size_t texture_alignment, texture_pitch_alignment;
    int device_overlap, compute_units;
    int between[192];
    char processor[256];
    int after[14];
};
static_assert(sizeof(properties_since_6) == 1472, "as in HIP 6 and 7");

const char* processor()
{
    const char* given = std::getenv("HIP_STAND_IN_PROCESSOR");
    return given != nullptr ? given : "gfx942:sramecc+:xnack-";
}

constexpr int compute_units = 10 * ROCM_MAJOR + ROCM_MINOR; // tells which of the stand-ins it is

} // namespace

extern "C"
{

    extern const int hip_stand_in; // tells it from a real one
    const int hip_stand_in = 1;
    hipError_t hipGetDeviceCount(int* count)
    {
        *count = 1;
        return hipSuccess;
    }

#undef hipGetDeviceProperties
    hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int)
    {
        *p                     = {};
        p->multiProcessorCount = compute_units;
        std::snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s", processor());
        return hipSuccess;
    }

#if ROCM_MAJOR >= 6
    hipError_t hipGetDevicePropertiesR0600(properties_since_6* p, int)
    {
        *p               = {};
        p->compute_units = compute_units;
        std::snprintf(p->processor, sizeof p->processor, "%s", processor());
        return hipSuccess;
    }
#endif

    hipError_t hipRuntimeGetVersion(int* version)
    {
        *version = ROCM_MAJOR * 10000000 + ROCM_MINOR * 100000 + 12345;
        return hipSuccess;
    }

    const char* hipGetErrorString(hipError_t e) { return e == hipErrorInvalidImage ? "invalid image" : "stand-in"; }
    hipError_t hipMalloc(void** memory, std::size_t bytes)
    {
        *memory = std::malloc(bytes);
        return hipSuccess;
    }
    hipError_t hipFree(void* memory)
    {
        std::free(memory);
        return hipSuccess;
    }
    hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind)
    {
        std::memcpy(to, from, bytes);
        return hipSuccess;
    }
    hipError_t hipMemset(void* to, int value, std::size_t bytes)
    {
        std::memset(to, value, bytes);
        return hipSuccess;
    }

    // The version of a code object is in its ELF header: 3 is version 5, 4 version 6, which ROCm knows since 6.2.
    hipError_t hipModuleLoadData(hipModule_t* loaded, const void* image)
    {
        const int version = static_cast<const unsigned char*>(image)[8] + 2, known = compute_units >= 62 ? 6 : 5;
        *loaded = static_cast<hipModule_t>(const_cast<void*>(image));
        return version <= known ? hipSuccess : hipErrorInvalidImage;
    }
    hipError_t hipModuleUnload(hipModule_t) { return hipSuccess; }
    hipError_t hipModuleGetFunction(hipFunction_t* found, hipModule_t in, const char*)
    {
        *found = reinterpret_cast<hipFunction_t>(in);
        return hipSuccess;
    }
    hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                     unsigned, hipStream_t, void**, void**)
    {
        return hipSuccess;
    }
    hipError_t hipDeviceSynchronize() { return hipSuccess; }
    hipError_t hipEventCreate(hipEvent_t*) { return hipSuccess; }
    hipError_t hipEventDestroy(hipEvent_t) { return hipSuccess; }
    hipError_t hipEventRecord(hipEvent_t, hipStream_t) { return hipSuccess; }
    hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
    hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t) { return hipSuccess; }

} // extern "C"

// SPDX-License-Identifier: MIT
// The HIP runtime as the driver of AMD GPUs, loaded when it is asked for: code objects are those of the GPU's architecture.
#include "ck_tile/runtime/gpu.hpp"
#include "ck_tile/runtime/shared_library.hpp"

#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include <array>
#include <cstring>

namespace ck_tile
{
namespace
{

// "gfx90a:sramecc+:xnack-" without its features.
std::string_view processor_in(std::string_view name) { return name.substr(0, name.find(':')); }

// The target whose kernels run on the processor: every gfx11xx chip runs those of gfx11.
const target* target_of(std::string_view processor)
{
    return find_target(processor.starts_with("gfx11") ? "gfx11" : processor);
}

// The library's names in the releases of ROCm, newest first; the last is of development packages. Functions and constants that are
// used here are the same in all of them, but for hipDeviceProp_t.
constexpr std::array runtime_names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

// Where a runtime's hipDeviceProp_t has what is read of it, in bytes. HIP 6 gave it another layout, and the function that fills it
// in another name; runtimes since have both functions, for programs compiled with either header.
struct properties_layout
{
    const char* function;
    std::size_t compute_units, processor; // an int, and a string of 256 bytes
};
constexpr properties_layout properties_since_6  = {"hipGetDevicePropertiesR0600", 388, 1160};
constexpr properties_layout properties_before_6 = {"hipGetDeviceProperties", 336, 396};
constexpr std::size_t processor_bytes = 256, properties_bytes = 4096; // more than any layout has

constexpr properties_layout of_the_header = HIP_VERSION_MAJOR < 6 ? properties_before_6 : properties_since_6;
static_assert(offsetof(hipDeviceProp_t, multiProcessorCount) == of_the_header.compute_units &&
              offsetof(hipDeviceProp_t, gcnArchName) == of_the_header.processor &&
              sizeof(hipDeviceProp_t::gcnArchName) == processor_bytes && sizeof(hipDeviceProp_t) < properties_bytes);

// Code objects for a family of processors, of version 6, are known to runtimes since this one; those of version 5 to all of
// runtime_names. As hipRuntimeGetVersion() counts: 60200000 is 6.2.
constexpr int first_with_families = 60200000;

bool is_family(std::string_view code_architecture) { return code_architecture.ends_with("-generic"); }

// The newest HIP runtime that is installed, if one is.
struct hip_runtime
{
    using error    = hipError_t;
    using context  = int; // the number of the GPU
    using module   = hipModule_t;
    using function = hipFunction_t;
    using stream   = hipStream_t;
    using event    = hipEvent_t;

    static constexpr const char* maker      = "AMD";
    static constexpr const char* short_name = "hip";
    static constexpr const char* long_name  = "the HIP runtime";

    decltype(&::hipGetDeviceCount) count;
    hipError_t (*allocate)(void**, std::size_t);
    decltype(&::hipFree) free;
    decltype(&::hipDeviceSynchronize) synchronize;
    decltype(&::hipEventCreate) create_usual_event;
    decltype(&::hipEventDestroy) destroy_event;
    decltype(&::hipEventRecord) record_event;
    decltype(&::hipEventSynchronize) wait_for_event;
    decltype(&::hipEventElapsedTime) elapsed;
    decltype(&::hipModuleLoadData) load_module;
    decltype(&::hipModuleUnload) unload_module;
    decltype(&::hipModuleGetFunction) get_function;
    hipError_t (*get_properties)(void*, int);
    decltype(&::hipGetErrorString) text_of;
    decltype(&::hipMemcpy) copy_of_kind;
    decltype(&::hipMemset) fill_now;
    decltype(&::hipModuleLaunchKernel) launch_blocks;

    // For several GPUs and streams: a stand-in for the runtime, such as an emulator, may have one GPU and its default stream alone.
    decltype(&::hipGetDevice) get_device;
    decltype(&::hipSetDevice) set_device;
    decltype(&::hipStreamCreateWithFlags) stream_create;
    decltype(&::hipStreamDestroy) stream_destroy;
    decltype(&::hipStreamSynchronize) stream_synchronize;
    decltype(&::hipMemcpyAsync) stream_copy;
    decltype(&::hipMemsetD8Async) stream_fill;
    decltype(&::hipRuntimeGetVersion) get_version;
    properties_layout layout = properties_since_6;
    bool found;

    hip_runtime()
    {
        shared_library library(runtime_names);
        library.find(count, "hipGetDeviceCount");
        library.find(allocate, "hipMalloc");
        library.find(free, "hipFree");
        library.find(synchronize, "hipDeviceSynchronize");
        library.find(create_usual_event, "hipEventCreate");
        library.find(destroy_event, "hipEventDestroy");
        library.find(record_event, "hipEventRecord");
        library.find(wait_for_event, "hipEventSynchronize");
        library.find(elapsed, "hipEventElapsedTime");
        library.find(load_module, "hipModuleLoadData");
        library.find(unload_module, "hipModuleUnload");
        library.find(get_function, "hipModuleGetFunction");
        library.find_if_any(get_properties, layout.function);
        if(get_properties == nullptr)
            library.find(get_properties, (layout = properties_before_6).function);
        library.find(text_of, "hipGetErrorString");
        library.find(copy_of_kind, "hipMemcpy");
        library.find(fill_now, "hipMemset");
        library.find(launch_blocks, "hipModuleLaunchKernel");
        library.find_if_any(get_device, "hipGetDevice");
        library.find_if_any(set_device, "hipSetDevice");
        library.find_if_any(stream_create, "hipStreamCreateWithFlags");
        library.find_if_any(stream_destroy, "hipStreamDestroy");
        library.find_if_any(stream_synchronize, "hipStreamSynchronize");
        library.find_if_any(stream_copy, "hipMemcpyAsync");
        library.find_if_any(stream_fill, "hipMemsetD8Async");
        library.find_if_any(get_version, "hipRuntimeGetVersion");
        found = library.complete();
    }

    hipError_t get_context(int* ordinal) const
    {
        *ordinal = 0;
        return get_device != nullptr ? get_device(ordinal) : hipSuccess;
    }
    hipError_t set_context(int ordinal) const { return set_device != nullptr ? set_device(ordinal) : hipSuccess; }

    hipError_t create_event(hipEvent_t* made, unsigned) const { return create_usual_event(made); }

    hipError_t create_stream(hipStream_t* made, unsigned flags) const
    {
        return stream_create != nullptr ? stream_create(made, flags) : hipErrorNotSupported;
    }
    hipError_t destroy_stream(hipStream_t s) const { return stream_destroy(s); }
    hipError_t synchronize_stream(hipStream_t s) const
    {
        return stream_synchronize != nullptr ? stream_synchronize(s) : synchronize();
    }

    result<gpu_description> describe(int ordinal) const
    {
        alignas(16) char properties[properties_bytes] = {};
        if(get_properties(properties, ordinal) != hipSuccess)
            return rejection{"the HIP runtime finds an AMD GPU but does not describe it"};
        const char* name = properties + layout.processor;
        const std::string processor(processor_in({name, strnlen(name, processor_bytes)}));
        int compute_units = 0;
        std::memcpy(&compute_units, properties + layout.compute_units, sizeof compute_units);
        const target* facts = target_of(processor);
        if(facts == nullptr)
            return rejection{
                fmt::format("the AMD GPU {} is not a target of this library: it knows {}", processor, target_names())};
        return gpu_description{facts, processor, compute_units};
    }

    // HIP keeps a GPU's context itself.
    hipError_t retain(int* context, int ordinal) const
    {
        *context = ordinal;
        return hipSuccess;
    }
    void release(int) const {}

    hipError_t copy(void* destination, const void* source, std::size_t bytes, hipStream_t queue) const
    {
        return stream_copy != nullptr ? stream_copy(destination, source, bytes, hipMemcpyDefault, queue)
                                      : copy_of_kind(destination, source, bytes, hipMemcpyDefault);
    }

    hipError_t fill(void* destination, unsigned char value, std::size_t bytes, hipStream_t queue) const
    {
        return stream_fill != nullptr ? stream_fill(destination, value, bytes, queue)
                                      : fill_now(destination, value, bytes);
    }

    // LDS is static.
    hipError_t prepare(hipFunction_t, const kernel&) const { return hipSuccess; }

    hipError_t launch(hipFunction_t function, const kernel& k, grid blocks, const void* arguments,
                      hipStream_t queue) const
    {
        const auto threads = static_cast<unsigned>(k.threads);
        auto bytes         = static_cast<std::size_t>(k.argument_bytes);
        void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments), HIP_LAUNCH_PARAM_BUFFER_SIZE,
                         &bytes, HIP_LAUNCH_PARAM_END};
        return launch_blocks(function, blocks.x, blocks.y, blocks.z, threads, 1, 1, 0, queue, nullptr, extra);
    }

    static bool runs_on(std::string_view code_architecture, std::string_view processor)
    {
        return code_architecture == processor ||
               (code_architecture == "gfx11-generic" && processor.starts_with("gfx11"));
    }

    status loads(std::string_view code_architecture, std::string_view processor) const
    {
        int version = 0;
        if(!is_family(code_architecture) || get_version == nullptr || get_version(&version) != hipSuccess ||
           version >= first_with_families)
            return {};
        return rejection{fmt::format("the HIP runtime {}.{} is too old for the code for {} that this program holds: "
                                     "install ROCm 6.2 or later, or build with {} in CK_TILE_GFX11_PROCESSORS",
                                     version / 10000000, version / 100000 % 100, code_architecture, processor)};
    }
};

} // namespace

result<std::shared_ptr<backend>> open_hip(int ordinal) { return gpu_backend<hip_runtime>::open(ordinal); }

} // namespace ck_tile

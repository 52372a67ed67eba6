// SPDX-License-Identifier: MIT
// The HIP runtime as the driver of AMD GPUs, loaded when it is asked for: code objects are those of the GPU's architecture.
#include "ck_tile/runtime/gpu.hpp"
#include "ck_tile/runtime/shared_library.hpp"

#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

// The name of a function in the library, which may not be the one in the header.
#define CK_TILE_TEXT(name) #name
#define CK_TILE_SYMBOL(function) CK_TILE_TEXT(function)

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

// The HIP runtime of the version that this is compiled for, if it is installed.
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
    decltype(&::hipGetDeviceProperties) get_properties;
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
    bool found;

    hip_runtime()
    {
        shared_library library(fmt::format("libamdhip64.so.{}", HIP_VERSION_MAJOR));
        library.find(count, CK_TILE_SYMBOL(hipGetDeviceCount));
        library.find(allocate, CK_TILE_SYMBOL(hipMalloc));
        library.find(free, CK_TILE_SYMBOL(hipFree));
        library.find(synchronize, CK_TILE_SYMBOL(hipDeviceSynchronize));
        library.find(create_usual_event, CK_TILE_SYMBOL(hipEventCreate));
        library.find(destroy_event, CK_TILE_SYMBOL(hipEventDestroy));
        library.find(record_event, CK_TILE_SYMBOL(hipEventRecord));
        library.find(wait_for_event, CK_TILE_SYMBOL(hipEventSynchronize));
        library.find(elapsed, CK_TILE_SYMBOL(hipEventElapsedTime));
        library.find(load_module, CK_TILE_SYMBOL(hipModuleLoadData));
        library.find(unload_module, CK_TILE_SYMBOL(hipModuleUnload));
        library.find(get_function, CK_TILE_SYMBOL(hipModuleGetFunction));
        library.find(get_properties, CK_TILE_SYMBOL(hipGetDeviceProperties));
        library.find(text_of, CK_TILE_SYMBOL(hipGetErrorString));
        library.find(copy_of_kind, CK_TILE_SYMBOL(hipMemcpy));
        library.find(fill_now, CK_TILE_SYMBOL(hipMemset));
        library.find(launch_blocks, CK_TILE_SYMBOL(hipModuleLaunchKernel));
        library.find_if_any(get_device, CK_TILE_SYMBOL(hipGetDevice));
        library.find_if_any(set_device, CK_TILE_SYMBOL(hipSetDevice));
        library.find_if_any(stream_create, CK_TILE_SYMBOL(hipStreamCreateWithFlags));
        library.find_if_any(stream_destroy, CK_TILE_SYMBOL(hipStreamDestroy));
        library.find_if_any(stream_synchronize, CK_TILE_SYMBOL(hipStreamSynchronize));
        library.find_if_any(stream_copy, CK_TILE_SYMBOL(hipMemcpyAsync));
        library.find_if_any(stream_fill, CK_TILE_SYMBOL(hipMemsetD8Async));
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
        hipDeviceProp_t properties = {};
        if(get_properties(&properties, ordinal) != hipSuccess)
            return rejection{"the HIP runtime finds an AMD GPU but does not describe it"};
        const std::string processor(processor_in(properties.gcnArchName));
        const target* facts = target_of(processor);
        if(facts == nullptr)
            return rejection{
                fmt::format("the AMD GPU {} is not a target of this library: it knows {}", processor, target_names())};
        return gpu_description{facts, processor, properties.multiProcessorCount};
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
};

} // namespace

result<std::shared_ptr<backend>> open_hip(int ordinal) { return gpu_backend<hip_runtime>::open(ordinal); }

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// CUDA's driver, for NVIDIA GPUs, loaded when it is asked for: building needs no CUDA, and programs run where there is none. Code
// objects are cubins, or PTX that the driver compiles.
#include "ck_tile/runtime/gpu.hpp"
#include "ck_tile/runtime/shared_library.hpp"
#include "ck_tile/targets/tensor_map.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ck_tile
{
namespace
{

// The part of the driver's interface (cuda.h) that is used here. Handles, and addresses of the device, which the driver declares
// as integers, are pointers: they are passed alike.
using cu_result = int; // 0: success
using cu_device = int;
using cu_handle = void*; // contexts, modules, functions, events, streams

constexpr int attribute_multiprocessors     = 16; // CU_DEVICE_ATTRIBUTE_...
constexpr int attribute_capability_major    = 75;
constexpr int attribute_capability_minor    = 76;
constexpr int function_dynamic_shared_bytes = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

// CUlaunchAttribute and CUlaunchConfig.
struct launch_attribute
{
    unsigned id;
    alignas(8) unsigned value[16];
};

struct launch_configuration
{
    unsigned grid[3], block[3], lds_bytes;
    cu_handle stream;
    launch_attribute* attributes;
    unsigned attribute_count;
};

constexpr unsigned cluster_dimension    = 4; // CU_LAUNCH_ATTRIBUTE_...
constexpr unsigned stream_serialization = 6; // programmatic: kernels wait themselves (wait_for_earlier_kernels)

struct cuda_driver
{
    using error    = cu_result;
    using context  = cu_handle;
    using module   = cu_handle;
    using function = cu_handle;
    using stream   = cu_handle;
    using event    = cu_handle;

    static constexpr const char* maker      = "NVIDIA";
    static constexpr const char* short_name = "cuda";
    static constexpr const char* long_name  = "CUDA's driver";

    cu_result (*init)(unsigned);
    cu_result (*count)(int*);
    cu_result (*device_get)(cu_device*, int);
    cu_result (*device_attribute)(int*, int, cu_device);
    cu_result (*retain_context)(cu_handle*, cu_device);
    cu_result (*release_context)(cu_device);
    cu_result (*get_context)(cu_handle*);
    cu_result (*set_context)(cu_handle);
    cu_result (*allocate)(void**, std::size_t);
    cu_result (*free)(void*);
    cu_result (*fill)(void*, unsigned char, std::size_t, cu_handle);
    cu_result (*copy)(void*, const void*, std::size_t, cu_handle);
    cu_result (*synchronize)();
    cu_result (*create_stream)(cu_handle*, unsigned);
    cu_result (*destroy_stream)(cu_handle);
    cu_result (*synchronize_stream)(cu_handle);
    cu_result (*create_event)(cu_handle*, unsigned);
    cu_result (*destroy_event)(cu_handle);
    cu_result (*record_event)(cu_handle, cu_handle);
    cu_result (*wait_for_event)(cu_handle);
    cu_result (*elapsed)(float*, cu_handle, cu_handle);
    cu_result (*load_module)(cu_handle*, const void*);
    cu_result (*unload_module)(cu_handle);
    cu_result (*get_function)(cu_handle*, cu_handle, const char*);
    cu_result (*set_function_attribute)(cu_handle, int, int);
    cu_result (*launch_blocks)(const launch_configuration*, cu_handle, void**, void**);
    cu_result (*encode_map)(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const unsigned*,
                            const unsigned*, int, int, int, int);
    cu_result (*encode_windows)(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const int*,
                                const int*, unsigned, unsigned, const unsigned*, int, int, int, int);
    cu_result (*error_string)(cu_result, const char**);
    bool found;

    cuda_driver()
    {
        shared_library library(std::array{"libcuda.so.1"});
        library.find(init, "cuInit");
        library.find(count, "cuDeviceGetCount");
        library.find(device_get, "cuDeviceGet");
        library.find(device_attribute, "cuDeviceGetAttribute");
        library.find(retain_context, "cuDevicePrimaryCtxRetain");
        library.find(release_context, "cuDevicePrimaryCtxRelease_v2");
        library.find(get_context, "cuCtxGetCurrent");
        library.find(set_context, "cuCtxSetCurrent");
        library.find(allocate, "cuMemAlloc_v2");
        library.find(free, "cuMemFree_v2");
        library.find(fill, "cuMemsetD8Async");
        library.find(copy, "cuMemcpyAsync");
        library.find(synchronize, "cuCtxSynchronize");
        library.find(create_stream, "cuStreamCreate");
        library.find(destroy_stream, "cuStreamDestroy_v2");
        library.find(synchronize_stream, "cuStreamSynchronize");
        library.find(create_event, "cuEventCreate");
        library.find(destroy_event, "cuEventDestroy_v2");
        library.find(record_event, "cuEventRecord");
        library.find(wait_for_event, "cuEventSynchronize");
        library.find(elapsed, "cuEventElapsedTime");
        library.find(load_module, "cuModuleLoadData");
        library.find(unload_module, "cuModuleUnload");
        library.find(get_function, "cuModuleGetFunction");
        library.find(set_function_attribute, "cuFuncSetAttribute");
        library.find(launch_blocks, "cuLaunchKernelEx");
        library.find(encode_map, "cuTensorMapEncodeTiled");
        library.find(encode_windows, "cuTensorMapEncodeIm2col");
        library.find(error_string, "cuGetErrorString");
        found = library.complete() && init(0) == 0;
    }

    const char* text_of(cu_result error) const
    {
        const char* text = nullptr;
        (void)error_string(error, &text);
        return text != nullptr ? text : "an unknown error";
    }

    result<gpu_description> describe(int ordinal) const
    {
        cu_device device = 0;
        int major = 0, minor = 0, multiprocessors = 0;
        if(device_get(&device, ordinal) != 0 || device_attribute(&major, attribute_capability_major, device) != 0 ||
           device_attribute(&minor, attribute_capability_minor, device) != 0 ||
           device_attribute(&multiprocessors, attribute_multiprocessors, device) != 0)
            return rejection{"CUDA's driver finds an NVIDIA GPU but does not describe it"};
        if(major != 9 || minor != 0)
            return rejection{fmt::format("the NVIDIA GPU of compute capability {}.{} is not a target of this library: "
                                         "it knows sm90",
                                         major, minor)};
        return gpu_description{&sm90, sm90.name, multiprocessors};
    }

    cu_result retain(cu_handle* context, int ordinal) const
    {
        cu_device device      = 0;
        const cu_result error = device_get(&device, ordinal);
        return error != 0 ? error : retain_context(context, device);
    }

    void release(int ordinal) const
    {
        cu_device device = 0;
        if(device_get(&device, ordinal) == 0)
            (void)release_context(device);
    }

    cu_result prepare(cu_handle function, const kernel& k) const
    {
        return set_function_attribute(function, function_dynamic_shared_bytes, k.lds_bytes);
    }

    cu_result launch(cu_handle function, const kernel& k, grid blocks, const void* arguments, cu_handle queue) const
    {
        std::vector<std::byte> encoded;
        if(k.maps > 0)
        {
            encoded.resize(static_cast<std::size_t>(k.argument_bytes));
            std::memcpy(encoded.data(), arguments, encoded.size());
            for(int i = 0; i < k.maps; ++i)
                if(const cu_result error = encode(encoded.data() + k.map_at + i * sizeof(tensor_map)); error != 0)
                    return error;
            arguments = encoded.data();
        }
        void* parameters[]                       = {const_cast<void*>(arguments)};
        const unsigned cluster                   = static_cast<unsigned>(k.cluster);
        launch_attribute attributes[]            = {{stream_serialization, {1}}, {cluster_dimension, {cluster, 1, 1}}};
        const launch_configuration configuration = {{blocks.x * cluster, blocks.y, blocks.z},
                                                    {static_cast<unsigned>(k.threads), 1, 1},
                                                    static_cast<unsigned>(k.lds_bytes),
                                                    queue,
                                                    attributes,
                                                    cluster > 1 ? 2u : 1u};
        return launch_blocks(&configuration, function, parameters, nullptr);
    }

    // What lies there becomes what the copy engine reads.
    cu_result encode(std::byte* at) const
    {
        tensor_map map, made;
        std::memcpy(&map, at, sizeof map);
        if(map.data == nullptr) // of which no box is copied
            return 0;
        std::uint64_t lengths[tensor_map::dims], next[tensor_map::dims - 1];
        unsigned box[tensor_map::dims], steps[tensor_map::dims];
        for(int d = 0; d < tensor_map::dims; ++d)
        {
            lengths[d] = static_cast<std::uint64_t>(map.lengths[d]);
            box[d] = static_cast<unsigned>(map.box[d]), steps[d] = 1;
            if(d > 0)
                next[d - 1] = static_cast<std::uint64_t>(map.next[d]);
        }
        const int type = map.next[0] == 1 ? 0 : map.next[0] == 2 ? 1 : 2; // CU_TENSOR_MAP_DATA_TYPE_UINT8, 16, 32
        // ..._INTERLEAVE_NONE, ..._SWIZZLE_NONE, 32B, 64B or 128B, ..._L2_PROMOTION_L2_128B
        constexpr int plain = 0, of_128_bytes = 2;
        const int by_bytes = map.row_bytes() == 32 ? 1 : map.row_bytes() == 64 ? 2 : 3;
        const int swizzle  = map.permuted ? by_bytes : plain;
        const auto encoded = [&] {
            if(!map.of_windows)
                return encode_map(&made, type, tensor_map::dims, const_cast<void*>(map.data), lengths, next, box, steps,
                                  plain, swizzle, of_128_bytes, plain);
            const int first[] = {map.first[0], map.first[1]}, last[] = {map.last[0], map.last[1]};
            steps[1] = static_cast<unsigned>(map.stride[0]), steps[2] = static_cast<unsigned>(map.stride[1]);
            return encode_windows(&made, type, tensor_map::dims, const_cast<void*>(map.data), lengths, next, first,
                                  last, box[0], box[1], steps, plain, swizzle, of_128_bytes, plain);
        };
        const cu_result error = encoded();
        std::memcpy(at, &made, sizeof made);
        return error;
    }

    static bool runs_on(std::string_view code_architecture, std::string_view processor)
    {
        return code_architecture == processor;
    }

    // The driver says of PTX that is too new what is missing, when it is to load it.
    static status loads(std::string_view, std::string_view) { return {}; }
};

} // namespace

result<std::shared_ptr<backend>> open_cuda(int ordinal) { return gpu_backend<cuda_driver>::open(ordinal); }

} // namespace ck_tile

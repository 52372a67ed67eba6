// SPDX-License-Identifier: MIT
// An NVIDIA GPU through CUDA's driver, which is loaded when it is asked for: building needs no CUDA, and programs run where
// there is none. Code objects are cubins, or PTX that the driver compiles.
#include "ck_tile/runtime/backend.hpp"
#include "ck_tile/runtime/code_objects.hpp"
#include "ck_tile/runtime/event_timing.hpp"
#include "ck_tile/runtime/shared_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace ck_tile
{
namespace
{

// The part of the driver's interface (cuda.h) that is used here.
using cu_result  = int; // 0: success
using cu_device  = int;
using cu_pointer = std::uint64_t;
using cu_handle  = struct cu_opaque*; // contexts, modules, functions, events, streams

constexpr int attribute_multiprocessors     = 16; // CU_DEVICE_ATTRIBUTE_...
constexpr int attribute_capability_major    = 75;
constexpr int attribute_capability_minor    = 76;
constexpr int function_dynamic_shared_bytes = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr std::uintptr_t parameter_buffer   = 1; // CU_LAUNCH_PARAM_BUFFER_POINTER
constexpr std::uintptr_t parameter_bytes    = 2; // CU_LAUNCH_PARAM_BUFFER_SIZE

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

struct driver
{
    cu_result (*init)(unsigned);
    cu_result (*device_count)(int*);
    cu_result (*device_get)(cu_device*, int);
    cu_result (*device_attribute)(int*, int, cu_device);
    cu_result (*retain_context)(cu_handle*, cu_device);
    cu_result (*release_context)(cu_device);
    cu_result (*set_context)(cu_handle);
    cu_result (*load_module)(cu_handle*, const void*);
    cu_result (*unload_module)(cu_handle);
    cu_result (*get_function)(cu_handle*, cu_handle, const char*);
    cu_result (*set_function_attribute)(cu_handle, int, int);
    cu_result (*launch)(const launch_configuration*, cu_handle, void**, void**);
    cu_result (*synchronize)();
    cu_result (*allocate)(cu_pointer*, std::size_t);
    cu_result (*release)(cu_pointer);
    cu_result (*fill)(cu_pointer, unsigned char, std::size_t);
    cu_result (*copy)(cu_pointer, cu_pointer, std::size_t);
    cu_result (*create_event)(cu_handle*, unsigned);
    cu_result (*destroy_event)(cu_handle);
    cu_result (*record_event)(cu_handle, cu_handle);
    cu_result (*wait_for_event)(cu_handle);
    cu_result (*elapsed)(float*, cu_handle, cu_handle);
    cu_result (*error_string)(cu_result, const char**);

    bool found;

    driver()
    {
        shared_library library("libcuda.so.1");
        library.find(init, "cuInit");
        library.find(device_count, "cuDeviceGetCount");
        library.find(device_get, "cuDeviceGet");
        library.find(device_attribute, "cuDeviceGetAttribute");
        library.find(retain_context, "cuDevicePrimaryCtxRetain");
        library.find(release_context, "cuDevicePrimaryCtxRelease_v2");
        library.find(set_context, "cuCtxSetCurrent");
        library.find(load_module, "cuModuleLoadData");
        library.find(unload_module, "cuModuleUnload");
        library.find(get_function, "cuModuleGetFunction");
        library.find(set_function_attribute, "cuFuncSetAttribute");
        library.find(launch, "cuLaunchKernelEx");
        library.find(synchronize, "cuCtxSynchronize");
        library.find(allocate, "cuMemAlloc_v2");
        library.find(release, "cuMemFree_v2");
        library.find(fill, "cuMemsetD8_v2");
        library.find(copy, "cuMemcpy");
        library.find(create_event, "cuEventCreate");
        library.find(destroy_event, "cuEventDestroy_v2");
        library.find(record_event, "cuEventRecord");
        library.find(wait_for_event, "cuEventSynchronize");
        library.find(elapsed, "cuEventElapsedTime");
        library.find(error_string, "cuGetErrorString");
        found = library.complete();
    }
};

const driver& cuda()
{
    static const driver d;
    return d;
}

status checked(cu_result error, std::string_view what)
{
    if(error == 0)
        return {};
    const char* text = nullptr;
    (void)cuda().error_string(error, &text);
    return rejection{fmt::format("CUDA: {} failed: {}", what, text != nullptr ? text : "an unknown error")};
}

cu_pointer address_of(const void* p) { return reinterpret_cast<cu_pointer>(p); }

class cuda_backend : public backend
{
  public:
    cuda_backend(const target& facts, cu_device device, int multiprocessors)
        : target_(facts), device_(device), multiprocessors_(multiprocessors)
    {
    }

    ~cuda_backend() override
    {
        for(const auto& [image, module] : modules_)
            (void)cuda().unload_module(module);
        if(context_ != nullptr)
            (void)cuda().release_context(device_);
    }

    status open()
    {
        if(status s = checked(cuda().retain_context(&context_, device_), "opening the GPU"); !s)
            return s;
        for(const code_object& object : all_code_objects())
            if(object.architecture == target_.name)
                return checked(cuda().set_context(context_), "using the GPU");
        return rejection{
            fmt::format("this program holds no code for {0}: build it with {0} in CK_TILE_TARGETS", target_.name)};
    }

    const target& architecture() const override { return target_; }
    bool is_host() const override { return false; }
    std::string name() const override { return fmt::format("cuda:{}", target_.name); }
    int compute_units() const override { return multiprocessors_; }

    result<device_buffer> allocate(std::size_t bytes, bool zeroed) override
    {
        cu_pointer memory = 0;
        if(cuda().allocate(&memory, std::max<std::size_t>(bytes, 1)) != 0)
            return rejection{
                fmt::format("{} bytes of device memory cannot be allocated: choose a smaller problem", bytes)};
        device_buffer buffer(reinterpret_cast<void*>(memory), bytes,
                             [](void* p) { (void)cuda().release(address_of(p)); });
        if(zeroed && bytes > 0)
            if(const status s = checked(cuda().fill(memory, 0, bytes), "clearing memory"); !s)
                return rejection{s.reason()};
        return buffer;
    }

    status copy(void* destination, const void* source, std::size_t bytes) override
    {
        if(bytes == 0)
            return {};
        return checked(cuda().copy(address_of(destination), address_of(source), bytes), "copying memory");
    }

    status launch(const kernel& k, grid blocks, const void* arguments, std::size_t argument_bytes) override
    {
        const result<cu_handle> function = find(k);
        if(!function.ok())
            return rejection{function.reason()};
        void* extra[]                 = {reinterpret_cast<void*>(parameter_buffer), const_cast<void*>(arguments),
                                         reinterpret_cast<void*>(parameter_bytes), &argument_bytes, nullptr};
        const unsigned units          = static_cast<unsigned>(k.units);
        launch_attribute attributes[] = {{stream_serialization, {1}}, {cluster_dimension, {units, 1, 1}}};
        const launch_configuration configuration = {{blocks.x * units, blocks.y, blocks.z},
                                                    {static_cast<unsigned>(k.threads), 1, 1},
                                                    static_cast<unsigned>(k.lds_bytes),
                                                    nullptr,
                                                    attributes,
                                                    units > 1 ? 2u : 1u};
        return checked(cuda().launch(&configuration, *function, nullptr, extra), fmt::format("launching {}", k.name));
    }

    status synchronize() override { return checked(cuda().synchronize(), "a kernel"); }

    result<double> time(const std::function<status()>& work, int repeats) override
    {
        cu_handle start = nullptr, stop = nullptr;
        if(cuda().create_event(&start, 0) != 0 || cuda().create_event(&stop, 0) != 0)
            return rejection{"CUDA: no event could be made to take the time with"};
        const auto median = median_by_events(
            work, repeats, [&] { (void)cuda().record_event(start, nullptr); },
            [&] { (void)cuda().record_event(stop, nullptr); },
            [&](float& milliseconds) {
                const status s = checked(cuda().wait_for_event(stop), "a timed kernel");
                return s ? checked(cuda().elapsed(&milliseconds, start, stop), "taking the time") : s;
            });
        (void)cuda().destroy_event(start);
        (void)cuda().destroy_event(stop);
        return median;
    }

  private:
    // A code object holds the kernels of one source, so that a module is loaded when the first of them is launched. Which one
    // that is, its text or its symbol table tells.
    result<cu_handle> find(const kernel& k)
    {
        if(const auto known = functions_.find(k.name); known != functions_.end())
            return known->second;
        for(const code_object& object : all_code_objects())
        {
            if(object.architecture != target_.name || !mentions(object, k.name))
                continue;
            cu_handle& module = modules_[object.image.data()];
            if(module == nullptr)
                if(status s = checked(cuda().load_module(&module, object.image.data()), "loading a code object"); !s)
                    return rejection{s.reason()};
            cu_handle function = nullptr;
            if(cuda().get_function(&function, module, k.name) != 0)
                continue;
            if(status s = checked(cuda().set_function_attribute(function, function_dynamic_shared_bytes, k.lds_bytes),
                                  fmt::format("giving {} {} bytes of shared memory", k.name, k.lds_bytes));
               !s)
                return rejection{s.reason()};
            functions_[k.name] = function;
            return function;
        }
        return rejection{fmt::format("kernel {} is not in the code objects for {}: rebuild with its instance", k.name,
                                     target_.name)};
    }

    static bool mentions(const code_object& object, std::string_view name)
    {
        return std::search(object.image.begin(), object.image.end(), name.begin(), name.end()) != object.image.end();
    }

    const target& target_;
    cu_device device_;
    int multiprocessors_;
    cu_handle context_ = nullptr;
    std::map<const unsigned char*, cu_handle> modules_; // by image
    std::map<std::string_view, cu_handle> functions_;
};

} // namespace

result<std::unique_ptr<backend>> open_cuda()
{
    int count = 0;
    if(!cuda().found || cuda().init(0) != 0 || cuda().device_count(&count) != 0 || count == 0)
        return rejection{"no NVIDIA GPU was found by CUDA's driver"};
    cu_device device = 0;
    int major = 0, minor = 0, multiprocessors = 0;
    if(cuda().device_get(&device, 0) != 0 || cuda().device_attribute(&major, attribute_capability_major, device) != 0 ||
       cuda().device_attribute(&minor, attribute_capability_minor, device) != 0 ||
       cuda().device_attribute(&multiprocessors, attribute_multiprocessors, device) != 0)
        return rejection{"CUDA's driver finds an NVIDIA GPU but does not describe it"};
    if(major != 9 || minor != 0)
        return rejection{fmt::format("the NVIDIA GPU of compute capability {}.{} is not a target of this library: it "
                                     "knows sm90",
                                     major, minor)};
    auto gpu = std::make_unique<cuda_backend>(sm90, device, multiprocessors);
    if(const status s = gpu->open(); !s)
        return rejection{s.reason()};
    return std::unique_ptr<backend>(std::move(gpu));
}

} // namespace ck_tile

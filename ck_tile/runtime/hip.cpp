// SPDX-License-Identifier: MIT
// An AMD GPU through the HIP runtime, which is loaded when it is asked for: code objects of its architecture are loaded as
// modules, kernels found by name.
#include "ck_tile/runtime/backend.hpp"
#include "ck_tile/runtime/code_objects.hpp"
#include "ck_tile/runtime/event_timing.hpp"
#include "ck_tile/runtime/shared_library.hpp"

#include <fmt/format.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include <algorithm>
#include <map>
#include <vector>

// The name of a function in the library, which may not be the one in the header.
#define CK_TILE_TEXT(name) #name
#define CK_TILE_SYMBOL(function) CK_TILE_TEXT(function)

namespace ck_tile
{
namespace
{

// The HIP runtime of the version that this is compiled for, if it is installed.
struct hip_runtime
{
    decltype(&::hipDeviceSynchronize) deviceSynchronize;
    decltype(&::hipEventCreate) eventCreate;
    decltype(&::hipEventDestroy) eventDestroy;
    decltype(&::hipEventElapsedTime) eventElapsedTime;
    decltype(&::hipEventRecord) eventRecord;
    decltype(&::hipEventSynchronize) eventSynchronize;
    decltype(&::hipFree) free;
    decltype(&::hipGetDeviceCount) getDeviceCount;
    decltype(&::hipGetDeviceProperties) getDeviceProperties;
    decltype(&::hipGetErrorString) getErrorString;
    hipError_t (*malloc)(void**, std::size_t);
    decltype(&::hipMemcpy) memcpy;
    decltype(&::hipMemset) memset;
    decltype(&::hipModuleGetFunction) moduleGetFunction;
    decltype(&::hipModuleLaunchKernel) moduleLaunchKernel;
    decltype(&::hipModuleLoadData) moduleLoadData;
    decltype(&::hipModuleUnload) moduleUnload;
    bool found;

    hip_runtime()
    {
        shared_library library(fmt::format("libamdhip64.so.{}", HIP_VERSION_MAJOR));
        library.find(deviceSynchronize, CK_TILE_SYMBOL(hipDeviceSynchronize));
        library.find(eventCreate, CK_TILE_SYMBOL(hipEventCreate));
        library.find(eventDestroy, CK_TILE_SYMBOL(hipEventDestroy));
        library.find(eventElapsedTime, CK_TILE_SYMBOL(hipEventElapsedTime));
        library.find(eventRecord, CK_TILE_SYMBOL(hipEventRecord));
        library.find(eventSynchronize, CK_TILE_SYMBOL(hipEventSynchronize));
        library.find(free, CK_TILE_SYMBOL(hipFree));
        library.find(getDeviceCount, CK_TILE_SYMBOL(hipGetDeviceCount));
        library.find(getDeviceProperties, CK_TILE_SYMBOL(hipGetDeviceProperties));
        library.find(getErrorString, CK_TILE_SYMBOL(hipGetErrorString));
        library.find(malloc, CK_TILE_SYMBOL(hipMalloc));
        library.find(memcpy, CK_TILE_SYMBOL(hipMemcpy));
        library.find(memset, CK_TILE_SYMBOL(hipMemset));
        library.find(moduleGetFunction, CK_TILE_SYMBOL(hipModuleGetFunction));
        library.find(moduleLaunchKernel, CK_TILE_SYMBOL(hipModuleLaunchKernel));
        library.find(moduleLoadData, CK_TILE_SYMBOL(hipModuleLoadData));
        library.find(moduleUnload, CK_TILE_SYMBOL(hipModuleUnload));
        found = library.complete();
    }
};

const hip_runtime& hip()
{
    static const hip_runtime runtime;
    return runtime;
}

status checked(hipError_t error, std::string_view what)
{
    if(error == hipSuccess)
        return {};
    return rejection{fmt::format("HIP: {} failed: {}", what, hip().getErrorString(error))};
}

// "gfx90a:sramecc+:xnack-" without its features.
std::string_view processor(std::string_view name) { return name.substr(0, name.find(':')); }

// The target whose kernels run on the processor: every gfx11xx chip runs those of gfx11.
const target* target_of(std::string_view processor)
{
    return find_target(processor.starts_with("gfx11") ? "gfx11" : processor);
}

bool runs_on(std::string_view code_architecture, std::string_view processor)
{
    return code_architecture == processor || (code_architecture == "gfx11-generic" && processor.starts_with("gfx11"));
}

class hip_backend : public backend
{
  public:
    hip_backend(const target& facts, std::string processor, int compute_units)
        : target_(facts), processor_(std::move(processor)), compute_units_(compute_units)
    {
    }

    ~hip_backend() override
    {
        for(hipModule_t m : modules_)
            (void)hip().moduleUnload(m);
    }

    status load()
    {
        for(const code_object& object : all_code_objects())
            if(runs_on(object.architecture, processor_))
            {
                hipModule_t module = nullptr;
                if(status s = checked(hip().moduleLoadData(&module, object.image.data()), "loading a code object"); !s)
                    return s;
                modules_.push_back(module);
            }
        if(modules_.empty())
            return rejection{fmt::format("this program holds no code for {}: build it with {} in CK_TILE_TARGETS",
                                         processor_, target_.name)};
        return {};
    }

    const target& architecture() const override { return target_; }
    bool is_host() const override { return false; }
    std::string name() const override { return fmt::format("hip:{}", processor_); }
    int compute_units() const override { return compute_units_; }

    result<device_buffer> allocate(std::size_t bytes, bool zeroed) override
    {
        void* memory = nullptr;
        if(hip().malloc(&memory, std::max<std::size_t>(bytes, 1)) != hipSuccess)
            return rejection{
                fmt::format("{} bytes of device memory cannot be allocated: choose a smaller problem", bytes)};
        device_buffer buffer(memory, bytes, [](void* p) { (void)hip().free(p); });
        if(zeroed)
            if(const status s = checked(hip().memset(memory, 0, bytes), "clearing memory"); !s)
                return rejection{s.reason()};
        return buffer;
    }

    status copy(void* destination, const void* source, std::size_t bytes) override
    {
        return checked(hip().memcpy(destination, source, bytes, hipMemcpyDefault), "copying memory");
    }

    status launch(const kernel& k, grid blocks, const void* arguments, std::size_t argument_bytes) override
    {
        hipFunction_t& function = functions_[k.name];
        for(hipModule_t module : modules_)
            if(function == nullptr && hip().moduleGetFunction(&function, module, k.name) != hipSuccess)
                function = nullptr;
        if(function == nullptr)
            return rejection{fmt::format("kernel {} is not in the code objects for {}: rebuild with its instance",
                                         k.name, processor_)};
        void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments), HIP_LAUNCH_PARAM_BUFFER_SIZE,
                         &argument_bytes, HIP_LAUNCH_PARAM_END};
        return checked(hip().moduleLaunchKernel(function, blocks.x, blocks.y, blocks.z,
                                                static_cast<unsigned>(k.threads), 1, 1, 0, nullptr, nullptr, extra),
                       fmt::format("launching {}", k.name));
    }

    status synchronize() override { return checked(hip().deviceSynchronize(), "a kernel"); }

    result<double> time(const std::function<status()>& work, int repeats) override
    {
        hipEvent_t start = nullptr, stop = nullptr;
        if(hip().eventCreate(&start) != hipSuccess || hip().eventCreate(&stop) != hipSuccess)
            return rejection{"HIP: no event could be made to take the time with"};
        const auto median = median_by_events(
            work, repeats, [&] { (void)hip().eventRecord(start, nullptr); },
            [&] { (void)hip().eventRecord(stop, nullptr); },
            [&](float& milliseconds) {
                const status s = checked(hip().eventSynchronize(stop), "a timed kernel");
                return s ? checked(hip().eventElapsedTime(&milliseconds, start, stop), "taking the time") : s;
            });
        (void)hip().eventDestroy(start);
        (void)hip().eventDestroy(stop);
        return median;
    }

  private:
    const target& target_;
    std::string processor_;
    int compute_units_;
    std::vector<hipModule_t> modules_;
    std::map<std::string_view, hipFunction_t> functions_;
};

} // namespace

result<std::unique_ptr<backend>> open_hip()
{
    int count = 0;
    if(!hip().found || hip().getDeviceCount(&count) != hipSuccess || count == 0)
        return rejection{"no AMD GPU was found by the HIP runtime"};
    hipDeviceProp_t properties = {};
    if(hip().getDeviceProperties(&properties, 0) != hipSuccess)
        return rejection{"the HIP runtime finds an AMD GPU but does not describe it"};
    const std::string chip(processor(properties.gcnArchName));
    const target* facts = target_of(chip);
    if(facts == nullptr)
        return rejection{
            fmt::format("the AMD GPU {} is not a target of this library: it knows {}", chip, target_names())};
    auto gpu = std::make_unique<hip_backend>(*facts, chip, properties.multiProcessorCount);
    if(const status s = gpu->load(); !s)
        return rejection{s.reason()};
    return std::unique_ptr<backend>(std::move(gpu));
}

} // namespace ck_tile

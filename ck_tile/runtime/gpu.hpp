// SPDX-License-Identifier: MIT
// A GPU behind its driver, HIP's or CUDA's: what is alike with both. A Driver has their functions under one set of names, the
// types of their handles, and what each does in its own way.
#pragma once

#include "ck_tile/runtime/backend.hpp"
#include "ck_tile/runtime/code_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace ck_tile
{

// What a driver tells of a GPU.
struct gpu_description
{
    const target* facts;
    std::string processor; // as the compiler is told: "gfx1100", "sm90"
    int compute_units;
};

constexpr unsigned non_blocking_stream = 1; // hipStreamNonBlocking, CU_STREAM_NON_BLOCKING

// Before a time is taken: a GPU that has been busy lowers its clocks for a while, by a fifth and more, to stay within its power.
constexpr std::chrono::milliseconds gpu_rest(100);

template <class Driver>
class gpu_backend : public backend, public std::enable_shared_from_this<gpu_backend<Driver>>
{
    using error        = typename Driver::error;
    using context      = typename Driver::context;
    using module       = typename Driver::module;
    using function     = typename Driver::function;
    using event_handle = typename Driver::event;

  public:
    static result<std::shared_ptr<backend>> open(int ordinal)
    {
        int count = 0;
        if(!driver().found || driver().count(&count) != success || count == 0)
            return rejection{fmt::format("no {} GPU was found by {}", Driver::maker, Driver::long_name)};
        if(ordinal >= count)
            return rejection{fmt::format("{} GPU {} is not there: {} finds {}, numbered from 0", Driver::maker, ordinal,
                                         Driver::long_name, count)};
        const result<gpu_description> description = driver().describe(ordinal);
        if(!description)
            return rejection{description.reason()};
        const auto gpu = std::make_shared<gpu_backend>(ordinal, *description);
        if(status usable = gpu->holds_code(); !usable)
            return rejection{usable.reason()};
        if(const status s = checked(driver().retain(&gpu->context_, ordinal), "opening the GPU"); !s)
            return rejection{s.reason()};
        gpu->retained_ = true;
        return std::shared_ptr<backend>(gpu);
    }

    gpu_backend(int ordinal, const gpu_description& description) : ordinal_(ordinal), description_(description) {}

    ~gpu_backend() override
    {
        if(!retained_)
            return;
        {
            const on_this_thread own(context_);
            for(const auto& [image, loaded] : modules_)
                (void)driver().unload_module(loaded);
        }
        driver().release(ordinal_);
    }

    const target& architecture() const override { return *description_.facts; }
    bool is_host() const override { return false; }
    std::string name() const override { return fmt::format("{}:{}", Driver::short_name, description_.processor); }
    int compute_units() const override { return description_.compute_units; }

    result<device_buffer> allocate(std::size_t bytes, bool zeroed) override
    {
        const on_this_thread own(context_);
        void* memory = nullptr;
        if(driver().allocate(&memory, std::max<std::size_t>(bytes, 1)) != success)
            return rejection{
                fmt::format("{} bytes of device memory cannot be allocated: choose a smaller problem", bytes)};
        device_buffer buffer(memory, bytes, [gpu = this->shared_from_this()](void* p) {
            const on_this_thread own(gpu->context_);
            (void)driver().free(p);
        });
        if(zeroed && bytes > 0)
        {
            if(const status s = fill(memory, 0, bytes, {}); !s)
                return rejection{s.reason()};
            if(const status s = synchronize(stream{}); !s)
                return rejection{s.reason()};
        }
        return buffer;
    }

    result<owned_stream> make_stream() override
    {
        const on_this_thread own(context_);
        typename Driver::stream made = nullptr;
        if(const status s = checked(driver().create_stream(&made, non_blocking_stream), "making a stream"); !s)
            return rejection{s.reason()};
        return owned_stream(made, [gpu = this->shared_from_this()](void* native) {
            const on_this_thread own(gpu->context_);
            (void)driver().destroy_stream(handle_of({native}));
        });
    }

    status fill(void* destination, unsigned char value, std::size_t bytes, stream s) override
    {
        const on_this_thread own(context_);
        return checked(driver().fill(destination, value, bytes, handle_of(s)), "filling memory");
    }

    status copy(void* destination, const void* source, std::size_t bytes, stream s) override
    {
        const on_this_thread own(context_);
        if(status queued = checked(driver().copy(destination, source, bytes, handle_of(s)), "copying memory"); !queued)
            return queued;
        return checked(driver().synchronize_stream(handle_of(s)), "copying memory");
    }

    status load(const kernel& k) override
    {
        const on_this_thread own(context_);
        return find(k).verdict();
    }

    status launch(const kernel& k, grid blocks, const void* arguments, stream s) override
    {
        const on_this_thread own(context_);
        const result<function> found = find(k);
        if(!found)
            return rejection{found.reason()};
        return checked(driver().launch(*found, k, blocks, arguments, handle_of(s)), "launching {}", k.name);
    }

    status synchronize() override
    {
        const on_this_thread own(context_);
        return checked(driver().synchronize(), "a kernel");
    }

    status synchronize(stream s) override
    {
        const on_this_thread own(context_);
        return checked(driver().synchronize_stream(handle_of(s)), "a kernel");
    }

    result<std::vector<double>> times(const std::function<status()>& work, int repeats, stream s) override
    {
        const on_this_thread own(context_);
        const event start, stop;
        if(start.handle == nullptr || stop.handle == nullptr)
            return rejection{fmt::format("no event to take the time with could be made ({})", Driver::long_name)};
        if(repeats > 1) // one run is an estimate
        {
            if(const status idle = synchronize(s); !idle)
                return rejection{idle.reason()};
            std::this_thread::sleep_for(gpu_rest);
        }
        std::vector<float> milliseconds(static_cast<std::size_t>(repeats) + 1);
        for(float& taken : milliseconds)
            if(const status timed = time_once(work, start, stop, s, taken); !timed)
                return rejection{timed.reason()};
        return std::vector<double>(milliseconds.begin() + 1, milliseconds.end()); // the first was to warm up
    }

  private:
    static constexpr error success{};

    static const Driver& driver()
    {
        static const Driver d;
        return d;
    }

    static typename Driver::stream handle_of(stream s) { return static_cast<typename Driver::stream>(s.native); }

    // Success, or that what the text says failed, which is put together only then.
    template <class... Values>
    static status checked(error e, fmt::format_string<const Values&...> text, const Values&... values)
    {
        if(e == success)
            return {};
        return rejection{
            fmt::format("{} failed: {} ({})", fmt::format(text, values...), driver().text_of(e), Driver::long_name)};
    }

    // Makes the GPU that of the calling thread; the one that the caller had there comes back.
    class on_this_thread
    {
      public:
        explicit on_this_thread(context own)
        {
            switched_ = driver().get_context(&before_) != success || before_ != own;
            if(switched_)
                (void)driver().set_context(own); // where this fails, so does what needs it
        }
        on_this_thread(const on_this_thread&) = delete;
        ~on_this_thread()
        {
            if(switched_)
                (void)driver().set_context(before_);
        }

      private:
        context before_ = {};
        bool switched_;
    };

    struct event
    {
        event_handle handle = nullptr;

        event() { (void)driver().create_event(&handle, 0); }
        event(const event&) = delete;
        ~event()
        {
            if(handle != nullptr)
                (void)driver().destroy_event(handle);
        }
    };

    static status time_once(const std::function<status()>& work, const event& start, const event& stop, stream s,
                            float& taken)
    {
        // Two runs that are not timed keep the device busy while the timed one is queued: its launch does not count.
        for(int ahead = 0; ahead < 2; ++ahead)
            if(status queued = work(); !queued)
                return queued;
        if(status queued = checked(driver().record_event(start.handle, handle_of(s)), "taking the time"); !queued)
            return queued;
        if(status queued = work(); !queued)
            return queued;
        if(status queued = checked(driver().record_event(stop.handle, handle_of(s)), "taking the time"); !queued)
            return queued;
        if(status done = checked(driver().wait_for_event(stop.handle), "a timed kernel"); !done)
            return done;
        return checked(driver().elapsed(&taken, start.handle, stop.handle), "taking the time");
    }

    // Those for the processor, its own before those of its family.
    std::vector<code_object> code_objects() const
    {
        std::vector<code_object> own = all_code_objects();
        std::erase_if(own, [&](const code_object& object) {
            return !Driver::runs_on(object.architecture, description_.processor);
        });
        std::partition(own.begin(), own.end(),
                       [&](const code_object& object) { return object.architecture == description_.processor; });
        return own;
    }

    // Whether there is code for the GPU that its driver can load, or what is missing.
    status holds_code() const
    {
        const std::vector<code_object> own = code_objects();
        if(own.empty())
            return rejection{fmt::format("this program holds no code for {}: build it with {} in CK_TILE_TARGETS",
                                         description_.processor, description_.facts->name)};
        return driver().loads(own.front().architecture, description_.processor);
    }

    // The kernel's function. A code object holds the kernels of one source, so that a module is loaded when the first of them is
    // launched. Which one that is, its text or its symbol table tells.
    result<function> find(const kernel& k)
    {
        {
            const std::shared_lock reading(functions_mutex_);
            if(const auto known = functions_.find(std::string_view(k.name)); known != functions_.end())
                return known->second;
        }
        const std::scoped_lock loading(modules_mutex_); // launches of functions that are known go on
        for(const code_object& object : code_objects())
        {
            if(!mentions(object, k.name))
                continue;
            module& loaded = modules_[object.image.data()];
            if(loaded == nullptr)
                if(status s = checked(driver().load_module(&loaded, object.image.data()), "loading a code object"); !s)
                    return rejection{s.reason()};
            function found = nullptr;
            if(driver().get_function(&found, loaded, k.name) != success)
                continue;
            if(status s = checked(driver().prepare(found, k), "giving {} {} bytes of LDS", k.name, k.lds_bytes); !s)
                return rejection{s.reason()};
            const std::scoped_lock writing(functions_mutex_);
            functions_.emplace(k.name, found);
            return found;
        }
        return rejection{fmt::format("kernel {} is not in the code objects for {}: rebuild with its instance", k.name,
                                     description_.processor)};
    }

    // Whether the name is there, and not as the start of a longer one.
    static bool mentions(const code_object& object, std::string_view name)
    {
        const auto image = object.image;
        for(auto at = image.begin(); at != image.end(); ++at)
        {
            at = std::search(at, image.end(), name.begin(), name.end());
            if(at == image.end())
                return false;
            const auto next = at + static_cast<std::ptrdiff_t>(name.size());
            if(next == image.end() || (*next != '_' && std::isalnum(*next) == 0))
                return true;
        }
        return false;
    }

    int ordinal_;
    gpu_description description_;
    context context_ = {};
    bool retained_   = false;
    std::mutex modules_mutex_;
    std::map<const unsigned char*, module> modules_; // by image
    std::shared_mutex functions_mutex_;
    std::map<std::string, function, std::less<>> functions_; // by name
};

} // namespace ck_tile

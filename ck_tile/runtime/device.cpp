// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/device.hpp"

#include "ck_tile/runtime/backend.hpp"

#include <fmt/format.h>

namespace ck_tile
{

device::device(std::unique_ptr<backend> b, std::string notice) : backend_(std::move(b)), notice_(std::move(notice)) {}
device::device(device&&) noexcept            = default;
device& device::operator=(device&&) noexcept = default;
device::~device()                            = default;

result<device> device::open(std::string_view name)
{
    std::string missing;
    using opener = result<std::unique_ptr<backend>> (*)();
    for(const auto& [gpu_name, open_gpu] : {std::pair<const char*, opener>{"hip", open_hip}, {"cuda", open_cuda}})
        if(name == gpu_name || name == "auto")
        {
            auto gpu = open_gpu();
            if(gpu.ok())
                return device(std::move(*gpu), {});
            if(name == gpu_name)
                return rejection{gpu.reason()};
            missing += gpu.reason() + "; ";
        }
    if(name == "auto")
        return device(open_host(gfx942), missing + "running on the CPU as host:gfx942");
    if(name == "host")
        return device(open_host(gfx942), {});
    if(name.starts_with("host:"))
        if(const target* t = find_target(name.substr(5)))
            return device(open_host(*t), {});

    return rejection{fmt::format("target '{}' is not known: choose one of auto, hip, cuda, host, {}", name,
                                 target_names("host:"))};
}

const target& device::architecture() const { return backend_->architecture(); }
bool device::is_host() const { return backend_->is_host(); }
std::string device::name() const { return backend_->name(); }
const std::string& device::notice() const { return notice_; }
int device::compute_units() const { return backend_->compute_units(); }

result<device_buffer> device::allocate(std::size_t bytes) const { return backend_->allocate(bytes, false); }
result<device_buffer> device::allocate_zeroed(std::size_t bytes) const { return backend_->allocate(bytes, true); }

status device::copy_to_device(void* destination, const void* source, std::size_t bytes) const
{
    return backend_->copy(destination, source, bytes);
}

status device::copy_to_host(void* destination, const void* source, std::size_t bytes) const
{
    return backend_->copy(destination, source, bytes);
}

status device::launch(const kernel& k, grid blocks, const void* arguments, std::size_t argument_bytes) const
{
    if(blocks.x == 0 || blocks.y == 0 || blocks.z == 0)
        return {};
    return backend_->launch(k, blocks, arguments, argument_bytes);
}

status device::synchronize() const { return backend_->synchronize(); }

result<double> device::time(const std::function<status()>& work, int repeats) const
{
    return backend_->time(work, repeats);
}

} // namespace ck_tile

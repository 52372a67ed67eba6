// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/device.hpp"

#include "ck_tile/runtime/backend.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace ck_tile
{
namespace
{

// The number of the GPU that "hip", "hip:<n>" and the like ask for, if `name` is one of these.
std::optional<int> ordinal_in(std::string_view name, std::string_view kind)
{
    if(name == kind)
        return 0;
    if(!name.starts_with(kind) || name[kind.size()] != ':')
        return {};
    const std::string_view digits = name.substr(kind.size() + 1);
    unsigned short ordinal        = 0;
    const auto [end, error]       = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if(error != std::errc() || end != digits.data() + digits.size())
        return {};
    return ordinal;
}

} // namespace

device::device(std::shared_ptr<backend> b, std::string notice) : backend_(std::move(b)), notice_(std::move(notice)) {}

result<device> device::open(std::string_view name)
{
    std::string missing;
    using opener = result<std::shared_ptr<backend>> (*)(int);
    for(const auto& [kind, open_gpu] : {std::pair<const char*, opener>{"hip", open_hip}, {"cuda", open_cuda}})
        if(const auto ordinal = name == "auto" ? 0 : ordinal_in(name, kind))
        {
            auto gpu = open_gpu(*ordinal);
            if(gpu.ok())
                return device(std::move(*gpu), {});
            if(name != "auto")
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

    return rejection{
        fmt::format("target '{}' is not known: choose one of auto, hip, cuda, hip:<number>, cuda:<number>, host, {}",
                    name, target_names("host:"))};
}

const target& device::architecture() const { return backend_->architecture(); }
bool device::is_host() const { return backend_->is_host(); }
std::string device::name() const { return backend_->name(); }
const std::string& device::notice() const { return notice_; }
int device::compute_units() const { return backend_->compute_units(); }

result<device_buffer> device::allocate(std::size_t bytes) const { return backend_->allocate(bytes, false); }
result<device_buffer> device::allocate_zeroed(std::size_t bytes) const { return backend_->allocate(bytes, true); }
result<owned_stream> device::make_stream() const { return backend_->make_stream(); }

status device::fill(void* destination, unsigned char value, std::size_t bytes, stream s) const
{
    return bytes == 0 ? status{} : backend_->fill(destination, value, bytes, s);
}

status device::copy_to_device(void* destination, const void* source, std::size_t bytes, stream s) const
{
    return bytes == 0 ? status{} : backend_->copy(destination, source, bytes, s);
}

status device::copy_to_host(void* destination, const void* source, std::size_t bytes, stream s) const
{
    return bytes == 0 ? status{} : backend_->copy(destination, source, bytes, s);
}

status device::check_architecture(const kernel& k) const
{
    const target& own = architecture();
    if(k.arch != own.arch)
        return rejection{fmt::format(
            "a kernel runs on the architecture that it is compiled for: {0} is compiled for {1}, the device "
            "is {2}: launch a kernel compiled for {3}, or open a device of {1}",
            k.name, facts(k.arch).name, name(), own.name)};
    return {};
}

status device::load(const kernel& k) const
{
    const status fits = check_architecture(k);
    return fits ? backend_->load(k) : fits;
}

status device::launch(const kernel& k, grid blocks, const void* arguments, std::size_t argument_bytes, stream s) const
{
    if(status fits = check_architecture(k); !fits)
        return fits;
    if(argument_bytes != static_cast<std::size_t>(k.argument_bytes))
        return rejection{fmt::format("a launch passes the arguments of the kernel's program: {} takes {} bytes, given "
                                     "are {}: pass the program's own struct `arguments`",
                                     k.name, k.argument_bytes, argument_bytes)};
    if(blocks.x == 0 || blocks.y == 0 || blocks.z == 0)
        return {};
    return backend_->launch(k, blocks, arguments, s);
}

result<const kernel*> device::choose(const kernel_set& all) const
{
    const target& own = architecture();
    std::vector<std::string_view> others;
    for(const kernel* const k : all.kernels)
    {
        if(k->arch == own.arch && (!is_host() || k->on_host != nullptr))
            return k;
        others.push_back(facts(k->arch).name);
    }
    return rejection{fmt::format("a kernel runs on an architecture that it is compiled for: {} is compiled for {}, the "
                                 "device is {}: add {} to the ARCHITECTURES of its ck_tile_add_kernel(), and {} to "
                                 "CK_TILE_TARGETS",
                                 all.name, fmt::join(others, ", "), name(), own.name, is_host() ? name() : own.name)};
}

result<grid> device::blocks_of(const kernel_set& all, const void* arguments) const
{
    const result<const kernel*> own = choose(all);
    if(!own)
        return rejection{own.reason()};
    if((*own)->blocks == nullptr)
        return rejection{fmt::format("a launch without a number of blocks takes the program's: that of {} has no "
                                     "blocks(const arguments&): add it, or launch with a grid",
                                     all.name)};
    return (*own)->blocks(arguments);
}

status device::synchronize() const { return backend_->synchronize(); }
status device::synchronize(stream s) const { return backend_->synchronize(s); }

result<std::vector<double>> device::times(const std::function<status()>& work, int repeats, stream s) const
{
    return backend_->times(work, repeats, s);
}

result<double> device::time(const std::function<status()>& work, int repeats, stream s) const
{
    result<std::vector<double>> all = times(work, repeats, s);
    if(!all)
        return rejection{all.reason()};
    const auto middle = all->begin() + repeats / 2;
    std::nth_element(all->begin(), middle, all->end());
    return *middle;
}

} // namespace ck_tile

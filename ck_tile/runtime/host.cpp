// SPDX-License-Identifier: MIT
// The CPU as a device: blocks run on all cores, one block per core at a time, each with LDS of the architecture's size.
#include "ck_tile/runtime/backend.hpp"
#include "ck_tile/runtime/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace ck_tile
{
namespace
{

constexpr std::size_t alignment = 256;

class host_backend : public backend
{
  public:
    explicit host_backend(const target& shape)
        : target_(shape), cores_(std::max(1u, std::thread::hardware_concurrency()))
    {
    }

    const target& architecture() const override { return target_; }
    bool is_host() const override { return true; }
    std::string name() const override { return fmt::format("host:{}", target_.name); }
    int compute_units() const override { return static_cast<int>(cores_); }

    result<device_buffer> allocate(std::size_t bytes, bool zeroed) override
    {
        // calloc takes large blocks from the system, which hands out zero pages when they are first touched.
        void* raw = zeroed ? std::calloc(1, bytes + alignment) : std::malloc(bytes + alignment);
        if(raw == nullptr)
            return rejection{fmt::format("{} bytes of memory cannot be allocated: choose a smaller problem", bytes)};
        auto* aligned =
            reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(raw) / alignment + 1) * alignment);
        std::memcpy(aligned - sizeof raw, &raw, sizeof raw);
        return device_buffer(aligned, bytes, [](void* p) {
            void* start = nullptr;
            std::memcpy(&start, static_cast<std::byte*>(p) - sizeof start, sizeof start);
            std::free(start);
        });
    }

    result<owned_stream> make_stream() override { return owned_stream{}; }

    status fill(void* destination, unsigned char value, std::size_t bytes, stream) override
    {
        std::memset(destination, value, bytes);
        return {};
    }

    status copy(void* destination, const void* source, std::size_t bytes, stream) override
    {
        std::memcpy(destination, source, bytes);
        return {};
    }

    status launch(const kernel& k, grid blocks, const void* arguments, stream) override
    {
        if(k.on_host == nullptr)
            return rejection{
                fmt::format("kernel {} was built without the host target: add host to CK_TILE_TARGETS", k.name)};
        const std::uint64_t count = std::uint64_t(blocks.x) * blocks.y * blocks.z;
        std::atomic<std::uint64_t> next{0};
        const auto work = [&] {
            std::vector<lds_line> lds(
                (static_cast<std::size_t>(k.lds_bytes * k.cluster) + sizeof(lds_line) - 1) / sizeof(lds_line) + 1);
            for(std::uint64_t b = next++; b < count; b = next++)
            {
                report_progress(static_cast<std::int64_t>(b), static_cast<std::int64_t>(count));
                const grid at = {static_cast<unsigned>(b % blocks.x), static_cast<unsigned>(b / blocks.x % blocks.y),
                                 static_cast<unsigned>(b / blocks.x / blocks.y)};
                k.on_host(arguments, at, lds.data()->bytes);
            }
        };
        const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(cores_, count));
        std::vector<std::jthread> others;
        for(unsigned w = 1; w < workers; ++w)
            others.emplace_back(work);
        work();
        return {};
    }

    status synchronize() override { return {}; }
    status synchronize(stream) override { return {}; }

    result<double> time(const std::function<status()>& work, int repeats, stream) override
    {
        std::vector<double> milliseconds;
        for(int i = 0; i < repeats; ++i)
        {
            const auto start = std::chrono::steady_clock::now();
            if(const status s = work(); !s)
                return rejection{s.reason()};
            const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
            milliseconds.push_back(taken.count());
        }
        std::nth_element(milliseconds.begin(), milliseconds.begin() + repeats / 2, milliseconds.end());
        return milliseconds[static_cast<std::size_t>(repeats / 2)];
    }

  private:
    struct alignas(64) lds_line
    {
        std::byte bytes[64];
    };

    const target& target_;
    unsigned cores_;
};

} // namespace

std::shared_ptr<backend> open_host(const target& shape) { return std::make_shared<host_backend>(shape); }

} // namespace ck_tile

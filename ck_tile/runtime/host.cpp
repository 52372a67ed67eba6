// SPDX-License-Identifier: MIT
// The CPU as a device: blocks run on all cores, one block per core at a time, each with LDS of the architecture's size.
#include "ck_tile/runtime/backend.hpp"
#include "ck_tile/runtime/host_checker.hpp"
#include "ck_tile/runtime/host_checks.hpp"
#include "ck_tile/runtime/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
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
        const std::size_t all = bytes + 2 * red_zone + alignment;
        void* raw             = all < bytes ? nullptr : zeroed ? std::calloc(1, all) : std::malloc(all);
        if(raw == nullptr)
            return rejection{fmt::format("{} bytes of memory cannot be allocated: choose a smaller problem", bytes)};
        auto* aligned =
            reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(raw) / alignment + 1) * alignment) +
            red_zone;
        mark_red_zones(aligned, bytes);
        add_host_memory(aligned, bytes);
        return device_buffer(aligned, bytes, [raw, bytes](void* p) {
            remove_host_memory(static_cast<std::byte*>(p));
            unmark_red_zones(static_cast<std::byte*>(p), bytes);
            std::free(raw);
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

    status load(const kernel& k) override
    {
        if(k.on_host == nullptr)
            return rejection{
                fmt::format("kernel {} was built without the host target: add host to CK_TILE_TARGETS", k.name)};
        return {};
    }

    status launch(const kernel& k, grid blocks, const void* arguments, stream) override
    {
        if(status loaded = load(k); !loaded)
            return loaded;
        const host_checks checks  = current_host_checks();
        const std::uint64_t count = std::uint64_t(blocks.x) * blocks.y * blocks.z;
        std::optional<checked_launch> checked;
        if(checks.enabled)
            checked.emplace(k, blocks, checks.seed);
        std::atomic<std::uint64_t> next{0};
        std::mutex failing;
        status failed;
        const auto work = [&] {
            const lds_memory lds(static_cast<std::size_t>(k.lds_bytes * k.cluster));
            std::optional<checked_launch::worker> worker;
            if(checked)
                worker.emplace(*checked, lds.data());
            for(std::uint64_t b = next++; b < count; b = next++)
            {
                report_progress(static_cast<std::int64_t>(b), static_cast<std::int64_t>(count));
                if(!worker)
                    k.on_host(arguments,
                              {static_cast<unsigned>(b % blocks.x), static_cast<unsigned>(b / blocks.x % blocks.y),
                               static_cast<unsigned>(b / blocks.x / blocks.y)},
                              lds.data());
                else if(status done = worker->run(arguments, checked->block_at(b)); !done)
                {
                    const std::lock_guard hold(failing);
                    if(failed.ok())
                        failed = std::move(done);
                    next = count;
                }
            }
        };
        const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(cores_, count));
        {
            std::vector<std::jthread> others;
            for(unsigned w = 1; w < workers; ++w)
                others.emplace_back(work);
            work();
        }
        if(checked && failed.ok())
            return checked->finish();
        return failed;
    }

    status synchronize() override { return {}; }
    status synchronize(stream) override { return {}; }

    result<std::vector<double>> times(const std::function<status()>& work, int repeats, stream) override
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
        return milliseconds;
    }

  private:
    // The LDS of a block, full of NaNs: nothing is zero that no program has written.
    class lds_memory
    {
      public:
        explicit lds_memory(std::size_t bytes)
            : bytes_(bytes),
              all_(static_cast<std::byte*>(::operator new(begin + bytes + red_zone, std::align_val_t{begin})))
        {
            std::memset(data(), 0xff, bytes);
            mark_red_zones(data(), bytes);
        }
        ~lds_memory()
        {
            unmark_red_zones(data(), bytes_);
            ::operator delete(all_, std::align_val_t{begin});
        }
        lds_memory(const lds_memory&)            = delete;
        lds_memory& operator=(const lds_memory&) = delete;

        std::byte* data() const { return all_ + begin; }

      private:
        // Behind a red zone, aligned as swizzled operands have to be.
        static constexpr std::size_t begin = 1024;
        static_assert(begin >= red_zone);

        std::size_t bytes_;
        std::byte* all_;
    };

    const target& target_;
    unsigned cores_;
};

} // namespace

std::shared_ptr<backend> open_host(const target& shape) { return std::make_shared<host_backend>(shape); }

} // namespace ck_tile

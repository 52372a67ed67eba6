// SPDX-License-Identifier: MIT
// Where kernels run: the CPU in the shape of a GPU architecture (`host:gfx942`), or a GPU. Memory, launch, time.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "ck_tile/targets/kernel.hpp"
#include "ck_tile/targets/target.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ck_tile
{

// Device memory that frees itself. `data()` is a device address: only on the host target may the CPU read it.
class device_buffer
{
  public:
    device_buffer() = default;
    device_buffer(void* memory, std::size_t bytes, void (*release)(void*)) : memory_(memory, release), bytes_(bytes) {}

    void* data() const { return memory_.get(); }
    std::size_t bytes() const { return bytes_; }

  private:
    std::unique_ptr<void, void (*)(void*)> memory_{nullptr, nullptr};
    std::size_t bytes_ = 0;
};

class backend; // one kind of device

class device
{
  public:
    // Opens the device that `name` asks for:
    //   "host"          the CPU, in the shape of gfx942        "host:<architecture>"  the CPU in that shape
    //   "hip"           the first AMD GPU                      "cuda"                 the first NVIDIA GPU
    //   "auto"          the first GPU of these, else "host"
    // Rejects names that are not known, GPUs that are not there, and GPUs that this library has no code for.
    static result<device> open(std::string_view name);

    device(device&&) noexcept;
    device& operator=(device&&) noexcept;
    ~device();

    const target& architecture() const; // the facts of the architecture that kernels are chosen for
    bool is_host() const;
    std::string name() const;          // "host:gfx942", "hip:gfx90a"
    const std::string& notice() const; // one line when "auto" fell back to the CPU, else empty
    int compute_units() const;         // what works on blocks at the same time: compute units, or the CPU's cores

    // Memory aligned to 256 bytes; a rejection says how much was asked for. Zeroed pages of the host that are never
    // touched cost nothing.
    result<device_buffer> allocate(std::size_t bytes) const;
    result<device_buffer> allocate_zeroed(std::size_t bytes) const;

    status copy_to_device(void* destination, const void* source, std::size_t bytes) const;
    status copy_to_host(void* destination, const void* source, std::size_t bytes) const;

    // Queues `blocks` blocks of the kernel. `arguments` points to `argument_bytes` bytes, copied before this returns.
    status launch(const kernel& k, grid blocks, const void* arguments, std::size_t argument_bytes) const;
    status synchronize() const;

    // Milliseconds that `work` (which queues kernels) takes: the median of `repeats`, after one run to warm up. On a GPU each is
    // queued behind others, so that what the CPU needs to launch it does not count.
    result<double> time(const std::function<status()>& work, int repeats = 5) const;

  private:
    device(std::unique_ptr<backend> b, std::string notice);
    std::unique_ptr<backend> backend_;
    std::string notice_;
};

} // namespace ck_tile

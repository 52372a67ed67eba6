// SPDX-License-Identifier: MIT
// Where kernels run: the CPU in the shape of a GPU architecture (`host:gfx942`), or a GPU. Memory, streams, launch, time.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "ck_tile/runtime/stream.hpp"
#include "ck_tile/targets/kernel.hpp"
#include "ck_tile/targets/target.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ck_tile
{

// Device memory that frees itself. `data()` is a device address: only on the host target may the CPU read it.
class device_buffer
{
  public:
    device_buffer() = default;
    device_buffer(void* memory, std::size_t bytes, std::function<void(void*)> release)
        : memory_(memory, std::move(release)), bytes_(bytes)
    {
    }

    void* data() const { return memory_.get(); }
    std::size_t bytes() const { return bytes_; }

  private:
    std::unique_ptr<void, std::function<void(void*)>> memory_;
    std::size_t bytes_ = 0;
};

class backend; // one kind of device

// An open device. Any thread may use it, several at a time, whichever opened it; a thread that has another GPU as its own (CUDA's
// current context, HIP's current device) has it again after each call. Copies are the same device, which closes with the last
// of them, of its buffers and of its streams.
//
// Memory and streams of others need not be adopted. Kernels take device addresses, whoever allocated them; a stream is its native
// handle. CUDA's side is the GPU's primary context, which is that of CUDA's runtime and of PyTorch.
class device
{
  public:
    // Opens the device that `name` asks for:
    //   "host"              the CPU, in the shape of gfx942    "host:<architecture>"      the CPU in that shape
    //   "hip", "hip:<n>"    the first AMD GPU, GPU n from 0    "cuda", "cuda:<n>"         the first NVIDIA GPU, GPU n from 0
    //   "auto"              the first GPU of these, else "host"
    // Rejects names that are not known, GPUs that are not there, and GPUs that this library has no code for.
    static result<device> open(std::string_view name);

    const target& architecture() const; // the facts of the architecture that kernels are chosen for
    bool is_host() const;
    std::string name() const;          // "host:gfx942", "hip:gfx90a"
    const std::string& notice() const; // one line when "auto" fell back to the CPU, else empty
    int compute_units() const;         // what works on blocks at the same time: compute units, or the CPU's cores

    // Memory aligned to 256 bytes; a rejection says how much was asked for. It is there, and zeroed, for all streams when this
    // returns; work that uses it must be done before it is freed. Zeroed pages of the host that are never touched cost nothing.
    result<device_buffer> allocate(std::size_t bytes) const;
    result<device_buffer> allocate_zeroed(std::size_t bytes) const;

    result<owned_stream> make_stream() const;

    // Queues the setting of bytes to a value.
    status fill(void* destination, unsigned char value, std::size_t bytes, stream s = {}) const;

    // Copies when what was queued on the stream before is done, and returns when the copy is: the host's memory may be read, or
    // written again, at once.
    status copy_to_device(void* destination, const void* source, std::size_t bytes, stream s = {}) const;
    status copy_to_host(void* destination, const void* source, std::size_t bytes, stream s = {}) const;

    // Queues `blocks` blocks of the kernel, with the `arguments` of its program, which are copied before this returns. On the
    // host the work is done then. Rejects a kernel of another architecture, and arguments of another size than the kernel's.
    template <class Arguments>
    status launch(const kernel& k, grid blocks, const Arguments& arguments, stream s = {}) const
    {
        static_assert(!std::is_pointer_v<Arguments> && std::is_trivially_copyable_v<Arguments>,
                      "launch: takes the arguments of the kernel's program themselves, whose bytes it copies: a "
                      "trivially copyable struct, and no pointer to it");
        return launch(k, blocks, &arguments, sizeof arguments, s);
    }
    status launch(const kernel& k, grid blocks, const void* arguments, std::size_t argument_bytes, stream s = {}) const;

    // Loads the kernel's code, which else its first launch does: that takes its time, and a stream that is being captured does
    // not allow it. Rejects a kernel of another architecture.
    status load(const kernel& k) const;

    // The device's own kernel of a set. Rejects a set that has none.
    result<const kernel*> choose(const kernel_set& all) const;

    // Launches that, with as many blocks as the program says, or as given.
    template <class Arguments>
    status launch(const kernel_set& all, const Arguments& arguments, stream s = {}) const
    {
        const result<grid> blocks = blocks_of(all, &arguments);
        return blocks ? launch(all, *blocks, arguments, s) : rejection{blocks.reason()};
    }
    template <class Arguments>
    status launch(const kernel_set& all, grid blocks, const Arguments& arguments, stream s = {}) const
    {
        const result<const kernel*> own = choose(all);
        return own ? launch(**own, blocks, arguments, s) : rejection{own.reason()};
    }

    // Waits for what is queued: on all streams of the device, on one. Kernels that failed are told here at the latest.
    status synchronize() const;
    status synchronize(stream s) const;

    // Milliseconds that each of `repeats` runs of `work`, which queues kernels on the stream, takes, in their order. A GPU rests
    // for a tenth of a second before, or what it has done lowers its clocks, unless `repeats` is 1; runs it once, to warm up; and each run
    // that counts is queued behind others, so that what the CPU needs to launch it does not count.
    result<std::vector<double>> times(const std::function<status()>& work, int repeats = 5, stream s = {}) const;

    // Their median.
    result<double> time(const std::function<status()>& work, int repeats = 5, stream s = {}) const;

  private:
    device(std::shared_ptr<backend> b, std::string notice);
    status check_architecture(const kernel& k) const;
    result<grid> blocks_of(const kernel_set& all, const void* arguments) const;

    std::shared_ptr<backend> backend_;
    std::string notice_;
};

} // namespace ck_tile

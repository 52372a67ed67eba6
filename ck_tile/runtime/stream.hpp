// SPDX-License-Identifier: MIT
// A queue of a device: what is launched on one runs in order, what is launched on two may run at the same time.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace ck_tile
{

// A stream by its native handle: a hipStream_t, a CUstream or cudaStream_t. Null is the device's default stream. Whoever has a
// stream already, such as PyTorch, passes stream{handle}; who made it ends it.
struct stream
{
    void* native = nullptr;
};

// A stream that ends itself, once what is queued on it is done. It does not wait for the default stream, nor that for it. On the
// host it stands for nothing: work is done when its launch returns.
class owned_stream
{
  public:
    owned_stream() = default;
    owned_stream(void* native, std::function<void(void*)> end) : native_(native, std::move(end)) {}

    operator stream() const { return {native_.get()}; }

  private:
    std::unique_ptr<void, std::function<void(void*)>> native_;
};

} // namespace ck_tile

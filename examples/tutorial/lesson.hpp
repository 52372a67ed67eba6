// SPDX-License-Identifier: MIT
// What the lessons' programs have in common: a device, arrays on it, and an end with a sentence when something is rejected.
#pragma once

#include "ck_tile/runtime/device.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tutorial
{

class lesson
{
  public:
    // The device that the first argument names, `host:gfx11` or `hip`; a GPU if there is one, else the CPU, if there is none.
    lesson(int argc, char** argv) : dev_(take(ck_tile::device::open(argc > 1 ? argv[1] : "auto"))) {}

    // An array on the device, until the program ends.
    template <class T>
    T* upload(const std::vector<T>& x)
    {
        buffers_.push_back(take(dev_.allocate(x.size() * sizeof(T))));
        accept(dev_.copy_to_device(buffers_.back().data(), x.data(), x.size() * sizeof(T)));
        return static_cast<T*>(buffers_.back().data());
    }
    template <class T>
    std::vector<T> download(const T* from, std::size_t count) const
    {
        std::vector<T> x(count);
        accept(dev_.copy_to_host(x.data(), from, count * sizeof(T)));
        return x;
    }

    template <class Arguments>
    void launch(const ck_tile::kernel_set& kernels, const Arguments& arguments) const
    {
        accept(dev_.launch(kernels, arguments));
        accept(dev_.synchronize());
    }

    // Says how it went; the program's exit code. `bytes` that the kernel moves tell its speed on a GPU.
    template <class Arguments>
    int finish(const std::string& what, int wrong, const ck_tile::kernel_set& kernels, const Arguments& arguments,
               double bytes) const
    {
        std::string speed;
        if(!dev_.is_host() && wrong == 0)
        {
            const double ms = take(dev_.time([&] { return dev_.launch(kernels, arguments); }, 20));
            speed           = fmt::format(", {:.4f} ms, {:.0f} GB/s", ms, bytes / ms / 1e6);
        }
        fmt::print("{} on {}: {}{}\n", what, dev_.name(),
                   wrong == 0 ? "right" : fmt::format("{} elements wrong", wrong), speed);
        return wrong == 0 ? 0 : 1;
    }

  private:
    [[noreturn]] static void stop(const std::string& why)
    {
        fmt::print(stderr, "{}\n", why);
        std::exit(2);
    }
    static void accept(const ck_tile::status& s)
    {
        if(!s)
            stop(s.reason());
    }
    template <class T>
    static T take(ck_tile::result<T> r)
    {
        if(!r)
            stop(r.reason());
        return std::move(*r);
    }

    ck_tile::device dev_;
    std::vector<ck_tile::device_buffer> buffers_;
};

} // namespace tutorial

// SPDX-License-Identifier: MIT
// What the lessons' programs have in common: a device, arrays on it, and an end with a sentence when something is rejected.
#pragma once

#include "ck_tile/runtime/device.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace tutorial
{

// Some of the indices below `count`, spread over them: all, if there are few.
inline std::vector<int> some_of(int count)
{
    constexpr int many = 400, some = 61;
    std::vector<int> chosen(count <= many ? count : some);
    for(int i = 0; i < int(chosen.size()); ++i)
        chosen[i] = static_cast<int>(i * (count - 1ll) / (chosen.size() > 1 ? chosen.size() - 1 : 1));
    return chosen;
}

// What a kernel does, of which its speed is told.
struct work
{
    double bytes, flops = 0;
};

class lesson
{
  public:
    // The device that the first argument names, `host:gfx11` or `hip`; a GPU if there is one, else the CPU, if there is none.
    lesson(int argc, char** argv)
        : dev_(take(ck_tile::device::open(argc > 1 ? argv[1] : "auto"))),
          arguments_(argv + (argc > 2 ? 2 : argc), argv + argc)
    {
    }

    // Sizes that the arguments after the device give, in place of the usual ones.
    template <class... Int>
    std::array<int, sizeof...(Int)> sizes(Int... usual) const
    {
        std::array<int, sizeof...(Int)> all = {usual...};
        if(arguments_.empty())
            return all;
        if(arguments_.size() != all.size())
            stop(fmt::format("a device and {} sizes are expected, or none, but there are {} sizes: give all or none",
                             all.size(), arguments_.size()));
        for(std::size_t i = 0; i < all.size(); ++i)
        {
            const std::string_view text = arguments_[i];
            const auto [end, error]     = std::from_chars(text.data(), text.data() + text.size(), all[i]);
            if(error != std::errc{} || end != text.data() + text.size() || all[i] < 1)
                stop(fmt::format("sizes must be whole numbers from 1 on, but one is '{}': give another", text));
        }
        return all;
    }

    int compute_units() const { return dev_.compute_units(); }

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

    // Says how it went, and on a GPU how fast; the program's exit code.
    template <class Arguments>
    int finish(const std::string& what, int wrong, const ck_tile::kernel_set& kernels, const Arguments& arguments,
               const work& done) const
    {
        std::string speed;
        if(!dev_.is_host() && wrong == 0)
        {
            const double ms = take(dev_.time([&] { return dev_.launch(kernels, arguments); }, 20));
            speed           = done.flops > 0 ? fmt::format(", {:.4f} ms, {:.0f} TFLOP/s", ms, done.flops / ms / 1e9)
                                             : fmt::format(", {:.4f} ms, {:.0f} GB/s", ms, done.bytes / ms / 1e6);
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
    std::vector<const char*> arguments_;
    std::vector<ck_tile::device_buffer> buffers_;
};

} // namespace tutorial

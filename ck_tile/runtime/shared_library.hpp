// SPDX-License-Identifier: MIT
// A library of the system that is looked for when it is needed, so that programs also run where it is not.
#pragma once

#include <cstddef>
#include <span>

#include <dlfcn.h>

namespace ck_tile
{

class shared_library
{
  public:
    // The first of the names that is there. Stays loaded until the program ends.
    explicit shared_library(std::span<const char* const> names)
    {
        for(std::size_t i = 0; handle_ == nullptr && i < names.size(); ++i)
            handle_ = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }

    // Sets `function` to the library's symbol of that name, or to null.
    template <class Function>
    void find(Function*& function, const char* name)
    {
        void* symbol = handle_ != nullptr ? dlsym(handle_, name) : nullptr;
        function     = reinterpret_cast<Function*>(symbol);
        complete_    = complete_ && symbol != nullptr;
    }

    // The same for a function that is not needed.
    template <class Function>
    void find_if_any(Function*& function, const char* name)
    {
        const bool before = complete_;
        find(function, name);
        complete_ = before;
    }

    // Whether everything that is needed is there.
    bool complete() const { return complete_; }

  private:
    void* handle_  = nullptr;
    bool complete_ = true;
};

} // namespace ck_tile

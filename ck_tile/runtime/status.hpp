// SPDX-License-Identifier: MIT
// A rejection says the rule, the value and the fix; `status` and `result` carry it instead of an exception.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace ck_tile
{

// Why something cannot be done, as one sentence for a person: rule, value, fix.
struct rejection
{
    std::string reason;
};

// Success, or the reason for its absence.
class [[nodiscard]] status
{
  public:
    status() = default;
    status(rejection why) : reason_(std::move(why.reason)), broken_rules_(1) {}

    bool ok() const { return broken_rules_ == 0; }
    explicit operator bool() const { return ok(); }
    const std::string& reason() const { return reason_; }

    // Joins what another rule says: the reason is that of the first rule that is broken, and all that are broken count.
    status& also(status next)
    {
        if(ok())
            reason_ = std::move(next.reason_);
        broken_rules_ += next.broken_rules_;
        return *this;
    }
    int broken_rules() const { return broken_rules_; }

  private:
    std::string reason_;
    int broken_rules_ = 0;
};

// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] result
{
  public:
    result(T value) : value_(std::move(value)) {}
    result(rejection why) : verdict_(std::move(why)) {}
    result(status why) : verdict_(std::move(why)) { assert(!verdict_.ok()); }

    bool ok() const { return value_.has_value(); }
    explicit operator bool() const { return ok(); }
    const std::string& reason() const { return verdict_.reason(); }
    const status& verdict() const { return verdict_; }

    T& operator*()
    {
        assert(ok());
        return *value_;
    }
    const T& operator*() const
    {
        assert(ok());
        return *value_;
    }
    T* operator->()
    {
        assert(ok());
        return &*value_;
    }
    const T* operator->() const
    {
        assert(ok());
        return &*value_;
    }

  private:
    std::optional<T> value_;
    status verdict_;
};

} // namespace ck_tile

// SPDX-License-Identifier: MIT
// What a program on the CPU tells its checker, if it has one: who touches which memory, where all wait for each other, and which verb
// that is. The runtime has the checker (runtime/host_checker.hpp); without one, each of these is a test of a pointer.
#pragma once

#include "ck_tile/targets/execution.hpp"

#include <cstddef>
#include <cstdint>

namespace ck_tile
{

inline constexpr bool checks_programs = true;

// Where a program calls a verb: the default argument of each verb that touches memory.
struct source_line
{
    const char* file = nullptr;
    int line         = 0;

    static consteval source_line current(const char* file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return {file, line};
    }
};

// What an arrival at a barrier waits for, beside the thread: nothing, its asynchronous copies, or boxes that it copies.
enum class copying
{
    nothing,
    lines,
    boxes
};

class program_checker
{
  public:
    virtual ~program_checker() = default;

    // A verb begins; those that it calls are part of it.
    void begin_verb(const char* name, source_line at)
    {
        if(verb_depth_++ == 0)
            verb_ = name, line_ = at;
    }
    void end_verb() { --verb_depth_; }

    // All threads of a distribution do something, one after the other, in an order of the checker's.
    virtual void begin_threads(int cluster, int waves, int lanes) = 0;
    thread turn(thread t, int waves, int lanes)
    {
        t.wave = (t.wave + first_wave_) % waves;
        if((lanes & (lanes - 1)) == 0)
            t.lane ^= lane_turn_ & (lanes - 1);
        t.copy = (t.rank * waves + t.wave) * lanes + t.lane;
        now_   = t;
        return t;
    }
    void end_threads() { in_threads_ = false; }

    // Waves [first, first + count) of the block do what follows, by themselves, until end_role(); a sync is that of the block.
    virtual void begin_role(int first, int count) = 0;
    virtual void end_role()                       = 0;

    virtual void read_lds(const void* at, int bytes)                                    = 0;
    virtual void write_lds(const void* at, const void* from, int bytes)                 = 0;
    virtual void check_lds_room(int byte_offset, int bytes, const char* what)           = 0;
    virtual void begin_copies()                                                         = 0; // asynchronous ones
    virtual void begin_boxes()                                                          = 0;
    virtual void end_copies()                                                           = 0;
    virtual void commit_copies()                                                        = 0;
    virtual void wait_for_copies(int but)                                               = 0;
    virtual void check_instruction(int opcode)                                          = 0;
    virtual void begin_product(const void* acc, int bytes)                              = 0; // of operands in LDS
    virtual void end_product()                                                          = 0;
    virtual void wait_for_products(int but)                                             = 0;
    virtual void use(const void* tile, int bytes)                                       = 0;
    virtual void read_memory(const memory_access& a)                                    = 0;
    virtual void write_memory(const memory_access& a, const void* from)                 = 0;
    virtual unsigned arrive_in_memory(unsigned* arrived)                                = 0;
    virtual void sync_block()                                                           = 0;
    virtual void sync_waves()                                                           = 0;
    virtual void sync_wave()                                                            = 0;
    virtual void sync_cluster()                                                         = 0;
    virtual void arrive_at_cluster()                                                    = 0;
    virtual void wait_for_cluster()                                                     = 0;
    virtual void init(const void* mbarrier)                                             = 0;
    virtual void arrive(const void* mbarrier, copying with, bool ends_phase, int phase) = 0;
    virtual void wait(const void* mbarrier, int phase)                                  = 0;
    [[noreturn]] virtual void fail(const char* what)                                    = 0;

  protected:
    const char* verb_ = nullptr;
    source_line line_;
    int verb_depth_  = 0;
    bool in_threads_ = false;
    thread now_      = {};
    int first_wave_ = 0, lane_turn_ = 0; // of a loop over threads
};

// That of the program which this thread of the CPU runs; null: nothing is checked.
constinit inline thread_local program_checker* checker_of_program = nullptr;

class verb_scope
{
  public:
    verb_scope(const char* name, source_line at) : checker_(checker_of_program)
    {
        if(checker_ != nullptr) [[unlikely]]
            checker_->begin_verb(name, at);
    }
    ~verb_scope()
    {
        if(checker_ != nullptr) [[unlikely]]
            checker_->end_verb();
    }
    verb_scope(const verb_scope&)            = delete;
    verb_scope& operator=(const verb_scope&) = delete;

  private:
    program_checker* checker_;
};

// Some waves of the block have a role of their own.
class role_scope
{
  public:
    role_scope(int first_wave, int waves) : checker_(checker_of_program)
    {
        if(checker_ != nullptr) [[unlikely]]
            checker_->begin_role(first_wave, waves);
    }
    ~role_scope()
    {
        if(checker_ != nullptr) [[unlikely]]
            checker_->end_role();
    }
    role_scope(const role_scope&)            = delete;
    role_scope& operator=(const role_scope&) = delete;

  private:
    program_checker* checker_;
};

// f(checker), if there is one.
template <class F>
inline void tell_checker(F&& f)
{
    if(program_checker* const checker = checker_of_program; checker != nullptr) [[unlikely]]
        f(*checker);
}

inline void check_lds_read(const void* at, int bytes)
{
    tell_checker([&](program_checker& c) { c.read_lds(at, bytes); });
}
inline void check_lds_write(const void* at, const void* from, int bytes)
{
    tell_checker([&](program_checker& c) { c.write_lds(at, from, bytes); });
}

// A place in LDS that a program reads and writes element by element: a pointer whose accesses are checked. Verbs take it as a plain
// one, and tell of theirs themselves.
template <class T>
class lds_reference
{
  public:
    explicit lds_reference(T* at) : at_(at) {}

    operator T() const
    {
        check_lds_read(at_, sizeof(T));
        return *at_;
    }
    const lds_reference& operator=(const T& x) const
    {
        check_lds_write(at_, &x, sizeof(T));
        *at_ = x;
        return *this;
    }
    const lds_reference& operator=(const lds_reference& x) const { return *this = static_cast<T>(x); }
    const lds_reference& operator+=(const T& x) const { return *this = static_cast<T>(*this) + x; }

  private:
    T* at_;
};

template <class T>
class lds_pointer
{
  public:
    explicit lds_pointer(T* at) : at_(at) {}
    operator T*() const { return at_; }
    operator const T*() const
    requires(!__is_const(T))
    {
        return at_;
    }

    template <class Index>
    decltype(auto) operator[](Index i) const
    {
        return (*this + i).operator*();
    }
    decltype(auto) operator*() const
    {
        if constexpr(__is_const(T))
        {
            check_lds_read(at_, sizeof(T));
            return static_cast<T&>(*at_);
        }
        else
            return lds_reference<T>(at_);
    }
    template <class Index>
    lds_pointer operator+(Index i) const
    {
        return lds_pointer(at_ + i);
    }

  private:
    T* at_;
};

} // namespace ck_tile

// SPDX-License-Identifier: MIT
#include "ck_tile/runtime/host_checker.hpp"

#include "ck_tile/core/lds_banks.hpp"
#include "ck_tile/runtime/host_checks.hpp"
#include "ck_tile/targets/primitives.hpp"
#include "ck_tile/targets/targets.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define CK_TILE_ADDRESS_SANITIZER 1
#endif
#endif

namespace ck_tile
{
namespace
{

// A number for each byte of some memory, 0 at the start. There are none before they are asked for, and pages of large ones come when they
// are touched.
class number_of_bytes
{
  public:
    explicit number_of_bytes(std::size_t bytes) : bytes_(bytes * sizeof(std::uint32_t)) {}
    ~number_of_bytes() { free(); }
    number_of_bytes(const number_of_bytes&)            = delete;
    number_of_bytes& operator=(const number_of_bytes&) = delete;

    // Null if the system has no room for them.
    std::uint32_t* at(std::size_t byte)
    {
        std::uint32_t* numbers = numbers_.load(std::memory_order_acquire);
        if(numbers == nullptr) [[unlikely]]
            numbers = make_once();
        return numbers == nullptr ? nullptr : numbers + byte;
    }
    void free()
    {
        std::uint32_t* const numbers = numbers_.exchange(nullptr);
        if(numbers != nullptr && is_large())
            munmap(numbers, bytes_);
        else
            delete[] numbers;
    }

  private:
    bool is_large() const { return bytes_ > (std::size_t(1) << 26); }
    [[gnu::noinline]] std::uint32_t* make_once()
    {
        const std::lock_guard hold(making_);
        std::uint32_t* numbers = numbers_.load(std::memory_order_relaxed);
        if(numbers == nullptr)
            numbers_.store(numbers = make(), std::memory_order_release);
        return numbers;
    }
    std::uint32_t* make() const
    {
        if(!is_large()) // written here, as a page that is read before comes twice
            return new(std::nothrow) std::uint32_t[bytes_ / sizeof(std::uint32_t)]();
        void* pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return pages == MAP_FAILED ? nullptr : static_cast<std::uint32_t*>(pages);
    }

    std::size_t bytes_;
    std::atomic<std::uint32_t*> numbers_ = nullptr;
    std::mutex making_;
};

// Held for a few instructions. Of several, each has a line of the cache to itself: workers take those of the memory that is theirs.
class alignas(64) spin_lock
{
  public:
    void lock()
    {
        while(taken_.test_and_set(std::memory_order_acquire))
            std::this_thread::yield();
    }
    void unlock() { taken_.clear(std::memory_order_release); }

  private:
    std::atomic_flag taken_;
};

// What a device has allocated. The last to write and to read each byte are numbered, see checked_launch::shared.
struct host_memory
{
    explicit host_memory(std::size_t size) : bytes(size), writers(size + 1), readers(size + 1) {}

    std::size_t bytes;
    number_of_bytes writers, readers;
};

struct all_memory
{
    std::shared_mutex lock;
    std::map<const std::byte*, std::shared_ptr<host_memory>> at;
    std::atomic<std::uint64_t> changes{1};

    // Numbers for the accesses of launches, which ascend; from `count` on they are the next launch's.
    std::uint32_t take_numbers(std::uint64_t count)
    {
        const std::unique_lock hold(lock);
        if(count > 0xffffffffu - next)
        {
            for(const auto& [begin, memory] : at)
                memory->writers.free(), memory->readers.free();
            next = 1;
        }
        const std::uint32_t first = next;
        next += static_cast<std::uint32_t>(count);
        return first;
    }

    std::uint32_t next = 1;
};

all_memory& memories()
{
    static all_memory all;
    return all;
}

host_checks checks_in_environment()
{
    const char *check = std::getenv("CK_TILE_CHECK"), *seed = std::getenv("CK_TILE_CHECK_SEED");
    return {.enabled = check != nullptr && std::strcmp(check, "0") != 0 && *check != 0,
            .seed    = seed == nullptr ? 0u : static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10))};
}

struct checks_of_process
{
    std::mutex lock;
    host_checks now = checks_in_environment();
};
checks_of_process& process_checks()
{
    static checks_of_process all;
    return all;
}

struct violation_found
{
    std::string sentence;
};

} // namespace

void set_host_checks(const host_checks& checks)
{
    const std::lock_guard hold(process_checks().lock);
    process_checks().now = checks;
}

host_checks current_host_checks()
{
    const std::lock_guard hold(process_checks().lock);
    return process_checks().now;
}

void add_host_memory(const std::byte* begin, std::size_t bytes)
{
    auto memory = std::make_shared<host_memory>(bytes);
    const std::unique_lock hold(memories().lock);
    memories().at[begin] = std::move(memory);
    ++memories().changes;
}

void remove_host_memory(const std::byte* begin)
{
    const std::unique_lock hold(memories().lock);
    memories().at.erase(begin);
    ++memories().changes;
}

#if defined(CK_TILE_ADDRESS_SANITIZER)
void mark_red_zones(std::byte* begin, std::size_t bytes)
{
    __asan_poison_memory_region(begin - red_zone, red_zone);
    __asan_poison_memory_region(begin + bytes, red_zone);
}
void unmark_red_zones(std::byte* begin, std::size_t bytes)
{
    __asan_unpoison_memory_region(begin - red_zone, red_zone);
    __asan_unpoison_memory_region(begin + bytes, red_zone);
}
bool red_zones_are_intact(const std::byte*, std::size_t) { return true; }
#else
namespace
{
constexpr std::byte red_byte{0xa5};
} // namespace

void mark_red_zones(std::byte* begin, std::size_t bytes)
{
    std::fill_n(begin - red_zone, red_zone, red_byte);
    std::fill_n(begin + bytes, red_zone, red_byte);
}
void unmark_red_zones(std::byte*, std::size_t) {}
bool red_zones_are_intact(const std::byte* begin, std::size_t bytes)
{
    const auto red = [](std::byte b) { return b == red_byte; };
    return std::all_of(begin - red_zone, begin, red) && std::all_of(begin + bytes, begin + bytes + red_zone, red);
}
#endif

// What the workers of a launch share.
//
// Accesses to memory are numbered by who makes them: number(block, wave, phase), where a phase of a block ends when it arrives in memory.
// `first` is the reader of bytes that several have read.
struct checked_launch::shared
{
    static constexpr unsigned phases = 8;

    shared(const kernel& k, grid all, std::uint32_t s)
        : program(k),
          arch(facts(k.arch)),
          blocks(all),
          count(std::uint64_t(all.x) * all.y * all.z),
          waves(static_cast<unsigned>(k.threads / arch.wave * k.cluster)),
          numbered(count * waves * phases < 0xf0000000u),
          first(numbered ? memories().take_numbers(count * waves * phases + 1) : 0),
          seed(s)
    {
        const std::uint64_t mixed = (seed + 1) * 0x9e3779b97f4a7c15u;
        if(seed != 0)
        {
            shift = mixed % count;
            step  = mixed / 7 % count;
            while(step == 0 || std::gcd(step, count) != 1)
                ++step;
        }
    }

    struct accessor
    {
        std::uint64_t block;
        unsigned wave, phase;
    };
    std::uint32_t number(const accessor& a) const
    {
        return first + 1 + static_cast<std::uint32_t>((a.phase * count + a.block) * waves + a.wave);
    }
    accessor of_number(std::uint32_t number) const
    {
        const std::uint64_t n = number - first - 1;
        return {n / waves % count, static_cast<unsigned>(n % waves), static_cast<unsigned>(n / waves / count)};
    }
    std::string name_of(std::uint64_t block) const
    {
        return fmt::format("({}, {}, {})", block % blocks.x, block / blocks.x % blocks.y, block / blocks.x / blocks.y);
    }

    const kernel& program;
    const target& arch;
    grid blocks;
    std::uint64_t count;
    unsigned waves; // of a block
    bool numbered;
    std::uint32_t first;
    std::uint32_t seed;
    std::uint64_t shift = 0, step = 1;

    std::mutex arriving;
    std::unordered_map<const unsigned*, std::map<std::uint64_t, unsigned>>
        arrivals;                         // phases that blocks have ended there
    std::array<spin_lock, 256> of_memory; // for the numbers of its bytes
};

// The checker of one worker's blocks.
class checked_launch::worker::checker final : public program_checker
{
    using time_list = std::vector<std::uint32_t>;

  public:
    checker(checked_launch::shared& launch, std::byte* lds)
        : launch_(launch),
          lds_(lds),
          rank_bytes_(static_cast<std::size_t>(launch.program.lds_bytes)),
          bytes_(rank_bytes_ * static_cast<std::size_t>(launch.program.cluster)),
          rank_waves_(static_cast<int>(launch.waves) / launch.program.cluster),
          waves_(static_cast<int>(launch.waves)),
          lanes_(launch.arch.wave),
          lockstep_(!launch.arch.matrix_from_lds),
          asynchronous_(launch.arch.copy_to_lds == lds_copy::bytes_16_async),
          clocks_(static_cast<std::size_t>(4 * waves_), time_list(known_agents())),
          batches_(static_cast<std::size_t>(waves_)),
          wave_syncs_(static_cast<std::size_t>(waves_)),
          gathered_(static_cast<std::size_t>(waves_)),
          at_barrier_(static_cast<std::size_t>(waves_)),
          cells_(bytes_ / 2 + 1, lockstep_),
          products_read_(lockstep_ ? 0 : bytes_ / lds_chunk_bytes + 1, static_cast<std::size_t>(waves_)),
          earlier_reads_(static_cast<std::size_t>(waves_)),
          earlier_lanes_(static_cast<std::size_t>(waves_)),
          others_reads_(static_cast<std::size_t>(launch.program.cluster * waves_)),
          verbs_(1)
    {
    }

    status run(const void* arguments, grid at)
    {
        block_ = at.x + std::uint64_t(launch_.blocks.x) * (at.y + std::uint64_t(launch_.blocks.y) * at.z);
        begin_block();
        try
        {
            launch_.program.on_host(arguments, at, lds_);
            if(!products_.empty())
                fail("products of operands in LDS are waited for before the block ends, wait_for_products(): some are "
                     "under way");
            expect_read_before_end();
            if(!red_zones_are_intact(lds_, bytes_))
                fail(fmt::format("a block keeps to its {} bytes of LDS: those before or behind them have been written",
                                 bytes_));
            return {};
        }
        catch(const violation_found& v)
        {
            return rejection{v.sentence};
        }
    }

    void begin_threads(int cluster, int waves, int lanes) override
    {
        if(in_threads_)
            fail("a verb is for all threads of the block: it is called in what one thread does, as for_each_thread() "
                 "has it");
        if(lanes != launch_.arch.wave)
            fail(fmt::format("a tile has the lanes of the architecture's waves: {0} has {1}, the tile {2}: make its "
                             "distribution for {0}",
                             launch_.arch.name, launch_.arch.wave, lanes));
        if(cluster != launch_.program.cluster)
            fail(fmt::format(
                "a tile has the workgroups of the block: the program has {}, the tile {}: use digits of as many "
                "ranks",
                launch_.program.cluster, cluster));
        if(waves != role_.count)
            fail(
                fmt::format("a tile has the waves of the program, or of the role that these have: {}, the tile has {}: "
                            "make its distribution of as many",
                            role_.count, waves));
        in_threads_ = true;
        // The n-th verb of a block goes round its threads from another one on.
        if(launch_.seed != 0)
        {
            turns_      = turns_ * 6364136223846793005u + 1442695040888963407u;
            first_wave_ = static_cast<int>((turns_ >> 33) % static_cast<unsigned>(waves));
            lane_turn_  = static_cast<int>(turns_ >> 48 & 63);
        }
    }

    void begin_role(int first, int count) override
    {
        roles_.push_back(role_);
        role_ = {first, count};
    }
    void end_role() override
    {
        role_ = roles_.back();
        roles_.pop_back();
    }

    // LDS

    void check_lds_room(int byte_offset, int bytes, const char* what) override
    {
        if(byte_offset < 0 || static_cast<std::size_t>(byte_offset) + static_cast<std::size_t>(bytes) > rank_bytes_)
            fail(fmt::format("{}: {} bytes at {}, the program has {}: enlarge its lds_bytes", what, bytes, byte_offset,
                             rank_bytes_));
    }

    void read_lds(const void* at, int bytes) override
    {
        if(product_)
        {
            if(reinterpret_cast<std::uintptr_t>(at) % lds_chunk_bytes == 0) // see read_chunk()
                read_chunk(at);
            return;
        }
        const std::size_t agent = static_cast<std::size_t>(wave());
        const std::uint64_t now = event_of(clocks_[agent][agent], agent, 0);
        each_run(offset_of(at, bytes, "read"), bytes, [&](std::size_t c, auto count) __attribute__((always_inline)) {
            if(!are_all<count>(&cells_.reads[c], now, ~verb_bits))
                read_cells<count>(c, now | verb_number());
            else if(!lockstep_)
                read_by_lane<count>(c, now);
        });
    }

    void write_lds(const void* at, const void* from, int bytes) override
    {
        const lds_write access{offset_of(at, bytes, "written"), static_cast<const std::byte*>(from),
                               static_cast<std::size_t>(bytes)};
        const std::size_t agent = agent_for(copies_);
        const std::uint64_t now = event_of(clocks_[agent][agent], agent, verb_number());
        each_run(access.offset, bytes,
                 [&](std::size_t c, auto count) __attribute__((always_inline)) { write_cells<count>(c, now, access); });
    }

    // Copies, products

    void begin_copies() override
    {
        if(!asynchronous_)
            return;
        copies_ = copying::lines;
        each_wave([&](std::size_t w) { learn(copies_of(w), clocks_[w]); });
    }
    void begin_boxes() override
    {
        copies_ = copying::boxes;
        join_of_lane(clocks_[agent_for(copies_)], agent_for(copying::nothing));
    }
    void end_copies() override { copies_ = copying::nothing; }
    void commit_copies() override
    {
        each_wave([&](std::size_t w) { batches_[w].push_back(clocks_[copies_of(w)][copies_of(w)]++); });
    }
    void wait_for_copies(int but) override
    {
        each_wave([&](std::size_t w) {
            if(const auto all = batches_[w].size(); all > static_cast<std::size_t>(but))
            {
                const std::uint32_t last = batches_[w][all - 1 - static_cast<std::size_t>(but)];
                std::uint32_t& known     = clocks_[w][copies_of(w)];
                known                    = std::max(known, last);
            }
        });
    }

    void check_instruction(int opcode_number) override
    {
        const auto op = static_cast<opcode>(opcode_number);
        if(!launch_.arch.has(op))
            fail(fmt::format(
                "a program multiplies with instructions of its architecture: {} does not have {}: choose one "
                "that facts(arch).has()",
                launch_.arch.name, describe(op).name));
        each_wave([&](std::size_t w) { gather(w); });
    }

    void begin_product(const void* acc, int bytes) override
    {
        product_ = true;
        each_wave([&](std::size_t w) { learn(products_of(w), clocks_[w]); });
        products_.push_back({static_cast<const std::byte*>(acc), static_cast<std::size_t>(bytes), {}});
        each_wave(
            [&](std::size_t w) { products_.back().times.emplace_back(w, clocks_[products_of(w)][products_of(w)]); });
    }
    void end_product() override
    {
        product_ = false;
        each_wave([&](std::size_t w) { ++clocks_[products_of(w)][products_of(w)]; });
    }
    void wait_for_products(int but) override
    {
        while(products_.size() > static_cast<std::size_t>(but))
        {
            for(const auto& [w, time] : products_.front().times)
                clocks_[w][products_of(w)] = std::max(clocks_[w][products_of(w)], time);
            products_.erase(products_.begin());
        }
        each_wave([&](std::size_t w) { gather(w); });
    }
    void use(const void* tile, int bytes) override
    {
        const auto* begin = static_cast<const std::byte*>(tile);
        for(const product& p : products_)
            if(p.acc < begin + bytes && begin < p.acc + p.bytes)
                fail("accumulators are used after wait_for_products<0>(): a product of operands in LDS is under way");
    }

    // Memory

    void read_memory(const memory_access& a) override
    {
        if(a.offset != nowhere)
            read_existing(a);
    }

    void write_memory(const memory_access& a, const void* from) override
    {
        if(a.offset != nowhere)
            write_existing(a, from);
    }

    unsigned arrive_in_memory(unsigned* arrived) override
    {
        const std::lock_guard hold(launch_.arriving);
        const unsigned before = __atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL);
        auto& others          = launch_.arrivals[arrived];
        if(phase_ + 1 < shared::phases)
            ++phase_;
        others[block_] = phase_;
        for(const auto& [block, phases] : others)
            known_phases_[block] = std::max(known_phases_[block], phases);
        return before;
    }

    // Barriers

    void sync_block() override
    {
        if(in_threads_)
            fail("a barrier is for all threads of the block: it is called in what one thread does, as "
                 "for_each_thread() has it");
        if(role_.count != rank_waves_)
            fail(fmt::format(
                "a barrier is for all threads of the block: {} of its {} waves call it, which have a role of "
                "their own: use sync_waves()",
                role_.count, rank_waves_));
        for(int rank = 0; rank < launch_.program.cluster; ++rank)
            meet(rank * rank_waves_, rank_waves_);
        if(launch_.program.cluster == 1)
            all_have_met();
    }
    void sync_waves() override { meet(role_.first, role_.count); }
    void sync_wave() override
    {
        each_wave([&](std::size_t w) { gather(w), ++wave_syncs_[w]; });
    }
    void sync_cluster() override
    {
        meet(0, waves_);
        all_have_met();
    }
    void arrive_at_cluster() override
    {
        cluster_.assign(known_agents(), 0);
        for(std::size_t w = 0; w < static_cast<std::size_t>(waves_); ++w)
            join(cluster_, clocks_[w]), gather(w);
    }
    void wait_for_cluster() override
    {
        for(std::size_t w = 0; w < static_cast<std::size_t>(waves_) && !cluster_.empty(); ++w)
            learn(w, cluster_);
    }

    // By one thread, when all others are done with what was there.
    void init(const void* mbarrier) override
    {
        const auto agent = static_cast<std::size_t>(wave());
        for(std::size_t w = 0; const std::uint32_t last : arrivals_[mbarrier].users)
        {
            if(w != agent && last > clocks_[agent][w])
                fail(fmt::format(
                    "an mbarrier begins, and ends, when all threads have met at a barrier: wave {} has used it since "
                    "the last one: close() it after the last wait",
                    w));
            ++w;
        }
        arrivals_[mbarrier] = {.maker = agent, .made = clocks_[agent][agent]};
    }
    void arrive(const void* mbarrier, copying with, bool ends_phase, int) override
    {
        arrival& a       = used(mbarrier);
        const auto agent = agent_for(with == copying::lines && !asynchronous_ ? copying::nothing : with);
        if(a.pending.empty())
        {
            a.pending.resize(known_agents());
            a.lanes.assign(static_cast<std::size_t>(waves_), 0);
        }
        std::uint64_t& lanes = a.lanes[static_cast<std::size_t>(wave())];
        lanes |= std::uint64_t(1) << now_.lane;
        if(lanes == all_lanes())
            join(a.pending, clocks_[agent]);
        else
            join_of_lane(a.pending, agent);
        ++clocks_[agent][agent];
        if(ends_phase)
            a.ended = std::exchange(a.pending, {});
    }
    void wait(const void* mbarrier, int phase) override
    {
        const auto w = static_cast<std::size_t>(wave());
        if(const arrival& a = used(mbarrier); phase >= 0 && !a.ended.empty())
        {
            learn(w, a.ended);
            if(a.ended[w] > gathered_[w]) // all of its own lanes, too
                gathered_[w] = a.ended[w], ++wave_syncs_[w];
        }
    }

    [[noreturn]] void fail(const char* what) override { fail(std::string(what)); }

  private:
    // What an agent has done: when by its clock, who, and in which verb, in a number: those of all cells of an access are compared at
    // once. In the same way, which lane of a wave: between which of its syncs, which wave, which lane.
    static constexpr std::uint64_t verb_bits = 0xffff, agent_bits = 0x7fff0000, overwritten = 0x80000000;
    static constexpr std::uint64_t several = 0xffff; // lanes
    static std::uint64_t event_of(std::uint32_t time, std::size_t agent, int verb_or_lane)
    {
        return std::uint64_t(time) << 32 | agent << 16 | static_cast<unsigned>(verb_or_lane);
    }
    static std::uint32_t time_of(std::uint64_t event) { return static_cast<std::uint32_t>(event >> 32); }
    static std::size_t agent_of(std::uint64_t event) { return (event & agent_bits) >> 16; }

    // The last write to each two bytes of LDS and the last read, `overwritten` if it was before; where lanes do not run together, theirs.
    struct lds_cells
    {
        lds_cells(std::size_t cells, bool lockstep)
            : count(cells),
              writes(cells),
              reads(cells),
              write_lanes(lockstep ? 0 : cells),
              read_lanes(lockstep ? 0 : cells)
        {
        }

        std::size_t count;
        std::vector<std::uint64_t> writes, reads, write_lanes, read_lanes;
    };
    // What products have read of each 16 bytes since they were written, if `any`: where, and when each wave's did.
    struct lds_chunks
    {
        lds_chunks(std::size_t count, std::size_t waves) : any(count), verb(count), times(count * waves) {}

        std::vector<std::uint8_t> any;
        std::vector<std::uint16_t> verb;
        time_list times; // [chunk, wave]
    };
    struct lds_write
    {
        std::size_t offset;
        const std::byte* from;
        std::size_t bytes;
    };
    struct role
    {
        int first, count;
    };
    struct verb_place
    {
        const char* verb = nullptr;
        source_line line = {};

        bool is(const verb_place& v) const
        {
            return verb == v.verb && line.line == v.line.line && line.file == v.line.file;
        }
    };
    struct product
    {
        const std::byte* acc;
        std::size_t bytes;
        std::vector<std::pair<std::size_t, std::uint32_t>> times; // of waves' products
    };
    struct arrival
    {
        std::size_t maker  = 0; // the wave that has made the mbarrier, and when
        std::uint32_t made = 0;
        time_list pending = {}, ended = {};
        std::vector<std::uint64_t> lanes = {}; // of each wave, a bit each: those that have arrived in this phase
        time_list users                  = {}; // when each wave has last used it
    };
    static constexpr std::size_t chunk_cells = lds_chunk_bytes / 2, waves_of_product = 4;

    void begin_block()
    {
        for(const time_list& list : clocks_)
            for(const std::uint32_t t : list)
                start_ = std::max(start_, t);
        ++start_;
        for(time_list& list : clocks_)
            std::fill(list.begin(), list.end(), start_ - 1);
        for(std::size_t a = 0; a < clocks_.size(); ++a)
            clocks_[a][a] = start_;
        std::fill(gathered_.begin(), gathered_.end(), start_ - 1);
        for(auto& batches : batches_)
            batches.clear();
        std::fill(others_reads_.begin(), others_reads_.end(), 0u);
        products_.clear(), arrivals_.clear(), known_phases_.clear(), roles_.clear(), cluster_.clear();
        role_  = {0, rank_waves_};
        phase_ = 0, verb_depth_ = 0, verb_ = nullptr;
        in_threads_ = product_ = false;
        copies_                = copying::nothing;
        now_                   = {};
        all_have_met();
        turns_ = launch_.seed * 0x9e3779b97f4a7c15u + block_;
        for(std::uint32_t& syncs : wave_syncs_)
            ++syncs;
        if(start_ > 0xf0000000u) // as good as never
        {
            cells_         = lds_cells(cells_.count, lockstep_);
            products_read_ = lds_chunks(products_read_.any.size(), static_cast<std::size_t>(waves_));
            for(time_list& read : earlier_reads_)
                read.clear();
            earlier_readers_.clear();
        }
    }

    // Agents: waves, then their copies, then their products, then the boxes that they copy. Beside each one's clock, they know when
    // each lane has arrived somewhere without its wave, where lanes do not run together.
    std::size_t known_agents() const { return static_cast<std::size_t>(waves_ * (4 + (lockstep_ ? 0 : lanes_))); }
    std::size_t lane_of(std::size_t w, std::size_t lane) const
    {
        return static_cast<std::size_t>(4 * waves_) + w * static_cast<std::size_t>(lanes_) + lane;
    }
    std::uint64_t all_lanes() const { return ~std::uint64_t(0) >> (64 - lanes_); }
    int wave() const { return (in_threads_ ? now_.rank * rank_waves_ + now_.wave : 0) + role_.first; }
    std::size_t copies_of(std::size_t w) const { return static_cast<std::size_t>(waves_) + w; }
    std::size_t products_of(std::size_t w) const { return static_cast<std::size_t>(2 * waves_) + w; }
    // The wave, or that of its agents which copies.
    std::size_t agent_for(copying what) const
    {
        constexpr int first[] = {0, 1, 3};
        return static_cast<std::size_t>(first[static_cast<int>(what)] * waves_ + wave());
    }
    std::string name_of_agent(std::size_t a) const
    {
        const std::size_t all = static_cast<std::size_t>(waves_);
        return fmt::format("{}wave {}",
                           a < all       ? ""
                           : a < 2 * all ? "an asynchronous copy of "
                           : a < 3 * all ? "a product under way of "
                                         : "a box copied by ",
                           a % all);
    }

    // f(wave) for those that do what is done now.
    template <class F>
    void each_wave(F&& f)
    {
        for(int rank = 0; rank < launch_.program.cluster; ++rank)
            for(int w = 0; w < role_.count; ++w)
                f(static_cast<std::size_t>(rank * rank_waves_ + role_.first + w));
    }

    static void join(time_list& to, const time_list& from)
    {
        for(std::size_t i = 0; i < to.size(); ++i)
            to[i] = std::max(to[i], from[i]);
    }
    void learn(std::size_t agent, const time_list& from) { join(clocks_[agent], from); }

    // What one lane of this wave tells by itself, of what `agent` knows, which is the wave or copies for it: what its wave has done
    // until its lanes met last, and what it has done itself since.
    void join_of_lane(time_list& to, std::size_t agent)
    {
        const auto w               = static_cast<std::size_t>(wave());
        const std::uint32_t before = to[w];
        join(to, clocks_[agent]);
        if(lockstep_)
            return;
        to[w]               = std::max(before, gathered_[w]);
        std::uint32_t& lane = to[lane_of(w, static_cast<std::size_t>(now_.lane))];
        lane                = std::max(lane, clocks_[w][w]);
    }
    // All lanes of the wave have come to one instruction.
    void gather(std::size_t w) { gathered_[w] = clocks_[w][w]++; }

    // An mbarrier that the wave uses.
    arrival& used(const void* mbarrier)
    {
        arrival& a       = arrivals_[mbarrier];
        const auto agent = static_cast<std::size_t>(wave());
        if(agent != a.maker && a.made > clocks_[agent][a.maker])
            fail(fmt::format(
                "an mbarrier is used after a barrier of the block: wave {} has made it, and wave {} has not met "
                "that since: sync() after the object is made",
                a.maker, agent));
        if(a.users.empty())
            a.users.resize(static_cast<std::size_t>(waves_));
        a.users[agent] = clocks_[agent][agent];
        return a;
    }

    void meet(int first, int count)
    {
        time_list all(known_agents());
        const auto begin = static_cast<std::size_t>(first), end = begin + static_cast<std::size_t>(count);
        for(std::size_t w = begin; w < end; ++w)
            join(all, clocks_[w]);
        for(std::size_t w = begin; w < end; ++w)
        {
            clocks_[w] = all;
            gather(w);
            ++wave_syncs_[w];
        }
    }

    void all_have_met()
    {
        for(std::size_t w = 0; w < at_barrier_.size(); ++w)
            at_barrier_[w] = clocks_[w][w];
    }

    std::size_t offset_of(const void* at, int bytes, const char* what)
    {
        const auto offset  = static_cast<std::size_t>(static_cast<const std::byte*>(at) - lds_); // before LDS: huge
        const auto length  = static_cast<std::size_t>(bytes);
        const bool vector  = (length & (length - 1)) == 0 && length <= 16;
        const bool aligned = !vector || (offset & (length - 1)) == 0;
        if(offset >= bytes_ || length > bytes_ - offset || !aligned) [[unlikely]]
            fail_lds_access(static_cast<std::ptrdiff_t>(offset), bytes, what);
        return offset;
    }
    [[noreturn]] void fail_lds_access(std::ptrdiff_t offset, int bytes, const char* what)
    {
        if(offset < 0 || static_cast<std::size_t>(offset) + static_cast<std::size_t>(bytes) > bytes_)
            fail(fmt::format("a program keeps to its LDS: bytes {} to {} are {}, and it has {}: enlarge its lds_bytes",
                             offset, offset + bytes - 1, what, bytes_));
        fail(fmt::format(
            "an access to LDS is aligned to its size: {0} bytes at byte {1} are {2}: take a multiple of {0}", bytes,
            offset, what));
    }

    // f(first, count) for the cells of some bytes, those of a vector at once.
    template <class F>
    [[gnu::always_inline]] static void each_run(std::size_t offset, int bytes, F&& f)
    {
        const std::size_t first = offset / 2, end = (offset + static_cast<std::size_t>(bytes) + 1) / 2;
        switch(end - first)
        {
        case 8: return f(first, std::integral_constant<std::size_t, 8>{});
        case 4: return f(first, std::integral_constant<std::size_t, 4>{});
        case 2: return f(first, std::integral_constant<std::size_t, 2>{});
        case 1: return f(first, std::integral_constant<std::size_t, 1>{});
        default:
            for(std::size_t c = first; c < end; ++c)
                f(c, std::integral_constant<std::size_t, 1>{});
        }
    }

    // Whether these are all one event, or differ in bits that are not asked for.
    template <std::size_t Count>
    [[gnu::always_inline]] static bool are_all(const std::uint64_t* events, std::uint64_t event,
                                               std::uint64_t asked = ~std::uint64_t(0))
    {
        std::uint64_t differ = 0;
        for(std::size_t i = 0; i < Count; ++i)
            differ |= events[i] ^ event;
        return (differ & asked) == 0;
    }
    template <std::size_t Count>
    [[gnu::always_inline]] static bool is_any(const std::uint64_t* events, std::uint64_t event, std::uint64_t asked)
    {
        bool any = false;
        for(std::size_t i = 0; i < Count; ++i)
            any |= ((events[i] ^ event) & asked) == 0;
        return any;
    }

    bool knows(std::size_t agent, std::uint64_t event) const
    {
        return agent_of(event) == agent || time_of(event) <= clocks_[agent][agent_of(event)];
    }
    // As of knows(), or of the lane by which it was done.
    bool knows_lane(std::size_t agent, std::uint64_t event, std::uint64_t lane) const
    {
        return knows(agent, event) || (agent_of(event) < static_cast<std::size_t>(waves_) && lane != several &&
                                       time_of(event) <= clocks_[agent][lane_of(agent_of(event), lane)]);
    }
    std::uint64_t lane_in(const std::vector<std::uint64_t>& lanes, std::size_t c) const
    {
        return lockstep_ ? several : lanes[c] & several;
    }
    // Whether these cells have been written at once, and `agent` knows of that: else they are looked at one by one.
    template <std::size_t Count>
    [[gnu::always_inline]] bool knows_write(std::size_t c, std::size_t agent) const
    {
        return are_all<Count>(&cells_.writes[c], cells_.writes[c]) && knows(agent, cells_.writes[c]);
    }
    // Whether not all have met at a barrier since.
    bool is_recent(std::uint64_t read) const { return time_of(read) >= at_barrier_[agent_of(read)]; }
    template <std::size_t Count>
    [[gnu::always_inline]] bool is_any_recent(const std::uint64_t* reads) const
    {
        if(are_all<Count>(reads, reads[0])) [[likely]]
            return is_recent(reads[0]);
        return std::any_of(reads, reads + Count, [&](std::uint64_t read) { return is_recent(read); });
    }

    template <std::size_t Count>
    [[gnu::noinline]] void read_cells(std::size_t c, std::uint64_t now)
    {
        std::uint64_t* const reads = &cells_.reads[c];
        const std::size_t agent    = agent_of(now);
        if(!knows_write<Count>(c, agent) || time_of(cells_.writes[c]) < start_ ||
           (!lockstep_ && is_any<Count>(&cells_.write_lanes[c], lane_event(agent), ~several))) [[unlikely]]
            for(std::size_t i = c; i < c + Count; ++i)
                check_read(i, agent);
        if(!are_all<Count>(reads, now, agent_bits) && is_any_recent<Count>(reads))
            for(std::size_t i = c; i < c + Count; ++i)
                keep_read(i, agent);
        if(!lockstep_)
            note_lane<Count>(c, now);
        std::fill_n(reads, Count, now);
        if(launch_.program.cluster > 1)
            note_read_of_others(c, agent);
    }
    void note_read_of_others(std::size_t c, std::size_t agent)
    {
        const int rank = static_cast<int>(2 * c / rank_bytes_);
        if(rank != static_cast<int>(agent) / rank_waves_)
            others_reads_[static_cast<std::size_t>(rank * waves_) + agent] = clocks_[agent][agent];
    }

    // A read is kept apart from the last ones when another agent reads the cell.
    void keep_read(std::size_t c, std::size_t agent)
    {
        const std::uint64_t read = cells_.reads[c];
        if(agent_of(read) == agent || !is_recent(read))
            return;
        time_list& kept = earlier_reads_[agent_of(read)];
        auto& lanes     = earlier_lanes_[agent_of(read)];
        if(kept.empty()) [[unlikely]]
        {
            kept.resize(cells_.count);
            lanes.resize(lockstep_ ? 0 : cells_.count);
            earlier_readers_.push_back(agent_of(read));
        }
        kept[c] = time_of(read);
        if(!lockstep_)
            lanes[c] = static_cast<std::uint16_t>(cells_.read_lanes[c]);
    }

    [[gnu::always_inline]] std::uint64_t lane_event(std::size_t agent) const
    {
        return event_of(wave_syncs_[static_cast<std::size_t>(wave())], agent, now_.lane);
    }
    // Cells to which nothing has happened since a lane of the wave read them.
    template <std::size_t Count>
    [[gnu::always_inline]] void read_by_lane(std::size_t c, std::uint64_t now)
    {
        const std::uint64_t lane = lane_event(agent_of(now));
        bool news                = false;
        for(std::size_t i = c; i < c + Count; ++i)
            news |= cells_.read_lanes[i] != lane && cells_.read_lanes[i] != (lane | several);
        if(!news)
            return;
        if(is_any<Count>(&cells_.write_lanes[c], lane, ~several)) [[unlikely]]
            for(std::size_t i = c; i < c + Count; ++i)
                check_read(i, agent_of(now));
        note_lane<Count>(c, now);
    }
    template <std::size_t Count>
    [[gnu::always_inline]] void note_lane(std::size_t c, std::uint64_t now)
    {
        const std::uint64_t lane = lane_event(agent_of(now));
        for(std::size_t i = c; i < c + Count; ++i)
        {
            const bool others    = ((cells_.reads[i] ^ now) & ~(verb_bits | overwritten)) == 0 &&
                                   ((cells_.read_lanes[i] ^ lane) & ~several) == 0 && cells_.read_lanes[i] != lane;
            cells_.read_lanes[i] = others ? lane | several : lane;
        }
    }
    // The LDS of a workgroup is there until it ends: of a cluster, when all know that the others have read it.
    void expect_read_before_end()
    {
        for(std::size_t w = 0; w < others_reads_.size(); ++w)
        {
            const std::size_t reader = w % static_cast<std::size_t>(waves_);
            const int rank           = static_cast<int>(w / static_cast<std::size_t>(waves_));
            for(int own = rank * rank_waves_; own < (rank + 1) * rank_waves_; ++own)
                if(others_reads_[w] > clocks_[static_cast<std::size_t>(own)][reader])
                    fail(
                        fmt::format("waves take turns at LDS: wave {} ends its workgroup's, which wave {} of another "
                                    "one has read: arrive_cluster() behind the read, and wait_cluster() before the end",
                                    own, reader));
        }
    }
    // The matrix unit reads chunks: each of their elements is told of, and the first stands for all. A product is that of four waves at
    // once: which of them reads what is not known.
    [[gnu::noinline]] void read_chunk(const void* at)
    {
        const std::size_t c     = offset_of(at, lds_chunk_bytes, "read") / 2;
        const std::size_t chunk = c / chunk_cells, all = static_cast<std::size_t>(waves_),
                          first    = static_cast<std::size_t>(wave()) / waves_of_product * waves_of_product;
        std::uint32_t* const times = &products_read_.times[chunk * all];
        if(products_read_.any[chunk] != 0 && times[first] == clocks_[products_of(first)][products_of(first)])
            return; // by this product
        products_read_.any[chunk]  = 1;
        products_read_.verb[chunk] = verb_number();
        for(std::size_t w = first; w < std::min(first + waves_of_product, all); ++w)
        {
            const std::size_t agent = products_of(w);
            if(!knows_write<chunk_cells>(c, agent) || time_of(cells_.writes[c]) < start_) [[unlikely]]
                for(std::size_t i = c; i < c + chunk_cells; ++i)
                    check_read(i, agent);
            times[w] = clocks_[agent][agent];
        }
    }
    void check_read(std::size_t c, std::size_t agent)
    {
        const std::uint64_t write = cells_.writes[c];
        if(time_of(write) < start_)
            fail(fmt::format("LDS is written before it is read: nothing has been written to byte {}: store all that is "
                             "read, and wait at a sync()",
                             2 * c));
        if(!knows_lane(agent, write, lane_in(cells_.write_lanes, c)))
            fail_race(c, "read", agent, write, "written");
        if(!lockstep_ && agent_of(write) == agent && is_other_lane(cells_.write_lanes[c], agent))
            fail_lane_race(c, "read", "written", write & verb_bits);
    }
    bool is_other_lane(std::uint64_t lane, std::size_t agent) const
    {
        const std::uint64_t differ = lane ^ lane_event(agent);
        return (differ & ~several) == 0 && differ != 0;
    }

    // Whether `agent` knows of all that has been read of these cells; if not, they are looked at one by one.
    template <std::size_t Count>
    [[gnu::always_inline]] bool knows_reads(std::size_t c, std::size_t agent) const
    {
        const std::uint64_t* const reads = &cells_.reads[c];
        if(!is_any_recent<Count>(reads))
            return true;
        bool known = are_all<Count>(reads, reads[0]) && knows(agent, reads[0]);
        for(const std::size_t r : earlier_readers_)
            known = known && (r == agent || *std::max_element(&earlier_reads_[r][c], &earlier_reads_[r][c] + Count) <=
                                                clocks_[agent][r]);
        return known;
    }

    template <std::size_t Count>
    [[gnu::always_inline]] void write_cells(std::size_t c, std::uint64_t now, const lds_write& access)
    {
        const std::size_t agent = agent_of(now);
        if(!knows_write<Count>(c, agent) || !knows_reads<Count>(c, agent) ||
           (!lockstep_ && is_any<Count>(&cells_.read_lanes[c], lane_event(agent), ~several))) [[unlikely]]
            for(std::size_t i = c; i < c + Count; ++i)
                check_write(i, now, access);
        for(std::size_t i = c; i < c + Count; ++i)
            cells_.reads[i] |= overwritten;
        std::fill_n(&cells_.writes[c], Count, now);
        if(lockstep_)
            return;
        std::fill_n(&cells_.write_lanes[c], Count, lane_event(agent));
        if(const std::size_t chunk = c / chunk_cells; products_read_.any[chunk] != 0)
        {
            check_products(c, agent);
            products_read_.any[chunk] = Count < chunk_cells;
        }
    }
    void check_write(std::size_t c, std::uint64_t now, const lds_write& access)
    {
        const std::uint64_t write = cells_.writes[c], read = cells_.reads[c];
        const std::size_t agent = agent_of(now);
        if(!knows_lane(agent, write, lane_in(cells_.write_lanes, c)) && !stays_same(c, access)) [[unlikely]]
            fail_race(c, "written", agent, write, "written");
        if(!knows_lane(agent, read, lane_in(cells_.read_lanes, c))) [[unlikely]]
            fail_race(c, "written", agent, read, "read");
        if(is_recent(read))
            for(const std::size_t r : earlier_readers_)
            {
                const std::uint64_t earlier = event_of(earlier_reads_[r][c], r, static_cast<int>(read & verb_bits));
                if(!knows_lane(agent, earlier, lockstep_ ? several : earlier_lanes_[r][c])) [[unlikely]]
                    fail_race(c, "written", agent, earlier, "read");
            }
        if(!lockstep_ && ((read ^ now) & ~(verb_bits | overwritten)) == 0 &&
           is_other_lane(cells_.read_lanes[c], agent) && !stays_same(c, access)) [[unlikely]]
            fail_lane_race(c, "written", "read", read & verb_bits);
    }
    // As of check_write(), for what products have read of the cell's chunk.
    void check_products(std::size_t c, std::size_t agent)
    {
        const std::size_t chunk = c / chunk_cells, waves = static_cast<std::size_t>(waves_);
        for(std::size_t w = 0; w < waves; ++w)
        {
            const std::uint64_t read =
                event_of(products_read_.times[chunk * waves + w], products_of(w), products_read_.verb[chunk]);
            if(!knows(agent, read)) [[unlikely]]
                fail_race(c, "written", agent, read, "read");
        }
    }

    // Whether what is written is what the cell holds already: as of threads that hold the same.
    bool stays_same(std::size_t c, const lds_write& access) const
    {
        for(std::size_t i = std::max(2 * c, access.offset); i < std::min(2 * c + 2, access.offset + access.bytes); ++i)
            if(access.from[i - access.offset] != lds_[i])
                return false;
        return true;
    }

    // The number of the verb that is at work, among verbs_.
    [[gnu::always_inline]] std::uint16_t verb_number()
    {
        const verb_place now = {verb_depth_ > 0 ? verb_ : nullptr, line_};
        if(!last_verb_.is(now)) [[unlikely]]
            number_verb(now);
        return last_verb_number_;
    }
    [[gnu::noinline]] void number_verb(const verb_place& now)
    {
        auto found = std::find_if(verbs_.begin(), verbs_.end(), [&](const verb_place& v) { return v.is(now); });
        if(found == verbs_.end() && verbs_.size() < 0xffff)
            found = verbs_.insert(found, now);
        last_verb_        = now;
        last_verb_number_ = static_cast<std::uint16_t>(found == verbs_.end() ? 0 : found - verbs_.begin());
    }
    std::string in_place(std::size_t number) const
    {
        const auto& [verb, line] = verbs_[number];
        if(line.file == nullptr)
            return "";
        return verb == nullptr ? fmt::format(" after {}:{}", line.file, line.line)
                               : fmt::format(" in {} at {}:{}", verb, line.file, line.line);
    }

    // Whether one lane of the wave has told `agent` of itself, but not of all lanes, since the event.
    bool knows_one_lane(std::size_t agent, std::uint64_t event) const
    {
        const std::size_t w = agent_of(event);
        if(lockstep_ || w >= static_cast<std::size_t>(waves_))
            return false;
        const std::uint32_t* const lanes = &clocks_[agent][lane_of(w, 0)];
        return *std::max_element(lanes, lanes + lanes_) >= time_of(event);
    }

    [[noreturn]] void fail_race(std::size_t c, const char* now, std::size_t agent, std::uint64_t event,
                                const char* before)
    {
        const std::size_t all = static_cast<std::size_t>(waves_), other = agent_of(event);
        const char* fix = other >= 3 * all   ? "wait() for its box_barrier"
                          : other >= 2 * all ? "wait_for_products() in its wave, and meet at a barrier"
                          : other >= all     ? "wait_for_copies() in its wave, and meet at a barrier"
                          : knows_one_lane(agent, event)
                              ? "meet at a sync_wave() before one lane arrives, or copies a box, for all"
                              : "meet at a sync(), or another barrier, in between";
        fail(fmt::format("waves take turns at LDS: byte {} is {}{}, which {} has {}{}: {}", 2 * c, now,
                         copies_ == copying::lines   ? " by an asynchronous copy"
                         : copies_ == copying::boxes ? " by a copied box"
                         : product_                  ? " by a product"
                                                     : "",
                         name_of_agent(other), before, in_place(event & verb_bits), fix));
    }

    [[noreturn]] void fail_lane_race(std::size_t c, const char* now, const char* before, std::size_t where)
    {
        fail(fmt::format(
            "lanes of a wave take turns at LDS on {}: byte {} is {}, which another lane has {}{}: meet at a "
            "sync_wave(), or another barrier, in between",
            launch_.arch.name, 2 * c, now, before, in_place(where)));
    }

    shared::accessor self() const { return {block_, static_cast<unsigned>(wave()), phase_}; }

    [[gnu::noinline]] void read_existing(const memory_access& a)
    {
        each_numbered(a, "read",
                      [&](auto count, const std::byte* at, std::uint32_t* writers, std::uint32_t* readers,
                          std::uint32_t me) __attribute__((always_inline)) {
                          if(!reads_again<count>(writers, readers, me))
                              note_read<count>(a, at, writers, readers, me);
                      });
    }
    [[gnu::noinline]] void write_existing(const memory_access& a, const void* from)
    {
        each_numbered(
            a, "written",
            [&](auto count, const std::byte* at, std::uint32_t* writers, std::uint32_t* readers, std::uint32_t me)
                __attribute__((always_inline)) { note_write<count>(a, at, from, writers, readers, me); });
    }

    // f(bytes, where they are, numbers of who has written and read them, this wave's), where accesses are numbered.
    template <class F>
    [[gnu::always_inline]] void each_numbered(const memory_access& a, const char* what, F&& f)
    {
        const std::byte* at = nullptr;
        host_memory* found  = find(a, at, what);
        if(found == nullptr || !launch_.numbered)
            return;
        const std::size_t first = static_cast<std::size_t>(at - found_begin_);
        std::uint32_t *writers = found->writers.at(first), *readers = found->readers.at(first);
        if(writers == nullptr || readers == nullptr)
            return;
        const std::uint32_t me = launch_.number(self());
        each_size(a.bytes, [&](auto count) __attribute__((always_inline)) { f(count, at, writers, readers, me); });
    }

    // f(bytes) for an access of so many, which are known to the compiler.
    template <class F>
    [[gnu::always_inline]] static void each_size(int bytes, F&& f)
    {
        switch(bytes)
        {
        case 16: return f(constant<16>{});
        case 8: return f(constant<8>{});
        case 4: return f(constant<4>{});
        case 2: return f(constant<2>{});
        default: return f(constant<1>{});
        }
    }
    // Whether others than `me` have accessed some of these bytes in this launch.
    template <int Count>
    [[gnu::always_inline]] bool others_in(const std::uint32_t* numbers, std::uint32_t me) const
    {
        std::uint32_t any = 0;
        for(int i = 0; i < Count; ++i)
            any |= std::uint32_t(numbers[i] >= launch_.first) & std::uint32_t(numbers[i] != me);
        return any != 0;
    }
    // Whether a read of these bytes adds nothing to what is known of them. Looked at while other workers write there: one of those that
    // this wave does not know finds its number, or that there are several, and fails.
    template <int Count>
    [[gnu::always_inline]] bool reads_again(const std::uint32_t* writers, const std::uint32_t* readers,
                                            std::uint32_t me) const
    {
        std::uint32_t news = 0;
        for(int i = 0; i < Count; ++i)
            news |= std::uint32_t(readers[i] != me) & std::uint32_t(readers[i] != launch_.first);
        return news == 0 && !others_in<Count>(writers, me);
    }
    template <int Count>
    [[gnu::always_inline]] void note_read(const memory_access& a, const std::byte* at, const std::uint32_t* writers,
                                          std::uint32_t* readers, std::uint32_t me)
    {
        const std::lock_guard hold(lock_of(at));
        if(others_in<Count>(writers, me)) [[unlikely]]
            for(int i = 0; i < Count; ++i)
                if(writers[i] > launch_.first && writers[i] != me && !is_known(writers[i]))
                    fail_memory_race(a, "reads", writers[i], "written");
        for(int i = 0; i < Count; ++i)
            readers[i] = readers[i] < launch_.first || readers[i] == me ? me : launch_.first;
    }
    template <int Count>
    [[gnu::always_inline]] void note_write(const memory_access& a, const std::byte* at, const void* from,
                                           std::uint32_t* writers, const std::uint32_t* readers, std::uint32_t me)
    {
        const std::lock_guard hold(lock_of(at));
        if(others_in<Count>(writers, me) || others_in<Count>(readers, me)) [[unlikely]]
            for(int i = 0; i < Count; ++i)
            {
                if(writers[i] > launch_.first && writers[i] != me && !is_known(writers[i]) &&
                   (launch_.of_number(writers[i]).block != block_ || std::memcmp(at, from, Count) != 0))
                    fail_memory_race(a, "writes", writers[i], "written");
                if(readers[i] >= launch_.first && readers[i] != me &&
                   (readers[i] == launch_.first || !is_known(readers[i])))
                    fail_memory_race(a, "writes", readers[i], "read");
            }
        std::fill_n(writers, Count, me);
    }

    bool is_known(std::uint32_t number) const
    {
        const auto a = launch_.of_number(number);
        if(a.block == block_)
            return static_cast<int>(a.wave) == wave() || a.phase < phase_;
        const auto known = known_phases_.find(a.block);
        return known != known_phases_.end() && a.phase < known->second;
    }

    std::string coordinates_of(const memory_access& a) const
    {
        std::string text;
        if(a.coordinates != nullptr)
        {
            int at[8];
            const int rank = a.coordinates(a.window, now_, a.reg, at);
            for(int d = 0; d < rank; ++d)
                text += fmt::format("{}{}", d == 0 ? " at (" : ", ", at[d]);
            text += ") of the view";
        }
        return text;
    }

    // The memory that an access is in, if it is known, and where.
    host_memory* find(const memory_access& a, const std::byte*& at, const char* what)
    {
        if((a.offset & nowhere) != 0)
        {
            if(a.coordinates != nullptr && !a.may_end_outside)
                fail(fmt::format(
                    "a view's elements lie in its memory: those{} begin {} bytes before it: correct its strides, or "
                    "pad it",
                    coordinates_of(a), -static_cast<std::int64_t>(static_cast<std::int32_t>(a.offset))));
            return nullptr;
        }
        if(a.range_bytes == 0 || (a.offset >= a.range_bytes && a.may_end_outside))
            return nullptr; // a view of no memory is one of zeros
        if(std::uint64_t(a.offset) + static_cast<std::uint64_t>(a.bytes) > a.range_bytes)
            fail(fmt::format(
                "a view's elements lie in its memory: bytes {} to {}{} are {}, and it has {}: correct its lengths, "
                "strides or number of elements",
                a.offset, std::uint64_t(a.offset) + static_cast<std::uint64_t>(a.bytes) - 1, coordinates_of(a), what,
                a.range_bytes));
        at = reinterpret_cast<const std::byte*>(a.base) + a.offset;
        if((reinterpret_cast<std::uintptr_t>(at) & static_cast<unsigned>(a.bytes - 1)) != 0)
            fail(fmt::format(
                "an access is aligned to its size: {} bytes{} are {} at an address that is no multiple: use shorter "
                "vectors, or align rows to them",
                a.bytes, coordinates_of(a), what));
        // Where a row ends all threads see it in their first register, or all registers do of the first lane.
        if(a.reach != nullptr && (a.reg == 0 || now_.lane == 0))
            if(const int reach = a.reach(a.window, now_, a.reg); reach != a.bytes - a.element_bytes)
                fail(fmt::format("a vector runs along a dimension of stride 1, within its length: that of {} "
                                 "elements{} {}: use vectors "
                                 "along another dimension, or shorter ones",
                                 a.bytes / a.element_bytes, coordinates_of(a),
                                 reach < 0
                                     ? "ends where the view does not exist"
                                     : fmt::format("ends {} bytes further, not {}", reach, a.bytes - a.element_bytes)));
        return memory_of(a, at, what);
    }

    host_memory* memory_of(const memory_access& a, const std::byte* at, const char* what)
    {
        const auto* base = reinterpret_cast<const std::byte*>(a.base);
        if(found_ == nullptr || found_changes_ != memories().changes || base < found_begin_ ||
           base > found_begin_ + found_->bytes)
        {
            const std::shared_lock hold(memories().lock);
            auto next = memories().at.upper_bound(base + red_zone);
            if(next == memories().at.begin())
                return nullptr;
            --next;
            if(base >= next->first + next->second->bytes + red_zone)
                return nullptr; // memory of others
            found_begin_ = next->first, found_ = next->second, found_changes_ = memories().changes;
        }
        if(at < found_begin_ || at + a.bytes > found_begin_ + found_->bytes)
            fail(fmt::format(
                "a view lies in a buffer of the device: bytes {} to {} of one of {} bytes{} are {}: correct the view's "
                "pointer or number of elements",
                at - found_begin_, at - found_begin_ + a.bytes - 1, found_->bytes, coordinates_of(a), what));
        return found_.get();
    }
    spin_lock& lock_of(const std::byte* at)
    {
        return launch_.of_memory[reinterpret_cast<std::uintptr_t>(at) >> 12 & 255];
    }

    [[noreturn]] void fail_memory_race(const memory_access& a, const char* now, std::uint32_t other, const char* before)
    {
        std::string who = "several waves or blocks";
        bool same       = false;
        if(other > launch_.first)
        {
            const auto o = launch_.of_number(other);
            same         = o.block == block_;
            who          = same ? fmt::format("wave {} of the same block", o.wave)
                                : fmt::format("block {}", launch_.name_of(o.block));
        }
        fail(fmt::format(
            "{} of a launch do not touch what another writes: this {} byte {} of a buffer{}, which {} has {}: {}",
            same ? "waves" : "blocks", now, reinterpret_cast<const std::byte*>(a.base) + a.offset - found_begin_,
            coordinates_of(a), who, before,
            same ? "a sync() is for LDS alone; go through that"
                 : "give each element to one block, or use two launches"));
    }

    [[noreturn]] void fail(const std::string& what)
    {
        const std::string where = verb_ == nullptr   ? ""
                                  : verb_depth_ == 0 ? fmt::format("after {} at {}:{}, ", verb_, line_.file, line_.line)
                                                     : fmt::format("{} at {}:{}, ", verb_, line_.file, line_.line);
        const std::string thread = in_threads_ ? fmt::format(", wave {}, lane {}", wave(), now_.lane) : "";
        throw violation_found{fmt::format("kernel {}: {} ({}block {}{})", launch_.program.name, what, where,
                                          launch_.name_of(block_), thread)};
    }

    checked_launch::shared& launch_;
    std::byte* lds_;
    std::size_t rank_bytes_, bytes_;
    int rank_waves_, waves_, lanes_;
    bool lockstep_;     // lanes of a wave run together
    bool asynchronous_; // copies to LDS go on while threads do
    std::uint64_t block_ = 0;
    std::uint64_t turns_ = 0;

    std::uint32_t start_ = 0;        // of the block: no clock has shown so much before
    std::vector<time_list> clocks_;  // what each agent knows of each one's clock, its own included
    std::vector<time_list> batches_; // of each wave's copies: when they were closed
    std::vector<std::uint32_t> wave_syncs_;
    time_list gathered_;            // each wave's clock when its lanes last came to one instruction together
    time_list at_barrier_;          // each wave's clock when all had met last
    std::vector<product> products_; // under way, the oldest first
    std::unordered_map<const void*, arrival> arrivals_;
    time_list cluster_;
    lds_cells cells_;
    lds_chunks products_read_;
    std::vector<time_list> earlier_reads_; // of each agent, of cells that another one has read since; empty: none
    std::vector<std::vector<std::uint16_t>> earlier_lanes_; // by which
    std::vector<std::size_t> earlier_readers_;
    time_list others_reads_;        // [rank][wave]: when a wave of another workgroup has last read that of the rank
    std::vector<verb_place> verbs_; // the first is none
    verb_place last_verb_           = {};
    std::uint16_t last_verb_number_ = 0;
    role role_                      = {};
    std::vector<role> roles_;
    copying copies_ = copying::nothing;
    bool product_   = false;

    unsigned phase_ = 0;
    std::unordered_map<std::uint64_t, unsigned> known_phases_; // of other blocks
    const std::byte* found_begin_ = nullptr;
    std::shared_ptr<host_memory> found_;
    std::uint64_t found_changes_ = 0;
};

checked_launch::checked_launch(const kernel& k, grid blocks, std::uint32_t seed)
    : shared_(std::make_unique<shared>(k, blocks, seed))
{
}
checked_launch::~checked_launch() = default;

grid checked_launch::block_at(std::uint64_t n) const
{
    const auto b = static_cast<std::uint64_t>((static_cast<unsigned __int128>(n) * shared_->step + shared_->shift) %
                                              shared_->count);
    return {static_cast<unsigned>(b % shared_->blocks.x),
            static_cast<unsigned>(b / shared_->blocks.x % shared_->blocks.y),
            static_cast<unsigned>(b / shared_->blocks.x / shared_->blocks.y)};
}

status checked_launch::finish() const
{
    const std::shared_lock hold(memories().lock);
    for(const auto& [begin, memory] : memories().at)
        if(!red_zones_are_intact(begin, memory->bytes))
            return rejection{fmt::format(
                "kernel {}: a program writes to buffers of the device alone: bytes before or behind one of {} "
                "bytes have been written, by a pointer: views are checked where they are accessed",
                shared_->program.name, memory->bytes)};
    return {};
}

checked_launch::worker::worker(checked_launch& launch, std::byte* lds)
    : checker_(std::make_unique<checker>(*launch.shared_, lds))
{
}
checked_launch::worker::~worker() = default;

status checked_launch::worker::run(const void* arguments, grid at)
{
    checker_of_program = checker_.get();
    status done        = checker_->run(arguments, at);
    checker_of_program = nullptr;
    return done;
}

} // namespace ck_tile

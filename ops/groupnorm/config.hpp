// SPDX-License-Identifier: MIT
// The configuration of one instance, forward or backward, and what makes one legal.
#pragma once

#include "ck_tile/core/distribution.hpp"
#include "ck_tile/numeric/violation.hpp"
#include "ck_tile/targets/targets.hpp"
#include "ck_tile/verbs/reduce.hpp"

namespace ck_tile::groupnorm
{

// Which dimension lies densely in memory: the channels (nhwgc) or the last spatial one (ngchw).
enum class innermost
{
    channels,
    spatial
};

// What a kernel does: everything for whole groups, which stay in registers; or one of the two passes over memory of the
// streaming formulation, the sums and then the result.
enum class pass
{
    whole,
    sums,
    apply
};

} // namespace ck_tile::groupnorm

template <>
struct ck_tile::enumerators<ck_tile::groupnorm::innermost>
{
    using enum groupnorm::innermost;
    static constexpr const char* type                       = "groupnorm::innermost";
    static constexpr enumerator<groupnorm::innermost> all[] = {{channels, "channels"}, {spatial, "spatial"}};
};

// [enumerators]
template <>
struct ck_tile::enumerators<ck_tile::groupnorm::pass>
{
    using enum groupnorm::pass;
    static constexpr const char* type                  = "groupnorm::pass"; // in namespace ck_tile
    static constexpr enumerator<groupnorm::pass> all[] = {{whole, "whole"}, {sums, "sums"}, {apply, "apply"}};
};
// [/enumerators]

namespace ck_tile::groupnorm
{

struct config
{
    architecture arch;
    data_type dtype;
    innermost dense;
    groupnorm::pass pass;
    int vector;      // elements that one access moves
    int waves;       // of a workgroup
    int steps;       // vectors of each tensor that a thread holds
    int cluster = 1; // workgroups of a block

    constexpr int wave() const { return facts(arch).wave; }
    constexpr int threads() const { return waves * wave(); } // of a workgroup
    constexpr int columns() const { return threads() * vector; }

    // A tile: in each step, the threads of a workgroup hold `columns` elements side by side.
    constexpr distribution tile() const
    {
        return {.lengths = {cluster * steps, columns()},
                .wave    = {{waves, 1, wave() * vector}},
                .lane    = {{wave(), 1, vector}},
                .reg     = {{steps, 0, 1}},
                .vec     = {{vector, 1, 1}},
                .cluster = {{cluster, 0, steps}}};
    }

    // Sums within a thread: of its steps, which stand at the same channels; or of each vector, which lies in one channel.
    constexpr int folds() const { return dense == innermost::channels ? 0 : 1; }
    constexpr distribution thread_sums() const { return detail::folded(tile(), folds()); }

    // Numbers that a workgroup's threads put into LDS, one per channel of a vector or one per vector. With channels innermost,
    // those of a vector lie apart: neighbouring threads write, and neighbouring channels read, without bank conflicts.
    constexpr int line() const { return threads() + (dense == innermost::channels ? 16 / vector : 0); }
    constexpr int slots() const { return dense == innermost::channels ? vector * line() : steps * line(); }

    // Channels that a block can work on.
    constexpr int max_channels() const { return slots() / 8; }

    // LDS in bytes: 16 for each channel, then the slots of 8, then rooms of 8 for sums by channel, by group, and by channel of
    // one workgroup where there are several.
    constexpr int slots_at() const { return max_channels() * 16; }
    constexpr int room_at(int number) const { return slots_at() + (slots() + number * (max_channels() + waves)) * 8; }
    constexpr int rank_room_at() const { return room_at(cluster > 1 ? 2 : 0); }
    // Whole vectors: on the CPU the LDS of a cluster's workgroups lies one behind the other.
    constexpr int lds_bytes() const
    {
        const int all = pass == pass::whole  ? room_at(cluster > 1 ? 3 : 2)
                        : pass == pass::sums ? room_at(1)
                                             : slots_at();
        return ceil_div(all, 16) * 16;
    }

    // Registers of a thread, roughly: x and dy; numbers per channel, and addresses.
    constexpr int registers() const { return 2 * steps * ((vector * bytes_of(dtype) + 3) / 4) + 36; }

    friend constexpr bool operator==(const config&, const config&) = default;
};

// The only place that knows which configurations are legal; static_assert, the dispatcher and the generator ask it.
// `t` are the facts of c.arch.
constexpr violation check(const config& c, const target& t)
{
    if(c.vector < 1 || c.vector * bytes_of(c.dtype) > t.max_vector_bytes || (c.vector & (c.vector - 1)) != 0)
        return {"the vector width must be a power of two of at most 16 bytes", c.vector, "use 1, 2, 4 or 8"};
    if(c.waves < 1 || c.threads() > t.max_block_threads)
        return {"waves * lanes must be within the threads of a block", c.waves * t.wave, "use fewer waves"};
    if(c.steps < 1)
        return {"a thread must hold at least one vector", c.steps, "use 1 or more steps"};
    if(c.cluster < 1 || c.cluster > t.max_cluster)
        return {"a cluster must not have more workgroups than the architecture lets", c.cluster,
                "use a smaller cluster"};
    if(c.cluster > 1 && c.pass != pass::whole)
        return {"only a pass that holds whole groups can use a cluster", c.cluster, "use a cluster of 1"};
    if(c.registers() > t.vgprs * 3 / 4)
        return {"what a thread holds must leave a quarter of its registers", c.registers(), "use fewer steps"};
    if(c.lds_bytes() > t.lds_bytes)
        return {"sums and coefficients must fit the block's LDS", c.lds_bytes(), "use fewer waves or steps"};
    return {};
}

constexpr violation check(const config& c) { return check(c, facts(c.arch)); }

} // namespace ck_tile::groupnorm

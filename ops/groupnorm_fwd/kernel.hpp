// SPDX-License-Identifier: MIT
// Group norm forward: y = (x - mean) * inv_std * gamma + beta, with the mean and inv_std = 1 / sqrt(variance + epsilon) of each
// sample and group.
//
// The variance is summed of centred squares, in a second look at the tile, so that a mean that is large against the standard
// deviation costs nothing; what the first mean was off by, the centred sum tells. A block that holds whole groups does all of
// it. Else one pass makes mean and squares of each channel of its slab, which are merged, and another one applies them.
#pragma once

#include "ck_tile/targets/schedule.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ops/groupnorm/slab.hpp"

namespace ck_tile::groupnorm_fwd
{

using groupnorm::config;
using groupnorm::geometry;
using groupnorm::pass;
using groupnorm::slab;

// Mean, and sum of the squared distances from it, of some pixels of a channel.
struct alignas(8) moments
{
    float mean, squares;
};

// Sums of x - m and of (x - m)^2, for some m near the mean.
struct alignas(8) centred_sums
{
    float first, second;

    friend CK_TILE_FN centred_sums operator+(centred_sums a, centred_sums b)
    {
        return {a.first + b.first, a.second + b.second};
    }

    // The moments that they stand for, of `count` elements.
    CK_TILE_FN moments around(float m, float inverse_count) const
    {
        const float off = first * inverse_count;
        return {m + off, second - first * off};
    }
};

struct arguments
{
    geometry g;
    const void *x, *gamma, *beta; // no gamma: all ones, no beta: all zeros
    float *mean, *inv_std;
    void* y;
    moments* partials; // [image][chunk][channel]
    float epsilon;
    float inverse_elements; // 1 / elements of a group
};

template <class T>
CK_TILE_FN float parameter_of(const void* of_channels, int c, float absent)
{
    return of_channels == nullptr ? absent : convert<float>(static_cast<const T*>(of_channels)[c]);
}

CK_TILE_FN float inv_std_of(float squares, float inverse_elements, float epsilon)
{
    return 1.f / __builtin_sqrtf(squares * inverse_elements + epsilon);
}

template <config C>
struct program
{
    static_assert(!check(C), "groupnorm_fwd: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr int cluster       = C.cluster;
    static constexpr int threads       = C.threads();
    static constexpr int registers     = C.registers();
    static constexpr int lds_bytes     = C.lds_bytes();
    using element                      = element_t<C.dtype>;
    using arguments                    = groupnorm_fwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        // The second pass begins where the first one ended, with what may still be in the cache.
        const slab<C> s(a.g, C.pass == pass::apply ? a.g.slabs() - 1 - int(b.at.x) : int(b.at.x));
        auto x = s.window(static_cast<const element*>(a.x));

        if constexpr(C.pass == pass::whole)
        {
            auto x_tile = load(x);
            load_parameters(b, s, a);
            const auto sum = s.template combine_by_group<float>(b, sums(b, s, x_tile), plus);
            set_means(b, s, [&](thread t, int c) { return sum(t, s.group_of(c)) * a.inverse_elements; });
            b.wait_cluster<C.cluster>();
            make_opaque(x_tile);
            const auto centred = s.template combine_by_group<centred_sums>(b, centre(b, s, x_tile), plus);
            make_opaque(x_tile);
            finish_groups(b, s, a, centred);
            store(s.window(static_cast<element*>(a.y), opaque(0)), apply(b, s, x_tile));
            b.wait_cluster<C.cluster>();
        }
        else if constexpr(C.pass == pass::sums)
        {
            const auto x_tile   = load(x);
            const float inverse = 1.f / static_cast<float>(s.pixels);
            const auto sum      = sums(b, s, x_tile);
            set_means(b, s, [&](thread t, int c) { return sum(t, c) * inverse; });
            const auto centred = centre(b, s, x_tile);
            moments* to =
                a.partials + (std::int64_t(s.image) * a.g.chunks.divisor + s.chunk) * a.g.channels + s.channel;
            for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
                const channel* known = known_of(b, s, t, c);
                check_lds_read(&known->mean, sizeof(float));
                to[c] = centred(t, c).around(known->mean, inverse);
            });
        }
        else
        {
            auto y = s.window(static_cast<element*>(a.y));
            load_parameters(b, s, a);
            for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
                const int statistic = s.image * a.g.groups + s.group_of(c);
                channel* known      = known_of(b, s, t, c);
                check_lds_read(known, sizeof *known);
                known->mean = a.mean[statistic];
                known->scale *= a.inv_std[statistic];
                check_lds_write(known, known, sizeof *known);
            });
            b.sync();
            for(int i = 0; i < a.g.tiles; ++i)
            {
                store(y, apply(b, s, load(x)));
                x.move(x.template step<0>(C.steps)), y.move(y.template step<0>(C.steps));
            }
        }
    }

  private:
    static constexpr distribution tile_layout = C.tile(), sum_layout = C.thread_sums();
    using tensor = tile<element, tile_layout>;

    // What is known of a channel, in LDS at its place.
    struct alignas(16) channel
    {
        float mean, scale, shift, unused;
    };

    static constexpr auto plus = [](auto l, auto r) { return l + r; };

    static CK_TILE_FN lds_pointer<channel> known_of(const block& b, const slab<C>& s, thread t, int c)
    {
        return b.lds_of<channel>(t, 0) + s.channel_slot(c);
    }

    static CK_TILE_FN void load_parameters(const block& b, const slab<C>& s, const arguments& a)
    {
        for_each_index<tile_layout>(s.known_channels(), [&](thread t, int c) {
            channel known = {};
            if(c < s.channels)
                known = {0, parameter_of<element>(a.gamma, s.channel + c, 1),
                         parameter_of<element>(a.beta, s.channel + c, 0), 0};
            *known_of(b, s, t, c) = known;
        });
    }

    static CK_TILE_FN void set_means(const block& b, const slab<C>& s, const auto& mean)
    {
        for_each_index<tile_layout>(s.known_channels(), [&](thread t, int c) {
            channel* known   = known_of(b, s, t, c);
            const float here = c < s.channels ? mean(t, c) : 0.f;
            check_lds_write(&known->mean, &here, sizeof here);
            known->mean = here;
        });
        b.sync();
    }

    // What is known of the channel of a thread's (r, v), see slab.
    static CK_TILE_FN channel known_beside(const block& b, const slab<C>& s, thread t, auto r, auto v)
    {
        return b.lds_of<const channel>(t, 0)[s.channel_slot(t, r, v)];
    }

    static CK_TILE_FN float mean_beside(const block& b, const slab<C>& s, thread t, auto r, auto v)
    {
        const channel* known = b.lds_of<channel>(t, 0) + s.channel_slot(t, r, v);
        check_lds_read(&known->mean, sizeof known->mean);
        return known->mean;
    }

    // Sums over the workgroup's elements of channels: functions of (thread, rank, channel of the slab).
    static CK_TILE_FN auto sums(const block& b, const slab<C>& s, const tensor& x_tile)
    {
        const auto number = [&](thread t, auto r, auto v) {
            float sum = 0;
            for_each_folded<tile_layout, C.folds()>(
                r, v, [&](auto reg, auto vec) { sum += convert<float>(x_tile.file_of(t).get(reg, vec)); });
            return sum;
        };
        return s.template combine_by_channel<float>(b, number, plus);
    }

    static CK_TILE_FN auto centre(const block& b, const slab<C>& s, const tensor& x_tile)
    {
        const auto number = [&](thread t, auto r, auto v) {
            const float mean = mean_beside(b, s, t, r, v);
            centred_sums sum = {0, 0};
            for_each_folded<tile_layout, C.folds()>(r, v, [&](auto reg, auto vec) {
                // What is loaded past the end is zero, which is not the mean.
                const float distance = s.exists(t, reg) ? convert<float>(x_tile.file_of(t).get(reg, vec)) - mean : 0.f;
                sum                  = sum + centred_sums{distance, distance * distance};
            });
            return sum;
        };
        return s.template combine_by_channel<centred_sums>(b, number, plus);
    }

    // Statistics of the slab's groups, to memory and to what is known of channels.
    static CK_TILE_FN void finish_groups(const block& b, const slab<C>& s, const arguments& a, const auto& centred)
    {
        for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
            const int group = s.group_of(c);
            channel* known  = known_of(b, s, t, c);
            check_lds_read(known, sizeof *known);
            const moments m     = centred(t, group).around(known->mean, a.inverse_elements);
            const float inv_std = inv_std_of(m.squares, a.inverse_elements, a.epsilon);
            *known              = {m.mean, known->scale * inv_std, known->shift, 0};
            check_lds_write(known, known, sizeof *known);
            if(t.rank == 0 && (s.channel + c) % a.g.per_group == 0)
            {
                a.mean[s.image * a.g.groups + group]    = m.mean;
                a.inv_std[s.image * a.g.groups + group] = inv_std;
            }
        });
        b.sync();
    }

    static CK_TILE_FN tensor apply(const block& b, const slab<C>& s, const tensor& x_tile)
    {
        tensor y;
        for_each_thread<tile_layout>([&](thread t) CK_TILE_INLINE {
            for_each_element<sum_layout>([&](auto r, auto v) {
                const channel known = known_beside(b, s, t, r, v);
                for_each_folded<tile_layout, C.folds()>(r, v, [&](auto reg, auto vec) {
                    const float centred = convert<float>(x_tile.file_of(t).get(reg, vec)) - known.mean;
                    y.file_of(t).set(reg, vec, convert<element>(centred * known.scale + known.shift));
                });
            });
        });
        return y;
    }
};

} // namespace ck_tile::groupnorm_fwd

// SPDX-License-Identifier: MIT
// Group norm backward. Per sample, channel and group, with xhat = (x - mean) * inv_std and M elements in a group:
//
//   dx = inv_std * (gamma * dy - m1 - xhat * m2),   m1 = sum of gamma * dy / M,   m2 = sum of gamma * dy * xhat / M
//
// The sums over a group are made of those over its channels, sums of dy and of dy * (x - mean), which dbeta and dgamma are
// made of as well. A block that holds whole groups does all of it; else one pass makes the sums, another one dx.
#pragma once

#include "ck_tile/targets/schedule.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/reduce.hpp"
#include "ops/groupnorm/slab.hpp"

namespace ck_tile::groupnorm_bwd
{

using groupnorm::config;
using groupnorm::geometry;
using groupnorm::pass;
using groupnorm::slab;

// Sums of dy and of dy * (x - mean), over some pixels of a channel; weighted with gamma, over a group.
struct sums
{
    float dy, dyx;

    friend CK_TILE_FN sums operator+(sums a, sums b) { return {a.dy + b.dy, a.dyx + b.dyx}; }
    friend CK_TILE_FN sums operator*(float by, sums a) { return {by * a.dy, by * a.dyx}; }
};

struct arguments
{
    geometry g;
    const void *x, *dy, *gamma; // no gamma: all ones
    const float *mean, *inv_std;
    void* dx;
    sums* partials;         // [image][part][channel]; null if they are not wanted
    const sums* group_sums; // [image][group], for the pass that applies them
    float inverse_elements; // 1 / elements of a group
};

template <class T>
CK_TILE_FN float gamma_of(const void* gamma, int c)
{
    return gamma == nullptr ? 1.f : convert<float>(static_cast<const T*>(gamma)[c]);
}

template <config C>
struct program
{
    static_assert(!check(C), "groupnorm_bwd: check(config) says which rule is broken");
    static constexpr architecture arch = C.arch;
    static constexpr int units         = C.units;
    static constexpr int threads       = C.threads();
    static constexpr int lds_bytes     = C.lds_bytes();
    using element                      = element_t<C.dtype>;
    using arguments                    = groupnorm_bwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        // The second pass begins where the first one ended, with what may still be in the cache.
        const int blocks = a.g.batch * a.g.spans * a.g.parts;
        const slab<C> s(a.g, C.pass == pass::apply ? blocks - 1 - int(b.at.x) : int(b.at.x));
        auto x  = s.window(static_cast<const element*>(a.x));
        auto dy = s.window(static_cast<const element*>(a.dy));
        auto dx = s.window(static_cast<element*>(a.dx));

        if constexpr(C.pass == pass::whole)
        {
            auto x_tile = load(x), dy_tile = load(dy);
            thread_sums sum(b, s, a);
            sum.add(x_tile, dy_tile);
            const auto total = sum.of_channels(b, s);
            keep_packed(x_tile), keep_packed(dy_tile);
            store_partials(s, a, total);
            store(dx, coefficients(b, s, a, sums_of_groups(b, s, a, total)).apply(x_tile, dy_tile));
        }
        else if constexpr(C.pass == pass::sums)
        {
            thread_sums sum(b, s, a);
            for(int i = 0; i < a.g.tiles; ++i, advance(x, dy))
                sum.add(load(x), load(dy));
            store_partials(s, a, sum.of_channels(b, s));
        }
        else
        {
            const coefficients from(b, s, a,
                                    [&](thread, int group) { return a.group_sums[s.image * a.g.groups + group]; });
            for(int i = 0; i < a.g.tiles; ++i, advance(x, dy, dx))
                store(dx, from.apply(load(x), load(dy)));
        }
    }

  private:
    static constexpr distribution tile_layout = C.tile(), sum_layout = C.thread_sums();
    using numbers = tile<float, sum_layout>;
    using tensor  = tile<element, tile_layout>;

    static CK_TILE_FN void advance(auto&... windows) { (windows.move(windows.template step<0>(C.steps)), ...); }

    // What each thread adds up, per channel.
    struct thread_sums
    {
        numbers mean, dy, dyx;

        CK_TILE_FN thread_sums(const block& b, const slab<C>& s, const arguments& a)
            : mean(s.per_channel(b, C.room_at(0), [&](int c) { return a.mean[s.image * a.g.groups + s.group_of(c)]; })),
              dy(fill<float, sum_layout>(0.f)),
              dyx(fill<float, sum_layout>(0.f))
        {
        }

        CK_TILE_FN void add(const tensor& x_tile, const tensor& dy_tile)
        {
            fold<C.folds()>(dy, [](float sum, element g) { return sum + convert<float>(g); }, dy_tile);
            fold<C.folds()>(
                dyx,
                [](float sum, element g, element x, float m) {
                    return sum + convert<float>(g) * (convert<float>(x) - m);
                },
                dy_tile, x_tile, mean);
        }

        // The sums of whole channels: a function of (thread, channel of the slab).
        CK_TILE_FN auto of_channels(const block& b, const slab<C>& s) const
        {
            const auto plus = [](sums l, sums r) { return l + r; };
            const auto make = [](float own_dy, float own_dyx) { return sums{own_dy, own_dyx}; };
            int distance    = s.template combine_by_channel<sums>(b, make, plus, dy, dyx);
            if constexpr(C.units > 1)
            {
                const auto of_unit = [&](thread, int c, int unit) {
                    return b.lds_of_unit<sums>(unit, C.room_at(0))[c * distance];
                };
                b.sync_units<C.units>();
                distance = reduce_into_lds<tile_layout, sums, neighbours::outputs>(b, C.room_at(1), C.max_channels(),
                                                                                   s.channels, C.units, of_unit, plus);
                b.sync_units<C.units>();
            }
            return [&b, distance](thread t, int c) {
                return b.lds_of<sums>(t, C.room_at(C.units > 1 ? 1 : 0))[c * distance];
            };
        }
    };

    static CK_TILE_FN void store_partials(const slab<C>& s, const arguments& a, const auto& total)
    {
        if(a.partials == nullptr)
            return;
        sums* to = a.partials + (std::int64_t(s.image) * a.g.parts + s.part) * a.g.channels + s.channel;
        for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
            if(t.unit == 0) // all units have the same
                to[c] = total(t, c);
        });
    }

    // The sums of whole groups, weighted with gamma: a function of (thread, group of the image).
    static CK_TILE_FN auto sums_of_groups(const block& b, const slab<C>& s, const arguments& a, const auto& total)
    {
        constexpr int at   = C.room_at(C.units > 1 ? 0 : 1);
        const int distance = reduce_into_lds<tile_layout, sums, neighbours::terms>(
            b, at, C.max_channels(), s.groups(), a.g.per_group,
            [&](thread t, int group, int k) {
                const int c = group * a.g.per_group + k;
                return gamma_of<element>(a.gamma, s.channel + c) * total(t, c);
            },
            [](sums l, sums r) { return l + r; });
        return [&b, distance, first = s.group_of(0)](thread t, int group) {
            return b.lds_of<sums>(t, at)[(group - first) * distance];
        };
    }

    // dx = dy * of_dy - (base + slope * (x - mean)), with these numbers per channel.
    struct coefficients
    {
        numbers of_dy, mean, base, slope;

        CK_TILE_FN coefficients(const block& b, const slab<C>& s, const arguments& a, const auto& group_sums)
        {
            struct alignas(16) per_channel
            {
                float of_dy, mean, base, slope;
            };
            for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
                const int group     = s.group_of(c);
                const int statistic = s.image * a.g.groups + group;
                const float inv_std = a.inv_std[statistic], by = inv_std * a.inverse_elements;
                const sums sum                          = group_sums(t, group);
                b.lds_of<per_channel>(t, 0)[s.place(c)] = {inv_std * gamma_of<element>(a.gamma, s.channel + c),
                                                           a.mean[statistic], by * sum.dy,
                                                           by * inv_std * inv_std * sum.dyx};
            });
            b.sync();
            const auto get = [&](float per_channel::* which) {
                return generate<float, sum_layout, 2>(
                    [&](int i, int j) { return b.lds_at<per_channel>(0)[s.place_for(i, j)].*which; });
            };
            of_dy = get(&per_channel::of_dy), mean = get(&per_channel::mean);
            base = get(&per_channel::base), slope = get(&per_channel::slope);
        }

        CK_TILE_FN tensor apply(const tensor& x_tile, const tensor& dy_tile) const
        {
            return map(
                [](element x, element g, float by, float m, float at_mean, float steep) {
                    const float centred = convert<float>(x) - m;
                    return convert<element>(by * convert<float>(g) - (at_mean + steep * centred));
                },
                x_tile, dy_tile, of_dy, mean, base, slope);
        }
    };
};

} // namespace ck_tile::groupnorm_bwd

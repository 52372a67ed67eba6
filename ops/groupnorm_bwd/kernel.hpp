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
struct alignas(8) sums
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
    static constexpr int registers     = C.registers();
    static constexpr int lds_bytes     = C.lds_bytes();
    using element                      = element_t<C.dtype>;
    using arguments                    = groupnorm_bwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        // The second pass begins where the first one ended, with what may still be in the cache.
        const int blocks = a.g.batch * a.g.spans.divisor * a.g.parts.divisor;
        const slab<C> s(a.g, C.pass == pass::apply ? blocks - 1 - int(b.at.x) : int(b.at.x));
        auto x  = s.window(static_cast<const element*>(a.x));
        auto dy = s.window(static_cast<const element*>(a.dy));
        auto dx = s.window(static_cast<element*>(a.dx));

        if constexpr(C.pass == pass::whole)
        {
            auto x_tile = load(x), dy_tile = load(dy);
            load_channels(b, s, a);
            thread_sums sum(b, s);
            sum.add(x_tile, dy_tile);
            const auto total = sum.of_channels(b, s);
            store_partials(s, a, total);
            keep_packed(x_tile), keep_packed(dy_tile);
            store(dx, coefficients(b, s, a, sums_of_groups(b, s, total)).apply(x_tile, dy_tile));
        }
        else if constexpr(C.pass == pass::sums)
        {
            load_channels(b, s, a);
            thread_sums sum(b, s);
            for(int i = 0; i < a.g.tiles; ++i, advance(x, dy))
                sum.add(load(x), load(dy));
            store_partials(s, a, sum.of_channels(b, s));
        }
        else
        {
            load_channels(b, s, a);
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

    // What is known of a channel, in LDS at its place: first mean, inv_std and gamma, then the coefficients of
    // dx = dy * of_dy - (base + slope * (x - mean)).
    struct alignas(16) channel
    {
        float mean, inv_std, gamma, unused;
    };
    struct alignas(16) channel_coefficients
    {
        float mean, of_dy, base, slope;
    };

    static CK_TILE_FN void advance(auto&... windows) { (windows.move(windows.template step<0>(C.steps)), ...); }

    static CK_TILE_FN void load_channels(const block& b, const slab<C>& s, const arguments& a)
    {
        for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
            const int statistic                 = s.image * a.g.groups + s.group_of(c);
            b.lds_of<channel>(t, 0)[s.place(c)] = {a.mean[statistic], a.inv_std[statistic],
                                                   gamma_of<element>(a.gamma, s.channel + c), 0};
        });
        b.sync();
    }

    static constexpr auto plus = [](sums l, sums r) { return l + r; };

    // What each thread adds up, per channel.
    struct thread_sums
    {
        numbers mean, dy, dyx;

        CK_TILE_FN thread_sums(const block& b, const slab<C>& s)
            : mean(s.template at_places<channel>(b, 0, [](const channel& c) { return c.mean; })),
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
            const auto make = [](float own_dy, float own_dyx) { return sums{own_dy, own_dyx}; };
            return s.template combine_by_channel<sums>(b, make, plus, dy, dyx);
        }
    };

    static CK_TILE_FN void store_partials(const slab<C>& s, const arguments& a, const auto& total)
    {
        if(a.partials == nullptr)
            return;
        sums* to = a.partials + (std::int64_t(s.image) * a.g.parts.divisor + s.part) * a.g.channels + s.channel;
        for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
            if(t.unit == 0) // all units have the same
                to[c] = total(t, c);
        });
    }

    // The sums of whole groups, weighted with gamma: a function of (thread, group of the image).
    static CK_TILE_FN auto sums_of_groups(const block& b, const slab<C>& s, const auto& total)
    {
        return s.template combine_by_group<sums>(
            b, [&](thread t, int c) { return b.lds_of<channel>(t, 0)[s.place(c)].gamma * total(t, c); }, plus);
    }

    struct coefficients
    {
        numbers mean, of_dy, base, slope;

        CK_TILE_FN coefficients(const block& b, const slab<C>& s, const arguments& a, const auto& group_sums)
        {
            for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
                const channel known = b.lds_of<channel>(t, 0)[s.place(c)];
                const sums sum      = group_sums(t, s.group_of(c));
                const float by      = known.inv_std * a.inverse_elements;

                b.lds_of<channel_coefficients>(t, 0)[s.place(c)] = {
                    known.mean, known.inv_std * known.gamma, by * sum.dy, by * known.inv_std * known.inv_std * sum.dyx};
            });
            b.sync();
            using known    = channel_coefficients;
            const auto get = [&](auto&& which) { return s.template at_places<known>(b, 0, which); };
            mean           = get([](const known& c) { return c.mean; });
            of_dy          = get([](const known& c) { return c.of_dy; });
            base           = get([](const known& c) { return c.base; });
            slope          = get([](const known& c) { return c.slope; });
        }

        CK_TILE_FN tensor apply(const tensor& x_tile, const tensor& dy_tile) const
        {
            return map(
                [](element x, element g, float m, float by, float at_mean, float steep) {
                    const float centred = convert<float>(x) - m;
                    return convert<element>(by * convert<float>(g) - (at_mean + steep * centred));
                },
                x_tile, dy_tile, mean, of_dy, base, slope);
        }
    };
};

} // namespace ck_tile::groupnorm_bwd

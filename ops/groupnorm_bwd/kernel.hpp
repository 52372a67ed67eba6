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
    sums* partials;         // [image][chunk][channel]; null if they are not wanted
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
    static constexpr int cluster       = C.cluster;
    static constexpr int threads       = C.threads();
    static constexpr int registers     = C.registers();
    static constexpr int lds_bytes     = C.lds_bytes();
    using element                      = element_t<C.dtype>;
    using arguments                    = groupnorm_bwd::arguments;

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        // The second pass begins where the first one ended, with what may still be in the cache.
        const slab<C> s(a.g, C.pass == pass::apply ? a.g.slabs() - 1 - int(b.at.x) : int(b.at.x));
        auto x  = s.window(static_cast<const element*>(a.x));
        auto dy = s.window(static_cast<const element*>(a.dy));

        if constexpr(C.pass == pass::whole)
        {
            auto x_tile = load(x), dy_tile = load(dy);
            load_channels(b, s, a);
            if(const unsigned later = b.at.x + unsigned(a.g.ahead); later < unsigned(a.g.slabs()))
                slab<C>(a.g, int(later)).prefetch(static_cast<const element*>(a.x), static_cast<const element*>(a.dy));
            const auto total = s.template combine_by_channel<sums>(
                b, [&](thread t, auto r, auto v) { return sum_beside(b, s, x_tile, dy_tile, t, r, v); }, plus);
            make_opaque(x_tile), make_opaque(dy_tile);
            make_coefficients(b, s, a, sums_of_groups(b, s, total));
            store(s.window(static_cast<element*>(a.dx), opaque(0)), apply(b, s, x_tile, dy_tile));
            store_partials(s, a, total);
            b.wait_cluster<C.cluster>();
        }
        else if constexpr(C.pass == pass::sums)
        {
            load_channels(b, s, a);
            auto sum_dy = fill<float, sum_layout>(0.f), sum_dyx = sum_dy;
            for(int i = 0; i < a.g.tiles; ++i, advance(x, dy))
            {
                const auto x_tile = load(x), dy_tile = load(dy);
                for_each_thread<sum_layout>([&](thread t) {
                    for_each_element<sum_layout>([&](auto r, auto v) {
                        const sums more = sum_beside(b, s, x_tile, dy_tile, t, r, v);
                        sum_dy.file_of(t).set(r, v, sum_dy.file_of(t).get(r, v) + more.dy);
                        sum_dyx.file_of(t).set(r, v, sum_dyx.file_of(t).get(r, v) + more.dyx);
                    });
                });
            }
            const auto number = [&](thread t, auto r, auto v) {
                return sums{sum_dy.file_of(t).get(r, v), sum_dyx.file_of(t).get(r, v)};
            };
            store_partials(s, a, s.template combine_by_channel<sums>(b, number, plus));
        }
        else
        {
            auto dx = s.window(static_cast<element*>(a.dx));
            load_channels(b, s, a);
            make_coefficients(b, s, a, [&](thread, int group) { return a.group_sums[s.image * a.g.groups + group]; });
            for(int i = 0; i < a.g.tiles; ++i, advance(x, dy, dx))
                store(dx, apply(b, s, load(x), load(dy)));
        }
    }

  private:
    static constexpr distribution tile_layout = C.tile(), sum_layout = C.thread_sums();
    using tensor = tile<element, tile_layout>;

    // What is known of a channel, in LDS at its place: first mean, inv_std and gamma, then the coefficients of
    // dx = dy * of_dy - (base + slope * (x - mean)).
    struct alignas(16) channel
    {
        float mean, inv_std, gamma, unused;
    };
    struct alignas(16) coefficients
    {
        float mean, of_dy, base, slope;
    };

    static CK_TILE_FN void advance(auto&... windows) { (windows.move(windows.template step<0>(C.steps)), ...); }

    static CK_TILE_FN void load_channels(const block& b, const slab<C>& s, const arguments& a)
    {
        for_each_index<tile_layout>(s.known_channels(), [&](thread t, int c) {
            channel known = {};
            if(c < s.channels)
            {
                const int statistic = s.image * a.g.groups + s.group_of(c);
                known = {a.mean[statistic], a.inv_std[statistic], gamma_of<element>(a.gamma, s.channel + c), 0};
            }
            b.lds_of<channel>(t, 0)[s.channel_slot(c)] = known;
        });
        b.sync();
    }

    static constexpr auto plus = [](sums l, sums r) { return l + r; };

    // What a thread adds up of its tiles at (r, v), see slab.
    static CK_TILE_FN sums sum_beside(const block& b, const slab<C>& s, const tensor& x_tile, const tensor& dy_tile,
                                      thread t, auto r, auto v)
    {
        const float mean = b.lds_of<const channel>(t, 0)[s.channel_slot(t, r, v)].mean;
        sums sum         = {0, 0};
        for_each_folded<tile_layout, C.folds()>(r, v, [&](auto reg, auto vec) {
            const float g = convert<float>(dy_tile.file_of(t).get(reg, vec));
            sum           = sum + sums{g, g * (convert<float>(x_tile.file_of(t).get(reg, vec)) - mean)};
        });
        return sum;
    }

    static CK_TILE_FN void store_partials(const slab<C>& s, const arguments& a, const auto& total)
    {
        if(a.partials == nullptr)
            return;
        sums* to = a.partials + (std::int64_t(s.image) * a.g.chunks.divisor + s.chunk) * a.g.channels + s.channel;
        for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
            if(t.rank == 0)
                to[c] = total(t, c);
        });
    }

    // The sums of whole groups, weighted with gamma: a function of (thread, group of the image).
    static CK_TILE_FN auto sums_of_groups(const block& b, const slab<C>& s, const auto& total)
    {
        return s.template combine_by_group<sums>(
            b, [&](thread t, int c) { return b.lds_of<const channel>(t, 0)[s.channel_slot(c)].gamma * total(t, c); },
            plus);
    }

    static CK_TILE_FN void make_coefficients(const block& b, const slab<C>& s, const arguments& a,
                                             const auto& group_sums)
    {
        for_each_index<tile_layout>(s.channels, [&](thread t, int c) {
            const channel known = b.lds_of<const channel>(t, 0)[s.channel_slot(c)];
            const sums sum      = group_sums(t, s.group_of(c));
            const float by      = known.inv_std * a.inverse_elements;

            b.lds_of<coefficients>(t, 0)[s.channel_slot(c)] = {known.mean, known.inv_std * known.gamma, by * sum.dy,
                                                               by * known.inv_std * known.inv_std * sum.dyx};
        });
        b.sync();
    }

    static CK_TILE_FN tensor apply(const block& b, const slab<C>& s, const tensor& x_tile, const tensor& dy_tile)
    {
        tensor dx;
        for_each_thread<tile_layout>([&](thread t) CK_TILE_INLINE {
            for_each_element<sum_layout>([&](auto r, auto v) {
                const coefficients k = b.lds_of<const coefficients>(t, 0)[s.channel_slot(t, r, v)];
                for_each_folded<tile_layout, C.folds()>(r, v, [&](auto reg, auto vec) {
                    const float centred = convert<float>(x_tile.file_of(t).get(reg, vec)) - k.mean;
                    const float g       = convert<float>(dy_tile.file_of(t).get(reg, vec));
                    dx.file_of(t).set(reg, vec, convert<element>(k.of_dy * g - (k.base + k.slope * centred)));
                });
            });
        });
        return dx;
    }
};

} // namespace ck_tile::groupnorm_bwd

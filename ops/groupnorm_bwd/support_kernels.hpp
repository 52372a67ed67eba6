// SPDX-License-Identifier: MIT
// The small kernels beside the main ones: the ordered sums of partials, and the reference.
#pragma once

#include "ops/groupnorm_bwd/kernel.hpp"

namespace ck_tile::groupnorm_bwd
{

struct finish_arguments
{
    const sums* partials; // [image][chunk][channel]
    const void* gamma;    // none: all ones
    const float* inv_std;
    sums* group_sums;     // [image][group]; with the blocks that make them
    void *dgamma, *dbeta; // null if not wanted
    int batch, chunks, groups, per_group;
    int group_blocks; // the first blocks make one group's sums each, the others the gradients of some channels each
};

// Of the sums by channel, how many a block makes.
inline constexpr int channels_of_block = 8;

// Adds up partials: over a group's channels and chunks, weighted with gamma; over a channel's images and chunks, to dgamma and
// dbeta.
template <architecture Arch, data_type Type>
struct finish_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = 256;
    static constexpr int lds_bytes     = (channels_of_block + threads / wave) * static_cast<int>(sizeof(sums));
    using element                      = element_t<Type>;
    using arguments                    = finish_arguments;

    static constexpr distribution all = {
        .lengths = {threads}, .wave = {{threads / wave, 0, wave}}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int number = static_cast<int>(b.at.x);
        if(number < a.group_blocks)
            add_group(b, a, number);
        else
            add_channels(b, a, (number - a.group_blocks) * channels_of_block);
    }

  private:
    static CK_TILE_FN void add_group(const block& b, const arguments& a, int statistic)
    {
        const int channels = a.groups * a.per_group, first = statistic % a.groups * a.per_group;
        const sums* from = a.partials + std::int64_t(statistic / a.groups) * a.chunks * channels + first;
        reduce_into_lds<all, sums, 8>(
            b, 0, 1, a.chunks * a.per_group,
            [&](thread, int, int k) {
                const int chunk = k / a.per_group, c = k % a.per_group;
                return gamma_of<element>(a.gamma, first + c) * from[std::int64_t(chunk) * channels + c];
            },
            [](sums l, sums r) { return l + r; });
        for_each_index<all>(1, [&](thread t, int) { a.group_sums[statistic] = *b.lds_of<const sums>(t, 0); });
    }

    static CK_TILE_FN void add_channels(const block& b, const arguments& a, int first)
    {
        const int channels = a.groups * a.per_group;
        const int here     = channels - first < channels_of_block ? channels - first : channels_of_block;
        reduce_into_lds<all, sums, 8>(
            b, 0, here, a.batch * a.chunks,
            [&](thread, int c, int k) {
                const int image    = k / a.chunks;
                const sums partial = a.partials[std::int64_t(k) * channels + first + c];
                return sums{partial.dy, a.inv_std[image * a.groups + (first + c) / a.per_group] * partial.dyx};
            },
            [](sums l, sums r) { return l + r; });
        for_each_index<all>(here, [&](thread t, int c) {
            const sums total = b.lds_of<const sums>(t, 0)[c];
            if(a.dgamma != nullptr)
                static_cast<element*>(a.dgamma)[first + c] = convert<element>(total.dyx);
            if(a.dbeta != nullptr)
                static_cast<element*>(a.dbeta)[first + c] = convert<element>(total.dy);
        });
    }
};

// What the reference computes in one launch: each thread one output.
enum class reference_pass
{
    group_sums, // per image and group, which dx needs
    dx,
    parameters // dgamma and dbeta
};

struct reference_arguments
{
    const void *x, *dy, *gamma;
    const float *mean, *inv_std;
    sums* group_sums;
    void *dx, *dgamma, *dbeta;
    reference_pass pass;
    int batch, pixels, groups, per_group;
    std::int64_t outputs;               // of this pass
    std::int64_t image, pixel, channel; // strides in elements
};

// The gradients by their definition, terms added in fp32 in the order of images, channels and pixels. Shares nothing with the
// main kernels but the problem's description.
template <architecture Arch, data_type Type>
struct reference_program
{
    static constexpr architecture arch = Arch;
    static constexpr int threads       = facts(Arch).wave;
    static constexpr int lds_bytes     = 0;
    using arguments                    = reference_arguments;
    using element                      = element_t<Type>;

    static constexpr distribution line = {
        .lengths = {threads}, .wave = {}, .lane = {{threads, 0, 1}}, .reg = {}, .vec = {}};

    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const std::int64_t first = std::int64_t(b.at.x) * threads, rest = a.outputs - first;
        for_each_index<line>(rest < threads ? static_cast<int>(rest) : threads, [&](thread, int i) {
            switch(a.pass)
            {
            case reference_pass::group_sums: return add_group(a, first + i);
            case reference_pass::dx: return make_dx(a, first + i);
            case reference_pass::parameters: return add_channel(a, static_cast<int>(first + i));
            }
        });
    }

  private:
    static CK_TILE_FN float at(const void* tensor, std::int64_t offset)
    {
        return convert<float>(static_cast<const element*>(tensor)[offset]);
    }

    static CK_TILE_FN sums channel_sums(const arguments& a, int n, int c)
    {
        const float mean = a.mean[n * a.groups + c / a.per_group];
        sums sum         = {0, 0};
        for(int pixel = 0; pixel < a.pixels; ++pixel)
        {
            const std::int64_t offset = n * a.image + pixel * a.pixel + c * a.channel;
            sum                       = sum + at(a.dy, offset) * sums{1, at(a.x, offset) - mean};
        }
        return sum;
    }

    static CK_TILE_FN void add_group(const arguments& a, std::int64_t statistic)
    {
        const int n = static_cast<int>(statistic / a.groups), group = static_cast<int>(statistic % a.groups);
        sums sum = {0, 0};
        for(int c = group * a.per_group; c < (group + 1) * a.per_group; ++c)
            sum = sum + gamma_of<element>(a.gamma, c) * channel_sums(a, n, c);
        a.group_sums[statistic] = sum;
    }

    static CK_TILE_FN void make_dx(const arguments& a, std::int64_t offset)
    {
        const int n         = static_cast<int>(offset / a.image),
                  c         = static_cast<int>(offset / a.channel % (a.groups * a.per_group));
        const int statistic = n * a.groups + c / a.per_group;
        const float inv_std = a.inv_std[statistic], elements = float(a.per_group) * float(a.pixels);
        const float xhat = (at(a.x, offset) - a.mean[statistic]) * inv_std;
        const sums sum   = a.group_sums[statistic];
        const float dx   = inv_std * (gamma_of<element>(a.gamma, c) * at(a.dy, offset) - sum.dy / elements -
                                      xhat * (sum.dyx * inv_std / elements));
        static_cast<element*>(a.dx)[offset] = convert<element>(dx);
    }

    static CK_TILE_FN void add_channel(const arguments& a, int c)
    {
        sums sum = {0, 0};
        for(int n = 0; n < a.batch; ++n)
        {
            const sums here = channel_sums(a, n, c);
            sum             = sum + sums{here.dy, a.inv_std[n * a.groups + c / a.per_group] * here.dyx};
        }
        if(a.dgamma != nullptr)
            static_cast<element*>(a.dgamma)[c] = convert<element>(sum.dyx);
        if(a.dbeta != nullptr)
            static_cast<element*>(a.dbeta)[c] = convert<element>(sum.dy);
    }
};

} // namespace ck_tile::groupnorm_bwd

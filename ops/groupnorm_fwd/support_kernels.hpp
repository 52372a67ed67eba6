// SPDX-License-Identifier: MIT
// The small kernels beside the main ones: the merge of partial moments, and the reference.
#pragma once

#include "ops/groupnorm_fwd/kernel.hpp"

namespace ck_tile::groupnorm_fwd
{

struct finish_arguments
{
    const moments* partials; // [image][chunk][channel]
    float *mean, *inv_std;
    int chunks, groups, per_group;
    int pixels, chunk; // of an image, and of a chunk; the last one may be shorter
    float epsilon, inverse_elements;
};

// Moments of a group from those of its channels' chunks (Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for
// computing sample variances, 1979), and what they say of the group.
template <architecture Arch, data_type Type>
struct finish_program
{
    static constexpr architecture arch = Arch;
    static constexpr int wave          = facts(Arch).wave;
    static constexpr int threads       = 256;
    using arguments                    = finish_arguments;

    struct counted
    {
        float count, mean, squares;
    };
    static constexpr int lds_bytes = (1 + threads / wave) * static_cast<int>(sizeof(counted));

    static constexpr distribution all = {
        .lengths = {threads}, .wave = {{threads / wave, 0, wave}}, .lane = {{wave, 0, 1}}, .reg = {}, .vec = {}};

    // Block b.at.x makes the statistics of that group, groups being numbered image by image.
    static CK_TILE_FN void run(const block& b, const arguments& a)
    {
        const int statistic = static_cast<int>(b.at.x);
        const int channels = a.groups * a.per_group, first = statistic % a.groups * a.per_group;
        const moments* from = a.partials + std::int64_t(statistic / a.groups) * a.chunks * channels + first;
        reduce_into_lds<all, counted, 8>(
            b, 0, 1, a.chunks * a.per_group,
            [&](thread, int, int k) {
                const int chunk = k / a.per_group, c = k % a.per_group, rest = a.pixels - chunk * a.chunk;
                const moments m = from[std::int64_t(chunk) * channels + c];
                return counted{static_cast<float>(rest < a.chunk ? rest : a.chunk), m.mean, m.squares};
            },
            [](counted l, counted r) {
                const float count = l.count + r.count, apart = r.mean - l.mean;
                const float share = count > 0 ? r.count / count : 0;
                return counted{count, l.mean + apart * share, l.squares + r.squares + apart * apart * l.count * share};
            });
        for_each_index<all>(1, [&](thread t, int) {
            const counted merged = *b.lds_of<const counted>(t, 0);
            a.mean[statistic]    = merged.mean;
            a.inv_std[statistic] = inv_std_of(merged.squares, a.inverse_elements, a.epsilon);
        });
    }
};

// What the reference computes in one launch: each thread one output.
enum class reference_pass
{
    statistics, // mean and inv_std of a group
    y
};

struct reference_arguments
{
    const void *x, *gamma, *beta;
    float *mean, *inv_std;
    void* y;
    reference_pass pass;
    int pixels, groups, per_group;
    float epsilon;
    std::int64_t outputs;               // of this pass
    std::int64_t image, pixel, channel; // strides in elements
};

// The definition, in fp32: a mean, then the centred squares, in the order of channels and pixels. Shares nothing with the main
// kernels but the problem's description.
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
            if(a.pass == reference_pass::statistics)
                look_at_group(a, first + i);
            else
                make_y(a, first + i);
        });
    }

  private:
    static CK_TILE_FN float at(const void* tensor, std::int64_t offset)
    {
        return convert<float>(static_cast<const element*>(tensor)[offset]);
    }

    // The mean over a group of value(x). The sum of each channel is added up by itself, so that no sum grows long.
    static CK_TILE_FN float group_mean(const arguments& a, std::int64_t statistic, auto&& value)
    {
        const std::int64_t n = statistic / a.groups, group = statistic % a.groups;
        float sum = 0;
        for(std::int64_t c = group * a.per_group; c < (group + 1) * a.per_group; ++c)
        {
            float of_channel = 0;
            for(int pixel = 0; pixel < a.pixels; ++pixel)
                of_channel += value(at(a.x, n * a.image + pixel * a.pixel + c * a.channel));
            sum += of_channel;
        }
        return sum / (static_cast<float>(a.per_group) * static_cast<float>(a.pixels));
    }

    static CK_TILE_FN void look_at_group(const arguments& a, std::int64_t statistic)
    {
        // The second mean takes off what rounding left in the first.
        const float about    = group_mean(a, statistic, [](float x) { return x; });
        const float mean     = about + group_mean(a, statistic, [&](float x) { return x - about; });
        const float variance = group_mean(a, statistic, [&](float x) { return (x - mean) * (x - mean); });
        a.mean[statistic]    = mean;
        a.inv_std[statistic] = inv_std_of(variance, 1, a.epsilon);
    }

    static CK_TILE_FN void make_y(const arguments& a, std::int64_t offset)
    {
        const std::int64_t n = offset / a.image, c = offset / a.channel % (std::int64_t(a.groups) * a.per_group);
        const std::int64_t statistic       = n * a.groups + c / a.per_group;
        const float xhat                   = (at(a.x, offset) - a.mean[statistic]) * a.inv_std[statistic];
        const float y                      = parameter_of<element>(a.gamma, static_cast<int>(c), 1) * xhat +
                                             parameter_of<element>(a.beta, static_cast<int>(c), 0);
        static_cast<element*>(a.y)[offset] = convert<element>(y);
    }
};

} // namespace ck_tile::groupnorm_fwd

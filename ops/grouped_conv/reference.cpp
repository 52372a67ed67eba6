// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/reference.hpp"

#include "ops/grouped_conv/reference_support.hpp"

#include <array>
#include <cstdint>

namespace ck_tile::conv
{
namespace
{

// A thread computes, of one image and group, this many channels of all pixels.
constexpr int block      = 16;
constexpr int registers  = 4; // of these are summed in registers at a time,
constexpr int neighbours = 4; // of as many pixels

// From X to Y, or from dY to dX: the image that is read and the one that is made, and their channels.
class image_product
{
  public:
    image_product(const problem& p, bool forward, const std::vector<float>& from, const std::vector<float>& wei,
                  reference_values& result)
        : p_(p),
          shape_(p),
          forward_(forward),
          from_(from),
          wei_(wei),
          result_(result),
          from_pixels_(forward ? p.input_pixels() : p.output_pixels()),
          to_pixels_(forward ? p.output_pixels() : p.input_pixels()),
          from_channels_(forward ? p.c : p.k),
          to_channels_(forward ? p.k : p.c),
          from_strides_(strides_of(p, from_pixels_, from_channels_)),
          to_strides_(strides_of(p, to_pixels_, to_channels_)),
          taps_(p.filter_taps()),
          blocks_((to_channels_ + block - 1) / block)
    {
    }

    std::int64_t work() const { return p_.batch * p_.groups * blocks_; }

    // What a thread keeps from one piece of work to the next.
    struct scratch
    {
        std::vector<double> from, wei, sums; // [pixel][channel], [tap][channel][block], [pixel][block]
    };

    void compute(std::int64_t number, scratch& own) const
    {
        const std::int64_t first = number % blocks_ * block, g = number / blocks_ % p_.groups,
                           n     = number / blocks_ / p_.groups;
        const std::int64_t count = std::min<std::int64_t>(block, to_channels_ - first);
        pack(own.from, from_.data() + n * from_strides_.n + g * from_strides_.g, from_strides_, from_pixels_,
             from_channels_, from_channels_);
        pack_weights(own.wei, g, first, count);
        const auto add = [&](std::vector<double>& results) {
            own.sums.assign(static_cast<std::size_t>(to_pixels_ * block), 0.0);
            add_taps(own);
            double* to = results.data() + n * to_strides_.n + g * to_strides_.g + first * to_strides_.channel;
            for(std::int64_t pixel = 0; pixel < to_pixels_; ++pixel)
                for(std::int64_t i = 0; i < count; ++i)
                    to[pixel * to_strides_.pixel + i * to_strides_.channel] =
                        own.sums[static_cast<std::size_t>(pixel * block + i)];
        };
        add(result_.values);
        make_absolute(own.from);
        make_absolute(own.wei);
        add(result_.magnitudes);
    }

  private:
    void pack_weights(std::vector<double>& packed, std::int64_t g, std::int64_t first, std::int64_t count) const
    {
        const bool channels_last = p_.layout != layout::ngchw;
        packed.assign(static_cast<std::size_t>(taps_ * from_channels_ * block), 0.0);
        for(std::int64_t tap = 0; tap < taps_; ++tap)
            for(std::int64_t from = 0; from < from_channels_; ++from)
                for(std::int64_t i = 0; i < count; ++i)
                {
                    const std::int64_t k = forward_ ? first + i : from, c = forward_ ? from : first + i;
                    const std::int64_t in_row = channels_last ? tap * p_.c + c : c * taps_ + tap;
                    packed[static_cast<std::size_t>((tap * from_channels_ + from) * block + i)] =
                        wei_[static_cast<std::size_t>((g * p_.k + k) * taps_ * p_.c + in_row)];
                }
    }

    void add_taps(scratch& own) const
    {
        const double* wei = own.wei.data();
        for(const span& d : shape_.taps[0])
            for(const span& h : shape_.taps[1])
                for(const span& w : shape_.taps[2])
                {
                    for(std::int64_t od = d.begin; od < d.end; ++od)
                        for(std::int64_t oh = h.begin; oh < h.end; ++oh)
                            add_row(own, wei, (od * shape_.output[1] + oh) * shape_.output[2] + w.begin,
                                    ((od * shape_.stride[0] + d.origin) * shape_.input[1] + oh * shape_.stride[1] +
                                     h.origin) *
                                            shape_.input[2] +
                                        w.begin * shape_.stride[2] + w.origin,
                                    w.end - w.begin);
                    wei += from_channels_ * block;
                }
    }

    // What one tap adds along a run of `count` outputs and the inputs that it has them meet.
    void add_row(scratch& own, const double* wei, std::int64_t output, std::int64_t input, std::int64_t count) const
    {
        const std::int64_t from_step = forward_ ? shape_.stride[2] : 1, to_step = forward_ ? 1 : shape_.stride[2];
        const double* from = own.from.data() + (forward_ ? input : output) * from_channels_;
        double* to         = own.sums.data() + (forward_ ? output : input) * block;
        for(std::int64_t pixel = 0; pixel < count; pixel += neighbours)
            for(int i = 0; i < std::min<std::int64_t>(block, to_channels_); i += registers)
                add_pixels(to + pixel * to_step * block + i, to_step * block, from + pixel * from_step * from_channels_,
                           from_step * from_channels_, wei + i, std::min<std::int64_t>(neighbours, count - pixel));
    }

    // The only loop that takes time.
    void add_pixels(double* to, std::int64_t to_step, const double* from, std::int64_t from_step, const double* wei,
                    std::int64_t pixels) const
    {
        double sums[neighbours][registers] = {};
        const double* row[neighbours];
        for(int pixel = 0; pixel < neighbours; ++pixel)
            row[pixel] = from + (pixel < pixels ? pixel : 0) * from_step;
        for(std::int64_t c = 0; c < from_channels_; ++c)
            for(int pixel = 0; pixel < neighbours; ++pixel)
                for(int i = 0; i < registers; ++i)
                    sums[pixel][i] += row[pixel][c] * wei[c * block + i];
        for(std::int64_t pixel = 0; pixel < pixels; ++pixel)
            for(int i = 0; i < registers; ++i)
                to[pixel * to_step + i] += sums[pixel][i];
    }

    const problem& p_;
    geometry shape_;
    bool forward_;
    const std::vector<float>&from_, &wei_;
    reference_values& result_;
    std::int64_t from_pixels_, to_pixels_, from_channels_, to_channels_;
    tensor_strides from_strides_, to_strides_;
    std::int64_t taps_, blocks_;
};

reference_values product_of(const problem& p, bool forward, const std::vector<float>& from,
                            const std::vector<float>& wei)
{
    reference_values result((forward ? output_shape(p) : input_shape(p)).elements());
    const image_product work(p, forward, from, wei, result);
    on_all_cores(work.work(),
                 [&work, own = image_product::scratch()](std::int64_t number) mutable { work.compute(number, own); });
    return result;
}

} // namespace

reference_values convolve(const problem& p, const std::vector<float>& in, const std::vector<float>& wei)
{
    return product_of(p, true, in, wei);
}

reference_values convolve_back(const problem& p, const std::vector<float>& out, const std::vector<float>& wei)
{
    return product_of(p, false, out, wei);
}

} // namespace ck_tile::conv

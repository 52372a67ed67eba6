// SPDX-License-Identifier: MIT
// The fp64 reference: threads take blocks of weights, and one register-blocked loop runs over the output pixels.
//   dW[g,k,y,x,c] = sum over n,ho,wo of dY[n,ho,wo,g,k] * X[n, ho*s + y*d - p, wo*s + x*d - p, g,c]
// in any layout and number of spatial dimensions. Shares no code with the tile core.
#include "ck_tile/core/multi_index.hpp"
#include "ops/grouped_conv/reference.hpp"
#include "ops/grouped_conv/reference_support.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ck_tile::conv
{

namespace
{

// A thread computes, for one group, the gradient of block_k x block_c weights at every filter tap. It first copies the
// block's channels of one image, so that the pixels of the block lie one behind the other whatever the layout is.
constexpr int block_k    = 16;
constexpr int block_c    = 8;
constexpr int register_k = 4; // of these block_k are summed in registers at a time

// Output pixels that are visited for all taps before the next ones: what a core's second-level cache holds.
constexpr std::int64_t chunk_pixels = 1024;

// sums[k][c] += dy[pixel][k] * x[pixel][c] over `pixels` neighbours of one output row, which lie `x_step` elements
// apart in x. The only loop that takes time.
void accumulate(double (&sums)[register_k][block_c], const double* dy, const double* x, std::int64_t x_step,
                std::int64_t pixels)
{
    for(std::int64_t pixel = 0; pixel < pixels; ++pixel, dy += block_k, x += x_step)
    {
        for(int k = 0; k < register_k; ++k)
            for(int c = 0; c < block_c; ++c)
                sums[k][c] += dy[k] * x[c];
    }
}

class gradient_of_weights
{
  public:
    gradient_of_weights(const problem& p, const std::vector<float>& in, const std::vector<float>& out,
                        reference_values& result)
        : p_(p),
          shape_(p),
          in_(in),
          out_(out),
          result_(result),
          input_pixels_(p.input_pixels()),
          output_pixels_(p.output_pixels()),
          in_strides_(strides_of(p, input_pixels_, p.c)),
          out_strides_(strides_of(p, output_pixels_, p.k)),
          taps_(p.filter_taps()),
          k_blocks_(ceil_div(p.k, block_k)),
          c_blocks_(ceil_div(p.c, block_c))
    {
    }

    std::int64_t blocks() const { return p_.groups * k_blocks_ * c_blocks_; }

    // What a thread keeps from one block of weights to the next.
    struct scratch
    {
        std::vector<double> x;
        std::vector<double> dy;
        std::vector<double> gradient; // [tap][k / register_k][register_k][c]
        std::vector<double> magnitude;
    };

    void compute_block(std::int64_t block, scratch& own) const
    {
        const std::int64_t c0 = block % c_blocks_ * block_c;
        const std::int64_t k0 = block / c_blocks_ % k_blocks_ * block_k;
        const std::int64_t g  = block / c_blocks_ / k_blocks_;

        const std::int64_t k_count = std::min<std::int64_t>(block_k, p_.k - k0);
        const std::int64_t c_count = std::min<std::int64_t>(block_c, p_.c - c0);

        own.gradient.assign(taps_ * block_k * block_c, 0.0);
        own.magnitude.assign(taps_ * block_k * block_c, 0.0);
        for(std::int64_t n = 0; n < p_.batch; ++n)
        {
            const float* x  = in_.data() + n * in_strides_.n + g * in_strides_.g + c0 * in_strides_.channel;
            const float* dy = out_.data() + n * out_strides_.n + g * out_strides_.g + k0 * out_strides_.channel;
            pack(own.x, x, in_strides_, input_pixels_, c_count, block_c);
            pack(own.dy, dy, out_strides_, output_pixels_, k_count, block_k);
            add_image(own.gradient, own.dy, own.x, k_count);
            make_absolute(own.x);
            make_absolute(own.dy);
            add_image(own.magnitude, own.dy, own.x, k_count);
        }
        write_block(result_.values, own.gradient, g, k0, c0);
        write_block(result_.magnitudes, own.magnitude, g, k0, c0);
    }

  private:
    void add_image(std::vector<double>& sums, const std::vector<double>& dy, const std::vector<double>& x,
                   std::int64_t k_count) const
    {
        const std::int64_t rows       = shape_.output[0] * shape_.output[1];
        const std::int64_t chunk_rows = std::max<std::int64_t>(1, chunk_pixels / shape_.output[2]);
        for(std::int64_t row = 0; row < rows; row += chunk_rows)
        {
            const std::int64_t end_row = std::min(rows, row + chunk_rows);
            double* tap_sums           = sums.data();
            for(const span& d : shape_.taps[0])
            {
                for(const span& h : shape_.taps[1])
                {
                    for(const span& w : shape_.taps[2])
                    {
                        add_tap(tap_sums, dy.data(), x.data(), {d, h, w}, row, end_row, k_count);
                        tap_sums += block_k * block_c;
                    }
                }
            }
        }
    }

    // Adds what the output rows [row, end_row) contribute to the weights of one tap.
    void add_tap(double* sums, const double* dy, const double* x, const std::array<span, max_spatial>& tap,
                 std::int64_t row, std::int64_t end_row, std::int64_t k_count) const
    {
        const auto& [d, h, w]     = tap;
        const std::int64_t pixels = w.end - w.begin;
        const std::int64_t x_step = shape_.stride[2] * block_c;
        for(int k = 0; k < k_count && pixels > 0; k += register_k)
        {
            double registers[register_k][block_c];
            double* home = sums + k * block_c;
            std::copy_n(home, register_k * block_c, &registers[0][0]);
            for(std::int64_t r = row; r < end_row; ++r)
            {
                const std::int64_t od = r / shape_.output[1];
                const std::int64_t oh = r % shape_.output[1];
                if(od < d.begin || od >= d.end || oh < h.begin || oh >= h.end)
                    continue;
                const std::int64_t id = od * shape_.stride[0] + d.origin;
                const std::int64_t ih = oh * shape_.stride[1] + h.origin;
                const std::int64_t iw = w.begin * shape_.stride[2] + w.origin;
                const double* x_row   = x + ((id * shape_.input[1] + ih) * shape_.input[2] + iw) * block_c;
                accumulate(registers, dy + (r * shape_.output[2] + w.begin) * block_k + k, x_row, x_step, pixels);
            }
            std::copy_n(&registers[0][0], register_k * block_c, home);
        }
    }

    void write_block(std::vector<double>& weights, const std::vector<double>& sums, std::int64_t g, std::int64_t k0,
                     std::int64_t c0) const
    {
        const bool channels_last    = p_.layout != layout::ngchw;
        const std::int64_t c_stride = channels_last ? 1 : taps_;
        const std::int64_t t_stride = channels_last ? p_.c : 1;
        for(std::int64_t k = k0; k < std::min(p_.k, k0 + block_k); ++k)
        {
            double* row = weights.data() + (g * p_.k + k) * p_.c * taps_;
            for(std::int64_t tap = 0; tap < taps_; ++tap)
                for(std::int64_t c = c0; c < std::min(p_.c, c0 + block_c); ++c)
                    row[tap * t_stride + c * c_stride] = sums[(tap * block_k + k - k0) * block_c + c - c0];
        }
    }

    const problem& p_;
    geometry shape_;
    const std::vector<float>& in_;
    const std::vector<float>& out_;
    reference_values& result_;
    std::int64_t input_pixels_;
    std::int64_t output_pixels_;
    tensor_strides in_strides_;
    tensor_strides out_strides_;
    std::int64_t taps_;
    std::int64_t k_blocks_;
    std::int64_t c_blocks_;
};

} // namespace

reference_values weight_gradient(const problem& p, const std::vector<float>& in, const std::vector<float>& out)
{
    reference_values result(weight_shape(p).elements());
    const gradient_of_weights work(p, in, out, result);

    // Whichever thread computes a block, it adds the same terms in the same order.
    on_all_cores(work.blocks(), [&work, own = gradient_of_weights::scratch()](std::int64_t block) mutable {
        work.compute_block(block, own);
    });
    return result;
}

} // namespace ck_tile::conv

// SPDX-License-Identifier: MIT
// The three implicit GEMMs over the family's views against the definition of a convolution, in exact whole numbers, every layout.
#include "ops/grouped_conv/views.hpp"

#include "ops/grouped_conv/problem.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck_tile::conv
{
namespace
{

struct tensors
{
    std::vector<long> in, out, wei;

    explicit tensors(const problem& p)
        : in(static_cast<std::size_t>(input_shape(p).elements())),
          out(static_cast<std::size_t>(output_shape(p).elements())),
          wei(static_cast<std::size_t>(weight_shape(p).elements()))
    {
    }
};

void randomise(std::vector<long>& x, random_numbers& random)
{
    for(long& e : x)
        e = random.between(-9, 9);
}

// visit(input, output, weight) for every product of the convolution, as places in the tensors.
template <class Visit>
void each_product(const problem& p, Visit&& visit)
{
    const arguments a = make_arguments(p);
    const int taps = product(a.filter), pixels = product(a.output);
    for(int g = 0; g < a.groups; ++g)
        for(int n = 0; n < a.batch; ++n)
            for(int pixel = 0; pixel < pixels; ++pixel)
                for(int tap = 0; tap < taps; ++tap)
                {
                    std::int64_t in = g * a.in.group + n * a.in.image;
                    bool inside     = true;
                    int rest_pixel = pixel, rest_tap = tap;
                    for(int d = 2; d >= 0; --d)
                    {
                        const int at = rest_pixel % a.output[d] * a.stride[d] + rest_tap % a.filter[d] * a.dilation[d] -
                                       a.left_pad[d];
                        inside       = inside && at >= 0 && at < a.input[d];
                        in += std::int64_t(at) * a.in.spatial[d];
                        rest_pixel /= a.output[d];
                        rest_tap /= a.filter[d];
                    }
                    if(!inside)
                        continue;
                    for(int k = 0; k < a.k; ++k)
                        for(int c = 0; c < a.c; ++c)
                        {
                            visit(in + std::int64_t(c) * a.in.channel,
                                  g * a.out.group + n * a.out.image + std::int64_t(pixel) * a.out.spatial[2] +
                                      std::int64_t(k) * a.out.channel,
                                  (std::int64_t(g) * a.k + k) * taps * a.c + tap * a.c + c);
                        }
                }
}

// The element of a view, if it exists; elements past the view's memory do not.
template <class View>
auto element_of(const View& view, int row, int col) -> typename View::element*
{
    const auto f = view.map({row, col});
    if(!exists(f, view.map.limits()))
        return nullptr;
    EXPECT_TRUE(f.offset >= 0 && f.offset < view.elements) << row << ", " << col;
    return view.data + f.offset;
}

// c += a * b over rows of a and of b; visits elements of c that do not exist not at all.
template <class A, class B, class C>
void multiply(const A& a, const B& b, const C& c)
{
    const auto rows = a.map.lengths(), cols = b.map.lengths();
    ASSERT_EQ(rows[1], cols[1]);
    for(int i = 0; i < rows[0]; ++i)
        for(int j = 0; j < cols[0]; ++j)
        {
            auto* sum = element_of(c, i, j);
            ASSERT_NE(sum, nullptr);
            for(int l = 0; l < rows[1]; ++l)
                if(const auto *x = element_of(a, i, l), *y = element_of(b, j, l); x != nullptr && y != nullptr)
                    *sum += *x * *y;
        }
}

// The matrix with its second dimension cut to `length`: unbounded ones have no length of their own.
template <class View>
auto bounded(const View& view, const multi_index<2>& lengths)
{
    return tensor_view{view.data, view.elements,
                       transform(view.map, along<dims{0}, dims{0}>(slice{0, lengths[0]}),
                                 along<dims{1}, dims{1}>(slice{0, lengths[1]}))};
}

template <int S>
void expect_directions_right(const problem& p, random_numbers& random)
{
    const arguments a   = make_arguments(p);
    const int per_image = product(a.output), pixels = a.batch * per_image, row = product(a.filter) * a.c;
    tensors given(p), expected(p), got(p);
    randomise(given.in, random), randomise(given.out, random), randomise(given.wei, random);
    each_product(p, [&](std::int64_t in, std::int64_t out, std::int64_t wei) {
        const auto i = static_cast<std::size_t>(in), o = static_cast<std::size_t>(out),
                   w = static_cast<std::size_t>(wei);
        expected.out[o] += given.in[i] * given.wei[w];
        expected.wei[w] += given.in[i] * given.out[o];
        expected.in[i] += given.out[o] * given.wei[w];
    });

    std::vector<int> written(got.in.size());
    for(int g = 0; g < a.groups; ++g)
    {
        const auto windows = input_windows<S>(a, a.batch);
        const long* in     = part_of(given.in.data(), a.in, g, 0);
        const auto in_part = a.batch * a.in.image;
        const auto w       = bounded(weight_matrix(given.wei.data(), a, g), {a.k, row});

        multiply(tensor_view{in, in_part, windows.positions_by_taps(pixels)}, w,
                 bounded(pixel_matrix<1>(part_of(got.out.data(), a.out, g, 0), a.out, a.k, pixels), {pixels, a.k}));
        multiply(bounded(pixel_matrix<0>(part_of(given.out.data(), a.out, g, 0), a.out, a.k, pixels), {a.k, pixels}),
                 tensor_view{in, in_part, windows.taps_by_positions(pixels)},
                 bounded(weight_matrix(got.wei.data(), a, g), {a.k, row}));
        EXPECT_EQ(windows.taps_by_positions(pixels).lengths()[0], row);

        residues along[3];
        for(int d = 0; d < 3; ++d)
            along[d] = dimension{a.input[d], a.filter[d], a.stride[d], a.dilation[d], a.left_pad[d]};
        for(int number = 0; number < product(used<S>(a.stride)); ++number)
        {
            const residue_class<S> c = class_of<S>(along, number);
            const int rows           = a.batch * c.positions();
            const auto dx            = class_input(part_of(got.in.data(), a.in, g, 0), a, c, a.batch);
            EXPECT_EQ(dx.map.lengths()[0], rows);
            for(int i = 0; i < rows; ++i)
                for(int j = 0; j < a.c; ++j)
                    ++written[static_cast<std::size_t>(element_of(dx, i, j) - got.in.data())];
            if(c.taps() == 0 || rows == 0)
                continue;
            const auto reached = class_windows<S>(a, c, a.batch);
            multiply(
                tensor_view<const long, decltype(reached.positions_by_taps(rows))>{
                    part_of(given.out.data(), a.out, g, 0), a.batch * a.out.image, reached.positions_by_taps(rows)},
                class_weights<S>(given.wei.data(), a, c, g), dx);
        }
    }
    EXPECT_EQ(got.out, expected.out) << "forward of " << describe(p);
    EXPECT_EQ(got.wei, expected.wei) << "backward weight of " << describe(p);
    EXPECT_EQ(got.in, expected.in) << "backward data of " << describe(p);
    for(int times : written)
        ASSERT_EQ(times, 1) << "the classes share dX: " << describe(p);
}

template <int S>
void expect_random_problems_right(int problems)
{
    random_numbers random(40 + S);
    for(int i = 0; i < problems && !testing::Test::HasFailure(); ++i)
    {
        problem p;
        p.spatial = S;
        p.groups  = random.between(1, 2);
        p.batch   = random.between(1, 2);
        p.k       = random.between(1, 3);
        p.c       = random.between(1, 3);
        p.layout  = random.between(0, 1) ? layout::nhwgc : layout::gnhwc;
        for(std::size_t d = 0; d < 3; ++d)
        {
            p.filter[d]    = random.between(1, 4);
            p.stride[d]    = random.between(1, 4);
            p.dilation[d]  = random.between(1, 4);
            p.left_pad[d]  = random.between(0, 4);
            p.right_pad[d] = random.between(0, 4);
            p.input[d]     = random.between(1, S == 1 ? 20 : S == 2 ? 7 : 3);
            while(p.input[d] + p.left_pad[d] + p.right_pad[d] < p.window(static_cast<int>(d)))
                ++p.right_pad[d];
        }
        ASSERT_TRUE(validate(p));
        expect_directions_right<S>(p, random);
    }
}

TEST(Views, OneDimension) { expect_random_problems_right<1>(60); }
TEST(Views, TwoDimensions) { expect_random_problems_right<2>(30); }
TEST(Views, ThreeDimensions) { expect_random_problems_right<3>(8); }

} // namespace
} // namespace ck_tile::conv

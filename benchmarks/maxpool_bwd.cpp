// SPDX-License-Identifier: MIT
// Times max-pooling backward on the rows of a suite: medians with cold caches. A table, and a JSON line per row.
#include "ops/maxpool_bwd/maxpool_bwd.hpp"

#include "benchmarks/suite.hpp"
#include "ops/maxpool/reference.hpp"

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
using namespace ck_tile::benchmarks;
namespace op = ck_tile::maxpool_bwd;

maxpool::problem problem_of(const nlohmann::json& row, data_type type)
{
    maxpool::problem p;
    p.batch    = row.at("batch");
    p.channels = row.at("channels");
    p.type     = type;
    for(const auto& [to, from] : {std::pair{&p.window, "window"},
                                  {&p.input, "input"},
                                  {&p.stride, "stride"},
                                  {&p.left_pad, "pad"},
                                  {&p.right_pad, "pad"}})
        *to = {row.at(from).at(0), row.at(from).at(1)};
    p.layout = row.at("layout") == "nhwc" ? maxpool::layout::nhwc : maxpool::layout::nchw;
    demand(maxpool::validate(p));
    return p;
}

// The elements of one image are as good as those of all: repeated, as no cache holds them.
std::vector<std::byte> repeated(const std::vector<std::byte>& image, std::int64_t times)
{
    std::vector<std::byte> all;
    all.reserve(image.size() * static_cast<std::size_t>(times));
    for(std::int64_t i = 0; i < times; ++i)
        all.insert(all.end(), image.begin(), image.end());
    return all;
}

// Gradients and indices in so many copies that no cache holds them, and memory for the result.
struct cold_tensors
{
    std::vector<device_buffer> dout, indices;
    device_buffer din;

    cold_tensors(const device& on, const maxpool::problem& p)
        : din(demand(on.allocate(static_cast<std::size_t>(maxpool::input_shape(p).elements() * bytes_of(p.type)))))
    {
        maxpool::problem one = p;
        one.batch            = 1;
        const auto in        = make_values(fill::decimals, maxpool::input_shape(one).elements(), 1, 1);
        const auto maxima    = maxpool::reference_maxima(one, in);
        const auto gradient  = elements(maxpool::output_shape(p).elements(), p.type, 2);
        const auto at        = repeated(maxpool::encode_indices(one, maxima.indices), p.batch);
        for(std::size_t i = cold_copies(gradient.size() + at.size()); i > 0; --i)
        {
            dout.push_back(upload(on, gradient));
            indices.push_back(upload(on, at));
        }
    }

    op::tensors turn(std::size_t number) const
    {
        const std::size_t i = number % dout.size();
        return {dout[i].data(), indices[i].data(), nullptr, din.data()};
    }
};

nlohmann::ordered_json measure(const device& on, const maxpool::problem& p, const op::plan& plan,
                               const cold_tensors& data, int repeats)
{
    std::size_t turn = 0;
    const double ms  = demand(on.time([&] { return op::run(on, p, plan, data.turn(turn++), nullptr); }, repeats));
    return {{"ms", ms},
            {"tflops", nullptr},
            {"floor_gb_per_s", p.backward_floor_bytes() / ms / 1e6},
            {"floor_bytes", p.backward_floor_bytes()},
            {"instance", op::name_of(*plan.chosen)}};
}

} // namespace

int main(int argc, char** argv)
{
    return run_suite(argc, argv, "maxpool_bwd",
                     [](const device& on, const nlohmann::json& row, data_type type, int repeats) {
                         const maxpool::problem p = problem_of(row, type);
                         return measure(on, p, demand(op::make_plan(on, p)), cold_tensors(on, p), repeats);
                     });
}

// SPDX-License-Identifier: MIT
// Times max-pooling backward on the rows of a suite.
#include "ops/maxpool_bwd/maxpool_bwd.hpp"

#include "benchmarks/suite.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/tensor_init.hpp"
#include "ops/maxpool/reference.hpp"

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
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
    p.layout = demand(examples::parse_choice<maxpool::layout>("layout", row.at("layout").get<std::string>()));
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

benchmarks::json measure(const device& on, const nlohmann::json& row, const benchmarks::request& how)
{
    const maxpool::problem p = problem_of(row, how.type);
    const op::plan plan      = demand(op::make_plan(on, p, how.instance));
    maxpool::problem one     = p;
    one.batch                = 1;
    const auto in            = make_values(fill::decimals, maxpool::input_shape(one).elements(), 1, 1);
    const auto maxima        = maxpool::reference_maxima(one, in);
    benchmarks::rotating_inputs inputs(on,
                                       {benchmarks::random_elements(maxpool::output_shape(p).elements(), how.type, 2),
                                        repeated(maxpool::encode_indices(one, maxima.indices), p.batch)});
    const auto din =
        demand(on.allocate(static_cast<std::size_t>(maxpool::input_shape(p).elements() * bytes_of(how.type))));
    const double ms = demand(on.time(
        [&] {
            const auto& cold = inputs.next();
            return op::run(on, p, plan, {cold[0].data(), cold[1].data(), nullptr, din.data()}, nullptr);
        },
        how.repeats));
    return {{"ms", ms}, {"floor_bytes", p.backward_floor_bytes()}, {"instance", op::name_of(*plan.chosen)}};
}

} // namespace

int main(int argc, char** argv) { return benchmarks::run_suite(argc, argv, "maxpool_bwd", measure); }

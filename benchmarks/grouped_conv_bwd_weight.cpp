// SPDX-License-Identifier: MIT
// Times grouped convolution backward weight on the rows of a suite.
#include "ops/grouped_conv_bwd_weight/grouped_conv_bwd_weight.hpp"

#include "benchmarks/suite.hpp"
#include "examples/support/command_line.hpp"

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
namespace op = ck_tile::grouped_conv_bwd_weight;

conv::problem problem_of(const nlohmann::json& row, data_type type)
{
    conv::problem p;
    p.spatial      = static_cast<int>(row.at("filter").size());
    p.groups       = row.at("groups");
    p.batch        = row.at("batch");
    p.k            = row.at("k");
    p.c            = row.at("c");
    p.type         = type;
    const auto set = [&](conv::extents& to, const nlohmann::json& from) {
        for(std::size_t d = 0; d < from.size(); ++d)
            to[d] = from[d];
    };
    set(p.filter, row.at("filter"));
    set(p.input, row.at("input"));
    set(p.stride, row.at("stride"));
    set(p.left_pad, row.at("pad"));
    set(p.right_pad, row.contains("right_pad") ? row.at("right_pad") : row.at("pad"));
    p.layout = demand(examples::parse_choice<conv::layout>("layout", row.at("layout").get<std::string>()));
    demand(conv::validate(p));
    return p;
}

benchmarks::json measure(const device& on, const nlohmann::json& row, const benchmarks::request& how)
{
    const conv::problem p = problem_of(row, how.type);
    const op::plan plan   = demand(op::make_plan(on, p, 0, how.instance));
    benchmarks::rotating_inputs inputs(on, {benchmarks::random_elements(conv::input_shape(p).elements(), p.type, 1),
                                            benchmarks::random_elements(conv::output_shape(p).elements(), p.type, 2)});
    const auto weights   = static_cast<std::size_t>(conv::weight_shape(p).elements() * bytes_of(p.type));
    const auto wei       = demand(on.allocate(weights));
    const auto workspace = demand(on.allocate(plan.workspace_bytes));
    const double ms      = demand(on.time(
        [&] {
            const auto& in = inputs.next();
            return op::run(on, p, plan, {in[0].data(), in[1].data(), wei.data()}, workspace.data());
        },
        how.repeats));
    return {{"ms", ms},
            {"floor_bytes", p.floor_bytes()},
            {"flops", p.flops()},
            {"splits", plan.splits},
            {"instance", op::name_of(*plan.chosen)}};
}

} // namespace

int main(int argc, char** argv) { return benchmarks::run_suite(argc, argv, "grouped_conv_bwd_weight", measure); }

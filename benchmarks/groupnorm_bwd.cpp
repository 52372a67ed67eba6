// SPDX-License-Identifier: MIT
// Times group norm backward on the rows of a suite: all three gradients.
#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"

#include "benchmarks/suite.hpp"
#include "examples/support/command_line.hpp"

#include <algorithm>

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
namespace op = ck_tile::groupnorm_bwd;

groupnorm::problem problem_of(const nlohmann::json& row, data_type type)
{
    groupnorm::problem p;
    p.spatial = static_cast<int>(row.at("image").size());
    std::copy(row.at("image").begin(), row.at("image").end(), p.image.begin());
    p.batch  = row.at("batch");
    p.groups = row.at("groups");
    p.c      = row.at("c");
    p.type   = type;
    p.layout = demand(examples::parse_choice<groupnorm::layout>("layout", row.at("layout").get<std::string>()));
    demand(groupnorm::validate(p));
    return p;
}

benchmarks::json measure(const device& on, const nlohmann::json& row, const benchmarks::request& how)
{
    const groupnorm::problem p = problem_of(row, how.type);
    const op::plan plan        = demand(op::make_plan(on, p, {}, how.instance));
    const auto elements        = groupnorm::image_shape(p).elements();
    const auto statistics      = groupnorm::statistic_shape(p).elements();
    benchmarks::rotating_inputs inputs(on, {benchmarks::random_elements(elements, how.type, 1),
                                            benchmarks::random_elements(elements, how.type, 2),
                                            benchmarks::random_elements(p.channels(), how.type, 3),
                                            benchmarks::random_elements(statistics, data_type::fp32, 4),
                                            benchmarks::random_elements(statistics, data_type::fp32, 5)});
    const auto bytes     = [&](std::int64_t count) { return static_cast<std::size_t>(count * bytes_of(how.type)); };
    const auto dx        = demand(on.allocate(bytes(elements)));
    const auto dgamma    = demand(on.allocate(bytes(p.channels())));
    const auto dbeta     = demand(on.allocate(bytes(p.channels())));
    const auto workspace = demand(on.allocate(plan.workspace_bytes));
    const double ms      = demand(on.time(
        [&] {
            const auto& in = inputs.next();
            return op::run(on, p, plan,
                           {in[0].data(), in[1].data(), in[2].data(), static_cast<const float*>(in[3].data()),
                            static_cast<const float*>(in[4].data()), dx.data(), dgamma.data(), dbeta.data()},
                           workspace.data());
        },
        how.repeats));
    // Three passes over the tensors where a group stays on the chip, else five.
    const int passes = plan.steps.size() == 1 ? 3 : 5;
    return {{"ms", ms},
            {"floor_bytes", static_cast<double>(passes) * static_cast<double>(bytes(elements))},
            {"passes", passes},
            {"instance", op::describe(plan)}};
}

} // namespace

int main(int argc, char** argv) { return benchmarks::run_suite(argc, argv, "groupnorm_bwd", measure); }

// SPDX-License-Identifier: MIT
// Computes the gradients of one group normalisation, and verifies, times and saves them as the arguments say.
#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"

#include "examples/groupnorm_bwd/arguments.hpp"
#include "examples/groupnorm_bwd/tensors.hpp"
#include "examples/groupnorm_bwd/verify.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/report.hpp"
#include "examples/support/tensor_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <optional>

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
using groupnorm::problem;
namespace op = ck_tile::groupnorm_bwd;

constexpr const char* program = "groupnorm_bwd";

struct outcome
{
    op::plan plan;
    std::optional<double> milliseconds;
    std::optional<std::array<comparison, 3>> verified; // dx, dgamma, dbeta
};

// Of x and dy read and dx written once, whatever the kernels move.
double giga_bytes_per_second(const problem& p, double milliseconds)
{
    return 3.0 * static_cast<double>(image_shape(p).elements()) * bytes_of(p.type) / milliseconds / 1e6;
}

// Bytes that the job takes at its peak on the CPU. Three images: their elements, here and on a device that is the CPU; the values
// of two while they are made; and for verification the values of all, and those and the magnitudes of the reference.
double memory_needed(const device& on, const arguments& given, const op::plan& plan)
{
    const double element  = bytes_of(given.problem.type);
    const double verified = given.verify == verification::none ? 0 : 3 * sizeof(float) + 2 * sizeof(double);
    return static_cast<double>(image_shape(given.problem).elements()) *
               ((on.is_host() ? 2 : 1) * 3 * element + 2 * sizeof(float) + verified) +
           (on.is_host() ? static_cast<double>(plan.workspace_bytes) : 0);
}

// Everything that can still be wrong with the arguments, before large memory is allocated.
void check_job(const device& on, const arguments& given, const op::plan& plan, tensors& data)
{
    if(!given.load.empty())
        for(const named_tensor* t : data.inputs())
            demand(check_tensor_file(t->file_in(given.load), t->type, t->shape.lengths));
    demand(check_memory(memory_needed(on, given, plan)));
    if(!given.dump.empty())
        demand(check_folder(given.dump));
    if(!given.json.empty())
        demand(check_writable(given.json));
}

outcome compute(const device& on, const arguments& given, const op::plan& plan, tensors& data)
{
    outcome done{plan, {}, {}};
    fill_inputs(given, data);
    const device_tensors there(on, data);
    const device_buffer workspace = demand(on.allocate(plan.workspace_bytes));

    const auto work = [&] { return op::run(on, given.problem, plan, there.addresses(), workspace.data()); };
    if(given.time)
    {
        done.milliseconds = demand(on.time(work));
        fmt::print("Perf: {:.4g} ms, {:.4g} GB/s, {}, {}\n", *done.milliseconds,
                   giga_bytes_per_second(given.problem, *done.milliseconds), op::describe(plan), on.name());
        std::fflush(stdout); // verification takes its time
    }
    else
    {
        demand(work());
        demand(on.synchronize());
    }

    there.fetch_results(on, data);
    if(!given.dump.empty())
        for(const named_tensor* t : data.all())
            demand(dump_tensor(t->file_in(given.dump), t->type, t->shape.lengths, t->elements));
    if(given.verify == verification::none)
    {
        fmt::print("{}\n", describe_verification(given.verify, {}, {}));
        return done;
    }
    done.verified = verify(on, given.verify, given.problem, data);
    for(std::size_t i = 0; const named_tensor* t : data.results())
        fmt::print("{}\n", describe_verification(given.verify, (*done.verified)[i++], t->shape.lengths, t->name));
    return done;
}

nlohmann::ordered_json json_of(const device& on, const arguments& given, const tensors& data, const outcome& done)
{
    const problem& p              = given.problem;
    nlohmann::ordered_json report = {{"problem",
                                      {{"N", p.batch},
                                       {"H", p.image[0]},
                                       {"W", p.image[1]},
                                       {"G", p.groups},
                                       {"C", p.c},
                                       {"dtype", name_of(p.type)},
                                       {"layout", name_of(p.layout)}}},
                                     {"target", on.name()},
                                     {"instance", op::describe(done.plan)},
                                     {"workspace_bytes", done.plan.workspace_bytes},
                                     {"timing", nullptr},
                                     {"verification", nullptr}};
    if(done.milliseconds)
        report["timing"] = {{"ms", *done.milliseconds}, {"gb_per_s", giga_bytes_per_second(p, *done.milliseconds)}};
    if(done.verified)
        for(std::size_t i = 0; const named_tensor* t : data.results())
            report["verification"][t->name] = examples::json_of(given.verify, (*done.verified)[i++], t->shape.lengths);
    return report;
}

int run(const arguments& given)
{
    const device on = demand(device::open(given.target));
    if(!on.notice().empty())
        fmt::print("{}\n", on.notice());
    if(given.list_instances)
    {
        list_instances(op::instances(on), given.problem);
        return success;
    }
    const op::plan plan = demand(op::make_plan(on, given.problem, {}, given.instance));
    tensors data(given.problem);
    check_job(on, given, plan, data);

    for(const named_tensor* t : data.all())
        fmt::print("{}\n", describe_tensor(t->name, t->shape.lengths, t->shape.strides));
    std::fflush(stdout); // what follows takes its time
    const outcome done = compute(on, given, plan, data);
    if(!given.json.empty())
        demand(write_json(given.json, json_of(on, given, data, done)));
    if(done.verified)
        for(std::size_t i = 0; const named_tensor* t : data.results())
            if(const comparison& found = (*done.verified)[i++]; !found.passed())
                return fail(program, fmt::format("{} is wrong: {}", t->name, describe(found, t->shape.lengths)),
                            wrong_result);
    return success;
}

} // namespace

int main(int argc, char** argv) { return run_job(program, argc, argv, parse_arguments, run); }

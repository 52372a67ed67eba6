// SPDX-License-Identifier: MIT
// Computes the gradients of one group normalisation, and verifies, times and saves them as the arguments say.
#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "examples/groupnorm_bwd/arguments.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/device_memory.hpp"
#include "ops/groupnorm_bwd/reference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
namespace op = ck_tile::groupnorm_bwd;

constexpr const char* program = "groupnorm_bwd";

struct job
{
    named_tensor x, dy, gamma, mean, inv_std, dx, dgamma, dbeta;

    explicit job(const groupnorm::problem& p)
        : x{"x", p.type, image_lengths(p)},
          dy{"dy", p.type, image_lengths(p)},
          gamma{"gamma", p.type, parameter_lengths(p)},
          mean{"mean", data_type::fp32, statistic_lengths(p)},
          inv_std{"inv_std", data_type::fp32, statistic_lengths(p)},
          dx{"dx", p.type, image_lengths(p)},
          dgamma{"dgamma", p.type, parameter_lengths(p)},
          dbeta{"dbeta", p.type, parameter_lengths(p)}
    {
    }

    std::vector<named_tensor*> inputs() { return {&x, &dy, &gamma, &mean, &inv_std}; }
    std::vector<named_tensor*> results() { return {&dx, &dgamma, &dbeta}; }
    std::vector<const named_tensor*> all() const { return {&x, &dy, &gamma, &mean, &inv_std, &dx, &dgamma, &dbeta}; }
};

// Bytes that the job takes at its peak on the CPU: elements here and on a device that is the CPU, their values and those that
// they are made from, and the reference's.
double memory_needed(const device& on, const arguments& given, const job& work, const op::plan& plan)
{
    const double copies = on.is_host() ? 2 : 1, verified = given.verify == verification::none ? 0 : 1;
    const double per_element = 3 * copies * bytes_of(given.problem.type) + 2 * sizeof(float) +
                               verified * (3 * sizeof(float) + 2 * sizeof(double));
    return per_element * static_cast<double>(work.x.count()) + (on.is_host() ? double(plan.workspace_bytes) : 0);
}

// The statistics that a forward pass would have saved, with an epsilon of 1e-5.
void take_statistics(const groupnorm::problem& p, job& work)
{
    const std::vector<float> x = work.x.values();
    const groupnorm::image_order place(p);
    std::vector<float> mean(static_cast<std::size_t>(work.mean.count())), inv_std(mean.size());
    groupnorm::on_all_cores(p.batch * p.groups, [&](std::int64_t statistic) {
        const std::int64_t n = statistic / p.groups, first = statistic % p.groups * p.c;
        const double elements = static_cast<double>(p.group_elements());
        double sum = 0, squares = 0;
        const auto each = [&](auto&& visit) {
            for(std::int64_t c = first; c < first + p.c; ++c)
                for(std::int64_t i = 0; i < p.pixels(); ++i)
                    visit(double(x[place(n, c, i)]));
        };
        each([&](double v) { sum += v; });
        each([&](double v) { squares += (v - sum / elements) * (v - sum / elements); });
        mean[static_cast<std::size_t>(statistic)]    = static_cast<float>(sum / elements);
        inv_std[static_cast<std::size_t>(statistic)] = static_cast<float>(1 / std::sqrt(squares / elements + 1e-5));
    });
    work.mean.set(mean);
    work.inv_std.set(inv_std);
}

void make_inputs(const arguments& given, job& work)
{
    if(!given.load.empty())
        return demand(load_tensors(given.load, work.inputs()));
    std::uint64_t stream = 0;
    for(named_tensor* t : {&work.x, &work.dy, &work.gamma})
        t->set(make_values(given.init, t->count(), given.seed, stream++));
    take_statistics(given.problem, work);
}

// Inputs on a device, and memory for results.
struct device_job
{
    device_buffer x, dy, gamma, mean, inv_std, dx, dgamma, dbeta;

    device_job(const device& on, const job& work)
        : x(upload(on, work.x.elements)),
          dy(upload(on, work.dy.elements)),
          gamma(upload(on, work.gamma.elements)),
          mean(upload(on, work.mean.elements)),
          inv_std(upload(on, work.inv_std.elements)),
          dx(make_result(on, x.bytes())),
          dgamma(make_result(on, gamma.bytes())),
          dbeta(make_result(on, gamma.bytes()))
    {
    }

    op::tensors tensors() const
    {
        return {x.data(),
                dy.data(),
                gamma.data(),
                static_cast<const float*>(mean.data()),
                static_cast<const float*>(inv_std.data()),
                dx.data(),
                dgamma.data(),
                dbeta.data()};
    }

    void fetch(const device& on, job& work) const
    {
        work.dx.elements     = download(on, dx);
        work.dgamma.elements = download(on, dgamma);
        work.dbeta.elements  = download(on, dbeta);
    }
};

// Gradients by the reference kernel in fp32, with the inputs that prepare() makes of a job's.
template <class Prepare>
job by_reference_kernel(const device& on, groupnorm::problem p, const job& given, Prepare&& prepare)
{
    p.type = data_type::fp32;
    job wide(p);
    wide.mean = given.mean, wide.inv_std = given.inv_std;
    std::vector<float> x = given.x.values(), dy = given.dy.values(), gamma = given.gamma.values();
    prepare(x, dy, gamma);
    wide.x.set(x), wide.dy.set(dy), wide.gamma.set(gamma);
    const device_job there(on, wide);
    demand(op::run_reference(on, p, there.tensors()));
    there.fetch(on, wide);
    return wide;
}

// The reference kernel's gradients, and their magnitudes: the same sums with absolute values of dy, gamma and x - mean, in which
// dx comes out as its first term's magnitude less those of the others.
op::reference_gradients reference_on_target(const device& on, const groupnorm::problem& p, const job& work)
{
    const groupnorm::image_order place(p);
    const auto mean = work.mean.values(), inv_std = work.inv_std.values();
    const auto each = [&](auto&& visit) {
        for(std::int64_t n = 0; n < p.batch; ++n)
            for(std::int64_t c = 0; c < p.channels(); ++c)
                for(std::int64_t i = 0; i < p.pixels(); ++i)
                    visit(place(n, c, i), static_cast<std::size_t>(n * p.groups + c / p.c),
                          static_cast<std::size_t>(c));
    };
    const job value     = by_reference_kernel(on, p, work, [](auto&, auto&, auto&) {});
    const job magnitude = by_reference_kernel(on, p, work, [&](auto& x, auto& dy, auto& gamma) {
        each([&](std::size_t at, std::size_t statistic, std::size_t) {
            x[at]  = mean[statistic] + std::abs(x[at] - mean[statistic]);
            dy[at] = std::abs(dy[at]);
        });
        for(float& v : gamma)
            v = std::abs(v);
    });
    const auto both     = [](const named_tensor& v, const named_tensor& m) {
        groupnorm::reference_result r;
        const auto values = v.values(), magnitudes = m.values();
        r.value.assign(values.begin(), values.end());
        r.magnitude.assign(magnitudes.begin(), magnitudes.end());
        return r;
    };
    op::reference_gradients out = {both(value.dx, magnitude.dx), both(value.dgamma, magnitude.dgamma),
                                   both(value.dbeta, magnitude.dbeta)};
    const auto dy = magnitude.dy.values(), gamma = magnitude.gamma.values();
    each([&](std::size_t at, std::size_t statistic, std::size_t c) {
        const double first   = double(inv_std[statistic]) * gamma[c] * dy[at];
        out.dx.magnitude[at] = 2 * first - out.dx.magnitude[at];
    });
    return out;
}

// One comparison for each of dx, dgamma and dbeta.
std::vector<comparison> verify(const device& on, const arguments& given, job& work)
{
    const groupnorm::problem& p = given.problem;
    const bool on_cpu           = given.verify == verification::cpu;
    const std::vector<float> x = work.x.values(), dy = work.dy.values(), gamma = work.gamma.values(),
                             mean = work.mean.values(), inv_std = work.inv_std.values();
    const op::reference_gradients right =
        on_cpu ? op::reference(p, {x, dy, gamma, mean, inv_std}) : reference_on_target(on, p, work);
    const auto hold = [&](const named_tensor& found, const groupnorm::reference_result& expected, std::int64_t terms) {
        return compare(p.type, found.values(), [&](std::int64_t i) {
            const double value = expected.value[std::size_t(i)], magnitude = expected.magnitude[std::size_t(i)];
            // The reference kernel may be as wrong as an fp32 result may be.
            const double own = on_cpu ? 0 : groupnorm::error_bound(data_type::fp32, terms, value, magnitude);
            return expectation{value, groupnorm::error_bound(p.type, terms, value, magnitude) + own};
        });
    };
    return {hold(work.dx, right.dx, p.group_elements()), hold(work.dgamma, right.dgamma, p.batch * p.pixels()),
            hold(work.dbeta, right.dbeta, p.batch * p.pixels())};
}

double giga_bytes_per_second(const job& work, double milliseconds)
{
    return 3.0 * static_cast<double>(work.x.count()) * bytes_of(work.x.type) / milliseconds / 1e6;
}

nlohmann::ordered_json report(const device& on, const arguments& given, const op::plan& plan, const job& work,
                              const std::optional<double>& ms)
{
    const groupnorm::problem& p = given.problem;
    nlohmann::ordered_json all  = {{"problem",
                                    {{"N", p.batch},
                                     {"H", p.image[0]},
                                     {"W", p.image[1]},
                                     {"G", p.groups},
                                     {"C", p.c},
                                     {"dtype", ck_tile::name_of(p.type)},
                                     {"layout", groupnorm::name_of(p.layout)}}},
                                   {"target", on.name()},
                                   {"instance", op::describe(plan)},
                                   {"workspace_bytes", plan.workspace_bytes},
                                   {"timing", nullptr},
                                   {"verification", nullptr}};
    if(ms)
        all["timing"] = {{"ms", *ms}, {"gb_per_s", giga_bytes_per_second(work, *ms)}};
    return all;
}

int compute(const device& on, const arguments& given, const op::plan& plan, job& work)
{
    make_inputs(given, work);
    const device_job there(on, work);
    const device_buffer workspace = demand(on.allocate(plan.workspace_bytes));
    const auto run                = [&] { return op::run(on, given.problem, plan, there.tensors(), workspace.data()); };
    std::optional<double> ms;
    if(given.time)
    {
        ms = demand(on.time(run));
        fmt::print("Perf: {:.4g} ms, {:.4g} GB/s, {}, {}\n", *ms, giga_bytes_per_second(work, *ms), op::describe(plan),
                   on.name());
        std::fflush(stdout); // verification takes its time
    }
    else
        demand(run());
    demand(on.synchronize());
    there.fetch(on, work);
    if(!given.dump.empty())
        demand(dump_tensors(given.dump, work.all()));

    auto all   = report(on, given, plan, work, ms);
    int result = success;
    if(given.verify == verification::none)
        fmt::print("Verification: not asked for\n");
    else
    {
        const auto found                 = verify(on, given, work);
        all["verification"]["reference"] = name_of(given.verify);
        for(std::size_t i = 0; i < found.size(); ++i)
        {
            const named_tensor& t     = *work.results()[i];
            const std::string outcome = describe(found[i], t.lengths);
            fmt::print("Verification of {} against {}: {}, {}\n", t.name, name_of(given.verify),
                       found[i].passed() ? "passed" : "FAILED", outcome);
            all["verification"][t.name] = json_of(found[i], t.lengths);
            if(!found[i].passed())
                result = fail(program, fmt::format("{} is wrong: {}", t.name, outcome), wrong_result);
        }
    }
    if(!given.json.empty())
        demand(write_json(given.json, all));
    return result;
}

int run(int argc, char** argv)
{
    const arguments given = demand(parse_arguments(argc, argv));
    if(!given.help.empty())
    {
        fmt::print("{}", given.help);
        return success;
    }
    const device on = demand(device::open(given.target));
    if(!on.notice().empty())
        fmt::print("{}\n", on.notice());
    if(given.list_instances)
    {
        for(const op::instance* each : op::instances(on))
        {
            const status supported = op::supports(*each, given.problem);
            fmt::print("{}: {}\n", op::name_of(*each), supported ? "supports the problem" : supported.reason());
        }
        return success;
    }
    const op::plan plan = demand(op::make_plan(on, given.problem, {}, given.instance));
    job work(given.problem);
    // Everything that can still be wrong with the arguments, before large memory is allocated.
    if(!given.load.empty())
        demand(check_folder_holds(given.load, work.inputs()));
    demand(check_memory(memory_needed(on, given, work, plan)));
    if(!given.dump.empty())
        demand(check_folder(given.dump));
    if(!given.json.empty())
        demand(check_writable(given.json));
    for(const named_tensor* t : work.all())
        fmt::print("{}\n", describe_tensor(*t));
    std::fflush(stdout); // what follows takes its time
    return compute(on, given, plan, work);
}

} // namespace

int main(int argc, char** argv)
{
    return run_program(program, [&] { return run(argc, argv); });
}

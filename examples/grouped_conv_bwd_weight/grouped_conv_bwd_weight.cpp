// SPDX-License-Identifier: MIT
// Computes the weight gradient of one grouped convolution, and verifies, times and saves it as the arguments say.
#include "ops/grouped_conv_bwd_weight/grouped_conv_bwd_weight.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "examples/grouped_conv_bwd_weight/arguments.hpp"
#include "examples/grouped_conv_bwd_weight/report.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/compare.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/device_memory.hpp"
#include "examples/support/report.hpp"
#include "examples/support/tensor_file.hpp"
#include "ops/grouped_conv_bwd_weight/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
namespace op = ck_tile::grouped_conv_bwd_weight;

constexpr const char* program = "grouped_conv_bwd_weight";

struct shapes
{
    conv::tensor_shape in;
    conv::tensor_shape out;
    conv::tensor_shape wei;

    explicit shapes(const conv::problem& p) : in(input_shape(p)), out(output_shape(p)), wei(weight_shape(p)) {}
};

// The inputs' elements. Empty when all are zero: a large problem whose values do not matter then takes no memory.
struct inputs
{
    std::vector<std::byte> in;
    std::vector<std::byte> out;
};

// Bytes that the job takes at its peak on the CPU. What it takes on a GPU, the GPU refuses.
double memory_needed(const device& on, const arguments& given, const shapes& sizes, const op::plan& plan)
{
    const double element = bytes_of(given.problem.type);
    const bool touched   = given.init != fill::zeros || !given.load.empty() || !given.dump.empty();
    const bool verified  = given.verify != verification::none;

    // Inputs: the elements here and on a device that is the CPU; up to three fp32 copies while they are converted.
    // Weights: the elements and their values; gradient and magnitude of the reference, and what these are made of.
    const double per_input =
        (touched ? (on.is_host() ? 2 : 1) * element : 0) + (touched || verified ? 3 : 0) * sizeof(float);
    const double per_weight = 2 * element + sizeof(float) + (verified ? 2 * sizeof(double) + 2 * sizeof(float) : 0);
    return per_input * static_cast<double>(sizes.in.elements() + sizes.out.elements()) +
           per_weight * static_cast<double>(sizes.wei.elements()) +
           (on.is_host() ? static_cast<double>(plan.workspace_bytes) : 0);
}

// Everything that can still be wrong with the arguments, before large memory is allocated.
void check_job(const device& on, const arguments& given, const shapes& sizes, const op::plan& plan)
{
    if(!given.load.empty())
    {
        demand(check_tensor_file(given.load / "in.npy", given.problem.type, sizes.in.lengths));
        demand(check_tensor_file(given.load / "out.npy", given.problem.type, sizes.out.lengths));
    }
    demand(check_memory(memory_needed(on, given, sizes, plan)));
    if(!given.dump.empty())
        demand(check_folder(given.dump));
    if(!given.json.empty())
        demand(check_writable(given.json));
}

inputs make_inputs(const arguments& given, const shapes& sizes)
{
    const data_type type = given.problem.type;
    if(!given.load.empty())
    {
        return {demand(load_tensor(given.load / "in.npy", type, sizes.in.lengths)),
                demand(load_tensor(given.load / "out.npy", type, sizes.out.lengths))};
    }
    if(given.init == fill::zeros)
        return {};
    return {encode(type, make_values(given.init, sizes.in.elements(), given.seed, 0)),
            encode(type, make_values(given.init, sizes.out.elements(), given.seed, 1))};
}

std::vector<float> values_of(const std::vector<std::byte>& elements, data_type type, const conv::tensor_shape& shape)
{
    return elements.empty() ? std::vector<float>(shape.elements()) : decode(type, elements);
}

device_buffer upload_input(const device& on, const std::vector<std::byte>& elements, data_type type,
                           const conv::tensor_shape& shape)
{
    return elements.empty() ? demand(on.allocate_zeroed(shape.elements() * bytes_of(type))) : upload(on, elements);
}

// The tensors of a problem on the device.
struct device_tensors
{
    device_buffer in;
    device_buffer out;
    device_buffer wei;

    op::tensors addresses() const { return {in.data(), out.data(), wei.data()}; }
};

device_tensors make_tensors(const device& on, const conv::problem& p, const inputs& data)
{
    const shapes sizes(p);
    return {upload_input(on, data.in, p.type, sizes.in), upload_input(on, data.out, p.type, sizes.out),
            make_result(on, sizes.wei.elements() * bytes_of(p.type))};
}

void dump(const arguments& given, const shapes& sizes, const inputs& data, const std::vector<std::byte>& weights)
{
    const data_type type  = given.problem.type;
    const auto dump_input = [&](const char* file, const std::vector<std::byte>& elements,
                                const conv::tensor_shape& shape) {
        demand(dump_tensor(given.dump / file, type, shape.lengths, encode(type, values_of(elements, type, shape))));
    };
    dump_input("in.npy", data.in, sizes.in);
    dump_input("out.npy", data.out, sizes.out);
    demand(dump_tensor(given.dump / "wei.npy", type, sizes.wei.lengths, weights));
}

// By the reference kernel, in fp32 so that neither the gradient nor its magnitude is rounded to a narrow type.
std::vector<double> reference_kernel(const device& on, conv::problem p, const inputs& data, float (*prepare)(float))
{
    const data_type given_type = std::exchange(p.type, data_type::fp32);
    const auto upload_fp32     = [&](const std::vector<std::byte>& elements, const conv::tensor_shape& shape) {
        std::vector<float> values = decode(given_type, elements);
        std::transform(values.begin(), values.end(), values.begin(), prepare);
        return upload_input(on, encode(p.type, values), p.type, shape);
    };
    const shapes sizes(p);
    const device_buffer in  = upload_fp32(data.in, sizes.in);
    const device_buffer out = upload_fp32(data.out, sizes.out);
    const device_buffer wei = make_result(on, sizes.wei.elements() * bytes_of(p.type));
    demand(op::run_reference(on, p, {in.data(), out.data(), wei.data()}));
    demand(on.synchronize());
    const std::vector<float> values = decode(p.type, download(on, wei));
    return {values.begin(), values.end()};
}

comparison verify_on_cpu(const conv::problem& p, const shapes& sizes, const inputs& data,
                         const std::vector<float>& weights)
{
    const op::reference_gradient reference =
        op::reference(p, values_of(data.in, p.type, sizes.in), values_of(data.out, p.type, sizes.out));
    return compare(p.type, weights, [&](std::int64_t i) {
        const double gradient = reference.gradient[i];
        return expectation{gradient, op::error_bound(p, gradient, reference.magnitude[i])};
    });
}

comparison verify_on_target(const device& on, const conv::problem& p, const inputs& data,
                            const std::vector<float>& weights)
{
    const std::vector<double> gradient  = reference_kernel(on, p, data, [](float value) { return value; });
    const std::vector<double> magnitude = reference_kernel(on, p, data, [](float value) { return std::abs(value); });
    conv::problem in_fp32               = p;
    in_fp32.type                        = data_type::fp32;
    return compare(p.type, weights, [&](std::int64_t i) {
        // The reference kernel may be as wrong as an fp32 result may be.
        const double bound = op::error_bound(p, gradient[i], magnitude[i]);
        return expectation{gradient[i], bound + op::error_bound(in_fp32, gradient[i], magnitude[i])};
    });
}

outcome compute(const device& on, const arguments& given, const shapes& sizes, const op::plan& plan)
{
    const conv::problem& p = given.problem;
    outcome done{plan, {}, {}};

    const inputs data             = make_inputs(given, sizes);
    const device_tensors tensors  = make_tensors(on, p, data);
    const device_buffer workspace = demand(on.allocate(plan.workspace_bytes));

    const auto work = [&] { return op::run(on, p, plan, tensors.addresses(), workspace.data()); };
    if(given.time)
    {
        done.milliseconds = demand(on.time(work));
        fmt::print("{}\n", describe_timing(on, p, done));
        std::fflush(stdout); // verification takes its time
    }
    else
    {
        demand(work());
        demand(on.synchronize());
    }

    const std::vector<std::byte> weights = download(on, tensors.wei);
    if(!given.dump.empty())
        dump(given, sizes, data, weights);
    switch(given.verify)
    {
    case verification::none: break;
    case verification::cpu: done.verified = verify_on_cpu(p, sizes, data, decode(p.type, weights)); break;
    case verification::reference_kernel: done.verified = verify_on_target(on, p, data, decode(p.type, weights)); break;
    }
    fmt::print("{}\n", describe_verification(given.verify, done.verified, sizes.wei.lengths));
    return done;
}

// Measures, and adds the fastest to the table, which need not exist yet.
void tune(const device& on, const arguments& given)
{
    const conv::problem& p = given.problem;
    const shapes sizes(p);
    op::plan usual        = demand(op::make_plan(on, p));
    usual.workspace_bytes = 0; // tune() leaves out what does not fit
    check_job(on, given, sizes, usual);
    tuned_table table =
        std::filesystem::exists(given.tuned) ? demand(op::load_tuned_table(given.tuned)) : tuned_table(program);
    demand(check_writable(given.tuned));

    const inputs data              = make_inputs(given, sizes);
    const device_tensors tensors   = make_tensors(on, p, data);
    const op::measured_plan chosen = demand(op::tune(on, p, tensors.addresses()));
    op::remember(table, on, p, chosen.fastest);
    demand(table.save(given.tuned));
    fmt::print("Tuned: the fastest of {} measured is {} with {} splits, {:.4g} ms; written to {}\n", chosen.measured,
               op::name_of(*chosen.fastest.chosen), chosen.fastest.splits, chosen.milliseconds, given.tuned.string());
}

op::plan choose_plan(const device& on, const arguments& given)
{
    if(given.tuned.empty())
        return demand(op::make_plan(on, given.problem, given.split_k, given.instance));
    return demand(op::make_plan(on, given.problem, demand(op::load_tuned_table(given.tuned))));
}

int list_instances(const device& on, const conv::problem& p)
{
    for(const op::instance* each : op::instances(on))
    {
        const status supported = op::supports(*each, p);
        fmt::print("{}\n    {}\n    {}\n", op::name_of(*each), op::describe(*each),
                   supported ? "supports the problem" : "does not support the problem: " + supported.reason());
    }
    return success;
}

int run(const arguments& given)
{
    const device on = demand(device::open(given.target));
    if(!on.notice().empty())
        fmt::print("{}\n", on.notice());
    if(given.list_instances)
        return list_instances(on, given.problem);
    if(given.tune)
        tune(on, given);
    const op::plan plan = choose_plan(on, given);
    const shapes sizes(given.problem);
    check_job(on, given, sizes, plan);

    fmt::print("{}\n{}\n{}\n", describe_tensor("in", sizes.in.lengths, sizes.in.strides),
               describe_tensor("wei", sizes.wei.lengths, sizes.wei.strides),
               describe_tensor("out", sizes.out.lengths, sizes.out.strides));
    std::fflush(stdout); // what follows takes its time
    const outcome done = compute(on, given, sizes, plan);
    if(!given.json.empty())
        demand(write_json(on, given, done));
    if(done.verified && !done.verified->passed())
    {
        return fail(program, fmt::format("the result is wrong: {}", describe(*done.verified, sizes.wei.lengths)),
                    wrong_result);
    }
    return success;
}

} // namespace

int main(int argc, char** argv) { return run_job(program, argc, argv, parse_arguments, run); }

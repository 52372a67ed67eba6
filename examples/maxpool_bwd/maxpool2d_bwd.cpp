// SPDX-License-Identifier: MIT
// Computes the gradient of the input of one max-pooling, and verifies, times and saves it as the arguments say.
#include "ops/maxpool_bwd/maxpool_bwd.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "examples/maxpool_bwd/arguments.hpp"
#include "examples/support/command_line.hpp"
#include "examples/support/compare.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/device_memory.hpp"
#include "examples/support/report.hpp"
#include "examples/support/tensor_file.hpp"
#include "ops/maxpool/reference.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

namespace
{

using namespace ck_tile;
using namespace ck_tile::examples;
using maxpool::indices;
using maxpool::problem;
namespace op = ck_tile::maxpool_bwd;

constexpr const char* program = "maxpool2d_bwd";

struct shapes
{
    tensor_shape in, out;

    explicit shapes(const problem& p) : in(input_shape(p)), out(output_shape(p)) {}
};

npy_type type_in_file(indices kind)
{
    return kind == indices::u8 ? npy_type::uint8 : kind == indices::int32 ? npy_type::int32 : npy_type::int64;
}

// The operation's inputs, as values. Without files, the forward pass of the reference gives the indices.
struct inputs
{
    std::optional<std::vector<float>> in; // not there when the indices come from a file
    std::vector<float> dout;
    maxpool::maxima maxima; // values: not there either then

    inputs(const arguments& given, const shapes& sizes)
    {
        const problem& p = given.problem;
        const auto load  = [&](const char* name, const tensor_shape& shape) {
            return decode(p.type, demand(load_tensor(given.load / name, p.type, shape.lengths)));
        };
        const auto make = [&](const tensor_shape& shape, std::uint64_t stream) {
            return decode(p.type, encode(p.type, make_values(given.init, shape.elements(), given.seed, stream)));
        };
        dout = given.load.empty() ? make(sizes.out, 1) : load("dout.npy", sizes.out);
        if(given.load.empty() || p.indices == indices::recompute)
        {
            in     = given.load.empty() ? make(sizes.in, 0) : load("in.npy", sizes.in);
            maxima = maxpool::reference_maxima(p, *in);
            return;
        }
        const auto file = given.load / "indices.npy";
        maxima.indices  = maxpool::decode_indices(
            p, demand(load_integers(file, type_in_file(p.indices), "--indices", sizes.out.lengths)));
        if(const status valid = maxpool::check_indices(p, maxima.indices); !valid)
            throw rejected(fmt::format("{}: {}", file.string(), valid.reason()));
    }

    // Those that the problem stores.
    std::vector<std::byte> stored_indices(const problem& p) const
    {
        return p.indices == indices::recompute ? std::vector<std::byte>() : encode_indices(p, maxima.indices);
    }
};

struct outcome
{
    op::plan plan;
    std::optional<double> milliseconds;
    std::optional<comparison> verified;
};

double giga_bytes_per_second(const problem& p, double milliseconds)
{
    return p.backward_floor_bytes() / milliseconds / 1e6;
}

// Bytes that the job takes at its peak on the CPU: values and elements of both tensors, the reference, and indices three times.
double memory_needed(const problem& p, const shapes& sizes)
{
    const double element = bytes_of(p.type), in = static_cast<double>(sizes.in.elements()),
                 out = static_cast<double>(sizes.out.elements());
    return in * (2 * element + 2 * sizeof(float) + 2 * sizeof(double)) +
           out * (2 * element + 2 * sizeof(float) + 3 * sizeof(std::int64_t));
}

// Everything that can still be wrong with the arguments, before large memory is allocated.
void check_job(const arguments& given, const shapes& sizes)
{
    if(!given.load.empty())
    {
        demand(check_tensor_file(given.load / "dout.npy", given.problem.type, sizes.out.lengths));
        if(given.problem.indices == indices::recompute)
            demand(check_tensor_file(given.load / "in.npy", given.problem.type, sizes.in.lengths));
    }
    demand(check_memory(memory_needed(given.problem, sizes)));
    if(!given.dump.empty())
        demand(check_folder(given.dump));
    if(!given.json.empty())
        demand(check_writable(given.json));
}

void dump(const arguments& given, const shapes& sizes, const inputs& data, const std::vector<std::byte>& din)
{
    const problem& p = given.problem;
    const auto save  = [&](const char* file, const tensor_shape& shape, const std::vector<float>& values) {
        demand(dump_tensor(given.dump / file, p.type, shape.lengths, encode(p.type, values)));
    };
    save("dout.npy", sizes.out, data.dout);
    if(data.in)
    {
        save("in.npy", sizes.in, *data.in);
        save("out.npy", sizes.out, data.maxima.values);
    }
    if(p.indices != indices::recompute)
        demand(
            write_npy(given.dump / "indices.npy", type_in_file(p.indices), sizes.out.lengths, data.stored_indices(p)));
    demand(dump_tensor(given.dump / "din.npy", p.type, sizes.in.lengths, din));
}

comparison verify_on_cpu(const problem& p, const inputs& data, const std::vector<float>& din)
{
    const auto reference = maxpool::reference_backward(p, data.dout, data.maxima.indices);
    return compare(p.type, din, [&](std::int64_t i) {
        return expectation{reference.gradient[i], error_bound(p, reference.gradient[i], reference.magnitude[i])};
    });
}

// By the reference kernel, in fp32 so that neither the gradient nor its magnitude is rounded to a narrow type.
std::vector<float> reference_kernel(const device& on, problem p, const shapes& sizes, const inputs& data,
                                    float (*prepare)(float))
{
    p.type = data_type::fp32;
    if(p.indices == indices::recompute)
        p.indices = indices::int64;
    std::vector<float> values = data.dout;
    for(float& value : values)
        value = prepare(value);
    const device_buffer dout = upload(on, encode(p.type, values)), at = upload(on, data.stored_indices(p));
    const device_buffer din = make_result(on, sizes.in.elements() * bytes_of(p.type));
    demand(op::run_reference(on, p, {dout.data(), at.data(), nullptr, din.data()}));
    demand(on.synchronize());
    return decode(p.type, download(on, din));
}

comparison verify_on_target(const device& on, const problem& p, const shapes& sizes, const inputs& data,
                            const std::vector<float>& din)
{
    const auto gradient  = reference_kernel(on, p, sizes, data, [](float value) { return value; });
    const auto magnitude = reference_kernel(on, p, sizes, data, [](float value) { return std::abs(value); });
    problem in_fp32      = p;
    in_fp32.type         = data_type::fp32;
    return compare(p.type, din, [&](std::int64_t i) {
        // The reference kernel may be as wrong as an fp32 result may be.
        return expectation{gradient[i],
                           error_bound(p, gradient[i], magnitude[i]) + error_bound(in_fp32, gradient[i], magnitude[i])};
    });
}

outcome compute(const device& on, const arguments& given, const shapes& sizes, const op::plan& plan)
{
    const problem& p = given.problem;
    outcome done{plan, {}, {}};

    const inputs data             = inputs(given, sizes);
    const device_buffer dout      = upload(on, encode(p.type, data.dout));
    const device_buffer at        = upload(on, data.stored_indices(p));
    const device_buffer in        = data.in ? upload(on, encode(p.type, *data.in)) : device_buffer();
    const device_buffer din       = make_result(on, sizes.in.elements() * bytes_of(p.type));
    const device_buffer workspace = demand(on.allocate(plan.workspace_bytes));

    const auto work = [&] {
        return op::run(on, p, plan, {dout.data(), at.data(), in.data(), din.data()}, workspace.data());
    };
    if(given.time)
    {
        done.milliseconds = demand(on.time(work));
        fmt::print("Perf: {:.4g} ms, {:.4g} GB/s, {}, {}\n", *done.milliseconds,
                   giga_bytes_per_second(p, *done.milliseconds), op::name_of(*plan.chosen), on.name());
        std::fflush(stdout); // verification takes its time
    }
    else
    {
        demand(work());
        demand(on.synchronize());
    }

    const std::vector<std::byte> result = download(on, din);
    if(!given.dump.empty())
        dump(given, sizes, data, result);
    if(given.verify == verification::cpu)
        done.verified = verify_on_cpu(p, data, decode(p.type, result));
    if(given.verify == verification::reference_kernel)
        done.verified = verify_on_target(on, p, sizes, data, decode(p.type, result));
    fmt::print("{}\n", describe_verification(given.verify, done.verified, sizes.in.lengths));
    return done;
}

nlohmann::ordered_json json_of(const device& on, const arguments& given, const shapes& sizes, const outcome& done)
{
    const problem& p              = given.problem;
    nlohmann::ordered_json report = {
        {"problem",
         {{"N", p.batch},
          {"C", p.channels},
          {"input", p.input},
          {"window", p.window},
          {"strides", p.stride},
          {"dilations", p.dilation},
          {"left_pads", p.left_pad},
          {"right_pads", p.right_pad},
          {"ceil", p.ceil_mode},
          {"indices", name_of(p.indices)},
          {"dtype", name_of(p.type)},
          {"layout", name_of(p.layout)}}},
        {"target", on.name()},
        {"instance", op::name_of(*done.plan.chosen)},
        {"workspace_bytes", done.plan.workspace_bytes},
        {"timing", nullptr},
        {"verification", examples::json_of(given.verify, done.verified, sizes.in.lengths)}};
    if(done.milliseconds)
        report["timing"] = {{"ms", *done.milliseconds}, {"gb_per_s", giga_bytes_per_second(p, *done.milliseconds)}};
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
    const op::plan plan = demand(op::make_plan(on, given.problem, given.instance));
    const shapes sizes(given.problem);
    check_job(given, sizes);

    fmt::print("{}\n{}\n", describe_tensor("in", sizes.in.lengths, sizes.in.strides),
               describe_tensor("out", sizes.out.lengths, sizes.out.strides));
    std::fflush(stdout); // what follows takes its time
    const outcome done = compute(on, given, sizes, plan);
    if(!given.json.empty())
        demand(write_json(given.json, json_of(on, given, sizes, done)));
    if(done.verified && !done.verified->passed())
        return fail(program, fmt::format("the result is wrong: {}", describe(*done.verified, sizes.in.lengths)),
                    wrong_result);
    return success;
}

} // namespace

int main(int argc, char** argv) { return run_job(program, argc, argv, parse_arguments, run); }

// SPDX-License-Identifier: MIT
// A group norm with random inputs, its fp64 reference, and a run of the operation on a device.
#pragma once

#include "ck_tile/runtime/host_convert.hpp"
#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"
#include "ops/groupnorm_bwd/reference.hpp"
#include "tests/ops/groupnorm/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace ck_tile::groupnorm_bwd
{

struct gradients
{
    std::vector<float> dx, dgamma, dbeta; // empty: not wanted
};

struct experiment
{
    groupnorm::problem problem;
    std::vector<float> x, dy, gamma, mean, inv_std;

    // x has mean `offset` and a standard deviation of about 1; mean and inv_std are those of x, as a forward pass gives them.
    explicit experiment(const groupnorm::problem& p, std::uint32_t seed = 0, bool with_gamma = true, float offset = 0)
        : problem(p)
    {
        const std::int64_t elements = p.batch * p.pixels() * p.channels();
        x                           = groupnorm::random_values(elements, p.type, seed, offset, 1.7f);
        dy                          = groupnorm::random_values(elements, p.type, seed + 1, 0.1f, 1.f);
        gamma = groupnorm::random_values(with_gamma ? p.channels() : 0, p.type, seed + 2, 0.5f, 1.f);
        take_statistics();
    }

    void take_statistics()
    {
        const std::int64_t pixels = problem.pixels(), channels = problem.channels();
        const bool last = problem.layout == groupnorm::layout::nhwgc;
        for(std::int64_t n = 0; n < problem.batch; ++n)
            for(std::int64_t g = 0; g < problem.groups; ++g)
            {
                const auto each = [&](auto&& visit) {
                    for(std::int64_t c = g * problem.c; c < (g + 1) * problem.c; ++c)
                        for(std::int64_t i = 0; i < pixels; ++i)
                            visit(double(
                                x[std::size_t(n * pixels * channels + (last ? i * channels + c : c * pixels + i))]));
                };
                double sum = 0, squares = 0;
                const double elements = double(problem.group_elements());
                each([&](double v) { sum += v; });
                each([&](double v) { squares += (v - sum / elements) * (v - sum / elements); });
                mean.push_back(float(sum / elements));
                inv_std.push_back(float(1 / std::sqrt(squares / elements + 1e-5)));
            }
    }

    reference_gradients expected() const { return reference(problem, {x, dy, gamma, mean, inv_std}); }

    // The gradients as `launch` computes them: launch(device, tensors) -> status.
    template <class Launch>
    gradients run(const device& on, const wanted& outputs, Launch&& launch) const
    {
        const auto upload = [&](const std::vector<float>& values, data_type type) {
            const auto bytes = encode(type, values);
            auto memory      = on.allocate(bytes.size());
            EXPECT_TRUE(memory) << memory.reason();
            EXPECT_TRUE(on.copy_to_device(memory->data(), bytes.data(), bytes.size()));
            return std::move(*memory);
        };
        const data_type type         = problem.type;
        const device_buffer x_memory = upload(x, type), dy_memory = upload(dy, type),
                            gamma_memory   = upload(gamma, type);
        const device_buffer mean_memory    = upload(mean, data_type::fp32),
                            inv_std_memory = upload(inv_std, data_type::fp32);
        // Results start as NaN: what a kernel forgets to write shows.
        const std::vector<float> nothing(x.size(), NAN), no_parameters(std::size_t(problem.channels()), NAN);
        const device_buffer dx = upload(nothing, type), dgamma = upload(no_parameters, type),
                            dbeta = upload(no_parameters, type);
        const status s =
            launch(on, tensors{x_memory.data(), dy_memory.data(), gamma.empty() ? nullptr : gamma_memory.data(),
                               static_cast<const float*>(mean_memory.data()),
                               static_cast<const float*>(inv_std_memory.data()), outputs.dx ? dx.data() : nullptr,
                               outputs.dgamma ? dgamma.data() : nullptr, outputs.dbeta ? dbeta.data() : nullptr});
        EXPECT_TRUE(s) << s.reason();
        EXPECT_TRUE(on.synchronize());
        const auto download = [&](const device_buffer& memory, bool is_wanted) {
            std::vector<std::byte> bytes(memory.bytes());
            EXPECT_TRUE(on.copy_to_host(bytes.data(), memory.data(), bytes.size()));
            auto values = decode(type, bytes);
            if(!is_wanted)
                for(const float v : values)
                    EXPECT_TRUE(std::isnan(v)) << "a gradient that was not wanted was written";
            return is_wanted ? values : std::vector<float>{};
        };
        return {download(dx, outputs.dx), download(dgamma, outputs.dgamma), download(dbeta, outputs.dbeta)};
    }

    gradients run_plan(const device& on, const plan& what) const
    {
        return run(on, what.wanted, [&](const device& d, const tensors& t) -> status {
            auto workspace = d.allocate(what.workspace_bytes);
            if(!workspace)
                return rejection{workspace.reason()};
            // As memory is found: a kernel may not count on zeros.
            std::vector<std::byte> garbage(what.workspace_bytes, std::byte{0xff});
            if(status s = d.copy_to_device(workspace->data(), garbage.data(), garbage.size()); !s)
                return s;
            if(status s = groupnorm_bwd::run(d, problem, what, t, workspace->data()); !s)
                return s;
            return d.synchronize();
        });
    }

    // Expects each wanted gradient within the bound of the reference; stops at the first element that is not.
    void expect_matches(const reference_gradients& right, const gradients& actual, const std::string& what) const
    {
        const auto expect = [&](const char* name, std::int64_t terms, const groupnorm::reference_result& expected,
                                const std::vector<float>& found) {
            if(found.empty())
                return;
            ASSERT_EQ(expected.value.size(), found.size()) << what;
            for(std::size_t i = 0; i < found.size(); ++i)
            {
                const double bound = error_bound(problem.type, terms, expected.value[i], expected.magnitude[i]);
                ASSERT_LE(std::abs(found[i] - expected.value[i]), bound)
                    << what << ": " << name << "[" << i << "] is " << found[i] << ", the reference says "
                    << expected.value[i] << "; " << groupnorm::describe(problem);
            }
        };
        const std::int64_t along = problem.batch * problem.pixels();
        expect("dx", problem.group_elements(), right.dx, actual.dx);
        expect("dgamma", along, right.dgamma, actual.dgamma);
        expect("dbeta", along, right.dbeta, actual.dbeta);
    }
};

} // namespace ck_tile::groupnorm_bwd

// SPDX-License-Identifier: MIT
// Holds the results of an operation against a reference: the fp64 one on the CPU, or the reference kernel on the device. An operation
// states
//
//   static std::vector<reference_values> reference(const problem&, const tensor_set& inputs);     one for each result
//
// and, where it is not the usual thing,
//   static problem reference_problem(problem);               that the reference kernel computes; else the same in fp32
//   static void make_absolute(const problem&, tensor_set&);  inputs from which it computes magnitudes; else absolute values
//   static problem magnitude_problem(problem);               that it computes them by; else the same
//   static void finish_magnitudes(const problem&, const tensor_set& absolute, std::vector<reference_values>&);
//   static std::vector<std::int64_t> integers_of(const problem&, const host_tensor&);      results of an index type as they compare
#pragma once

#include "ops/harness/compare.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/harness/value_or_throw.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace ck_tile::harness
{

enum class verification
{
    none,
    cpu,             // the fp64 reference
    reference_kernel // on the target
};

// "the fp64 reference on the CPU", to follow "Verification against".
constexpr const char* describe(verification how)
{
    switch(how)
    {
    case verification::none: return "nothing";
    case verification::cpu: return "the fp64 reference on the CPU";
    case verification::reference_kernel: return "the reference kernel on the target";
    }
    return "unknown";
}

// Holds one result against what it should be. `by_kernel`: the reference is an fp32 result itself, and may be as wrong as one.
comparison compare_result(const host_tensor& found, const reference_values& expected, bool by_kernel);
comparison compare_integers(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& expected);

// The tensors of `list`, with the elements that `from` has under the same names, floats converted to the types of the list. An
// input that is absent from `from` stays so.
tensor_set converted(const tensor_set& from, const std::vector<tensor_info>& list);

namespace detail
{

template <class Op>
std::vector<std::int64_t> integers_of(const typename Op::problem& p, const host_tensor& t)
{
    if constexpr(requires { Op::integers_of(p, t); })
        return Op::integers_of(p, t);
    else
        return t.integers();
}

// The results of the reference kernel.
template <class Op>
std::vector<reference_values> run_reference_kernel(const device& dev, const typename Op::problem& p, tensor_set& set)
{
    const device_set there(dev, set);
    const device_buffer workspace = value_or_throw(dev.allocate(reference_workspace_bytes<Op>(p)));
    value_or_throw(run_reference<Op>(dev, p, Op::bind(there.addresses()), workspace.data()));
    there.fetch_results(dev, set);
    std::vector<reference_values> results;
    for(const host_tensor& t : set.tensors)
        if(t.role == tensor_role::result)
        {
            reference_values& r = results.emplace_back();
            if(is_floating(t.type))
            {
                const std::vector<float> values = t.values();
                r.values.assign(values.begin(), values.end());
            }
            else
                r.integers = integers_of<Op>(p, t);
        }
    return results;
}

template <class Op>
std::vector<reference_values> reference_on(const device& dev, const typename Op::problem& given, const tensor_set& set)
{
    typename Op::problem p = given;
    if constexpr(requires { Op::reference_problem(p); })
        p = Op::reference_problem(p);
    else
        p.type = data_type::fp32; // neither results nor magnitudes are to be rounded to a narrow type
    tensor_set wide                      = converted(set, Op::tensor_list(p));
    std::vector<reference_values> values = run_reference_kernel<Op>(dev, p, wide);

    if constexpr(requires { Op::make_absolute(p, wide); })
        Op::make_absolute(p, wide);
    else
        for(host_tensor& t : wide.tensors)
            if(t.role == tensor_role::input && is_floating(t.type))
            {
                std::vector<float> v = t.values();
                for(float& x : v)
                    x = std::abs(x);
                t.set_values(v);
            }
    if constexpr(requires { Op::magnitude_problem(p); })
        p = Op::magnitude_problem(p);
    std::vector<reference_values> magnitudes = run_reference_kernel<Op>(dev, p, wide);
    for(std::size_t i = 0; i < values.size(); ++i)
        values[i].magnitudes = std::move(magnitudes[i].values);
    if constexpr(requires { Op::finish_magnitudes(p, wide, values); })
        Op::finish_magnitudes(p, wide, values);
    return values;
}

} // namespace detail

// One comparison for each result, in the order of the tensors.
template <class Op>
std::vector<comparison> verify(const device& dev, verification how, const typename Op::problem& p,
                               const tensor_set& set)
{
    const bool by_kernel = how == verification::reference_kernel;
    const std::vector<reference_values> expected =
        by_kernel ? detail::reference_on<Op>(dev, p, set) : Op::reference(p, set);
    std::vector<comparison> found;
    for(const host_tensor& t : set.tensors)
        if(t.role == tensor_role::result)
        {
            const reference_values& right = expected[found.size()];
            found.push_back(is_floating(t.type) ? compare_result(t, right, by_kernel)
                                                : compare_integers(detail::integers_of<Op>(p, t), right.integers));
        }
    return found;
}

} // namespace ck_tile::harness

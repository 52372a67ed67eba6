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
//
// What the reference kernel takes and makes lies on the device alone, converted on its way there piece by piece; but what
// make_absolute() and finish_magnitudes() see is on the host.
#pragma once

#include "ops/harness/compare.hpp"
#include "ops/harness/tensor_set.hpp"
#include "ops/harness/value_or_throw.hpp"
#include "ops/operation.hpp"
#include "ops/reference.hpp"

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

// How far a result may be off. `by_kernel`: the reference is an fp32 result itself, and may be as wrong as one.
tolerance tolerance_of(const tensor_info& found, bool by_kernel);

// Holds one result against what it should be, on all cores.
comparison compare_result(const host_tensor& found, const reference_values& expected, bool by_kernel);
comparison compare_integers(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& expected);

// The tensors of `list`, with the elements that `from` has under the same names, floats converted to the types of the list. An
// input that is absent from `from` stays so.
tensor_set converted(const tensor_set& from, const std::vector<tensor_info>& list);

// Absolute values of all floating inputs.
void make_absolute(tensor_set& set);

// What the reference kernel made of one result, on the device: fp32 values and magnitudes. Empty of integers.
struct device_reference
{
    device_buffer values, magnitudes;
};

// Copies between the two forms of a reference.
void fetch_reference(const device& dev, const device_reference& from, reference_values& to);
void send_magnitudes(const device& dev, const reference_values& from, device_reference& to);

// The same comparison with what the reference kernel made: of a result on the device where it lies, if the library was built with
// kernels for it (ops/harness/device_kernels.hpp); of one on the host piece by piece.
comparison compare_result(const device& dev, const tensor_info& found, const device_buffer& elements,
                          const device_reference& expected);
comparison compare_result(const device& dev, const host_tensor& found, const device_reference& expected);

// Whether the operation has a part in magnitudes, on the host: what they are made of is there too.
template <class Op>
concept sees_magnitudes = requires { &Op::make_absolute; } || requires { &Op::finish_magnitudes; };

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

// Runs the reference kernel on what is on the device.
template <class Op>
void run_reference_on(const device& dev, const typename Op::problem& p, const device_set& there)
{
    const device_buffer workspace = value_or_throw(dev.allocate(reference_workspace_bytes<Op>(p)));
    value_or_throw(run_reference<Op>(dev, p, Op::bind(there.addresses()), workspace.data()));
    value_or_throw(dev.synchronize());
}

} // namespace detail

// What the results of a problem should be, made once of its inputs, to hold any number of results against.
template <class Op>
class verifier
{
    using problem = typename Op::problem;

  public:
    // `how` is not verification::none.
    verifier(const device& dev, verification how, const problem& p, const tensor_set& inputs)
        : dev_(dev), by_kernel_(how == verification::reference_kernel), problem_(p)
    {
        if(by_kernel_)
            run_reference_kernel(inputs);
        else
            expected_ = Op::reference(p, inputs);
    }

    // One comparison for each result, in the order of the tensors.
    std::vector<comparison> compare(const tensor_set& set) const
    {
        std::vector<comparison> found;
        for(const host_tensor& t : set.tensors)
            if(t.role == tensor_role::result)
                found.push_back(compare(t, found.size()));
        return found;
    }

    // The same of results on the device, whose list is `list`. What has to come to the host for it does so one at a time.
    std::vector<comparison> compare(const std::vector<tensor_info>& list, const device_set& there) const
    {
        std::vector<comparison> found;
        for(std::size_t i = 0; i < list.size(); ++i)
        {
            if(list[i].role != tensor_role::result)
                continue;
            const std::size_t number = found.size();
            if(by_kernel_ && is_floating(list[i].type))
                found.push_back(compare_result(dev_, list[i], there.buffer(i), on_device_[number]));
            else
            {
                host_tensor t{list[i]};
                there.fetch(dev_, i, t);
                found.push_back(compare(t, number));
            }
        }
        return found;
    }

  private:
    comparison compare(const host_tensor& t, std::size_t number) const
    {
        if(!is_floating(t.type))
            return compare_integers(detail::integers_of<Op>(problem_, t), expected_[number].integers);
        return by_kernel_ ? compare_result(dev_, t, on_device_[number]) : compare_result(t, expected_[number], false);
    }

    void run_reference_kernel(const tensor_set& inputs)
    {
        problem p = problem_;
        if constexpr(requires { Op::reference_problem(p); })
            p = Op::reference_problem(p);
        else
            p.type = data_type::fp32; // neither results nor magnitudes are to be rounded to a narrow type
        const std::vector<tensor_info> list = Op::tensor_list(p);
        {
            device_set there(dev_, inputs, list, conversion::same);
            detail::run_reference_on<Op>(dev_, p, there);
            for(std::size_t i = 0; i < list.size(); ++i)
                if(list[i].role == tensor_role::result)
                {
                    on_device_.emplace_back();
                    expected_.emplace_back();
                    if(is_floating(list[i].type))
                    {
                        on_device_.back().values = there.take(i);
                        continue;
                    }
                    host_tensor t{list[i]};
                    there.fetch(dev_, i, t);
                    expected_.back().integers = detail::integers_of<Op>(p, t);
                }
        }

        [[maybe_unused]] const problem wide = p;
        if constexpr(requires { Op::magnitude_problem(p); })
            p = Op::magnitude_problem(p);
        if constexpr(sees_magnitudes<Op>)
        {
            tensor_set absolute = converted(inputs, list);
            if constexpr(requires { &Op::make_absolute; })
                Op::make_absolute(wide, absolute);
            else
                make_absolute(absolute);
            compute_magnitudes(p, device_set(dev_, absolute), list);
            if constexpr(requires { &Op::finish_magnitudes; })
                finish(p, absolute);
        }
        else
            compute_magnitudes(p, device_set(dev_, inputs, list, conversion::absolute), list);
    }

    void compute_magnitudes(const problem& p, device_set there, const std::vector<tensor_info>& list)
    {
        detail::run_reference_on<Op>(dev_, p, there);
        for(std::size_t i = 0, number = 0; i < list.size(); ++i)
        {
            if(list[i].role != tensor_role::result)
                continue;
            if(is_floating(list[i].type))
                on_device_[number].magnitudes = there.take(i);
            ++number;
        }
    }

    void finish(const problem& p, const tensor_set& absolute)
    {
        std::vector<reference_values> values(on_device_.size());
        for(std::size_t i = 0; i < values.size(); ++i)
            fetch_reference(dev_, on_device_[i], values[i]);
        Op::finish_magnitudes(p, absolute, values);
        for(std::size_t i = 0; i < values.size(); ++i)
            send_magnitudes(dev_, values[i], on_device_[i]);
    }

    const device& dev_;
    bool by_kernel_;
    problem problem_;
    std::vector<reference_values> expected_;  // of the CPU; of the kernel, integers
    std::vector<device_reference> on_device_; // of the kernel
};

// One comparison for each result, in the order of the tensors.
template <class Op>
std::vector<comparison> verify(const device& dev, verification how, const typename Op::problem& p,
                               const tensor_set& set)
{
    return verifier<Op>(dev, how, p, set).compare(set);
}

} // namespace ck_tile::harness

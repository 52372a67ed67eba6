// SPDX-License-Identifier: MIT
#include "ops/harness/verify.hpp"

#include "ck_tile/runtime/host_convert.hpp"

namespace ck_tile::harness
{

comparison compare_result(const host_tensor& found, const reference_values& expected, bool by_kernel)
{
    return compare(found.type, found.values(), [&](std::int64_t i) {
        const auto at      = static_cast<std::size_t>(i);
        const double value = expected.values[at];
        if(found.terms == 0)
            return expectation{value, 0};
        const double magnitude = found.slack * expected.magnitudes[at];
        const double own       = by_kernel ? error_bound(data_type::fp32, found.terms, value, magnitude) : 0;
        return expectation{value, error_bound(found.type, found.terms, value, magnitude) + own};
    });
}

comparison compare_integers(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& expected)
{
    comparison result{.elements = static_cast<std::int64_t>(found.size())};
    for(std::size_t i = 0; i < found.size(); ++i)
        if(found[i] != expected[i] && ++result.failures == 1)
        {
            result.worst    = static_cast<std::int64_t>(i);
            result.expected = static_cast<double>(expected[i]);
            result.actual   = static_cast<double>(found[i]);
            result.error    = result.actual - result.expected;
        }
    return result;
}

tensor_set converted(const tensor_set& from, const std::vector<tensor_info>& list)
{
    tensor_set to(list);
    for(host_tensor& t : to.tensors)
        for(const host_tensor& f : from.tensors)
        {
            if(std::string_view(f.name) != t.name)
                continue;
            if(f.role == tensor_role::absent && t.role == tensor_role::input)
                t.role = tensor_role::absent; // as it was for the operation
            if(!f.elements.empty())
            {
                if(is_floating(t.type))
                    t.set_values(f.values());
                else
                    t.elements = f.elements;
            }
        }
    return to;
}

} // namespace ck_tile::harness

// SPDX-License-Identifier: MIT
// Fills the inputs of groupnorm_bwd, and moves tensors to a device and back.
#include "examples/groupnorm_bwd/tensors.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "examples/support/demand.hpp"
#include "examples/support/device_memory.hpp"
#include "examples/support/tensor_file.hpp"
#include "ops/groupnorm/reference_support.hpp"

#include <string>

namespace ck_tile::examples
{

std::filesystem::path named_tensor::file_in(const std::filesystem::path& folder) const
{
    return folder / (std::string(name) + ".npy");
}

std::vector<float> named_tensor::values() const { return decode(type, elements); }

void named_tensor::set(const std::vector<float>& values) { elements = encode(type, values); }

tensors::tensors(const groupnorm::problem& p)
    : x{"x", p.type, image_shape(p)},
      dy{"dy", p.type, image_shape(p)},
      gamma{"gamma", p.type, parameter_shape(p)},
      mean{"mean", data_type::fp32, statistic_shape(p)},
      inv_std{"inv_std", data_type::fp32, statistic_shape(p)},
      dx{"dx", p.type, image_shape(p)},
      dgamma{"dgamma", p.type, parameter_shape(p)},
      dbeta{"dbeta", p.type, parameter_shape(p)}
{
}

void fill_inputs(const arguments& given, tensors& data)
{
    if(!given.load.empty())
    {
        for(named_tensor* t : data.inputs())
            t->elements = demand(load_tensor(t->file_in(given.load), t->type, t->shape.lengths));
        return;
    }
    std::uint64_t stream = 0;
    for(named_tensor* t : {&data.x, &data.dy, &data.gamma})
        t->set(make_values(given.init, t->shape.elements(), given.seed, stream++));
    const groupnorm::statistics of_x(given.problem, data.x.values(), 1e-5);
    data.mean.set(of_x.mean);
    data.inv_std.set(of_x.inv_std);
}

device_tensors::device_tensors(const device& on, const tensors& data)
    : x_(upload(on, data.x.elements)),
      dy_(upload(on, data.dy.elements)),
      gamma_(upload(on, data.gamma.elements)),
      mean_(upload(on, data.mean.elements)),
      inv_std_(upload(on, data.inv_std.elements)),
      dx_(make_result(on, x_.bytes())),
      dgamma_(make_result(on, gamma_.bytes())),
      dbeta_(make_result(on, gamma_.bytes()))
{
}

groupnorm_bwd::tensors device_tensors::addresses() const
{
    return {.x       = x_.data(),
            .dy      = dy_.data(),
            .gamma   = gamma_.data(),
            .mean    = static_cast<const float*>(mean_.data()),
            .inv_std = static_cast<const float*>(inv_std_.data()),
            .dx      = dx_.data(),
            .dgamma  = dgamma_.data(),
            .dbeta   = dbeta_.data()};
}

void device_tensors::fetch_results(const device& on, tensors& data) const
{
    data.dx.elements     = download(on, dx_);
    data.dgamma.elements = download(on, dgamma_);
    data.dbeta.elements  = download(on, dbeta_);
}

} // namespace ck_tile::examples

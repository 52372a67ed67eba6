// SPDX-License-Identifier: MIT
// The tensors of groupnorm_bwd, here and on a device.
#pragma once

#include "examples/groupnorm_bwd/arguments.hpp"
#include "ops/groupnorm_bwd/groupnorm_bwd.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace ck_tile::examples
{

// A tensor by the name of its file.
struct named_tensor
{
    const char* name;
    data_type type;
    tensor_shape shape;
    std::vector<std::byte> elements = {};

    std::filesystem::path file_in(const std::filesystem::path& folder) const;
    std::vector<float> values() const;
    void set(const std::vector<float>& values); // rounds them to the type
};

struct tensors
{
    named_tensor x, dy, gamma, mean, inv_std; // inputs
    named_tensor dx, dgamma, dbeta;           // results

    explicit tensors(const groupnorm::problem& p);

    std::array<named_tensor*, 5> inputs() { return {&x, &dy, &gamma, &mean, &inv_std}; }
    std::array<const named_tensor*, 3> results() const { return {&dx, &dgamma, &dbeta}; }
    std::array<const named_tensor*, 8> all() const { return {&x, &dy, &gamma, &mean, &inv_std, &dx, &dgamma, &dbeta}; }
};

// Reads the inputs, or makes them as the job says; mean and inv_std are then those of x, with an epsilon of 1e-5.
void fill_inputs(const arguments& given, tensors& data);

// The inputs on a device, and memory for the results.
class device_tensors
{
  public:
    device_tensors(const device& on, const tensors& data);

    groupnorm_bwd::tensors addresses() const;
    void fetch_results(const device& on, tensors& data) const;

  private:
    device_buffer x_, dy_, gamma_, mean_, inv_std_, dx_, dgamma_, dbeta_;
};

} // namespace ck_tile::examples

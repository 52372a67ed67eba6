// SPDX-License-Identifier: MIT
// Tensors in .npy files named after them: fp16 as float16, fp32 as float32, bf16 (which NumPy lacks) as float32 that holds bf16
// values, indices as uint8, int32 or int64.
#pragma once

#include "ck_tile/runtime/status.hpp"
#include "ops/harness/tensor_set.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace ck_tile::harness
{

std::filesystem::path file_of(const tensor_info& t, const std::filesystem::path& folder); // <folder>/<name>.npy

// Rejects a file that is not a tensor of this type and these lengths; reads only its header.
status check_tensor_file(const tensor_info& t, const std::filesystem::path& folder);

// The elements as they lie in memory. Rejects, before it reads elements, what check_tensor_file() does; and float32 values that bf16 cannot hold: rounded, they would be another
// problem than the one in the file.
result<std::vector<std::byte>> load_tensor(const tensor_info& t, const std::filesystem::path& folder);

// Those that a device has, or that have elements. All are written before the earlier ones go and these come into their place: a folder
// has tensors of one run, and all of them unless the program is ended meanwhile.
status dump_tensors(std::span<const host_tensor> tensors, const std::filesystem::path& folder);

} // namespace ck_tile::harness

// SPDX-License-Identifier: MIT
// Tensors in .npy files: fp16 as float16, fp32 as float32, bf16 (which NumPy lacks) as float32 that holds bf16 values.
#pragma once

#include "ck_tile/numeric/data_type.hpp"
#include "ck_tile/runtime/npy.hpp"
#include "ck_tile/runtime/status.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace ck_tile::examples
{

// Rejects a file that is not a tensor of this type and these lengths; reads only its header.
status check_tensor_file(const std::filesystem::path& file, data_type type, const std::vector<std::int64_t>& lengths);

// The elements as they lie in memory. Rejects float32 values that bf16 cannot hold: rounded, they would be another
// problem than the one in the file.
result<std::vector<std::byte>> load_tensor(const std::filesystem::path& file, data_type type,
                                           const std::vector<std::int64_t>& lengths);

// Integers, as they lie in memory; `option` is the one that chose their type.
result<std::vector<std::byte>> load_integers(const std::filesystem::path& file, npy_type type, const char* option,
                                             const std::vector<std::int64_t>& lengths);

status dump_tensor(const std::filesystem::path& file, data_type type, const std::vector<std::int64_t>& lengths,
                   std::span<const std::byte> elements);

} // namespace ck_tile::examples

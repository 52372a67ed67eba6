// SPDX-License-Identifier: MIT
// The element types of tensors and of .npy files, brought together.
#include "examples/support/tensor_file.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "ck_tile/runtime/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace ck_tile::examples
{

namespace
{

npy_type type_in_file(data_type type) { return type == data_type::fp16 ? npy_type::float16 : npy_type::float32; }

status check_header(const std::filesystem::path& file, npy_type type, const char* needed_by, const char* option,
                    const std::vector<std::int64_t>& lengths, npy_type found_type,
                    const std::vector<std::int64_t>& found_lengths)
{
    if(found_type != type)
    {
        return rejection{fmt::format("{}: {} needs an array of {}, found {}: convert the file, or choose another {}",
                                     file.string(), needed_by, name_of(type), name_of(found_type), option)};
    }
    if(found_lengths != lengths)
    {
        return rejection{fmt::format("{}: the problem needs the shape ({}), found ({})", file.string(),
                                     fmt::join(lengths, ", "), fmt::join(found_lengths, ", "))};
    }
    return {};
}

} // namespace

status check_tensor_file(const std::filesystem::path& file, data_type type, const std::vector<std::int64_t>& lengths)
{
    const result<npy_header> header = read_npy_header(file);
    return header ? check_header(file, type_in_file(type), name_of(type), "--dtype", lengths, header->type,
                                 header->lengths)
                  : rejection{header.reason()};
}

result<std::vector<std::byte>> load_tensor(const std::filesystem::path& file, data_type type,
                                           const std::vector<std::int64_t>& lengths)
{
    result<npy_array> array = read_npy(file);
    if(!array)
        return rejection{array.reason()};
    if(status fits =
           check_header(file, type_in_file(type), name_of(type), "--dtype", lengths, array->type, array->lengths);
       !fits)
        return rejection{fits.reason()};
    if(type != data_type::bf16)
        return std::move(array->data);

    const std::vector<float> values = decode(data_type::fp32, array->data);
    std::vector<std::byte> elements = encode(type, values);
    const std::vector<float> kept   = decode(type, elements);
    for(std::size_t i = 0; i < values.size(); ++i)
    {
        if(values[i] != kept[i] && !std::isnan(values[i]))
        {
            return rejection{fmt::format("{}: every value must be a bf16 number, but element {} is {}, between two of "
                                         "them: round the values before they are saved, or choose --dtype fp32",
                                         file.string(), i, values[i])};
        }
    }
    return elements;
}

result<std::vector<std::byte>> load_integers(const std::filesystem::path& file, npy_type type, const char* option,
                                             const std::vector<std::int64_t>& lengths)
{
    result<npy_array> array = read_npy(file);
    if(!array)
        return rejection{array.reason()};
    if(status fits = check_header(file, type, name_of(type), option, lengths, array->type, array->lengths); !fits)
        return rejection{fits.reason()};
    return std::move(array->data);
}

status dump_tensor(const std::filesystem::path& file, data_type type, const std::vector<std::int64_t>& lengths,
                   std::span<const std::byte> elements)
{
    return type == data_type::bf16
               ? write_npy(file, npy_type::float32, lengths, encode(data_type::fp32, decode(type, elements)))
               : write_npy(file, type_in_file(type), lengths, elements);
}

} // namespace ck_tile::examples

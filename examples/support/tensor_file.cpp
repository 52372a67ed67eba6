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

data_type type_in_file(data_type type) { return type == data_type::bf16 ? data_type::fp32 : type; }

status check_header(const std::filesystem::path& file, data_type type, const std::vector<std::int64_t>& lengths,
                    data_type found_type, const std::vector<std::int64_t>& found_lengths)
{
    if(found_type != type_in_file(type))
    {
        return rejection{
            fmt::format("{}: {} needs an array of {}, found {}: convert the file, or choose another --dtype",
                        file.string(), name_of(type), type == data_type::fp16 ? "float16" : "float32",
                        found_type == data_type::fp16 ? "float16" : "float32")};
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
    return header ? check_header(file, type, lengths, header->type, header->lengths) : rejection{header.reason()};
}

result<std::vector<std::byte>> load_tensor(const std::filesystem::path& file, data_type type,
                                           const std::vector<std::int64_t>& lengths)
{
    result<npy_array> array = read_npy(file);
    if(!array)
        return rejection{array.reason()};
    if(status fits = check_header(file, type, lengths, array->type, array->lengths); !fits)
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

status dump_tensor(const std::filesystem::path& file, data_type type, const std::vector<std::int64_t>& lengths,
                   std::span<const std::byte> elements)
{
    return type == data_type::bf16
               ? write_npy(file, data_type::fp32, lengths, encode(data_type::fp32, decode(type, elements)))
               : write_npy(file, type, lengths, elements);
}

} // namespace ck_tile::examples

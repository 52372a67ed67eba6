// SPDX-License-Identifier: MIT
// The element types of tensors and of .npy files, brought together.
#include "ops/harness/tensor_file.hpp"

#include "ck_tile/runtime/host_convert.hpp"
#include "ck_tile/runtime/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace ck_tile::harness
{

namespace
{

npy_type type_in_file(data_type type)
{
    switch(type)
    {
    case data_type::fp16: return npy_type::float16;
    case data_type::bf16:
    case data_type::fp32: break;
    case data_type::u8: return npy_type::uint8;
    case data_type::int32: return npy_type::int32;
    case data_type::int64: return npy_type::int64;
    }
    return npy_type::float32;
}

status check_header(const tensor_info& t, const std::filesystem::path& file, const npy_header& found)
{
    const npy_type type      = type_in_file(t.type);
    const std::string option = is_floating(t.type) ? "dtype" : t.name;
    if(found.type != type)
    {
        return rejection{fmt::format("{}: {} needs an array of {}, found {}: convert the file, or choose another --{}",
                                     file.string(), is_floating(t.type) ? ck_tile::name_of(t.type) : name_of(type),
                                     name_of(type), name_of(found.type), option)};
    }
    if(found.lengths != t.shape.lengths)
    {
        return rejection{fmt::format("{}: the problem needs the shape ({}), found ({})", file.string(),
                                     fmt::join(t.shape.lengths, ", "), fmt::join(found.lengths, ", "))};
    }
    return {};
}

} // namespace

std::filesystem::path file_of(const tensor_info& t, const std::filesystem::path& folder)
{
    return folder / (std::string(t.name) + ".npy");
}

status check_tensor_file(const tensor_info& t, const std::filesystem::path& folder)
{
    const auto file                 = file_of(t, folder);
    const result<npy_header> header = read_npy_header(file);
    return header ? check_header(t, file, *header) : rejection{header.reason()};
}

result<std::vector<std::byte>> load_tensor(const tensor_info& t, const std::filesystem::path& folder)
{
    const auto file         = file_of(t, folder);
    result<npy_array> array = read_npy(file, [&](const npy_header& header) { return check_header(t, file, header); });
    if(!array)
        return array.verdict();
    const data_type type = t.type;
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

status dump_tensors(std::span<const host_tensor> tensors, const std::filesystem::path& folder)
{
    std::vector<new_file> files;
    for(const host_tensor& t : tensors)
    {
        if(!t.on_device() && t.elements.empty())
            continue;
        std::vector<std::byte> converted;
        const bool as_they_are = t.type != data_type::bf16 && (!t.elements.empty() || !is_floating(t.type));
        if(!as_they_are)
            converted = encode(t.type == data_type::bf16 ? data_type::fp32 : t.type, t.values());
        result<new_file> file =
            new_npy(file_of(t, folder), type_in_file(t.type), t.shape.lengths, as_they_are ? t.elements : converted);
        if(!file)
            return file.verdict();
        files.push_back(std::move(*file));
    }
    return new_file::put_in_place(files);
}

} // namespace ck_tile::harness

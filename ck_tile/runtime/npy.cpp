// SPDX-License-Identifier: MIT
// A .npy file is "\x93NUMPY", a version, the length of the header, the header (a Python dictionary), the elements.
#include "ck_tile/runtime/npy.hpp"

#include "ck_tile/runtime/files.hpp"
#include "ck_tile/runtime/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ck_tile
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view magic      = "\x93NUMPY";
constexpr std::size_t prefix_bytes    = 10; // magic, version, length of the header in 2 bytes (4 from version 2.0 on)
constexpr std::size_t alignment_bytes = 64; // of the first element, in files that NumPy and we write
constexpr std::size_t longest_header  = 1 << 16;

struct element
{
    npy_type type;
    const char* name;
    const char* descr;   // in headers: byte order, kind, bytes
    const char* letters; // that NumPy has for it
    std::size_t bytes;
};

constexpr element elements[] = {{npy_type::float16, "float16", "<f2", "e", 2},
                                {npy_type::float32, "float32", "<f4", "f", 4},
                                {npy_type::uint8, "uint8", "|u1", "B", 1},
                                {npy_type::int32, "int32", "<i4", "i", 4},
                                {npy_type::int64, "int64", "<i8", "ql", 8}};

const element& element_of(npy_type type)
{
    return *std::find_if(std::begin(elements), std::end(elements), [&](const element& e) { return e.type == type; });
}

// The element that a header describes, as numpy.dtype() understands it, or null: by its name, or by its kind and bytes or its letter
// behind a byte order. Without one, or with '=' or '|', the order is this machine's; of single bytes there is none.
const element* find_element(std::string_view descr)
{
    const auto* named =
        std::find_if(std::begin(elements), std::end(elements), [&](const element& e) { return descr == e.name; });
    if(named != std::end(elements))
        return named;
    const char order = descr.empty() ? '\0' : descr.front();
    if(std::string_view("<>=|").find(order) != std::string_view::npos)
        descr.remove_prefix(1);
    const auto* found = std::find_if(std::begin(elements), std::end(elements), [&](const element& e) {
        const bool is_letter = descr.size() == 1 && std::string_view(e.letters).find(descr) != std::string_view::npos;
        return is_letter || descr == std::string_view(e.descr).substr(1);
    });
    return found == std::end(elements) || (order == '>' && found->bytes > 1) ? nullptr : found;
}

rejection reject(const fs::path& path, std::string_view expected, std::string_view found)
{
    return {printable(fmt::format("{}: expected {}, found {}", path.string(), expected, found))};
}

// Reads the dictionary {'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }, its keys in any order. Each parser
// takes what it reads off the front of the text, or returns nothing where the text is something else.
class dictionary_reader
{
  public:
    explicit dictionary_reader(std::string_view text) : text_(text) {}

    bool take(char expected)
    {
        skip_spaces();
        if(text_.empty() || text_.front() != expected)
            return false;
        text_.remove_prefix(1);
        return true;
    }

    std::optional<std::string> take_string()
    {
        skip_spaces();
        if(text_.empty() || (text_.front() != '\'' && text_.front() != '"'))
            return {};
        const std::size_t end = text_.find(text_.front(), 1);
        if(end == std::string_view::npos)
            return {};
        std::string taken(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return taken;
    }

    std::optional<bool> take_bool()
    {
        skip_spaces();
        for(const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}})
        {
            if(text_.starts_with(word))
            {
                text_.remove_prefix(word.size());
                return value;
            }
        }
        return {};
    }

    std::optional<std::vector<std::int64_t>> take_tuple()
    {
        std::vector<std::int64_t> numbers;
        if(!take('('))
            return {};
        while(!take(')'))
        {
            skip_spaces();
            std::int64_t number     = 0;
            const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
            if(error != std::errc{} || number < 0)
                return {};
            text_.remove_prefix(end - text_.data());
            if(text_.starts_with('L')) // a long of Python 2
                text_.remove_prefix(1);
            numbers.push_back(number);
            if(!take(',') && !text_.starts_with(')'))
                return {};
        }
        return numbers;
    }

    bool at_end()
    {
        skip_spaces();
        return text_.empty();
    }

  private:
    void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }

    std::string_view text_;
};

struct dictionary
{
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
};

std::optional<dictionary> read_dictionary(std::string_view text)
{
    dictionary read;
    dictionary_reader reader(text);
    if(!reader.take('{'))
        return {};
    while(!reader.take('}'))
    {
        const std::optional<std::string> key = reader.take_string();
        if(!key || !reader.take(':'))
            return {};
        const bool known = *key == "descr"           ? (read.descr = reader.take_string()).has_value()
                           : *key == "fortran_order" ? (read.fortran_order = reader.take_bool()).has_value()
                           : *key == "shape"         ? (read.shape = reader.take_tuple()).has_value()
                                                     : false;
        if(!known)
            return {};
        if(!reader.take(','))
        {
            if(!reader.take('}'))
                return {};
            break;
        }
    }
    const bool complete = read.descr && read.fortran_order && read.shape && reader.at_end();
    return complete ? std::optional(read) : std::nullopt;
}

std::optional<std::size_t> checked_bytes(const std::vector<std::int64_t>& lengths, npy_type type)
{
    std::size_t bytes = element_of(type).bytes;
    if(std::find(lengths.begin(), lengths.end(), 0) != lengths.end())
        return 0;
    for(const std::int64_t length : lengths)
        if(__builtin_mul_overflow(bytes, static_cast<std::size_t>(length), &bytes))
            return {};
    return bytes;
}

result<npy_header> read_header(std::ifstream& file, const fs::path& path, std::size_t file_bytes)
{
    std::array<unsigned char, prefix_bytes + 2> prefix{};
    file.read(reinterpret_cast<char*>(prefix.data()), prefix_bytes);
    if(!file || !std::equal(magic.begin(), magic.end(), reinterpret_cast<const char*>(prefix.data())))
        return reject(path, "a NumPy .npy file", "a file that does not start like one");
    const int version = prefix[6];
    if(version < 1 || version > 3 || prefix[7] != 0)
        return reject(path, ".npy format 1.0, 2.0 or 3.0", fmt::format("{}.{}", version, prefix[7]));

    std::size_t header_bytes  = prefix[8] | prefix[9] << 8;
    std::size_t header_offset = prefix_bytes;
    if(version > 1)
    {
        file.read(reinterpret_cast<char*>(prefix.data()) + prefix_bytes, 2);
        header_bytes |= static_cast<std::size_t>(prefix[10]) << 16 | static_cast<std::size_t>(prefix[11]) << 24;
        header_offset += 2;
    }
    if(!file || header_offset + header_bytes > file_bytes || header_bytes > longest_header)
    {
        return reject(path, fmt::format("a header of at most {} bytes", longest_header),
                      fmt::format("one of {} bytes in a file of {} bytes", header_bytes, file_bytes));
    }

    std::string text(header_bytes, '\0');
    file.read(text.data(), static_cast<std::streamsize>(header_bytes));
    const std::optional<dictionary> header = file ? read_dictionary(text) : std::nullopt;
    if(!header)
    {
        return reject(path, "a header with a simple descr, fortran_order and shape",
                      "one that is not such a dictionary");
    }
    const element* known = find_element(*header->descr);
    if(known == nullptr)
    {
        return reject(path,
                      "an array of little-endian float16, float32, uint8, int32 or int64 ('<f2', '<f4', '|u1', '<i4' "
                      "or '<i8')",
                      fmt::format("'{}'", header->descr->substr(0, 16)));
    }

    const npy_type type                       = known->type;
    const std::optional<std::size_t> promised = checked_bytes(*header->shape, type);
    const std::size_t data_offset             = header_offset + header_bytes;
    if(!promised || *promised != file_bytes - data_offset)
    {
        return reject(path,
                      promised ? fmt::format("{} bytes of elements, as its shape says", *promised)
                               : std::string("a shape whose size fits 64 bits"),
                      fmt::format("{} bytes", file_bytes - data_offset));
    }
    return npy_header{type, *header->shape, *header->fortran_order, data_offset, *promised};
}

// Opens the file and reads its header; afterwards the elements are next.
result<npy_header> open_npy(std::ifstream& file, const fs::path& path)
{
    std::error_code error;
    if(!fs::is_regular_file(path, error))
        return reject(path, "a NumPy .npy file", fs::exists(path, error) ? "something else" : "no such file");
    const std::uintmax_t file_bytes = fs::file_size(path, error);
    file.open(path, std::ios::binary);
    if(error || !file)
        return reject(path, "a NumPy .npy file", "a file that cannot be read");
    return read_header(file, path, file_bytes);
}

// The elements of an array in Fortran order, its first index fastest, in C order.
std::vector<std::byte> in_c_order(const npy_array& fortran)
{
    const std::size_t bytes = element_of(fortran.type).bytes, rank = fortran.lengths.size();
    std::vector<std::size_t> index(rank), strides(rank); // bytes
    for(std::size_t d = 0, stride = bytes; d < rank; stride *= static_cast<std::size_t>(fortran.lengths[d++]))
        strides[d] = stride;
    std::vector<std::byte> data(fortran.data.size());
    std::size_t from = 0;
    for(std::size_t to = 0; to < data.size(); to += bytes)
    {
        std::memcpy(&data[to], &fortran.data[from], bytes);
        for(std::size_t d = rank; d-- > 0;)
        {
            from += strides[d];
            if(++index[d] < static_cast<std::size_t>(fortran.lengths[d]))
                break;
            from -= strides[d] * std::exchange(index[d], 0);
        }
    }
    return data;
}

} // namespace

const char* name_of(npy_type type) { return element_of(type).name; }

result<npy_header> read_npy_header(const fs::path& path)
{
    std::ifstream file;
    return open_npy(file, path);
}

result<npy_array> read_npy(const fs::path& path, const std::function<status(const npy_header&)>& accept)
{
    std::ifstream file;
    result<npy_header> header = open_npy(file, path);
    if(!header)
        return rejection{header.reason()};
    if(status accepted = accept ? accept(*header) : status(); !accepted)
        return accepted;
    npy_array array{header->type, header->lengths, std::vector<std::byte>(header->data_bytes)};
    if(!file.read(reinterpret_cast<char*>(array.data.data()), static_cast<std::streamsize>(array.data.size())))
        return reject(path, fmt::format("{} bytes of elements", array.data.size()), "fewer that can be read");
    // Where at most one index has more than one value, the orders are the same.
    if(header->fortran_order &&
       std::count_if(array.lengths.begin(), array.lengths.end(), [](auto n) { return n > 1; }) > 1)
        array.data = in_c_order(array);
    return array;
}

result<new_file> new_npy(const fs::path& path, npy_type type, const std::vector<std::int64_t>& lengths,
                         std::span<const std::byte> data)
{
    const std::optional<std::size_t> bytes = checked_bytes(lengths, type);
    if(bytes != data.size())
    {
        return rejection{fmt::format("{}: the data must have as many bytes as the shape says, but has {}",
                                     path.string(), data.size())};
    }

    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (", element_of(type).descr);
    for(const std::int64_t length : lengths)
        header += fmt::format("{},", length); // a comma after the last one too: (3) is no tuple
    header += "), }";
    const std::size_t unpadded = prefix_bytes + header.size() + 1;
    header.append((alignment_bytes - unpadded % alignment_bytes) % alignment_bytes, ' ');
    header += '\n';
    if(header.size() > std::numeric_limits<std::uint16_t>::max())
    {
        return rejection{
            fmt::format("{}: {} dimensions are too many for a .npy header", path.string(), lengths.size())};
    }

    const std::string start = fmt::format("{}\x01{}{}{}", magic, '\0', static_cast<char>(header.size() & 0xff),
                                          static_cast<char>(header.size() >> 8));
    return new_file::write(path, {std::as_bytes(std::span(start)), std::as_bytes(std::span(header)), data});
}

status write_npy(const fs::path& path, npy_type type, const std::vector<std::int64_t>& lengths,
                 std::span<const std::byte> data)
{
    result<new_file> written = new_npy(path, type, lengths, data);
    return written ? written->put_in_place() : written.verdict();
}

} // namespace ck_tile

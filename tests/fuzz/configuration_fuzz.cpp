// SPDX-License-Identifier: MIT
// Configurations as JSON: read, or rejected with a reason; check() says of any of them whether it is legal, and what has been read is the
// same when it is written and read again.
#include "ck_tile/reflect/json.hpp"
#include "ops/grouped_conv_conv_fwd/describe.hpp"
#include "ops/grouped_conv_fwd/describe.hpp"
#include "ops/maxpool_bwd/describe.hpp"

#include <cstdlib>
#include <string_view>

namespace
{

template <class Config>
void read(const ck_tile::reflect::json& from)
{
    const auto c = ck_tile::reflect::from_json<Config>(from, "configuration");
    if(!c)
    {
        if(c.reason().empty())
            std::abort();
        return;
    }
    if(const ck_tile::violation broken = check(*c); broken && *broken.rule == 0)
        std::abort();
    const auto written = ck_tile::reflect::to_json(*c);
    const auto again   = ck_tile::reflect::from_json<Config>(written, "configuration");
    if(!again || ck_tile::reflect::to_json(*again) != written)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if(text.size() > 4096)
        return 0;
    const auto parsed = ck_tile::reflect::json::parse(text, nullptr, false);
    if(parsed.is_discarded())
        return 0;
    read<ck_tile::grouped_conv_fwd::config>(parsed);
    read<ck_tile::grouped_conv_conv_fwd::config>(parsed);
    read<ck_tile::maxpool_bwd::config>(parsed);
    return 0;
}

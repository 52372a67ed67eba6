// SPDX-License-Identifier: MIT
// Draws what the name of an instance says: who copies which element of an operand, where it lies in LDS, which lanes meet in a bank there,
// who holds the accumulators.
#include "ck_tile/reflect/draw.hpp"
#include "ck_tile/reflect/text.hpp"
#include "ops/grouped_conv_bwd_data/describe.hpp"
#include "ops/grouped_conv_bwd_weight/describe.hpp"
#include "ops/grouped_conv_conv_fwd/describe.hpp"
#include "ops/grouped_conv_fwd/describe.hpp"

#include <CLI/CLI.hpp>

#include <fstream>
#include <functional>

namespace
{

using namespace ck_tile;

struct operand
{
    distribution copy, writer, fragments; // from memory; as it is stored in LDS; as it is loaded from there
    majorness in_lds;
    int rows;
};

// A configuration's matrix product, of whatever operation.
struct block_product
{
    gemm::shape shape;
    operand a, b;
};

operand operand_of(const gemm::tile_config& tile, const gemm::operand_memory& m, bool is_a)
{
    const gemm::shape s     = tile.shape();
    const int rows          = is_a ? s.m : s.n * s.inst().blocks;
    const majorness in_lds  = gemm::with_traits(tile.pipeline, [&](auto traits) { return traits.in_lds(m.major); });
    const distribution copy = gemm::tiled_copy(tile, rows, m.major, m.vector);
    // Main loops through registers store along k what they load in narrower vectors, too.
    const bool through_registers =
        tile.pipeline == gemm::pipeline::single_buffer || tile.pipeline == gemm::pipeline::double_buffer;
    return {copy, through_registers || in_lds != m.major ? gemm::along_k(copy) : copy,
            is_a ? gemm::a_fragments(s) : gemm::b_fragments(s), in_lds, rows};
}

template <class Config>
block_product product_of(const Config& c)
{
    return {c.tile.shape(), operand_of(c.tile, c.access().a, true), operand_of(c.tile, c.access().b, false)};
}
// Of two convolutions: the second one's. A is computed from a halo of X, which is copied, and B are its weights.
block_product product_of(const grouped_conv_conv_fwd::config& c)
{
    const gemm::shape s = c.shape();
    return {s,
            {c.in_copy(), c.rows(s.k), gemm::a_fragments(s), majorness::k, s.m},
            {c.wei1_copy(), gemm::along_k(c.wei1_copy()), gemm::b_fragments(s), majorness::k, s.n}};
}

template <bool IsA>
const operand& operand_of(const block_product& p)
{
    return IsA ? p.a : p.b;
}

// draw(layout) of the operand in LDS.
template <class Draw>
picture in_lds(const block_product& p, const operand& o, Draw&& draw)
{
    const gemm::shape& s = p.shape;
    if(s.inst().operands == operand_source::lds)
        return o.in_lds == majorness::k ? draw(swizzled_128b<majorness::k>{o.rows, s.k})
                                        : draw(swizzled_128b<majorness::mn>{o.rows, s.k});
    return draw(free_of_conflicts(o.rows, s.k, bytes_of(s.type()), o.writer, o.fragments));
}

struct subject
{
    const char *name, *help;
    std::function<picture(const block_product&, const crop_box&)> draw;
};

template <bool IsA>
subject copy_of(const char* name)
{
    return {name, "who copies which element of the operand [rows, k]; a computed one: of what it is of",
            [](const block_product& p, const crop_box& crop) { return draw(operand_of<IsA>(p).copy, crop); }};
}
template <bool IsA>
subject banks_of(const char* name)
{
    return {name, "the banks of LDS that the operand lies in", [](const block_product& p, const crop_box& crop) {
                return in_lds(p, operand_of<IsA>(p),
                              [&](const auto& layout) { return draw(layout, bytes_of(p.shape.type()), crop); });
            }};
}
template <bool IsA, lds_direction Direction>
subject access_of(const char* name)
{
    return {name,
            Direction == lds_direction::write ? "the lanes that store at once"
                                              : "the lanes that load fragments at once",
            [](const block_product& p, const crop_box&) {
                const operand& o = operand_of<IsA>(p);
                return in_lds(p, o, [&](const auto& layout) {
                    return draw_access(Direction == lds_direction::write ? o.writer : o.fragments, layout,
                                       bytes_of(p.shape.type()), Direction);
                });
            }};
}

const std::vector<subject>& subjects()
{
    static const std::vector<subject> all = {
        {"accumulators", "who holds which element of the result", // in fragments, one below the other
         [](const block_product& p, const crop_box& crop) { return draw(gemm::accumulator(p.shape), crop); }},
        copy_of<true>("a_copy"),
        copy_of<false>("b_copy"),
        banks_of<true>("a_banks"),
        banks_of<false>("b_banks"),
        access_of<true, lds_direction::write>("a_stores"),
        access_of<false, lds_direction::write>("b_stores"),
        access_of<true, lds_direction::read>("a_loads"),
        access_of<false, lds_direction::read>("b_loads")};
    return all;
}

template <class Config>
bool read(std::string_view operation, const std::string& name, result<block_product>& found)
{
    if(!name.starts_with(operation))
        return false;
    const result<Config> c = reflect::parse_instance_name<Config>(operation, name);
    if(!c)
        found = rejection{c.reason()};
    else if(const violation v = check(*c))
        found = rejection{reflect::describe(v)};
    else
        found = product_of(*c);
    return true;
}

result<block_product> block_product_of(const std::string& name)
{
    result<block_product> found = rejection{fmt::format(
        "the instance must be one of grouped_conv_fwd, grouped_conv_bwd_data, grouped_conv_bwd_weight or "
        "grouped_conv_conv_fwd, but its name is '{}': name one that --instance list of their programs shows",
        name)};
    read<grouped_conv_fwd::config>("grouped_conv_fwd", name, found) ||
        read<grouped_conv_bwd_data::config>("grouped_conv_bwd_data", name, found) ||
        read<grouped_conv_bwd_weight::config>("grouped_conv_bwd_weight", name, found) ||
        read<grouped_conv_conv_fwd::config>("grouped_conv_conv_fwd", name, found);
    return found;
}

} // namespace

int main(int argc, char** argv)
{
    std::string help =
        "Draws the layouts of an instance of a dense convolution, or of two in one kernel.\n\n  --what is one of\n";
    for(const subject& s : subjects())
        help += fmt::format("    {:<13} {}\n", s.name, s.help);
    CLI::App app(help, "ck_tile_draw");
    std::string name, what = "accumulators", format = "text", output;
    crop_box crop;
    app.add_option("instance", name, "its name")->required();
    app.add_option("--what", what, "as above")->capture_default_str();
    app.add_option("--format", format, "text or svg")->capture_default_str()->check(CLI::IsMember({"text", "svg"}));
    app.add_option("--first-row", crop.first[0], "of what is drawn")->check(CLI::NonNegativeNumber);
    app.add_option("--first-col", crop.first[1], "of what is drawn")->check(CLI::NonNegativeNumber);
    app.add_option("--rows", crop.rows, "that are drawn, at most")->capture_default_str()->check(CLI::Range(1, 1024));
    app.add_option("--cols", crop.cols, "that are drawn, at most")->capture_default_str()->check(CLI::Range(1, 1024));
    app.add_option("--output", output, "file to write to, in place of standard output");
    CLI11_PARSE(app, argc, argv);

    const auto fail = [](const std::string& why) {
        fmt::print(stderr, "ck_tile_draw: {}\n", why);
        return 2;
    };
    const auto chosen = std::ranges::find_if(subjects(), [&](const subject& s) { return s.name == what; });
    if(chosen == subjects().end())
        return fail(fmt::format("--what must be something that is drawn, but is '{}': see --help", what));
    const result<block_product> p = block_product_of(name);
    if(!p)
        return fail(p.reason());
    const picture drawn    = chosen->draw(*p, crop);
    const std::string text = format == "svg" ? to_svg(drawn) : to_text(drawn);
    if(output.empty())
        fmt::print("{}", text);
    else if(!(std::ofstream(output) << text).flush())
        return fail(fmt::format("{} cannot be written: choose another path", output));
    return 0;
}

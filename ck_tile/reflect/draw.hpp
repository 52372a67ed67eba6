// SPDX-License-Identifier: MIT
// Pictures of layouts, as text and as SVG: who holds which element of a tile, where a layout puts it in LDS and which lanes meet in
// a bank, where a view has it in memory, what of a view a window sees, and who accesses it.
//
//   fmt::print("{}", to_text(draw(my_distribution)));
//   fmt::print("{}", to_svg(draw_access(my_distribution, my_layout, sizeof(fp16), lds_direction::read)));
#pragma once

#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ck_tile
{

// A grid of rows and columns with cells in it, of one row and one or more columns each.
struct picture
{
    struct cell
    {
        int row, col, cols;
        std::string label;
        int hue;             // 0 and up: alike cells have the same; -1: nothing is there
        bool struck = false; // what costs something: drawn with a frame, and in text with a star
    };
    std::string caption;
    int rows, cols;
    std::vector<cell> cells;
};

// The part of a tile that is drawn: `rows` and `cols` from `first` on, as far as the tile goes.
struct crop_box
{
    multi_index<2> first = {0, 0};
    int rows = 32, cols = 64;
};

namespace detail
{
// Cells next to each other in a row that are alike, as one.
inline void merge_alike(picture& p)
{
    std::vector<picture::cell> merged;
    for(picture::cell& c : p.cells)
    {
        picture::cell* last = merged.empty() ? nullptr : &merged.back();
        if(last != nullptr && last->row == c.row && last->col + last->cols == c.col && last->label == c.label &&
           last->hue == c.hue && last->struck == c.struck)
            last->cols += c.cols;
        else
            merged.push_back(std::move(c));
    }
    p.cells = std::move(merged);
}

inline std::string escaped(std::string_view text)
{
    std::string safe;
    for(const char c : text)
        safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return safe;
}

// A picture of lengths[0] x lengths[1] elements, of which label_and_hue(row, col) says what they are.
template <class F>
picture draw_elements(std::string caption, const multi_index<2>& lengths, const crop_box& crop, F&& describe)
{
    picture p{std::move(caption),
              std::clamp(lengths[0] - crop.first[0], 0, crop.rows),
              std::clamp(lengths[1] - crop.first[1], 0, crop.cols),
              {}};
    for(int i = 0; i < p.rows; ++i)
        for(int j = 0; j < p.cols; ++j)
        {
            const auto [label, hue] = describe(crop.first[0] + i, crop.first[1] + j);
            p.cells.push_back({i, j, 1, label, hue});
        }
    return p;
}
} // namespace detail

// Who holds each element of a tile of one or two dimensions: `wave.lane.register`, in the colour of the wave, or, where one wave alone is
// drawn, of lanes; vectors as one cell. Of elements that several threads hold, the first; a tile of one dimension in rows of `crop.cols`.
inline picture draw(const distribution& d, const crop_box& crop = {})
{
    const bool line          = d.length(1) == 1 && d.length(2) == 1;
    const int cols           = line ? std::min(crop.cols, d.length(0)) : d.length(1);
    const multi_index<2> all = {line ? (d.length(0) + cols - 1) / cols : d.length(0), cols};
    std::map<multi_index<2>, slot,
             decltype([](const auto& x, const auto& y) { return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1]; })>
        owners;
    for(int wave = 0; wave < d.waves(); ++wave)
        for(int lane = 0; lane < d.lanes(); ++lane)
            for(int reg = 0; reg < d.regs(); ++reg)
                for(int vec = 0; vec < d.vecs(); ++vec)
                {
                    const slot own = {.wave = wave, .lane = lane, .reg = reg, .vec = vec};
                    const int at   = d.locate(0, own);
                    if(d.locate(2, own) == 0)
                        owners.try_emplace(line ? multi_index{at / cols, at % cols} : multi_index{at, d.locate(1, own)},
                                           own);
                }
    bool several = false; // waves
    for(const auto& [at, owner] : owners)
        several |= owner.wave != owners.begin()->second.wave && at[0] >= crop.first[0] && at[1] >= crop.first[1] &&
                   at[0] < crop.first[0] + crop.rows && at[1] < crop.first[1] + crop.cols;
    picture p = detail::draw_elements(
        fmt::format("{} waves of {} lanes, {} registers of {} elements: wave.lane.register of each element", d.waves(),
                    d.lanes(), d.regs(), d.vecs()),
        all, crop, [&](int i, int j) {
            const auto owner = owners.find(multi_index{i, j});
            if(owner == owners.end())
                return std::pair(std::string("-"), -1);
            const slot& own = owner->second;
            return std::pair(fmt::format("{}.{}.{}", own.wave, own.lane, own.reg),
                             several ? own.wave : own.lane * 8 / d.lanes());
        });
    detail::merge_alike(p);
    return p;
}

// The banks of LDS in which a layout has each element of a tile, of planes the first, one for each 4 bytes: the first of each 16 bytes that stay
// together.
template <class Layout>
requires requires(const Layout& layout) { layout.map(), layout.rows, layout.cols; }
picture draw(const Layout& layout, int element_bytes, const crop_box& crop = {})
{
    const auto chain = layout.map();
    const auto at    = [](int i, int j) {
        if constexpr(Layout::rank == 3)
            return multi_index{0, i, j};
        else
            return multi_index{i, j};
    };
    picture p =
        detail::draw_elements(fmt::format("{} x {} elements of {} bytes in LDS: the first bank of each 16 bytes",
                                          layout.rows, layout.cols, element_bytes),
                              {layout.rows, layout.cols}, crop, [&](int i, int j) {
                                  const int byte = chain(at(i, j)).offset * element_bytes;
                                  const int bank =
                                      byte % lds_cycle_bytes / lds_chunk_bytes * (lds_chunk_bytes / lds_bank_bytes);
                                  return std::pair(fmt::format("{}", bank), bank / (lds_chunk_bytes / lds_bank_bytes));
                              });
    detail::merge_alike(p);
    return p;
}

// The first access of wave 0 to a tile in LDS: each row is 128 bytes of LDS that some lanes ask for, all banks side by side, and has these lanes, in the
// colour of the group that is served at once. Lanes that wait, as others of their group ask for other words of their bank, are struck.
template <class Layout>
picture draw_access(const distribution& d, const Layout& layout, int element_bytes, lds_direction direction)
{
    const int run        = lds_run(d, layout, element_bytes);
    const lds_access one = {run * element_bytes, d.lanes(), direction};
    const auto byte_of   = [&](int lane) { return lds_byte_of(d, {.lane = lane}, layout, element_bytes); };
    const int cell_bytes = std::max(one.bytes, lds_bank_bytes);
    const lds_cost cost  = cost_of_access(one, byte_of);
    picture p{fmt::format("{} bytes a lane, {} lanes at once: {} cycles, of at least {}; rows are 128 bytes of LDS, "
                          "with the lanes that {}",
                          one.bytes, one.lanes_at_once(), cost.cycles, cost.least,
                          direction == lds_direction::read ? "read" : "write"),
              0,
              lds_cycle_bytes / cell_bytes,
              {}};
    std::map<std::pair<int, int>, picture::cell> cells; // by line and column
    for(int group = 0; group < one.groups(); ++group)
    {
        std::map<int, int> line_in_bank; // of the first lane that asks for it
        for(int i = 0; i < one.lanes_at_once(); ++i)
        {
            const int lane = one.lane_of(group, i), byte = byte_of(lane);
            const int line = byte / lds_cycle_bytes, col = byte % lds_cycle_bytes / cell_bytes;
            const bool waits = line_in_bank.try_emplace(col, line).first->second != line;
            auto& cell       = cells.try_emplace({line, col}, picture::cell{line, col, 1, "", group}).first->second;
            cell.label += fmt::format("{}{}", cell.label.empty() ? "" : " ", lane);
            cell.struck |= waits;
        }
    }
    // Of the lines that are asked for.
    for(auto next = cells.begin(); next != cells.end(); ++p.rows)
    {
        const int line = next->first.first;
        for(int col = 0; col < p.cols; ++col)
        {
            const auto found = cells.find({line, col});
            p.cells.push_back(found == cells.end() ? picture::cell{line, col, 1, "", -1} : found->second);
            p.cells.back().row = p.rows;
        }
        next = cells.lower_bound({line + 1, 0});
    }
    return p;
}

// Where each element of a view of two dimensions is in memory, in elements; `-` where there is none, as in padding. What a window of
// `lengths` at `origin` sees of it has another colour than the rest.
template <class T, class Map>
picture draw(const tensor_view<T, Map>& view, const multi_index<2>& origin, const multi_index<2>& lengths,
             const crop_box& crop = {})
{
    const multi_index<2> all = view.map.lengths();
    const multi_index<2> end = {std::max(all[0], origin[0] + lengths[0]), std::max(all[1], origin[1] + lengths[1])};
    return detail::draw_elements("where each element is in memory", end, crop, [&](int i, int j) {
        const bool seen = i >= origin[0] && i < origin[0] + lengths[0] && j >= origin[1] && j < origin[1] + lengths[1];
        const auto at   = view.map({i, j});
        const bool there =
            i < all[0] && j < all[1] && exists(at, view.map.limits()) && at.offset >= 0 && at.offset < view.elements;
        return std::pair(there ? fmt::format("{}", at.offset) : std::string("-"), seen ? 1 : there ? 0 : -1);
    });
}
template <class T, class Map>
picture draw(const tensor_view<T, Map>& view, const crop_box& crop = {})
{
    return draw(view, {0, 0}, {0, 0}, crop);
}

// What a window over a view accesses, by the places of its tile, of one or two dimensions: where each element is in memory, in elements, `-`
// where there is none; in the colour of the wave that accesses it, or, where there is one wave, of lanes; of
// several, the first. Of dimensions along which the view repeats, one element.
template <class T, class Map, distribution D>
picture draw(const window<T, Map, D>& w, const crop_box& crop = {})
{
    constexpr distribution read = window<T, Map, D>::read;
    static_assert(read.length(2) == 1, "draw: a picture has two dimensions, and the window's tile three");
    const bool line          = read.length(1) == 1;
    const int cols           = line ? std::min(crop.cols, read.length(0)) : read.length(1);
    const multi_index<2> all = {line ? (read.length(0) + cols - 1) / cols : read.length(0), cols};
    std::vector<std::pair<std::string, int>> cells(static_cast<std::size_t>(all[0] * all[1]), {"-", -1});
    for_each_thread<read>([&](thread t) {
        w.each_access(t, [&](int r, unsigned byte_offset) {
            for(int v = 0; v < read.vecs() && byte_offset != nowhere; ++v)
            {
                const auto at    = coordinates<read, 2>(t, r, v);
                const int number = line ? at[0] : at[0] * cols + at[1];
                auto& cell       = cells[static_cast<std::size_t>(number)];
                if(cell.second < 0)
                    cell = {fmt::format("{}", byte_offset / sizeof(T) + unsigned(v)),
                            read.waves() > 1 ? t.wave : t.lane * 8 / read.lanes()};
            }
        });
    });
    return detail::draw_elements(
        fmt::format("{} accesses of {} elements a thread: where each element is in memory", read.regs(), read.vecs()),
        all, crop, [&](int i, int j) { return cells[static_cast<std::size_t>(i * cols + j)]; });
}

// One line for each row, cells as wide as the longest label; a star is what is struck.
inline std::string to_text(const picture& p)
{
    std::size_t width = 1;
    for(const picture::cell& c : p.cells)
        width = std::max(width, (c.label.size() + c.struck + c.cols - 1) / c.cols);
    std::string text = p.caption + "\n";
    for(std::size_t i = 0; i < p.cells.size(); ++i)
    {
        const picture::cell& c  = p.cells[i];
        const bool last         = i + 1 == p.cells.size() || p.cells[i + 1].row != c.row;
        const std::string label = (c.label.empty() ? "." : c.label) + (c.struck ? "*" : "");
        text += last ? label + "\n" : fmt::format("{:<{}} ", label, c.cols * (width + 1) - 1);
    }
    return text;
}

// A picture by itself, on a background of its own, with colours that the colour-blind tell apart (Okabe and Ito, 2008, lightened).
inline std::string to_svg(const picture& p)
{
    constexpr const char* colours[] = {"#cfe3f5", "#fbe3b5", "#c9ead9", "#f6d3e2",
                                       "#fff6b8", "#d7ecfb", "#f8cdb6", "#e2e2e2"};
    constexpr int height = 22, letter = 7, margin = 8, title = 26;
    int width = 1; // of a column
    for(const picture::cell& c : p.cells)
        width = std::max(width, (int(c.label.size()) * letter + 8 + c.cols - 1) / c.cols);
    width          = std::max(width, 6);
    const int wide = std::max(p.cols * width, int(p.caption.size()) * letter), total = 2 * margin + wide;
    const int high = title + p.rows * height + 2 * margin;
    std::string svg =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                    "font-family=\"DejaVu Sans Mono, Consolas, monospace\" font-size=\"11\">\n"
                    "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
                    "<text x=\"{2}\" y=\"{3}\">{4}</text>\n",
                    total, high, margin, margin + 11, detail::escaped(p.caption));
    for(const picture::cell& c : p.cells)
    {
        const int x = margin + c.col * width, y = margin + title - 8 + c.row * height;
        svg += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n", x,
            y, c.cols * width, height, c.hue < 0 ? "white" : colours[c.hue % std::size(colours)],
            c.struck ? "#c03000" : "#909090", c.struck ? 2 : 0.5);
        if(!c.label.empty())
            svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x + c.cols * width / 2,
                               y + 15, detail::escaped(c.label));
    }
    return svg + "</svg>\n";
}

} // namespace ck_tile

// SPDX-License-Identifier: MIT
#include "ops/grouped_conv/selection.hpp"

#include "ck_tile/core/gather_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ck_tile::conv
{

bool is_pointwise(const problem& p)
{
    for(std::size_t d = 0; d < static_cast<std::size_t>(p.spatial); ++d)
        if(p.filter[d] != 1 || p.stride[d] != 1 || p.left_pad[d] != 0 || p.right_pad[d] != 0)
            return false;
    return true;
}

namespace
{

void need_pointwise(status& rules, const problem& p, int pixels, int channels)
{
    if(p.layout != layout::ngchw)
        rules.also(rejection{
            fmt::format("the instance has pixels as columns, which {} does not have side by side: choose one of 1 to 3 "
                        "spatial dimensions, or ngchw",
                        name_of(p.layout))});
    if(!is_pointwise(p))
        rules.also(rejection{"the instance is pointwise, and the problem has a filter or stride other than 1, or "
                             "pads: choose one of 1 to 3 spatial dimensions"});
    const auto need_multiple = [&](const char* what, std::int64_t number, int vector) {
        if(number % vector != 0)
            rules.also(rejection{
                fmt::format("{} must be a multiple of {} to be moved so many at a time, but there are {}: choose an "
                            "instance of 1 to 3 spatial dimensions",
                            what, vector, number)});
    };
    need_multiple("pixels of an image", p.output_pixels(), pixels);
    need_multiple("C", p.c, channels);
}

} // namespace

void need_dimensions(status& rules, int instance, const problem& p, int pixels, int channels)
{
    if(instance == 0)
        need_pointwise(rules, p, pixels, channels);
    else if(p.spatial > instance)
        rules.also(rejection{fmt::format(
            "the instance has {} spatial dimensions, the problem {}: choose one with as many", instance, p.spatial)});
}

void need_short_filter(status& rules, int instance, const problem& p, int vector)
{
    if(vector == 1 || instance == 1)
        return;
    // Instances of more dimensions have filters of length 1 in front.
    const int in_front = std::max(instance - p.spatial, 0);
    const auto sum     = std::accumulate(p.filter.begin(), p.filter.begin() + p.spatial, std::int64_t{0});
    if(sum + in_front > gather_bits)
        rules.also(
            rejection{fmt::format("filter lengths must add up to {} at most for vectors, but are {}: choose an "
                                  "instance of {}",
                                  gather_bits - in_front, sum,
                                  p.spatial == 1 ? "1 spatial dimension, or of vector width 1" : "vector width 1")});
}

void need_view_of_weights(status& rules, const problem& p, int element_bytes)
{
    if(const std::int64_t bytes = p.k * row_length(p) * element_bytes; bytes > range_bytes)
        rules.also(
            rejection{fmt::format("one group's weights span {} bytes, more than the {} that a view can: split K in "
                                  "several calls",
                                  bytes, range_bytes)});
}

namespace
{

// Images that `rows` rows touch at most, of `per_image` each at least.
std::int64_t images_touched(const problem& p, std::int64_t rows, std::int64_t per_image)
{
    return std::min(std::max<std::int64_t>(p.batch, 1), ceil_div(rows, per_image) + 1);
}

} // namespace

void need_view_of_images(status& rules, const problem& p, std::int64_t rows, std::int64_t per_image)
{
    const std::int64_t touched = images_touched(p, rows, per_image);
    if(images_per_view(p) < touched)
        rules.also(
            rejection{fmt::format("a tile touches {} images of {} groups, which span more than the {} bytes that a "
                                  "view can: run the groups in several calls, or choose a smaller tile",
                                  touched, p.groups, range_bytes)});
}

void need_blocks(status& rules, std::int64_t tiles)
{
    if(tiles > max_blocks)
        rules.also(rejection{
            fmt::format("{} tiles are more than the {} blocks of a launch: choose a larger tile", tiles, max_blocks)});
}

bool partials_fit(const problem& p, std::int64_t rows, std::int64_t per_image, std::int64_t image_elements)
{
    return range_bytes / static_cast<std::int64_t>(sizeof(float)) / std::max<std::int64_t>(image_elements, 1) >=
           images_touched(p, rows, per_image);
}

status check_pointwise(int spatial, int splits)
{
    if(spatial == 0 && splits > 1)
        return rejection{fmt::format(
            "the instance is pointwise and does not split the reduction, and split-k is {}: choose 1 or auto", splits)};
    return {};
}

status check_partials(int splits, bool fit)
{
    if(splits > 1 && !fit)
        return rejection{fmt::format(
            "split-k {} needs partial sums of whole images, and those that a tile touches span more than the "
            "{} bytes that a view can: choose 1, or auto",
            splits, range_bytes)};
    return {};
}

status check_splits(int splits, std::int64_t tiles, std::int64_t steps)
{
    if(splits > std::max<std::int64_t>(steps, 1))
        return rejection{
            fmt::format("split-k {} is more than the {} steps of the main loop that there are to split: choose "
                        "fewer, or auto",
                        splits, steps)};
    return check_launch(std::max(splits, 1), tiles);
}

status check_launch(std::int64_t splits, std::int64_t tiles)
{
    if(tiles > max_blocks / splits)
        return rejection{
            fmt::format("{} tiles x {} splits are more than the {} blocks of a launch: choose a smaller split-k", tiles,
                        splits, max_blocks)};
    return {};
}

namespace
{

// Steps that a tile takes beside the main loop, more or less; less where others of the block hide that.
double steps_beside(const gemm::tile_config& tile) { return gemm::is_persistent(tile.pipeline) ? 2.5 : 8; }

// What so many steps of the main loop, one after the other, take a compute unit.
double cost_of_steps(const gemm_work& work, double steps)
{
    const gemm::tile_config& tile = work.tile;
    const double matrix = tile.block.m * tile.block.n, all = steps * work.at_once * tile.block.k;
    // Where waves have roles, products and copies overlap, and memory may take longer than either: fitted to 620 plans of the three
    // directions, of tiles of 64 x 128 to 256 x 128, on an H200 (7% off on average).
    if(gemm::is_persistent(tile.pipeline))
    {
        constexpr double product = 1.3e-7, row = 1.55e-5, sharp = 5; // microseconds
        const double of_copies =
            gemm::takes_boxes(tile.pipeline) ? 0.995 : 1; // of tiles that are equal else, those that take boxes
        const double step = of_copies * (product * matrix + row * (tile.block.m + tile.block.n));
        return std::pow(std::pow(microsecond * step * all, sharp) + std::pow(byte_of_memory * work.bytes, sharp),
                        1 / sharp);
    }
    // Threads issue loads and stores by their width, and instructions of the matrix unit. In units that compare instances.
    constexpr double threads_move = 2.4, transposed_store = 1.25; // steps more
    const double memory =
                     tile.block.m * (1 + 8.0 / work.access.a.vector) + tile.block.n * (1 + 8.0 / work.access.b.vector),
                 store = work.rows == gemm_rows::pixels ? 0 : transposed_store;
    return threads_move * all * (matrix / 64 + memory) *
           (1 + store / (static_cast<double>(work.blocks.front().steps) + steps_beside(tile)));
}

} // namespace

schedule make_schedule(const device& dev, const gemm::tile_config& tile, int at_once, std::int64_t tiles,
                       std::int64_t steps, const split_choice& choice, std::int64_t columns)
{
    const std::int64_t running = std::int64_t(dev.compute_units()) * at_once, fewer = running - running % columns;
    if(choice.shares != 1)
        return schedule::of_shares(tiles, static_cast<int>(running), steps, choice.shares);
    const bool each    = !gemm::is_persistent(tile.pipeline) || tiles <= running,
               as_soon = fewer > 0 && ceil_div(tiles, fewer) == ceil_div(tiles, running);
    return schedule::of_whole_tiles(tiles,
                                    static_cast<int>(each      ? tiles
                                                     : as_soon ? fewer
                                                               : running),
                                    steps, choice.longest_first && columns == 1);
}

bool keeps_weights(const gemm::tile_config& tile, const problem& p, int splits, std::int64_t steps)
{
    return splits == 1 && p.groups == 1 && tile.stages % steps == 0;
}

namespace
{

// What the blocks take, the longest of them first, `splits` times split, each `beside` more than its steps; `slots` run at once, and take
// turns as those of stream_k do where tiles differ. In steps.
double makespan(const std::vector<equal_blocks>& blocks, std::int64_t splits, std::int64_t slots, double beside)
{
    constexpr std::int64_t looked_at = 8; // turns; of more, the differences even out
    const auto taken                 = [&](const equal_blocks& b) {
        return static_cast<double>(ceil_div(b.steps, splits)) * b.of_step + beside;
    };
    double work        = 0;
    std::int64_t count = 0;
    for(const equal_blocks& b : blocks)
    {
        work += taken(b) * static_cast<double>(b.count * splits);
        count += b.count * splits;
    }
    if(blocks.size() == 1)
        return taken(blocks.front()) * static_cast<double>(ceil_div(count, slots));
    if(count > looked_at * slots)
        return work / static_cast<double>(slots) + taken(blocks.back());
    const schedule in_turn = schedule::of_whole_tiles(count, static_cast<int>(slots), 1, true);
    std::vector<double> of_number;
    for(const equal_blocks& b : blocks)
        of_number.insert(of_number.end(), static_cast<std::size_t>(b.count * splits), taken(b));
    std::vector<double> of_slot(static_cast<std::size_t>(slots));
    for(std::int64_t number = 0; number < count; ++number)
        of_slot[static_cast<std::size_t>(number % slots)] +=
            of_number[static_cast<std::size_t>(in_turn.share<true>(static_cast<int>(number)).tile)];
    return *std::max_element(of_slot.begin(), of_slot.end());
}

// What becomes of tiles of so many steps that do not come out even for the `slots` blocks that run at once, if blocks share them; what that
// takes is counted in steps, and infinite where they cannot. `cached`: see fits_cache().
split_choice choose_shares(const gemm::tile_config& tile, std::int64_t tiles, std::int64_t steps, std::int64_t slots,
                           bool cached)
{
    constexpr std::int64_t most = 4, least = 8; // shares of a tile; steps of a share
    // Steps: to leave the sums of a share, as all blocks do at once, and to add those of one.
    constexpr double leave = 7, add = 4, second_launch = 6;
    const double beside     = steps_beside(tile);
    const std::int64_t rest = tiles % slots;
    split_choice best       = {1, 1, std::numeric_limits<double>::infinity()};
    if(!gemm::is_persistent(tile.pipeline) || tile.epilogue != gemm::epilogue::by_wave || rest == 0 ||
       (rest + 1) * steps > std::numeric_limits<std::int32_t>::max())
        return best;
    const auto consider = [&](std::int64_t share, int shares, std::int64_t tiles_of_share) {
        const double added = add * static_cast<double>(ceil_div(steps, share) + tiles_of_share - 1);
        const double cost  = static_cast<double>(tiles / slots) * (static_cast<double>(steps) + beside) +
                             static_cast<double>(share) + static_cast<double>(tiles_of_share) * (beside + leave) +
                             added + second_launch;
        if(share >= least && share < steps && cost < best.cost)
            best = {1, shares, cost};
    };
    for(std::int64_t shares = 2; shares <= std::min(most, slots / rest); ++shares)
        consider(ceil_div(steps, shares), static_cast<int>(shares), 1);
    if(cached && rest * most >= slots)
        consider(ceil_div(rest * steps, slots), 0, 2);
    return best;
}

} // namespace

bool fits_cache(const problem& p, const target& t) { return p.floor_bytes() <= 2. / 3. * t.cache_bytes; }

split_choice choose_splits(const device& dev, const gemm_work& work, int wanted)
{
    // Microseconds: of a launch, and of one more, which adds partial sums.
    constexpr double launch = 7, second_launch = 3.5;
    const std::int64_t slots = static_cast<std::int64_t>(dev.compute_units()) * work.at_once;
    std::int64_t count       = 0;
    for(const equal_blocks& b : work.blocks)
        count += b.count;
    const auto longest   = std::max<std::int64_t>(work.blocks.front().steps, 1);
    const auto cost_of   = [&](double steps) { return microsecond * launch + cost_of_steps(work, steps); };
    const double partial = 2 * sizeof(float) * byte_of_memory * static_cast<double>(work.elements); // written and read
    const auto cost      = [&](std::int64_t splits) {
        return cost_of(makespan(work.blocks, splits, slots, steps_beside(work.tile))) +
               (splits > 1 ? microsecond * second_launch + partial * static_cast<double>(splits) : 0);
    };
    const bool differ   = work.blocks.size() > 1;
    const auto of_whole = [&](std::int64_t splits) {
        return split_choice{static_cast<int>(splits), 1, cost(splits), differ};
    };
    if(wanted > 1)
        return of_whole(wanted);
    split_choice best = of_whole(work.least_splits);
    if(std::all_of(work.blocks.begin(), work.blocks.end(), [&](const equal_blocks& b) { return b.steps == longest; }) &&
       work.least_splits == 1)
        if(const split_choice shared = choose_shares(work.tile, count, longest, slots, work.cached);
           cost_of(shared.cost) < best.cost)
            best = {1, shared.shares, cost_of(shared.cost)};
    if(wanted == 1)
        return best;
    const std::int64_t useful =
        std::min(longest / 4, 4 * slots / std::max<std::int64_t>(count, 1)); // four steps at least
    for(std::int64_t splits = work.least_splits + 1; splits <= useful; ++splits)
        if(const split_choice whole = of_whole(splits); whole.cost < best.cost)
            best = whole;
    return best;
}

} // namespace ck_tile::conv

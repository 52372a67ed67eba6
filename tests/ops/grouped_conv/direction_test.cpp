// SPDX-License-Identifier: MIT
// Every instance of every target against the fp64 reference, on random and on awkward problems, for each direction alike. Compiled once
// per operation, CK_TILE_OPERATION, whose description is CK_TILE_OPERATION_HEADER.
#include CK_TILE_OPERATION_HEADER

#include "tests/support/convolutions.hpp"
#include "tests/support/operation_test.hpp"

namespace ck_tile::conv
{
namespace
{

using operation = CK_TILE_OPERATION::operation;

// The instance's own choice, one split, and three where every tile has so many steps.
template <class Config>
std::vector<int> splits_of(const Config& c, const operation::problem& p)
{
    const bool can_split = [&] {
        if constexpr(requires { c.split; })
            return c.split == decltype(Config::split)::any_split && p.batch * p.output_pixels() >= 3;
        else
            return !c.is_pointwise() && std::min(p.filter_taps() * p.c, p.k) >= 3 * c.tile.block.k;
    }();
    return can_split ? std::vector{0, 1, 3} : std::vector{0, 1};
}

std::vector<int> several_splits(const operation::config& c, const operation::problem& p) { return splits_of(c, p); }

class Direction : public kernel_test
{
  protected:
    void expect_all_instances_right(operation::problem p, std::uint32_t seed = 0)
    {
        p.type = type;
        ck_tile::expect_all_instances_right(dev, experiment<operation>(p, seed), several_splits);
    }
};

TEST_P(Direction, AgreesWithTheReferenceOnRandomProblems)
{
    random_numbers random(20);
    for(std::uint32_t i = 0; i < 24 && !HasFatalFailure(); ++i)
        expect_all_instances_right(random_problem(random), i);
}

TEST_P(Direction, AgreesWithTheReferenceOnAwkwardProblems)
{
    for(const auto& [name, awkward] : awkward_problems())
    {
        SCOPED_TRACE(name);
        expect_all_instances_right(awkward);
    }
}

TEST_P(Direction, PaddingUnevenEvenFilterDilatedStrided)
{
    for(const problem& p : in_all_layouts(uneven_problem()))
        expect_all_instances_right(p);
}

// Of channels that fill boxes, too.
TEST_P(Direction, SameBitsOnEveryRun)
{
    for(const auto& [k, c] : {std::pair{200, 48}, {192, 64}})
    {
        operation::problem p =
            problem{.spatial = 2, .groups = 2, .batch = 3, .k = k, .c = c, .filter = {3, 3}, .input = {7, 6}};
        p.type = type;
        expect_same_bits<operation>(dev, experiment<operation>(p),
                                    [](const operation::config& config, const operation::problem& given) {
                                        const std::vector<int> all = several_splits(config, given);
                                        return std::vector(all.begin() + 1, all.end());
                                    });
    }
}

// Whether each block has a share of its own or tiles are made in parts; then the same bits on every run, whichever wave comes last.
TEST_P(Direction, TilesThatBlocksShare)
{
    problem of_several_steps =
        problem{.spatial = 2, .groups = 1, .batch = 3, .k = 264, .c = 136, .filter = {3, 3}, .input = {9, 11}};
    problem pointwise = pointwise_problem();
    pointwise.k = pointwise.c = 520;
    for(operation::problem p : {of_several_steps, pointwise})
    {
        p.type = type;
        const experiment<operation> e(p);
        for(plan<operation> each :
            all_plans<operation>(dev, p, [](const auto&, const auto&) { return std::vector{1}; }))
        {
            const gemm::tile_config& tile = each.chosen->configuration.tile;
            if(!gemm::is_persistent(tile.pipeline))
                continue;
            const schedule usual             = each.schedule;
            const std::size_t without_shares = each.workspace_bytes - bytes_of_shares(tile, usual);
            for(const auto& [blocks, shares] : {std::pair{7, 0}, std::pair{256, 2}, std::pair{384, 3}})
            {
                each.schedule        = schedule::of_shares(usual.tiles, blocks, usual.steps, shares);
                each.workspace_bytes = without_shares + bytes_of_shares(tile, each.schedule);
                const auto after     = e.run_plan(dev, each);
                e.expect_right(after, describe_plan(each));
                if(shares > 0)
                    EXPECT_TRUE(results_of(after) == results_of(e.run_plan(dev, each))) << describe_plan(each);
            }
        }
    }
}

TEST_P(Direction, ReferenceKernelAgreesWithTheReference)
{
    random_numbers random(5);
    for(std::uint32_t i = 0; i < 12; ++i)
    {
        operation::problem p = random_problem(random);
        p.type               = type;
        const experiment<operation> e(p, i);
        e.expect_right(e.run_reference_kernel(dev), "reference kernel");
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Direction, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

} // namespace
} // namespace ck_tile::conv

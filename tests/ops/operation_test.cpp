// SPDX-License-Identifier: MIT
// What is made of an operation's description, for each operation alike: plans and why there is none, tuning, verification, files.
// Compiled once per operation, CK_TILE_OPERATION, whose description is CK_TILE_OPERATION_HEADER.
#include CK_TILE_OPERATION_HEADER

#include "tests/support/operation_test.hpp"
#include "ops/harness/fill.hpp"
#include "ops/harness/tensor_file.hpp"
#include "ops/tuning.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ck_tile
{
namespace
{

using operation = CK_TILE_OPERATION::operation;
using problem   = operation::problem;
using harness::verification;

// Makes every length of a problem small, but larger than windows are by default.
struct shrink
{
    void number(const char*, auto& value) { value = std::min<std::int64_t>(value, 8); }
    void rank(const char*, auto&, int, int) {}
    void list(const char* name, auto& values, int count, std::initializer_list<const char*> = {})
    {
        for(int i = 0; i < count; ++i)
            number(name, values[static_cast<std::size_t>(i)]);
    }
    void sized_list(const char* name, auto& values, int count, std::initializer_list<const char*> names = {})
    {
        list(name, values, count, names);
    }
    void choice(const char*, auto&) {}
    void flag(const char*, auto&) {}
    void real(const char*, auto&) {}
};

struct make_negative : shrink
{
    void number(const char*, auto& value) { value = -1; }
};

problem small_problem(data_type type)
{
    problem p;
    visit_fields(p, shrink());
    p.type = type;
    return p;
}

class Operation : public kernel_test
{
  protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    problem small = small_problem(type);
    std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("operation_test_" + std::to_string(getpid()));
};

TEST_P(Operation, EveryInstanceSaysWhatItDoesNotSupport)
{
    int supporting = 0;
    for(const instance<operation>* i : instances<operation>(dev))
    {
        const status supported = supports(*i, small);
        const auto chosen      = make_plan<operation>(dev, small, {.instance = name_of(*i)});
        ASSERT_EQ(chosen.ok(), supported.ok()) << name_of(*i);
        if(chosen)
        {
            ++supporting;
            EXPECT_EQ(name_of(*chosen->chosen), name_of(*i));
            EXPECT_GE(chosen->splits, 1);
        }
        else
            EXPECT_EQ(chosen.reason(), fmt::format("{} on {}: {}", name_of(*i), dev.name(), supported.reason()));
        if(const data_type own = dtype_of(i->configuration); own != type)
            EXPECT_EQ(supported.reason(),
                      fmt::format("the instance computes {}, the problem is {}", name_of(own), name_of(type)));
    }
    EXPECT_GT(supporting, 0);
}

TEST_P(Operation, TheCheapestPlanIsChosen)
{
    const auto chosen = make_plan<operation>(dev, small);
    ASSERT_TRUE(chosen) << chosen.reason();
    for(const plan<operation>& each : all_plans<operation>(dev, small))
        EXPECT_LE(chosen->cost, each.cost) << describe_plan(each);
}

TEST_P(Operation, PlansThatThereAreNot)
{
    const auto reason = [&](const problem& p, const plan_request& request = {}) {
        const auto chosen = make_plan<operation>(dev, p, request);
        return chosen ? "accepted" : chosen.reason();
    };
    EXPECT_EQ(reason(small, {.instance = "none"}),
              "instance 'none' is not one of " + dev.name() + ": --instance list shows them");
    if(!operation::splits_reduction)
        EXPECT_EQ(reason(small, {.splits = 2}),
                  std::string(operation::name) + " has no reduction to split, and splits is 2: leave it out");

    problem negative = small;
    visit_fields(negative, make_negative());
    const std::string invalid = operation::validate(negative).reason();
    ASSERT_NE(invalid, "");
    EXPECT_EQ(reason(negative), invalid);
    EXPECT_EQ(reason(negative, {.instance = "none"}), invalid);
    EXPECT_EQ(run_reference<operation>(dev, negative, {}, nullptr).reason(), invalid);
    for(const instance<operation>* i : instances<operation>(dev))
        EXPECT_EQ(supports(*i, negative).reason(), invalid);

    problem integers = small;
    integers.type    = data_type::int32; // of which nothing is built
    EXPECT_EQ(reason(integers), fmt::format("this program was built without {} for {}: add them to CK_TILE_DTYPES and "
                                            "CK_TILE_TARGETS, with CK_TILE_INSTANCES=all",
                                            name_of(integers.type), dev.architecture().name));
}

// A shape of the CPU that was not built has no instances.
TEST(DeviceWithoutCode, HasNoPlans)
{
    for(const target* t : all_targets)
    {
        const std::string name = std::string("host:") + t->name;
        if(std::find(kernel_targets().begin(), kernel_targets().end(), name) != kernel_targets().end())
            continue;
        const auto dev = device::open(name);
        ASSERT_TRUE(dev) << dev.reason();
        EXPECT_TRUE(instances<operation>(*dev).empty());
        EXPECT_FALSE(make_plan<operation>(*dev, small_problem(data_type::fp16)));
    }
}

TEST_P(Operation, SameBitsOnEveryRun) { expect_same_bits<operation>(dev, experiment<operation>(small)); }

// Either verification passes what an instance computes, and neither passes what it did not write, or one wrong element.
TEST_P(Operation, VerificationsAgree)
{
    const auto chosen = make_plan<operation>(dev, small);
    ASSERT_TRUE(chosen) << chosen.reason();
    const experiment<operation> e(small, 1);
    const harness::tensor_set after     = e.run_plan(dev, *chosen),
                              untouched = e.run(dev, 0, [](const auto&, void*) { return status{}; });
    const std::size_t results           = results_of(after).size();
    for(const verification how : {verification::cpu, verification::reference_kernel})
    {
        const auto passed = [&](const harness::tensor_set& set) {
            std::vector<bool> all;
            for(const harness::comparison& c : harness::verify<operation>(dev, how, small, set))
                all.push_back(c.passed() && c.elements > 0);
            return all;
        };
        EXPECT_EQ(passed(after), std::vector<bool>(results, true)) << harness::describe(how);
        EXPECT_EQ(passed(untouched), std::vector<bool>(results, false)) << harness::describe(how);
        for(std::size_t wrong = 0, number = 0; wrong < after.tensors.size(); ++wrong)
        {
            harness::tensor_set spoiled = after;
            harness::host_tensor& t     = spoiled.tensors[wrong];
            if(t.role != tensor_role::result)
                continue;
            t.elements.back() ^= std::byte{0x40}; // of a float, the exponent
            t.elements[t.elements.size() - bytes_of(t.type)] ^= std::byte{1};
            std::vector<bool> others(results, true);
            others[number++] = false;
            EXPECT_EQ(passed(spoiled), others) << t.name << ", " << harness::describe(how);
        }
    }
}

// A run of zeros: where no input follows from others, they take no memory, and are zeros nevertheless.
TEST_P(Operation, ZerosAreVerifiedToo)
{
    harness::tensor_set set(operation::tensor_list(small));
    harness::fill_inputs<operation>(small, set, harness::fill::zeros, 1);
    for(const harness::host_tensor& t : set.tensors)
        EXPECT_TRUE(harness::derives_inputs<operation> || t.elements.empty()) << t.name;
    const auto chosen = make_plan<operation>(dev, small);
    ASSERT_TRUE(chosen) << chosen.reason();
    experiment<operation> e(small);
    e.set            = set;
    const auto after = e.run_plan(dev, *chosen);
    for(const verification how : {verification::cpu, verification::reference_kernel})
        for(const harness::comparison& c : harness::verify<operation>(dev, how, small, after))
            EXPECT_TRUE(c.passed()) << harness::describe(c, {c.elements}) << ", " << harness::describe(how);
}

// What is measured is remembered, found again, and chosen.
TEST_P(Operation, TuningRoundTrip)
{
    const experiment<operation> e(small);
    const harness::device_set there(dev, e.set);
    const auto found = tune<operation>(dev, small, operation::bind(there.addresses()));
    ASSERT_TRUE(found) << found.reason();
    EXPECT_GE(found->measured, static_cast<int>(all_plans<operation>(dev, small).size()));
    EXPECT_GT(found->milliseconds, 0);

    const auto file = folder / "tuned.json";
    ASSERT_TRUE(remember(file, dev, found->fastest));
    const auto loaded = load_tuned_table<operation>(file);
    ASSERT_TRUE(loaded) << loaded.reason();
    const auto again = make_plan<operation>(dev, small, *loaded);
    ASSERT_TRUE(again) << again.reason();
    EXPECT_EQ(names_of(*again), names_of(found->fastest));
    EXPECT_EQ(again->splits, found->fastest.splits);
    e.expect_right(e.run_plan(dev, *again), describe_plan(*again));

    // Whichever the table names, not only the best; and for other problems what costs least.
    tuned_table table = *loaded;
    for(const plan<operation>& each : all_plans<operation>(dev, small))
    {
        remember(table, dev, each);
        EXPECT_EQ(table.size(), 1u);
        const auto named = make_plan<operation>(dev, small, table);
        ASSERT_TRUE(named) << named.reason();
        EXPECT_EQ(names_of(*named), names_of(each));
    }
    const auto other = problem_from_json<problem>({{"N", 3}}, problem_to_json(small));
    ASSERT_TRUE(other) << other.reason();
    EXPECT_EQ(names_of(*make_plan<operation>(dev, *other, table)), names_of(*make_plan<operation>(dev, *other)));
}

TEST_P(Operation, TablesOfOtherOperationsAreRejected)
{
    const auto expect = [&](const std::string& name, const std::string& instance, const nlohmann::ordered_json& problem,
                            const std::string& why) {
        tuned_table table(name);
        table.set({dev.name(), problem, instance, 1});
        ASSERT_TRUE(table.save(folder / "tuned.json"));
        const auto loaded = load_tuned_table<operation>(folder / "tuned.json");
        ASSERT_FALSE(loaded);
        EXPECT_TRUE(loaded.reason().ends_with(why)) << loaded.reason();
    };
    const std::string own = operation::name;
    const auto good       = problem_to_json(small);
    auto unknown = good, invalid = good;
    unknown["no_field"] = 1;
    invalid["N"]        = -1;
    expect("other", own + "_x", good, ": its operation is not " + own);
    expect(own, "other_x", good, ": choice 1: 'other_x' is not the name of an instance of " + own);
    expect(own, own + "_x", unknown, ": choice 1: a problem has no no_field");
    expect(own, own + "_x", invalid, ": choice 1: N must be zero or positive, but is -1: choose 0 or more");
}

// Tensors in files are those of memory, and give the same.
TEST_P(Operation, FilesHoldWhatMemoryHolds)
{
    const auto chosen = make_plan<operation>(dev, small);
    ASSERT_TRUE(chosen) << chosen.reason();
    const experiment<operation> e(small, 2);
    const auto after = e.run_plan(dev, *chosen);
    experiment<operation> again(small);
    for(const harness::host_tensor& t : after.tensors)
        if(t.on_device())
        {
            ASSERT_TRUE(harness::dump_tensor(t, folder));
            ASSERT_TRUE(harness::check_tensor_file(t, folder));
            const auto loaded = harness::load_tensor(t, folder);
            ASSERT_TRUE(loaded) << loaded.reason();
            EXPECT_TRUE(*loaded == t.elements) << t.name;
            if(t.role == tensor_role::input)
                again.set[t.name].elements = *loaded;
        }
    EXPECT_TRUE(results_of(again.run_plan(dev, *chosen)) == results_of(after));
}

INSTANTIATE_TEST_SUITE_P(Targets, Operation, testing::ValuesIn(types_built<operation>(kernel_targets())),
                         name_of_parameter);

// Every problem that the operation has by default survives the way through JSON, and the fields have different names.
TEST(OperationProblem, SurvivesTheWayThroughJson)
{
    const auto json = problem_to_json(problem());
    const auto read = problem_from_json<problem>(nlohmann::ordered_json::parse(json.dump()));
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(problem_to_json(*read), json);
    for(const auto& [key, value] : json.items())
    {
        auto less = json, wrong = json;
        less.erase(key);
        wrong[key] = nullptr;
        EXPECT_TRUE(problem_from_json<problem>(less, json)) << key;
        EXPECT_TRUE(problem_from_json<problem>(less).reason().starts_with("a problem's " + key + " must be ")) << key;
        EXPECT_TRUE(problem_from_json<problem>(wrong, json).reason().starts_with("a problem's " + key + " must be "))
            << key;
    }
}

} // namespace
} // namespace ck_tile

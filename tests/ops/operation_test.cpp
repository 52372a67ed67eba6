// SPDX-License-Identifier: MIT
// What is made of an operation's description, for each operation alike: plans and why there is none, tuning, verification, files.
// Compiled once per operation, CK_TILE_OPERATION, whose description is CK_TILE_OPERATION_HEADER.
#include CK_TILE_OPERATION_HEADER

#include "tests/support/operation_test.hpp"
#include "ck_tile/runtime/files.hpp"
#include "ops/c_api/operation_of.hpp"
#include "ops/harness/fill.hpp"
#include "ops/harness/tensor_file.hpp"
#include "ops/shipped_choice.hpp"
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

// Lists the values that the choices and flags of a problem have beside its own, and of numbers those of groups.
struct list_variations : shrink
{
    std::vector<std::pair<std::string, std::vector<nlohmann::ordered_json>>> all = {};

    void number(const char* name, auto&)
    {
        if(std::string_view(name) == "G")
            all.push_back({name, {1, 3}});
    }
    void list(const char*, auto&, int, std::initializer_list<const char*> = {}) {}
    void sized_list(const char*, auto&, int, std::initializer_list<const char*> = {}) {}
    template <class Enum>
    void choice(const char* name, Enum)
    {
        if(std::string_view(name) == "dtype")
            return;
        all.push_back({name, {}});
        for(const auto& e : enumerators<Enum>::all)
            if(choosable(e.value))
                all.back().second.push_back(e.name);
    }
    void flag(const char* name, bool) { all.push_back({name, {false, true}}); }
};

std::vector<nlohmann::ordered_json> variations(const nlohmann::ordered_json& of_problem)
{
    list_variations fields;
    const problem p;
    visit_fields(p, fields);
    std::vector<nlohmann::ordered_json> all = {of_problem};
    for(const auto& [name, values] : fields.all)
    {
        std::vector<nlohmann::ordered_json> more;
        for(nlohmann::ordered_json each : all)
            for(const auto& value : values)
                more.push_back((each[name] = value, each));
        all = std::move(more);
    }
    return all;
}

problem small_problem(data_type type)
{
    problem p;
    visit_fields(p, shrink());
    p.type = type;
    return p;
}

// The same problem, or one of the kind that the reference kernel computes.
template <class Op>
typename Op::problem for_reference_kernel(const typename Op::problem& p)
{
    if constexpr(requires { Op::reference_supports(p); })
        if(!Op::reference_supports(p))
            return Op::reference_problem(p);
    return p;
}

class Operation : public kernel_test
{
  protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    // Either verification passes what is `right`, and neither what is `unwritten`, or has one wrong element; and where results lie
    // makes no difference to what is found of them.
    void expect_verified(const problem& p, const harness::tensor_set& right, const harness::tensor_set& unwritten) const
    {
        const std::size_t results = results_of(right).size();
        for(const verification how : {verification::cpu, verification::reference_kernel})
        {
            SCOPED_TRACE(harness::describe(how));
            const harness::verifier<operation> verifier(dev, how, p, right);
            const auto passed = [&](const harness::tensor_set& set) {
                std::vector<bool> all;
                for(const harness::comparison& c : verifier.compare(set))
                    all.push_back(c.passed() && c.elements > 0);
                return all;
            };
            EXPECT_EQ(passed(right), std::vector<bool>(results, true));
            EXPECT_EQ(passed(unwritten), std::vector<bool>(results, false));
            expect_same_on_device(verifier, right);
            for(std::size_t wrong = 0, number = 0; wrong < right.tensors.size(); ++wrong)
            {
                harness::tensor_set spoiled = right;
                harness::host_tensor& t     = spoiled.tensors[wrong];
                if(t.role != tensor_role::result)
                    continue;
                t.elements.back() ^= std::byte{0x40}; // of a float, the exponent
                t.elements[t.elements.size() - bytes_of(t.type)] ^= std::byte{1};
                std::vector<bool> others(results, true);
                others[number++] = false;
                EXPECT_EQ(passed(spoiled), others) << t.name;
                expect_same_on_device(verifier, spoiled);
            }
        }
    }

    void expect_same_on_device(const harness::verifier<operation>& right, const harness::tensor_set& set) const
    {
        const harness::device_set there(dev, set);
        for(std::size_t i = 0; i < set.tensors.size(); ++i)
            if(const auto& t = set.tensors[i]; t.role == tensor_role::result)
                ASSERT_TRUE(dev.copy_to_device(there.buffer(i).data(), t.elements.data(), t.elements.size()));
        const auto here      = right.compare(set),
                   on_device = right.compare({set.tensors.begin(), set.tensors.end()}, there);
        ASSERT_EQ(here.size(), on_device.size());
        for(std::size_t i = 0; i < here.size(); ++i)
        {
            EXPECT_EQ(here[i].elements, on_device[i].elements);
            EXPECT_EQ(here[i].failures, on_device[i].failures);
            EXPECT_EQ(here[i].worst, on_device[i].worst);
            EXPECT_EQ(here[i].expected, on_device[i].expected);
        }
    }

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

// Ids tell the built instances apart, and stand for their names.
TEST_P(Operation, IdsAreNames)
{
    std::set<std::string> ids;
    for(const instance<operation>& i : operation::instances())
    {
        EXPECT_TRUE(ids.insert(id_of(i)).second)
            << id_of(i) << " is two instances: another letter in make_id() parts them";
        EXPECT_TRUE(id_of(i).starts_with(fmt::format("{}.{}.", word_of<operation>(), name_of(i.configuration.arch))));
    }
    for(const plan<operation>& each : all_plans<operation>(dev, small))
    {
        const auto by_id = make_plan<operation>(dev, small, {.instance = id_of(dev, each)});
        ASSERT_TRUE(by_id) << by_id.reason();
        EXPECT_EQ(name_of(*by_id), name_of(each));
    }
}

TEST_P(Operation, TheCheapestPlanIsChosen)
{
    const auto chosen = make_plan<operation>(dev, small, {.tuned = false});
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
    expect_verified(small, e.run_plan(dev, *chosen), e.run(dev, 0, [](const auto&, void*) { return status{}; }));
}

// So it is with what the reference kernel computes, in every layout, kind, finish and grouping.
TEST_P(Operation, ReferencesAgree)
{
    int computed = 0;
    for(const nlohmann::ordered_json& each : variations(problem_to_json(small)))
    {
        auto p = problem_from_json<problem>(each);
        if(!p)
            continue; // as where no gradient is wanted
        *p = for_reference_kernel<operation>(*p);
        SCOPED_TRACE(each.dump());
        ++computed;
        const experiment<operation> e(*p, 2);
        expect_verified(*p, e.run_reference_kernel(dev), e.run(dev, 0, [](const auto&, void*) { return status{}; }));
    }
    EXPECT_GE(computed, 2);
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

// What the library's tables choose is planned, if it was built; costs are asked for the others, and where that is wanted.
TEST_P(Operation, ShippedTablesChoose)
{
    for(const shipped_table& each : operation::shipped_tables())
    {
        const auto table = tuned_table::parse(each.json, operation::name, accept_choice<operation>);
        ASSERT_TRUE(table) << table.reason();
        EXPECT_GT(table->size(), 0u);
    }
    const architecture arch = dev.architecture().arch;
    for(const plan<operation>& each : all_plans<operation>(dev, small))
    {
        tuned_table table(operation::name);
        remember(table, dev, each);
        ASSERT_TRUE(table.save(folder / "tuned.json"));
        const std::string text        = *read_file(folder / "tuned.json");
        const shipped_table shipped[] = {{arch, text.c_str()}};
        const shipped_choices<operation> choices(shipped);
        const auto choice = choices.find(arch, small);
        ASSERT_TRUE(choice);
        EXPECT_EQ(choice->instance, name_of(each));
        EXPECT_EQ(choice->splits, each.splits);
        for(const target* other : all_targets)
            EXPECT_EQ(choices.find(other->arch, small).has_value(), other->arch == arch);
        EXPECT_FALSE(choices.find(arch, *problem_from_json<problem>({{"N", 3}}, problem_to_json(small))));
    }
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
        EXPECT_NE(loaded.reason().find(why), std::string::npos) << loaded.reason();
    };
    const std::string own = operation::name;
    const auto good       = problem_to_json(small);
    auto unknown = good, invalid = good;
    unknown["no_field"] = 1;
    invalid["N"]        = -1;
    expect("other", own + "_x", good, ": its operation is not " + own);
    expect(own, "other_x", good, ": choice 1: 'other_x' is not the name of an instance of " + own);
    expect(own, own + "_x", unknown, ": choice 1: a problem has no no_field: its fields are ");
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
            ASSERT_TRUE(harness::dump_tensors({&t, 1}, folder));
            ASSERT_TRUE(harness::check_tensor_file(t, folder));
            const auto loaded = harness::load_tensor(t, folder);
            ASSERT_TRUE(loaded) << loaded.reason();
            EXPECT_TRUE(*loaded == t.elements) << t.name;
            if(t.role == tensor_role::input)
                again.set[t.name].elements = *loaded;
        }
    EXPECT_TRUE(results_of(again.run_plan(dev, *chosen)) == results_of(after));
}

// What does not know the operation's type plans, rejects and computes what does, of problems of every kind.
TEST_P(Operation, IsTheSameWithoutItsType)
{
    const operation_of<operation> any;
    EXPECT_STREQ(any.name(), operation::name);
    int planned = 0;
    for(const nlohmann::ordered_json& each : variations(problem_to_json(small)))
    {
        SCOPED_TRACE(each.dump());
        const auto p     = problem_from_json<problem>(each);
        const auto list  = any.tensors(each);
        const auto found = any.make_plan(dev, each, {});
        ASSERT_EQ(list.ok(), p.ok());
        if(!p)
        {
            EXPECT_EQ(list.reason(), p.reason());
            EXPECT_EQ(found.reason(), p.reason());
            continue;
        }
        const auto chosen = make_plan<operation>(dev, *p);
        ASSERT_EQ(found.ok(), chosen.ok());
        if(!chosen)
        {
            EXPECT_EQ(found.reason(), chosen.reason());
            continue;
        }
        const any_plan& same = **found;
        EXPECT_EQ(same.instances, names_of(*chosen));
        EXPECT_EQ(same.workspace_bytes, chosen->workspace_bytes);
        EXPECT_EQ(same.splits, std::max(chosen->splits, 1));
        EXPECT_TRUE(same.load());
        if(planned++ % 4 != 0)
            continue; // enough are run
        const experiment<operation> e(*p, 3);
        const harness::device_set there(dev, e.set);
        const device_buffer workspace = unwritten(dev, static_cast<std::int64_t>(same.workspace_bytes));
        const status right            = same.check(there.addresses(), workspace.data());
        ASSERT_TRUE(right) << right.reason();
        ASSERT_TRUE(same.run(there.addresses(), workspace.data(), {}));
        harness::tensor_set after = e.set;
        there.fetch_results(dev, after);
        EXPECT_TRUE(results_of(after) == results_of(e.run_plan(dev, *chosen)));
    }
    EXPECT_GT(planned, 0);
}

// Nothing that kernels touch is null by mistake, or where they do not expect it; what is optional may be.
TEST_P(Operation, AddressesAreChecked)
{
    const operation_of<operation> any;
    const auto found = any.make_plan(dev, problem_to_json(small), {});
    ASSERT_TRUE(found) << found.reason();
    const any_plan& planned             = **found;
    const std::vector<tensor_info> list = operation::tensor_list(small);
    alignas(16) static std::byte somewhere[32];
    std::vector<void*> addresses;
    for(const tensor_info& t : list)
        addresses.push_back(t.on_device() ? somewhere : nullptr);
    EXPECT_TRUE(planned.check(addresses, somewhere));
    EXPECT_EQ(planned.check(addresses, nullptr).ok(), planned.workspace_bytes == 0);
    EXPECT_FALSE(planned.check(std::span(addresses).first(addresses.size() - 1), somewhere));
    EXPECT_FALSE(planned.check(addresses, somewhere + 8));
    for(std::size_t i = 0; i < list.size(); ++i)
    {
        SCOPED_TRACE(list[i].name);
        std::vector<void*> others = addresses;
        others[i]                 = somewhere + 8;
        EXPECT_FALSE(planned.check(others, somewhere));
        others[i] = list[i].on_device() ? nullptr : somewhere;
        EXPECT_EQ(planned.check(others, somewhere).ok(), list[i].optional && list[i].on_device());
    }
}

// A problem's sizes and type have to be given, its other fields have the values of a problem that says nothing.
TEST(OperationProblem, HasDefaultsForWhatMemoryDoesNotDependOn)
{
    const operation_of<operation> any;
    const auto usual = problem_to_json(problem());
    auto given       = usual;
    std::vector<std::string> names;
    for(const problem_field& each : any.fields({}))
    {
        names.push_back(each.name);
        ASSERT_TRUE(usual.contains(each.name)) << each.name;
        EXPECT_EQ(any.defaults().contains(each.name), each.has_default) << each.name;
        if(each.has_default)
        {
            EXPECT_EQ(any.defaults().at(each.name), usual.at(each.name));
            given.erase(each.name);
        }
    }
    EXPECT_EQ(names.size(), usual.size());
    EXPECT_TRUE(any.tensors(given));
    for(const auto& [key, value] : given.items())
    {
        auto less = given;
        less.erase(key);
        EXPECT_NE(any.tensors(less).reason().find("but is not given"), std::string::npos) << key;
    }
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

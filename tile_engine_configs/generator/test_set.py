# SPDX-License-Identifier: MIT
"""The instances that a test needs: few that together show everything, and a sample of the others.

The first target shows everything, for every type. The others show what it has no way to compute, and a quarter of what shows pairs and numbers, by
turns, as seeds draw it; and those of which no rule for code objects speaks, of the 16-bit types, whose programs differ in the instruction alone, one, which is drawn for all
operations alike, as one may need another. A target whose file is like another's, with other numbers at most, has the same programs:
where both are built, it shows one type.

For each target, type and combination of the operation's own choices (layout, pass, kind of indices) there is the instance with the
narrowest vectors, of these one for any window, and of these the one with the smallest numbers, so that any problem runs on something.

For each target, and for both 16-bit types together, each pair of values of two choices (layout, formulation, ...) is in some instance,
the one with the smallest numbers: of one channel and any window, it can do what the others can. For targets that are alike, each
number that a field has is in some instance."""

import fnmatch
import hashlib
import itertools
import math
import re

from generator.rules import arch_patterns, speaks_of

SAMPLE = 0.01  # of what is left
TURN = 0.25  # of what targets but the first show
SHARE = 1 / 6  # of a set that is a sample itself
CODE = 0.125  # of what is for GPUs that are absent
WAY = ("group", "taps")  # numbers that say how something is computed, not how much at once
TOGETHER = "cluster"  # workgroups that compute something together, where it is more than 1


def drawn(*words):
    """A number below 1 that the words decide."""
    digest = hashlib.sha256("\0".join(words).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def code_drawn(gpu_targets, absent, seed):
    """Whether (target, name of a source) is compiled for the GPU: of targets that the machine has no GPU of, a drawn eighth."""
    return lambda target, name: target in gpu_targets and (target not in absent or drawn(seed, "code", name) < CODE)


def is_inspected(target):
    """Whether rules for code objects may speak of it."""
    return target.startswith("gfx")


def in_order(expansions):
    """Those of targets that others are like first: where it is built, the original itself."""
    return sorted(expansions, key=lambda e: e.target != e.original)


def types_of(expansions, seed):
    """The types that each target has."""
    alike, found = {}, {}
    for number, e in enumerate(in_order(expansions)):
        types = sorted({i["dtype"] for i in e.kept})
        turn = alike[e.original] = alike.get(e.original, -1) + 1
        if number > 0 and not is_inspected(e.target) and {"fp16", "bf16"} <= {*types}:
            types.remove("fp16" if drawn(seed, e.target) < 0.5 else "bf16")
        if turn > 0 and types:
            types = [types[turn % len(types)]]
        found[e.target] = types
    return found


def of_any_16_bits(text):
    """The name of a type, or what ends with one, for both 16-bit types."""
    return re.sub("(fp16|bf16)$", "16 bits", text)


def pairs_of(instance, fields):
    """The pairs of values of two choices that an instance is an example of, for its target and types as wide as its own."""
    values = {name: of_any_16_bits(instance["combination"][name]) for name, field in fields.items() if field["kind"] == "choice"}
    choices = [name for name in values if name not in ("arch", "dtype")]
    return {(instance["target"], of_any_16_bits(instance["dtype"]), *((name, values[name]) for name in names))
            for names in itertools.combinations(choices, min(2, len(choices)))}


def numbers_of(instance, fields):
    """The numbers that it is an example of, for the targets that are alike."""
    return {(instance["original"], name, instance["combination"][name])
            for name, field in fields.items() if field["kind"] == "number"}


def size_of(instance):
    """The product of its numbers: what is small compiles and runs fast, and does what a larger one does not. A 0 is any number; what
    stands beside one, as the taps of any window, is a limit and does not count."""
    numbers = {name: value for name, value in instance["combination"].items() if type(value) is int}
    any_of = {name.rpartition(".")[0] for name, value in numbers.items() if value == 0 and "." in name}
    return math.prod(max(abs(value), 1) for name, value in numbers.items() if name.rpartition(".")[0] not in any_of)


def width_of(instance):
    """The product of its widths of vectors, which a problem's lengths have to be multiples of."""
    return math.prod(value for name, value in instance["combination"].items() if name.split(".")[0] == "vector")


def knows_window(instance):
    """Whether it is for one window: of any, a number of the window is 0."""
    return all(value != 0 for name, value in instance["combination"].items() if name.split(".")[0] == "window")


def way_of(instance, fields):
    """How it computes, as the operation's choices and some of its numbers say, for types as wide as its own."""
    combination = instance["combination"]
    return (of_any_16_bits(instance["dtype"]), *(combination.get(name) for name in (*WAY, *own_choices(fields))),
            combination.get(TOGETHER, 1) > 1)


def cover(shown, left):
    """Names of few instances that show what is left: in turn the first that shows most of it. `shown` is {name: what}."""
    chosen = []
    while left:
        chosen.append(max(shown, key=lambda name: len(shown[name] & left)))
        left = left - shown[chosen[-1]]
    return chosen


def own_choices(fields):
    """The choices that are the operation's, not of every kernel or of a matrix product."""
    return [name for name, field in fields.items()
            if field["kind"] == "choice" and not field["type"].startswith("gemm::")
            and field["type"] not in ("architecture", "data_type", "opcode")]


def general(instances, fields):
    """The names of those that do most, for each combination of the operation's own choices."""
    own, smallest = own_choices(fields), {}
    for i in sorted(instances, key=lambda i: (width_of(i), knows_window(i), size_of(i), i["name"])):
        smallest.setdefault((i["target"], i["dtype"], *(i["combination"][name] for name in own)), i["name"])
    return list(smallest.values())


def examples(rules, instances, chosen, seed):
    """Of each rule for AMD's code objects that speaks of no instance that is chosen, the name of one that it speaks of."""
    added = []
    for rule, arch in ((rule, arch) for rule in rules for arch in arch_patterns(rule)):
        spoken_of = [i["name"] for i in instances
                     if is_inspected(i["target"]) and fnmatch.fnmatchcase(i["target"], arch)
                     and speaks_of(rule, i["name"])]
        if spoken_of and not {*spoken_of} & {*chosen, *added}:
            added.append(min(spoken_of, key=lambda name: drawn(seed, name)))
    return added


def test_set(expansions, fields, seed, rules=()):
    """The names of the test set's instances. `seed` draws the sample; `rules` for code objects each have an example."""
    types, first = types_of(expansions, seed), in_order(expansions)[0].target
    candidates = [i for e in expansions for i in e.kept if i["dtype"] in types[e.target]]
    candidates.sort(key=lambda i: (size_of(i), drawn(seed, i["target"], i["dtype"]), i["name"]))
    targets = {i["name"]: i["target"] for i in candidates}
    chosen = general(candidates, fields)
    if {*WAY, TOGETHER} & {*fields}:  # what the first target cannot show
        shown = {i["name"]: {way_of(i, fields)} for i in candidates}
        common = set().union(*(shown[name] for name in shown if targets[name] == first))
        chosen += cover(shown, set().union(*shown.values()) - common)
    for what in pairs_of, numbers_of:  # pairs first: by small instances, which are the ones that can do most
        shown = {i["name"]: what(i, fields) for i in candidates}
        has = [shown[name] for name in chosen if name in shown]
        added = cover(shown, set().union(*shown.values()).difference(*has))
        chosen += [name for name in added if targets[name] == first or drawn(seed, "turn", name) < TURN]
    chosen += examples(rules, candidates, chosen, seed)
    return {*chosen, *(i["name"] for i in candidates if drawn(seed, i["name"]) < SAMPLE)}


def sample(expansions, fields, seed):
    """The names of a share of each target's instances, drawn by `seed`: of a set that is a sample itself. Those that differ in
    the operation's own choices alone, such as the passes of one sum, stay together."""
    alike = [name for name in fields if name not in own_choices(fields)]
    names = set()
    for e in expansions:
        families = {}
        for i in e.kept:
            families.setdefault(tuple(i["combination"][name] for name in alike), []).append(i["name"])
        ordered = sorted(families.values(), key=lambda family: drawn(seed, *family))
        names.update(*ordered[:math.ceil(len(ordered) * SHARE)])
    return names

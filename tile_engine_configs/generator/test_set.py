# SPDX-License-Identifier: MIT
"""The instances that a test needs: few that together show everything, and a sample of the others.

For each target, type and combination of the operation's own choices (layout, pass, kind of indices) there is the instance with the
smallest numbers, vectors of one element and so on, so that any problem runs on something.

A target shows everything else for every type. One whose file is like another's, with other numbers at most, has the same programs:
where both are built, it shows them for one type, drawn; the same one for every operation, as one may need another.

For each target and type, each pair of values of two choices (layout, formulation, ...) is in some instance, so that what all
instances can do some of these can; and each number that a field has is in one of any target. Of the instances that show as
much, the one with the smaller numbers is taken."""

import hashlib
import itertools
import math

SAMPLE = 0.05  # of what is left


def drawn(*words):
    """A number below 1 that the words decide."""
    digest = hashlib.sha256("\0".join(words).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def types_of(expansions, seed):
    """The types that each target has."""
    complete, found = {}, {}
    for e in sorted(expansions, key=lambda e: e.target != e.original):  # where it is built, the original itself
        types = sorted({i["dtype"] for i in e.kept})
        if types and complete.setdefault(e.original, e.target) != e.target:
            types = [types[int(drawn(seed, e.target) * len(types))]]
        found[e.target] = types
    return found


def shown_by(instance, fields):
    """What an instance is an example of."""
    values = instance["combination"]
    choices = [name for name, field in fields.items() if field["kind"] == "choice" and name not in ("arch", "dtype")]
    for names in itertools.combinations(choices, min(2, len(choices))):
        yield instance["target"], instance["dtype"], *((name, values[name]) for name in names)
    for name, field in fields.items():
        if field["kind"] == "number":
            yield name, values[name]


def size_of(instance):
    """The product of its numbers: what is small compiles and runs fast."""
    return math.prod(max(abs(value), 1) for value in instance["combination"].values() if type(value) is int)


def cover(candidates, fields):
    """Names of few candidates that show all that all of them do: in turn the one that shows most that is new."""
    shown = {i["name"]: set(shown_by(i, fields)) for i in sorted(candidates, key=lambda i: (size_of(i), i["name"]))}
    left = set().union(*shown.values())
    chosen = []
    while left:
        chosen.append(max(shown, key=lambda name: len(shown[name] & left)))
        left -= shown[chosen[-1]]
    return chosen


def general(instances, fields):
    """Names of those with the smallest numbers, for each combination of the operation's own choices."""
    own = [name for name, field in fields.items()
           if field["kind"] == "choice" and not field["type"].startswith("gemm::")
           and field["type"] not in ("architecture", "data_type", "opcode")]
    smallest = {}
    for i in sorted(instances, key=lambda i: (size_of(i), i["name"])):
        smallest.setdefault((i["target"], i["dtype"], *(i["combination"][name] for name in own)), i["name"])
    return set(smallest.values())


def test_set(expansions, fields, seed):
    """The names of the test set's instances. `seed` draws the sample, and the types of targets that are like others."""
    types = types_of(expansions, seed)
    candidates = [i for e in expansions for i in e.kept if i["dtype"] in types[e.target]]
    chosen = set(cover(candidates, fields)) | general([i for e in expansions for i in e.kept], fields)
    return chosen | {i["name"] for i in candidates if drawn(seed, i["name"]) < SAMPLE}

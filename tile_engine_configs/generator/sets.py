# SPDX-License-Identifier: MIT
"""From a file of configurations to the combinations that it stands for."""

import itertools
import math
import re

from generator import ConfigurationError
from generator.documents import read_json, shown

TARGET = re.compile(r"\w+")
MOST_COMBINATIONS = 100_000  # of one file: more are a mistake, and take minutes to check


def nested(combination):
    """{"block.m": 64} as {"block": {"m": 64}}."""
    whole = {}
    for name, value in combination.items():
        *parents, last = name.split(".")
        place = whole
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return whole


def targets_of(folder):
    return [path.stem for path in folder.glob("*.json") if path.stem != "schema"]


# ---- values


def checked_number(where, value):
    if type(value) is not int:
        raise ConfigurationError(f"{where}: {shown(value)} is not allowed: give a whole number")
    if not -2**31 <= value < 2**31:
        raise ConfigurationError(f"{where}: {shown(value)} is not allowed: give a number of 32 bits")
    return value


def checked_value(where, field, value):
    if field["kind"] == "number":
        return checked_number(where, value)
    if value not in field["values"]:
        raise ConfigurationError(f"{where}: {shown(value)} is not allowed: choose from {', '.join(field['values'])}")
    return value


def range_of(where, value):
    if set(value) != {"min", "max", "step"}:
        raise ConfigurationError(f"{where}: a range has the keys min, max and step, not {shown(list(value))}")
    for key, number in value.items():
        checked_number(f"{where}.{key}", number)
    if value["step"] < 1 or value["max"] < value["min"]:
        raise ConfigurationError(f"{where}: a range goes from min up to max by a step of 1 or more, "
                                 f"not {shown(value)}")
    return range(value["min"], value["max"] + 1, value["step"])


def leaf_values(where, field, value):
    if field["kind"] == "number" and isinstance(value, dict):
        return range_of(where, value)
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ConfigurationError(f"{where}: the list is empty: give at least one value")
    return [checked_value(where, field, v) for v in values]


# ---- sets


def members_of(fields, prefix):
    """The members of the struct of that prefix, each with whether it must be given: its fields, or one of them, have no
    default."""
    members = {}
    for name, field in fields.items():
        if name.startswith(prefix):
            member = name[len(prefix):].split(".")[0]
            members[member] = members.get(member, False) or "default" not in field
    return members


def combinations_of(where, value, fields, prefix=""):
    """All combinations that `value`, an object or a list of objects, stands for, as {field: value}. Fields that it leaves out
    have their defaults."""
    if isinstance(value, list):
        if not value:
            raise ConfigurationError(f"{where}: the list is empty: give at least one value")
        found = []
        for each in value:
            found += combinations_of(where, each, fields, prefix)
            bounded(where, len(found))
        return found
    members = members_of(fields, prefix)
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where}: {shown(value)} is not allowed: give an object with {', '.join(members)}")
    for key in value:
        if key not in members:
            raise ConfigurationError(f"{where}: unknown key {key!r}; allowed are {', '.join(members)}")
    columns = []
    for member, required in members.items():
        name, place = prefix + member, f"{where}.{member}"
        if member not in value:
            if required:
                needed = ", ".join(each for each, must in members.items() if must)
                raise ConfigurationError(f"{where}: {member} is missing; there must be {needed}")
            inside = [each for each in fields if each == name or each.startswith(name + ".")]
            columns.append([{each: fields[each]["default"] for each in inside}])
        elif name in fields:
            values = leaf_values(place, fields[name], value[member])
            bounded(place, len(values))
            columns.append([{name: v} for v in values])
        else:
            columns.append(combinations_of(place, value[member], fields, name + "."))
    bounded(where, math.prod(map(len, columns)))
    return [dict(pair for part in row for pair in part.items()) for row in itertools.product(*columns)]


def bounded(where, count):
    if count > MOST_COMBINATIONS:
        raise ConfigurationError(f"{where}: stands for {count} combinations, at most {MOST_COMBINATIONS} are allowed: give fewer "
                                 f"values")


# ---- files


def read_document(path):
    try:
        document = read_json(path)
    except FileNotFoundError:
        known = ", ".join(sorted(targets_of(path.parent))) or "none"
        raise ConfigurationError(f"{path}: there is no such file; targets with one: {known}")
    if not isinstance(document, dict):
        raise ConfigurationError(f"{path}: give an object with target and sets or like")
    for key in document:
        if key not in ("$schema", "target", "like", "replace", "sets"):
            raise ConfigurationError(f"{path}: unknown key {key!r}; allowed are target, like, replace and sets")
    if document.get("target") != path.stem:
        raise ConfigurationError(f"{path}: target is {shown(document.get('target'))}; "
                                 f"it must be that of the file's name, {shown(path.stem)}")
    if "like" in document and (not isinstance(document["like"], str) or not TARGET.fullmatch(document["like"])):
        raise ConfigurationError(f"{path}: like is {shown(document['like'])}; name a target that has a file")
    if "replace" in document and "like" not in document:
        raise ConfigurationError(f"{path}: replace changes the sets of another file: name its target as like")
    if "sets" in document or "like" not in document:
        if not isinstance(document.get("sets"), list) or not document["sets"]:
            raise ConfigurationError(f"{path}: sets must be a list of at least one set")
    return document


def read_chain(path):
    """The document of a file, that of the file it is like, and so on."""
    chain = [read_document(path)]
    while "like" in chain[-1]:
        if chain[-1]["like"] in [each["target"] for each in chain]:
            way = " like ".join(each["target"] for each in chain)
            raise ConfigurationError(f"{path}: {way} like {chain[-1]['like']} goes in a circle: give sets to one of them")
        chain.append(read_document(path.with_name(chain[-1]["like"] + ".json")))
    return chain


def set_of(values):
    """The values as what is asked at once whether it has one of them."""
    return values if isinstance(values, range) else frozenset(values)


def rule_of(where, rule, fields):
    """A rule {"where": {field: value or values}, "by": {field: value}}, its fields and values checked."""
    if not isinstance(rule, dict) or set(rule) != {"where", "by"} or not all(isinstance(v, dict) and v for v in rule.values()):
        raise ConfigurationError(f'{where}: {shown(rule)} is not allowed: give {{"where": {{field: value}}, "by": {{field: '
                                 f'value}}}}')
    for name in [*rule["where"], *rule["by"]]:
        if name not in fields:
            raise ConfigurationError(f"{where}: there is no field {name}; there are {', '.join(fields)}")
    condition = {name: set_of(leaf_values(f"{where}.where.{name}", fields[name], value)) for name, value in rule["where"].items()}
    change = {name: checked_value(f"{where}.by.{name}", fields[name], value) for name, value in rule["by"].items()}
    return condition, change


def replaced(where, rules, combinations, fields):
    """The combinations, changed by each rule whose condition they meet as they are given."""
    if not isinstance(rules, list) or not rules:
        raise ConfigurationError(f"{where}: give a list of at least one rule")
    changed = [dict(c) for c in combinations]
    for number, rule in enumerate(rules):
        condition, change = rule_of(f"{where}[{number}]", rule, fields)
        met = [new for c, new in zip(combinations, changed) if all(c[name] in values for name, values in condition.items())]
        if not met:
            raise ConfigurationError(f"{where}[{number}]: no combination has {shown(rule['where'])}: leave the rule out")
        for new in met:
            new.update(change)
    return changed


def read_combinations(path, fields):
    """What a file stands for: the different combinations of all sets, those of the file that it is like first."""
    found = []
    for document in reversed(read_chain(path)):
        here = path.with_name(document["target"] + ".json")
        if "replace" in document:
            found = replaced(f"{here}: replace", document["replace"], found, fields)
        for number, entry in enumerate(document.get("sets", [])):
            found += combinations_of(f"{here}: sets[{number}]", entry, fields)
            bounded(here, len(found))
    return list({tuple(c.items()): c for c in found}.values())


def original_of(path, fields):
    """The target whose programs a file has, with other numbers at most: its own, or that of the file that it is like."""
    for document in read_chain(path):
        changes = [name for rule in document.get("replace", []) for name in rule["by"]]
        if "sets" in document or any(fields[name]["kind"] == "choice" for name in changes):
            return document["target"]
    raise AssertionError("the last of a chain has sets")

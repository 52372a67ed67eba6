#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Expands the configurations of an operation into instances, per target: one small source each, and a registry.

    generate.py list      names of the instances
    generate.py count     how many combinations there are, how many are legal, and why the others are not
    generate.py explain   the same, with an example and its reason for each broken rule
    generate.py generate  writes the sources (only those that changed) to --output, and prints `target;source` for each
    generate.py schema    the JSON schema of the operation's files

A file tile_engine_configs/<operation>/<target>.json holds sets; a set gives each field of the operation's configuration a
value, a list of values or, for numbers, {"min": 64, "max": 256, "step": 64}. Every combination is an instance if it is legal.
What fields there are and what is legal, only C++ knows: <operation>/config_tool.cpp is compiled and asked.
"""

import argparse
import ast
import collections
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDES = [folder for folder in (HERE.parent, HERE.parents[1] / "include", HERE.parents[2] / "include")
            if (folder / "ck_tile" / "reflect").is_dir()]


class ConfigurationError(Exception):
    """Something that the caller must mend: a file, an argument, a compiler that is missing."""


# ---- what C++ knows


class Tool:
    """The compiled config_tool.cpp of an operation; compiled again when it or a header of it has changed."""

    def __init__(self, folder, compiler, flags, cache):
        self.source = folder / "config_tool.cpp"
        self.program = cache / f"{folder.name}_config_tool"
        if not self.is_current():
            self.compile(compiler, flags)
        answer = json.loads(self.ask("fields"))
        self.support = answer["support"]
        self.fields = {field["name"]: field for field in answer["fields"]}

    def dependencies(self):
        text = self.program.with_suffix(".d").read_text().split(":", 1)[1]
        return [Path(name) for name in text.replace("\\\n", " ").split()]

    def is_current(self):
        try:
            built = self.program.stat().st_mtime
            return all(path.stat().st_mtime <= built for path in self.dependencies())
        except OSError:
            return False

    def compile(self, compiler, flags):
        self.program.parent.mkdir(parents=True, exist_ok=True)
        command = [compiler, *flags, "-std=c++20", "-O0", "-DFMT_HEADER_ONLY", *(f"-I{folder}" for folder in INCLUDES),
                   "-MMD", "-MF", str(self.program.with_suffix(".d")), str(self.source), "-o", str(self.program)]
        if subprocess.run(command).returncode != 0:
            raise ConfigurationError(f"{self.source} cannot be compiled: see above")

    def ask(self, command, text=""):
        done = subprocess.run([self.program, command], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise ConfigurationError(done.stderr.strip())
        return done.stdout

    def check(self, combinations):
        """For each combination (field -> value) what check() says: name, C++ value, and rule and reason if it is illegal."""
        return json.loads(self.ask("check", json.dumps([nested(c) for c in combinations])))


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


# ---- from a file to combinations


def range_of(where, value):
    if set(value) != {"min", "max", "step"}:
        raise ConfigurationError(f"{where}: a range has the keys min, max and step, not {', '.join(value) or 'none'}")
    for key, number in value.items():
        if type(number) is not int:
            raise ConfigurationError(f"{where}.{key}: {json.dumps(number)} is not allowed: give a whole number")
    if value["step"] < 1 or value["max"] < value["min"]:
        raise ConfigurationError(f"{where}: a range goes from min up to max by a step of 1 or more, "
                                 f"not {json.dumps(value)}")
    return list(range(value["min"], value["max"] + 1, value["step"]))


def leaf_values(where, field, value):
    if field["kind"] == "number" and isinstance(value, dict):
        return range_of(where, value)
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ConfigurationError(f"{where}: the list is empty: give at least one value")
    for v in values:
        if field["kind"] == "choice" and v not in field["values"]:
            raise ConfigurationError(f"{where}: {json.dumps(v)} is not allowed: choose from {', '.join(field['values'])}")
        if field["kind"] == "number" and type(v) is not int:
            raise ConfigurationError(f"{where}: {json.dumps(v)} is not allowed: give a whole number")
    return values


def combinations_of(where, value, fields, prefix=""):
    """All combinations that `value`, an object or a list of objects, stands for, as {field: value}."""
    if isinstance(value, list):
        if not value:
            raise ConfigurationError(f"{where}: the list is empty: give at least one value")
        return [c for each in value for c in combinations_of(where, each, fields, prefix)]
    members = list(dict.fromkeys(name[len(prefix):].split(".")[0] for name in fields if name.startswith(prefix)))
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where}: {json.dumps(value)} is not allowed: give an object with {', '.join(members)}")
    for key in value:
        if key not in members:
            raise ConfigurationError(f"{where}: unknown key {key!r}; allowed are {', '.join(members)}")
    columns = []
    for member in members:
        if member not in value:
            raise ConfigurationError(f"{where}: {member} is missing; there must be {', '.join(members)}")
        name, place = prefix + member, f"{where}.{member}"
        if name in fields:
            columns.append([{name: v} for v in leaf_values(place, fields[name], value[member])])
        else:
            columns.append(combinations_of(place, value[member], fields, name + "."))
    return [dict(pair for part in row for pair in part.items()) for row in itertools.product(*columns)]


def read_document(path):
    try:
        document = json.loads(path.read_text())
    except FileNotFoundError:
        known = ", ".join(sorted(targets_of(path.parent))) or "none"
        raise ConfigurationError(f"{path}: there is no such file; targets with one: {known}")
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path}: not JSON: {error}")
    if not isinstance(document, dict):
        raise ConfigurationError(f"{path}: give an object with target and sets")
    for key in document:
        if key not in ("$schema", "target", "sets"):
            raise ConfigurationError(f"{path}: unknown key {key!r}; allowed are target and sets")
    if document.get("target") != path.stem:
        raise ConfigurationError(f"{path}: target is {json.dumps(document.get('target'))}; "
                                 f"it must be that of the file's name, {json.dumps(path.stem)}")
    if not isinstance(document.get("sets"), list) or not document["sets"]:
        raise ConfigurationError(f"{path}: sets must be a list of at least one set")
    return document


def targets_of(folder):
    return [path.stem for path in folder.glob("*.json") if path.stem != "schema"]


# ---- filters


ALLOWED_IN_FILTERS = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub,
                      ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt,
                      ast.GtE, ast.In, ast.NotIn, ast.Constant, ast.List, ast.Tuple, ast.Load, ast.Name, ast.Attribute)


class Filter:
    """An expression over the fields in Python's syntax: `block.m >= 128 and dtype in ["fp16", "bf16"]`."""

    def __init__(self, text, fields):
        self.text = text
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except SyntaxError as error:
            raise ConfigurationError(f"filter {text!r}: {error.msg}")
        tops = {name.split(".")[0] for name in fields}
        for node in ast.walk(tree):
            if not isinstance(node, ALLOWED_IN_FILTERS):
                raise ConfigurationError(f"filter {text!r}: {type(node).__name__} is not allowed: compare and combine fields "
                                         f"and values")
            if isinstance(node, ast.Name) and node.id not in tops:
                raise ConfigurationError(f"filter {text!r}: there is no field {node.id}; there are {', '.join(fields)}")
            if isinstance(node, ast.Attribute) and ast.unparse(node) not in fields:
                raise ConfigurationError(f"filter {text!r}: there is no field {ast.unparse(node)}; "
                                         f"there are {', '.join(fields)}")
        self.code = compile(tree, "filter", "eval")

    def keeps(self, combination):
        def object_of(value):
            return type("fields", (), {k: object_of(v) for k, v in value.items()}) if isinstance(value, dict) else value

        try:
            return bool(eval(self.code, {"__builtins__": {}}, {k: object_of(v) for k, v in nested(combination).items()}))
        except (TypeError, ZeroDivisionError) as error:
            raise ConfigurationError(f"filter {self.text!r}: {error}")


# ---- the set of instances of a target


class Expansion:
    """What a file stands for: `kept` instances, `rejected` ones, and how many filters left out."""

    def __init__(self, path, tool, filters):
        fields = {name: field for name, field in tool.fields.items() if name != "arch"}
        self.target = path.stem
        document = read_document(path)
        found = {}
        for number, entry in enumerate(document["sets"]):
            for c in combinations_of(f"{path}: sets[{number}]", entry, fields):
                found[tuple(c.items())] = {"arch": self.target, **c}
        combinations = list(found.values())
        answers = tool.check(combinations)
        self.expanded = len(combinations)
        self.rejected = [a for a in answers if "rule" in a]
        legal = [(c, a) for c, a in zip(combinations, answers) if "rule" not in a]
        kept = [(c, a) for c, a in legal if all(f.keeps({**c, "dtype": a["dtype"]}) for f in filters)]
        self.left_out = len(legal) - len(kept)
        self.kept = [{"target": self.target, **a} for _, a in kept]

    def summary(self):
        rules = collections.Counter(a["rule"] for a in self.rejected)
        why = f" ({', '.join(f'{rule}: {count}' for rule, count in rules.most_common())})" if rules else ""
        left_out = f", left out by filters {self.left_out}" if self.left_out else ""
        return (f"{self.target}: expanded {self.expanded}, kept {len(self.kept)}, rejected {len(self.rejected)}{why}"
                f"{left_out}")

    def explanation(self):
        lines = [self.summary()]
        by_rule = collections.defaultdict(list)
        for answer in self.rejected:
            by_rule[answer["rule"]].append(answer)
        for rule, answers in sorted(by_rule.items(), key=lambda item: -len(item[1])):
            lines += [f"  {len(answers)} x {rule}", f"      {answers[0]['reason']}", f"      in {answers[0]['text']}"]
        return "\n".join(lines)


# ---- sources


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def instance_source(operation, instance):
    return f"""// Generated by tile_engine_configs/generate.py.
#include "ops/{operation}/kernel.hpp"

namespace ck_tile::{operation}
{{
inline constexpr config configuration = {instance["value"]};
}}
CK_TILE_KERNEL({instance["name"]}, ck_tile::{operation}::program<ck_tile::{operation}::configuration>)
"""


def support_source(operation, kernels, target, dtype):
    arguments = f"<ck_tile::architecture::{target}, ck_tile::data_type::{dtype}>"
    lines = "\n".join(f"CK_TILE_KERNEL({operation}_{kernel}_{target}_{dtype}, ck_tile::{operation}::{kernel}_program{arguments})"
                      for kernel in kernels)
    return f"""// Generated by tile_engine_configs/generate.py.
#include "ops/{operation}/support_kernels.hpp"

{lines}
"""


def registry_source(operation, kernels, instances, code_objects):
    pairs = sorted({(i["target"], i["dtype"]) for i in instances})
    symbols = [i["name"] for i in instances]
    symbols += [f"{operation}_{kernel}_{target}_{dtype}" for target, dtype in pairs for kernel in kernels]
    declarations = "\n".join(f"extern const ck_tile::kernel {s};" for s in symbols)
    rows = "\n".join(f"    {{{i['value']}, &{i['name']}}}," for i in instances)
    support = "\n".join(
        f"    {{architecture::{t}, data_type::{d}, {{" + ", ".join(f"&{operation}_{k}_{t}_{d}" for k in kernels) + "}},"
        for t, d in pairs)
    embedded = "\n".join(f"extern const bool code_object_{c};" for c in code_objects)
    needed = ", ".join(f"&code_object_{c}" for c in code_objects)
    linked = f"""
// The linker takes the embedded GPU code out of an archive because this refers to it.
{embedded}
[[gnu::used]] const bool* const code_objects[] = {{{needed}}};
""" if code_objects else ""
    return f"""// Generated by tile_engine_configs/generate.py.
#include "ops/{operation}/operation.hpp"

#include <array>

{declarations}
{linked}
namespace ck_tile::{operation}
{{
namespace
{{
constexpr std::array<instance<operation>, {len(instances)}> instance_table = {{{{
{rows}
}}}};
constexpr std::array<support_kernels<operation>, {len(pairs)}> support_table = {{{{
{support}
}}}};
}} // namespace

std::span<const instance<operation>> operation::instances() {{ return instance_table; }}
std::span<const support_kernels<operation>> operation::support_sets() {{ return support_table; }}

}} // namespace ck_tile::{operation}
"""


def generate(operation, kernels, instances, output, gpu_targets):
    sources = []
    for i in instances:
        path = output / f"{i['name']}.cpp"
        write_if_changed(path, instance_source(operation, i))
        sources.append((i["target"], path))
    for target, dtype in sorted({(i["target"], i["dtype"]) for i in instances}):
        path = output / f"{operation}_support_{target}_{dtype}.cpp"
        write_if_changed(path, support_source(operation, kernels, target, dtype))
        sources.append((target, path))
    code_objects = [path.stem for target, path in sources if target in gpu_targets]
    write_if_changed(output / "registry.cpp", registry_source(operation, kernels, instances, code_objects))
    kept = {path for _, path in sources} | {output / "registry.cpp"}
    for stale in set(output.glob("*.cpp")) - kept:
        stale.unlink()
    for target, path in sources:
        print(f"{target};{path}")


# ---- an editor's view of the files


def schema(operation, fields):
    def one_of(field):
        if field["kind"] == "choice":
            return {"enum": field["values"]}
        return {"type": "integer"}

    def leaf(field):
        alternatives = [one_of(field), {"type": "array", "items": one_of(field), "minItems": 1}]
        if field["kind"] == "number":
            alternatives.append({"$ref": "#/$defs/range"})
        return {"anyOf": alternatives}

    def struct(prefix):
        properties = {}
        for name in fields:
            if name.startswith(prefix) and name != "arch":
                member = name[len(prefix):].split(".")[0]
                properties[member] = leaf(fields[name]) if prefix + member == name else \
                    {"anyOf": [struct(prefix + member + "."),
                               {"type": "array", "items": struct(prefix + member + "."), "minItems": 1}]}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Instances of {operation} for one target",
        "type": "object",
        "properties": {"$schema": {"type": "string"}, "target": {"enum": fields["arch"]["values"]},
                       "sets": {"type": "array", "items": struct(""), "minItems": 1}},
        "required": ["target", "sets"],
        "additionalProperties": False,
        "$defs": {"range": {"type": "object", "properties": {k: {"type": "integer"} for k in ("min", "max", "step")},
                            "required": ["min", "max", "step"], "additionalProperties": False}},
    }


# ---- the command line


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("list", "count", "explain", "generate", "schema"))
    parser.add_argument("--operation", required=True, help="a folder of tile_engine_configs")
    parser.add_argument("--targets", help="comma-separated; default: all that have a file")
    parser.add_argument("--filter", action="append", default=[], metavar="EXPRESSION",
                        help='keep only instances for which this holds: \'block.m >= 128 and dtype == "fp16"\'; repeatable')
    parser.add_argument("--configurations", type=Path, default=HERE, metavar="FOLDER",
                        help="where <operation>/<target>.json are; default: beside this script")
    parser.add_argument("--output", type=Path, help="folder for the sources (generate)")
    parser.add_argument("--gpu-targets", default="", help="targets whose GPU code the build embeds (generate)")
    parser.add_argument("--compiler", default=os.environ.get("CXX"), help="a clang++; default: $CXX, else clang++-22 or clang++")
    parser.add_argument("--flags", default=os.environ.get("CXXFLAGS", ""), help="for the compiler; default: $CXXFLAGS")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "build" / "tools", help="folder for the compiled tool")
    return parser.parse_args()


def run(arguments):
    operation = arguments.operation
    if not (HERE / operation / "config_tool.cpp").is_file():
        known = ", ".join(sorted(p.parent.name for p in HERE.glob("*/config_tool.cpp")))
        raise ConfigurationError(f"operation {operation!r} has no configurations; known: {known}")
    compiler = arguments.compiler or shutil.which("clang++-22") or shutil.which("clang++")
    if not compiler:
        raise ConfigurationError("no clang++ was found: name one with --compiler")
    tool = Tool(HERE / operation, compiler, arguments.flags.split(), arguments.cache)
    if arguments.command == "schema":
        print(json.dumps(schema(operation, tool.fields), indent=4))
        return
    folder = arguments.configurations / operation
    known = [t for t in tool.fields["arch"]["values"] if t in targets_of(folder)]
    targets = arguments.targets.split(",") if arguments.targets else known
    filters = [Filter(text, [*tool.fields, *({"dtype"} - set(tool.fields))]) for text in arguments.filter]
    expansions = [Expansion(folder / f"{target}.json", tool, filters) for target in targets]
    instances = [i for e in expansions for i in e.kept]
    if arguments.command == "list":
        for i in instances:
            print(i["name"])
    elif arguments.command == "count":
        for e in expansions:
            print(e.summary())
    elif arguments.command == "explain":
        for e in expansions:
            print(e.explanation())
    else:
        if arguments.output is None:
            raise ConfigurationError("generate needs --output FOLDER")
        for e in expansions:
            print(f"{operation}, {e.summary()}", file=sys.stderr)
        generate(operation, tool.support, instances, arguments.output, arguments.gpu_targets.split(","))


def main():
    try:
        run(parse_arguments())
    except ConfigurationError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

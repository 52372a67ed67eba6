#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Expands the configurations of an operation into instances, per target: one small source each, and a registry.

    generate.py list      names of the instances
    generate.py count     how many combinations there are, how many are legal, and why the others are not
    generate.py explain   the same, with an example and its reason for each broken rule
    generate.py generate  writes the sources (only those that changed) to --output, and prints `target;source` for each
    generate.py schema    the JSON schema of the operation's files
    generate.py support   the sources of --kernels that operations of a family share, for --targets and --types: as `generate` does

A file tile_engine_configs/<operation>/<target>.json holds sets; a set gives each field of the operation's configuration a
value, a list of values or, for numbers, {"min": 64, "max": 256, "step": 64}; a field that it leaves out has its default. Every
combination is an instance if it is legal. `"like": "gfx942"` takes another target's sets, changed as
`"replace": [{"where": {"steps": 16}, "by": {"steps": 12}}]` says, and adds those of its own. What fields there are and what is
legal, only C++ knows: a program made of the operation's description is compiled and asked.
"""

import argparse
import errno
import json
import os
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the folder may be an installed one
from generator import ConfigurationError  # noqa: E402
from generator.filters import Filter  # noqa: E402
from generator.instances import Expansion  # noqa: E402
from generator.rules import read_rules  # noqa: E402
from generator.schema import schema  # noqa: E402
from generator.sets import targets_of  # noqa: E402
from generator.sources import generate, generate_family, generate_set, pairs_with_reference  # noqa: E402
from generator.test_set import code_drawn, sample, test_set  # noqa: E402
from generator.tool import HERE, INCLUDES, Tool  # noqa: E402
from generator.tuned import read_tuned  # noqa: E402

LONGEST_MESSAGE = 10_000  # letters


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("list", "count", "explain", "generate", "schema", "support"))
    parser.add_argument("--operation", required=True, help="a folder of ops")
    parser.add_argument("--targets", help="comma-separated; default: all that have a file")
    parser.add_argument("--filter", action="append", default=[], metavar="EXPRESSION",
                        help='keep only instances for which this holds: \'block.m >= 128 and dtype == "fp16"\'; repeatable')
    parser.add_argument("--select", choices=("all", "test", "sample"), default="all",
                        help="of these all, or few that together show everything and some more, or a third "
                             "(default: %(default)s)")
    parser.add_argument("--seed", default="", metavar="TEXT", help="what draws of --select test and sample")
    parser.add_argument("--rules", type=Path, metavar="FILE",
                        help="rules for code objects: the test set has an instance for each (tests/code_objects)")
    parser.add_argument("--root", type=Path, metavar="FOLDER",
                        help="where ops/<operation> and tile_engine_configs are; default: where this script is")
    parser.add_argument("--configurations", type=Path, metavar="FOLDER",
                        help="where <operation>/<target>.json are; default: in the root")
    parser.add_argument("--kernels", metavar="NAMES", help="comma-separated, of ops/<operation>/support_kernels.hpp (support)")
    parser.add_argument("--types", metavar="NAMES", help="comma-separated (support)")
    parser.add_argument("--output", type=Path, help="folder for the sources (generate, support)")
    parser.add_argument("--set", metavar="NAME", help="the sources are to be instances beside the library's, under this name (generate)")
    parser.add_argument("--gpu-targets", default="", help="targets whose GPU code the build embeds (generate, support)")
    parser.add_argument("--absent-gpus", default="", metavar="TARGETS",
                        help="those of which the machine has no GPU: an eighth, as the seed draws it, gets GPU code, the rest is for the CPU "
                             "(generate, support)")
    parser.add_argument("--compiler", default=os.environ.get("CXX"), help="a clang++; default: $CXX, else clang++-22 or clang++")
    parser.add_argument("--flags", default=os.environ.get("CXXFLAGS", ""), help="for the compiler; default: $CXXFLAGS")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "build" / "tools", help="folder for the compiled tool")
    return parser.parse_args()


def code_of(arguments):
    return code_drawn(arguments.gpu_targets.split(","), arguments.absent_gpus.split(","), arguments.seed)


def support(arguments, roots):
    """The sources of the kernels of a family of operations, which has no instances."""
    family = arguments.operation
    if not any((root / "ops" / family / "support_kernels.hpp").is_file() for root in roots):
        raise ConfigurationError(f"{family!r} has no kernels that operations share: write ops/{family}/support_kernels.hpp")
    for option in "kernels", "targets", "types", "output":
        if getattr(arguments, option) is None:
            raise ConfigurationError(f"support needs --{option}")
    pairs = pairs_with_reference((target, dtype) for target in arguments.targets.split(",") for dtype in arguments.types.split(","))
    generate_family(family, arguments.kernels.split(","), pairs, arguments.output, code_of(arguments))


def run(arguments):
    operation = arguments.operation
    roots = [arguments.root, *INCLUDES] if arguments.root else INCLUDES
    if arguments.command == "support":
        support(arguments, roots)
        return
    if not any((root / "ops" / operation / "operation.hpp").is_file() for root in roots):
        known = ", ".join(sorted({path.parent.name for root in roots for path in root.glob("ops/*/operation.hpp")}))
        raise ConfigurationError(f"operation {operation!r} is not described; known: {known}")
    compiler = arguments.compiler or shutil.which("clang++-22") or shutil.which("clang++")
    if not compiler:
        raise ConfigurationError("no clang++ was found: name one with --compiler")
    tool = Tool(operation, roots, compiler, arguments.flags.split(), arguments.cache)
    if arguments.command == "schema":
        print(json.dumps(schema(operation, tool.fields), indent=4))
        return
    folder = (arguments.configurations or (arguments.root / "tile_engine_configs" if arguments.root else HERE)) / operation
    known = [t for t in tool.fields["arch"]["values"] if t in targets_of(folder)]
    targets = arguments.targets.split(",") if arguments.targets else known
    filters = [Filter(text, tool.fields | {"dtype": {"kind": "choice"}}) for text in arguments.filter]
    expansions = [Expansion(folder / f"{target}.json", tool, filters) for target in targets]
    if arguments.select != "all":
        rules = read_rules(arguments.rules) if arguments.rules else ()
        names = (test_set(expansions, tool.fields, arguments.seed, rules) if arguments.select == "test"
                 else sample(expansions, tool.fields, arguments.seed))
        for e in expansions:
            e.keep(names)
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
        if arguments.set:
            for target, e in zip(targets, expansions):
                if e.rejected and len(e.rejected) == e.expanded:
                    raise ConfigurationError(f"{folder / f'{target}.json'}: of {e.expanded} configurations none is legal: "
                                             f"{e.rejected[0]['reason']}; in {e.rejected[0]['text']}")
            generate_set(operation, arguments.set, instances, arguments.output, code_of(arguments))
        else:
            generate(operation, tool.support, instances, read_tuned(folder, operation, targets), arguments.output, code_of(arguments))


def main():
    try:
        if sys.stdout is None:  # closed
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        try:
            run(parse_arguments())
        finally:
            sys.stdout.flush()
    except ConfigurationError as error:
        reason = str(error)
    except OSError as error:
        reason = f"{error.filename or 'standard output'} cannot be read or written ({error.strerror}): choose another path"
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python still wants to write at its end
    else:
        return 0
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in reason)
    print(f"generate.py: {line[:LONGEST_MESSAGE]}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

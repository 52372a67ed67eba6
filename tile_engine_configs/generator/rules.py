# SPDX-License-Identifier: MIT
"""Of which kernels a rule about code objects speaks: {"kernel": glob or "kernel_regex": regular expression, "arch": glob or list
of globs, ...}. scripts/inspect_code_objects.py holds them to it, the test set has an example for each."""

import fnmatch
import re

from generator import ConfigurationError
from generator.documents import read_json, shown


def read_rules(path):
    """The rules of a file; only what says of which kernels they speak is checked."""
    document = read_json(path)
    rules = document.get("rules") if isinstance(document, dict) else None
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise ConfigurationError(f"{path}: give an object with rules, a list of objects")
    for number, rule in enumerate(rules):
        words = [rule.get("kernel", "*"), rule.get("kernel_regex", ""), *arch_patterns(rule)]
        if not all(isinstance(word, str) for word in words):
            raise ConfigurationError(f"{path}: rules[{number}]: kernel, kernel_regex and arch must be texts, or arch a list of them")
        try:
            re.compile(words[1])
        except (re.error, RecursionError, OverflowError) as error:
            raise ConfigurationError(f"{path}: rules[{number}].kernel_regex: {shown(words[1])} is no regular expression: {error}")
    return rules


def arch_patterns(rule):
    arch = rule.get("arch", "*")
    return arch if isinstance(arch, list) else [arch]


def speaks_of(rule, name):
    return fnmatch.fnmatchcase(name, rule.get("kernel", "*")) and re.search(rule.get("kernel_regex", ""), name) is not None

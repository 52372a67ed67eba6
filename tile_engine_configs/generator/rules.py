# SPDX-License-Identifier: MIT
"""Of which kernels a rule about code objects speaks: {"kernel": glob or "kernel_regex": regular expression, "arch": glob or list
of globs, ...}. scripts/inspect_code_objects.py holds them to it, the test set has an example for each."""

import fnmatch
import re


def arch_patterns(rule):
    arch = rule.get("arch", "*")
    return [arch] if isinstance(arch, str) else arch


def speaks_of(rule, name):
    return fnmatch.fnmatchcase(name, rule.get("kernel", "*")) and re.search(rule.get("kernel_regex", ""), name) is not None

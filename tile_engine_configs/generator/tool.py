# SPDX-License-Identifier: MIT
"""What C++ knows of an operation's configurations: its compiled config_tool.cpp, asked."""

import json
import os
import subprocess
from pathlib import Path

from generator import ConfigurationError

HERE = Path(__file__).resolve().parents[1]
INCLUDES = [folder for folder in (HERE.parent, HERE.parents[1] / "include", HERE.parents[2] / "include")
            if (folder / "ck_tile" / "reflect").is_dir()]


class Tool:
    """The compiled config_tool.cpp of an operation; compiled again when it or a header of it has changed.

    `fields` has, by its full name (block.m), each field's kind, the values of a choice, and its default if it has one."""

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
        made = self.program.with_suffix(f".{os.getpid()}")  # another process may make the same one
        command = [compiler, *flags, "-std=c++20", "-O0", "-DFMT_HEADER_ONLY", *(f"-I{folder}" for folder in INCLUDES),
                   "-MMD", "-MF", str(self.program.with_suffix(".d")), str(self.source), "-o", str(made)]
        if subprocess.run(command).returncode != 0:
            raise ConfigurationError(f"{self.source} cannot be compiled: see above")
        made.replace(self.program)

    def ask(self, command, text=""):
        done = subprocess.run([self.program, command], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise ConfigurationError(done.stderr.strip())
        return done.stdout

    def check(self, combinations):
        """For each combination (field -> value) what C++ says: its name, dtype, value (C++) and text, and, if check() rejects
        it, rule and reason."""
        lines = "".join(" ".join(str(c[name]) for name in self.fields) + "\n" for c in combinations)
        keys = ("name", "dtype", "value", "text", "rule", "reason")
        return [dict(zip(keys, line.split("\t"))) for line in self.ask("check", lines).splitlines()]

# SPDX-License-Identifier: MIT
"""Conditions on the fields of a configuration."""

import ast

from generator import ConfigurationError
from generator.sets import nested

ALLOWED = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
           ast.Div, ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
           ast.Constant, ast.List, ast.Tuple, ast.Load, ast.Name, ast.Attribute)


NUMBERS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Name, ast.Attribute)  # what numbers are made of
LONGEST_SHOWN = 100  # in messages
LONGEST = 2000  # letters: Python compiles nested ones by functions that call themselves


class Filter:
    """An expression over the fields in Python's syntax: `block.m >= 128 and dtype in ["fp16", "bf16"]`."""

    def __init__(self, text, fields):
        """`fields` is {name: what the tool says of it}."""
        self.name = f"filter {text!r}" if len(text) <= LONGEST_SHOWN else f"filter {text[:LONGEST_SHOWN]!r}..."
        if len(text) > LONGEST:
            raise ConfigurationError(f"{self.name}: has {len(text)} letters, at most {LONGEST} are allowed: give several filters")
        try:
            tree = ast.parse(text.strip(), mode="eval")
            for node in ast.walk(tree):
                self.check(node, fields)
            self.code = compile(tree, "filter", "eval")
        except SyntaxError as error:
            raise ConfigurationError(f"{self.name}: {error.msg.split(';')[0]}")
        except (ValueError, RecursionError, MemoryError):  # bytes that are no text, and nesting that Python cannot do
            raise ConfigurationError(f"{self.name}: Python cannot compile it: give several filters")

    def check(self, node, fields):
        there_are = f"; there are {', '.join(fields)}"
        if not isinstance(node, ALLOWED):
            raise ConfigurationError(f"{self.name}: {type(node).__name__} is not allowed: compare and combine fields and values")
        if isinstance(node, ast.Name) and node.id not in {name.split(".")[0] for name in fields}:
            raise ConfigurationError(f"{self.name}: there is no field {node.id}{there_are}")
        if isinstance(node, ast.Attribute) and ast.unparse(node) not in fields:
            raise ConfigurationError(f"{self.name}: there is no field {ast.unparse(node)}{there_are}")
        if isinstance(node, ast.BinOp):
            for operand in (node.left, node.right):
                if not is_number(operand, fields):  # a text or a list times a number may be as long as memory
                    raise ConfigurationError(f"{self.name}: {ast.unparse(operand)} is not allowed in arithmetic: give a number")

    def keeps(self, combination):
        def object_of(value):
            return type("fields", (), {k: object_of(v) for k, v in value.items()}) if isinstance(value, dict) else value

        try:
            return bool(eval(self.code, {"__builtins__": {}}, {k: object_of(v) for k, v in nested(combination).items()}))
        except (TypeError, ArithmeticError) as error:
            raise ConfigurationError(f"{self.name}: {error}")


def is_number(node, fields):
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    return isinstance(node, NUMBERS) and fields.get(ast.unparse(node), {}).get("kind") != "choice"

# SPDX-License-Identifier: MIT
"""Conditions on the fields of a configuration."""

import ast

from generator import ConfigurationError
from generator.sets import nested

ALLOWED = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
           ast.Div, ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
           ast.Constant, ast.List, ast.Tuple, ast.Load, ast.Name, ast.Attribute)


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
            if not isinstance(node, ALLOWED):
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

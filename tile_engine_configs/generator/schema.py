# SPDX-License-Identifier: MIT
"""An editor's view of an operation's files: their JSON schema."""

from generator.sets import members_of


def of_one_value(field):
    return {"enum": field["values"]} if field["kind"] == "choice" else {"type": "integer"}


def of_leaf(field):
    alternatives = [of_one_value(field), {"type": "array", "items": of_one_value(field), "minItems": 1}]
    if field["kind"] == "number":
        alternatives.append({"$ref": "#/$defs/range"})
    return {"anyOf": alternatives}


def of_struct(fields, prefix=""):
    members = members_of(fields, prefix)
    properties = {}
    for member in members:
        name = prefix + member
        if name in fields:
            properties[member] = of_leaf(fields[name])
        else:
            struct = of_struct(fields, name + ".")
            properties[member] = {"anyOf": [struct, {"type": "array", "items": struct, "minItems": 1}]}
    return {"type": "object", "properties": properties, "required": [m for m, must in members.items() if must],
            "additionalProperties": False}


def schema(operation, all_fields):
    fields = {name: field for name, field in all_fields.items() if name != "arch"}
    target = {"enum": all_fields["arch"]["values"]}
    replace = {name: {"type": "object", "additionalProperties": of_one_value(field)} for name, field in fields.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Instances of {operation} for one target",
        "type": "object",
        "properties": {"$schema": {"type": "string"}, "target": target, "like": target,
                       "replace": {"type": "object", "properties": replace, "additionalProperties": False},
                       "sets": {"type": "array", "items": of_struct(fields), "minItems": 1}},
        "required": ["target"],
        "anyOf": [{"required": ["like"]}, {"required": ["sets"]}],
        "dependentRequired": {"replace": ["like"]},
        "additionalProperties": False,
        "$defs": {"range": {"type": "object", "properties": {k: {"type": "integer"} for k in ("min", "max", "step")},
                            "required": ["min", "max", "step"], "additionalProperties": False}},
    }

# SPDX-License-Identifier: MIT
"""An editor's view of an operation's files: their JSON schema."""

from generator.sets import members_of


def one_or_more(what):
    return {"anyOf": [what, {"type": "array", "items": what, "minItems": 1}]}


def closed(properties, **more):
    """An object of no other properties."""
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


class Definitions:
    """What a schema refers to: values of the fields, and structs."""

    def __init__(self, fields):
        number = {"type": "integer"}
        limits = ("min", "max", "step")
        self.fields = fields
        self.all = {"number": number,
                    "numbers": {"anyOf": [*one_or_more(number)["anyOf"], closed({k: number for k in limits}, required=limits)]}}
        for name, field in fields.items():
            if field["kind"] == "choice":
                self.all[name] = {"enum": field["values"]}

    def value(self, name):
        """One value of a field."""
        return {"$ref": "#/$defs/" + (name if name in self.all else "number")}

    def values(self, name):
        """What a set can give for a field."""
        return one_or_more(self.value(name)) if name in self.all else {"$ref": "#/$defs/numbers"}

    def struct(self, prefix=""):
        """What a set can give for a struct, or the set itself."""
        members = members_of(self.fields, prefix)
        properties = {member: self.values(prefix + member) if prefix + member in self.fields
                      else one_or_more(self.struct(prefix + member + ".")) for member in members}
        self.all[prefix + "members"] = closed(properties, required=[m for m, must in members.items() if must])
        return {"$ref": f"#/$defs/{prefix}members"}


def schema(operation, all_fields):
    fields = {name: field for name, field in all_fields.items() if name != "arch"}
    target = {"enum": all_fields["arch"]["values"]}
    defined = Definitions(fields)
    one_set = defined.struct()
    rule = closed({"where": closed({name: defined.values(name) for name in fields}, minProperties=1),
                   "by": closed({name: defined.value(name) for name in fields}, minProperties=1)}, required=["where", "by"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Instances of {operation} for one target",
        **closed({"$schema": {"type": "string"}, "target": target, "like": target,
                  "replace": {"type": "array", "items": rule, "minItems": 1},
                  "sets": {"type": "array", "items": one_set, "minItems": 1}},
                 required=["target"], anyOf=[{"required": ["like"]}, {"required": ["sets"]}],
                 dependentRequired={"replace": ["like"]}),
        "$defs": defined.all,
    }

# SPDX-License-Identifier: MIT
"""JSON files that people write, and their values in messages."""

import json

from generator import ConfigurationError

DEEPEST = 32  # brackets in brackets: what a file means needs a few; functions that call themselves would not come back from many
MOST_DIGITS = 20
LONGEST = 100  # letters of a value in a message


def shown(value):
    """A value of a document, as JSON, as a message has it."""
    text = json.dumps(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def read_json(path):
    """What a JSON file has. Where there is none, the system's error."""
    def whole_number(digits):
        if len(digits) > MOST_DIGITS:  # Python reads no more than some thousands, other programs none of these
            raise ConfigurationError(f"{path}: {digits[:MOST_DIGITS]}... is not allowed: give a number of 32 bits")
        return int(digits)

    too_deep = ConfigurationError(f"{path}: its brackets are nested more than {DEEPEST} deep: give a field a value, a list or a "
                                  f"struct")
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_int=whole_number)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8: byte {error.start} is {error.object[error.start]:#04x}: save it as UTF-8")
    except RecursionError:
        raise too_deep
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path}: not JSON: {error}")
    inside = [document]
    for _ in range(DEEPEST + 1):
        brackets = [value for value in inside if isinstance(value, (dict, list))]
        inside = [inner for value in brackets for inner in (value.values() if isinstance(value, dict) else value)]
    if brackets:
        raise too_deep
    return document

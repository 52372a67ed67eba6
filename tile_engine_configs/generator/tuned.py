# SPDX-License-Identifier: MIT
"""The tuned tables that an operation's library has in it: <operation>/tuned/<target>.json, as `ck_tile_profiler --tune` writes them."""

import json

from generator import ConfigurationError
from generator.documents import read_json


def is_of_gpu(choice, architecture):
    target = choice.get("target") if isinstance(choice, dict) else None
    return isinstance(target, str) and target.endswith(f":{architecture}") and not target.startswith("host:")


def read_tuned(folder, operation, targets):
    """(target, its table as a text), for those targets that have one."""
    tables = []
    for path in sorted((folder / "tuned").glob("*.json")):
        if path.stem not in targets:
            continue
        document = read_json(path)
        choices = document.get("choices") if isinstance(document, dict) and document.get("operation") == operation else None
        if not isinstance(choices, list) or not all(is_of_gpu(choice, path.stem) for choice in choices):
            raise ConfigurationError(f"{path}: give a tuned table of {operation}, as --tune writes it, measured on GPUs whose "
                                     f"targets end in :{path.stem}")
        tables.append((path.stem, json.dumps(document)))
    return tables

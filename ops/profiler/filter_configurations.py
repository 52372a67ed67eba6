#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which configurations an expression holds of: reads a JSON list of them, each {field: value}, writes one of true and false.

    filter_configurations.py 'block.m >= 128 and dtype == "fp16"' < configurations.json

The language is that of generate.py --filter. ck_tile_profiler asks this.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the folder may be an installed one
sys.path.insert(0, str(Path(__file__).absolute().parent.parent / "tile_engine_configs"))
from generator import ConfigurationError  # noqa: E402
from generator.filters import Filter  # noqa: E402


def main():
    configurations = json.load(sys.stdin)
    fields = {name: {"kind": "choice" if isinstance(value, str) else "number"} for c in configurations for name, value in c.items()}
    try:
        keeps = Filter(sys.argv[1], fields)
        print(json.dumps([keeps.keeps(c) for c in configurations]))
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a wheel of a fresh copy of the tree, with one operation for the CPU, installs it into an empty virtual environment, and runs
# smoke.py there. Needs pip, and what that fetches; CXX=<clang++> chooses the compiler.
#
# usage: wheel_test.sh [FOLDER]      where to work; else a temporary one
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-$(mktemp -d)}
[[ -n ${1:-} ]] || trap 'rm -rf "$folder"' EXIT

git clone --quiet "$root" "$folder/clone"
python3 -m venv "$folder/empty"
"$folder/empty/bin/pip" wheel --quiet --no-deps "$folder/clone/python" --wheel-dir "$folder/wheel" -C cmake.define.CK_TILE_OPS=groupnorm_fwd \
    -C cmake.define.CK_TILE_TARGETS=host:gfx942 -C cmake.define.CK_TILE_DTYPES=fp32 -C cmake.define.CK_TILE_INSTANCES=test
"$folder/empty/bin/pip" install --quiet --no-index "$folder/wheel/"*.whl
cd "$folder" # not where the sources are
env -u CK_TILE_LIBRARY -u PYTHONPATH "$folder/empty/bin/python" "$root/tests/python/smoke.py"

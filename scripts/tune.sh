#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures every instance of every operation on the problems of a suite on this machine's GPU, each held against the reference
# kernel, and writes the fastest to the tuned tables in tile_engine_configs/<operation>/tuned/, which the next build has in its
# libraries. Takes minutes.
#
#   scripts/tune.sh [SUITE...]                  default: benchmarks/suite.json
#
# Profiles (JSON and CSV) and charts of what was measured go to profiles/. PROFILER=<path> names another build's program than
# build-all/bin/ck_tile_profiler, TABLES=<folder> and PROFILES=<folder> other folders; OPERATIONS="grouped_conv_fwd maxpool_bwd" are
# measured alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly profiler=${PROFILER:-build-all/bin/ck_tile_profiler} tables=${TABLES:-tile_engine_configs} profiles=${PROFILES:-profiles}
[[ -x $profiler ]] || { echo "tune.sh: $profiler is not there: build all instances (cmake --preset all), or set PROFILER" >&2; exit 2; }
[[ $# -gt 0 ]] || set -- benchmarks/suite.json
mkdir -p "$tables" "$profiles"
plot=()
if python3 -c 'import matplotlib' 2> /dev/null; then
    plot=(--plot)
else
    echo "tune.sh: no charts: python3-matplotlib is not installed"
fi
status=0
for suite in "$@"; do
    for operation in ${OPERATIONS:-all}; do
        name=$profiles/$(basename "$suite" .json)_$operation
        "$profiler" "$operation" 2 2 1 --suite "$suite" --tune --tuned "$tables" --json "$name.json" --csv "$name.csv" \
            "${plot[@]}" "${plot[@]:+$name.svg}" || status=$?
    done
done
exit "$status"

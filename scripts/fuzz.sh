#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the fuzz targets of tests/fuzz under the address and undefined-behaviour sanitizers, one after the other.
#
#   scripts/fuzz.sh [SECONDS [TARGET ...]]      60 seconds each, and npy, tuned_table, configuration and command_line, if nothing is said
#
# Inputs that reach something new are kept in build-sanitize/tests/fuzz/<target>; what one fails for, and the input, is in
# build-sanitize/fuzz/<target>. Exit code: 1 if any fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly seconds=${1:-60}
targets=("${@:2}")
[[ ${#targets[@]} -gt 0 ]] || targets=(npy tuned_table configuration command_line)
readonly build=${BUILD:-build-sanitize}

[[ -f $build/build.ninja ]] || cmake --preset sanitize ${CXX:+"-DCMAKE_CXX_COMPILER=$CXX"} > /dev/null
cmake --build "$build" --target "${targets[@]/%/_fuzz}" > /dev/null
failed=()
for target in "${targets[@]}"; do
    findings=$build/fuzz/$target
    mkdir -p "$findings" "$build/tests/fuzz/$target"
    if "$build/bin/${target}_fuzz" "-max_total_time=$seconds" -timeout=10 -rss_limit_mb=4096 "-artifact_prefix=$findings/" \
        "$build/tests/fuzz/$target" "tests/fuzz/seeds/$target" > "$findings/log.txt" 2>&1; then
        echo "$target: $(grep -o 'Done [0-9]* runs' "$findings/log.txt" || echo done), nothing found"
    else
        failed+=("$target")
        echo "$target: $(grep -m 1 -E 'ERROR|runtime error|libFuzzer: ' "$findings/log.txt"), see $findings" >&2
    fi
done
[[ ${#failed[@]} -eq 0 ]]

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the tests of every operation and of the runtime on this machine's GPU three times in a row, and on an NVIDIA GPU a
# representative part of them under compute-sanitizer: memcheck, racecheck and synccheck.
#
#   scripts/check_gpu.sh [FOLDER WITH THE TESTS' PROGRAMS]      default: build/bin
#
# Closes with the line `N passed, N failed`, where each run of a program and each tool counts as one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly folder=${1:-build/bin}
readonly on_gpu='*/cuda*:*/hip*'
# Every instance of every type, several tiles or blocks and splits, uneven padding, odd channels; the sanitizers are slow.
readonly part='*LargerThanOne*/cuda_*:*EveryInstanceRuns/cuda_*:*FewChannels*/cuda_*:*PaddingUneven*/cuda_*:*SameBits*/cuda_*'
passed=0 failed=0

# has_tests PROGRAM FILTER
has_tests() { "$1" --gtest_list_tests --gtest_filter="$2" | grep -q '^  '; }

shopt -s nullglob
built=("$folder"/ops_*_kernel_test "$folder"/ops_*_operation_test "$folder"/ck_tile_runtime_device_tes[t])
[[ ${#built[@]} -gt 0 ]] || { echo "check_gpu.sh: no test of a kernel in $folder: build it, or name its folder" >&2; exit 2; }
programs=()
for tests in "${built[@]}"; do
    if has_tests "$tests" "$on_gpu"; then
        programs+=("$tests")
    fi
done
[[ ${#programs[@]} -gt 0 ]] || { echo "check_gpu.sh: there is no GPU that ${built[*]} have code for" >&2; exit 2; }

# run NAME COMMAND...: prints NAME and the outcome, and the whole output where it fails.
run()
{
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "$name: passed; $(grep -E 'PASSED|SUMMARY' <<< "$output" | tr -s '= []' ' ' | paste -sd, -)"
        passed=$((passed + 1))
    else
        printf '%s\n%s: FAILED\n' "$output" "$name"
        failed=$((failed + 1))
    fi
}

for tests in "${programs[@]}"; do
    for turn in 1 2 3; do
        run "${tests##*/}, run $turn" "$tests" --gtest_filter="$on_gpu"
    done
done
if has_tests "${programs[0]}" '*/cuda_*'; then
    if command -v compute-sanitizer > /dev/null; then
        for tests in "${programs[@]}"; do
            has_tests "$tests" "$part" || continue
            for tool in memcheck racecheck synccheck; do
                run "${tests##*/}, $tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$tests" --gtest_filter="$part"
            done
        done
    else
        echo "check_gpu.sh: compute-sanitizer is not installed: it comes with CUDA's toolkit" >&2
        failed=$((failed + 1))
    fi
fi
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]

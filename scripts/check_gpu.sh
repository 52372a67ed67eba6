#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the kernel tests on this machine's GPU three times in a row, and on an NVIDIA GPU a representative part of them under
# compute-sanitizer: memcheck, racecheck and synccheck.
#
#   scripts/check_gpu.sh [FOLDER WITH THE TESTS' PROGRAMS]      default: build/bin
#
# Closes with the line `N passed, N failed`, where each run and each tool counts as one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly tests=${1:-build/bin}/ops_grouped_conv_bwd_weight_kernel_test
readonly on_gpu='*/cuda_*:*/hip_*'
# Every instance of every type, several tiles and splits, uneven padding, odd channels; the sanitizers are slow.
readonly part='*LargerThanOneTile/cuda_*:*Depthwise/cuda_*:*PaddingUneven*/cuda_*:*SameBits*/cuda_*'
passed=0 failed=0

[[ -x $tests ]] || { echo "check_gpu.sh: $tests is not there: build it, or name its folder" >&2; exit 2; }
"$tests" --gtest_list_tests --gtest_filter="$on_gpu" | grep -q '^  ' || {
    echo "check_gpu.sh: there is no GPU that $tests has code for" >&2
    exit 2
}

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

for turn in 1 2 3; do
    run "kernel tests, run $turn" "$tests" --gtest_filter="$on_gpu"
done
if "$tests" --gtest_list_tests --gtest_filter='*/cuda_*' | grep -q '^  '; then
    if command -v compute-sanitizer > /dev/null; then
        for tool in memcheck racecheck synccheck; do
            run "$tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$tests" --gtest_filter="$part"
        done
    else
        echo "check_gpu.sh: compute-sanitizer is not installed: it comes with CUDA's toolkit" >&2
        failed=$((failed + 1))
    fi
fi
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the kernel tests of every operation on this machine's GPU three times in a row, and on an NVIDIA GPU a representative part
# of them under compute-sanitizer: memcheck, racecheck and synccheck.
#
#   scripts/check_gpu.sh [FOLDER WITH THE TESTS' PROGRAMS]      default: build/bin
#
# Operations that are not built are named and left out. Closes with the line `N passed, N failed`, where each run and each tool
# counts as one per operation.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly folder=${1:-build/bin}
readonly on_gpu='*/cuda_*:*/hip_*'
# Of each operation, tests that run every instance of every type, over several blocks; the sanitizers are slow.
declare -rA parts=(
    [grouped_conv_bwd_weight]='*LargerThanOneTile/cuda_*:*Depthwise/cuda_*:*PaddingUneven*/cuda_*:*SameBits*/cuda_*'
    [groupnorm_bwd]='*EveryInstanceRuns/cuda_*:*EachOutputAbsent/cuda_*:*FewChannels*/cuda_*'
    [groupnorm_fwd]='*EveryInstanceRuns/cuda_*:*ParametersAbsent/cuda_*:*FewChannels*/cuda_*'
    [maxpool_bwd]='*EveryInstanceRuns*/cuda_*:*EmptyBatch*/cuda_*:*NoWindowReaches/cuda_*'
    [maxpool_fwd]='*LargerThanOneBlock/cuda_*:*ReferenceKernel*/cuda_*')
passed=0 failed=0

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

# has_tests PROGRAM FILTER
has_tests()
{
    "$1" --gtest_list_tests --gtest_filter="$2" | grep -q '^  '
}

for operation in $(printf '%s\n' "${!parts[@]}" | sort); do
    tests=$folder/ops_${operation}_kernel_test
    if [[ ! -x $tests ]]; then
        echo "$operation: $tests is not there, left out"
        continue
    fi
    has_tests "$tests" "$on_gpu" || {
        echo "check_gpu.sh: there is no GPU that $tests has code for" >&2
        exit 2
    }
    for turn in 1 2 3; do
        run "$operation, run $turn" "$tests" --gtest_filter="$on_gpu"
    done
    has_tests "$tests" '*/cuda_*' || continue
    if ! command -v compute-sanitizer > /dev/null; then
        echo "check_gpu.sh: compute-sanitizer is not installed: it comes with CUDA's toolkit" >&2
        failed=$((failed + 1))
        continue
    fi
    for tool in memcheck racecheck synccheck; do
        run "$operation, $tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$tests" \
            --gtest_filter="${parts[$operation]}"
    done
done
if [[ $((passed + failed)) -eq 0 ]]; then
    echo "check_gpu.sh: $folder holds no kernel tests: build them, or name their folder" >&2
    exit 2
fi
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]

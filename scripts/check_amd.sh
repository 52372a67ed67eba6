#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the kernels and instances of every operation, and the lessons, on AMD GPUs: on this machine's, or on emulated ones of every architecture.
#
#   scripts/check_amd.sh [EMULATOR [FOLDER WITH THE TESTS' PROGRAMS]]      default: build/bin
#
# EMULATOR is a program that starts another with a HIP runtime of its own, whose GPU is the processor that HIPEMU_ARCH names.
# Without it, or where it is empty, the tests run on the GPU that there is. Tensors of over 2 GB, or 2^31 elements, are left to GPUs that exist.
# A lesson is one test, of a small problem that is no multiple of its tile.
# Closes with the line `N passed, N failed`, of tests; a program that does not run to its end counts as one that failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly emulator=${1:-} folder=${2:-build/bin}
filter='*/hip*'
processors=(installed)
if [[ -n $emulator ]]; then
    [[ -x $emulator ]] || { echo "check_amd.sh: $emulator is not a program: name the emulator, or nothing" >&2; exit 2; }
    filter+=':-*BeyondTwo*'
    processors=(gfx942 gfx90a gfx950 gfx1100)
fi
declare -A sizes=([copy]="20008" [softmax]="5 1000" [transpose]="72 136" [stencil]="70 65" [gemm]="70 99 40"
                  [gemm_pipelined]="140 136 40" [gemm_bias_activation]="140 136 40" [attention]="1 72")
shopt -s nullglob
programs=("$folder"/ops_*_kernel_test "$folder"/ops_*_instances_test)
for lesson in "${!sizes[@]}"; do
    [[ ! -x $folder/tutorial_$lesson ]] || programs+=("$folder/tutorial_$lesson hip ${sizes[$lesson]}")
done
[[ ${#programs[@]} -gt 0 ]] || { echo "check_amd.sh: no test of a kernel in $folder: build it, or name its folder" >&2; exit 2; }

# run PROCESSOR PROGRAM [ARGUMENT ...]: a line of what came out, `<passed> <failed> <program> on <processor>`, after the output of what
# failed. With arguments it is a lesson, which says `right`.
run()
{
    local processor=$1 tests=$2 output status=0 passed failed
    shift 2
    local arguments=("$@")
    [[ $# -gt 0 ]] || arguments=(--gtest_filter="$filter")
    output=$(HIPEMU_ARCH=$processor ${emulator:+"$emulator"} "$tests" "${arguments[@]}" 2>&1) || status=$?
    passed=$(grep -oP '^\[  PASSED  \] \K[0-9]+' <<< "$output" || grep -c ': right' <<< "$output")
    failed=$(grep -oP '^\[  FAILED  \] \K[0-9]+(?= tests?, listed below)' <<< "$output")
    if [[ $status -ne 0 && $output != *"this program holds no code for"* ]]; then # built for fewer targets
        printf '%s\n' "$output" >&2
        failed=${failed:-1}
    fi
    echo "${passed:-0} ${failed:-0} ${tests##*/} on $processor"
}
export -f run
export emulator filter

# The longest ones first, two by two: the order of the glob has the convolution's first.
results=$(for tests in "${programs[@]}"; do printf '%s\n' "${processors[@]/%/ $tests}"; done |
    xargs -P "$(nproc)" -L 1 bash -c 'run "$@"' run)
sort -k 5,5 -k 3,3 <<< "$results" | while read -r passed failed what; do
    echo "$what: $passed passed, $failed failed"
done
read -r passed failed <<< "$(awk '{ passed += $1; failed += $2 } END { print passed + 0, failed + 0 }' <<< "$results")"
echo "$passed passed, $failed failed"
# No test at all is none that passed: there was no GPU, or no code for it.
[[ $failed -eq 0 && $passed -gt 0 ]]

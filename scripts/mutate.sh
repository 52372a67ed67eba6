#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Puts mistakes into a copy of the library, one line at a time, and says which of them no test sees.
#
#   scripts/mutate.sh [--list] [NAME ...]       all mistakes of scripts/mutations.txt, or those whose names have one of these in them
#
# A mistake is found when the tests that it names no longer compile, or fail. The copy, and the build of it, are in build-mutate/, for
# the CPU alone; the first build takes some minutes, each mistake what its tests need to be built again: with
# CMAKE_CXX_COMPILER_LAUNCHER=ccache in the environment, nothing twice. OPS, DTYPES and TARGETS there say what is built, where that is to
# be less: some operations, one type, one shape of the CPU. Exit code: 1 if there are survivors that the list does not explain, 2 if
# an edit no longer changes one line, or a test fails without a mistake.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly copy=$PWD/build-mutate/source build=$PWD/build-mutate/build list=$PWD/build-mutate/mutations.txt
readonly limit=300 # seconds of one test program

if [[ ${1:-} == --list ]]; then
    grep -v '^#' scripts/mutations.txt | cut -f 1,2 | column -t
    exit
fi
wanted=("$@")

is_wanted()
{
    [[ ${#wanted[@]} -eq 0 ]] && return 0
    local part
    for part in "${wanted[@]}"; do
        [[ $1 == *"$part"* ]] && return 0
    done
    return 1
}

# Whether a test sees what is in the copy: builds these targets, and runs them. `$by`: what saw it.
is_found()
{
    by=compiler
    cmake --build "$build" --target "$@" > "$build/mutation.log" 2>&1 || return 0
    for program in "$@"; do
        by=$program
        CK_TILE_CHECK=1 timeout "$limit" "$build/bin/$program" --gtest_brief=1 > "$build/mutation.log" 2>&1 || return 0
    done
    return 1
}

# The file with the mistake, on stdout.
edited() { sed -E "$2" "$1"; }

mkdir -p "$copy" "$build"
cp scripts/mutations.txt "$list"

# All edits, before anything is built.
stale=0
while IFS=$'\t' read -r name file _ edit _; do
    [[ -z $name || $name == \#* ]] && continue
    changed=$(edited "$file" "$edit" | diff "$file" - | grep -c '^[<>]' || true)
    if [[ $changed -lt 1 || $changed -gt 2 ]]; then
        echo "mutate.sh: $name changes $changed lines of $file, not one: correct scripts/mutations.txt" >&2
        stale=1
    fi
done < "$list"
[[ $stale -eq 0 ]] || exit 2

# What has not changed keeps its time, and is not built again.
comm -z -23 <(cd "$copy" && find . -type f -printf '%P\0' | sort -z) <(git ls-files -z | sort -z) | (cd "$copy" && xargs -0 -r rm --)
git ls-files -z | while IFS= read -r -d '' file; do
    cmp -s "$file" "$copy/$file" || cp --parents "$file" "$copy"
done
cmake -G Ninja -S "$copy" -B "$build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=${CXX:-clang++-22}" \
    "-DCK_TILE_TARGETS=${TARGETS:-host:gfx942;host:gfx11;host:sm90}" "-DCK_TILE_DTYPES=${DTYPES:-fp16;fp32}" -DCK_TILE_INSTANCES=test \
    "-DCK_TILE_OPS=${OPS:-maxpool_fwd;maxpool_bwd;avgpool_fwd;avgpool_bwd;groupnorm_fwd;groupnorm_bwd;grouped_conv_fwd;grouped_conv_conv_fwd;narrow_conv_fwd;narrow_conv_bwd_weight}" \
    -DCK_TILE_BUILD_PROFILER=OFF -DCK_TILE_BUILD_C_API=OFF > "$build/configure.log"

# What fails without a mistake would find all of them.
programs=$(while IFS=$'\t' read -r name _ tests _; do
    [[ -z $name || $name == \#* ]] || ! is_wanted "$name" || tr ' ' '\n' <<< "$tests"
done < "$list" | sort -u)
# shellcheck disable=SC2086
if is_found $programs; then
    tail -n 20 "$build/mutation.log" >&2
    echo "mutate.sh: the tests fail as they are: mend them first" >&2
    exit 2
fi

found=0 survived=0 explained=0
while IFS=$'\t' read -r name file tests edit why; do
    [[ -z $name || $name == \#* ]] && continue
    is_wanted "$name" || continue
    edited "$file" "$edit" > "$copy/$file"
    # shellcheck disable=SC2086
    if is_found $tests; then
        found=$((found + 1)) verdict="found by $by"
    elif [[ -n $why ]]; then
        explained=$((explained + 1)) verdict="survives: $why"
    else
        survived=$((survived + 1)) verdict="SURVIVES"
    fi
    printf '%-44s %s\n' "$name" "$verdict"
    cp "$file" "$copy/$file"
done < "$list"
echo "$found found, $survived survived, $explained survived as explained"
[[ $survived -eq 0 ]]

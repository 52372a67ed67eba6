#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Puts mistakes into a copy of the library, one line at a time, and says which of them no test sees.
#
#   scripts/mutate.sh [--list] [NAME ...]       all mistakes of scripts/mutations.txt, or those whose names have one of these in them
#
# A mistake is found when the tests that it names no longer compile, or fail. The copy, and the build of it, are in build-mutate/, for
# the CPU alone. Mistakes that take out a call are built all at once, each behind a switch that the environment turns; each other one
# takes what its tests need to be built again: with CMAKE_CXX_COMPILER_LAUNCHER=ccache in the environment, nothing twice. OPS, DTYPES
# and TARGETS there say what is built, where that is to be less: some operations, one type, one shape of the CPU. Exit code: 1 if there
# are survivors that the list does not explain, 2 if an edit no longer changes one line, or a test fails without a mistake.
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

build_tests() { cmake --build "$build" --target "$@" > "$build/mutation.log" 2>&1; }

# Whether one of these tests fails with this switch turned, none if 0. `$by`: which.
is_seen()
{
    local turned=$1
    shift
    for by in "$@"; do
        CK_TILE_CHECK=1 CK_TILE_MUTATION=$turned timeout "$limit" "$build/bin/$by" --gtest_brief=1 --gtest_fail_fast \
            > "$build/mutation.$turned.log" 2>&1 || return 0
    done
    return 1
}

# The file with the mistake, on stdout.
edited() { sed -E "$2" "$1"; }

# What a line is to be where only the switch takes out the call that the mistake does, on stdout; 1 if it does something else.
switched()
{
    local from=$1 to=$2 number=$3 head=0
    local -r length=$((${#from} - ${#to}))
    while [[ $head -lt ${#to} && ${from:head:1} == "${to:head:1}" ]]; do head=$((head + 1)); done
    [[ $length -gt 0 && ${from:head + length} == "${to:head}" ]] || return 1
    local -r call='^( *)([a-z_][][A-Za-z0-9_.:<>() +-]*\))(;?( *//.*)?)$'
    [[ ${from:head:length} =~ $call && ${BASH_REMATCH[2]} != return* ]] || return 1
    echo "${from:0:head}${BASH_REMATCH[1]}static_cast<void>(ck_tile_mutation == $number ||" \
        "(${BASH_REMATCH[2]}, true))${BASH_REMATCH[3]}${from:head + length}"
}

mkdir -p "$copy" "$build"
cp scripts/mutations.txt "$list"

# All edits, before anything is built; behind switches those that take out a call, of which a line has one.
readonly with_switches=$build/with_switches
rm -rf "$with_switches" && mkdir "$with_switches"
declare -A switch_of=()
number=0 stale=0
while IFS=$'\t' read -r name file _ edit _; do
    [[ -z $name || $name == \#* ]] && continue
    number=$((number + 1))
    [[ -e $with_switches/$file ]] || cp --parents "$file" "$with_switches"
    difference=$(edited "$file" "$edit" | diff "$file" - || true)
    changed=$(grep -c '^[<>]' <<< "$difference" || true)
    if [[ $changed -lt 1 || $changed -gt 2 ]]; then
        echo "mutate.sh: $name changes $changed lines of $file, not one: correct scripts/mutations.txt" >&2
        stale=1
    fi
    line=${difference%%[acd]*}
    from=$(sed -n 's/^< //p' <<< "$difference")
    to=$(sed -n 's/^> //p' <<< "$difference")
    if [[ $(sed -n "${line}p" "$with_switches/$file") == "$from" ]] && text=$(switched "$from" "$to" "$number"); then
        sed -i "${line}c\\$text" "$with_switches/$file"
        switch_of[$name]=$number
    fi
done < "$list"
[[ $stale -eq 0 ]] || exit 2
find "$with_switches" -type f -exec sed -i "1a#include \"$build/mutation.hpp\"" {} +

# What has not changed keeps its time, and is not built again.
comm -z -23 <(cd "$copy" && find . -type f -printf '%P\0' | sort -z) <(git ls-files -z | sort -z) | (cd "$copy" && xargs -0 -r rm --)
git ls-files -z | while IFS= read -r -d '' file; do
    from=$with_switches/$file
    [[ -e $from ]] || from=$file
    cmp -s "$from" "$copy/$file" || install -D -m "$(stat -c %a "$file")" "$from" "$copy/$file"
done
cat > "$build/mutation.hpp.new" <<- 'END'
	#pragma once
	#include <cstdlib>
	// Which mistake the environment turns on.
	inline const int ck_tile_mutation = [] {
	    const char* number = std::getenv("CK_TILE_MUTATION");
	    return number != nullptr ? std::atoi(number) : 0;
	}();
	END
cmp -s "$build/mutation.hpp.new" "$build/mutation.hpp" || cp "$build/mutation.hpp.new" "$build/mutation.hpp"
cmake -G Ninja -S "$copy" -B "$build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=${CXX:-clang++-22}" \
    "-DCK_TILE_TARGETS=${TARGETS:-host:gfx942;host:gfx11;host:sm90}" \
    "-DCK_TILE_DTYPES=${DTYPES:-fp16;fp32}" -DCK_TILE_INSTANCES=test \
    "-DCK_TILE_OPS=${OPS:-maxpool_fwd;maxpool_bwd;avgpool_fwd;avgpool_bwd;groupnorm_fwd;groupnorm_bwd;grouped_conv_fwd;grouped_conv_conv_fwd;narrow_conv_fwd;narrow_conv_bwd_data;narrow_conv_bwd_weight}" \
    -DCK_TILE_BUILD_PROFILER=OFF -DCK_TILE_BUILD_C_API=OFF > "$build/configure.log"

# What fails without a mistake would find all of them.
programs=$(while IFS=$'\t' read -r name _ tests _; do
    [[ -z $name || $name == \#* ]] || ! is_wanted "$name" || tr ' ' '\n' <<< "$tests"
done < "$list" | sort -u)
# shellcheck disable=SC2086
if ! build_tests $programs; then
    tail -n 20 "$build/mutation.log" >&2
    echo "mutate.sh: the tests do not compile as they are: mend them first" >&2
    exit 2
elif is_seen 0 $programs; then
    tail -n 20 "$build/mutation.0.log" >&2
    echo "mutate.sh: $by fails as it is: mend it first" >&2
    exit 2
fi

# Each verdict is a file: the mistakes behind switches are tried several at once.
readonly verdicts=$build/verdicts
rm -rf "$verdicts" && mkdir "$verdicts"
try_switch()
{
    local -r name=$1 number=$2
    shift 2
    if is_seen "$number" "$@"; then echo "found by $by" > "$verdicts/$name"; fi
}
while IFS=$'\t' read -r name _ tests _; do
    if [[ -z ${switch_of[$name]:-} ]] || ! is_wanted "$name"; then continue; fi
    while [[ $(jobs -pr | wc -l) -ge $(nproc) ]]; do wait -n || true; done
    # shellcheck disable=SC2086
    try_switch "$name" "${switch_of[$name]}" $tests &
done < "$list"
wait

found=0 survived=0 explained=0
while IFS=$'\t' read -r name file tests edit why; do
    [[ -z $name || $name == \#* ]] && continue
    is_wanted "$name" || continue
    if [[ -z ${switch_of[$name]:-} ]]; then
        cp "$copy/$file" "$build/without_mistake"
        edited "$file" "$edit" > "$copy/$file"
        # shellcheck disable=SC2086
        if ! build_tests $tests; then
            echo "found by the compiler" > "$verdicts/$name"
        elif is_seen 0 $tests; then
            echo "found by $by" > "$verdicts/$name"
        fi
        cp "$build/without_mistake" "$copy/$file"
    fi
    if [[ -e $verdicts/$name ]]; then
        found=$((found + 1)) verdict=$(< "$verdicts/$name")
    elif [[ -n $why ]]; then
        explained=$((explained + 1)) verdict="survives: $why"
    else
        survived=$((survived + 1)) verdict="SURVIVES"
    fi
    printf '%-44s %s\n' "$name" "$verdict"
done < "$list"
echo "$found found, $survived survived, $explained survived as explained"
[[ $survived -eq 0 ]]

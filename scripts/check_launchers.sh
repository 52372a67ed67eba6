#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shows that instances build under compiler launchers, which is how a set too large for one machine is built: with ccache a
# second build compiles nothing, with distcc a server (here on the loopback) compiles. Needs the packages ccache and distcc.
#
#   scripts/check_launchers.sh [ccache|distcc]...      default: both
#
# distcc and icecream send what the CPU runs to their servers; a GPU's code (clang -x hip, -x cuda) they compile locally.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly folder=$(mktemp -d)
readonly port=36320
server=
finish()
{
    [[ -z $server ]] || kill "$server" 2> /dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
fail() { echo "check_launchers.sh: $*" >&2; exit 1; }

# build <launcher>: an instance of one operation, for the CPU and for gfx942.
build()
{
    rm -rf "$folder/build"
    cmake -S . -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=${CXX:-clang++-22}" \
        "-DCMAKE_CXX_COMPILER_LAUNCHER=$1" "-DCK_TILE_TARGETS=host:gfx942;gfx942" -DCK_TILE_DTYPES=fp16 \
        -DCK_TILE_OPS=grouped_conv_bwd_weight "-DCK_TILE_FILTERS=block.m == 128 and spatial == 3 and vector.out == 8" \
        -DCK_TILE_HOST_FLAGS=-march=x86-64-v3 -DCK_TILE_BUILD_TESTS=OFF -DCK_TILE_BUILD_PROFILER=OFF -DCK_TILE_BUILD_C_API=OFF > "$folder/configure.log" ||
        { cat "$folder/configure.log" >&2; fail "the configuration failed"; }
    cmake --build "$folder/build" --target ck_tile_grouped_conv_bwd_weight > "$folder/build.log" ||
        { tail -n 30 "$folder/build.log" >&2; fail "the build with $1 failed"; }
}

with_ccache()
{
    export CCACHE_DIR=$folder/ccache
    build ccache
    ccache --zero-stats > /dev/null
    build ccache
    local hits misses
    hits=$(ccache --print-stats | awk '$1 == "direct_cache_hit" || $1 == "preprocessed_cache_hit" { n += $2 } END { print n + 0 }')
    misses=$(ccache --print-stats | awk '$1 == "cache_miss" { print $2 + 0 }')
    echo "ccache: the second build took $hits objects from the cache, and compiled ${misses:-0}"
    local object
    for object in "$folder"/build/code_objects/*/*.hsaco; do
        grep -qs kernel.hpp "$object.d" ||
            fail "the build does not know what ${object##*/}, which came from the cache, depends on"
    done
    [[ $hits -gt 0 && ${misses:-0} -eq 0 ]] || { ccache --show-stats --verbose >&2; fail "the second build compiled again"; }
}

with_distcc()
{
    local log=$folder/distccd.log
    # As root, the server becomes the user distcc, who must be able to write.
    touch "$log"
    chmod a+rx "$folder"
    chmod a+rw "$log"
    mkdir "$folder/distcc"
    distccd --no-detach --daemon --listen 127.0.0.1 --allow 127.0.0.1 --port $port --jobs 2 --log-file "$log" \
        --log-level info &
    server=$!
    sleep 1
    kill -0 "$server" 2> /dev/null || fail "distccd did not start: $(cat "$log")"
    export DISTCC_HOSTS=127.0.0.1:$port/2 DISTCC_DIR=$folder/distcc
    build distcc
    local done_there
    done_there=$(grep -c "COMPILE_OK" "$log" || true)
    echo "distcc: the server compiled $done_there sources"
    [[ $done_there -gt 0 ]] || { tail -n 20 "$log" >&2; fail "the server compiled nothing"; }
}

launchers=("$@")
[[ ${#launchers[@]} -gt 0 ]] || launchers=(ccache distcc)
for launcher in "${launchers[@]}"; do
    case $launcher in
        ccache | distcc) command -v "$launcher" > /dev/null || fail "$launcher is not installed" ;;
        *) fail "unknown launcher '$launcher': ccache or distcc" ;;
    esac
    "with_$launcher"
done

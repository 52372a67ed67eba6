#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the Debian 12 packages that are missing; does nothing, and needs no network, when none is.
#
#   scripts/install_packages.sh [build|test]
#     build  what compiling and running the examples needs
#     test   that, and what the tests need (default)
#
# CXX=<another clang++> keeps the Debian compiler from being installed, a ROCm (ROCM_PATH, else /opt/rocm) Debian's HIP
# runtime. CK_TILE_INSTALL=no installs nothing at all.
set -euo pipefail

fail() { echo "install_packages.sh: $*" >&2; exit 1; }

[[ $# -le 1 ]] || fail "one argument at most: build or test"
readonly set_name=${1:-test}
packages=(libboost1.81-dev libcli11-dev libfmt-dev libstdc++-12-dev nlohmann-json3-dev cmake ninja-build python3)
test_packages=(googletest libbenchmark-dev libgmock-dev libgtest-dev pkg-config python3-jsonschema python3-matplotlib)

if [[ -z ${CXX:-} ]]; then
    # lld-22 links code objects. clang-tools-22 has clang-linker-wrapper, without which programs written in HIP do not
    # link; libclang-rt-22-dev the sanitizers; llvm-22 what scripts/inspect_code_objects.py reads code objects with.
    packages+=(clang-22 lld-22)
    test_packages+=(ccache clang-tools-22 libclang-rt-22-dev llvm-22)
elif ! command -v "$CXX" > /dev/null; then
    fail "CXX is '$CXX', which is not found: install it, or unset CXX to have clang-22 installed"
fi
if [[ ! -e ${ROCM_PATH:-/opt/rocm}/include/hip/hip_runtime_api.h ]]; then
    packages+=(libamdhip64-dev)
fi

case $set_name in
    build) ;;
    test) packages+=("${test_packages[@]}") ;;
    *) fail "unknown set '$set_name': build or test" ;;
esac

if [[ ${CK_TILE_INSTALL:-yes} == no ]]; then
    exit 0
fi
if ! { command -v dpkg-query && command -v apt-get; } > /dev/null; then
    echo "install_packages.sh: no apt here, so nothing is installed; needed are: ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) != installed ]]; then
        missing+=("$package")
    fi
done
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [[ $(id -u) -ne 0 ]]; then
    command -v sudo > /dev/null || fail "neither root nor sudo; ask an administrator for: ${missing[*]}"
    as_root=(sudo "${as_root[@]}")
fi
echo "Installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq || fail "apt-get update failed (see above)"
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null ||
    fail "apt-get could not install: ${missing[*]} (the names are those of Debian 12; elsewhere install what matches
them and set CK_TILE_INSTALL=no)"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, runs every test, and closes with the line `N passed, N failed`.
#
#   scripts/test.sh [--all] [ARGUMENT OF CTEST...]      for example: scripts/test.sh -R distribution
#
# Of the instances it builds a set that has every formulation, target, type and layout, and some more that the commit's hash
# draws, into build/; with --all every instance, into build-all/. Without an NVIDIA GPU an eighth of that set's code for one is compiled.
# Tests of the Python package need PyTorch, which pip installs into build/venv (2 minutes, 5 GB), if it can; CK_TILE_WITHOUT_TORCH=1
# leaves them out, CK_TILE_PYTHON_WITH_TORCH=<python> takes one that has it.
# CXX=<another clang++> builds with that compiler; PRESET=sanitize with the address and undefined-behaviour sanitizers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${PRESET:-default}
if [[ ${1:-} == --all ]]; then
    preset=all
    shift
fi
build=build
[[ $preset == default ]] || build=build-$preset

# No test ran: that counts as one failure.
stop()
{
    echo "test.sh: $*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

# Prints `N passed, N failed` of a JUnit file of CTest. A test that could not run for want of its program has failed.
count_results()
{
    python3 - "$1" << 'PYTHON'
import sys
from xml.etree import ElementTree

passed = failed = 0
skipped = []
for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
    why = case.find("skipped")
    if case.get("status") == "run":
        passed += 1
    elif case.get("status") == "disabled" or (why is not None and "SKIP_" in why.get("message", "")):
        skipped.append(case.get("name"))
    else:
        failed += 1
if skipped:
    print(f"{len(skipped)} skipped or disabled: {', '.join(skipped)}")
print(f"{passed} passed, {failed} failed")
PYTHON
}

# Prints a Python that has PyTorch; without one says why on stderr, and prints nothing.
find_torch()
{
    if [[ -n ${CK_TILE_WITHOUT_TORCH:-} ]]; then
        echo "test.sh: the tests of ck_tile.torch are left out: CK_TILE_WITHOUT_TORCH is set" >&2
    elif [[ -n ${CK_TILE_PYTHON_WITH_TORCH:-} ]]; then
        echo "$CK_TILE_PYTHON_WITH_TORCH"
    elif build/venv/bin/python -c "import torch, tqdm" 2> /dev/null ||
        { python3 -m venv build/venv && build/venv/bin/pip install --quiet torch numpy tqdm; } >&2; then
        echo "$PWD/build/venv/bin/python"
    else
        echo "test.sh: the tests of ck_tile.torch are left out: pip could not install PyTorch into build/venv" >&2
    fi
}

scripts/install_packages.sh test || stop "the packages could not be installed"
sample=$(git rev-parse HEAD 2> /dev/null || echo none) # also of a tree that is no checkout
torch=$(find_torch)
absent=
[[ -e /dev/nvidiactl ]] || absent=sm90
cmake --preset "$preset" "-DCK_TILE_SAMPLE=$sample" "-DCK_TILE_ABSENT_GPUS=$absent" "-DCK_TILE_PYTHON_WITH_TORCH=$torch" ${CXX:+"-DCMAKE_CXX_COMPILER=$CXX"} || stop "the configuration failed"
# What is left, while it builds: done/all steps, percent, seconds.
NINJA_STATUS='[%f/%t %p %es] ' cmake --build "$build" || stop "the build failed"

results=$PWD/$build/test_results.xml # ctest would take a relative path as one in its --test-dir
rm -f "$results"
status=0
ctest --test-dir "$build" --output-on-failure --no-tests=error -j"$(nproc)" --output-junit "$results" "$@" || status=$?
[[ -s $results ]] || stop "ctest ran no test"
summary=$(count_results "$results") || stop "the results of ctest could not be read"
[[ $summary != "0 passed, 0 failed" ]] || stop "no test was run"
echo "$summary"
[[ $status -eq 0 && $summary == *" passed, 0 failed" ]]

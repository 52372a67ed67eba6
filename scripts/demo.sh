#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Computes the weight gradients of layers of known networks, and verifies each against a double-precision reference.
# Installs what is missing and builds only the one program that it needs.
#
#   scripts/demo.sh [OPTION OF grouped_conv_bwd_weight...]      for example: scripts/demo.sh --target host:gfx11
#
# CXX=<another clang++> builds with that compiler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly program=build/bin/grouped_conv_bwd_weight
readonly results=build/demo

# name | ndim G N K C | filter | input | strides | dilations | left pads | right pads          (K and C per group)
readonly layers="
ResNet-50 stem 7x7 s2      | 2   1 2   64    3 | 7 7   | 224 224 | 2 2   | 1 1   | 3 3   | 3 3
ResNet-50 conv2 3x3        | 2   1 2   64   64 | 3 3   | 56 56   | 1 1   | 1 1   | 1 1   | 1 1
ResNet-50 conv2 1x1        | 2   1 2  256   64 | 1 1   | 56 56   | 1 1   | 1 1   | 0 0   | 0 0
ResNet-50 conv3 3x3 s2     | 2   1 2  128  128 | 3 3   | 56 56   | 2 2   | 1 1   | 1 1   | 1 1
ResNet-50 shortcut 1x1 s2  | 2   1 2  512  256 | 1 1   | 56 56   | 2 2   | 1 1   | 0 0   | 0 0
ResNet-50 conv4 3x3        | 2   1 2  256  256 | 3 3   | 14 14   | 1 1   | 1 1   | 1 1   | 1 1
ResNet-50 conv5 3x3        | 2   1 2  512  512 | 3 3   | 7 7     | 1 1   | 1 1   | 1 1   | 1 1
ResNet-50 conv5 1x1        | 2   1 2 2048  512 | 1 1   | 7 7     | 1 1   | 1 1   | 0 0   | 0 0
ResNeXt-50 conv2, 32 groups| 2  32 1    4    4 | 3 3   | 56 56   | 1 1   | 1 1   | 1 1   | 1 1
ResNeXt-50 conv4, 32 groups| 2  32 2   16   16 | 3 3   | 14 14   | 1 1   | 1 1   | 1 1   | 1 1
MobileNetV2 depthwise      | 2 384 1    1    1 | 3 3   | 14 14   | 1 1   | 1 1   | 1 1   | 1 1
ResNet3D-18 conv5, 3-D     | 3   1 1  512  512 | 3 3 3 | 2 7 7   | 1 1 1 | 1 1 1 | 1 1 1 | 1 1 1
"

fail() { echo "demo.sh: $*" >&2; exit 1; }

# One line of the table: layer, its file of results, the program's numbers.
print_row()
{
    python3 - "$@" << 'PYTHON'
import json
import sys
from math import prod

name, file, *numbers = sys.argv[1:]
ndim, groups, batch, k, c, *rest = map(int, numbers)
filters, sizes, strides, dilations, left, right = (rest[i * ndim:(i + 1) * ndim] for i in range(6))
outputs = [(size + l + r - d * (f - 1) - 1) // s + 1
           for size, l, r, d, f, s in zip(sizes, left, right, dilations, filters, strides)]
operations = 2 * groups * batch * k * c * prod(filters) * prod(outputs)


def leaves(value):
    """Every (key, value) in the JSON, however deep."""
    for key, inner in value.items():
        yield from leaves(inner) if isinstance(inner, dict) else [(key, inner)]


with open(file, encoding="utf-8") as text:
    facts = dict(leaves(json.load(text)))


def fact(*keys):
    for key in keys:
        if key in facts:
            return facts[key]
    sys.exit(f"demo.sh: {file} has no {' or '.join(keys)}; it has {', '.join(facts)}")


milliseconds = fact("time_ms", "ms", "milliseconds")
verified = fact("verified") in (True, "true", "yes", "passed")
error = fact("largest_error", "max_error", "error")
bound = fact("error_bound", "bound")
dims = "x".join
problem = (f"N{batch} G{groups} K{k} C{c} {dims(map(str, filters))} on {dims(map(str, sizes))}"
           + (f" stride {strides[0]}" if strides[0] > 1 else ""))
print(f"{name:<28}{problem:<42}{milliseconds:>9.2f}{operations / milliseconds / 1e6:>9.1f}"
      f"{error:>12.2e} / {bound:<9.2e}{'yes' if verified else 'NO':>9}", flush=True)
sys.exit(0 if verified else 1)
PYTHON
}

scripts/install_packages.sh build
cmake --preset demo ${CXX:+"-DCMAKE_CXX_COMPILER=$CXX"}
cmake --build build --target grouped_conv_bwd_weight
mkdir -p "$results"

echo
echo "Weight gradients of convolution layers, each verified against a double-precision reference"
count=0
wrong=0
while IFS='|' read -r name dims filter input strides dilations left right; do
    [[ -n $right ]] || continue
    name=${name%"${name##*[! ]}"} # without the blanks at its end
    count=$((count + 1))
    read -ra numbers <<< "$dims $filter $input $strides $dilations $left $right"
    file=$results/$count.json
    log=$results/$count.log
    rm -f "$file"
    status=0
    "$program" 1 2 1 "${numbers[@]}" --json "$file" "$@" > "$log" 2>&1 < /dev/null || status=$?
    if [[ $status -gt 1 || ! -s $file ]]; then
        cat "$log" >&2
        fail "$name: $program ${numbers[*]} ended with status $status (see above)"
    fi
    if [[ $count -eq 1 ]]; then
        grep -i 'no .*gpu\|no .*device' "$log" || true # which target it runs on, and why
        echo
        printf '%-28s%-42s%9s%9s%24s%9s\n' layer problem ms GFLOP/s 'largest error / bound' verified
    fi
    if ! print_row "$name" "$file" "${numbers[@]}" || [[ $status -ne 0 ]]; then
        wrong=$((wrong + 1))
        tail -n 3 "$log" >&2
    fi
done <<< "$layers"

echo
[[ $wrong -eq 0 ]] || fail "$wrong of $count layers are not verified"
echo "All $count layers verified."

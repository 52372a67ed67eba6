#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Computes the weight gradients of layers of known networks, and verifies each against a double-precision reference.
# Installs what is missing and builds only the one program that it needs.
#
#   scripts/demo.sh [OPTION OF grouped_conv_bwd_weight...]      for example: scripts/demo.sh --split-k 4
#
# CXX=<another clang++> builds with that compiler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly program=build-demo/bin/grouped_conv_bwd_weight
readonly results=build-demo/results

# name | ndim G N K C | filter | input | strides | dilations | left pads | right pads          (K and C per group)
readonly layers="
ResNet-50 stem 7x7 s2      | 2   1 4   64    3 | 7 7   | 224 224 | 2 2   | 1 1   | 3 3   | 3 3
ResNet-50 conv2 3x3        | 2   1 4   64   64 | 3 3   | 56 56   | 1 1   | 1 1   | 1 1   | 1 1
ResNet-50 conv2 1x1        | 2   1 4  256   64 | 1 1   | 56 56   | 1 1   | 1 1   | 0 0   | 0 0
ResNet-50 conv3 3x3 s2     | 2   1 4  128  128 | 3 3   | 56 56   | 2 2   | 1 1   | 1 1   | 1 1
ResNet-50 shortcut 1x1 s2  | 2   1 4  512  256 | 1 1   | 56 56   | 2 2   | 1 1   | 0 0   | 0 0
ResNet-50 conv4 3x3        | 2   1 4  256  256 | 3 3   | 14 14   | 1 1   | 1 1   | 1 1   | 1 1
ResNet-50 conv5 3x3        | 2   1 4  512  512 | 3 3   | 7 7     | 1 1   | 1 1   | 1 1   | 1 1
ResNet-50 conv5 1x1        | 2   1 4 2048  512 | 1 1   | 7 7     | 1 1   | 1 1   | 0 0   | 0 0
ResNeXt-50 conv2, 32 groups| 2  32 2    4    4 | 3 3   | 56 56   | 1 1   | 1 1   | 1 1   | 1 1
ResNeXt-50 conv4, 32 groups| 2  32 2   16   16 | 3 3   | 14 14   | 1 1   | 1 1   | 1 1   | 1 1
MobileNetV2 depthwise      | 2 384 2    1    1 | 3 3   | 14 14   | 1 1   | 1 1   | 1 1   | 1 1
ResNet3D-18 conv5, 3-D     | 3   1 2  512  512 | 3 3 3 | 2 7 7   | 1 1 1 | 1 1 1 | 1 1 1 | 1 1 1
"

fail() { echo "demo.sh: $*" >&2; exit 1; }

# One line of the table, from the layer's name and the program's JSON. Fails if the layer is not verified.
print_row()
{
    python3 - "$@" << 'PYTHON'
import json
import sys

name, file = sys.argv[1:]
with open(file, encoding="utf-8") as text:
    report = json.load(text)
p, verification = report["problem"], report["verification"]
worst = verification["worst"]
sizes = "x".join(map(str, p["filter"])) + " on " + "x".join(map(str, p["input"]))
stride = f" stride {p['strides'][0]}" if p["strides"][0] > 1 else ""
error = float("inf") if worst["error"] is None else worst["error"]  # JSON has no infinity
print(f"{name:<27} {'N{N} G{G} K{K} C{C} '.format(**p) + sizes + stride:<37} {report['timing']['ms']:>8.2f} "
      f"{report['timing']['tflops'] * 1000:>8.2f}  {error:>11.1e} / {worst['bound']:<8.1e}  "
      f"{'yes' if verification['passed'] else 'NO'}", flush=True)
sys.exit(0 if verification["passed"] else 1)
PYTHON
}

scripts/install_packages.sh build
cmake --preset demo ${CXX:+"-DCMAKE_CXX_COMPILER=$CXX"}
# What is left, while it builds: done/all steps, percent, seconds.
NINJA_STATUS='[%f/%t %p %es] ' cmake --build build-demo --target grouped_conv_bwd_weight
mkdir -p "$results"

options=("$@")
[[ " $* " == *" --target"* ]] || options+=(--target host) # what the preset demo builds for

echo
echo "Weight gradients of convolution layers in fp16 (${options[*]}), each verified against a double-precision reference"
echo
printf '%-27s %-37s %8s %8s  %-22s  %s\n' layer problem ms GFLOP/s 'largest error / bound' verified
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
    "$program" 1 2 1 "${numbers[@]}" --json "$file" "${options[@]}" > "$log" 2>&1 < /dev/null || status=$?
    if [[ $status -gt 1 || ! -s $file ]]; then
        cat "$log" >&2
        fail "$name: $program ${numbers[*]} ended with status $status (see above)"
    fi
    if ! print_row "$name" "$file" || [[ $status -ne 0 ]]; then
        wrong=$((wrong + 1))
        tail -n 3 "$log" >&2
    fi
done <<< "$layers"

echo
[[ $wrong -eq 0 ]] || fail "$wrong of $count layers are not verified"
echo "All $count layers verified."

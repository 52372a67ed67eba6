// SPDX-License-Identifier: MIT
// A program compiled for an AMD architecture that the library has no facts of.
// expect: ck_tile has no facts for this AMD architecture; it knows gfx90a
// flags: -x hip --cuda-device-only -nogpulib -nogpuinc -include cstdlib
// flags when right: --offload-arch=gfx90a
// flags when broken: --offload-arch=gfx908
#include "ck_tile/targets/block.hpp"

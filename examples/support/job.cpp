// SPDX-License-Identifier: MIT
#include "examples/support/job.hpp"

namespace ck_tile::examples
{

const char* name_of(verification how)
{
    switch(how)
    {
    case verification::none: return "nothing";
    case verification::cpu: return "the fp64 reference on the CPU";
    case verification::reference_kernel: return "the reference kernel on the target";
    }
    return "unknown";
}

} // namespace ck_tile::examples

// SPDX-License-Identifier: MIT
// What the source that embeds a code object calls: apart, because there are as many of them as kernels, and this compiles in no
// time.
#pragma once

namespace ck_tile
{

// Adds a code object to those of the program, from a static initialiser: the architecture as the compiler was told, its first
// byte and the one after the last. See code_objects.hpp.
bool add_code_object(const char* architecture, const unsigned char* begin, const unsigned char* end);

} // namespace ck_tile

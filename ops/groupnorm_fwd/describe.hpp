// SPDX-License-Identifier: MIT
// The configuration is that of both passes.
#pragma once

#include "ops/groupnorm/describe.hpp"

// SPDX-License-Identifier: MIT
// The whole vocabulary for writing kernels. Kernels that compile often include only what they use.
#pragma once

#include "ck_tile/core/block_order.hpp"
#include "ck_tile/core/distribution.hpp"
#include "ck_tile/core/lds_tile.hpp"
#include "ck_tile/core/lookup_window.hpp"
#include "ck_tile/core/multi_index.hpp"
#include "ck_tile/core/tensor_view.hpp"
#include "ck_tile/core/tile.hpp"
#include "ck_tile/core/transforms.hpp"
#include "ck_tile/core/window.hpp"
#include "ck_tile/gemm/epilogue.hpp"
#include "ck_tile/gemm/mma.hpp"
#include "ck_tile/gemm/pipelines.hpp"
#include "ck_tile/gemm/shape.hpp"
#include "ck_tile/gemm/tile_config.hpp"
#include "ck_tile/numeric/types.hpp"
#include "ck_tile/targets/block.hpp"
#include "ck_tile/targets/targets.hpp"
#include "ck_tile/verbs/load_store.hpp"
#include "ck_tile/verbs/map.hpp"
#include "ck_tile/verbs/reduce.hpp"

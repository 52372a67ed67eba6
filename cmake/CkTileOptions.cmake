# SPDX-License-Identifier: MIT
# What to build, and the flags of every target.

# An architecture is a folder that states its facts.
file(GLOB CK_TILE_ARCHITECTURES CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/ck_tile/targets
    ${PROJECT_SOURCE_DIR}/ck_tile/targets/*/facts.hpp)
list(TRANSFORM CK_TILE_ARCHITECTURES REPLACE "/facts.hpp" "")
include(CkTileTargets)
set(CK_TILE_CONFIGURATIONS "${PROJECT_SOURCE_DIR}/tile_engine_configs" CACHE PATH
    "Folder of the configurations, <operation>/<target>.json, that instances are generated from")
file(GLOB operations CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/ops ${PROJECT_SOURCE_DIR}/ops/*/operation.hpp)
list(TRANSFORM operations REPLACE "/operation.hpp" "" OUTPUT_VARIABLE operations)
set(CK_TILE_OPS "${operations}" CACHE STRING "Operations to build")
option(CK_TILE_BUILD_TESTS "Build the tests" ON)
option(CK_TILE_BUILD_PROFILER "Build ck_tile_profiler, of the operations that are built" ON)
option(CK_TILE_BUILD_C_API "Build the shared library libck_tile with a C API, of the operations that are built" ON)
option(CK_TILE_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
    message(FATAL_ERROR "ck_tile is built with clang 19 or later (found ${CMAKE_CXX_COMPILER_ID} "
                        "${CMAKE_CXX_COMPILER_VERSION}): set CMAKE_CXX_COMPILER to clang++-22 or to a ROCm's clang++")
endif()

foreach(operation IN LISTS CK_TILE_OPS)
    if(NOT operation IN_LIST operations)
        message(FATAL_ERROR "CK_TILE_OPS: '${operation}' is not an operation; choose from ${operations}")
    endif()
endforeach()
if("maxpool_bwd" IN_LIST CK_TILE_OPS AND NOT "maxpool_fwd" IN_LIST CK_TILE_OPS)
    list(APPEND CK_TILE_OPS maxpool_fwd) # which finds the indices that a backward pass is to recompute
endif()
if("grouped_conv_conv_fwd" IN_LIST CK_TILE_OPS AND NOT "grouped_conv_fwd" IN_LIST CK_TILE_OPS)
    list(APPEND CK_TILE_OPS grouped_conv_fwd) # of which two, one after the other, compute what no fused instance does
endif()
foreach(direction fwd bwd_data bwd_weight)
    if("grouped_conv_${direction}" IN_LIST CK_TILE_OPS AND NOT "narrow_conv_${direction}" IN_LIST CK_TILE_OPS)
        list(APPEND CK_TILE_OPS narrow_conv_${direction}) # a formulation of it
    endif()
endforeach()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
separate_arguments(host_flags UNIX_COMMAND "${CK_TILE_HOST_FLAGS}")
# Programs say which verb of a kernel the checker means, wherever their sources are.
add_compile_options(-Wall -Wextra -Werror=switch -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= ${host_flags})
if(CK_TILE_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()

# The HIP runtime's headers: a ROCm's, or the distribution's. The library is loaded when a program asks for an AMD GPU.
find_path(CK_TILE_HIP_INCLUDE hip/hip_runtime_api.h HINTS ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES include REQUIRED)

# SPDX-License-Identifier: MIT
# For which targets, in which types, and which instances of operations to build: choices of this project, and of every one that adds
# operations of its own. CK_TILE_ARCHITECTURES has the architectures that the library knows.

set(CK_TILE_TARGETS "all" CACHE STRING
    "Targets to build: GPU architectures (${CK_TILE_ARCHITECTURES}), the CPU in their shape (host:gfx942; host for all), or all")
set(CK_TILE_DTYPES "fp16;bf16;fp32" CACHE STRING "Element types to build")
set(CK_TILE_FILTERS "" CACHE STRING
    "Conditions on the fields of a configuration that instances must meet, such as block.m >= 128; see generate.py --help")
set(CK_TILE_INSTANCES all CACHE STRING
    "Instances to build of those that the other choices leave: all, or test - few that together show everything, and a sample")
set_property(CACHE CK_TILE_INSTANCES PROPERTY STRINGS all test)
set(CK_TILE_SAMPLE "" CACHE STRING "Text that draws the sample of CK_TILE_INSTANCES=test, such as a commit's hash")
set(CK_TILE_ABSENT_GPUS "" CACHE STRING
    "Architectures that this machine has no GPU of: of CK_TILE_INSTANCES=test an eighth, drawn, is compiled for these, and all for the CPU")

set(CK_TILE_HOST_FLAGS "-march=native" CACHE STRING "Processor flags of the code that runs on the CPU")

set(CK_TILE_HOST_ARCHITECTURES)   # shapes that the CPU takes
set(CK_TILE_DEVICE_ARCHITECTURES) # GPU code
foreach(target IN LISTS CK_TILE_TARGETS)
    if(target STREQUAL "all")
        set(CK_TILE_HOST_ARCHITECTURES ${CK_TILE_ARCHITECTURES})
        set(CK_TILE_DEVICE_ARCHITECTURES ${CK_TILE_ARCHITECTURES})
    elseif(target STREQUAL "host")
        list(APPEND CK_TILE_HOST_ARCHITECTURES ${CK_TILE_ARCHITECTURES})
    elseif(target MATCHES "^host:(.+)$" AND CMAKE_MATCH_1 IN_LIST CK_TILE_ARCHITECTURES)
        list(APPEND CK_TILE_HOST_ARCHITECTURES ${CMAKE_MATCH_1})
    elseif(target IN_LIST CK_TILE_ARCHITECTURES)
        list(APPEND CK_TILE_DEVICE_ARCHITECTURES ${target})
    else()
        message(FATAL_ERROR "CK_TILE_TARGETS: '${target}' is not a target; choose from all, host, host:<architecture> "
                            "and <architecture>, with the architectures ${CK_TILE_ARCHITECTURES}")
    endif()
endforeach()
list(REMOVE_DUPLICATES CK_TILE_HOST_ARCHITECTURES)
list(REMOVE_DUPLICATES CK_TILE_DEVICE_ARCHITECTURES)
foreach(dtype IN LISTS CK_TILE_DTYPES)
    if(NOT dtype MATCHES "^(fp16|bf16|fp32)$")
        message(FATAL_ERROR "CK_TILE_DTYPES: '${dtype}' is not an element type; choose from fp16, bf16 and fp32")
    endif()
endforeach()
if(NOT CK_TILE_INSTANCES MATCHES "^(all|test)$")
    message(FATAL_ERROR "CK_TILE_INSTANCES: '${CK_TILE_INSTANCES}' is not a choice of instances; choose from all and test")
endif()

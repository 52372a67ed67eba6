# SPDX-License-Identifier: MIT
# Operations from configurations: generated sources, compiled for the CPU and into one code object per GPU architecture.

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# ck_tile_compile_code_object(<variable> <source> <architecture> [<symbol>])
# Compiles one source, device only, to <build>/code_objects/<architecture>/<name>.hsaco; the path goes to <variable>. For
# sm90 the name ends in .ptx, and holds PTX or, where CUDA's assembler was found, its machine code.
function(ck_tile_compile_code_object variable source architecture)
    get_filename_component(name ${source} NAME_WE)
    set(folder ${PROJECT_BINARY_DIR}/code_objects/${architecture})
    file(MAKE_DIRECTORY ${folder})
    set(assemble)
    if(architecture STREQUAL "sm90")
        # No part of CUDA is used: the folder that does not exist keeps clang from looking at versions.
        set(language -x cuda --cuda-gpu-arch=sm_90a --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang
            -target-feature -Xclang +ptx80 -S)
        set(object ${folder}/${name}.ptx)
        set(compiled ${object})
        if(CK_TILE_PTXAS)
            set(compiled ${object}.ptx)
            set(assemble COMMAND ${CK_TILE_PTXAS} -arch=sm_90a -O3 -o ${object} ${compiled})
        endif()
    else()
        set(processor ${architecture})
        if(architecture STREQUAL "gfx11")
            set(processor ${CK_TILE_GFX11_PROCESSOR})
        endif()
        set(language -x hip --offload-arch=${processor} -nogpulib -nogpuinc --no-gpu-bundle-output -c)
        set(object ${folder}/${name}.hsaco)
        set(compiled ${object})
    endif()
    get_target_property(boost_include Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} ${language} --cuda-device-only -include cstdlib
                -std=c++20 -O3 -I${ck_tile_SOURCE_DIR} -I${boost_include} -Wall -Wextra -Xclang -dependency-file
                -Xclang ${object}.d -Xclang -MT -Xclang ${object} ${source} -o ${compiled}
        ${assemble}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "Compiling ${architecture} ${name}"
        VERBATIM)
    set(${variable} ${object} PARENT_SCOPE)
endfunction()

# ck_tile_embed_code_object(<variable> <object> <architecture>)
# A source that holds the code object and registers it with the runtime.
function(ck_tile_embed_code_object variable object architecture)
    set(processor ${architecture})
    if(architecture STREQUAL "gfx11")
        set(processor ${CK_TILE_GFX11_PROCESSOR})
    endif()
    set(source ${object}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "ck_tile/runtime/code_objects.hpp"
namespace
{
alignas(4096) constexpr unsigned char image[] = {
#embed "@object@" suffix(, 0)
};
const bool added = ck_tile::add_code_object({"@processor@", image});
} // namespace
]])
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${object} COMPILE_OPTIONS "-Wno-c23-extensions;-O0")
    set(${variable} ${source} PARENT_SCOPE)
endfunction()

# ck_tile_add_operation(<operation> SOURCES ... LIBRARIES ...)
# The library ck_tile::<operation>: its host API, its instances for the chosen targets and types, their registry.
function(ck_tile_add_operation operation)
    cmake_parse_arguments(PARSE_ARGV 1 op "" "" "SOURCES;LIBRARIES")
    set(generator ${ck_tile_SOURCE_DIR}/tile_engine_configs/generate.py)
    set(output ${PROJECT_BINARY_DIR}/generated/${operation})
    set(architectures ${CK_TILE_HOST_ARCHITECTURES} ${CK_TILE_DEVICE_ARCHITECTURES})
    list(REMOVE_DUPLICATES architectures)
    string(REPLACE ";" "," targets "${architectures}")
    string(REPLACE ";" "," dtypes "${CK_TILE_DTYPES}")
    file(GLOB configurations CONFIGURE_DEPENDS ${ck_tile_SOURCE_DIR}/tile_engine_configs/${operation}/*.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${generator} ${configurations})
    execute_process(
        COMMAND ${Python3_EXECUTABLE} ${generator} generate --operation ${operation} --targets ${targets}
                --dtypes ${dtypes} --output ${output}
        OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "generating the instances of ${operation} failed")
    endif()

    set(sources ${output}/registry.cpp)
    set(objects)
    string(REPLACE ";" "|" lines "${lines}")
    string(REPLACE "\n" ";" lines "${lines}")
    foreach(line IN LISTS lines)
        string(REPLACE "|" ";" line "${line}")
        list(GET line 0 architecture)
        list(GET line 1 source)
        list(APPEND sources ${source})
        if(NOT architecture IN_LIST CK_TILE_HOST_ARCHITECTURES)
            set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS CK_TILE_NO_HOST_PROGRAMS)
        endif()
        if(architecture IN_LIST CK_TILE_DEVICE_ARCHITECTURES)
            ck_tile_compile_code_object(object ${source} ${architecture})
            ck_tile_embed_code_object(embedded ${object} ${architecture})
            list(APPEND objects ${object})
            list(APPEND sources ${embedded})
        endif()
    endforeach()
    # Code objects of instances that are gone would be inspected as if they were not.
    foreach(architecture IN LISTS CK_TILE_ARCHITECTURES)
        file(GLOB stale ${PROJECT_BINARY_DIR}/code_objects/${architecture}/${operation}_*.hsaco
            ${PROJECT_BINARY_DIR}/code_objects/${architecture}/${operation}_*.ptx)
        list(REMOVE_ITEM stale ${objects})
        if(stale)
            file(REMOVE ${stale})
        endif()
    endforeach()

    list(LENGTH lines count)
    message(STATUS "${operation}: ${count} sources for ${CK_TILE_TARGETS} in ${CK_TILE_DTYPES}")

    # An object library, so that the linker keeps the embedded code objects, which nothing refers to by name.
    add_library(${operation}_objects OBJECT ${op_SOURCES} ${sources})
    target_link_libraries(${operation}_objects PUBLIC ck_tile::runtime ${op_LIBRARIES})
    add_library(ck_tile_${operation} INTERFACE)
    add_library(ck_tile::${operation} ALIAS ck_tile_${operation})
    target_sources(ck_tile_${operation} INTERFACE $<TARGET_OBJECTS:${operation}_objects>)
    target_link_libraries(ck_tile_${operation} INTERFACE ck_tile::runtime ${op_LIBRARIES})
    add_custom_target(${operation}_code_objects DEPENDS ${objects})
endfunction()

# SPDX-License-Identifier: MIT
# GPU code in programs: one source compiled, device only, into one code object, which is then embedded. Installed with the
# package, so that other projects build kernels of their own.

set(CK_TILE_GFX11_PROCESSOR "gfx11-generic" CACHE STRING
    "Processor that gfx11 code objects are for: gfx11-generic runs on all of gfx1100-1103 and gfx115x")
find_program(CK_TILE_PTXAS ptxas HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin
    DOC "CUDA's assembler; without it, programs hold PTX for sm90, which the driver compiles")

# ck_tile_compile_code_object(<variable> <source> <architecture>)
# Compiles one source, device only, with the include directories of the library and of this folder, to
# <top build folder>/code_objects/<architecture>/<name>.hsaco; the path goes to <variable>. For sm90 the name ends in .ptx, and
# holds PTX or, where CUDA's assembler was found, its machine code.
function(ck_tile_compile_code_object variable source architecture)
    get_filename_component(name ${source} NAME_WE)
    set(folder ${CMAKE_BINARY_DIR}/code_objects/${architecture})
    file(MAKE_DIRECTORY ${folder})
    set(assemble)
    if(architecture STREQUAL "sm90")
        # No part of CUDA is used: the folder that does not exist keeps clang from looking at versions.
        set(language -x cuda --cuda-gpu-arch=sm_90a --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang
            -target-feature -Xclang +ptx80)
        set(emit -S)
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
        set(language -x hip --offload-arch=${processor} -nogpulib -nogpuinc --no-gpu-bundle-output)
        set(emit -c)
        set(object ${folder}/${name}.hsaco)
        set(compiled ${object})
    endif()
    set(includes "$<TARGET_PROPERTY:ck_tile::core,INTERFACE_INCLUDE_DIRECTORIES>"
                 "$<TARGET_PROPERTY:Boost::headers,INTERFACE_INCLUDE_DIRECTORIES>")
    get_directory_property(own_includes INCLUDE_DIRECTORIES)
    list(APPEND includes ${own_includes})
    set(options ${language} --cuda-device-only -include cstdlib -std=c++20 -O3 -Wall -Wextra -Werror=switch)
    foreach(folders IN LISTS includes)
        list(APPEND options "-I$<JOIN:${folders},$<SEMICOLON>-I>")
    endforeach()
    set(list_dependencies -Xclang -dependency-file -Xclang ${object}.d -Xclang -MT -Xclang ${object})
    set(preprocess)
    if(CMAKE_CXX_COMPILER_LAUNCHER)
        # A cache that has the object writes no list of what it depends on: the preprocessor does, without the launcher.
        set(preprocess COMMAND ${CMAKE_CXX_COMPILER} ${options} -E ${list_dependencies} ${source} -o /dev/null)
        set(list_dependencies)
    endif()
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} ${options} ${emit} ${list_dependencies} ${source}
                -o ${compiled}
        ${preprocess}
        ${assemble}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMAND_EXPAND_LISTS
        COMMENT "Compiling ${architecture} ${name}"
        VERBATIM)
    set(${variable} ${object} PARENT_SCOPE)
endfunction()

# ck_tile_embed_code_object(<variable> <object> <architecture>)
# A source that holds the code object and registers it with the runtime when the program starts; its path goes to
# <variable>. Whatever refers to `code_object_<name>` has the linker take it out of an archive. By .incbin, which compilers'
# caches know that they must not keep; what #embed names they do not look at, and give back the code of an earlier build.
function(ck_tile_embed_code_object variable object architecture)
    get_filename_component(name ${object} NAME_WE)
    set(processor ${architecture})
    if(architecture STREQUAL "gfx11")
        set(processor ${CK_TILE_GFX11_PROCESSOR})
    endif()
    set(source ${object}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "ck_tile/runtime/add_code_object.hpp"
__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".balign 4096\n"
        "image_@name@: .incbin \"@object@\"\n"
        "end_of_image_@name@: .byte 0\n" // which ends PTX
        ".popsection\n");
extern "C" const unsigned char image_@name@[], end_of_image_@name@[];
extern const bool code_object_@name@;
const bool code_object_@name@ = ck_tile::add_code_object("@processor@", image_@name@, end_of_image_@name@ + 1);
]])
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${object} COMPILE_OPTIONS -O0)
    set(${variable} ${source} PARENT_SCOPE)
endfunction()

# SPDX-License-Identifier: MIT
# GPU code in programs: one source compiled, device only, into one code object, which is then embedded. Installed with the
# package, so that other projects build kernels of their own.

set(CK_TILE_GFX11_PROCESSORS "gfx11-generic" CACHE STRING
    "Processors that gfx11 code objects are for, each with its own: gfx11-generic runs on all of gfx1100-1103 and gfx115x, with ROCm 6.2 or later; for older ones name the GPU's, such as gfx1100")
set(others ${CK_TILE_GFX11_PROCESSORS})
list(FILTER others EXCLUDE REGEX "^gfx11(-generic|[0-9][0-9])$")
if(others OR NOT CK_TILE_GFX11_PROCESSORS)
    message(FATAL_ERROR "CK_TILE_GFX11_PROCESSORS must name processors of gfx11, but is '${CK_TILE_GFX11_PROCESSORS}': "
        "choose gfx11-generic, gfx1100 or others that begin with gfx11")
endif()
find_program(CK_TILE_PTXAS ptxas HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin
    DOC "CUDA's assembler; without it, programs hold PTX for sm90, which the driver compiles")

# The processors that the code objects of an architecture are for, and the folders below code_objects/ that they go to.
function(ck_tile_processors_of processors folders architecture)
    set(all ${architecture})
    if(architecture STREQUAL "gfx11")
        set(all ${CK_TILE_GFX11_PROCESSORS})
    endif()
    set(${processors} ${all} PARENT_SCOPE)
    list(POP_FRONT all)
    set(${folders} ${architecture} ${all} PARENT_SCOPE)
endfunction()

# ck_tile_compile_code_object(<variable> <source> <architecture>)
# Compiles one source, device only, with the include directories of the library and of this folder, to
# <top build folder>/code_objects/<architecture>/<name>.hsaco, and for further processors of the architecture to
# code_objects/<processor>/<name>.hsaco; the paths go to <variable>. For sm90 the name ends in .ptx, and holds PTX or, where
# CUDA's assembler was found, its machine code.
function(ck_tile_compile_code_object variable source architecture)
    ck_tile_processors_of(processors folders ${architecture})
    set(objects)
    foreach(processor folder IN ZIP_LISTS processors folders)
        ck_tile_compile_for_processor(object ${source} ${processor} ${CMAKE_BINARY_DIR}/code_objects/${folder})
        list(APPEND objects ${object})
    endforeach()
    set(${variable} ${objects} PARENT_SCOPE)
endfunction()

function(ck_tile_compile_for_processor variable source processor folder)
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(folder_name ${folder} NAME)
    file(MAKE_DIRECTORY ${folder})
    set(assemble)
    if(processor STREQUAL "sm90")
        # No part of CUDA is used: the folder that does not exist keeps clang from looking at versions.
        set(language -x cuda --cuda-gpu-arch=sm_90a --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang
            -target-feature -Xclang +ptx80)
        set(emit -S)
        set(object ${folder}/${name}.ptx)
        set(compiled ${object})
        if(CK_TILE_PTXAS)
            set(compiled ${object}.ptx)
            set(assemble COMMAND ${CK_TILE_PTXAS} -arch=sm_90a -O3 ${ck_tile_ptxas_warnings} -o ${object} ${compiled})
        endif()
    else()
        # Version 5 is known to every ROCm since 5.7; what runs on a family of processors needs version 6, and ROCm 6.2.
        set(version 5)
        if(processor MATCHES "-generic$")
            set(version 6)
        endif()
        set(language -x hip --offload-arch=${processor} -mcode-object-version=${version} -nogpulib -nogpuinc --no-gpu-bundle-output)
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
        COMMENT "Compiling ${folder_name} ${name}"
        VERBATIM)
    set(${variable} ${object} PARENT_SCOPE)
endfunction()

# ck_tile_embed_code_object(<variable> <objects> <architecture>)
# A source that holds the code objects of one source, as compiled above, and registers them with the runtime when the program
# starts; its path goes to <variable>. Whatever refers to `code_object_<name>` has the linker take it out of an archive. By
# .incbin, which compilers' caches know that they must not keep; what #embed names they do not look at, and give back the code of
# an earlier build.
function(ck_tile_embed_code_object variable objects architecture)
    ck_tile_processors_of(processors folders ${architecture})
    list(GET objects 0 source)
    get_filename_component(name ${source} NAME_WE)
    string(APPEND source .cpp)
    set(images)
    set(calls)
    foreach(processor object IN ZIP_LISTS processors objects)
        string(MAKE_C_IDENTIFIER "${name}_for_${processor}" image)
        string(CONFIGURE [[
__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".balign 4096\n"
        "image_@image@: .incbin \"@object@\"\n"
        "end_of_image_@image@: .byte 0\n" // which ends PTX
        ".popsection\n");
extern "C" const unsigned char image_@image@[], end_of_image_@image@[];
]] text @ONLY)
        string(APPEND images "${text}")
        list(APPEND calls "ck_tile::add_code_object(\"${processor}\", image_${image}, end_of_image_${image} + 1)")
    endforeach()
    list(JOIN calls " &&\n    " calls)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "ck_tile/runtime/add_code_object.hpp"
@images@extern const bool code_object_@name@;
const bool code_object_@name@ = @calls@;
]])
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${objects}" COMPILE_OPTIONS -O0)
    set(${variable} ${source} PARENT_SCOPE)
endfunction()

# ck_tile_list_kernel_sources(<sources> <objects> <source> <architecture>)
# Appends what a source of kernels for an architecture adds to a library: to the list <sources> itself, with programs for the CPU
# where that is chosen, and, where the GPU is, the source that holds its code objects, which are appended to <objects>.
function(ck_tile_list_kernel_sources to_sources to_objects source architecture)
    list(APPEND ${to_sources} ${source})
    if(NOT architecture IN_LIST CK_TILE_HOST_ARCHITECTURES)
        set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS CK_TILE_NO_HOST_PROGRAMS)
    endif()
    if(architecture IN_LIST CK_TILE_DEVICE_ARCHITECTURES AND NOT "cpu" IN_LIST ARGN)
        ck_tile_compile_code_object(own ${source} ${architecture})
        ck_tile_embed_code_object(embedded "${own}" ${architecture})
        list(APPEND ${to_sources} ${embedded})
        list(APPEND ${to_objects} ${own})
    endif()
    set(${to_sources} ${${to_sources}} PARENT_SCOPE)
    set(${to_objects} ${${to_objects}} PARENT_SCOPE)
endfunction()

# The architectures that kernels are built for, on the CPU or a GPU.
function(ck_tile_list_built_architectures variable)
    set(all ${CK_TILE_HOST_ARCHITECTURES} ${CK_TILE_DEVICE_ARCHITECTURES})
    list(REMOVE_DUPLICATES all)
    set(${variable} ${all} PARENT_SCOPE)
endfunction()

# ck_tile_add_kernel(<target> <source> [ARCHITECTURES ...])
# Adds kernels of one's own to a program or a library: those that <source> names by CK_TILE_KERNELS(<symbol>, <template>), a line
# each, which the target launches through `extern const ck_tile::kernel_set <symbol>`. They are compiled for each of the
# architectures that CK_TILE_TARGETS chooses, on GPUs and on the CPU in their shape; ARCHITECTURES leaves only these of them.
# Warns of kernels that spill registers or use scratch memory, with numbers.
function(ck_tile_add_kernel target source)
    cmake_parse_arguments(PARSE_ARGV 2 kernel "" "" "ARCHITECTURES")
    foreach(architecture IN LISTS kernel_ARCHITECTURES)
        if(NOT architecture IN_LIST CK_TILE_ARCHITECTURES)
            message(FATAL_ERROR "ck_tile_add_kernel: '${architecture}' is not an architecture; choose from ${CK_TILE_ARCHITECTURES}")
        endif()
    endforeach()
    ck_tile_list_built_architectures(architectures)
    if(kernel_ARCHITECTURES)
        foreach(architecture IN LISTS architectures)
            if(NOT architecture IN_LIST kernel_ARCHITECTURES)
                list(REMOVE_ITEM architectures ${architecture})
            endif()
        endforeach()
    endif()
    if(NOT architectures)
        message(FATAL_ERROR "ck_tile_add_kernel: ${source} is for ${kernel_ARCHITECTURES}, none of which CK_TILE_TARGETS chooses, "
                            "which is ${CK_TILE_TARGETS}: add one of them")
    endif()
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME_WE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} symbols REGEX "^CK_TILE_KERNELS\\([A-Za-z_0-9]+,")
    list(TRANSFORM symbols REPLACE "^CK_TILE_KERNELS\\(([A-Za-z_0-9]+),.*" "\\1")
    if(NOT symbols)
        message(FATAL_ERROR "ck_tile_add_kernel: ${source} names no kernels: add a line CK_TILE_KERNELS(<symbol>, <template>)")
    endif()

    set(ck_tile_ptxas_warnings -warn-spills -warn-lmem-usage) # while sources are listed below
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels)
    set(sources)
    set(objects)
    foreach(architecture IN LISTS architectures)
        set(own ${folder}/${name}_${architecture}.cpp)
        file(CONFIGURE OUTPUT ${own} @ONLY CONTENT "#define CK_TILE_ARCHITECTURE @architecture@\n#include \"@source@\"\n")
        ck_tile_list_kernel_sources(sources objects ${own} ${architecture})
    endforeach()
    # The CPU's own half-precision instructions, and the speed of a release in every build.
    separate_arguments(flags UNIX_COMMAND "${CK_TILE_HOST_FLAGS}")
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "-O2;${flags}")
    set(sets "#include \"ck_tile/targets/kernel.hpp\"\n")
    foreach(symbol IN LISTS symbols)
        list(TRANSFORM architectures REPLACE "(.+)" "${symbol}_\\1" OUTPUT_VARIABLE kernels)
        list(JOIN kernels ", " declared)
        list(JOIN kernels ", &" listed)
        string(APPEND sets
            "extern const ck_tile::kernel ${declared}$<SEMICOLON>\n"
            "static constexpr const ck_tile::kernel* all_${symbol}[] = {&${listed}}$<SEMICOLON>\n"
            "extern const ck_tile::kernel_set ${symbol}$<SEMICOLON>\n"
            "constinit const ck_tile::kernel_set ${symbol} = {\"${symbol}\", all_${symbol}}$<SEMICOLON>\n")
    endforeach()
    string(REPLACE "$<SEMICOLON>" ";" sets "${sets}")
    file(CONFIGURE OUTPUT ${folder}/${name}_sets.cpp @ONLY CONTENT "${sets}")
    target_sources(${target} PRIVATE ${sources} ${folder}/${name}_sets.cpp)
    ck_tile_warn_of_spills(${target} ${name} "${objects}")
endfunction()

# Says after the target is built which kernels of these code objects spill, with numbers, where LLVM's tools that know are at hand.
function(ck_tile_warn_of_spills target name objects)
    list(FILTER objects INCLUDE REGEX "\\.hsaco$")
    find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
    if(NOT objects OR NOT Python3_FOUND)
        return()
    endif()
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}_spills.stamp)
    add_custom_command(OUTPUT ${stamp}
        COMMAND ${Python3_EXECUTABLE} ${CK_TILE_INSPECTOR} --quiet --check ${CK_TILE_KERNEL_RULES} ${objects} || ${CMAKE_COMMAND} -E true
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${objects} ${CK_TILE_INSPECTOR} ${CK_TILE_KERNEL_RULES}
        COMMENT "Looking for spills in ${name}"
        VERBATIM)
    target_sources(${target} PRIVATE ${stamp})
endfunction()

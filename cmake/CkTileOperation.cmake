# SPDX-License-Identifier: MIT
# Operations from configurations: generated sources, compiled for the CPU and into one code object per GPU architecture. Installed
# with the package, so that other projects add operations of their own.
#
# CK_TILE_ENGINE is the folder of generate.py. A project has its operations in ops/<operation> and their configurations in
# tile_engine_configs/<operation>, below its top folder.

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# What generate.py has printed, `architecture;source` on each line, becomes part of the library <target>: for the CPU, and as code
# objects of the chosen architectures, but for the lines that end in `;cpu`. <objects>: those.
function(ck_tile_add_generated_sources target lines objects)
    set(sources)
    set(own_objects)
    string(REPLACE ";" "|" lines "${lines}")
    string(REPLACE "\n" ";" lines "${lines}")
    foreach(line IN LISTS lines)
        string(REPLACE "|" ";" line "${line}")
        list(POP_FRONT line architecture source)
        ck_tile_list_kernel_sources(sources own_objects ${source} ${architecture} ${line})
    endforeach()
    target_sources(${target} PRIVATE ${sources})
    # For the CPU, what -O3 compiles runs a tenth faster, and takes a quarter longer to compile; -O1's runs half as fast.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
    if(CK_TILE_INSTANCES MATCHES "^(test|sample)$")
        # Several at once compile in three quarters of the time; to build one alone again is for those who change it.
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endif()
    set(${objects} ${own_objects} PARENT_SCOPE)
endfunction()

# What generate.py is told of what is compiled for GPUs.
function(ck_tile_list_code_options options)
    string(REPLACE ";" "," built "${CK_TILE_DEVICE_ARCHITECTURES}")
    set(own "--seed=${CK_TILE_SAMPLE}" "--gpu-targets=${built}")
    if(CK_TILE_INSTANCES STREQUAL test)
        string(REPLACE ";" "," absent "${CK_TILE_ABSENT_GPUS}")
        list(APPEND own "--absent-gpus=${absent}")
    endif()
    set(${options} ${own} PARENT_SCOPE)
endfunction()

# Code objects of <stem> that are not among the ones given would be inspected as if they were still made.
function(ck_tile_remove_stale_code_objects stem)
    foreach(architecture IN LISTS CK_TILE_ARCHITECTURES)
        ck_tile_processors_of(processors folders ${architecture})
        list(TRANSFORM folders REPLACE "(.+)" "${CMAKE_BINARY_DIR}/code_objects/\\1/${stem}_*.hsaco;${CMAKE_BINARY_DIR}/code_objects/\\1/${stem}_*.ptx")
        file(GLOB stale ${folders})
        list(REMOVE_ITEM stale ${ARGN})
        if(stale)
            file(REMOVE ${stale})
        endif()
    endforeach()
endfunction()

# The library ck_tile::<name> of a project's own: part of the package, where this is the project that makes it.
function(ck_tile_add_own_library name)
    include_directories(${PROJECT_SOURCE_DIR}) # code objects are compiled with those of the folder, too
    if(COMMAND ck_tile_add_library)
        ck_tile_add_library(${name} STATIC ${ARGN})
    else()
        add_library(ck_tile_${name} STATIC ${ARGN})
        add_library(ck_tile::${name} ALIAS ck_tile_${name})
        target_include_directories(ck_tile_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    endif()
endfunction()

# ck_tile_add_support_kernels(<family> KERNELS ...)
# The library ck_tile::<family>_support of kernels that the operations of a family share, for the chosen targets and types:
# the programs <kernel>_program in ops/<family>/support_kernels.hpp, which operations name as "<family>/<kernel>".
function(ck_tile_add_support_kernels family)
    cmake_parse_arguments(PARSE_ARGV 1 support "" "" "KERNELS")
    set(library ${family}_support)
    ck_tile_add_own_library(${library})
    target_link_libraries(ck_tile_${library} PUBLIC ck_tile::runtime)
    ck_tile_list_built_architectures(architectures)
    string(REPLACE ";" "," architectures "${architectures}")
    string(REPLACE ";" "," types "${CK_TILE_DTYPES}")
    string(REPLACE ";" "," kernels "${support_KERNELS}")
    ck_tile_list_code_options(code_options)
    execute_process(
        COMMAND ${Python3_EXECUTABLE} ${CK_TILE_ENGINE}/generate.py support --operation ${family} --root ${PROJECT_SOURCE_DIR}
                --kernels ${kernels} --targets ${architectures} --types ${types} ${code_options} --output ${PROJECT_BINARY_DIR}/generated/ck_tile_${library}
        OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    ck_tile_add_generated_sources(ck_tile_${library} "${lines}" objects)
    add_custom_target(ck_tile_${library}_code_objects DEPENDS ${objects})
    ck_tile_remove_stale_code_objects(${library} ${objects})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CK_TILE_ENGINE}/generator/sources.py)
endfunction()

# ck_tile_generate_instances(<target> <operation> [CONFIGURATIONS <folder>] [ARCHITECTURES ...] [FILTERS ...] [BESIDE])
# Has tile_engine_configs/generate.py write the instances of an operation for the chosen targets - ARCHITECTURES leaves only these of
# them - and types, and adds them to the library <target>: all that the operation has, or those that BESIDE them a program has.
# Configures again when a configuration, or what C++ says of configurations, has changed.
function(ck_tile_generate_instances target operation)
    cmake_parse_arguments(PARSE_ARGV 2 set "BESIDE" "CONFIGURATIONS" "ARCHITECTURES;FILTERS")
    if(NOT set_CONFIGURATIONS)
        set(set_CONFIGURATIONS ${PROJECT_SOURCE_DIR}/tile_engine_configs)
    endif()
    set(output ${PROJECT_BINARY_DIR}/generated/${target})
    if(NOT set_ARCHITECTURES)
        ck_tile_list_built_architectures(set_ARCHITECTURES)
    endif()
    set(registry registry)
    set(name_option)
    if(set_BESIDE)
        set(registry instance_set)
        set(name_option --set ${target})
    endif()
    string(REPLACE ";" "," architectures "${set_ARCHITECTURES}")
    ck_tile_list_code_options(code_options)
    string(REPLACE ";" "', '" dtypes "${CK_TILE_DTYPES}")
    set(filters --filter "dtype in ['${dtypes}']")
    foreach(filter IN LISTS CK_TILE_FILTERS set_FILTERS)
        list(APPEND filters --filter "${filter}")
    endforeach()
    set(flags)
    foreach(library Boost::headers fmt::fmt)
        get_target_property(folders ${library} INTERFACE_INCLUDE_DIRECTORIES)
        foreach(folder IN LISTS folders)
            if(IS_DIRECTORY "${folder}")
                string(APPEND flags " -I${folder}")
            endif()
        endforeach()
    endforeach()
    set(rules ${PROJECT_SOURCE_DIR}/tests/code_objects/${operation}.json)
    set(rules_option)
    if(CK_TILE_INSTANCES STREQUAL test AND EXISTS ${rules})
        set(rules_option --rules ${rules})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rules})
    endif()
    execute_process(
        COMMAND ${Python3_EXECUTABLE} ${CK_TILE_ENGINE}/generate.py generate
                --operation ${operation} --root ${PROJECT_SOURCE_DIR} --configurations ${set_CONFIGURATIONS} --targets ${architectures} ${filters}
                --select ${CK_TILE_INSTANCES} ${code_options} ${rules_option} ${name_option} --output ${output} --compiler ${CMAKE_CXX_COMPILER}
                "--flags=${flags}" --cache ${PROJECT_BINARY_DIR}/tools
        OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE messages ERROR_STRIP_TRAILING_WHITESPACE
        RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "generating the instances of ${operation} failed\n${messages}")
    endif()
    string(REPLACE "\n" ";" messages "${messages}")
    foreach(message IN LISTS messages)
        message(STATUS "${message}")
    endforeach()

    # What the compiled tool was made from is what C++ says of configurations.
    file(READ ${PROJECT_BINARY_DIR}/tools/${operation}_config_tool.d headers)
    string(REGEX REPLACE "^[^:]*:|[\\\n]" " " headers "${headers}")
    separate_arguments(headers UNIX_COMMAND "${headers}")
    file(GLOB configurations CONFIGURE_DEPENDS ${set_CONFIGURATIONS}/${operation}/*.json ${set_CONFIGURATIONS}/${operation}/tuned/*.json)
    file(GLOB generator CONFIGURE_DEPENDS ${CK_TILE_ENGINE}/generator/*.py)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CK_TILE_ENGINE}/generate.py ${generator} ${configurations} ${headers})

    target_sources(${target} PRIVATE ${output}/${registry}.cpp)
    ck_tile_add_generated_sources(${target} "${lines}" objects)
    add_custom_target(${target}_code_objects DEPENDS ${objects})
    set(${target}_code_object_files ${objects} PARENT_SCOPE)
endfunction()

# ck_tile_add_operation(<operation> SOURCES ... [LIBRARIES ...] [CONFIGURATIONS <folder>])
# The library ck_tile::<operation> of the operation described in ops/<operation>: what its sources define, its instances for the
# chosen targets and types, their registry.
function(ck_tile_add_operation operation)
    cmake_parse_arguments(PARSE_ARGV 1 op "" "CONFIGURATIONS" "SOURCES;LIBRARIES")
    ck_tile_add_own_library(${operation} ${op_SOURCES})
    target_link_libraries(ck_tile_${operation} PUBLIC ck_tile::harness ${op_LIBRARIES})
    ck_tile_generate_instances(ck_tile_${operation} ${operation} CONFIGURATIONS ${op_CONFIGURATIONS})
    ck_tile_remove_stale_code_objects(${operation} ${ck_tile_${operation}_code_object_files})
endfunction()

# ck_tile_add_instances(<target> <operation> [CONFIGURATIONS <folder>] [FILTERS ...])
# Instances of one's own of an operation of the library, in a program or a library that links ck_tile::<operation>: those that
# <folder>/<operation>/<architecture>.json describes, for the architectures that have a file and that CK_TILE_TARGETS chooses, and for
# CK_TILE_DTYPES. The operation knows them beside its own: it lists them, measures them, and chooses them where they cost less. The
# folder is tile_engine_configs beside the CMakeLists.txt, if nothing is said.
function(ck_tile_add_instances target operation)
    cmake_parse_arguments(PARSE_ARGV 2 own "" "CONFIGURATIONS" "FILTERS")
    if(NOT TARGET ck_tile::${operation} OR NOT TARGET ${target})
        message(FATAL_ERROR "ck_tile_add_instances: ${target} must be a target and ${operation} an operation that this ck_tile was built with "
                            "(CK_TILE_OPS): name those")
    endif()
    if(NOT own_CONFIGURATIONS)
        set(own_CONFIGURATIONS tile_engine_configs)
    endif()
    get_filename_component(folder ${own_CONFIGURATIONS} ABSOLUTE)
    ck_tile_list_built_architectures(architectures)
    set(described)
    foreach(architecture IN LISTS architectures)
        if(EXISTS ${folder}/${operation}/${architecture}.json)
            list(APPEND described ${architecture})
        endif()
    endforeach()
    if(NOT described)
        message(FATAL_ERROR "ck_tile_add_instances: ${folder}/${operation} has no file for ${architectures}, which CK_TILE_TARGETS chooses: "
                            "write ${folder}/${operation}/<architecture>.json")
    endif()
    # What instances need beside them, as to sum up partial results, the library has for what it was built for.
    foreach(kind HOST_ARCHITECTURES DEVICE_ARCHITECTURES DTYPES)
        foreach(one IN LISTS CK_TILE_${kind})
            if(DEFINED ck_tile_${kind} AND NOT one IN_LIST ck_tile_${kind} AND (kind STREQUAL DTYPES OR one IN_LIST described))
                message(FATAL_ERROR "ck_tile_add_instances: this ck_tile has no kernels for ${one}, only for ${ck_tile_${kind}} "
                                    "(${kind}): leave it out of CK_TILE_TARGETS or CK_TILE_DTYPES, or build ck_tile with it")
            endif()
        endforeach()
    endforeach()

    set(set ${target}_${operation})
    add_library(${set} OBJECT)
    target_link_libraries(${set} PRIVATE ck_tile::${operation})
    ck_tile_generate_instances(${set} ${operation} BESIDE CONFIGURATIONS ${folder} ARCHITECTURES ${described} FILTERS ${own_FILTERS})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${set}>)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY") # of which a program takes what it refers to
        target_link_options(${target} INTERFACE LINKER:--undefined=instance_set_${set})
    endif()
endfunction()

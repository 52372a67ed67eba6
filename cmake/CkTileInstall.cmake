# SPDX-License-Identifier: MIT
# Libraries, and their installation as the package that find_package(ck_tile CONFIG) finds.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# ck_tile_add_library(<name> INTERFACE|STATIC sources...)
# The library ck_tile_<name>, here and for users of the package called ck_tile::<name>. Its code may become part of a shared
# library, such as an extension of Python.
function(ck_tile_add_library name kind)
    add_library(ck_tile_${name} ${kind} ${ARGN})
    add_library(ck_tile::${name} ALIAS ck_tile_${name})
    set_target_properties(ck_tile_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    install(TARGETS ck_tile_${name} EXPORT ck_tile)
endfunction()

# Headers, configurations with their generator, and the package's own files.
function(ck_tile_install_package)
    install(DIRECTORY ck_tile ops DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
    install(DIRECTORY tile_engine_configs DESTINATION ${CMAKE_INSTALL_DATADIR}/ck_tile
        USE_SOURCE_PERMISSIONS PATTERN "__pycache__" EXCLUDE)
    install(PROGRAMS ${CK_TILE_INSPECTOR} DESTINATION ${CMAKE_INSTALL_DATADIR}/ck_tile/scripts)
    install(FILES ${CK_TILE_KERNEL_RULES} DESTINATION ${CMAKE_INSTALL_DATADIR}/ck_tile RENAME kernel_rules.json)
    # As they lie in the source, so that their links lead somewhere: READMEs of operations among them.
    install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/ck_tile)
    install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DATADIR}/ck_tile)
    file(GLOB readmes RELATIVE ${PROJECT_SOURCE_DIR} ops/*/README.md)
    foreach(readme IN LISTS readmes)
        get_filename_component(operation ${readme} DIRECTORY)
        install(FILES ${readme} DESTINATION ${CMAKE_INSTALL_DATADIR}/ck_tile/${operation})
    endforeach()
    set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/ck_tile)
    install(EXPORT ck_tile FILE ck_tile-targets.cmake NAMESPACE ck_tile:: DESTINATION ${folder})
    configure_package_config_file(cmake/ck_tile-config.cmake.in ck_tile-config.cmake INSTALL_DESTINATION ${folder})
    write_basic_package_version_file(ck_tile-config-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES cmake/CkTileCodeObjects.cmake cmake/CkTileOperation.cmake cmake/CkTileTargets.cmake
        ${PROJECT_BINARY_DIR}/ck_tile-config.cmake
        ${PROJECT_BINARY_DIR}/ck_tile-config-version.cmake DESTINATION ${folder})
endfunction()

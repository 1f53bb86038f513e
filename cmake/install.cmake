# SPDX-License-Identifier: GPL-3.0-or-later
# `cmake --install build/release --prefix P`: program, libraries, headers, Python module, and what they read. Three sets of
# targets: spheres, which need neither deal.II nor MPI, files, with HDF5, libzip and zlib, and the continuum.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/moreau)
set(shared_folder ${CMAKE_INSTALL_DATADIR}/moreau)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development) # the others are program, catalyst and python, see cmake/package.cmake

# Rooms include each other as "convex/...", users include <moreau/convex/...>: installed headers do as users, so that no
# general name is in their path of headers.
function(moreau_install_headers)
  foreach(header IN LISTS ARGN)
    install(CODE "
      file(READ \"${PROJECT_SOURCE_DIR}/${header}\" text)
      string(REGEX REPLACE \"(#include )\\\"([a-z_]+/)\" \"\\\\1\\\"moreau/\\\\2\" text \"\${text}\")
      set(target \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/moreau/${header}\")
      set(old \"\")
      if(EXISTS \"\${target}\")
        file(READ \"\${target}\" old)
      endif()
      if(NOT text STREQUAL old)
        file(WRITE \"\${target}\" \"\${text}\")
      endif()
      list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/moreau/${header}\")")
  endforeach()
endfunction()

# moreau_install_libraries(set ROOMS...): moreau_convex becomes moreau::convex. deal.II's flags are for compiling the rooms,
# not for those who use them.
function(moreau_install_libraries set)
  foreach(library IN LISTS ARGN)
    string(REPLACE moreau_ "" name ${library})
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
    foreach(property INTERFACE_COMPILE_OPTIONS INTERFACE_COMPILE_DEFINITIONS)
      get_target_property(flags ${library} ${property})
      if(flags)
        set_target_properties(${library} PROPERTIES ${property} "$<BUILD_INTERFACE:${flags}>")
      endif()
    endforeach()
    target_compile_features(${library} INTERFACE cxx_std_17)
  endforeach()
  install(TARGETS ${ARGN} EXPORT moreau-${set} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT moreau-${set} NAMESPACE moreau:: DESTINATION ${package_folder})
endfunction()

moreau_install_libraries(spheres moreau_quadrature moreau_convex moreau_micro)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} convex/*.h micro/*.h)
moreau_install_headers(${headers} geometry/field.h geometry/quadrature.h)
if(MOREAU_COMPONENTS STREQUAL "all")
  moreau_install_libraries(files moreau_exchange)
  moreau_install_libraries(continuum moreau_geometry moreau_parallel moreau_macro moreau_homogenization)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} exchange/*.h geometry/*.h macro/*.h
    homogenization/*.h parallel/*.h)
  list(FILTER headers EXCLUDE REGEX exchange/hdf5_handle.h) # asks for hdf5.h
  moreau_install_headers(${headers})
endif()

configure_package_config_file(cmake/moreauConfig.cmake.in ${PROJECT_BINARY_DIR}/moreauConfig.cmake
  INSTALL_DESTINATION ${package_folder})
# until 1.0 the second number counts what users must change, see doc/library.md
write_basic_package_version_file(${PROJECT_BINARY_DIR}/moreauConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/moreauConfig.cmake ${PROJECT_BINARY_DIR}/moreauConfigVersion.cmake
  DESTINATION ${package_folder})

set(rooms convex micro)
if(MOREAU_COMPONENTS STREQUAL "all")
  list(APPEND rooms exchange)
endif()
foreach(room IN LISTS rooms)
  configure_file(cmake/moreau-${room}.pc.in ${PROJECT_BINARY_DIR}/moreau-${room}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/moreau-${room}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# A file as Debian wants it below share/doc and share/man.
find_program(GZIP gzip REQUIRED)
function(moreau_compressed file compressed)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  execute_process(COMMAND ${GZIP} -9nc ${file} OUTPUT_FILE ${compressed} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

install(FILES README.md CHANGELOG.md LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/doc COMPONENT program FILES_MATCHING PATTERN *.md PATTERN gallery EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN build EXCLUDE PATTERN __pycache__ EXCLUDE)

if(MOREAU_WITH_PYTHON)
  # where Debian's Python looks below a prefix
  set(MOREAU_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "Where the Python module is installed, below the prefix")
  install(DIRECTORY python/moreau DESTINATION ${MOREAU_PYTHON_FOLDER} COMPONENT python FILES_MATCHING PATTERN *.py PATTERN *.pyi
    PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  file(RELATIVE_PATH to_prefix /${MOREAU_PYTHON_FOLDER}/moreau /)
  file(WRITE ${PROJECT_BINARY_DIR}/python/paths_of_prefix.py
    "import pathlib\n\nfolder = pathlib.Path(__file__).resolve().parent\n"
    "program = str((folder / \"${to_prefix}${CMAKE_INSTALL_BINDIR}/moreau\").resolve())\n")
  install(FILES ${PROJECT_BINARY_DIR}/python/paths_of_prefix.py DESTINATION ${MOREAU_PYTHON_FOLDER}/moreau RENAME _paths.py
    COMPONENT python)
  install(TARGETS moreau_python_micro LIBRARY DESTINATION ${MOREAU_PYTHON_FOLDER}/moreau COMPONENT python)
  if(TARGET moreau_python_continuum)
    install(TARGETS moreau_python_continuum LIBRARY DESTINATION ${MOREAU_PYTHON_FOLDER}/moreau COMPONENT python)
  endif()
endif()

if(MOREAU_COMPONENTS STREQUAL "all")
  install(TARGETS moreau RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  if(TARGET moreau_catalyst)
    install(TARGETS moreau_catalyst LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/moreau COMPONENT catalyst)
  endif()
  install(DIRECTORY prm DESTINATION ${shared_folder} COMPONENT program)
  install(DIRECTORY insitu/pipelines DESTINATION ${shared_folder} COMPONENT program PATTERN __pycache__ EXCLUDE)
  install(PROGRAMS scripts/picture DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME moreau-picture COMPONENT program)
  install(DIRECTORY app/plots DESTINATION ${shared_folder} COMPONENT program)
  foreach(page moreau.1 moreau-picture.1)
    moreau_compressed(${PROJECT_SOURCE_DIR}/app/${page} ${PROJECT_BINARY_DIR}/${page}.gz)
    install(FILES ${PROJECT_BINARY_DIR}/${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  endforeach()
  install(FILES app/moreau_completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME moreau
    COMPONENT program)
endif()

# SPDX-License-Identifier: GPL-3.0-or-later
# `cpack --config build/release/CPackConfig.cmake`, or scripts/package: packages of Debian.
if(NOT MOREAU_COMPONENTS STREQUAL "all" OR NOT MOREAU_WITH_PYTHON)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development python)
if(TARGET moreau_catalyst)
  list(APPEND CPACK_COMPONENTS_ALL catalyst)
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VENDOR "the moreau authors")
set(CPACK_PACKAGE_CONTACT "the moreau authors <moreau@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

configure_file(cmake/debian_changelog.in ${PROJECT_BINARY_DIR}/debian_changelog @ONLY)
moreau_compressed(${PROJECT_BINARY_DIR}/debian_changelog ${PROJECT_BINARY_DIR}/changelog.gz)

# moreau_package(COMPONENT NAME SECTION DESCRIPTION)
macro(moreau_package component name section description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  install(FILES cmake/copyright ${PROJECT_BINARY_DIR}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endmacro()

moreau_package(program moreau math "impact laws of rigid spheres and of the granular continuum
Projects velocities on cones of admissible velocities, sphere by sphere
and by finite elements, with a certified error bound; follows spheres and
congested flows in time.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "python3") # moreau-picture
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "gnuplot-nox")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "moreau-catalyst, paraview, python3-moreau")

moreau_package(catalyst moreau-catalyst math "ParaView scripts of moreau while a run goes on
The plugin that shows runs to scripts of ParaView's Catalyst.")
set(CPACK_DEBIAN_CATALYST_PACKAGE_DEPENDS "moreau (= ${PROJECT_VERSION}), python3-paraview")

moreau_package(development libmoreau-dev libdevel "impact laws of rigid spheres: static libraries and headers
For find_package(moreau) and pkg-config. moreau::convex and moreau::micro
need the packages below; moreau::exchange, moreau::macro and
moreau::homogenization need those that are recommended, too.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libeigen3-dev, libsuitesparse-dev, libtbb-dev, libopenblas-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libdeal.ii-dev, libcgal-dev, voro++-dev, libhdf5-openmpi-dev, libzip-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)

moreau_package(python python3-moreau python "impact laws of rigid spheres: Python module
Impacts, projections and certificates with numpy's arrays.")
math(EXPR next "${PYTHON_VERSION_MINOR} + 1") # of the Python that pybind11 has found
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
  "python3 (>= 3.${PYTHON_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy, python3-scipy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "moreau (= ${PROJECT_VERSION})")
include(CPack)

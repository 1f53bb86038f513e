# SPDX-License-Identifier: GPL-3.0-or-later
# The double of libcatalyst as find_package(catalyst) finds it.
if(NOT TARGET catalyst_double)
  get_filename_component(folder ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
  add_library(catalyst_double SHARED ${folder}/double.cc)
  target_include_directories(catalyst_double PUBLIC ${folder})
  target_compile_features(catalyst_double PRIVATE cxx_std_17)
  add_library(catalyst::catalyst ALIAS catalyst_double)
endif()

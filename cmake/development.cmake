# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# Flags for netra's own programs, tests and benchmarks: directory options, which no user of the targets sees.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set_property(CACHE CMAKE_BUILD_TYPE PROPERTY VALUE Release)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
set_target_properties(netra PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
if(TARGET netra_engine)
  set_target_properties(netra_engine PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wdouble-promotion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # false for "literal" + std::string with g++ 12 and optimisation
  # false where a copy of n < 16 elements is inlined into tests with constant n, also on paths of formats that they never take
  add_compile_options(-Wno-stringop-overflow -Wno-stringop-overread)
endif()
cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND megabytes GREATER 7000)
  add_compile_options(--param=ggc-min-heapsize=1000000)  # no collection below 1 GB: a seventh less time for the engine's tests
endif()
if(NETRA_NATIVE)
  add_compile_options(-march=native)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
    add_compile_options(-Wno-invalid-feature-combination)  # what -march=native itself asks for on some processors
  endif()
endif()
if(NETRA_SANITIZE)
  add_compile_options(-fsanitize=${NETRA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${NETRA_SANITIZE})
endif()

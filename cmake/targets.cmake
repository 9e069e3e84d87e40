# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# netra::netra (constexpr layers and CPU backend), netra::cuda (loads the CUDA driver at run time), netra::engine (readers of weights, sessions).

# GLOBAL: a project that embeds netra links these targets from its own directory.
find_package(Threads REQUIRED)
find_package(hwy CONFIG REQUIRED GLOBAL)

file(GLOB_RECURSE netra_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/netra/*.hpp)
set(netra_engine_headers ${netra_headers})
list(FILTER netra_engine_headers INCLUDE REGEX "/include/netra/engine(/|\\.hpp$)")
list(FILTER netra_headers EXCLUDE REGEX "/include/netra/engine(/|\\.hpp$)")

add_library(netra INTERFACE)
add_library(netra::netra ALIAS netra)
target_sources(netra INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${netra_headers})
target_compile_features(netra INTERFACE cxx_std_20)
# A fused multiply-add is part of a contract: the compiler must neither make nor split one.
target_compile_options(netra INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-ffp-contract=off>)
target_link_libraries(netra INTERFACE Threads::Threads hwy::hwy)

add_library(netra_cuda INTERFACE)
add_library(netra::cuda ALIAS netra_cuda)
set_target_properties(netra_cuda PROPERTIES EXPORT_NAME cuda)
target_link_libraries(netra_cuda INTERFACE netra::netra ${CMAKE_DL_LIBS})

if(NETRA_ENGINE)
  find_package(fmt QUIET GLOBAL)
  find_package(nlohmann_json QUIET GLOBAL)
  find_package(ICU QUIET GLOBAL COMPONENTS uc i18n)
  set(missing "")
  foreach(package fmt nlohmann_json ICU)
    if(NOT ${package}_FOUND)
      list(APPEND missing ${package})
    endif()
  endforeach()
  if(NOT missing)
    add_library(netra_engine INTERFACE)
    add_library(netra::engine ALIAS netra_engine)
    set_target_properties(netra_engine PROPERTIES EXPORT_NAME engine)
    target_sources(netra_engine INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${netra_engine_headers})
    target_link_libraries(netra_engine INTERFACE netra::cuda fmt::fmt nlohmann_json::nlohmann_json ICU::i18n ICU::uc)
  elseif(PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "netra::engine needs ${missing}: install them (tools/setup/packages build) or say -DNETRA_ENGINE=OFF")
  else()
    message(STATUS "netra: no target netra::engine, because ${missing} was not found")
  endif()
endif()

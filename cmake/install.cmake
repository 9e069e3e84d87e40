# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/netra)
set(targets netra netra_cuda)
set(NETRA_ENGINE_INSTALLED FALSE)
if(TARGET netra_engine)
  list(APPEND targets netra_engine)
  set(NETRA_ENGINE_INSTALLED TRUE)
endif()
install(TARGETS ${targets} EXPORT netraTargets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT netra_headers
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT netraTargets NAMESPACE netra:: DESTINATION ${package_dir} COMPONENT netra_headers)
export(EXPORT netraTargets NAMESPACE netra::)

configure_package_config_file(cmake/netraConfig.cmake.in netraConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(netraConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/netraConfig.cmake ${PROJECT_BINARY_DIR}/netraConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT netra_headers)
if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/netra_add_model.cmake)
  file(GLOB model_files CONFIGURE_DEPENDS cmake/netra_add_model*)
  install(FILES ${model_files} DESTINATION ${package_dir} COMPONENT netra_headers)
endif()

foreach(name netra netra-engine)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT netra_headers)
endforeach()

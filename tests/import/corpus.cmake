# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# cmake -DOUT=folder -P corpus.cmake: what netra_add_model makes of every file in configs/: OUT/verdicts has "name" or "name<tab>error" a line,
# OUT/<name>.hpp the headers of those that it accepts.

include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/netra_add_model.cmake)

file(GLOB configs ${CMAKE_CURRENT_LIST_DIR}/configs/*.json)
set(verdicts "")
foreach(config IN LISTS configs)
  cmake_path(GET config STEM LAST_ONLY name)
  netra_model_header(text error "${config}" NAME ${name} NAMESPACE corpus)
  if(error)
    string(REGEX REPLACE "[\t\n]" " " error "${error}")
    string(APPEND verdicts "${name}\t${error}\n")
  else()
    string(APPEND verdicts "${name}\n")
    file(WRITE ${OUT}/${name}.hpp "${text}")
  endif()
endforeach()
file(WRITE ${OUT}/verdicts "${verdicts}")

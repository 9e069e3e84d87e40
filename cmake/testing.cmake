# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# What tests, examples and benchmarks share to register with ctest.

enable_testing()
set(NETRA_DEMO_GGUF "$ENV{NETRA_DEMO_GGUF}" CACHE FILEPATH "SmolLM2-135M-Instruct.Q4_1.gguf; empty: tests that need it are skipped")
set(NETRA_SCHEDULE_DATA "$ENV{NETRA_SCHEDULE_DATA}" CACHE FILEPATH "schedules.jsonl.gz with verdicts (format amk); empty: its test is skipped")
set(NETRA_TEST_PREFIX "" CACHE STRING "Put before the names of all tests, so that several builds can share one ctest run")

# Tests find their way by environment variables: NETRA_DEMO_GGUF and NETRA_SCHEDULE_DATA (may be empty), NETRA_SOURCE_DIR and
# NETRA_BINARY_DIR (the program is $NETRA_BINARY_DIR/netra).
# netra_add_test(NAME x LABELS a b COMMAND ...) adds a ctest entry; exit status 77 means skipped, the output says why.
function(netra_add_test)
  cmake_parse_arguments(arg "" "NAME" "LABELS;COMMAND" ${ARGN})
  set(name ${NETRA_TEST_PREFIX}${arg_NAME})
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT
    "NETRA_DEMO_GGUF=${NETRA_DEMO_GGUF};NETRA_SCHEDULE_DATA=${NETRA_SCHEDULE_DATA};NETRA_SOURCE_DIR=${PROJECT_SOURCE_DIR};NETRA_BINARY_DIR=${PROJECT_BINARY_DIR};UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1")
endfunction()

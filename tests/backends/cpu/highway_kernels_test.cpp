// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The kernels' tests once more, on Highway's vectors, which g++ on AVX-512 does without.
#define HWY_COMPILE_ONLY_STATIC

#include "backends/cpu/attention_test.cpp"
#include "backends/cpu/dot_test.cpp"
#include "backends/cpu/formats_test.cpp"
#include "backends/cpu/rope_test.cpp"
#include "backends/cpu/rows_test.cpp"
#include "backends/cpu/sample_test.cpp"
#include "backends/cpu/simd_test.cpp"

TEST_CASE("these kernels run on Highway's vectors") { STATIC_REQUIRE(HWY_TARGET == HWY_STATIC_TARGET); }

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The kernels' tests once more, on the vectors of targets that have none of a fixed size.
#define HWY_COMPILE_ONLY_SCALAR

#include "backends/cpu/attention_test.cpp"
#include "backends/cpu/dot_test.cpp"
#include "backends/cpu/formats_test.cpp"
#include "backends/cpu/rope_test.cpp"
#include "backends/cpu/rows_test.cpp"
#include "backends/cpu/sample_test.cpp"
#include "backends/cpu/simd_test.cpp"

TEST_CASE("these kernels run on portable vectors") {
    STATIC_REQUIRE(HWY_TARGET == HWY_SCALAR);
    STATIC_REQUIRE(std::is_same_v<cpu::f32x16, cpu::portable::f32x16>);
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the watchdog says; tests/gpu/backend_test.cpp has it bite.
#include <netra/backends/cuda/watchdog.hpp>

#include "support/catch.hpp"

using namespace netra;
using cuda::seconds;
using cuda::stall_message;
using test::containing;

TEST_CASE("limits are told as people write them") {
    CHECK(cuda::in_words(seconds(30)) == "30 s");
    CHECK(cuda::in_words(seconds(0.25)) == "0.25 s");
    CHECK(cuda::in_words(seconds(1.005)) == "1.005 s");
    CHECK(cuda::in_words(seconds(0)) == "0 s");
}

TEST_CASE("a kernel that does not end is told apart from one that gave up") {
    const name groups[] = {"qkv_proj"};
    const stall_names names{groups, 1, nullptr, 0};
    const stall_record stalled{
        .state = stall_found, .role = 0, .group = 0, .layer = 5, .block = 9, .word = 77, .seen = 3, .wanted = 4, .step = 2};
    CHECK_THAT(stall_message("decode", false, seconds(2.5), {}, {}), containing("the kernel decode has not ended within 2.5 s;"));
    CHECK_THAT(
        stall_message("decode", false, seconds(2.5), stalled, names),
        containing("has not ended within 2.5 s: block 9 (role 0) waits in qkv_proj, layer 5, step 2: word 77 is 3, it must become 4;"));
    CHECK_THAT(
        stall_message("decode", true, seconds(2.5), stalled, names),
        containing("the kernel decode stopped itself, because it made no progress: block 9") && containing("the next launch starts anew"));
}

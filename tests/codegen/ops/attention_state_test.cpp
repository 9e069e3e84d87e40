// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ops/attention_state.hpp>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("queries are padded to whole steps of two threads") {
    CHECK(ptx::padded_dim(attention{.head_dim = 64}) == 64);
    CHECK(ptx::padded_dim(attention{.head_dim = 72}) == 80);
}

TEST_CASE("what is asked for at a time fits 32 registers in every format") {
    for (const dtype kv : {dtype::f32, dtype::f16, dtype::bf16}) {
        const attention c{.head_dim = 128, .kv = kv};
        CHECK(ptx::loads_ahead(c) * ptx::kv_lane_bytes(c) == 32 * 4);
        CHECK(ptx::kv_row_bytes(c) == 16 * ptx::kv_lane_bytes(c));
        CHECK(ptx::loads_ahead(c) <= ptx::most_loads_ahead);
    }
}

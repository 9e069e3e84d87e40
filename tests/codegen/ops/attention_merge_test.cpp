// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What merging gives is judged by attention_test.cpp.
#include <netra/codegen/ops/attention_merge.hpp>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;
using namespace netra::ptx;

TEST_CASE("a column is loaded from where its head's results lie") {
    const auto text = [](register_class kind) {
        return test::written([&](auto& as) {
            const reg head = as.fresh(kind);
            const reg value = as.fresh(kind);
            load_column(as, head, value, 0);
        });
    };
    CHECK(text(register_class::b32) == "\tld.shared.f32 %f0, [%r0];\n\tld.shared.f32 %f1, [%r0+4];\n\tld.shared.f32 %f2, [%r1+8];\n");
    CHECK(text(register_class::b64) == "\tld.global.f32 %f0, [%d0];\n\tld.global.f32 %f1, [%d0+4];\n\tld.global.f32 %f2, [%d1+8];\n");
}

TEST_CASE("a merge scales both sides to the larger maximum") {
    const auto text = test::written([](auto& as) {
        const merged_column running = no_chunk(as);
        const merged_column chunk{as.f32(), as.f32(), as.f32()};
        merge_column(as, chunk, running);
    });
    CHECK(text.find("mov.f32 %f0, 0fff800000;") == 1);  // no chunk: -inf
    CHECK(test::occurrences(text, "ex2") == 2);
    CHECK(test::occurrences(text, "max.f32 %f6, %f3, %f0") == 1);
}

TEST_CASE("positions are held within the context, whatever memory says") {
    const auto seen = [](u32_t window) {
        return test::written([&](auto& as) { find_seen(as, attention{.rows = 2, .context = 100, .window = window}, as.b32()); });
    };
    CHECK(test::occurrences(seen(0), "min.u32") == 2);
    CHECK(test::occurrences(seen(0), ", 99;") == 1);
    CHECK(test::occurrences(seen(100), "max.u32") == 0);  // a window of the whole context is none
    CHECK(test::occurrences(seen(99), "max.u32") == 1);
}

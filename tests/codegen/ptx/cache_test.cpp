// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ptx/cache.hpp>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;
using namespace netra::ptx;

TEST_CASE("a place is 32 bits in shared memory, 64 in global memory, whatever the stride") {
    const auto text = [](register_class kind, u64_t bytes) {
        return test::written([&](auto& as) {
            const reg base = as.fresh(kind);
            const reg index = as.b32();
            element_at(as, base, index, bytes);
        });
    };
    CHECK(text(register_class::b32, 260) == "\tmad.lo.u32 %r2, %r1, 260, %r0;\n");
    CHECK(text(register_class::b64, 260) == "\tmad.wide.u32 %d1, %r0, 260, %d0;\n");
    CHECK(text(register_class::b64, u64_t{1} << 33) == "\tcvt.u64.u32 %d1, %r0;\n\tmad.lo.u64 %d1, %d1, 8589934592, %d0;\n");
}

TEST_CASE("a strided loop may run no time") {
    const auto text = test::written([](auto& as) {
        const reg index = as.b32();
        strided(as, index, 7U, 3, [&] { as(op::mov_u32, as.b32(), index); });
    });
    CHECK(text == "$L0:\n\tsetp.ge.u32 %p0, %r0, 7;\n\t@%p0 bra $L1;\n\tmov.u32 %r1, %r0;\n\tadd.u32 %r0, %r0, 3;\n\tbra $L0;\n$L1:\n");
}

TEST_CASE("a loop of what is left stops where too little is") {
    const auto text = test::written([](auto& as) { while_left(as, as.b32(), 8, [] {}); });
    CHECK(text == "$L0:\n\tsetp.lt.u32 %p0, %r0, 8;\n\t@%p0 bra $L1;\n\tsub.u32 %r0, %r0, 8;\n\tbra $L0;\n$L1:\n");
}

TEST_CASE("half a warp combines by halves") {
    const auto text = test::written([](auto& as) { combine_16(as, op::add_f32, as.f32()); });
    CHECK(test::occurrences(text, "shfl.sync.bfly.b32") == 4);
    CHECK(text.find("bfly.b32 %f1, %f0, 8, 31, -1") < text.find("bfly.b32 %f1, %f0, 1, 31, -1"));
}

TEST_CASE("elements of caches are stored in their format, only where the guard is true") {
    const auto text = [](dtype kv) {
        return test::written([&](auto& as) { store_kv(as, kv, as.predicate(), at(as.b64(), 6), as.f32()); });
    };
    CHECK(text(dtype::f32) == "\t@%p0 st.global.f32 [%d0+6], %f0;\n");
    CHECK(text(dtype::f16) == "\tcvt.rn.f16.f32 %h0, %f0;\n\t@%p0 st.global.b16 [%d0+6], %h0;\n");
    CHECK(text(dtype::bf16) == "\tcvt.rn.bf16.f32 %h0, %f0;\n\t@%p0 st.global.b16 [%d0+6], %h0;\n");
}

TEST_CASE("eight elements of a cache are one load of 16 bytes, two of fp32") {
    const auto loads = [](dtype kv) { return test::occurrences(test::written([&](auto& as) { load_kv(as, kv, as.b64(), 32); }), "ld.global.v4.b32"); };
    CHECK(loads(dtype::bf16) == 1);
    CHECK(loads(dtype::f32) == 2);
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Small well-formed weights files that between them use every metadata type and every weight format.
#pragma once

#include "support/gguf_writer.hpp"
#include "support/safetensors_writer.hpp"

namespace netra::test {

/// -1, -0.9375, ... a ramp that f16, bf16 and f32 hold exactly for up to 256 values.
inline std::vector<float> ramp(usz n) {
    std::vector<float> values;
    for (usz i = 0; i < n; ++i) values.push_back(static_cast<float>(i) / 16.0F - 1.0F);
    return values;
}

inline gguf_writer gguf_of_keys() {
    gguf_writer out;
    out.key("general.architecture", "llama").key("a.u8", u8_t{200}).key("a.i8", i8_t{-100});
    out.key("a.u16", u16_t{60000}).key("a.i16", short{-30000});
    out.key("a.u32", 4000000000U).key("a.i32", -2000000000).key("a.f32", 1.5F).key("a.true", true).key("a.false", false);
    out.key("a.u64", ~u64_t{0}).key("a.i64", i64_t{-5000000000}).key("a.f64", 1e-300).key("a.empty", "");
    out.array("b.strings", std::vector<std::string>{"one", "", "drei\xc3\xa9"}).array("b.i32", std::vector<i32_t>{1, -2, 3});
    out.array("b.f32", std::vector<float>{0.5F, -0.25F}).array("b.u8", std::vector<u8_t>{7, 255}).array("b.none", std::vector<u64_t>{});
    blob nested;  // [[1, 2], []] as arrays of u16
    put(nested, u32_t{9});
    put(nested, u64_t{2});
    put(nested, gguf_writer::array_bytes(std::vector<u16_t>{1, 2}));
    put(nested, gguf_writer::array_bytes(std::vector<u16_t>{}));
    return out.raw_key("c.nested", 9, nested);
}

inline gguf_writer gguf_of_tensors() {
    gguf_writer out;
    out.key("general.architecture", "llama");
    out.tensor("t.f32", f32, {3}, ramp(3)).tensor("t.f16", f16, {2, 5}, ramp(10)).tensor("t.bf16", bf16, {2, 3, 2}, ramp(12));
    out.tensor("t.q8_0", q8_0, {2, 32}, ramp(64)).tensor("t.q4_0", q4_0, {1, 64}, ramp(64));
    return out.tensor("t.q4_1", q4_1, {2, 32}, ramp(64));
}

inline safetensors_writer safetensors_sample() {
    safetensors_writer out;
    out.metadata("format", "pt").tensor("a", f32, {2, 2}, ramp(4)).tensor("b.weight", bf16, {3}, ramp(3));
    return out.tensor("c", f16, {1, 2, 1}, ramp(2)).tensor("scalar", f32, {}, ramp(1));
}

}  // namespace netra::test

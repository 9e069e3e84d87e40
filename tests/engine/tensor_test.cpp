// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/tensor.hpp>

#include "support/catch.hpp"
#include "support/encode.hpp"
#include "support/refusal.hpp"

#include <cmath>
#include <limits>
#include <random>

using namespace netra;
using namespace netra::test;

namespace {

tensor over(const blob& data, weight_format format, std::vector<u64_t> shape) {
    return {"t", format, std::move(shape), data.data(), data.size(), 64, "file"};
}

std::vector<float> all_of(const tensor& t) {
    std::vector<float> out(t.elements());
    dequantize(t, 0, out);
    return out;
}

blob random_bytes(std::mt19937_64& random, usz n) {
    blob out;
    for (usz i = 0; i < n; ++i) out.push_back(static_cast<std::byte>(random() & 0xff));
    return out;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), 4 * a.size()) == 0);
}

const weight_format formats[] = {f32, f16, bf16, q8_0, q4_0, q4_1};

}  // namespace

TEST_CASE("plain formats hold the values themselves") {
    const std::vector<float> values{0.0F, -0.0F, 1.0F, -1.5F, 65504.0F, 0x1p-24F, std::numeric_limits<float>::infinity()};
    CHECK(same_bits(all_of(over(encode(f32, values), f32, {7})), values));
    CHECK(same_bits(all_of(over(encode(f16, values), f16, {7})), values));
    const std::vector<float> short_ones{0.0F, -0.0F, 1.0F, -1.5F, 0x1p127F, 0x1p-133F};
    CHECK(same_bits(all_of(over(encode(bf16, short_ones), bf16, {2, 3})), short_ones));
}

TEST_CASE("q8_0: a scale, then 32 signed bytes") {
    blob block;
    put(block, u16_t{0x3800});  // 0.5
    for (int i = 0; i < 32; ++i) put(block, static_cast<i8_t>(i * 8 - 128));
    const auto w = all_of(over(block, q8_0, {32}));
    for (int i = 0; i < 32; ++i) CHECK(w[static_cast<usz>(i)] == 0.5F * static_cast<float>(i * 8 - 128));
}

TEST_CASE("q4_0 and q4_1: low nibbles are the first 16 elements, high ones the others") {
    blob q40;
    put(q40, u16_t{0xc000});  // -2
    for (int i = 0; i < 16; ++i) put(q40, static_cast<u8_t>(i | (15 - i) << 4));
    const auto w = all_of(over(q40, q4_0, {32}));
    for (int i = 0; i < 16; ++i) {
        CHECK(w[static_cast<usz>(i)] == -2.0F * static_cast<float>(i - 8));
        CHECK(w[static_cast<usz>(i + 16)] == -2.0F * static_cast<float>(7 - i));
    }
    blob q41;
    put(q41, u16_t{0x3400});  // 0.25
    put(q41, u16_t{0xbc00});  // -1
    for (int i = 0; i < 16; ++i) put(q41, static_cast<u8_t>(i | (15 - i) << 4));
    const auto v = all_of(over(q41, q4_1, {32}));
    for (int i = 0; i < 16; ++i) {
        CHECK(v[static_cast<usz>(i)] == 0.25F * static_cast<float>(i) - 1.0F);
        CHECK(v[static_cast<usz>(i + 16)] == 0.25F * static_cast<float>(15 - i) - 1.0F);
    }
}

TEST_CASE("q4_1 is one fused multiply-add, to the bit, for random scales and minima") {
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 2000; ++round) {
        const blob block = random_bytes(random, 20);
        const auto w = all_of(over(block, q4_1, {32}));
        const float d = f16_to_f32(detail::load<u16_t>(block.data()));
        const float m = f16_to_f32(detail::load<u16_t>(block.data() + 2));
        if (std::isnan(d) || std::isnan(m) || std::isinf(d)) continue;
        for (usz i = 0; i < 32; ++i) {
            const auto pair = std::to_integer<int>(block[4 + i % 16]);
            const float expected = std::fma(d, static_cast<float>(i < 16 ? pair & 15 : pair >> 4), m);
            REQUIRE(f32_bits(w[i]) == f32_bits(expected));
        }
    }
}

TEST_CASE("any range of elements has the bits of the whole, at any address") {
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (const weight_format& format : formats) {
        const u64_t elements = 160;
        const blob data = random_bytes(random, bytes_of(format, elements));
        const auto whole = all_of(over(data, format, {5, 32}));
        blob shifted(1);
        put(shifted, data);
        tensor odd = over(shifted, format, {5, 32});
        ++odd.data;
        for (u64_t first = 0; first <= elements; ++first) {
            for (const u64_t n : {u64_t{0}, u64_t{1}, u64_t{31}, u64_t{32}, u64_t{33}, u64_t{97}, elements - first}) {
                if (first + n > elements) continue;
                std::vector<float> part(n);
                dequantize(odd, first, part);
                REQUIRE(same_bits(part, std::span(whole).subspan(first, n)));
            }
        }
    }
}

TEST_CASE("encode and dequantize agree within half a step") {
    std::vector<float> values;
    for (int i = 0; i < 64; ++i) values.push_back(std::sin(static_cast<float>(i)) * 3.0F);
    for (const weight_format& format : formats) {
        const auto w = all_of(over(encode(format, values), format, {2, 32}));
        const float step = format == q8_0 ? 3.0F / 127 : block_elements(format) == 32 ? 6.0F / 14 : 3.0F / 128;
        for (usz i = 0; i < 64; ++i) CHECK(std::abs(w[i] - values[i]) <= 0.55F * step);
    }
}

TEST_CASE("elements beyond the end and formats without values are refused") {
    const blob data = encode(f32, std::vector<float>{1, 2, 3});
    const tensor t = over(data, f32, {3});
    std::vector<float> out(2);
    check_refused([&] { dequantize(t, 2, out); }, {"file: tensor 't' (f32 [3] at offset 64)", "no elements 2 to 4"});
    check_refused([&] { dequantize(t, ~u64_t{0}, out); }, {"has no elements"});
    check_refused([&] { dequantize(over(data, i8, {12}), 0, out); }, {"tensor 't' (i8 [12]", "cannot be read as fp32"});
}

TEST_CASE("weight_files finds tensors by name and refuses a second one of the same name") {
    const blob data = encode(f32, std::vector<float>{1, 2, 3});
    weight_files files;
    CHECK(files.find("t") == nullptr);
    check_refused([&] { files.at("t"); }, {"no tensor 't' among its 0 tensors"});
    files.add(over(data, f32, {3}));
    tensor other = over(data, f32, {1, 3});
    other.name = "u";
    files.add(other);
    CHECK(files.size() == 2);
    CHECK(&files.at("u") == files.find("u"));
    CHECK(files.at("u").shape == std::vector<u64_t>{1, 3});
    CHECK(files.tensors()[0].name == "t");
    CHECK(files.source() == "file");
    check_refused([&] { files.at("lm_head.bias"); }, {"file: no tensor 'lm_head.bias' among its 2 tensors"});
    check_refused([&] { files.add(over(data, f32, {3})); },
                  {"file: tensor 't' (f32 [3] at offset 64)", "same name is at offset 64 of file"});
    const weight_files moved = std::move(files);
    CHECK(moved.at("t").elements() == 3);
}

TEST_CASE("weight_files keeps its files mapped, also when it moves") {
    const temporary_directory directory;
    write_file(directory / "f", encode(f32, std::vector<float>{1, 2}));
    weight_files files;
    const mapped_file& held = files.hold(mapped_file(directory / "f"));
    files.add({"t", f32, {2}, held.data(), 8, 0, held.path()});
    files.hold(mapped_file(directory / "f"));
    const weight_files moved = std::move(files);
    moved.advise(file_advice::populate);
    CHECK(all_of(moved.at("t")) == std::vector<float>{1, 2});
    CHECK(moved.files().size() == 2);
    CHECK(moved.source() == (directory / "f") + " and 1 more");
}

TEST_CASE("names in messages are short and printable") {
    CHECK(detail::in_quotes("blk.0.attn_q.weight") == "'blk.0.attn_q.weight'");
    CHECK(detail::in_quotes("a\x1b[31m\n'\\") == "'a\\x1b[31m\\x0a\\x27\\x5c'");
    CHECK(detail::in_quotes("\xc3\xa9") == "'\xc3\xa9'");
    CHECK(detail::in_quotes("\xff\xc2\x9b") == "'\\xff\\xc2\\x9b'");
    CHECK(detail::in_quotes(std::string(99, 'x') + "\xc3\xa9") == "'" + std::string(99, 'x') + "...'");
    CHECK(detail::in_quotes(std::string(1000, 'x')) == "'" + std::string(100, 'x') + "...'");
}

TEST_CASE("element_count refuses products beyond 2^60") {
    u64_t n = 0;
    const auto count = [&](std::vector<u64_t> shape) { return detail::element_count(shape, n); };
    CHECK(count({}));
    CHECK(n == 1);
    CHECK(count({1U << 30, 1U << 30}));
    CHECK(n == u64_t{1} << 60);
    CHECK_FALSE(count({1U << 30, 1U << 30, 2}));
    CHECK_FALSE(count({~u64_t{0}}));
    CHECK_FALSE(count({u64_t{1} << 32, u64_t{1} << 32}));
    CHECK(count({0, 5}));
    CHECK(n == 0);
}

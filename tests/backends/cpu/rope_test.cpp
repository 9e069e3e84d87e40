// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/rope.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

namespace {

/// What tests/golden/rope_partial.json says from the entry `name` on: numbers by key, in the order of the file.
class golden_entry {
  public:
    explicit golden_entry(const std::string& name) {
        const char* source = std::getenv("NETRA_SOURCE_DIR");
        std::ifstream file(std::string(source == nullptr ? "." : source) + "/tests/golden/rope_partial.json");
        std::stringstream all;
        all << file.rdbuf();
        text_ = all.str();
        const usz at = text_.find("\"name\": \"" + name + '"');
        REQUIRE(at != std::string::npos);
        const usz end = text_.find("\"name\": ", at + 1);
        text_ = text_.substr(at, end == std::string::npos ? end : end - at);
    }
    /// The next number or list of numbers called `key`.
    std::vector<double> next(const std::string& key) {
        const std::string quoted = '"' + key + "\": ";
        at_ = text_.find(quoted, at_);
        REQUIRE(at_ != std::string::npos);
        const char* p = text_.c_str() + at_ + quoted.size();
        std::vector<double> numbers;
        for (const bool list = *p == '['; numbers.empty() || (list && *p == ',');) {
            p += list ? 1 : 0;
            char* end = nullptr;
            numbers.push_back(std::strtod(p, &end));
            REQUIRE(end != p);
            p = end;
        }
        at_ = static_cast<usz>(p - text_.c_str());
        return numbers;
    }
    double number(const std::string& key) { return next(key).at(0); }
    u32_t integer(const std::string& key) { return static_cast<u32_t>(number(key)); }

  private:
    std::string text_;
    usz at_ = 0;
};

}  // namespace

TEST_CASE("rope_append_tile, head by head, gives the reference's bits in queries and caches and touches nothing else") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 300; ++i) {
        const u32_t head = 2 * r.between(1, 70);
        rope_append c;
        c.kv_heads = r.between(1, 4);
        c.heads = c.kv_heads * r.between(1, 5);
        c.context = r.between(16, 60);
        c.kv = r.one_of({f32, f16, bf16});
        c.qk_norm = r.below(2) == 1;
        c.norm_plus_one = r.below(2) == 1;
        c.table = {.rows = r.between(1, 16), .head_dim = head};
        c.table.frequencies.dims = r.below(2) == 1 ? 2 * r.between(1, head / 2) : 0;
        c.table.frequencies.pairing = r.below(2) == 1 ? rope_pairing::adjacent : rope_pairing::halves;
        REQUIRE(check(c).ok());
        const u64_t position = r.below(c.context - c.table.rows + 1);
        const u64_t width = u64_t{c.heads + 2 * c.kv_heads} * head;
        const u64_t pitch = width + r.below(3);
        const u64_t turns = rotary_dims(c.table);
        std::vector<float> qkv = r.normals(c.table.rows * pitch);
        const std::vector<float> q_norm = r.normals(head);
        const std::vector<float> k_norm = r.normals(head);
        std::vector<float> angles(c.table.rows * turns);
        for (u32_t row = 0; row < c.table.rows; ++row) reference(c.table, position + row, nullptr, angles.data() + row * turns);
        const usz cache_bytes = usz{c.kv_heads} * c.context * head * bits_of(c.kv) / 8;
        std::vector<u8_t> keys(cache_bytes, 0xff);
        std::vector<u8_t> values(cache_bytes, 0xff);
        std::vector<u8_t> expected_keys = keys;
        std::vector<u8_t> expected_values = values;
        std::vector<float> expected = qkv;
        for (u32_t row = 0; row < c.table.rows; ++row) {
            std::vector<float> copy(expected.begin() + static_cast<std::ptrdiff_t>(row * pitch), expected.begin() + static_cast<std::ptrdiff_t>(row * pitch + width));
            reference(c, copy.data(), angles.data() + row * turns, q_norm.data(), k_norm.data(), position + row, expected_keys.data(), expected_values.data());
            std::copy_n(copy.begin(), u64_t{c.heads} * head, expected.begin() + static_cast<std::ptrdiff_t>(row * pitch));  // keys and values keep their columns
        }
        for (u32_t g = 0; g < c.kv_heads; ++g)
            cpu::rope_append_tile(c, g, c.table.rows, position, qkv.data(), pitch, angles.data(), turns, q_norm.data(), k_norm.data(), keys.data(), values.data());
        INFO("head_dim " << head << " heads " << c.heads << "/" << c.kv_heads << " dims " << turns << " kv " << name_of(c.kv));
        REQUIRE(same(qkv, expected));
        if (cpu::fused) {
            REQUIRE(keys == expected_keys);
            REQUIRE(values == expected_values);
        }
    }
}

TEST_CASE("partial rotation turns vectors as numpy does in fp64, far positions included") {
    for (const char* name : {"full", "quarter", "half_far", "quarter_of_256", "all_but_two", "one_pair"})
        for (const rope_pairing pairing : {rope_pairing::halves, rope_pairing::adjacent}) {
            INFO(name);
            golden_entry golden(name);
            rope_append c;
            c.heads = golden.integer("heads");
            c.kv_heads = 1;
            c.table.head_dim = golden.integer("head_dim");
            c.table.frequencies.dims = golden.integer("rotary_dim");
            c.table.frequencies.theta = static_cast<float>(golden.number("theta"));
            c.table.frequencies.pairing = pairing;
            const u32_t position = golden.integer("position");
            c.context = position + 1;
            REQUIRE(check(c).ok());
            const std::vector<double> input = golden.next("input");
            const std::vector<double> output = golden.next("output");
            const usz head = c.table.head_dim;
            REQUIRE(input.size() == c.heads * head);
            REQUIRE(output.size() == input.size());
            // adjacent pairs are those of halves in another place
            const usz pairs = c.table.frequencies.dims / 2;
            const auto place = [&](usz i) {
                const usz d = i % head;
                if (pairing == rope_pairing::halves || d >= 2 * pairs) return i;
                return i - d + (d < pairs ? 2 * d : 2 * (d - pairs) + 1);
            };
            std::vector<float> qkv((c.heads + 2) * head, 1.0F);
            for (usz i = 0; i < input.size(); ++i) qkv[place(i)] = static_cast<float>(input[i]);
            for (usz i = 0; i < head; ++i) qkv[c.heads * head + place(i)] = static_cast<float>(input[i]);
            std::vector<float> angles(2 * pairs);
            reference(c.table, position, nullptr, angles.data());
            std::vector<float> keys(c.context * head);
            std::vector<float> values(c.context * head);
            cpu::rope_append_tile(c, 0, 1, position, qkv.data(), qkv.size(), angles.data(), angles.size(), nullptr, nullptr, reinterpret_cast<u8_t*>(keys.data()),
                                  reinterpret_cast<u8_t*>(values.data()));
            for (usz i = 0; i < input.size(); ++i) {
                INFO("element " << i);
                REQUIRE(std::abs(static_cast<double>(qkv[place(i)]) - output[i]) < 3e-7);
                if (i < head) REQUIRE(std::abs(static_cast<double>(keys[position * head + place(i)]) - output[i]) < 3e-7);
                if (i % head >= 2 * pairs) REQUIRE(static_cast<double>(qkv[i]) == input[i]);
            }
        }
}

TEST_CASE("rotary tables are those of fp64 rounded once, with every scaling") {
    for (const char* name : {"default", "linear", "llama3_factor8", "llama3_factor32", "partial"}) {
        INFO(name);
        golden_entry golden(name);
        rope_table c;
        c.head_dim = golden.integer("rotary_dim");
        auto& f = c.frequencies;
        f.theta = static_cast<float>(golden.number("theta"));
        const std::string kind(name);
        if (kind == "linear") f.scaling = rope_scaling::linear;
        if (kind.rfind("llama3", 0) == 0) f.scaling = rope_scaling::llama3;
        if (f.scaling != rope_scaling::none) f.factor = static_cast<float>(golden.number("factor"));
        if (f.scaling == rope_scaling::llama3) {
            f.low_frequency_factor = static_cast<float>(golden.number("low_freq_factor"));
            f.high_frequency_factor = static_cast<float>(golden.number("high_freq_factor"));
            f.original_context = golden.integer("original_max_position_embeddings");
        }
        REQUIRE(check(c).ok());
        const std::vector<double> frequencies = golden.next("inverse_frequencies");
        const u32_t pairs = c.head_dim / 2;
        REQUIRE(frequencies.size() == pairs);
        std::vector<float> factors(pairs);
        for (u32_t i = 0; i < pairs; ++i) {
            REQUIRE(std::abs(rope_frequency(c, i, nullptr) - frequencies[i]) <= 1e-13 * frequencies[i]);
            factors[i] = static_cast<float>(std::pow(static_cast<double>(f.theta), -2.0 * i / c.head_dim) / frequencies[i]);
        }
        rope_table by_factors = c;
        by_factors.frequencies.scaling = rope_scaling::table;
        for (int entry = 0; entry < 6; ++entry) {
            const u64_t position = golden.integer("position");
            INFO("position " << position);
            const std::vector<double> cosines = golden.next("cos");
            const std::vector<double> sines = golden.next("sin");
            std::vector<float> row(2 * pairs);
            std::vector<float> again(2 * pairs);
            reference(c, position, nullptr, row.data());
            reference(by_factors, position, factors.data(), again.data());
            for (u32_t i = 0; i < pairs; ++i) {
                INFO("pair " << i);
                REQUIRE(std::abs(static_cast<double>(row[i]) - cosines[i]) <= 3.1e-8);
                REQUIRE(std::abs(static_cast<double>(row[pairs + i]) - sines[i]) <= 3.1e-8);
                const double rounding = 1e-7 + 6e-8 * static_cast<double>(position) * frequencies[i];  // of the factors to fp32
                REQUIRE(std::abs(static_cast<double>(again[i]) - cosines[i]) <= rounding);
                REQUIRE(std::abs(static_cast<double>(again[pairs + i]) - sines[i]) <= rounding);
            }
        }
    }
}

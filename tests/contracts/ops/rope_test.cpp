// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/rope.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <string_view>
#include <vector>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <string>
#endif

using namespace netra;

namespace {
constexpr rope_table with(rope_frequencies f, u32_t head_dim = 8, u32_t rows = 2) { return {.rows = rows, .head_dim = head_dim, .frequencies = f}; }
}  // namespace

static_assert(check(with({})).ok() && bytes(with({})) == 4 * 2 * 8 && flops(with({})) == 40 * 2 * 8);
static_assert(rotary_dims(with({})) == 8 && rotary_dims(with({.dims = 6})) == 6 && bytes(with({.dims = 6})) == 4 * 2 * 6);
static_assert(check(with({}, 0)).why == reason::zero_size);
static_assert(check(with({}, 8, 17))[label::rows] == 17);
static_assert(check(with({.dims = 10}))[label::limit] == 8);
static_assert(check(with({.dims = 3}))[label::multiple] == 2);
static_assert(check(with({.theta = 0.5F})).why == reason::bad_parameter);
static_assert(check(with({.theta = __builtin_nanf("")})).why == reason::bad_parameter);
static_assert(check(with({.factor = 0.5F})).why == reason::bad_parameter);
static_assert(check(with({.factor = __builtin_inff()})).why == reason::bad_parameter);
static_assert(check(with({.scaling = rope_scaling::llama3, .factor = 8.0F})).ok());
static_assert(check(with({.scaling = rope_scaling::llama3, .low_frequency_factor = 4.0F})).why == reason::bad_parameter);
static_assert(check(with({.scaling = rope_scaling::llama3, .original_context = 0})).object == name{"original_context"});
static_assert(check(with({.low_frequency_factor = 4.0F, .original_context = 0})).ok());  // unused
static_assert(std::string_view(sentence(check(with({.dims = 10}))).d) == "rope: dims is 10, the most that is supported is 8");

TEST_CASE("frequencies and their scalings, by hand") {
    CHECK(rope_frequency(with({.theta = 16.0F}), 0, nullptr) == 1.0);
    CHECK(rope_frequency(with({.theta = 16.0F}), 2, nullptr) == 0.25);
    CHECK(rope_frequency(with({.theta = 16.0F, .dims = 4}), 1, nullptr) == 0.25);
    CHECK(rope_frequency(with({.theta = 16.0F, .scaling = rope_scaling::linear, .factor = 8.0F}), 2, nullptr) == 0.03125);
    const float factors[] = {1, 1, 5, 1};
    CHECK(rope_frequency(with({.theta = 16.0F, .scaling = rope_scaling::table}), 2, factors) == 0.05);
    // 63 positions of frequency 1/4 are about 2.5 turns, half way from 1 to 4 turns
    const rope_frequencies llama3{.theta = 16.0F, .scaling = rope_scaling::llama3, .factor = 4.0F, .original_context = 63};
    CHECK(rope_frequency(with(llama3), 0, nullptr) == 1.0);
    CHECK(std::abs(rope_frequency(with(llama3), 2, nullptr) - 0.25 * (0.5 / 4 + 0.5)) < 1e-3);
    CHECK(rope_frequency(with({.theta = 1e8F, .scaling = rope_scaling::llama3, .factor = 4.0F, .original_context = 63}), 3, nullptr) ==
          rope_frequency(with({.theta = 1e8F}), 3, nullptr) / 4);
}

TEST_CASE("pairs are halves or neighbours, and what is not rotated stays") {
    const std::vector<float> row{0, 1, 1, 0};  // pair 0 turns by a quarter, pair 1 stays
    std::vector<float> head{1, 2, 3, 4, 5, 6};
    rotate(with({.dims = 4}, 6), row.data(), head.data());
    CHECK(head == std::vector<float>{-3, 2, 1, 4, 5, 6});
    head = {1, 2, 3, 4, 5, 6};
    rotate(with({.dims = 4, .pairing = rope_pairing::adjacent}, 6), row.data(), head.data());
    CHECK(head == std::vector<float>{-2, 1, 3, 4, 5, 6});
}

#if __has_include(<nlohmann/json.hpp>)
namespace {

nlohmann::json golden() {
    const char* source = std::getenv("NETRA_SOURCE_DIR");
    std::ifstream file(std::string(source == nullptr ? "." : source) + "/tests/golden/rope_partial.json");
    return nlohmann::json::parse(file);
}

rope_frequencies frequencies_of(const nlohmann::json& entry) {
    rope_frequencies f{.theta = entry.at("theta"), .dims = entry.at("rotary_dim")};
    const nlohmann::json scaling = entry.value("scaling", nlohmann::json::object());
    const std::string type = scaling.value("rope_type", "default");
    if (type == "default") return f;
    f.scaling = type == "linear" ? rope_scaling::linear : rope_scaling::llama3;
    f.factor = scaling.at("factor");
    if (type == "linear") return f;
    f.low_frequency_factor = scaling.at("low_freq_factor");
    f.high_frequency_factor = scaling.at("high_freq_factor");
    f.original_context = scaling.at("original_max_position_embeddings");
    return f;
}

}  // namespace

TEST_CASE("tables of an fp64 reference: frequencies, cosines and sines, with every scaling") {
    usz compared = 0;
    const nlohmann::json file = golden();
    for (const auto& entry : file.at("tables")) {
        INFO(entry.at("name"));
        const rope_table c{.head_dim = entry.at("rotary_dim"), .frequencies = frequencies_of(entry)};
        REQUIRE(check(c).ok());
        const u32_t pairs = rotary_dims(c) / 2;
        const auto inverse = entry.at("inverse_frequencies").get<std::vector<double>>();
        REQUIRE(inverse.size() == pairs);
        for (u32_t i = 0; i < pairs; ++i) CHECK(std::abs(rope_frequency(c, i, nullptr) / inverse[i] - 1.0) < 1e-13);
        for (const auto& angle : entry.at("angles")) {
            std::vector<float> row(2 * pairs);
            reference(c, angle.at("position").get<u64_t>(), nullptr, row.data());
            for (u32_t i = 0; i < pairs; ++i) {
                // one rounding to fp32, and what a last digit of the frequency makes of position 100,000
                CHECK(std::abs(static_cast<double>(row[i]) - angle.at("cos")[i].get<double>()) < 3.1e-8);
                CHECK(std::abs(static_cast<double>(row[pairs + i]) - angle.at("sin")[i].get<double>()) < 3.1e-8);
                ++compared;
            }
        }
    }
    CHECK(compared > 1000);
}

TEST_CASE("partly rotated heads of an fp64 reference") {
    usz heads = 0;
    const nlohmann::json file = golden();
    for (const auto& entry : file.at("vectors")) {
        INFO(entry.at("name"));
        const rope_table c{.head_dim = entry.at("head_dim"), .frequencies = frequencies_of(entry)};
        REQUIRE(check(c).ok());
        std::vector<float> row(rotary_dims(c));
        reference(c, entry.at("position").get<u64_t>(), nullptr, row.data());
        const auto input = entry.at("input").get<std::vector<float>>();
        std::vector<float> x = input;
        const auto expected = entry.at("output").get<std::vector<double>>();
        REQUIRE(x.size() == expected.size());
        REQUIRE(x.size() == entry.at("heads").get<usz>() * c.head_dim);
        for (usz h = 0; h < x.size() / c.head_dim; ++h, ++heads) rotate(c, row.data(), x.data() + h * c.head_dim);
        for (usz i = 0; i < x.size(); ++i) {
            if (i % c.head_dim >= rotary_dims(c)) CHECK(x[i] == input[i]);
            CHECK(std::abs(static_cast<double>(x[i]) - expected[i]) < 2.5e-7);
        }
    }
    CHECK(heads >= 9);
}
#endif

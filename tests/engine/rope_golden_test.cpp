// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// rope against tests/golden/rope_partial.json, which an independent fp64 function made.
#include <netra/contracts/ops/rope.hpp>
#include <netra/engine/relative_l2.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace netra;

namespace {

nlohmann::json read_golden() {
    std::ifstream file(test::golden_path("rope_partial.json"));
    return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("partial and whole rotations equal an independent fp64 function") {
    usz compared = 0;
    const nlohmann::json golden = read_golden();
    for (const auto& v : golden.at("vectors")) {
        INFO(v.at("name"));
        const u32_t head = v.at("head_dim");
        const rope_table c{.head_dim = head, .frequencies = {.theta = v.at("theta"), .dims = v.at("rotary_dim")}};
        std::vector<float> row(rotary_dims(c));
        reference(c, v.at("position").get<u64_t>(), nullptr, row.data());
        std::vector<float> x = v.at("input").get<std::vector<float>>();
        for (usz h = 0; h < v.at("heads").get<usz>(); ++h) rotate(c, row.data(), x.data() + h * head);
        CHECK(relative_l2(x, v.at("output").get<std::vector<double>>()) <= 3e-7);
        ++compared;
    }
    CHECK(compared == 6);
}

TEST_CASE("frequencies of every scaling equal an independent fp64 function") {
    const nlohmann::json golden = read_golden();
    usz compared = 0;
    for (const auto& t : golden.at("tables")) {
        INFO(t.at("name"));
        const auto& scaling = t.at("scaling");
        rope_table c{.head_dim = t.at("rotary_dim"), .frequencies = {.theta = t.at("theta")}};
        const std::string kind = scaling.at("rope_type");
        if (kind != "default") c.frequencies.factor = scaling.at("factor");
        if (kind == "linear") c.frequencies.scaling = rope_scaling::linear;
        if (kind == "llama3") {
            c.frequencies.scaling = rope_scaling::llama3;
            c.frequencies.low_frequency_factor = scaling.at("low_freq_factor");
            c.frequencies.high_frequency_factor = scaling.at("high_freq_factor");
            c.frequencies.original_context = scaling.at("original_max_position_embeddings");
        }
        const auto expected = t.at("inverse_frequencies").get<std::vector<double>>();
        std::vector<float> divisors;
        for (u32_t i = 0; i < expected.size(); ++i) {
            CHECK(std::abs(rope_frequency(c, i, nullptr) - expected[i]) <= 1e-12 * expected[i] + 1e-15);
            divisors.push_back(2.0F);
        }
        c.frequencies.scaling = rope_scaling::table;
        const rope_table plain{.head_dim = c.head_dim, .frequencies = {.theta = t.at("theta")}};
        CHECK(rope_frequency(c, 1, divisors.data()) == rope_frequency(plain, 1, nullptr) / 2);
        ++compared;
    }
    CHECK(compared == 5);
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/hf_keys.hpp>

#include <string>

#include "support/catch.hpp"

using namespace netra::detail;

TEST_CASE("a key has one rule in a model type") {
    for (const hf_family& family : hf_families) {
        for (const hf_key& k : hf_keys) {
            int rules = 0;
            for (const hf_key& other : hf_keys) {
                const bool same = std::string_view(k.key) == other.key;
                rules += same && std::string_view(other.families).find(family.letter) != std::string_view::npos ? 1 : 0;
            }
            CAPTURE(family.model_type, k.key);
            CHECK(rules <= 1);
            CHECK((find_hf_key(k.key, family) != nullptr) == (rules == 1));
        }
    }
}

TEST_CASE("a rule that refuses says what is missing") {
    for (const hf_key& k : hf_keys) {
        CAPTURE(k.key);
        CHECK((std::string_view(k.what).empty()) == (k.rule == hf_rule::used || k.rule == hf_rule::changes_nothing));
        CHECK(std::string_view(k.families).find_first_not_of("lm23") == std::string_view::npos);
    }
}

TEST_CASE("model types and keys are found by their whole name") {
    CHECK(find_hf_family("llama") == &hf_families[0]);
    CHECK(find_hf_family("qwen3") == &hf_families[3]);
    for (const char* name : {"", "llam", "llama4", "LLAMA", "qwen2_moe", "mixtral"}) CHECK(find_hf_family(name) == nullptr);
    for (const char* key : {"", "hidden", "hidden_size_", "Hidden_size"}) CHECK(find_hf_key(key, hf_families[0]) == nullptr);
    CHECK(find_hf_key("attention_bias", *find_hf_family("llama"))->rule == hf_rule::used);
    CHECK(find_hf_key("attention_bias", *find_hf_family("mistral"))->rule == hf_rule::only_false);
    CHECK(find_hf_key("sliding_window", *find_hf_family("llama"))->rule == hf_rule::only_null);
    CHECK(find_hf_key("sliding_window", *find_hf_family("mistral"))->rule == hf_rule::used);
    CHECK(find_hf_key("max_window_layers", *find_hf_family("llama")) == nullptr);
}

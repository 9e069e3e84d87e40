// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/jinja_text.hpp>

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace {

std::optional<std::string> canonical(std::string_view text) { return netra::detail::jinja_lexer(text).canonical(); }

std::string hash(std::string_view s) {
    netra::u64_t h = 0xcbf29ce484222325U;
    for (const char c : s) h = (h ^ static_cast<netra::u8_t>(c)) * 0x100000001b3U;
    std::string out;
    for (int k = 60; k >= 0; k -= 4) out += "0123456789abcdef"[h >> k & 15];
    return out;
}

}  // namespace

TEST_CASE("made-up templates have the tokens that jinja2's lexer finds") {
    const char* folder = std::getenv("NETRA_SOURCE_DIR");
    std::ifstream file(std::string(folder == nullptr ? "." : folder) + "/tests/golden/tokenizer/chats.json");
    REQUIRE(file);
    const auto golden = nlohmann::json::parse(file);
    CHECK(golden.at("tokens").size() >= 60);
    for (const auto& each : golden.at("tokens")) {
        const auto text = each.at(0).get<std::string>();
        INFO(nlohmann::json(text).dump());
        const auto tokens = canonical(text);
        CHECK(tokens.has_value() == each.at(1).is_string());
        if (!tokens || !each.at(1).is_string()) continue;
        CHECK(tokens->size() == each.at(2).get<std::size_t>());
        CHECK(hash(*tokens) == each.at(1).get<std::string>());
    }
}

TEST_CASE("spellings of one template have the same tokens, other templates have others") {
    const auto plain = canonical("{% for m in messages %}{{ m.role + '\n' }}{% endfor %}");
    REQUIRE(plain);
    CHECK(canonical("{%for m in messages%}{{m['role']+\"\\n\"}}{#- x #}{%  endfor  -%}\n") == plain);
    CHECK(canonical("{% for m in messages %}\n{{ m.role + '\n' }}{% endfor %}\n") == plain);
    CHECK(canonical("{% for m in messages %} {{ m.role + '\n' }}{% endfor %}") != plain);
    CHECK(canonical("{% for m in messages %}{{ m.role + '\\\\n' }}{% endfor %}") != plain);
    CHECK(canonical("{% for m in messages %}{{ m.role - '\n' }}{% endfor %}") != plain);
}

TEST_CASE("any text ends in tokens or in giving up") {
    const char alphabet[] = "{}%#-+'\"\\ \n[]().a1\xC3\xA9\0";
    netra::u64_t state = 1;
    netra::usz known = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (netra::usz n = state % 23; n != 0; --n) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            text += alphabet[(state >> 33) % (sizeof alphabet - 1)];
        }
        state = state * 6364136223846793005U + 1442695040888963407U;
        if (canonical(text)) ++known;
    }
    CHECK(known > 0);
    CHECK(known < 20000);
}

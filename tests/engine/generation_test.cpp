// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/generation.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <vector>

using namespace netra;

namespace {
struct countdown {
    u32_t left = 3;
    std::optional<u32_t> next() { return left == 0 ? std::nullopt : std::optional<u32_t>(left--); }
    token_iterator<countdown> begin() { return token_iterator(this); }
    std::default_sentinel_t end() const { return {}; }
};
}  // namespace

TEST_CASE("a loop sees every token once") {
    std::vector<u32_t> seen;
    for (const u32_t token : countdown{}) seen.push_back(token);
    CHECK(seen == std::vector<u32_t>{3, 2, 1});
    for ([[maybe_unused]] const u32_t token : countdown{0}) FAIL("there is none");
}

TEST_CASE("options say when a generation ends") {
    const std::vector<u32_t> ends{2, 7};
    CHECK(generate_options{}.ends_with(7, ends));
    CHECK(!generate_options{}.ends_with(3, ends));
    CHECK(!generate_options{.ignore_eos = true}.ends_with(7, ends));
    std::atomic<bool> stop = false;
    CHECK(!generate_options{}.stopped());
    CHECK(!generate_options{.stop = &stop}.stopped());
    stop = true;
    CHECK(generate_options{.stop = &stop}.stopped());
}

TEST_CASE("prompts that do not fit are refused with numbers") {
    const std::vector<u32_t> prompt{1, 2, 9};
    check_prompt(prompt, {}, 5, 8, 10);
    CHECK_THROWS_WITH(check_prompt({}, {}, 0, 8, 10), test::containing("no tokens"));
    CHECK_THROWS_WITH(check_prompt(prompt, {}, 6, 8, 10), test::containing("3 tokens, but only 2 of the context of 8"));
    CHECK_THROWS_WITH(check_prompt(prompt, {}, 0, 8, 9), test::containing("token 9 of the prompt is outside the vocabulary of 9"));
    CHECK_THROWS_WITH(check_prompt(prompt, {.sampling = {.top_p = 0.0F}}, 0, 8, 10), test::containing("top-p"));
}

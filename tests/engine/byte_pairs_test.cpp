// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/byte_pairs.hpp>

#include "support/catch.hpp"

#include <cstdio>
#include <random>

using netra::u32_t, netra::usz, netra::detail::byte_pairs, netra::detail::merge_rule;

namespace {

std::vector<u32_t> merged(const byte_pairs& pairs, const std::vector<u32_t>& word) {
    std::vector<u32_t> out;
    byte_pairs::scratch room;
    pairs.merge(word, out, room);
    return out;
}

/// By the book: again and again the pair of the lowest rank, the leftmost of equal ones.
std::vector<u32_t> merged_slowly(const byte_pairs& pairs, std::vector<u32_t> word) {
    for (;;) {
        const merge_rule* best = nullptr;
        usz at = 0;
        for (usz i = 0; i + 1 < word.size(); ++i) {
            const auto* rule = pairs.find(word[i], word[i + 1]);
            if (rule != nullptr && (best == nullptr || rule->rank < best->rank)) {
                best = rule;
                at = i;
            }
        }
        if (best == nullptr) return word;
        word[at] = best->merged;
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
}

}  // namespace

TEST_CASE("the pair that was learnt first goes first") {
    const byte_pairs pairs({{1, 2, 0, 4}, {2, 3, 1, 5}, {4, 3, 2, 6}, {1, 1, 3, 7}, {7, 7, 4, 8}}, 9);
    CHECK(merged(pairs, {}).empty());
    CHECK(merged(pairs, {1}) == std::vector<u32_t>{1});
    CHECK(merged(pairs, {1, 2, 3}) == std::vector<u32_t>{6});
    CHECK(merged(pairs, {2, 3, 1, 2}) == std::vector<u32_t>{5, 4});
    CHECK(merged(pairs, {1, 1, 1, 1, 1}) == std::vector<u32_t>{8, 1});
    CHECK(merged(pairs, {1, 1, 2}) == std::vector<u32_t>{1, 4});
}

TEST_CASE("of two rules for a pair the last one counts") {
    const byte_pairs pairs({{1, 2, 0, 3}, {2, 1, 1, 4}, {1, 2, 2, 3}}, 5);
    CHECK(merged(pairs, {1, 2, 1}) == std::vector<u32_t>{1, 4});
    CHECK(pairs.find(1, 2)->rank == 2);
    CHECK(pairs.find(3, 3) == nullptr);
}

TEST_CASE("random rules give what merging by the book gives") {
    const auto seed = std::random_device{}();
    std::printf("seed %u\n", seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
        // texts over a, b, c; a merged token is the concatenation, as in every vocabulary
        std::vector<std::string> tokens{"a", "b", "c"};
        std::vector<merge_rule> rules;
        for (u32_t rank = 0; rank < 20; ++rank) {
            const auto left = static_cast<u32_t>(random() % tokens.size());
            const auto right = static_cast<u32_t>(random() % tokens.size());
            const std::string text = tokens[left] + tokens[right];
            const auto at = static_cast<usz>(std::find(tokens.begin(), tokens.end(), text) - tokens.begin());
            if (at == tokens.size()) tokens.push_back(text);
            rules.push_back({left, right, rank, static_cast<u32_t>(at)});
        }
        const byte_pairs pairs(rules, tokens.size());
        for (int i = 0; i < 20; ++i) {
            std::vector<u32_t> word(random() % 30);
            for (u32_t& id : word) id = static_cast<u32_t>(random() % 3);
            CHECK(merged(pairs, word) == merged_slowly(pairs, word));
        }
    }
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Merges pairs of tokens in a word, the pair that was learnt first before the others; n log n in the length of the word.
#pragma once

#include <netra/detail/config.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace netra::inline v0::detail {

/// What `left` and `right` become, and when it was learnt.
struct merge_rule {
    u32_t left, right, rank, merged;
};

class byte_pairs {
public:
    /// Room for a word, to be reused from word to word.
    struct scratch {
        struct symbol {
            u32_t id, previous, next;
        };
        struct candidate {
            u32_t rank, at, merged;
        };
        std::vector<symbol> symbols;
        std::vector<candidate> candidates;
    };

    byte_pairs() = default;
    /// Of rules for the same pair the last one counts. `tokens` is above every id.
    byte_pairs(std::vector<merge_rule> rules, usz tokens) : rules_(std::move(rules)), first_(tokens + 1, 0) {
        const auto before = [](const merge_rule& a, const merge_rule& b) {
            if (a.left != b.left) return a.left < b.left;
            return a.right != b.right ? a.right < b.right : a.rank > b.rank;
        };
        const auto same_pair = [](const merge_rule& a, const merge_rule& b) { return a.left == b.left && a.right == b.right; };
        std::sort(rules_.begin(), rules_.end(), before);
        rules_.erase(std::unique(rules_.begin(), rules_.end(), same_pair), rules_.end());
        for (const merge_rule& r : rules_) ++first_[r.left + 1];
        for (usz i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    }

    const merge_rule* find(u32_t left, u32_t right) const {
        const auto* from = rules_.data() + first_[left];
        const auto* to = rules_.data() + first_[left + 1];
        const auto* at = std::lower_bound(from, to, right, [](const merge_rule& r, u32_t v) { return r.right < v; });
        return at != to && at->right == right ? at : nullptr;
    }

    /// Appends what becomes of `word` to `out`.
    void merge(std::span<const u32_t> word, std::vector<u32_t>& out, scratch& room) const {
        auto& symbols = room.symbols;
        auto& candidates = room.candidates;
        symbols.clear();
        candidates.clear();
        const auto n = static_cast<u32_t>(word.size());
        for (u32_t i = 0; i < n; ++i) symbols.push_back({word[i], i - 1, i + 1});
        const auto later = [](const scratch::candidate& a, const scratch::candidate& b) {
            return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
        };
        const auto propose = [&](u32_t at) {
            const auto* rule = find(symbols[at].id, symbols[symbols[at].next].id);
            if (rule == nullptr) return false;
            candidates.push_back({rule->rank, at, rule->merged});
            return true;
        };
        for (u32_t i = 0; i + 1 < n; ++i) propose(i);
        std::make_heap(candidates.begin(), candidates.end(), later);
        while (!candidates.empty()) {
            const scratch::candidate best = candidates.front();
            std::pop_heap(candidates.begin(), candidates.end(), later);
            candidates.pop_back();
            auto& left = symbols[best.at];
            if (left.id == gone || left.next == n) continue;
            auto& right = symbols[left.next];
            const auto* rule = find(left.id, right.id);
            if (rule == nullptr || rule->merged != best.merged) continue;  // the neighbours have changed since
            left.id = rule->merged;
            left.next = right.next;
            right.id = gone;
            if (left.next != n) {
                symbols[left.next].previous = best.at;
                if (propose(best.at)) std::push_heap(candidates.begin(), candidates.end(), later);
            }
            if (best.at != 0 && propose(left.previous)) std::push_heap(candidates.begin(), candidates.end(), later);
        }
        for (u32_t i = 0; i < n; i = symbols[i].next) out.push_back(symbols[i].id);
    }

private:
    static constexpr u32_t gone = ~u32_t{0};

    std::vector<merge_rule> rules_;
    std::vector<u32_t> first_{0};  // by left id: its first rule
};

}  // namespace netra::inline v0::detail

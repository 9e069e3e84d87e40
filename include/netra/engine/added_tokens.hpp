// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Finds added tokens in a text: from left to right, the longest one at each place.
#pragma once

#include <netra/detail/callback.hpp>
#include <netra/engine/tokenizer_data.hpp>
#include <netra/engine/unicode.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace netra::inline v0::detail {

/// Bytes of white space at the end and at the start of `s`.
inline usz space_at_end(std::string_view s) {
    usz end = s.size();
    while (end != 0) {
        usz at = end - 1;
        while (at != 0 && (static_cast<u8_t>(s[at]) & 0xC0U) == 0x80) --at;
        if (unicode::classify(utf8::read(s, at).code_point) != unicode::char_class::space) break;
        end = at;
    }
    return s.size() - end;
}
inline usz space_at_start(std::string_view s) {
    usz at = 0;
    while (at < s.size()) {
        const utf8::sequence q = utf8::read(s, at);
        if (unicode::classify(q.code_point) != unicode::char_class::space) break;
        at += q.length;
    }
    return at;
}
inline bool word_at_end(std::string_view s) {
    if (s.empty()) return false;
    usz at = s.size() - 1;
    while (at != 0 && (static_cast<u8_t>(s[at]) & 0xC0U) == 0x80) --at;
    return unicode::is_word(utf8::read(s, at).code_point);
}
inline bool word_at_start(std::string_view s) { return !s.empty() && unicode::is_word(utf8::read(s, 0).code_point); }

class added_matcher {
public:
    added_matcher() : nodes_(1) {}

    /// `content` is what to look for: the token's text, normalized if it is to be found in normalized text. The first of equal ones counts.
    void add(std::string_view content, const added_token& token) {
        u32_t at = 0;
        for (const char c : content) at = child(at, static_cast<u8_t>(c));
        if (nodes_[at].token != none) return;
        nodes_[at].token = static_cast<u32_t>(tokens_.size());
        tokens_.push_back(token);
        starts_[static_cast<u8_t>(content.front())] = true;
    }
    bool empty() const { return tokens_.empty(); }

    /// Calls `piece(std::string_view)` for the text between tokens, and `token(id)` for the tokens, in order.
    void split(std::string_view text, bool find_special, callback<std::string_view> piece, callback<u32_t> token) const {
        usz done = 0;
        for (usz at = 0; at < text.size();) {
            const auto [length, which] = starts_[static_cast<u8_t>(text[at])] ? longest(text, at) : std::pair<usz, u32_t>{0, none};
            if (which == none) {
                ++at;
                continue;
            }
            usz start = at;
            usz stop = at += length;
            const added_token& t = tokens_[which];
            if (t.special && !find_special) continue;
            if (t.single_word && (word_at_end(text.substr(0, start)) || word_at_start(text.substr(stop)))) continue;
            if (t.lstrip) start = std::max(start - space_at_end(text.substr(0, start)), done);
            if (t.rstrip) stop += space_at_start(text.substr(stop));
            if (done < start) piece(text.substr(done, start - done));
            token(t.id);
            done = stop;
        }
        if (done < text.size()) piece(text.substr(done));
    }

private:
    static constexpr u32_t none = ~u32_t{0};
    struct node {
        std::vector<std::pair<u8_t, u32_t>> next;
        u32_t token = none;
    };

    u32_t step(u32_t at, u8_t byte) const {
        for (const auto& [b, to] : nodes_[at].next) {
            if (b == byte) return to;
        }
        return none;
    }
    u32_t child(u32_t at, u8_t byte) {
        if (const u32_t there = step(at, byte); there != none) return there;
        const auto made = static_cast<u32_t>(nodes_.size());
        nodes_[at].next.emplace_back(byte, made);
        nodes_.emplace_back();
        return made;
    }
    std::pair<usz, u32_t> longest(std::string_view text, usz at) const {
        std::pair<usz, u32_t> best{0, none};
        u32_t node_at = 0;
        for (usz i = at; i < text.size(); ++i) {
            node_at = step(node_at, static_cast<u8_t>(text[i]));
            if (node_at == none) break;
            if (nodes_[node_at].token != none) best = {i + 1 - at, nodes_[node_at].token};
        }
        return best;
    }

    std::vector<node> nodes_;
    std::vector<added_token> tokens_;
    std::array<bool, 256> starts_{};
};

}  // namespace netra::inline v0::detail

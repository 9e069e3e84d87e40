// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Byte-level BPE: text to token ids, the same that Hugging Face's tokenizers give, and back.
#pragma once

#include <netra/engine/added_tokens.hpp>
#include <netra/engine/byte_pairs.hpp>
#include <netra/engine/tensor.hpp>
#include <netra/engine/tokenizer_data.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace netra::inline v0 {

/// Whether the names of special tokens in a text are those tokens or mere characters.
enum class special_tokens : u8_t { parsed, as_text };

class tokenizer {
public:
    /// Refuses data that contradict themselves.
    explicit tokenizer(tokenizer_data data) : data_(std::move(data)) {
        place_added_tokens();
        if (data_.tokens.empty()) refuse("the vocabulary is empty");
        std::unordered_map<std::string_view, u32_t> ids;
        ids.reserve(data_.tokens.size());
        for (u32_t id = 0; id < data_.tokens.size(); ++id) {
            const std::string& token = data_.tokens[id];
            if (token.empty()) continue;
            const auto [at, fresh] = ids.emplace(token, id);
            if (!fresh) refuse(said("the tokens {} and {} are the same, {}", {at->second, id, detail::in_quotes(token)}));
        }
        pieces_.reserve(data_.tokens.size());
        for (const std::string& token : data_.tokens) pieces_.push_back(detail::token_bytes(token));
        std::string character;
        for (u32_t b = 0; b < 256; ++b) {
            character.clear();
            utf8::append(character, detail::bytes_as_text().of_byte[b]);
            const auto at = ids.find(character);
            of_byte_[b] = at == ids.end() ? no_token : at->second;
        }
        read_merges(ids);
        if (data_.ignore_merges) collect_words(ids);
        check_id(data_.bos, "bos");
        for (const u32_t id : data_.eos) check_id(id, "eos");
        if (data_.add_bos && !data_.bos) refuse("the bos token is to be put before a text, but no bos token is given");
    }

    tokenizer(tokenizer&&) = default;
    tokenizer& operator=(tokenizer&&) = default;
    tokenizer(const tokenizer&) = delete;
    tokenizer& operator=(const tokenizer&) = delete;

    /// The ids of a text. Bytes that are not UTF-8 count as U+FFFD, as if decoded with errors="replace" first. A byte that has no token in
    /// the vocabulary gives nothing, as in Hugging Face's.
    std::vector<u32_t> encode(std::string_view text, special_tokens special = special_tokens::parsed) const {
        if (text.size() > longest_text) refuse(said("a text of {} bytes; give at most {} at a time", {text.size(), longest_text}));
        if (utf8::valid_prefix(text) != text.size()) return encode(utf8::repaired(text), special);
        std::vector<u32_t> out;
        work room;
        const bool find_special = special == special_tokens::parsed;
        const auto token = [&](u32_t id) { out.push_back(id); };
        const auto words = [&](std::string_view piece) {
            split_words(data_.words, piece, [&](std::string_view word) { encode_word(word, out, room); });
        };
        as_written_.split(
            text, find_special,
            [&](std::string_view piece) {
                if (data_.nfc) {
                    as_normalized_.split(unicode::nfc(piece), find_special, words, token);
                } else {
                    as_normalized_.split(piece, find_special, words, token);
                }
            },
            token);
        return out;
    }

    /// As `encode`, after the bos token if the tokenizer's own files want one there.
    std::vector<u32_t> encode_with_bos(std::string_view text, special_tokens special = special_tokens::parsed) const {
        std::vector<u32_t> out = encode(text, special);
        if (data_.add_bos) out.insert(out.begin(), *data_.bos);
        return out;
    }

    /// The text of ids, well-formed: bytes that are not UTF-8 become U+FFFD.
    std::string decode(std::span<const u32_t> ids, bool skip_special = false) const {
        std::string bytes;
        for (const u32_t id : ids) {
            const std::string_view piece = bytes_of(id);
            if (!skip_special || !is_special(id)) bytes += piece;
        }
        return utf8::repaired(bytes);
    }

    /// The bytes of a token, perhaps only a part of a character.
    std::string_view bytes_of(u32_t id) const {
        if (id >= pieces_.size()) refuse(said("there is no token {}: the vocabulary has {}", {id, pieces_.size()}));
        return pieces_[id];
    }
    bool is_special(u32_t id) const { return id < special_.size() && special_[id] != 0; }
    bool is_eos(u32_t id) const { return std::find(data_.eos.begin(), data_.eos.end(), id) != data_.eos.end(); }

    /// Ids are below this.
    u32_t size() const { return static_cast<u32_t>(pieces_.size()); }
    std::optional<u32_t> bos() const { return data_.bos; }
    const std::vector<u32_t>& eos() const { return data_.eos; }
    bool adds_bos() const { return data_.add_bos; }
    /// As the model's files have it; empty if they have none.
    const std::string& chat_template() const { return data_.chat_template; }
    const std::string& source() const { return data_.source; }

private:
    static constexpr u32_t no_token = ~u32_t{0};
    static constexpr usz longest_text = usz{1} << 30;
    static constexpr usz longest_added_token = 1024;

    struct work {
        std::vector<u32_t> word;
        detail::byte_pairs::scratch merge;
    };

    [[noreturn]] void refuse(const std::string& what) const { throw model_error(data_.source + ": " + what); }

    void check_id(std::optional<u32_t> id, std::string_view name) const {
        if (id && (*id >= data_.tokens.size() || data_.tokens[*id].empty())) {
            refuse(said("the {} token is {}, which the vocabulary of {} does not have", {name, *id, data_.tokens.size()}));
        }
    }

    void place_added_tokens() {
        constexpr usz most_gaps = usz{1} << 20;
        usz tokens = data_.tokens.size();
        const usz most = tokens + data_.added.size() + most_gaps;
        for (const added_token& t : data_.added) {
            if (t.content.empty()) refuse(said("the added token {} has no text", {t.id}));
            if (t.content.size() > longest_added_token) {
                refuse(
                    said("the added token {} has {} bytes; at most {} are possible", {t.id, t.content.size(), longest_added_token}));
            }
            if (t.id >= most)
                refuse(said("the added token {} has the id {}, far above the others", {detail::in_quotes(t.content), t.id}));
            tokens = std::max(tokens, usz{t.id} + 1);
        }
        data_.tokens.resize(tokens);
        special_.resize(tokens);
        for (const added_token& t : data_.added) {
            std::string& token = data_.tokens[t.id];
            if (!token.empty() && token != t.content) {
                refuse(said("the added token {} has the id {}, which the vocabulary gives to {}", {detail::in_quotes(t.content), t.id,
                                   detail::in_quotes(token)}));
            }
            token = t.content;
            if (t.special) special_[t.id] = 1;
            if (t.normalized) {
                as_normalized_.add(data_.nfc ? unicode::nfc(utf8::repaired(t.content)) : t.content, t);
            } else {
                as_written_.add(t.content, t);
            }
        }
    }

    void read_merges(const std::unordered_map<std::string_view, u32_t>& ids) {
        std::vector<detail::merge_rule> rules;
        rules.reserve(data_.merges.size());
        std::string merged;
        for (const auto& [left, right] : data_.merges) {
            const auto id = [&](std::string_view token) -> u32_t {
                if (const auto at = ids.find(token); at != ids.end()) return at->second;
                refuse(said("merge {} ({} {}) needs the token {}, which the vocabulary does not have", {rules.size(),
                                   detail::in_quotes(left), detail::in_quotes(right), detail::in_quotes(token)}));
            };
            merged.assign(left).append(right);
            rules.push_back({id(left), id(right), static_cast<u32_t>(rules.size()), id(merged)});
        }
        merges_ = detail::byte_pairs(std::move(rules), data_.tokens.size());
        data_.merges = {};
    }

    void collect_words(const std::unordered_map<std::string_view, u32_t>& ids) {
        std::vector<u8_t> only_added(data_.tokens.size());
        for (const added_token& t : data_.added) only_added[t.id] = t.in_vocabulary ? 0 : 1;
        words_.reserve(ids.size());
        for (u32_t id = 0; id < pieces_.size(); ++id) {
            // a token with a character outside the alphabet is no word
            if (pieces_[id].empty() || only_added[id] != 0 || !in_alphabet(data_.tokens[id])) continue;
            words_.emplace(pieces_[id], id);
        }
    }
    static bool in_alphabet(std::string_view token) {
        for (usz at = 0; at < token.size();) {
            const utf8::sequence q = utf8::read(token, at);
            const auto& byte_of = detail::bytes_as_text().byte_of;
            if (q.is != utf8::state::valid || q.code_point >= byte_of.size() || byte_of[q.code_point] < 0) return false;
            at += q.length;
        }
        return true;
    }

    void encode_word(std::string_view word, std::vector<u32_t>& out, work& room) const {
        if (data_.ignore_merges) {
            if (const auto at = words_.find(word); at != words_.end()) {
                out.push_back(at->second);
                return;
            }
        }
        room.word.clear();
        for (const char c : word) {
            if (const u32_t id = of_byte_[static_cast<u8_t>(c)]; id != no_token) room.word.push_back(id);
        }
        merges_.merge(room.word, out, room.merge);
    }

    tokenizer_data data_;
    std::vector<std::string> pieces_;  // by id: bytes
    std::vector<u8_t> special_;         // by id: 1 or 0. note: <bool> takes 0.1 s to compile
    std::array<u32_t, 256> of_byte_{};
    detail::byte_pairs merges_;
    std::unordered_map<std::string_view, u32_t> words_;  // views into pieces_
    detail::added_matcher as_written_;
    detail::added_matcher as_normalized_;
};

/// Decodes ids one by one; characters come out when they are complete, and all of it together is what `decode` gives.
class token_stream {
public:
    /// `tokens` must outlive the stream.
    explicit token_stream(const tokenizer& tokens, bool skip_special = false) : tokens_(&tokens), skip_special_(skip_special) {}

    /// What `id` completes: perhaps nothing yet.
    std::string push(u32_t id) {
        const std::string_view piece = tokens_->bytes_of(id);
        if (!skip_special_ || !tokens_->is_special(id)) rest_ += piece;
        usz end = rest_.size();
        for (usz back = 1; back <= 3 && back <= rest_.size(); ++back) {
            const usz at = rest_.size() - back;
            if ((static_cast<u8_t>(rest_[at]) & 0xC0U) == 0x80) continue;
            if (utf8::read(rest_, at).is == utf8::state::incomplete) end = at;
            break;
        }
        std::string out = utf8::repaired(std::string_view(rest_).substr(0, end));
        rest_.erase(0, end);
        return out;
    }
    /// What is left when no more ids come: U+FFFD for part of a character.
    std::string finish() {
        std::string out = utf8::repaired(rest_);
        rest_.clear();
        return out;
    }

private:
    const tokenizer* tokens_;
    bool skip_special_;
    std::string rest_;
};

}  // namespace netra::inline v0

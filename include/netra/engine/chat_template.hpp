// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Chat templates: recognised as a whole from their text, then rendered by code; no template is executed.
#pragma once

#include <netra/detail/fnv.hpp>
#include <netra/engine/error.hpp>
#include <netra/engine/jinja_text.hpp>
#include <netra/engine/said.hpp>
#include <netra/engine/tokenizer.hpp>

#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netra::inline v0 {

/// One turn; `role` is system, user or assistant.
struct chat_message {
    std::string role;
    std::string content;
};

struct chat_options {
    bool add_generation_prompt = true;
    std::string date;  ///< what Llama 3.1 and 3.2 call today, as in "26 Jul 2024"; empty: see chat_template
};

/// How turns are written.
enum class chat_format : u8_t {
    chatml,           ///< <|im_start|>role ... <|im_end|>
    chatml_open_end,  ///< Qwen1.5: as chatml, but a last answer gets no new header, and no end unless an answer is asked for
    qwen3,            ///< as chatml, with the thoughts of earlier answers left out
    llama_3,          ///< <|start_header_id|>role<|end_header_id|> ... <|eot_id|>
    llama_3_1,        ///< as llama_3, after a system turn with dates; today is 26 Jul 2024
    llama_3_2,        ///< as llama_3_1, but today is the day on which it is rendered
    zephyr,           ///< <|role|> ... and the end token
};

namespace detail {

/// A template that is known: FNV-1a over its canonical tokens, and their length.
struct known_template {
    u64_t fnv;
    u32_t bytes;
    chat_format format;
    std::string_view system;  ///< said when the first turn is not a system turn
};
inline constexpr known_template known_templates[] = {
    // SmolLM2 Instruct
    {0x0fb2f7dcadafd4cc, 388, chat_format::chatml, "You are a helpful AI assistant named SmolLM, trained by Hugging Face"},
    // ChatML alone, in two spellings
    {0xaf1a8eb6f3069004, 204, chat_format::chatml, ""},
    {0x7b6a3c38a689bcef, 306, chat_format::chatml, ""},
    // Qwen1.5
    {0x1a1c761f8bc15a25, 491, chat_format::chatml_open_end, "You are a helpful assistant"},
    // Qwen2
    {0x9105950d79f511fb, 348, chat_format::chatml, "You are a helpful assistant."},
    // Qwen2.5 Instruct and Coder
    {0xb75ac2e2a0cac22c, 2184, chat_format::chatml, "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."},
    // Qwen2.5
    {0xd68317ca3cd80664, 2104, chat_format::chatml, "You are a helpful assistant."},
    // Qwen2.5 Math
    {0x38450978597379ca, 2188, chat_format::chatml, "Please reason step by step, and put your final answer within \\boxed{}."},
    // Qwen3, first edition
    {0x5c981456d46c3e91, 3666, chat_format::qwen3, ""},
    // Qwen3
    {0xdea131ac246ad32a, 3677, chat_format::qwen3, ""},
    // Qwen3 Instruct 2507
    {0xf803e036ced5953f, 2167, chat_format::chatml, ""},
    // Llama 3
    {0xe9de2f32fab35135, 416, chat_format::llama_3, ""},
    // Llama 3.1
    {0x48b21148a18f657c, 3772, chat_format::llama_3_1, ""},
    // Llama 3.2
    {0x910ccce9a4f86706, 3244, chat_format::llama_3_2, ""},
    // TinyLlama Chat
    {0x3fded21b718b27d3, 433, chat_format::zephyr, ""},
};

inline u64_t fnv_of(std::string_view s) {
    fnv1a hash;
    hash.add(s.data(), s.size());
    return hash.value();
}

}  // namespace detail

/// A chat template that netra knows. Rendering is what Hugging Face's apply_chat_template gives without tools. The template of Llama 3.2
/// asks for the date of the day; that of Llama 3.1 has a fixed one.
class chat_template {
public:
    /// Recognises the text of a template; `source` is the model's name in messages.
    chat_template(std::string_view text, const std::string& source) {
        constexpr usz longest = 65536;
        if (text.empty()) throw model_error(source + ": the model has no chat template; use --raw, which takes the prompt as it is");
        if (text.size() <= longest && utf8::valid_prefix(text) == text.size()) {
            if (const auto tokens = detail::jinja_lexer(text).canonical()) {
                const u64_t fnv = detail::fnv_of(*tokens);
                for (const auto& known : detail::known_templates) {
                    if (known.fnv != fnv || known.bytes != tokens->size()) continue;
                    *this = chat_template(known);
                    return;
                }
            }
        }
        throw model_error(said("{}: the chat template {} is none that netra knows; use --raw and write the turns into the prompt",
                                      {source, detail::in_quotes(text)}));
    }

    explicit chat_template(const detail::known_template& known) : format_(known.format), system_(known.system) {}

    chat_format format() const { return format_; }

    /// The prompt for `turns`; `bos` and `eos` are the texts of those tokens, which some templates write. It is to be encoded with special
    /// tokens parsed and without a further bos token.
    std::string render(std::span<const chat_message> turns, std::string_view bos, std::string_view eos,
                       const chat_options& options = {}) const {
        if (turns.empty()) throw model_error("a chat needs at least one turn");
        std::vector<chat_message> chat(turns.begin(), turns.end());
        for (chat_message& turn : chat) {
            if (turn.role != "system" && turn.role != "user" && turn.role != "assistant") {
                throw model_error(
                    said("a turn of the role {}; system, user and assistant are possible", {detail::in_quotes(turn.role)}));
            }
            turn.content = utf8::repaired(turn.content);
        }
        switch (format_) {
            case chat_format::chatml:
                return chatml(chat, options);
            case chat_format::chatml_open_end:
                return chatml_open_end(chat, options);
            case chat_format::qwen3:
                return qwen3(chat, options);
            case chat_format::llama_3:
            case chat_format::llama_3_1:
            case chat_format::llama_3_2:
                return llama_3(chat, bos, options);
            case chat_format::zephyr:
                return zephyr(chat, eos, options);
        }
        throw model_error("a chat format without a renderer");
    }

private:
    using conversation = std::vector<chat_message>;

    static std::string im(std::string_view role, std::string_view content) { return said("<|im_start|>{}\n{}", {role, content}); }
    static std::string_view trimmed(std::string_view s) { return detail::python_lstrip(detail::python_rstrip(s)); }
    static std::string_view without_newlines(std::string_view s, bool left, bool right) {
        while (left && s.starts_with('\n')) s.remove_prefix(1);
        while (right && s.ends_with('\n')) s.remove_suffix(1);
        return s;
    }
    static std::string today() {
        static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        const std::time_t now = std::time(nullptr);
        std::tm date{};
        ::localtime_r(&now, &date);
        const char* day = date.tm_mday < 10 ? "0" : "";
        return said("{}{} {} {}", {day, date.tm_mday, months[date.tm_mon], date.tm_year + 1900});
    }

    std::string default_system(const conversation& chat) const {
        return system_.empty() || chat[0].role == "system" ? std::string() : im("system", system_) + "<|im_end|>\n";
    }
    std::string chatml(const conversation& chat, const chat_options& options) const {
        std::string out = default_system(chat);
        for (const chat_message& m : chat) out += im(m.role, m.content) + "<|im_end|>\n";
        if (options.add_generation_prompt) out += im("assistant", "");
        return out;
    }
    std::string chatml_open_end(const conversation& chat, const chat_options& options) const {
        std::string out = default_system(chat);
        for (const chat_message& m : chat) {
            out += im(m.role, m.content);
            if (options.add_generation_prompt || &m != &chat.back()) out += "<|im_end|>\n";
        }
        if (options.add_generation_prompt && chat.back().role != "assistant") out += im("assistant", "");
        return out;
    }

    static std::string qwen3(const conversation& chat, const chat_options& options) {
        usz query = chat.size() - 1;  // the last user turn that is not a tool's answer
        for (usz i = chat.size(); i-- > 0;) {
            const std::string_view s = chat[i].content;
            if (chat[i].role != "user" || (s.starts_with("<tool_response>") && s.ends_with("</tool_response>"))) continue;
            query = i;
            break;
        }
        std::string out;
        for (usz i = 0; i < chat.size(); ++i) {
            if (chat[i].role == "assistant") {
                out += qwen3_answer(chat[i].content, i > query, i + 1 == chat.size());
            } else {
                out += im(chat[i].role, chat[i].content);
            }
            out += "<|im_end|>\n";
        }
        if (options.add_generation_prompt) out += im("assistant", "");
        return out;
    }
    static std::string qwen3_answer(std::string_view content, bool after_query, bool last) {
        constexpr std::string_view opening = "<think>";
        constexpr std::string_view closing = "</think>";
        std::string_view thoughts;
        if (const usz end = content.find(closing); end != std::string_view::npos) {
            thoughts = without_newlines(content.substr(0, end), false, true);
            if (const usz start = thoughts.rfind(opening); start != std::string_view::npos) thoughts.remove_prefix(start + opening.size());
            thoughts = without_newlines(thoughts, true, false);
            content = without_newlines(content.substr(content.rfind(closing) + closing.size()), true, false);
        }
        if (!after_query || (!last && thoughts.empty())) return im("assistant", content);
        return im("assistant", said("<think>\n{}\n</think>\n\n{}", {without_newlines(thoughts, true, true),
                                           without_newlines(content, true, false)}));
    }

    std::string llama_3(const conversation& chat, std::string_view bos, const chat_options& options) const {
        const auto turn = [](std::string_view role, std::string_view content) {
            return said("<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>", {role, content});
        };
        std::string out(bos);
        usz first = 0;
        if (format_ != chat_format::llama_3) {
            std::string date = options.date;
            if (date.empty()) date = format_ == chat_format::llama_3_2 ? today() : "26 Jul 2024";
            std::string_view system;
            if (chat[0].role == "system") system = trimmed(chat[first++].content);
            out += turn("system", said("Cutting Knowledge Date: December 2023\nToday Date: {}\n\n{}", {date, system}));
        }
        for (usz i = first; i < chat.size(); ++i) out += turn(chat[i].role, trimmed(chat[i].content));
        if (options.add_generation_prompt) out += "<|start_header_id|>assistant<|end_header_id|>\n\n";
        return out;
    }

    static std::string zephyr(const conversation& chat, std::string_view eos, const chat_options& options) {
        std::string out;
        for (const chat_message& m : chat) out += said("<|{}|>\n{}{}\n", {m.role, m.content, eos});
        if (options.add_generation_prompt) out += "<|assistant|>\n";
        return out;
    }

    chat_format format_{};
    std::string_view system_;
};

}  // namespace netra::inline v0

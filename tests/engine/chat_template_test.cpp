// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/chat_template.hpp>
#include <netra/engine/gguf.hpp>
#include <netra/engine/tokenizer_gguf.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <map>

namespace {

using netra::chat_format, netra::chat_message, netra::chat_template, netra::usz;

nlohmann::json golden() {
    const char* folder = std::getenv("NETRA_SOURCE_DIR");
    std::ifstream file(std::string(folder == nullptr ? "." : folder) + "/tests/golden/tokenizer/chats.json");
    REQUIRE(file);
    return nlohmann::json::parse(file);
}

// The shorter templates in words of our own: the same tokens as the models' files have.
const std::string plain_chatml =
    "{%- for message in messages -%} {{- \"<|im_start|>\" + message.role + \"\\n\" + message.content + \"<|im_end|>\" + \"\\n\" -}} {%- "
    "endfor -%}\n"
    "{#- and now the answer -#}\n{%- if add_generation_prompt -%}{{ \"<|im_start|>assistant\\n\" }}{%- endif -%}\n";
const std::string llama_3 =
    "{%- set loop_messages = messages -%}\n{%- for message in loop_messages -%}\n"
    "    {%- set content = \"<|start_header_id|>\" + message.role + \"<|end_header_id|>\\n\\n\" + message.content|trim + \"<|eot_id|>\" "
    "-%}\n"
    "    {%- if loop.index0 == 0 -%}{%- set content = bos_token + content -%}{%- endif -%}\n    {{- content -}}\n{%- endfor -%}\n"
    "{%- if add_generation_prompt -%}\n    {{- \"<|start_header_id|>assistant<|end_header_id|>\\n\\n\" -}}\n{%- endif -%}\n";

std::string render(const chat_template& t, const std::vector<chat_message>& turns, const netra::chat_options& options = {}) {
    return t.render(turns, "<s>", "</s>", options);
}

}  // namespace

TEST_CASE("the templates that are known are the models' own") {
    const auto known = golden().at("known");
    CHECK(known.size() == std::size(netra::detail::known_templates));
    for (const auto& [name, value] : known.items()) {
        INFO(name);
        const auto fnv = std::stoull(value.at(0).get<std::string>(), nullptr, 16);
        usz matches = 0;
        for (const auto& k : netra::detail::known_templates) {
            if (k.fnv == fnv && k.bytes == value.at(1).get<usz>()) ++matches;
        }
        CHECK(matches == 1);
    }
}

TEST_CASE("prompts are those of jinja2") {
    const auto all = golden();
    std::map<std::string, chat_template> templates;
    for (const auto& [name, value] : all.at("known").items()) {
        for (const auto& k : netra::detail::known_templates) {
            if (k.fnv == std::stoull(value.at(0).get<std::string>(), nullptr, 16)) templates.emplace(name, chat_template(k));
        }
    }
    usz equal = 0;
    for (const auto& each : all.at("renders")) {
        std::vector<chat_message> turns;
        for (const auto& m : each.at(2)) turns.push_back({m.at(0).get<std::string>(), m.at(1).get<std::string>()});
        INFO(each.dump());
        const auto text = render(templates.at(each.at(0).get<std::string>()), turns, {each.at(1).get<bool>(), "26 Jul 2024"});
        CHECK(text == each.at(3).get<std::string>());
        if (text == each.at(3).get<std::string>()) ++equal;
    }
    fmt::print("{} of {} prompts equal\n", equal, all.at("renders").size());
    CHECK(equal >= 500);
}

TEST_CASE("a template is recognised in any spelling") {
    CHECK(chat_template(plain_chatml, "m").format() == chat_format::chatml);
    CHECK(chat_template(llama_3, "m").format() == chat_format::llama_3);
    CHECK(render(chat_template(plain_chatml, "m"), {{"user", "Hi"}}) == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    CHECK(render(chat_template(llama_3, "m"), {{"user", " Hi\n"}}) ==
          "<s><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n");
}

TEST_CASE("a template with any other character is refused") {
    const auto refused = [](const std::string& text) {
        try {
            const chat_template t(text, "m");
            return false;
        } catch (const netra::model_error&) {
            return true;
        }
    };
    for (const std::string& text : {plain_chatml, llama_3}) {
        for (usz i = 0; i < text.size(); ++i) {
            INFO(i << " of " << text);
            const bool may_vanish = text[i] == ' ' || text[i] == '\n' || text[i] == '-' || (text.find("{#") < i && i < text.find("#}"));
            for (const char c : {'x', '<', '1'}) {
                std::string other = text;
                other[i] = c;
                const bool in_comment = text.find("{#") < i && i < text.find("#}");
                CHECK((refused(other) || in_comment || other == text));
            }
            std::string shorter = text;
            shorter.erase(i, 1);
            CHECK((refused(shorter) || may_vanish));
            CHECK(refused(text.substr(0, i)) == (text.substr(i) != "\n"));
        }
        CHECK(refused(text + "{{ 'and obey' }}"));
        CHECK(refused(text + "x"));
        CHECK(refused("{% if messages|length == 7 %}{{ 'obey' }}{% endif %}" + text));
    }
    netra::test::check_refused([] { chat_template("", "some.gguf"); }, {"some.gguf: the model has no chat template", "--raw"});
    netra::test::check_refused([] { chat_template("{{ messages }}", "some.gguf"); }, {"some.gguf", "'{{ messages }}'", "--raw"});
    netra::test::check_refused([] { chat_template("\xFF", "m"); }, {"--raw"});
    CHECK(refused(std::string(100000, ' ') + plain_chatml));
    CHECK(refused(std::string(1, '\0') + plain_chatml));
}

TEST_CASE("turns of other roles and empty chats are refused") {
    const chat_template t(plain_chatml, "m");
    netra::test::check_refused([&] { render(t, {}); }, {"at least one turn"});
    netra::test::check_refused([&] { render(t, {{"tool", "x"}}); }, {"'tool'", "system, user and assistant"});
}

TEST_CASE("today in the prompt of Llama 3.2 is the day, in that of Llama 3.1 a fixed one") {
    for (const auto& k : netra::detail::known_templates) {
        if (k.format != chat_format::llama_3_1 && k.format != chat_format::llama_3_2) continue;
        const auto text = render(chat_template(k), {{"user", "Hi"}});
        const auto given = render(chat_template(k), {{"user", "Hi"}}, {true, "01 Jan 2001"});
        CHECK(given.find("Today Date: 01 Jan 2001\n\n<|eot_id|>") != std::string::npos);
        const bool fixed = text.find("Today Date: 26 Jul 2024\n\n") != std::string::npos;
        CHECK(fixed == (k.format == chat_format::llama_3_1));
        CHECK(text.size() == given.size());
    }
}

TEST_CASE("content that is not UTF-8 is repaired") {
    CHECK(render(chat_template(llama_3, "m"), {{"user", "\xA0\x80 \xC2"}}, {false, ""}) ==
          "<s><|start_header_id|>user<|end_header_id|>\n\n\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD<|eot_id|>");
}

TEST_CASE("the demo's own template is recognised") {
    const char* path = std::getenv("NETRA_DEMO_GGUF");
    if (path == nullptr || !std::ifstream(path)) {
        WARN("skipped: NETRA_DEMO_GGUF names no file");
        return;
    }
    const auto file = netra::open_gguf(path);
    const netra::tokenizer tokens(netra::tokenizer_from_gguf(file.metadata));
    const chat_template t(tokens.chat_template(), tokens.source());
    const auto prompt = render(t, {{"user", "Hi"}});
    CHECK(prompt ==
          "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
          "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    const auto ids = tokens.encode(prompt);
    CHECK(ids.front() == 1);
    CHECK(tokens.decode(ids) == prompt);
}

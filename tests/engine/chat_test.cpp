// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/chat.hpp>
#include <netra/engine/text.hpp>

#include "support/golden.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

/// The golden vocabulary as a directory, with what its tokenizer_config.json says of chats.
tokenizer with_template(const std::string& text, const nlohmann::json& more = nlohmann::json::object()) {
    const temporary_directory folder;
    std::filesystem::copy_file(golden_path("tokenizer/small.json"), folder / "tokenizer.json");
    nlohmann::json config = {{"chat_template", text}, {"eos_token", "<|im_end|>"}, {"add_bos_token", false}};
    config.update(more);
    write_file(folder / "tokenizer_config.json", std::string_view(config.dump()));
    return tokenizer(tokenizer_from_directory(folder.path()));
}

const char* const chatml =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

}  // namespace

TEST_CASE("one user turn becomes the ids that Hugging Face gives it") {
    const char* path = std::getenv("NETRA_DEMO_GGUF");
    if (path == nullptr || !std::filesystem::exists(path)) {
        WARN("skipped: NETRA_DEMO_GGUF names no file; `make demo` fetches the demo's weights");
        return;
    }
    const tokenizer tokens = open_tokenizer(open_model(path));
    std::ifstream file(golden_path("smollm2.json"));
    const nlohmann::json golden = nlohmann::json::parse(file);
    usz compared = 0;
    for (const auto& prompt : golden.at("prompts")) {
        if (prompt.at("kind") != "chat" || prompt.at("messages").size() != 1) continue;
        INFO(prompt.at("name"));
        CHECK(encode_chat(tokens, prompt.at("messages")[0].at("content").get<std::string>()) == prompt.at("ids").get<std::vector<u32_t>>());
        ++compared;
    }
    CHECK(compared == 3);
}

TEST_CASE("the turn is written between the template's tokens, up to where the answer begins") {
    const tokenizer tokens = with_template(chatml);
    const std::vector<u32_t> ids = encode_chat(tokens, "Say \xc3\xa9!");
    CHECK(tokens.decode(ids) == "<|im_start|>user\nSay \xc3\xa9!<|im_end|>\n<|im_start|>assistant\n");
    CHECK(std::count(ids.begin(), ids.end(), 1U) == 2);
    CHECK(std::count(ids.begin(), ids.end(), 2U) == 1);
    CHECK(tokens.decode(encode_chat(tokens, "")) == "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n");
    CHECK(tokens.decode(encode_chat(tokens, "\xff")) == "<|im_start|>user\n\xef\xbf\xbd<|im_end|>\n<|im_start|>assistant\n");
}

TEST_CASE("templates write the model's own begin token, once, also where the tokenizer would add one") {
    const std::string llama_3 =
        "{% set loop_messages = messages %}{% for message in loop_messages %}"
        "{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}"
        "{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}";
    const std::string turn = "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n";
    for (const bool adds : {false, true}) {
        const tokenizer tokens = with_template(llama_3, {{"bos_token", "<|endoftext|>"}, {"add_bos_token", adds}});
        const std::vector<u32_t> ids = encode_chat(tokens, " Hi\n");
        CHECK(ids.front() == 0);
        CHECK(std::count(ids.begin(), ids.end(), 0U) == 1);
        CHECK(tokens.decode(ids) == "<|endoftext|>" + turn);
    }
    const tokenizer none = with_template(llama_3);
    CHECK(none.decode(encode_chat(none, "Hi")) == turn);
}

TEST_CASE("no template, or one that netra does not know, is refused") {
    check_refused([&] { encode_chat(with_template(""), "x"); }, {"no chat template", "--raw"});
    check_refused([&] { encode_chat(with_template("{{ messages[0].content }}"), "x"); }, {"{{ messages[0].content }}", "none that netra knows"});
}

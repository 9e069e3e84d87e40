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
tokenizer with_template(const std::string& text) {
    const temporary_directory folder;
    std::filesystem::copy_file(golden_path("tokenizer/small.json"), folder / "tokenizer.json");
    const nlohmann::json config = {{"chat_template", text}, {"eos_token", "<|im_end|>"}, {"add_bos_token", false}};
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

TEST_CASE("no template, or one that netra does not know, is refused") {
    check_refused([&] { encode_chat(with_template(""), "x"); }, {"no chat template", "--raw"});
    check_refused([&] { encode_chat(with_template("{{ messages[0].content }}"), "x"); }, {"{{ messages[0].content }}", "none that netra knows"});
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/text.hpp>

#include "support/golden.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr llama tiny{.hidden = 32, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 16, .intermediate = 64, .vocab = 40, .context = 24, .tied_head = true};

gguf_writer tokenized() {
    gguf_writer file = gguf_model(tiny, "llama");
    return file.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", "gpt-2").array("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "ab", "<s>"})
        .array("tokenizer.ggml.merges", std::vector<std::string>{"a b"}).array("tokenizer.ggml.token_type", std::vector<i32_t>{1, 1, 1, 3});
}

}  // namespace

TEST_CASE("the tokenizer of a GGUF file is in its metadata") {
    const temporary_directory folder;
    tokenized().write(folder / "m.gguf");
    const opened_model model = open_model(folder / "m.gguf");
    const tokenizer tokens = open_tokenizer(model);
    CHECK(tokens.size() == 4);
    CHECK(tokens.encode("aab<s>") == std::vector<u32_t>{0, 2, 3});
    gguf_model(tiny, "llama").write(folder / "none.gguf");
    check_refused([&] { open_tokenizer(open_model(folder / "none.gguf")); }, {"none.gguf", "tokenizer.ggml.model"});
}

TEST_CASE("the tokenizer of a directory is its tokenizer.json; without one, prompts are ids") {
    const auto models = golden_models();
    REQUIRE(!models.empty());
    const temporary_directory folder;
    models[0].second.write_directory(folder.path());
    check_refused([&] { open_tokenizer(open_model(folder.path())); }, {folder.path(), "no tokenizer.json in it", "--prompt-ids"});
    std::filesystem::copy_file(golden_path("tokenizer/small.json"), folder / "tokenizer.json");
    const tokenizer tokens = open_tokenizer(open_model(folder.path()));
    const std::string text = "It is text, is it not?";
    CHECK(tokens.decode(tokens.encode(text)) == text);
    CHECK(tokens.encode("<|im_end|>") == std::vector<u32_t>{2});
    write_file(folder / "tokenizer.json", std::string_view("{\"model\": 1}"));
    check_refused([&] { open_tokenizer(open_model(folder.path())); }, {"tokenizer.json"});
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/gguf.hpp>
#include <netra/engine/tokenizer_gguf.hpp>

#include "support/catch.hpp"
#include "support/gguf_writer.hpp"
#include "support/refusal.hpp"

#include <functional>

using namespace std::string_literals;
using netra::i32_t, netra::u32_t, netra::pre_tokenizer, netra::test::check_refused, netra::test::gguf_writer;

namespace {

/// The keys of a small vocabulary; each may be left out or replaced.
struct keys {
    std::string model = "gpt2";
    std::string pre = "gpt-2";
    std::vector<std::string> tokens{"a", "b", "ab", "<s>", "<t>", "[PAD5]"};
    std::vector<std::string> merges{"a b"};
    std::vector<i32_t> types{1, 1, 1, 3, 4, 5};
    std::string without{};

    netra::tokenizer_data read(const std::function<void(gguf_writer&)>& more = {}) const {
        gguf_writer file;
        const auto add = [&](const std::string& name, auto&& write) {
            if (name != without) write("tokenizer.ggml." + name);
        };
        add("model", [&](const std::string& k) { file.key(k, model); });
        add("pre", [&](const std::string& k) { file.key(k, pre); });
        add("tokens", [&](const std::string& k) { file.array(k, tokens); });
        add("merges", [&](const std::string& k) { file.array(k, merges); });
        add("token_type", [&](const std::string& k) { file.array(k, types); });
        if (more) more(file);
        const auto bytes = file.content();
        return netra::tokenizer_from_gguf(netra::parse_gguf(bytes, "m.gguf").metadata);
    }
};

}  // namespace

TEST_CASE("the metadata become a tokenizer") {
    const auto data = keys{}.read([](gguf_writer& f) {
        f.key("tokenizer.ggml.bos_token_id", u32_t{3})
            .key("tokenizer.ggml.eos_token_id", u32_t{4})
            .key("tokenizer.ggml.eot_token_id", u32_t{2});
        f.key("tokenizer.ggml.eom_token_id", u32_t{4}).key("tokenizer.ggml.add_bos_token", true).key("tokenizer.chat_template", "{{ x }}"s);
    });
    CHECK(data.words == pre_tokenizer::gpt_2);
    CHECK(data.bos == 3U);
    CHECK(data.eos == std::vector<u32_t>{4, 2});
    CHECK(data.add_bos);
    CHECK(data.chat_template == "{{ x }}");
    REQUIRE(data.added.size() == 2);
    CHECK(data.added[0].special);
    CHECK_FALSE(data.added[1].special);
    const netra::tokenizer t(data);
    CHECK(t.encode("aab<s>b<t>") == std::vector<u32_t>{0, 2, 3, 1, 4});
    CHECK(t.encode_with_bos("ab") == std::vector<u32_t>{3, 2});
}

TEST_CASE("kinds bring their normal form, their merges and their bos") {
    const auto bos = [](gguf_writer& f) { f.key("tokenizer.ggml.bos_token_id", u32_t{3}); };
    const auto llama = keys{.pre = "llama-bpe"}.read(bos);
    CHECK(llama.ignore_merges);
    CHECK(llama.add_bos);
    CHECK_FALSE(keys{.pre = "llama-bpe"}.read().add_bos);
    const auto qwen = keys{.pre = "qwen2"}.read(bos);
    CHECK(qwen.nfc);
    CHECK_FALSE(qwen.ignore_merges);
    CHECK_FALSE(qwen.add_bos);
    CHECK(keys{.pre = "smollm"}.read().words == pre_tokenizer::smollm);
    CHECK(keys{.without = "token_type"}.read().added.empty());
}

TEST_CASE("what netra does not know is refused by name") {
    check_refused([] { keys{.model = "llama"}.read(); }, {"m.gguf", "'tokenizer.ggml.model' is 'llama'", "gpt2"});
    check_refused([] { keys{.pre = "tekken"}.read(); }, {"'tokenizer.ggml.pre' is 'tekken'", "smollm"});
    for (const char* key : {"model", "pre", "tokens", "merges"}) {
        check_refused([&] { keys{.without = key}.read(); }, {"tokenizer.ggml."s + key, "missing"});
    }
    check_refused([] { keys{.merges = {"a b", "ab"}}.read(); }, {"'tokenizer.ggml.merges' has 'ab' as its item 1"});
    check_refused([] { keys{.types = {1, 1}}.read(); }, {"'tokenizer.ggml.token_type' has 2 items, the vocabulary has 6 tokens"});
    check_refused([] { keys{.types = {1, 1, 6, 3, 4, 5}}.read(); }, {"'tokenizer.ggml.token_type' is 6 for the token 2"});
    check_refused([] { keys{.types = {1, 1, -1, 3, 4, 5}}.read(); }, {"is -1 for the token 2"});
    check_refused([] { keys{.tokens = {"a", "b", "ab", "", "<t>", "p"}}.read(); }, {"no text for the special token 3"});
    const auto with = [](const char* key, auto value) { return [=](gguf_writer& f) { f.key("tokenizer.ggml."s + key, value); }; };
    check_refused([&] { keys{}.read(with("bos_token_id", u32_t{6})); },
                  {"'tokenizer.ggml.bos_token_id' is 6; the vocabulary has 6 tokens"});
    check_refused([&] { keys{}.read(with("eos_token_id", i32_t{-1})); }, {"eos_token_id"});
    check_refused([&] { keys{}.read(with("add_eos_token", true)); }, {"add_eos_token"});
    check_refused([&] { keys{}.read(with("add_space_prefix", true)); }, {"add_space_prefix"});
    check_refused([&] { keys{}.read(with("add_bos_token", "yes"s)); }, {"add_bos_token"});
}

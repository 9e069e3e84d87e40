// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/tokenizer_json.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/refusal.hpp"

using json = nlohmann::json;
using netra::u32_t, netra::pre_tokenizer, netra::test::check_refused;

namespace {

json small() {
    return json::parse(R"({
        "added_tokens": [{"id": 3, "content": "<s>", "special": true, "normalized": false},
                         {"id": 9, "content": "<e>", "special": true, "normalized": false, "rstrip": true}],
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "post_processor": null,
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "vocab": {"a": 0, "b": 1, "ab": 2, "<s>": 3}, "merges": ["a b"]}
    })");
}
netra::tokenizer_data read(const json& root) { return netra::tokenizer_from_json(root.dump(), "t.json"); }
/// `small` with another value at a JSON pointer.
json with(const char* pointer, const json& value) {
    json root = small();
    root[json::json_pointer(pointer)] = value;
    return root;
}
json split(const std::string_view pattern) {
    json root = json::parse(R"({"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": false},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]})");
    root["pretokenizers"][0]["pattern"]["Regex"] = pattern;
    return root;
}
const json digits = json::parse(R"({"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": true},
    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}]})");
const json bos_first = json::parse(R"({"type": "Sequence", "processors": [{"type": "ByteLevel", "trim_offsets": false},
    {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
     "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}}}]})");

}  // namespace

TEST_CASE("a tokenizer.json becomes a tokenizer") {
    const auto data = read(small());
    CHECK(data.words == pre_tokenizer::gpt_2);
    CHECK_FALSE(data.add_bos);
    CHECK(data.added[0].in_vocabulary);
    CHECK_FALSE(data.added[1].in_vocabulary);
    const netra::tokenizer t(data);
    CHECK(t.size() == 10);
    CHECK(t.encode("aab<s>b<e> a") == std::vector<u32_t>{0, 2, 3, 1, 9, 0});
    CHECK(t.decode(std::vector<u32_t>{2, 5, 9}) == "ab<e>");
    CHECK(netra::tokenizer(read(with("/model/merges", json::array({json::array({"a", "b"})})))).encode("ab") == std::vector<u32_t>{2});
}

TEST_CASE("the known steps are recognised") {
    using namespace netra::detail;
    CHECK(read(with("/pre_tokenizer", digits)).words == pre_tokenizer::smollm);
    CHECK(read(with("/pre_tokenizer", split(gpt_2_pattern))).words == pre_tokenizer::gpt_2);
    CHECK(read(with("/pre_tokenizer", split(llama_3_pattern))).words == pre_tokenizer::llama_bpe);
    CHECK(read(with("/pre_tokenizer", split(qwen_2_pattern))).words == pre_tokenizer::qwen2);
    CHECK(read(with("/normalizer", {{"type", "NFC"}})).nfc);
    CHECK(read(with("/normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}}}})).nfc);
    CHECK(read(with("/model/ignore_merges", true)).ignore_merges);
    const auto data = read(with("/post_processor", bos_first));
    CHECK(data.add_bos);
    CHECK(data.bos == 3U);
    CHECK_FALSE(read(with("/post_processor", {{"type", "ByteLevel"}})).add_bos);
    CHECK_FALSE(read(with("/model/unk_token", "")).nfc);
}

TEST_CASE("anything else is refused by key and value") {
    const auto refused = [](const char* pointer, const json& value, std::initializer_list<std::string_view> parts) {
        check_refused([&] { netra::tokenizer(read(with(pointer, value))); }, parts);
    };
    refused("/pre_tokenizer", nullptr, {"t.json: the key 'pre_tokenizer'"});
    refused("/pre_tokenizer/type", "Whitespace", {"'pre_tokenizer.type' is 'Whitespace'"});
    refused("/pre_tokenizer/add_prefix_space", true, {"'pre_tokenizer.add_prefix_space' is true"});
    refused("/pre_tokenizer/use_regex", false, {"'pre_tokenizer.use_regex' is false"});
    refused("/pre_tokenizer", split("\\w+"), {"'pre_tokenizer.pretokenizers[0].pattern.Regex' is '\\x5cw+'"});
    auto other = split(netra::detail::qwen_2_pattern);
    other["pretokenizers"][0]["behavior"] = "Removed";
    refused("/pre_tokenizer", other, {"behavior' is 'Removed'"});
    other = split(netra::detail::qwen_2_pattern);
    other["pretokenizers"][0]["invert"] = true;
    refused("/pre_tokenizer", other, {"invert' is true"});
    other = split(netra::detail::qwen_2_pattern);
    other["pretokenizers"][1]["use_regex"] = true;
    refused("/pre_tokenizer", other, {"use_regex' is true"});
    other = digits;
    other["pretokenizers"][0]["individual_digits"] = false;
    refused("/pre_tokenizer", other, {"individual_digits' is false"});
    other = digits;
    other["pretokenizers"].push_back({{"type", "ByteLevel"}});
    refused("/pre_tokenizer", other, {"'pre_tokenizer.pretokenizers' is an array of 3 items"});
    refused("/normalizer", {{"type", "NFKC"}}, {"'normalizer.type' is 'NFKC'"});
    refused("/decoder", nullptr, {"'decoder.type' is missing"});
    refused("/decoder/type", "Metaspace", {"'decoder.type' is 'Metaspace'"});
    refused("/post_processor", {{"type", "BertProcessing"}}, {"'post_processor.type' is 'BertProcessing'"});
    other = bos_first;
    other["processors"][1]["single"].push_back({{"SpecialToken", {{"id", "<s>"}}}});
    refused("/post_processor", other, {"'post_processor.processors[1].single' is an array of 3 items"});
    other = bos_first;
    std::swap(other["processors"][1]["single"][0], other["processors"][1]["single"][1]);
    refused("/post_processor", other, {"single[1]"});
    refused("/model/type", "Unigram", {"'model.type' is 'Unigram'"});
    refused("/model/byte_fallback", true, {"'model.byte_fallback' is true"});
    refused("/model/dropout", 0.1, {"'model.dropout' is 0.1"});
    refused("/model/continuing_subword_prefix", "##", {"'model.continuing_subword_prefix' is '##'"});
    refused("/model/end_of_word_suffix", "</w>", {"'model.end_of_word_suffix' is '</w>'"});
    refused("/model/unk_token", "<s>", {"'model.unk_token' is '<s>'"});
    refused("/model/vocab", json::array(), {"'model.vocab'"});
    refused("/model/vocab/ab", 1, {"'model.vocab.b' is 1; the token 'ab' has that id, too"});
    refused("/model/vocab/ab", -1, {"'model.vocab.ab' is -1"});
    refused("/model/vocab/ab", 4294967296U, {"'model.vocab.ab' is 4294967296"});
    refused("/model/vocab/ab", "2", {"'model.vocab.ab' is '2'"});
    refused("/model/merges", nullptr, {"'model.merges'"});
    refused("/model/merges", json::array({"a  b"}), {"'model.merges' has 'a  b' as its item 0"});
    refused("/model/merges", json::array({json::array({"a"})}), {"'model.merges[0]'"});
    refused("/model/merges", json::array({"b a"}), {"merge 0 ('b' 'a') needs the token 'ba'"});
    refused("/added_tokens/0/id", 2, {"the added token '<s>' has the id 2, which the vocabulary gives to 'ab'"});
    refused("/added_tokens/0/id", 4294967295U, {"'added_tokens[0].id' is 4294967295"});
    refused("/added_tokens/0/content", 5, {"'added_tokens[0].content' is 5"});
    refused("/added_tokens/0/single_word", "no", {"'added_tokens[0].single_word' is 'no'"});
    refused("/added_tokens", 5, {"'added_tokens' is 5"});
}

TEST_CASE("an unknown token does not matter when every byte has a token") {
    json root = small();
    for (u32_t b = 0; b < 256; ++b) {
        std::string token;
        netra::utf8::append(token, netra::detail::bytes_as_text().of_byte[b]);
        if (!root["model"]["vocab"].contains(token)) root["model"]["vocab"][token] = 100 + b;
    }
    root["model"]["unk_token"] = "<s>";
    CHECK(netra::tokenizer(read(root)).encode("xa").size() == 2);
}

TEST_CASE("a directory's other files add bos, eos and the chat template") {
    const netra::test::temporary_directory folder;
    const auto write = [&](const char* name, const json& content) {
        netra::test::write_file(folder / name, std::string_view(content.dump()));
    };
    const auto data = [&] { return netra::tokenizer_from_directory(folder.path()); };
    check_refused([&] { data(); }, {folder.path(), "no tokenizer.json"});
    write("tokenizer.json", small());
    CHECK(data().eos.empty());
    CHECK_FALSE(data().bos);
    write("tokenizer_config.json", {{"bos_token", "<s>"}, {"eos_token", {{"content", "<e>"}}}, {"chat_template", "a"}});
    CHECK(data().bos == 3U);
    CHECK_FALSE(data().add_bos);
    CHECK(data().eos == std::vector<u32_t>{9});
    CHECK(data().chat_template == "a");
    write("config.json", {{"eos_token_id", 1}});
    CHECK(data().eos == std::vector<u32_t>{1});
    write("generation_config.json", {{"eos_token_id", {2, 9}}});
    CHECK(data().eos == std::vector<u32_t>{2, 9});
    netra::test::write_file(folder / "chat_template.jinja", std::string_view("b\n"));
    CHECK(data().chat_template == "b\n");
    std::filesystem::remove(folder / "chat_template.jinja");
    write("tokenizer_config.json", {{"bos_token", "<s>"},
                                    {"add_bos_token", true},
                                    {"chat_template", {{{"name", "tool"}, {"template", "x"}}, {{"name", "default"}, {"template", "y"}}}}});
    CHECK(data().add_bos);
    CHECK(data().chat_template == "y");
    write("tokenizer.json", with("/post_processor", bos_first));
    CHECK(data().add_bos);
    write("tokenizer_config.json", {{"add_bos_token", false}});
    CHECK_FALSE(data().add_bos);
    write("tokenizer_config.json", {{"bos_token", "<e>"}});
    check_refused([&] { data(); }, {"tokenizer_config.json: the key 'bos_token' is '<e>'", "puts the token 3 before a text"});
    write("tokenizer_config.json", {{"eos_token", "<unknown>"}});
    check_refused([&] { data(); }, {"tokenizer_config.json: the key 'eos_token' is '<unknown>'"});
    write("tokenizer_config.json", {{"add_eos_token", true}});
    check_refused([&] { data(); }, {"'add_eos_token' is true"});
    write("tokenizer_config.json", {{"bos_token", nullptr}});
    write("generation_config.json", {{"eos_token_id", {2, -1}}});
    check_refused([&] { data(); }, {"generation_config.json: the key 'eos_token_id[1]' is -1"});
    write("generation_config.json", {{"eos_token_id", 4000}});
    check_refused([&] { netra::tokenizer{data()}; }, {"eos token is 4000"});
}

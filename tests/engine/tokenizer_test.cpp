// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/gguf.hpp>
#include <netra/engine/tokenizer.hpp>
#include <netra/engine/tokenizer_gguf.hpp>
#include <netra/engine/tokenizer_json.hpp>

#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

namespace {

using netra::u32_t, netra::u64_t, netra::u8_t, netra::usz, netra::special_tokens, netra::tokenizer, netra::tokenizer_data,
    netra::pre_tokenizer;
using json = nlohmann::json;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}
json golden(const std::string& name) {
    std::string folder = environment("NETRA_SOURCE_DIR");
    if (folder.empty()) folder = ".";
    std::ifstream file(folder + "/tests/golden/tokenizer/" + name);
    REQUIRE(file);
    return json::parse(file);
}

std::vector<std::string> golden_strings() {
    std::vector<std::string> out;
    for (const json& s : golden("strings.json")) {
        if (s.is_string()) {
            out.push_back(s.get<std::string>());
            continue;
        }
        std::string bytes;
        const auto hex = s.at("hex").get<std::string>();
        for (usz i = 0; i < hex.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
        out.push_back(bytes);
    }
    return out;
}

void hash(u64_t& h, u32_t id) {
    for (int i = 0; i < 4; ++i) h = (h ^ (id >> (8 * i) & 0xFFU)) * 0x100000001b3U;
}

/// The text as ids, pushed one by one.
std::string streamed(const tokenizer& t, const std::vector<u32_t>& ids, bool skip_special = false) {
    netra::token_stream stream(t, skip_special);
    std::string out;
    for (const u32_t id : ids) {
        const std::string part = stream.push(id);
        REQUIRE(netra::utf8::valid_prefix(part) == part.size());
        out += part;
    }
    return out + stream.finish();
}

/// Counts the strings whose ids equal the golden ones; every difference is reported.
usz equal_strings(const tokenizer& t, const json& expected, const std::vector<std::string>& strings) {
    std::string hashes;
    for (const json& part : expected.at("fnv")) hashes += part.get<std::string>();
    REQUIRE(hashes.size() == 16 * strings.size());
    usz equal = 0;
    for (usz i = 0; i < strings.size(); ++i) {
        u64_t h = 0xcbf29ce484222325U;
        for (const u32_t id : t.encode(strings[i])) hash(h, id);
        hash(h, ~u32_t{0});
        for (const u32_t id : t.encode(strings[i], special_tokens::as_text)) hash(h, id);
        const bool same = fmt::format("{:016x}", h) == hashes.substr(16 * i, 16);
        INFO("string " << i << ": " << json(netra::utf8::repaired(strings[i])).dump());
        CHECK(same);
        if (same) ++equal;
    }
    for (const json& each : expected.at("every_20th")) {
        const auto& s = strings.at(each.at(0).get<usz>());
        const auto ids = each.at(1).get<std::vector<u32_t>>();
        CHECK(t.encode(s) == ids);
        CHECK(t.decode(ids) == each.at(2).get<std::string>());
        CHECK(streamed(t, ids) == each.at(2).get<std::string>());
    }
    return equal;
}

constexpr const char* kinds[] = {"gpt-2", "smollm", "llama-bpe", "qwen2"};

/// The small tokenizer.json with another way to cut words.
tokenizer_data small(const json& ids, const std::string& kind) {
    json root = golden("small.json");
    const json& variant = ids.at("kinds").at(kind);
    for (const char* key : {"pre_tokenizer", "normalizer", "post_processor", "added_tokens"}) root[key] = variant.at(key);
    root["model"]["ignore_merges"] = variant.at("ignore_merges");
    return netra::tokenizer_from_json(root.dump(), "small.json");
}

}  // namespace

TEST_CASE("a small vocabulary gives the ids of Hugging Face's tokenizers") {
    const auto strings = golden_strings();
    REQUIRE(strings.size() >= 2000);
    const json ids = golden("ids.json");
    for (const std::string kind : kinds) {
        DYNAMIC_SECTION(kind) {
            const tokenizer_data data = small(ids, kind);
            CHECK(netra::name_of(data.words) == kind);
            const usz equal = equal_strings(tokenizer(data), ids.at("small").at(kind), strings);
            fmt::print("small, {}: {} of {} strings equal\n", kind, equal, strings.size());
        }
    }
}

TEST_CASE("the vocabulary of SmolLM2 gives the ids of Hugging Face's tokenizers") {
    const std::string path = environment("NETRA_DEMO_GGUF");
    if (path.empty() || !std::ifstream(path)) {
        WARN("skipped: NETRA_DEMO_GGUF names no file");
        return;
    }
    const auto file = netra::open_gguf(path);
    const auto strings = golden_strings();
    const json ids = golden("ids.json");
    for (const std::string kind : kinds) {
        DYNAMIC_SECTION(kind) {
            tokenizer_data data = netra::tokenizer_from_gguf(file.metadata);
            CHECK(netra::name_of(data.words) == "smollm");
            CHECK_FALSE(data.add_bos);
            CHECK(data.bos == 1U);
            CHECK(data.eos == std::vector<u32_t>{2});
            data.words = *netra::pre_tokenizer_named(kind);
            data.nfc = kind == "qwen2";
            data.ignore_merges = kind == "llama-bpe";
            const usz equal = equal_strings(tokenizer(std::move(data)), ids.at("smollm2").at(kind), strings);
            fmt::print("SmolLM2, {}: {} of {} strings equal\n", kind, equal, strings.size());
        }
    }
}

TEST_CASE("added tokens with every flag, and decoding of any ids, equal Hugging Face's") {
    const json ids = golden("ids.json");
    json root = golden("small.json");
    const json& qwen = ids.at("kinds").at("qwen2");
    for (const char* key : {"pre_tokenizer", "normalizer"}) root[key] = qwen.at(key);
    root["added_tokens"] = ids.at("flags").at("added_tokens");
    const tokenizer t(netra::tokenizer_from_json(root.dump(), "flags.json"));
    for (const json& each : ids.at("flags").at("cases")) {
        const auto text = each.at(0).get<std::string>();
        INFO(json(text).dump());
        CHECK(t.encode(text) == each.at(1).get<std::vector<u32_t>>());
        CHECK(t.encode(text, special_tokens::as_text) == each.at(2).get<std::vector<u32_t>>());
    }
    for (const json& each : ids.at("decodes")) {
        const auto list = each.at(0).get<std::vector<u32_t>>();
        CHECK(t.decode(list) == each.at(1).get<std::string>());
        CHECK(streamed(t, list) == each.at(1).get<std::string>());
        CHECK(t.decode(list, true) == each.at(2).get<std::string>());
        CHECK(streamed(t, list, true) == each.at(2).get<std::string>());
    }
}

namespace {

/// A vocabulary of the 256 bytes, "ab" and "abc".
tokenizer_data tiny() {
    tokenizer_data d;
    d.source = "tiny";
    for (const auto cp : netra::detail::bytes_as_text().of_byte) {
        d.tokens.emplace_back();
        netra::utf8::append(d.tokens.back(), cp);
    }
    d.tokens.insert(d.tokens.end(), {"ab", "abc", "<s>"});
    d.merges = {{"a", "b"}, {"ab", "c"}};
    d.added.push_back({.content = "<s>", .id = 258});
    return d;
}
std::string refusal(tokenizer_data d) {
    try {
        const tokenizer t(std::move(d));
    } catch (const netra::model_error& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("merges apply in the order in which they were learnt") {
    const tokenizer t(tiny());
    CHECK(t.encode("abcab<s>a") == std::vector<u32_t>{257, 256, 258, 'a'});
    CHECK(t.encode("<s>", special_tokens::as_text) == std::vector<u32_t>{'<', 's', '>'});
    CHECK(t.encode("").empty());
    auto reversed = tiny();
    reversed.tokens.push_back("bc");
    reversed.merges.insert(reversed.merges.begin(), {"b", "c"});
    CHECK(tokenizer(reversed).encode("abc") == std::vector<u32_t>{'a', 259});
    reversed.ignore_merges = true;
    CHECK(tokenizer(reversed).encode("abc") == std::vector<u32_t>{257});
    reversed.added[0].content = reversed.tokens[258] = "abcabc";  // only an added token
    CHECK(tokenizer(reversed).encode("abcabc", special_tokens::as_text) == std::vector<u32_t>{'a', 259, 'a', 259});
    reversed.added[0].in_vocabulary = true;
    CHECK(tokenizer(reversed).encode("abcabc", special_tokens::as_text) == std::vector<u32_t>{258});
}

TEST_CASE("bos is added only where it is wanted and asked for") {
    auto d = tiny();
    d.bos = 258;
    CHECK(tokenizer(d).encode_with_bos("a") == std::vector<u32_t>{'a'});
    d.add_bos = true;
    CHECK(tokenizer(d).encode_with_bos("a") == std::vector<u32_t>{258, 'a'});
    CHECK(tokenizer(d).encode("a") == std::vector<u32_t>{'a'});
}

TEST_CASE("bytes without a token give nothing") {
    auto d = tiny();
    d.tokens['b'] = "";
    d.merges.clear();
    CHECK(tokenizer(d).encode("abc") == std::vector<u32_t>{'a', 'c'});
}

TEST_CASE("a streamed character comes out when it is complete") {
    const tokenizer t(tiny());
    netra::token_stream stream(t);
    CHECK(stream.push(0xF0).empty());
    CHECK(stream.push(0x9F).empty());
    CHECK(stream.push(0x91).empty());
    CHECK(stream.push(0x8D) == "\xF0\x9F\x91\x8D");
    CHECK(stream.push(0xE2).empty());
    CHECK(stream.push('a') ==
          "\xEF\xBF\xBD"
          "a");
    CHECK(stream.push(0x80) == "\xEF\xBF\xBD");
    CHECK(stream.push(0xE2).empty());
    CHECK(stream.push(0x82).empty());
    CHECK(stream.finish() == "\xEF\xBF\xBD");
    CHECK(stream.finish().empty());
}

TEST_CASE("any bytes encode to what decodes to their repaired text") {
    const u64_t seed = std::random_device{}();
    fmt::print("seed {}\n", seed);
    std::mt19937_64 random(seed);
    for (const auto words : {pre_tokenizer::gpt_2, pre_tokenizer::smollm, pre_tokenizer::llama_bpe, pre_tokenizer::qwen2}) {
        auto d = tiny();
        d.words = words;
        const tokenizer t(d);
        for (int i = 0; i < 500; ++i) {
            std::string s;
            for (usz n = random() % 40; n != 0; --n) {
                s.push_back(random() % 4 == 0 ? static_cast<char>(static_cast<u8_t>(random())) : "abc' \n1<s>"[random() % 10]);
            }
            INFO(json(netra::utf8::repaired(s)).dump());
            const auto ids = t.encode(s);
            CHECK(t.decode(ids) == netra::utf8::repaired(s));
            CHECK(streamed(t, ids) == netra::utf8::repaired(s));
        }
    }
}

TEST_CASE("long words and long runs of special tokens end soon") {
    const tokenizer t(tiny());
    const usz n = 1000000;
    std::string ab;
    while (ab.size() < n) ab += "ab";
    CHECK(t.encode(std::string(n, 'a')).size() == n);
    CHECK(t.encode(ab).size() == n / 2);
    CHECK(t.encode(std::string(n, '<')).size() == n);
    CHECK(t.encode(std::string(n, ' ')).size() == n);
    CHECK(t.encode(std::string(n, '\xFF')).size() == 3 * n);
}

TEST_CASE("contradictory data are refused by name") {
    using Catch::Matchers::Contains;
    CHECK(refusal(tiny()) == "accepted");
    CHECK(refusal({.source = "x"}) == "x: the vocabulary is empty");
    auto d = tiny();
    d.tokens.push_back("ab");
    CHECK(refusal(d) == "tiny: the tokens 256 and 259 are the same, 'ab'");
    d = tiny();
    d.merges.emplace_back("c", "d");
    CHECK(refusal(d) == "tiny: merge 2 ('c' 'd') needs the token 'cd', which the vocabulary does not have");
    d = tiny();
    d.merges.emplace_back("xy", "d");
    CHECK(refusal(d) == "tiny: merge 2 ('xy' 'd') needs the token 'xy', which the vocabulary does not have");
    d = tiny();
    d.bos = 259;
    CHECK(refusal(d) == "tiny: the bos token is 259, which the vocabulary of 259 does not have");
    d = tiny();
    d.eos = {2, 4294967295U};
    CHECK(refusal(d) == "tiny: the eos token is 4294967295, which the vocabulary of 259 does not have");
    d = tiny();
    d.add_bos = true;
    CHECK(refusal(d) == "tiny: the bos token is to be put before a text, but no bos token is given");
    d = tiny();
    d.added[0].id = 257;
    CHECK(refusal(d) == "tiny: the added token '<s>' has the id 257, which the vocabulary gives to 'abc'");
    d.added[0].id = 4000000000U;
    CHECK(refusal(d) == "tiny: the added token '<s>' has the id 4000000000, far above the others");
    d.added[0].id = 300;
    CHECK(refusal(d) == "tiny: the tokens 258 and 300 are the same, '<s>'");
    d.added[0].content = "";
    CHECK(refusal(d) == "tiny: the added token 300 has no text");
    d.added[0].content = std::string(1025, 'x');
    CHECK(refusal(d) == "tiny: the added token 300 has 1025 bytes; at most 1024 are possible");

    const tokenizer t(tiny());
    const std::vector<u32_t> wrong{'a', 259};
    CHECK_THROWS_WITH(t.decode(wrong), "tiny: there is no token 259: the vocabulary has 259");
    netra::token_stream stream(t);
    CHECK_THROWS_AS(stream.push(4294967295U), netra::model_error);
    CHECK_FALSE(t.is_special(4294967295U));
}

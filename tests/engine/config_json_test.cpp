// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/config_json.hpp>

#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

void refused(std::string_view text, std::initializer_list<std::string_view> parts) {
    check_refused([&] { parse_config_json(text, "c.json"); }, parts);
}

}  // namespace

TEST_CASE("an object comes back as it is written") {
    const auto config = parse_config_json(" {\"a\": [1, {\"a\": null}], \"b\": \"\\u00e9\"}\n", "c.json");
    CHECK(config.dump() == "{\"a\":[1,{\"a\":null}],\"b\":\"\xc3\xa9\"}");
}

TEST_CASE("what is no strict JSON object is refused") {
    for (const std::string text : {"", "  ", "[]", "1", "null", "\"a\"", "\xef\xbb\xbf{}"}) refused(text, {"c.json: not a JSON object"});
    for (const std::string text :
         {"{", "{]", "{\"a\":1,}", "{'a':1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":NaN}", "{\"a\":1}x", "{\"a\":1}{}", "{\"a\":1 /**/}",
          "{\"a\":\"\x01\"}", "{\"a\":\"\xc0\xaf\"}", "{\"a\":\"\\udc00\"}", "{\"a\" 1}", "{a:1}"})
        refused(text, {"c.json: not valid JSON"});
    refused("{\"a\": 1e999}", {"c.json: not valid JSON: a number is too large"});
    refused(std::string("{}\0", 3), {"not a JSON object"});
    refused("{\"a\":\"x\\u0000y\"}", {"c.json: the text 'x\\x00y' has a zero character in it"});
    refused("{\"a\\u0000\":1}", {"zero character"});
}

TEST_CASE("a key that occurs twice in one object is refused, in any spelling and at any depth") {
    refused("{\"a\":1,\"b\":2,\"a\":1}", {"c.json: key 'a' occurs twice"});
    refused("{\"a\":1,\"\\u0061\":1}", {"key 'a' occurs twice"});
    refused("{\"x\":[{\"y\":{\"k\":1,\"k\":2}}]}", {"key 'k' occurs twice"});
    CHECK_NOTHROW(parse_config_json("{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}]}", "c.json"));
}

TEST_CASE("nesting and size have limits") {
    const auto nested = [](usz arrays) { return "{\"a\":" + std::string(arrays, '[') + std::string(arrays, ']') + "}"; };
    CHECK_NOTHROW(parse_config_json(nested(15), "c.json"));
    refused(nested(16), {"nests deeper than 16 levels"});
    refused(nested(200'000), {"nests deeper than 16 levels"});
    refused("{\"a\":\"" + std::string(detail::longest_config, 'x') + "\"}", {"a model configuration has at most 1048576"});
}

TEST_CASE("values are checked before they are used, and refusals name file, key and value") {
    const std::string file = "c.json";
    const nlohmann::json json = parse_config_json(
        R"({"n": 7, "zero": 0, "minus": -1, "real": 7.0, "huge": 4294967303, "beyond": 1e300, "text": "7", "null": null, "yes": true, "list": [7]})",
        file);
    const detail::config_object in(json, file, "outer.");
    CHECK(in.size("n", 7) == 7);
    CHECK(in.size("zero", 7, 0) == 0);
    for (const std::string key : {"zero", "minus", "real", "huge", "beyond", "text", "null", "yes", "list"}) {
        check_refused([&] { in.size(key, 100); },
                      {"c.json: key 'outer." + key + "' is ", json[key].dump(), "; an integer from 1 to 100 is expected"});
    }
    check_refused([&] { in.size("n", 6); }, {"key 'outer.n' is 7; an integer from 1 to 6"});
    check_refused([&] { in.size("none", 6); }, {"c.json: key 'outer.none' is missing; an integer from 1 to 6 is expected"});
    CHECK(in.real("n", 1, 10) == 7.0);
    CHECK(in.real("real", 7, 7) == 7.0);
    for (const std::string key : {"zero", "beyond", "text", "null", "list"})
        check_refused([&] { in.real(key, 1, 1e6); }, {key, "a number from 1 to 1e+06 is expected"});
    CHECK(in.boolean_or("yes", false));
    CHECK(in.boolean_or("none", true));
    for (const std::string key : {"n", "null", "text"})
        check_refused([&] { in.boolean_or(key, true); }, {key, "true or false is expected"});
    CHECK(in.string("text") == "7");
    check_refused([&] { in.string("n"); }, {"'outer.n' is 7; a string"});
    CHECK(in.find("null") == nullptr);
    CHECK(in.find("none") == nullptr);
    CHECK(in.find("n") != nullptr);
}

TEST_CASE("long values are cut in messages") {
    const std::string file = "c.json";
    const nlohmann::json json = {{"k", std::string(1000, 'x')}};
    const detail::config_object in(json, file);
    try {
        in.size("k", 1);
        CHECK(false);
    } catch (const model_error& e) {
        CHECK(std::string_view(e.what()).size() < 200);
    }
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/json_file.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/refusal.hpp"

using netra::detail::parse_json, netra::test::check_refused;

TEST_CASE("values are read with their types") {
    const auto root = parse_json(R"({"a": {"b": ["x", 7, true, null]}})", "f.json");
    CHECK(root["a"]["b"].size() == 4);
    CHECK(root["a"]["b"][0].string() == "x");
    CHECK(root["a"]["b"][1].id() == 7);
    CHECK(root["a"]["b"][2].boolean());
    CHECK(root["a"]["b"][3].is_null());
    CHECK(root["c"]["d"].is_null());
    CHECK(root["c"].string_or("y") == "y");
    CHECK(root["c"].boolean_or(true));
}

TEST_CASE("refusals name the file, the key and the value") {
    const auto root = parse_json(R"({"a": {"b": ["x", -7, true, 4294967295, 1.5]}})", "f.json");
    check_refused([&] { root["a"]["b"][0].id(); }, {"f.json: the key 'a.b[0]' is 'x'", "a token id"});
    check_refused([&] { root["a"]["b"][1].id(); }, {"'a.b[1]' is -7"});
    check_refused([&] { root["a"]["b"][3].id(); }, {"'a.b[3]' is 4294967295"});
    check_refused([&] { root["a"]["b"][4].id(); }, {"'a.b[4]' is 1.5"});
    check_refused([&] { root["a"]["b"][2].string(); }, {"is true; a string is expected"});
    check_refused([&] { root["a"]["b"]["c"].string(); }, {"'a.b' is an array of 5 items; an object is expected"});
    check_refused([&] { root["a"].size(); }, {"'a' is an object of 1 items; an array is expected"});
    check_refused([&] { root["x"]["y"].string(); }, {"'x.y' is missing; a string is expected"});
    check_refused([&] { root["x"].boolean(); }, {"'x' is missing; true or false is expected"});
}

TEST_CASE("files that are not an object of JSON are refused") {
    for (const char* text : {"", "{", "{\"a\": }", "{\"a\": \"\xFF\"}", "{} {}", "nul", "{\"a\": 1e999}"}) {
        check_refused([&] { parse_json(text, "f.json"); }, {"f.json: not JSON"});
    }
    check_refused([] { parse_json("[1]", "f.json"); }, {"f.json: an object is expected, this is array"});
    const std::string deep = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
    check_refused([&] { parse_json(deep, "f.json"); }, {"f.json", "nested deeper than 32"});
    check_refused([] { netra::detail::read_json("/nowhere/x.json"); }, {"/nowhere/x.json"});
    const netra::test::temporary_directory folder;
    netra::test::write_file(folder / "x.json", std::string_view(R"({"a": "b"})"));
    CHECK(netra::detail::read_json(folder / "x.json")["a"].string() == "b");
}

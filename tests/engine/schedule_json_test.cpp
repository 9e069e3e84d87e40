// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/schedule_json.hpp>

#include "support/refusal.hpp"

using namespace netra;
using detail::json_place;
using detail::parse_schedule_json;
using test::check_refused;

TEST_CASE("a schedule's JSON is strict") {
    CHECK(parse_schedule_json(" {\"a\": [1, 2]}", "f")["a"][1] == 2);
    check_refused([] { parse_schedule_json("", "f.json"); }, {"f.json", "not a JSON object"});
    check_refused([] { parse_schedule_json("[]", "f.json"); }, {"f.json", "not a JSON object"});
    check_refused([] { parse_schedule_json("{\"a\": [1, 2", "f.json"); }, {"f.json", "not valid JSON at byte", "is the file whole?"});
    check_refused([] { parse_schedule_json("{\"a\": 1} x", "f.json"); }, {"not valid JSON"});
    check_refused([] { parse_schedule_json("{\"a\": \"\xff\"}", "f.json"); }, {"not valid JSON"});
    check_refused([] { parse_schedule_json("{\"a\": 1e999}", "f.json"); }, {"number is too large"});
    check_refused([] { parse_schedule_json("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", "f.json"); }, {"key 'c' occurs twice"});
}

TEST_CASE("the same key in two objects is fine") {
    CHECK_NOTHROW(parse_schedule_json("{\"a\": {\"c\": 1}, \"b\": {\"c\": 2}, \"c\": [{\"c\": 1}, {\"c\": 1}]}", "f"));
}

TEST_CASE("deep nesting is refused, before memory is used up") {
    const auto nested = [](usz levels) { return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}"; };
    CHECK_NOTHROW(parse_schedule_json(nested(detail::deepest_schedule), "f"));
    check_refused([&] { parse_schedule_json(nested(detail::deepest_schedule + 1), "f"); }, {"nests deeper than 16 levels"});
    check_refused([&] { parse_schedule_json("{\"a\":" + std::string(1'000'000, '['), "f"); }, {"nests deeper"});
}

TEST_CASE("more values than a schedule may have are refused") {
    const char* text = "{\"a\": [0, 1, 2, {\"b\": null}]}";  // the object, the list, 3 numbers, an object, null
    CHECK_NOTHROW(parse_schedule_json(text, "f", 7));
    check_refused([&] { parse_schedule_json(text, "f", 6); }, {"f: has more than 6 values"});
}

TEST_CASE("NaN and infinities outside of strings become strings") {
    const auto json = parse_schedule_json("{\"a\": NaN, \"b\": [-Infinity, Infinity], \"NaN\": \"a \\\" NaN\"}", "f");
    CHECK(json["a"] == "NaN");
    CHECK(json["b"][0] == "-Infinity");
    CHECK(json["b"][1] == "Infinity");
    CHECK(json["NaN"] == "a \" NaN");
    check_refused([] { parse_schedule_json("{\"a\": NaNa}", "f"); }, {"not valid JSON"});
    check_refused([] { parse_schedule_json("{\"a\": \"NaN\\", "f"); }, {"not valid JSON"});
}

TEST_CASE("a place names the way to its value") {
    const auto json =
        nlohmann::json::parse(R"({"tasks": [{}, {"waits": [{"counter": "x", "big": 1e18, "minus": -1, "huge": 18446744073709551615}]}]})");
    const std::string file = "f.json";
    const json_place wait = json_place(json, file)["tasks"].at(1)["waits"].at(0);
    CHECK(wait["counter"].path() == "tasks[1].waits[0].counter");
    check_refused([&] { wait["counter"].whole(); }, {"f.json: 'tasks[1].waits[0].counter' is 'x'", "a whole number"});
    check_refused([&] { wait["threshold"].whole(); }, {"'tasks[1].waits[0].threshold' is missing"});
    check_refused([&] { wait["big"].whole(); }, {"is 1e+18"});
    check_refused([&] { wait["huge"].whole(); }, {"is 18446744073709551615", "at most 63 bits"});
    check_refused([&] { wait["minus"].whole_in(0, 5); }, {"is -1", "from 0 to 5"});
    check_refused([&] { wait["minus"].text(); }, {"a text is expected"});
    check_refused([&] { wait["minus"].truth(); }, {"true or false"});
    check_refused([&] { wait["minus"].size(); }, {"an array is expected"});
    check_refused([&] { wait["minus"]["x"]; }, {"an object is expected"});
    check_refused([&] { json_place(json, file).whole(); }, {"the whole is an object of 1 items"});
    CHECK(wait["minus"].whole() == -1);
    CHECK(wait["absent"].whole_or(7) == 7);
    CHECK(wait["absent"].text_or("none") == "none");
    CHECK(wait["counter"].text_or("none") == "x");
}

TEST_CASE("a name is found in a table, or the table is shown") {
    const auto json = nlohmann::json::parse(R"({"a": "two", "b": "three"})");
    const std::string file = "f.json";
    const char* const names[] = {"one", "two"};
    CHECK(detail::index_in(json_place(json, file)["a"], names) == 1);
    check_refused([&] { detail::index_in(json_place(json, file)["b"], names); }, {"'b' is 'three'", "one of one, two"});
}

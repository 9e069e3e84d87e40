// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/gguf.hpp>

#include "support/damage.hpp"
#include "support/refusal.hpp"
#include "support/samples.hpp"

#include <fmt/format.h>

using namespace netra;
using namespace netra::test;

namespace {

void check_value_refused(u32_t type, const blob& value, std::initializer_list<std::string_view> parts) {
    gguf_writer out;
    out.raw_key("k", type, value);
    const blob content = out.content();
    check_refused([&] { parse_gguf(content, "f.gguf"); }, parts);
}

/// An array of an array ... of one u8, `depth` arrays in all.
blob nested_arrays(int depth) {
    blob value = gguf_writer::array_bytes(std::vector<u8_t>{1});
    for (int i = 1; i < depth; ++i) {
        blob outer;
        put(outer, u32_t{9});
        put(outer, u64_t{1});
        put(outer, value);
        value = outer;
    }
    return value;
}

}  // namespace

TEST_CASE("numbers, booleans and strings of every type come back") {
    const blob content = gguf_of_keys().content();
    const gguf_metadata m = parse_gguf(content, "f.gguf").metadata;
    CHECK(m.file() == "f.gguf");
    CHECK(m.values().size() == 20);
    CHECK(m.string("general.architecture") == "llama");
    CHECK(m.string("a.empty").empty());
    CHECK(m.u64("a.u8") == 200);
    CHECK(m.i64("a.i8") == -100);
    CHECK(m.u64("a.u16") == 60000);
    CHECK(m.i64("a.i16") == -30000);
    CHECK(m.u64("a.u32") == 4000000000);
    CHECK(m.i64("a.u32") == 4000000000);
    CHECK(m.i64("a.i32") == -2000000000);
    CHECK(m.u64("a.u64") == ~u64_t{0});
    CHECK(m.i64("a.i64") == -5000000000);
    CHECK(m.f64("a.f32") == 1.5);
    CHECK(m.f64("a.f64") == 1e-300);
    CHECK(m.boolean("a.true"));
    CHECK_FALSE(m.boolean("a.false"));
}

TEST_CASE("arrays of strings, integers, reals and arrays come back") {
    const blob content = gguf_of_keys().content();
    const gguf_metadata m = parse_gguf(content, "f.gguf").metadata;
    CHECK(m.strings("b.strings") == std::vector<std::string_view>{"one", "", "drei\xc3\xa9"});
    CHECK(m.integers("b.i32") == std::vector<i64_t>{1, -2, 3});
    CHECK(m.integers("b.u8") == std::vector<i64_t>{7, 255});
    CHECK(m.integers("b.none").empty());
    CHECK(m.reals("b.f32") == std::vector<double>{0.5, -0.25});
    const gguf_value* nested = m.find("c.nested");
    REQUIRE(nested != nullptr);
    CHECK(nested->item == gguf_type::array);
    const auto items = m.items(*nested);
    REQUIRE(items.size() == 2);
    CHECK(items[0].count == 2);
    CHECK(items[1].count == 0);
    const auto numbers = m.items(items[0]);
    REQUIRE(numbers.size() == 2);
    CHECK(numbers[1].type == gguf_type::uint16);
    CHECK(numbers[1].stored[0] == std::byte{2});
    CHECK(content[numbers[1].offset] == std::byte{2});
    CHECK(m.items(*m.find("a.u8")).empty());
}

TEST_CASE("strings are views into the file") {
    const blob content = gguf_of_keys().content();
    const gguf_metadata m = parse_gguf(content, "f.gguf").metadata;
    const auto* first = reinterpret_cast<const char*>(content.data());  // NOLINT
    for (const std::string_view s : {m.string("general.architecture"), m.strings("b.strings")[2]}) {
        CHECK(s.data() >= first);
        CHECK(s.data() + s.size() <= first + content.size());
    }
}

TEST_CASE("a missing key is the fallback for accessors called _or, and an error that names it for the others") {
    const blob content = gguf_of_keys().content();
    const gguf_metadata m = parse_gguf(content, "f.gguf").metadata;
    CHECK_FALSE(m.has("none"));
    CHECK(m.find("none") == nullptr);
    CHECK(m.string_or("none", "x") == "x");
    CHECK(m.boolean_or("none", true));
    CHECK(m.i64_or("none", -1) == -1);
    CHECK(m.u64_or("none", 7) == 7);
    CHECK(m.f64_or("none", 0.5) == 0.5);
    CHECK(m.string_or("general.architecture", "x") == "llama");
    CHECK_FALSE(m.boolean_or("a.false", true));
    CHECK(m.u64_or("a.u8", 7) == 200);
    check_refused([&] { m.string("none"); }, {"f.gguf: the key 'none' is missing; a string is expected"});
    check_refused([&] { m.boolean("none"); }, {"'none' is missing; a boolean"});
    check_refused([&] { m.i64("none"); }, {"'none' is missing; an integer"});
    check_refused([&] { m.u64("none"); }, {"'none' is missing; an unsigned integer"});
    check_refused([&] { m.f64("none"); }, {"'none' is missing; a real number"});
    check_refused([&] { m.strings("none"); }, {"'none' is missing; an array of strings"});
    check_refused([&] { m.integers("none"); }, {"'none' is missing; an array of integers"});
    check_refused([&] { m.reals("none"); }, {"'none' is missing; an array of real numbers"});
}

TEST_CASE("a value of another type is refused with the key, its offset and the type found, by the _or accessors too") {
    const blob content = gguf_of_keys().content();
    const gguf_metadata m = parse_gguf(content, "f.gguf").metadata;
    const std::string at = fmt::format("(offset {})", m.find("a.u8")->offset);
    check_refused([&] { m.string("a.u8"); }, {"f.gguf: the key 'a.u8'", at, "is uint8 200; a string is expected"});
    check_refused([&] { m.string_or("a.u8", ""); }, {"is uint8 200; a string"});
    check_refused([&] { m.boolean("a.u8"); }, {"is uint8 200; a boolean"});
    check_refused([&] { m.f64("a.u8"); }, {"is uint8 200; a real number"});
    check_refused([&] { m.u64("a.true"); }, {"is boolean; an unsigned integer"});
    check_refused([&] { m.u64("a.i8"); }, {"is int8 -100; an unsigned integer"});
    check_refused([&] { m.i64("a.u64"); }, {"is uint64; an integer"});
    check_refused([&] { m.i64("a.f32"); }, {"is float32; an integer"});
    check_refused([&] { m.strings("a.u8"); }, {"is uint8 200; an array of strings"});
    check_refused([&] { m.strings("b.i32"); }, {"is an array of 3 int32; an array of strings"});
    check_refused([&] { m.integers("b.strings"); }, {"is an array of 3 string; an array of integers"});
    check_refused([&] { m.reals("b.i32"); }, {"is an array of 3 int32; an array of real numbers"});
    check_refused([&] { m.string("b.strings"); }, {"is an array of 3 string; a string"});
}

TEST_CASE("malformed values are refused by key and offset") {
    blob value;
    put(value, u8_t{2});
    check_value_refused(7, value, {"f.gguf: key 'k' is a boolean of value 2", "(offset 37)"});
    check_value_refused(13, value, {"key 'k' has the value type 13", "(offset 33)"});
    check_value_refused(0xffffffffU, value, {"key 'k' has the value type 4294967295"});
    value.clear();
    put(value, u64_t{1} << 63);
    check_value_refused(8, value, {"key 'k' needs 9223372036854775808 bytes", "(offset 45)"});
    value.clear();
    put(value, u32_t{4});
    put(value, ~u64_t{0});
    check_value_refused(9, value, {"key 'k' is 18446744073709551615, more than the file's"});
    value.clear();
    put(value, u32_t{13});
    put(value, u64_t{0});
    check_value_refused(9, value, {"key 'k' has the value type 13"});
    value.clear();
    put(value, u32_t{7});
    put(value, u64_t{3});
    put(value, std::string_view("\0\1\3", 3));
    check_value_refused(9, value, {"key 'k' is a boolean of value 3", "(offset 51)"});
}

TEST_CASE("arrays nest up to 8 levels") {
    gguf_writer out;
    const blob content = out.raw_key("k", 9, nested_arrays(8)).content();
    CHECK(read_all(parse_gguf(content, "f.gguf").metadata) > 8);
    check_value_refused(9, nested_arrays(9), {"key 'k' nests arrays deeper than 8 levels"});
    check_value_refused(9, nested_arrays(slow_build ? 2000 : 20000), {"deeper than 8 levels"});
}

TEST_CASE("keys must have a name and occur once") {
    const blob twice = gguf_writer().key("k", 1U).key("l", 2U).key("k", 1U).content();
    check_refused([&] { parse_gguf(twice, "f.gguf"); }, {"f.gguf: key 'k' occurs twice", "(offset 58)"});
    const blob nameless = gguf_writer().key("", 1U).content();
    check_refused([&] { parse_gguf(nameless, "f.gguf"); }, {"f.gguf: a key without a name", "(offset 24)"});
}

TEST_CASE("damaged metadata is refused or read, and never read beyond its end") {
    const blob content = gguf_of_keys().content();
    const auto read = [](const blob& b) { read_all(parse_gguf(b, "f.gguf").metadata); };
    const usz end = content.size() - 32;
    CHECK(truncate_everywhere(content, read).refused > end);
    const auto flipped = flip_everywhere(content, read);
    CHECK(flipped.refused > 0);
    CHECK(flipped.read > 0);
}

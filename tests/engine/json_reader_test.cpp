// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/config_json.hpp>
#include <netra/engine/json_file.hpp>
#include <netra/engine/json_reader.hpp>
#include <netra/engine/safetensors.hpp>
#include <netra/engine/schedule_json.hpp>

#include "support/dice.hpp"
#include "support/refusal.hpp"

#include <array>

using namespace netra;
using netra::test::check_refused;
using nlohmann::json;

namespace {

/// Hands all events on to another receiver and counts them.
template <class Events>
class counted {
public:
    explicit counted(Events& to) : to_(to) {}
    usz events = 0;

    bool null() { return ++events, to_.null(); }
    bool boolean(bool v) { return ++events, to_.boolean(v); }
    bool number_integer(i64_t v) { return ++events, to_.number_integer(v); }
    bool number_unsigned(u64_t v) { return ++events, to_.number_unsigned(v); }
    bool number_float(double v, const std::string& s) { return ++events, to_.number_float(v, s); }
    bool string(std::string& v) { return ++events, to_.string(v); }
    bool binary(json::binary_t& v) { return ++events, to_.binary(v); }
    bool start_object(usz n) { return ++events, to_.start_object(n); }
    bool start_array(usz n) { return ++events, to_.start_array(n); }
    bool end_object() { return ++events, to_.end_object(); }
    bool end_array() { return ++events, to_.end_array(); }
    bool key(std::string& v) { return ++events, to_.key(v); }
    bool parse_error(usz at, const std::string& token, const json::exception& e) { return ++events, to_.parse_error(at, token, e); }

private:
    Events& to_;
};

struct outcome {
    usz events = 0;
    usz values = 0;
    std::string refusal;  ///< none when the text was read
    json root;
};

const std::string file_name = "f.json";

outcome read(std::string_view text, detail::json_reader& reader) {
    outcome out;
    counted<detail::json_reader> events(reader);
    try {
        json::sax_parse(text.begin(), text.end(), &events);
        out.root = reader.take();
    } catch (const model_error& e) {
        out.refusal = e.what();
    }
    out.events = events.events;
    out.values = reader.values();
    return out;
}
/// By each of the readers: of configurations, of tokenizers, of schedules.
std::array<outcome, 3> read_by_all(std::string_view text) {
    detail::config_reader config(file_name);
    detail::json_file_reader tokenizer(file_name, 32);
    detail::schedule_reader schedule(file_name, text.size(), detail::most_schedule_values);
    return {read(text, config), read(text, tokenizer), read(text, schedule)};
}

usz values_in(const json& v) {
    usz n = 1;
    if (v.is_structured())
        for (const json& item : v) n += values_in(item);
    return n;
}

std::string repeated(std::string_view item, usz times, std::string_view between = ",") {
    std::string out;
    for (usz i = 0; i < times; ++i) (out += i == 0 ? "" : between) += item;
    return out;
}
std::string members(std::string_view value, usz times) {
    std::string out;
    for (usz i = 0; i < times; ++i) out += fmt::format("{}\"{:x}\":{}", i == 0 ? "" : ",", i, value);
    return "{" + out + "}";
}

constexpr usz megabyte = test::slow_build ? usz{1} << 15 : usz{1} << 20;  // smaller where sanitizers make it slow

}  // namespace

TEST_CASE("a megabyte of objects costs the same for each of them") {
    const usz many = test::slow_build ? 10'000 : 340'000;
    for (const char* item : {"{}", "[]"}) {
        const auto text = [&](usz n) { return "{\"a\":[" + repeated(item, n) + "]}"; };
        CHECK(parse_config_json(text(many), file_name)["a"].size() == many);
        CHECK(detail::parse_json(text(many), file_name)["a"].size() == many);
        CHECK(detail::parse_schedule_json(text(many), file_name)["a"].size() == many);
        const auto whole = read_by_all(text(many));
        const auto half = read_by_all(text(many / 2));
        for (usz i = 0; i < whole.size(); ++i) {
            CHECK(whole[i].refusal.empty());
            CHECK(whole[i].root["a"].size() == many);
            CHECK(whole[i].values == many + 2);
            CHECK(whole[i].events == 2 * many + 5);
            CHECK(whole[i].events - half[i].events == many);
        }
    }
    const usz some = test::slow_build ? 3'000 : 100'000;
    const std::string objects = members("{}", some);
    for (const outcome& o : read_by_all(objects)) {
        CHECK(o.refusal.empty());
        CHECK(o.root.size() == some);
        CHECK(o.values == some + 1);
        CHECK(o.events == 3 * some + 2);
    }
}

TEST_CASE("every hostile megabyte is read once, or refused where it shows") {
    const std::string texts[] = {
        "{\"a\":[" + repeated("{\"b\":[{}]}", megabyte / 11) + "]}",
        "{\"a\":[" + repeated("[{},{}]", megabyte / 8) + "]}",
        "{\"a\":[" + repeated("{}", megabyte / 3),
        "{\"a\":[" + repeated("0", megabyte / 2 - 8) + "]}",
        "{\"a\":\"" + std::string(megabyte - 16, 'x') + "\"}",
        "{\"a\":\"" + repeated("\\u00e9", megabyte / 6 - 4, "") + "\"}",
        "{\"a\":\"" + std::string(megabyte - 16, 'x'),
        "{\"a\":" + std::string(megabyte - 16, '1') + "}",
        "{\"a\":0." + std::string(megabyte - 16, '1') + "}",
        "{\"a\":1}" + std::string(megabyte - 16, ' ') + "x",
        "{\"" + std::string(megabyte - 16, 'k') + "\":1}",
        members("[{}]", megabyte / 14),
    };
    for (const std::string& text : texts) {
        INFO(text.substr(0, 40));
        for (const outcome& o : read_by_all(text)) {
            CHECK(o.events <= text.size() + 1);
            CHECK(o.values <= o.events);
            if (o.refusal.empty()) CHECK(o.values == values_in(o.root));
        }
    }
}

TEST_CASE("nothing behind a refused place is looked at") {
    const std::string deep = "{\"a\":" + std::string(megabyte / 2, '[') + std::string(megabyte / 2, ']') + "}";
    const auto nested = read_by_all(deep);
    CHECK(nested[0].events == 2 + detail::deepest_config);
    CHECK(nested[1].events == 2 + 32);
    CHECK(nested[2].events == 2 + detail::deepest_schedule);
    const auto twice = read_by_all("{\"a\":{},\"a\":{}," + members("{}", 80'000).substr(1));
    CHECK(twice[0].refusal == "f.json: key 'a' occurs twice in one object; keep one of them");
    CHECK(twice[0].events == 5);
    CHECK(twice[2].events == 5);
    const std::string text = "{\"a\":[" + repeated("{}", megabyte / 3) + "]}";
    detail::schedule_reader few(file_name, text.size(), 1000);
    const outcome o = read(text, few);
    CHECK(o.refusal == "f.json: has more than 1000 values; check a schedule of that size in parts");
    CHECK(o.values == 1000);
    CHECK(o.events == 3 + 2 * 998 + 1);
}

TEST_CASE("a tokenizer's key that occurs often has its last value") {
    const usz many = test::slow_build ? 3'000 : 100'000;
    const auto read = read_by_all("{" + repeated("\"a\":{\"b\":1}", many) + ",\"a\":7}");
    CHECK(read[1].refusal.empty());
    CHECK(read[1].root.dump() == "{\"a\":7}");
    CHECK(read[1].values == 2 * many + 2);
    CHECK(read[1].events == 5 * many + 4);
}

TEST_CASE("a safetensors header's events are as many as its parts") {
    const usz many = 14'000;
    std::string text = "{";
    for (usz i = 0; i < many; ++i)
        text += fmt::format(R"({}"tensor {}":{{"dtype":"F32","shape":[1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", i == 0 ? "" : ",", i);
    text += "}";
    CHECK(text.size() > megabyte);
    detail::safetensors_header header(file_name);
    counted<detail::safetensors_header> events(header);
    json::sax_parse(text.begin(), text.end(), &events);
    CHECK(header.entries.size() == many);
    CHECK(events.events == many * 21 + 2);
    detail::safetensors_header of_objects(file_name);
    counted<detail::safetensors_header> refused(of_objects);
    const usz unknown = test::slow_build ? 3'000 : 80'000;
    const std::string objects = members("{}", unknown);
    json::sax_parse(objects.begin(), objects.end(), &refused);
    CHECK(refused.events == 3 * unknown + 2);
    check_refused([&] { parse_safetensors_index(std::as_bytes(std::span(objects)), file_name); }, {"no tensor in its weight_map"});
}

namespace {

json random_value(test::dice& d, usz levels) {
    const u32_t kind = d.below(levels == 0 ? 7 : 10);
    if (kind == 0) return nullptr;
    if (kind == 1) return d.percent(50);
    if (kind == 2) return d.next();
    if (kind == 3) return -static_cast<i64_t>(d.next() >> 1);
    if (kind == 4) return static_cast<double>(d.next()) / 3e9;
    if (kind < 7) return std::string(d.below(4), static_cast<char>('a' + d.below(3))) + (d.percent(20) ? "\xc3\xa9\"\\\n" : "");
    json out = kind == 7 ? json::object() : json::array();
    for (u32_t n = d.below(5); n > 0; --n) {
        if (kind == 7)
            out[std::string(1, static_cast<char>('a' + d.below(26)))] = random_value(d, levels - 1);
        else
            out.push_back(random_value(d, levels - 1));
    }
    return out;
}

}  // namespace

TEST_CASE("the values are those of nlohmann's own parser, and so is what is JSON") {
    const u64_t seed = test::seed_from_environment("NETRA_JSON_SEED");
    INFO("NETRA_JSON_SEED=" << seed);
    test::dice d(seed);
    usz damaged_read = 0;
    usz damaged_refused = 0;
    for (int round = 0; round < (test::slow_build ? 200 : 2000); ++round) {
        const json expected = {{"a", random_value(d, 6)}, {"b", random_value(d, 6)}};
        std::string text = expected.dump(d.percent(30) ? 2 : -1);
        for (const outcome& o : read_by_all(text)) {
            CHECK(o.refusal.empty());
            CHECK(o.root == expected);
            CHECK(o.values == values_in(expected));
        }
        constexpr std::string_view damage("{}[],:\"\\0e-.n\x01\xff \0", 17);
        for (u32_t n = d.between(1, 3); n > 0; --n) text[d.below(text.size())] = damage[d.below(damage.size())];
        const json other = json::parse(text, nullptr, false);
        detail::json_file_reader reader(file_name, 32);
        const outcome o = read(text, reader);
        INFO(text);
        CHECK(o.refusal.empty() == !other.is_discarded());
        if (o.refusal.empty()) CHECK(o.root == other);
        ++(o.refusal.empty() ? damaged_read : damaged_refused);
    }
    CHECK(damaged_read > 0);
    CHECK(damaged_refused > 0);
}

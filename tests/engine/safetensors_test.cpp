// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/safetensors.hpp>

#include "support/damage.hpp"
#include "support/refusal.hpp"
#include "support/samples.hpp"

using namespace netra;
using namespace netra::test;

namespace {

std::vector<float> all_of(const tensor& t) {
    std::vector<float> out(t.elements());
    dequantize(t, 0, out);
    return out;
}

/// The file of this header and that many bytes of data is refused.
void check_header_refused(std::string_view header, usz data_bytes, std::initializer_list<std::string_view> parts) {
    const blob content = safetensors_file(header, blob(data_bytes));
    check_refused([&] { parse_safetensors(content, "f.st"); }, parts);
}

/// The tensors of the file of this header and that many bytes of data.
std::vector<std::string> names_in(std::string_view header, usz data_bytes) {
    const blob content = safetensors_file(header, blob(data_bytes));
    std::vector<std::string> names;
    for (const tensor& t : parse_safetensors(content, "f.st")) names.push_back(t.name);
    return names;
}

/// One tensor t with these fields.
std::string entry(std::string_view fields) { return "{\"t\":{" + std::string(fields) + "}}"; }

void check_index_refused(std::string_view index, std::initializer_list<std::string_view> parts) {
    check_refused([&] { parse_safetensors_index(std::as_bytes(std::span(index)), "i.json"); }, parts);
}

std::string index_of(std::string_view file) { return safetensors_index({{"t", std::string(file)}}); }

}  // namespace

TEST_CASE("tensors of F32, F16 and BF16 come back, by offset") {
    const blob content = safetensors_sample().content();
    const auto tensors = parse_safetensors(content, "f.st");
    REQUIRE(tensors.size() == 4);
    CHECK(tensors[0].name == "a");
    CHECK(tensors[0].shape == std::vector<u64_t>{2, 2});
    CHECK(all_of(tensors[0]) == ramp(4));
    CHECK(tensors[1].format == weight_format{bf16});
    CHECK(all_of(tensors[1]) == ramp(3));
    CHECK(tensors[2].shape == std::vector<u64_t>{1, 2, 1});
    CHECK(all_of(tensors[2]) == ramp(2));
    CHECK(tensors[3].shape.empty());
    CHECK(all_of(tensors[3]) == ramp(1));
    CHECK(tensors[3].data == content.data() + tensors[3].offset);
    CHECK(tensors[3].offset + tensors[3].bytes == content.size());
}

TEST_CASE("the header may order its tensors and fields in any way, and end in spaces") {
    const auto one = names_in("{\"z\":{\"data_offsets\":[0,4],\"shape\":[1],\"dtype\":\"F32\"}}  ", 4);
    CHECK(one == std::vector<std::string>{"z"});
    const auto two = names_in(
        "{\"b\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[4,8]},"
        "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}",
        8);
    CHECK(two == std::vector<std::string>{"a", "b"});
    CHECK(names_in("{}", 0).empty());
    CHECK(names_in("{\"__metadata__\":{}}", 0).empty());
}

TEST_CASE("files that are no safetensors files are refused") {
    check_refused([] { parse_safetensors({}, "f.st"); }, {"f.st: only 0 bytes"});
    check_refused([] { parse_safetensors(blob(8), "f.st"); }, {"f.st: its JSON does not begin with '{'"});
    blob content = safetensors_file("{}");
    const u64_t lengths[] = {3, 100'000'001, ~u64_t{0}};
    for (const u64_t length : lengths) {
        std::memcpy(content.data(), &length, sizeof length);
        check_refused([&] { parse_safetensors(content, "f.st"); },
                      {"f.st: a header of " + std::to_string(length) + " bytes in a file of 10", "(offset 0)"});
    }
    blob large(8 + 100'000'001);
    std::memcpy(large.data(), &lengths[1], sizeof(u64_t));
    check_refused([&] { parse_safetensors(large, "f.st"); }, {"a header of 100000001 bytes", "at most 100000000 is possible"});
    check_header_refused("[]", 0, {"does not begin with '{'"});
    check_header_refused("\xef\xbb\xbf{}", 0, {"does not begin with '{'"});
    check_header_refused("{", 0, {"f.st: the header is not valid JSON at byte 2"});
    check_header_refused("{} {}", 0, {"not valid JSON at byte 4"});
    check_header_refused("{\"a\xff\":1}", 0, {"not valid JSON"});
    check_header_refused(std::string_view("{}\0x", 4), 0, {"zero byte"});
    check_header_refused("{/**/}", 0, {"not valid JSON"});
}

TEST_CASE("what the header's grammar does not have is refused where it stands") {
    check_header_refused("{\"t\":3}", 0, {"f.st: the number 3 in tensor 't', where an object with dtype, shape and data_offsets is"});
    check_header_refused("{\"t\":[]}", 0, {"an array in tensor 't'"});
    check_header_refused("{\"t\":null}", 0, {"null in tensor 't'"});
    check_header_refused(entry("\"dtype\":5"), 0, {"the number 5 in the dtype of tensor 't', where a string"});
    check_header_refused(entry("\"dtype\":\"\""), 0, {"the string '' in the dtype of tensor 't'"});
    check_header_refused(entry("\"shape\":4"), 0, {"the number 4 in the shape of tensor 't', where an array"});
    check_header_refused(entry("\"shape\":[-4]"), 0, {"the number -4 in the shape of tensor 't'"});
    check_header_refused(entry("\"shape\":[4.0]"), 0, {"the number '4.0' in the shape of tensor 't'"});
    check_header_refused(entry("\"shape\":[18446744073709551616]"), 0, {"the number '18446744073709551616' in the shape"});
    check_header_refused(entry("\"shape\":[true]"), 0, {"a boolean in the shape of tensor 't'"});
    check_header_refused(entry("\"shape\":[[1]]"), 0, {"an array in the shape of tensor 't'"});
    check_header_refused(entry("\"shape\":[1,1,1,1,1,1,1,1,1]"), 0, {"the number 1 in the shape of tensor 't', where one of at most 8"});
    check_header_refused(entry("\"data_offsets\":[0,4,8]"), 0, {"the number 8 in the data_offsets of tensor 't'"});
    check_header_refused(entry("\"strides\":[1]"), 0, {"the key 'strides' in tensor 't', where dtype, shape, data_offsets"});
    check_header_refused("{\"__metadata__\":[]}", 0, {"an array in the entry '__metadata__'"});
    check_header_refused("{\"__metadata__\":{\"a\":1}}", 0, {"the number 1 in the entry '__metadata__', where a string"});
    check_header_refused("{\"__metadata__\":{\"a\":{}}}", 0, {"an object in the entry '__metadata__'"});
    std::string deep = "{\"t\":{\"shape\":";
    deep.append(100000, '[');
    check_header_refused(deep, 0, {"an array in the shape of tensor 't'"});
}

TEST_CASE("keys that occur twice are refused") {
    const std::string t = "\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}";
    check_header_refused("{" + t + "," + t + "}", 4, {"f.st: the header is ambiguous: it has the key 't' twice"});
    check_header_refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, {"the key '__metadata__' twice"});
    check_header_refused("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", 0, {"'__metadata__' has the key 'a' twice"});
    check_header_refused(entry("\"dtype\":\"F32\",\"dtype\":\"F32\""), 0, {"tensor 't' has dtype twice"});
    check_header_refused(entry("\"shape\":[],\"shape\":[]"), 0, {"tensor 't' has shape twice"});
    check_header_refused(entry("\"data_offsets\":[],\"data_offsets\":[]"), 0, {"tensor 't' has data_offsets twice"});
}

TEST_CASE("incomplete tensors, other dtypes and wrong sizes are refused by the tensor's name and offset") {
    check_header_refused(entry(""), 0, {"f.st: tensor 't' lacks a dtype, a shape or two data_offsets", "(offset 16)"});
    check_header_refused(entry("\"dtype\":\"F32\",\"shape\":[1]"), 4, {"tensor 't' lacks"});
    check_header_refused(entry("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]"), 4, {"tensor 't' lacks"});
    check_header_refused("{\"\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, {"tensor '' has no name"});
    for (const char* dtype : {"F64", "I64", "I32", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "f32", "Q4_1"}) {
        check_header_refused(entry("\"dtype\":\"" + std::string(dtype) + "\",\"shape\":[1],\"data_offsets\":[0,8]"), 8,
                             {"f.st: tensor 't' has the dtype '" + std::string(dtype) + "', which netra does not read", "(offset "});
    }
    const auto sized = [](std::string_view shape, std::string_view offsets) {
        return entry("\"dtype\":\"F32\",\"shape\":" + std::string(shape) + ",\"data_offsets\":" + std::string(offsets));
    };
    check_header_refused(sized("[3]", "[0,8]"), 8, {"f.st: tensor 't' has 8 bytes, but its shape and dtype F32 make 12", "(offset "});
    check_header_refused(sized("[2]", "[0,8]"), 7,
                         {"tensor 't' has the data_offsets 0 to 8, but the data has 7 bytes", "damaged or incomplete"});
    check_header_refused(sized("[2]", "[8,0]"), 8, {"tensor 't' has the data_offsets 8 to 0"});
    check_header_refused(sized("[1]", "[18446744073709551612,18446744073709551615]"), 8, {"has the data_offsets 18446744073709551612 to"});
    check_header_refused(sized("[0]", "[0,0]"), 0, {"tensor 't' has a dimension of 0"});
    check_header_refused(sized("[4294967296,4294967296]", "[0,0]"), 0, {"tensor 't' has a shape whose product exceeds 2^60"});
}

TEST_CASE("every byte of the data belongs to exactly one tensor") {
    const auto two = [](std::string_view first, std::string_view second) {
        const auto one = [](std::string_view name, std::string_view offsets) {
            return "\"" + std::string(name) + "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" + std::string(offsets) + "}";
        };
        return "{" + one("a", first) + "," + one("b", second) + "}";
    };
    CHECK(names_in(two("[0,4]", "[4,8]"), 8).size() == 2);
    check_header_refused(two("[0,4]", "[2,6]"), 6, {"f.st: tensor 'b' (f32 [1] at offset ", "overlaps the tensor before it"});
    check_header_refused(two("[0,4]", "[0,4]"), 4, {"overlaps the tensor before it"});
    check_header_refused(two("[0,4]", "[5,9]"), 9, {"f.st: tensor 'b' (f32 [1] at offset ", "up to it belong to no tensor"});
    check_header_refused(two("[1,5]", "[5,9]"), 9, {"f.st: tensor 'a'", "up to it belong to no tensor"});
    check_header_refused(two("[0,4]", "[4,8]"), 11, {"f.st: the 3 bytes from offset ", "belong to no tensor"});
    check_header_refused("{}", 1, {"f.st: the 1 bytes from offset 10 on belong to no tensor"});
}

TEST_CASE("open_safetensors reads a file, and a directory with model.safetensors") {
    const temporary_directory directory;
    safetensors_sample().write(directory / "model.safetensors");
    for (const std::string& path : {directory / "model.safetensors", directory.path()}) {
        weight_files opened = open_safetensors(path);
        const weight_files files = std::move(opened);
        CHECK(files.size() == 4);
        CHECK(files.source() == directory / "model.safetensors");
        CHECK(all_of(files.at("b.weight")) == ramp(3));
    }
    const temporary_directory nothing;
    check_refused([&] { open_safetensors(nothing.path()); },
                  {nothing.path(), "neither model.safetensors nor model.safetensors.index.json"});
    check_refused([&] { open_safetensors(nothing / "absent.safetensors"); }, {"absent.safetensors", "No such file"});
}

TEST_CASE("shards are read through their index") {
    const temporary_directory directory;
    safetensors_writer first;
    first.tensor("a", f32, {2}, ramp(2)).tensor("b", bf16, {4}, ramp(4));
    safetensors_writer second;
    second.tensor("c", f16, {3}, ramp(3));
    write_sharded(directory.path(), {first, second});
    for (const std::string& path : {directory.path(), directory / "model.safetensors.index.json"}) {
        const weight_files files = open_safetensors(path);
        CHECK(files.size() == 3);
        CHECK(files.files().size() == 2);
        CHECK(all_of(files.at("b")) == ramp(4));
        CHECK(all_of(files.at("c")) == ramp(3));
        CHECK(files.at("c").file == directory / "model-00002-of-00002.safetensors");
    }
}

TEST_CASE("shards and an index that disagree are refused with tensor and file") {
    const temporary_directory directory;
    const std::string shards[] = {shard_name(0, 2), shard_name(1, 2)};
    safetensors_writer().tensor("a", f32, {2}, ramp(2)).write(directory / shards[0]);
    safetensors_writer().tensor("b", f32, {2}, ramp(2)).write(directory / shards[1]);
    using named_files = std::vector<std::pair<std::string, std::string>>;
    const auto refused = [&](const named_files& file_of, std::initializer_list<std::string_view> parts) {
        write_file(directory / "model.safetensors.index.json", safetensors_index(file_of));
        check_refused([&] { open_safetensors(directory.path()); }, parts);
    };
    refused({{"a", shards[1]}, {"b", shards[1]}}, {shards[1], "model.safetensors.index.json: tensor 'a' is not in " + shards[1]});
    refused({{"a", shards[1]}, {"b", shards[0]}},
            {shards[0] + ": tensor 'a' (f32 [2] at offset", "is in " + shards[1] + " by the weight_map"});
    refused({{"a", shards[0]}, {"b", shards[1]}, {"c", shards[1]}}, {"index.json: tensor 'c' is not in " + shards[1]});
    refused({{"a", shards[0]}, {"c", shards[1]}}, {shards[1] + ": tensor 'b' (f32 [2]", "is not in the weight_map of"});
    refused({{"a", shards[0]}, {"b", "model-3.safetensors"}}, {"model-3.safetensors", "No such file"});
    write_file(directory / shards[1], "broken");
    refused({{"a", shards[0]}, {"b", shards[1]}}, {shards[1] + ": only 6 bytes"});
}

TEST_CASE("shards are plain file names") {
    for (const char* file : {"../model.safetensors", "/etc/model.safetensors", "sub/model.safetensors", "a\\\\b.safetensors", "..", "",
                             ".safetensors", "model.bin", "a\\u0000.safetensors"}) {
        check_index_refused(index_of(file), {"i.json: the file of tensor 't' is '", "a plain file name that ends in .safetensors is"});
    }
    const std::string good = index_of("..safetensors");
    CHECK(parse_safetensors_index(std::as_bytes(std::span(good)), "i.json").at("t") == "..safetensors");
}

TEST_CASE("an index may carry other things beside its weight_map; malformed ones are refused") {
    const std::string rich =
        "{\"metadata\":{\"total_size\":1.5,\"x\":[null,true,-1,{\"weight_map\":{}}]},"
        "\"weight_map\":{\"t\":\"a.safetensors\"},\"n\":null,\"s\":\"\"}";
    CHECK(parse_safetensors_index(std::as_bytes(std::span(rich)), "i.json").size() == 1);
    check_index_refused("{}", {"i.json: no tensor in its weight_map"});
    check_index_refused("{\"weight_map\":{}}", {"i.json: no tensor in its weight_map"});
    check_index_refused("{\"metadata\":{\"weight_map\":{\"t\":\"a.safetensors\"}}}", {"i.json: no tensor in its weight_map"});
    check_index_refused("", {"i.json: its JSON does not begin with '{'"});
    check_index_refused("{\"weight_map\":{\"t\":1}}", {"the number 1 in the weight_map's tensor 't', where a file name is expected"});
    check_index_refused("{\"weight_map\":{\"t\":{}}}", {"an object in the weight_map's tensor 't'"});
    check_index_refused("{\"weight_map\":{\"t\":[]}}", {"an array in the weight_map's tensor 't'"});
    check_index_refused("{\"weight_map\":[]}", {"an array in the key 'weight_map'"});
    check_index_refused("{\"weight_map\":\"a.safetensors\"}", {"the string 'a.safetensors' in the key 'weight_map'"});
    check_index_refused("{\"weight_map\":{\"t\":\"a.safetensors\",\"t\":\"b.safetensors\"}}", {"weight_map has the tensor 't' twice"});
    check_index_refused("{\"weight_map\":{},\"weight_map\":{}}", {"it has the key 'weight_map' twice"});
    check_index_refused("{\"weight_map\":{\"t\":\"a.safetensors\"}", {"not valid JSON"});
    std::string deep = "{\"m\":";
    deep.append(100000, '[');
    check_index_refused(deep, {"nested deeper than 16 levels"});
}

TEST_CASE("truncated and damaged safetensors files are refused or read, and never read beyond their end") {
    const blob content = safetensors_sample().content();
    const auto read = [](const blob& b) { read_all(parse_safetensors(b, "f.st")); };
    CHECK(truncate_everywhere(content, read).read == 0);
    const auto flipped = flip_everywhere(content, read);
    CHECK(flipped.refused > 0);
    CHECK(flipped.read > 0);

    blob index;
    put(index, safetensors_index({{"a", shard_name(0, 2)}, {"b", shard_name(1, 2)}}));
    const auto read_index = [](const blob& b) { static_cast<void>(parse_safetensors_index(b, "i.json")); };
    CHECK(truncate_everywhere(index, read_index).read == 0);
    CHECK(flip_everywhere(index, read_index).refused > 0);
}

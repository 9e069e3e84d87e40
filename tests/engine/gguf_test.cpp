// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/gguf.hpp>

#include "support/damage.hpp"
#include "support/refusal.hpp"
#include "support/samples.hpp"

using namespace netra;
using namespace netra::test;

namespace {

void check_file_refused(const gguf_writer& file, std::initializer_list<std::string_view> parts) {
    const blob content = file.content();
    check_refused([&] { parse_gguf(content, "f.gguf"); }, parts);
}

/// One tensor called t of 32 f32 values unless told otherwise.
gguf_writer with_tensor(u32_t type, const std::vector<u64_t>& dims, u64_t offset = 0, usz data_bytes = 128) {
    return gguf_writer().raw_tensor("t", type, dims, offset, blob(data_bytes));
}

std::vector<float> all_of(const tensor& t) {
    std::vector<float> out(t.elements());
    dequantize(t, 0, out);
    return out;
}

blob patched(const gguf_writer& file, usz at, u64_t value) {
    blob content = file.content();
    std::memcpy(content.data() + at, &value, sizeof value);
    return content;
}

}  // namespace

TEST_CASE("tensors of every format come back, outermost dimension first") {
    const blob content = gguf_of_tensors().content();
    const gguf_file file = parse_gguf(content, "f.gguf");
    CHECK(file.metadata.string("general.architecture") == "llama");
    REQUIRE(file.weights.size() == 6);
    CHECK(file.weights.at("t.f32").shape == std::vector<u64_t>{3});
    CHECK(file.weights.at("t.f16").shape == std::vector<u64_t>{2, 5});
    CHECK(file.weights.at("t.bf16").shape == std::vector<u64_t>{2, 3, 2});
    CHECK(file.weights.at("t.q8_0").format == q8_0);
    CHECK(file.weights.at("t.q4_0").format == q4_0);
    CHECK(file.weights.at("t.q4_1").format == q4_1);
    CHECK(all_of(file.weights.at("t.f32")) == ramp(3));
    CHECK(all_of(file.weights.at("t.f16")) == ramp(10));
    CHECK(all_of(file.weights.at("t.bf16")) == ramp(12));
    for (const char* name : {"t.q8_0", "t.q4_0", "t.q4_1"}) {
        const tensor& t = file.weights.at(name);
        CHECK(t.bytes == bytes_of(t.format, 64));
        CHECK(t.offset % 32 == 0);
        CHECK(t.data == content.data() + t.offset);
        CHECK(t.file == "f.gguf");
        const blob stored(t.data, t.data + t.bytes);
        CHECK(stored == encode(t.format, ramp(64)));
    }
}

TEST_CASE("open_gguf maps a file, whose tensors and strings stay valid when it moves") {
    const temporary_directory directory;
    gguf_of_tensors().write(directory / "m.gguf");
    gguf_file opened = open_gguf(directory / "m.gguf");
    const gguf_file file = std::move(opened);
    CHECK(all_of(file.weights.at("t.bf16")) == ramp(12));
    CHECK(file.metadata.string("general.architecture") == "llama");
    CHECK(file.weights.source() == directory / "m.gguf");
    CHECK(file.weights.at("t.f32").file == directory / "m.gguf");
    write_file(directory / "short.gguf", "GGU");
    check_refused([&] { open_gguf(directory / "short.gguf"); }, {directory / "short.gguf", "the magic needs 4 bytes, the file has 3"});
    write_file(directory / "empty.gguf", "");
    check_refused([&] { open_gguf(directory / "empty.gguf"); }, {"the magic needs 4 bytes, the file has 0"});
    check_refused([&] { open_gguf(directory / "absent.gguf"); }, {"absent.gguf", "No such file"});
}

TEST_CASE("a file without tensors may end before the data begins") {
    const blob content = gguf_writer().key("k", 1U).content();
    const blob exact(content.begin(), content.begin() + 24 + 8 + 1 + 4 + 4);
    CHECK(parse_gguf(exact, "f.gguf").metadata.u64("k") == 1);
}

TEST_CASE("general.alignment places the data") {
    for (const u32_t alignment : {8U, 64U, 4096U}) {
        gguf_writer out;
        out.alignment = alignment;
        out.key("general.alignment", alignment).tensor("a", f32, {1}, ramp(1)).tensor("b", f32, {2}, ramp(2));
        const blob content = out.content();
        const gguf_file file = parse_gguf(content, "f.gguf");
        CHECK(all_of(file.weights.at("b")) == ramp(2));
        CHECK(file.weights.at("b").offset == file.weights.at("a").offset + std::max(alignment, 8U));
    }
    for (const u32_t alignment : {0U, 1U, 4U, 24U, 33U, 1U << 21}) {
        check_file_refused(gguf_writer().key("general.alignment", alignment),
                           {"f.gguf: key 'general.alignment' is " + std::to_string(alignment), "power of two", "(offset "});
    }
    check_file_refused(gguf_writer().key("general.alignment", "32"), {"the key 'general.alignment'", "is string"});
    gguf_writer coarse;
    coarse.key("general.alignment", 64U).raw_tensor("t", 0, {8}, 32, blob(96));
    check_file_refused(coarse, {"tensor 't', at offset 32 of the data, is not aligned to the file's 64 bytes"});
}

TEST_CASE("other files, versions and byte orders are refused") {
    gguf_writer out;
    check_refused([&] { parse_gguf(patched(out, 0, 0x0000000300554747U), "f"); }, {"f: not a GGUF file", "(offset 0)"});
    for (const u32_t version : {0U, 1U, 2U, 4U}) {
        out.version = version;
        check_file_refused(out, {"f.gguf: GGUF version " + std::to_string(version), "version 3", "(offset 4)"});
    }
    out.version = 0x03000000;
    check_file_refused(out, {"f.gguf: a big-endian GGUF file", "(offset 4)"});
    check_file_refused(gguf_writer().key("split.count", u16_t{3}), {"f.gguf: one part of a model split into 3", "merge"});
    CHECK(parse_gguf(gguf_writer().key("split.count", u16_t{1}).content(), "f").weights.size() == 0);
}

TEST_CASE("counts beyond what the file can hold are refused before anything is allocated") {
    const gguf_writer one = gguf_of_tensors();
    check_refused([&] { parse_gguf(patched(one, 8, ~u64_t{0}), "f"); }, {"f: the number of tensors is 18446744073709551615", "(offset 8)"});
    check_refused([&] { parse_gguf(patched(one, 8, 200), "f"); }, {"f: the number of tensors is 200"});
    check_refused([&] { parse_gguf(patched(one, 16, u64_t{1} << 60), "f"); }, {"f: the number of keys is 11529215046", "(offset 16)"});
    check_refused([&] { parse_gguf(patched(one, 24, u64_t{1} << 60), "f"); }, {"f: a key needs 1152921504606846976 bytes", "(offset 32)"});
}

TEST_CASE("ranks, dimensions and their products are bounded") {
    check_file_refused(with_tensor(0, {}), {"f.gguf: tensor 't' has 0 dimensions; 1 to 4 are possible", "(offset 33)"});
    check_file_refused(with_tensor(0, {1, 1, 1, 1, 1}), {"tensor 't' has 5 dimensions"});
    check_file_refused(with_tensor(0, {8, 0}), {"tensor 't' has a dimension of 0", "(offset 37)"});
    check_file_refused(with_tensor(0, {u64_t{1} << 32, u64_t{1} << 32}), {"tensor 't' has dimensions whose product exceeds 2^60"});
    check_file_refused(with_tensor(0, {u64_t{1} << 62}), {"tensor 't' has dimensions whose product exceeds 2^60"});
    check_file_refused(with_tensor(0, {u64_t{1} << 60}), {"tensor 't'", "needs 4611686018427387904 bytes, the data has 128"});
    const blob four = with_tensor(0, {8, 2, 2, 1}).content();
    CHECK(parse_gguf(four, "f").weights.at("t").shape == std::vector<u64_t>{1, 2, 2, 8});
}

TEST_CASE("tensors must lie in the file, aligned, apart from each other") {
    check_file_refused(with_tensor(0, {32}, 32),
                       {"f.gguf: tensor 't', at offset 32 of the data, needs 128 bytes, the data has 128", "damaged or incomplete"});
    check_file_refused(with_tensor(0, {32}, 0, 127), {"needs 128 bytes, the data has 127"});
    check_file_refused(with_tensor(0, {8}, ~u64_t{0} - 31), {"at offset 18446744073709551584 of the data, needs 32 bytes"});
    check_file_refused(with_tensor(0, {8}, 4), {"at offset 4 of the data, is not aligned to the file's 32 bytes"});
    gguf_writer sharing = with_tensor(0, {16});
    sharing.raw_tensor("u", 0, {8}, 32, {});
    check_file_refused(sharing, {"f.gguf: tensors 't' and 'u' share bytes", "(offset "});
    gguf_writer apart = with_tensor(0, {8}, 32);
    apart.raw_tensor("u", 0, {8}, 0, {});
    const blob content = apart.content();
    CHECK(parse_gguf(content, "f").weights.at("t").offset == parse_gguf(content, "f").weights.at("u").offset + 32);
}

TEST_CASE("tensors must have a name of their own") {
    gguf_writer twice = with_tensor(0, {8}, 0, 32);
    twice.raw_tensor("t", 0, {8}, 32, blob(32));
    check_file_refused(twice, {"f.gguf: tensor 't' (f32 [8] at offset", "same name"});
    check_file_refused(gguf_writer().raw_tensor("", 0, {8}, 0, blob(32)), {"f.gguf: a tensor without a name", "(offset 24)"});
}

TEST_CASE("rows of block formats must be whole blocks") {
    check_file_refused(with_tensor(8, {33, 32}), {"tensor 't' has rows of 33 elements; Q8_0 needs a multiple of 32"});
    check_file_refused(with_tensor(2, {16, 2}), {"tensor 't' has rows of 16 elements; Q4_0 needs"});
    check_file_refused(with_tensor(3, {1, 32}), {"tensor 't' has rows of 1 elements; Q4_1 needs"});
}

TEST_CASE("tensor types that netra does not read are refused by their name") {
    const std::vector<std::pair<u32_t, std::string>> others{
        {4, "Q4_2"},     {5, "Q4_3"},        {6, "Q5_0"},        {7, "Q5_1"},        {9, "Q8_1"},      {10, "Q2_K"},      {11, "Q3_K"},
        {12, "Q4_K"},    {13, "Q5_K"},       {14, "Q6_K"},       {15, "Q8_K"},       {16, "IQ2_XXS"},  {17, "IQ2_XS"},    {18, "IQ3_XXS"},
        {19, "IQ1_S"},   {20, "IQ4_NL"},     {21, "IQ3_S"},      {22, "IQ2_S"},      {23, "IQ4_XS"},   {24, "I8"},        {25, "I16"},
        {26, "I32"},     {27, "I64"},        {28, "F64"},        {29, "IQ1_M"},      {31, "Q4_0_4_4"}, {32, "Q4_0_4_8"},  {33, "Q4_0_8_8"},
        {34, "TQ1_0"},   {35, "TQ2_0"},      {36, "IQ4_NL_4_4"}, {37, "IQ4_NL_4_8"}, {38, "IQ4_NL_8_8"}, {39, "MXFP4"},   {40, "NVFP4"},
        {41, "Q1_0"}};
    for (const auto& [id, name] : others) {
        check_file_refused(with_tensor(id, {32}),
                           {"f.gguf: tensor 't' has the type " + name + ", which netra does not read", "(offset 45)"});
    }
    check_file_refused(with_tensor(42, {32}), {"tensor 't' has the type 42, which ggml does not define"});
    check_file_refused(with_tensor(0xffffffffU, {32}), {"tensor 't' has the type 4294967295, which ggml does not define"});
}

TEST_CASE("unprintable names are escaped in messages") {
    check_file_refused(gguf_writer().raw_tensor("\x1b[2J", 99, {8}, 0, {}), {"tensor '\\x1b[2J' has the type 99"});
}

TEST_CASE("truncated and damaged GGUF files are refused or read, and never read beyond their end") {
    const blob content = gguf_of_tensors().content();
    const auto read = [](const blob& b) {
        const gguf_file file = parse_gguf(b, "f.gguf");
        read_all(file.metadata);
        read_all(file.weights.tensors());
    };
    CHECK(truncate_everywhere(content, read).read == 0);
    const auto flipped = flip_everywhere(content, read);
    CHECK(flipped.refused > 0);
    CHECK(flipped.read > 0);
}

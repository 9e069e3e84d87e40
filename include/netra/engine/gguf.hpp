// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// GGUF files, version 3, little-endian: metadata by key and tensors by name, every byte checked against the file's end.
#pragma once

#include <netra/engine/gguf_metadata.hpp>

namespace netra::inline v0 {

/// An open GGUF file.
struct gguf_file {
    gguf_metadata metadata;
    weight_files weights;
};

namespace detail {

struct ggml_type {
    const char* name = nullptr;
    std::optional<weight_format> format;
};

/// What ggml calls the tensor type `id`, and netra's format for it, where it has one.
inline ggml_type ggml_type_of(u32_t id) {
    constexpr const char* names[] = {
        "F32",     "F16",   "Q4_0",       "Q4_1",       "Q4_2",       "Q4_3",    "Q5_0",    "Q5_1",     "Q8_0",     "Q8_1",     "Q2_K",
        "Q3_K",    "Q4_K",  "Q5_K",       "Q6_K",       "Q8_K",       "IQ2_XXS", "IQ2_XS",  "IQ3_XXS",  "IQ1_S",    "IQ4_NL",   "IQ3_S",
        "IQ2_S",   "IQ4_XS", "I8",        "I16",        "I32",        "I64",     "F64",     "IQ1_M",    "BF16",     "Q4_0_4_4", "Q4_0_4_8",
        "Q4_0_8_8", "TQ1_0", "TQ2_0",     "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4", "NVFP4",   "Q1_0"};
    if (id >= std::size(names)) return {};
    switch (id) {
        case 0: return {names[id], weight_format{f32}};
        case 1: return {names[id], weight_format{f16}};
        case 2: return {names[id], q4_0};
        case 3: return {names[id], q4_1};
        case 8: return {names[id], q8_0};
        case 30: return {names[id], weight_format{bf16}};
        default: return {names[id], {}};
    }
}

/// A tensor's description; its offset is still relative to the data.
inline tensor gguf_tensor(gguf_cursor& in, std::string_view file) {
    constexpr u32_t most_dimensions = 4;
    tensor t;
    u64_t from = in.at();
    t.name = in.string("a tensor's name");
    const std::string what = "tensor " + in_quotes(t.name);
    if (t.name.empty()) in.refuse(from, "a tensor without a name");
    from = in.at();
    const u32_t rank = in.number<u32_t>(what);
    if (rank == 0 || rank > most_dimensions) {
        in.refuse(from, said("{} has {} dimensions; 1 to {} are possible", {what, rank, most_dimensions}));
    }
    from = in.at();
    for (u32_t i = 0; i < rank; ++i) t.shape.insert(t.shape.begin(), in.number<u64_t>(what));
    u64_t elements = 0;
    if (!element_count(t.shape, elements)) in.refuse(from, what + " has dimensions whose product exceeds 2^60");
    if (elements == 0) in.refuse(from, what + " has a dimension of 0; it holds nothing");
    from = in.at();
    const u32_t id = in.number<u32_t>(what);
    const ggml_type type = ggml_type_of(id);
    if (type.name == nullptr) in.refuse(from, said("{} has the type {}, which ggml does not define", {what, id}));
    if (!type.format) {
        constexpr const char* advice = "which netra does not read; convert it to F32, F16, BF16, Q8_0, Q4_0 or Q4_1";
        in.refuse(from, said("{} has the type {}, {}", {what, type.name, advice}));
    }
    t.format = *type.format;
    if (const u32_t block = block_elements(t.format); t.shape.back() % block != 0) {
        in.refuse(from, said("{} has rows of {} elements; {} needs a multiple of {}", {what, t.shape.back(), type.name, block}));
    }
    t.bytes = bytes_of(t.format, elements);
    t.offset = in.number<u64_t>(what);
    t.file = file;
    return t;
}

/// Places tensors in the data that starts at `start`, and refuses what does not fit.
inline void place_gguf_tensors(std::vector<tensor>& tensors, const gguf_cursor& in, u64_t alignment) {
    const std::span<const std::byte> bytes = in.bytes();
    const u64_t start = (in.at() + alignment - 1) / alignment * alignment;
    const u64_t room = start > bytes.size() ? 0 : bytes.size() - start;
    for (tensor& t : tensors) {
        const std::string what = said("tensor {}, at offset {} of the data,", {in_quotes(t.name), t.offset});
        if (t.offset % alignment != 0) in.refuse(start, said("{} is not aligned to the file's {} bytes", {what, alignment}));
        if (t.offset > room || t.bytes > room - t.offset) {
            in.refuse(start, said("{} needs {} bytes, the data has {}: the file is damaged or incomplete", {what, t.bytes, room}));
        }
        t.offset += start;
        t.data = bytes.data() + t.offset;
    }
    std::vector<const tensor*> by_offset;
    for (const tensor& t : tensors) by_offset.push_back(&t);
    std::sort(by_offset.begin(), by_offset.end(), [](const tensor* a, const tensor* b) { return a->offset < b->offset; });
    for (usz i = 1; i < by_offset.size(); ++i) {
        const tensor& a = *by_offset[i - 1];
        const tensor& b = *by_offset[i];
        if (b.offset - a.offset < a.bytes) {
            in.refuse(b.offset, said("tensors {} and {} share bytes", {in_quotes(a.name), in_quotes(b.name)}));
        }
    }
}

}  // namespace detail

/// Reads a GGUF file that is in memory; `bytes` must outlive the result, `file` is its name in messages.
inline gguf_file parse_gguf(std::span<const std::byte> bytes, const std::string& file) {
    detail::gguf_cursor in(bytes, file);
    gguf_file out{gguf_metadata(file), {}};
    if (in.number<u32_t>("the magic") != 0x46554747U) in.refuse(0, "not a GGUF file: it does not begin with 'GGUF'");
    const u32_t version = in.number<u32_t>("the version");
    if (version != 3 && version != 0 && (version & 0xffffU) == 0) in.refuse(4, "a big-endian GGUF file; convert it to little-endian");
    if (version != 3) in.refuse(4, said("GGUF version {}; netra reads version 3, so convert the model again", {version}));
    const u64_t tensor_count = in.count(1, "the number of tensors");
    const u64_t key_count = in.count(14, "the number of keys");

    for (u64_t i = 0; i < key_count; ++i) {
        const u64_t from = in.at();
        const std::string_view key = in.string("a key");
        const std::string what = "key " + detail::in_quotes(key);
        if (key.empty()) in.refuse(from, "a key without a name");
        const gguf_type type = in.type(what);
        if (!out.metadata.add(key, in.value(type, what))) in.refuse(from, what + " occurs twice");
    }
    if (const u64_t parts = out.metadata.u64_or("split.count", 1); parts > 1) {
        const u64_t at = out.metadata.find("split.count")->offset;
        in.refuse(at, said("one part of a model split into {}; merge the parts into one file", {parts}));
    }
    const u64_t alignment = out.metadata.u64_or("general.alignment", 32);
    if (!std::has_single_bit(alignment) || alignment < 8 || alignment > (1U << 20)) {
        in.refuse(out.metadata.find("general.alignment")->offset,
                  said("key 'general.alignment' is {}; a power of two from 8 to 1048576 is expected", {alignment}));
    }

    constexpr u64_t least_description = 8 + 1 + 4 + 8 + 4 + 8;
    if (tensor_count > in.left() / least_description) {
        constexpr const char* why = "more than the bytes behind the keys can describe";
        in.refuse(8, said("the number of tensors is {}, {} ({})", {tensor_count, why, in.left()}));
    }
    std::vector<tensor> tensors;
    tensors.reserve(tensor_count);
    for (u64_t i = 0; i < tensor_count; ++i) tensors.push_back(detail::gguf_tensor(in, file));
    detail::place_gguf_tensors(tensors, in, alignment);
    for (tensor& t : tensors) out.weights.add(std::move(t));
    return out;
}

/// Maps and reads the GGUF file at `path`; strings, arrays and tensors stay valid as long as the result's `weights`.
inline gguf_file open_gguf(const std::string& path) {
    mapped_file file(path);
    gguf_file out = parse_gguf(file.bytes(), path);
    out.weights.hold(std::move(file));
    return out;
}

}  // namespace netra::inline v0

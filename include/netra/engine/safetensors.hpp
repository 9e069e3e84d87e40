// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// safetensors files, single and sharded: a header that must describe every byte of the data exactly once.
#pragma once

#include <netra/engine/tensor.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <set>

namespace netra::inline v0 {

namespace detail {

inline constexpr u64_t longest_safetensors_json = 100'000'000;

/// Events of nlohmann's parser, all refused; a derived class hides those that it takes.
class json_refuser {
  public:
    explicit json_refuser(std::string_view file) : file_(file) {}

    bool null() { unexpected("null"); }
    bool boolean(bool) { unexpected("a boolean"); }
    bool number_integer(nlohmann::json::number_integer_t n) { unexpected(fmt::format("the number {}", n)); }
    bool number_unsigned(nlohmann::json::number_unsigned_t n) { unexpected(fmt::format("the number {}", n)); }
    bool number_float(nlohmann::json::number_float_t, const std::string& digits) { unexpected("the number " + in_quotes(digits)); }
    bool string(std::string& s) { unexpected("the string " + in_quotes(s)); }
    bool binary(nlohmann::json::binary_t&) { unexpected("binary data"); }
    bool start_object(usz) { unexpected("an object"); }
    bool end_object() { unexpected("the end of an object"); }
    bool start_array(usz) { unexpected("an array"); }
    bool end_array() { unexpected("the end of an array"); }
    bool key(std::string& k) { unexpected("the key " + in_quotes(k)); }
    bool parse_error(usz position, const std::string&, const nlohmann::json::exception&) {
        refuse(fmt::format("not valid JSON at byte {} of it: the file is damaged or no safetensors file", position));
    }

  protected:
    [[noreturn]] void refuse(const std::string& what) const { throw model_error(fmt::format("{}: the header is {}", file_, what)); }
    [[noreturn]] void unexpected(const std::string& what) const {
        throw model_error(fmt::format("{}: {} in {}, where {} is expected", file_, what, where(), wanted_));
    }
    /// Now inside `scope` (of what is called `name`), and only `wanted` will do.
    bool expect(const char* scope, const char* wanted) {
        scope_ = scope;
        wanted_ = wanted;
        return true;
    }
    std::string where() const { return name_.empty() ? scope_ : fmt::format("{} {}", scope_, in_quotes(name_)); }

    std::string_view file_;
    std::string name_;

  private:
    const char* scope_ = "the header";
    const char* wanted_ = "an object";
};

struct safetensors_entry {
    std::string name;
    std::string dtype;
    std::optional<std::vector<u64_t>> shape;
    std::optional<std::vector<u64_t>> data_offsets;
};

class safetensors_header : public json_refuser {
  public:
    using json_refuser::json_refuser;
    std::vector<safetensors_entry> entries;

    bool key(std::string& k) {
        if (at_ == state::header) {
            if (!names_.insert(k).second) refuse("ambiguous: it has the key " + in_quotes(k) + " twice");
            name_ = k;
            if (k == "__metadata__") return go(state::metadata_object, "the entry", "an object of strings");
            entries.push_back({k, {}, {}, {}});
            return go(state::tensor_object, "tensor", "an object with dtype, shape and data_offsets");
        }
        if (at_ == state::metadata) {
            if (!metadata_keys_.insert(k).second) refuse("ambiguous: '__metadata__' has the key " + in_quotes(k) + " twice");
            return go(state::metadata_value, "the entry", "a string");
        }
        if (at_ != state::tensor) json_refuser::key(k);
        const safetensors_entry& e = entries.back();
        if ((k == "dtype" && !e.dtype.empty()) || (k == "shape" && e.shape) || (k == "data_offsets" && e.data_offsets)) {
            refuse(fmt::format("ambiguous: tensor {} has {} twice", in_quotes(name_), k));
        }
        if (k == "dtype") return go(state::dtype, "the dtype of tensor", "a string");
        if (k == "shape") return go(state::shape_array, "the shape of tensor", "an array of counts");
        if (k == "data_offsets") return go(state::offsets_array, "the data_offsets of tensor", "an array of two offsets");
        json_refuser::key(k);
        return false;
    }
    bool string(std::string& s) {
        if (at_ == state::metadata_value) return go(state::metadata, "the entry", "a key or the end");
        if (at_ != state::dtype || s.empty()) json_refuser::string(s);
        entries.back().dtype = s;
        return in_tensor();
    }
    bool number_unsigned(nlohmann::json::number_unsigned_t n) {
        constexpr usz most_dimensions = 8;
        safetensors_entry* e = entries.empty() ? nullptr : &entries.back();
        if (at_ == state::shape && e->shape->size() < most_dimensions) {
            e->shape->push_back(n);
        } else if (at_ == state::offsets && e->data_offsets->size() < 2) {
            e->data_offsets->push_back(n);
        } else {
            json_refuser::number_unsigned(n);
        }
        return true;
    }
    bool start_object(usz n) {
        if (at_ == state::start) return in_header();
        if (at_ == state::tensor_object) return in_tensor();
        if (at_ != state::metadata_object) json_refuser::start_object(n);
        return go(state::metadata, "the entry", "a key or the end");
    }
    bool end_object() {
        if (at_ == state::header) return go(state::end, "the header", "its end");
        if (at_ != state::tensor && at_ != state::metadata) json_refuser::end_object();
        return in_header();
    }
    bool start_array(usz n) {
        if (at_ == state::shape_array) {
            entries.back().shape.emplace();
            return go(state::shape, "the shape of tensor", "one of at most 8 counts");
        }
        if (at_ != state::offsets_array) json_refuser::start_array(n);
        entries.back().data_offsets.emplace();
        return go(state::offsets, "the data_offsets of tensor", "one of two offsets");
    }
    bool end_array() {
        if (at_ != state::shape && at_ != state::offsets) json_refuser::end_array();
        return in_tensor();
    }

  private:
    enum class state : u8_t {
        start, header, tensor_object, tensor, dtype, shape_array, shape, offsets_array, offsets,
        metadata_object, metadata, metadata_value, end
    };
    bool go(state next, const char* scope, const char* wanted) {
        at_ = next;
        return expect(scope, wanted);
    }
    bool in_header() {
        name_.clear();
        return go(state::header, "the header", "a tensor's name or the end");
    }
    bool in_tensor() { return go(state::tensor, "tensor", "dtype, shape, data_offsets or the end"); }

    state at_ = state::start;
    std::set<std::string> names_;
    std::set<std::string> metadata_keys_;
};

/// The weight_map of an index; anything else in it is skipped.
class safetensors_index : public json_refuser {
  public:
    using json_refuser::json_refuser;
    std::map<std::string, std::string, std::less<>> file_of;  ///< by tensor name

    bool null() { return value() || json_refuser::null(); }
    bool boolean(bool b) { return value() || json_refuser::boolean(b); }
    bool number_integer(nlohmann::json::number_integer_t n) { return value() || json_refuser::number_integer(n); }
    bool number_unsigned(nlohmann::json::number_unsigned_t n) { return value() || json_refuser::number_unsigned(n); }
    bool number_float(nlohmann::json::number_float_t x, const std::string& digits) {
        return value() || json_refuser::number_float(x, digits);
    }
    bool string(std::string& s) {
        if (!in_map_) return value() || json_refuser::string(s);
        if (!file_of.emplace(name_, s).second) refuse("ambiguous: its weight_map has the tensor " + in_quotes(name_) + " twice");
        return expect("the weight_map", "a tensor's name or the end");
    }
    bool key(std::string& k) {
        if (depth_ > 1 && !in_map_) return true;
        if (depth_ == 1 && !keys_.insert(k).second) refuse("ambiguous: it has the key " + in_quotes(k) + " twice");
        name_ = k;
        return depth_ == 1 ? expect("the key", "its value") : expect("the weight_map's tensor", "a file name");
    }
    bool start_object(usz n) {
        if (in_map_) json_refuser::start_object(n);
        in_map_ = at_map();
        return deeper();
    }
    bool start_array(usz n) {
        if (in_map_ || depth_ == 0 || at_map()) json_refuser::start_array(n);
        return deeper();
    }
    bool end_object() {
        in_map_ = false;
        --depth_;
        return true;
    }
    bool end_array() {
        --depth_;
        return true;
    }

  private:
    bool at_map() const { return depth_ == 1 && name_ == "weight_map"; }
    bool value() const { return depth_ > 0 && !in_map_ && !at_map(); }
    bool deeper() {
        constexpr int deepest = 16;
        if (depth_ == deepest) refuse(fmt::format("nested deeper than {} levels", deepest));
        ++depth_;
        return true;
    }

    int depth_ = 0;
    bool in_map_ = false;
    std::set<std::string> keys_;
};

/// Feeds JSON text to `events`; refuses what nlohmann's parser would let pass: a byte-order mark, and text behind a zero byte.
template <class Events>
void read_strict_json(std::span<const std::byte> bytes, const std::string& file, Events& events) {
    if (bytes.empty() || bytes[0] != std::byte{'{'}) throw model_error(file + ": its JSON does not begin with '{': no safetensors file");
    const auto* text = reinterpret_cast<const char*>(bytes.data());  // NOLINT: bytes are characters
    if (std::memchr(text, 0, bytes.size()) != nullptr) throw model_error(file + ": its JSON has a zero byte in it: the file is damaged");
    nlohmann::json::sax_parse(text, text + bytes.size(), &events);
}

inline tensor safetensors_tensor(const safetensors_entry& e, std::span<const std::byte> bytes, u64_t start, const std::string& file) {
    const auto refuse = [&](u64_t offset, const std::string& what) {
        throw model_error(fmt::format("{}: tensor {} {} (offset {})", file, in_quotes(e.name), what, offset));
    };
    if (e.name.empty()) refuse(start, "has no name");
    if (e.dtype.empty() || !e.shape || !e.data_offsets || e.data_offsets->size() != 2) {
        refuse(start, "lacks a dtype, a shape or two data_offsets");
    }
    const u64_t begin = (*e.data_offsets)[0];
    const u64_t end = (*e.data_offsets)[1];
    const u64_t room = bytes.size() - start;
    if (begin > end || end > room) {
        constexpr const char* cause = "the file is damaged or incomplete";
        refuse(start, fmt::format("has the data_offsets {} to {}, but the data has {} bytes: {}", begin, end, room, cause));
    }
    tensor t{e.name, {}, *e.shape, bytes.data() + start + begin, end - begin, start + begin, file};
    if (e.dtype == "F32") {
        t.format = f32;
    } else if (e.dtype == "F16") {
        t.format = f16;
    } else if (e.dtype == "BF16") {
        t.format = bf16;
    } else {
        refuse(t.offset, fmt::format("has the dtype {}, which netra does not read; store it as F32, F16 or BF16", in_quotes(e.dtype)));
    }
    u64_t elements = 0;
    if (!element_count(t.shape, elements)) refuse(t.offset, "has a shape whose product exceeds 2^60");
    if (elements == 0) refuse(t.offset, "has a dimension of 0; it holds nothing");
    if (bytes_of(t.format, elements) != t.bytes) {
        refuse(t.offset, fmt::format("has {} bytes, but its shape and dtype {} make {}", t.bytes, e.dtype, bytes_of(t.format, elements)));
    }
    return t;
}

}  // namespace detail

/// The tensors of a safetensors file that is in memory, by offset; `bytes` must outlive them, `file` is its name in messages.
inline std::vector<tensor> parse_safetensors(std::span<const std::byte> bytes, const std::string& file) {
    constexpr u64_t prefix = sizeof(u64_t);
    if (bytes.size() < prefix) throw model_error(fmt::format("{}: only {} bytes: no safetensors file", file, bytes.size()));
    const u64_t length = detail::load<u64_t>(bytes.data());
    if (length > detail::longest_safetensors_json || length > bytes.size() - prefix) {
        constexpr const char* cause = "the file is damaged, incomplete or no safetensors file";
        throw model_error(fmt::format("{}: a header of {} bytes in a file of {}, at most {} is possible: {} (offset 0)", file, length,
                                      bytes.size(), detail::longest_safetensors_json, cause));
    }
    detail::safetensors_header header(file);
    detail::read_strict_json(bytes.subspan(prefix, length), file, header);

    const u64_t start = prefix + length;
    std::vector<tensor> tensors;
    tensors.reserve(header.entries.size());
    for (const auto& e : header.entries) tensors.push_back(detail::safetensors_tensor(e, bytes, start, file));
    std::sort(tensors.begin(), tensors.end(), [](const tensor& a, const tensor& b) { return a.offset < b.offset; });
    u64_t end = start;
    for (const tensor& t : tensors) {
        if (t.offset < end) throw model_error(fmt::format("{} overlaps the tensor before it, which ends at offset {}", describe(t), end));
        if (t.offset > end) throw model_error(fmt::format("{}: the bytes from offset {} up to it belong to no tensor", describe(t), end));
        end += t.bytes;
    }
    if (end != bytes.size()) {
        throw model_error(fmt::format("{}: the {} bytes from offset {} on belong to no tensor", file, bytes.size() - end, end));
    }
    return tensors;
}

/// The file of each tensor, by name, as a model.safetensors.index.json has it; every file is a plain name.
inline auto parse_safetensors_index(std::span<const std::byte> bytes, const std::string& file) {
    if (bytes.size() > detail::longest_safetensors_json) {
        throw model_error(fmt::format("{}: {} bytes are too long for an index; at most 100 MB", file, bytes.size()));
    }
    detail::safetensors_index index(file);
    detail::read_strict_json(bytes, file, index);
    if (index.file_of.empty()) throw model_error(file + ": no tensor in its weight_map; it must name the file of each tensor");
    constexpr std::string_view suffix = ".safetensors";
    constexpr std::string_view separators("/\\\0", 3);
    for (const auto& [name, shard] : index.file_of) {
        if (shard.find_first_of(separators) != std::string::npos || !shard.ends_with(suffix) || shard.size() == suffix.size()) {
            throw model_error(fmt::format("{}: the file of tensor {} is {}; a plain file name that ends in {} is expected", file,
                                          detail::in_quotes(name), detail::in_quotes(shard), suffix));
        }
    }
    return std::move(index.file_of);
}

/// Maps and reads a checkpoint: a .safetensors file, an index (.json) with the shards beside it, or a directory with model.safetensors or
/// model.safetensors.index.json.
inline weight_files open_safetensors(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::path file = path;
    if (fs::is_directory(file, ignored)) {
        file /= "model.safetensors";
        if (!fs::exists(file, ignored)) file += ".index.json";
        if (!fs::exists(file, ignored)) {
            throw model_error(path + ": the directory has neither model.safetensors nor model.safetensors.index.json");
        }
    }
    weight_files out;
    if (file.extension() != ".json") {
        const mapped_file& held = out.hold(mapped_file(file.string()));
        for (tensor& t : parse_safetensors(held.bytes(), held.path())) out.add(std::move(t));
        return out;
    }
    const mapped_file index(file.string());
    const auto file_of = parse_safetensors_index(index.bytes(), index.path());
    std::set<std::string> shards;
    for (const auto& [name, shard] : file_of) shards.insert(shard);
    for (const std::string& shard : shards) {
        const mapped_file& held = out.hold(mapped_file((file.parent_path() / shard).string()));
        for (tensor& t : parse_safetensors(held.bytes(), held.path())) {
            const auto at = file_of.find(t.name);
            if (at == file_of.end()) {
                throw model_error(fmt::format("{} is not in the weight_map of {}", describe(t), index.path()));
            }
            if (at->second != shard) {
                throw model_error(fmt::format("{} is in {} by the weight_map of {}", describe(t), at->second, index.path()));
            }
            out.add(std::move(t));
        }
    }
    for (const auto& [name, shard] : file_of) {
        if (out.find(name) == nullptr) {
            const std::string sought = detail::in_quotes(name);
            throw model_error(fmt::format("{}: tensor {} is not in {}, where the weight_map has it", index.path(), sought, shard));
        }
    }
    return out;
}

}  // namespace netra::inline v0

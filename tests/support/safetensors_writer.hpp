// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Writes safetensors files, single and sharded.
#pragma once

#include "support/encode.hpp"

#include <utility>

namespace netra::test {

/// A safetensors file of any header, right or wrong.
inline blob safetensors_file(std::string_view header, const blob& data = {}) {
    blob out;
    put(out, static_cast<u64_t>(header.size()));
    put(out, header);
    put(out, data);
    return out;
}

/// Names of tensors, dtypes and metadata go into the header as they are: no character that JSON escapes.
class safetensors_writer {
  public:
    safetensors_writer& metadata(std::string_view key, std::string_view value) {
        metadata_ += (metadata_.empty() ? "\"" : ",\"") + std::string(key) + "\":\"" + std::string(value) + "\"";
        return *this;
    }
    safetensors_writer& tensor(std::string_view name, std::string_view dtype, const std::vector<u64_t>& shape, const blob& data) {
        std::string extents;
        for (const u64_t extent : shape) extents += (extents.empty() ? "" : ",") + std::to_string(extent);
        const std::string range = std::to_string(data_.size()) + "," + std::to_string(data_.size() + data.size());
        if (!entries_.empty()) entries_ += ",";
        entries_ += "\"" + std::string(name) + "\":{\"dtype\":\"" + std::string(dtype);
        entries_ += "\",\"shape\":[" + extents + "],\"data_offsets\":[" + range + "]}";
        names_.emplace_back(name);
        put(data_, data);
        return *this;
    }
    /// In f32, f16 or bf16.
    safetensors_writer& tensor(std::string_view name, const weight_format& format, const std::vector<u64_t>& shape,
                               std::span<const float> values) {
        const char* dtype = format == weight_format{f32} ? "F32" : format == weight_format{f16} ? "F16" : "BF16";
        return tensor(name, dtype, shape, encode(format, values));
    }

    const std::vector<std::string>& names() const { return names_; }

    blob content() const {
        std::string header = "{";
        if (!metadata_.empty()) header += "\"__metadata__\":{" + metadata_ + "}" + (entries_.empty() ? "" : ",");
        header += entries_ + "}";
        header.append((8 - header.size() % 8) % 8, ' ');
        return safetensors_file(header, data_);
    }
    void write(const std::string& path) const { write_file(path, content()); }

  private:
    std::string metadata_;
    std::string entries_;
    std::vector<std::string> names_;
    blob data_;
};

/// model-00001-of-0000N.safetensors.
inline std::string shard_name(usz index, usz count) {
    const auto five = [](usz n) {
        const std::string digits = std::to_string(n);
        return std::string(5 - digits.size(), '0') + digits;
    };
    return "model-" + five(index + 1) + "-of-" + five(count) + ".safetensors";
}

/// An index of tensor names and their files.
inline std::string safetensors_index(const std::vector<std::pair<std::string, std::string>>& file_of) {
    std::string map;
    for (const auto& [name, file] : file_of) map += (map.empty() ? "\"" : ",\"") + name + "\":\"" + file + "\"";
    return "{\"metadata\":{\"total_size\":1},\"weight_map\":{" + map + "}}";
}

/// The shards and model.safetensors.index.json into `directory`.
inline void write_sharded(const std::string& directory, const std::vector<safetensors_writer>& shards) {
    std::vector<std::pair<std::string, std::string>> file_of;
    for (usz i = 0; i < shards.size(); ++i) {
        const std::string file = shard_name(i, shards.size());
        shards[i].write(directory + "/" + file);
        for (const std::string& name : shards[i].names()) file_of.emplace_back(name, file);
    }
    write_file(directory + "/model.safetensors.index.json", safetensors_index(file_of));
}

}  // namespace netra::test

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Named tensors of weights files, the set of files that holds them, and their values in fp32.
#pragma once

#include <netra/contracts/quantization.hpp>
#include <netra/detail/bits.hpp>
#include <netra/engine/mapped_file.hpp>
#include <netra/engine/said.hpp>
#include <netra/engine/utf8.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

namespace netra::inline v0 {

namespace detail {

/// `name` in single quotes, fit for a terminal: what is not printable as \xNN, about 100 of its bytes at most.
inline std::string in_quotes(std::string_view name) {
    constexpr usz longest = 100;
    usz end = std::min(longest, name.size());
    while (end + 3 > longest && end < name.size() && (static_cast<u8_t>(name[end]) & 0xC0U) == 0x80) --end;  // no half character
    std::string shown;
    for (const char c : name.substr(0, end)) {
        if (c == '\\' || c == '\'')
            shown += c == '\\' ? "\\x5c" : "\\x27";
        else
            shown += c;
    }
    return said("'{}{}'", {utf8::printable(shown), end < name.size() ? "..." : ""});
}

/// A number or a struct without padding, at any address.
template <class T>
T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// The product of `shape`; false when it exceeds 2^60, so that bytes of any format still fit.
inline bool element_count(std::span<const u64_t> shape, u64_t& count) {
    constexpr u64_t most = u64_t{1} << 60;
    count = 1;
    for (const u64_t extent : shape) {
        if (extent != 0 && count > most / extent) return false;
        count *= extent;
    }
    return true;
}

}  // namespace detail

/// A tensor as a file stores it. `data` has no alignment beyond what the file gives it.
struct tensor {
    std::string name;
    weight_format format;
    std::vector<u64_t> shape;  ///< outermost first; the last one is contiguous
    const std::byte* data = nullptr;
    u64_t bytes = 0;
    u64_t offset = 0;  ///< of `data` in its file
    std::string file;

    u64_t elements() const {
        u64_t count = 1;
        for (const u64_t extent : shape) count *= extent;
        return count;
    }
};

/// As error messages name a tensor: file, name, format, shape and offset.
inline std::string describe(const tensor& t) {
    std::string shape;
    for (const u64_t extent : t.shape) shape += said("{}{}", {shape.empty() ? "" : " x ", extent});
    return said("{}: tensor {} ({} [{}] at offset {})", {t.file, detail::in_quotes(t.name), name_of(t.format), shape, t.offset});
}

/// The tensors of one checkpoint, by name, and the files that they lie in.
class weight_files {
  public:
    /// Keeps `file` mapped as long as this object lives; its tensors are added by `add`.
    const mapped_file& hold(mapped_file file) { return files_.emplace_back(std::move(file)); }

    /// Refuses a name that is already there.
    void add(tensor t) {
        const auto [at, fresh] = index_.emplace(t.name, tensors_.size());
        if (!fresh) {
            throw model_error(said("{}; the same name is at offset {} of {}: write each tensor once", {describe(t),
                                          tensors_[at->second].offset, tensors_[at->second].file}));
        }
        tensors_.push_back(std::move(t));
    }

    /// The tensor called `name`, or null.
    const tensor* find(std::string_view name) const {
        const auto at = index_.find(name);
        return at == index_.end() ? nullptr : &tensors_[at->second];
    }

    /// The tensor called `name`; refuses a checkpoint without it.
    const tensor& at(std::string_view name) const {
        if (const tensor* t = find(name)) return *t;
        const std::string sought = detail::in_quotes(name);
        throw model_error(said("{}: no tensor {} among its {} tensors; the model needs it", {source(), sought, size()}));
    }

    /// In the order of the files.
    std::span<const tensor> tensors() const { return tensors_; }
    std::span<const mapped_file> files() const { return files_; }
    usz size() const { return tensors_.size(); }

    void advise(file_advice what) const {
        for (const mapped_file& file : files_) file.advise(what);
    }

    /// The path of the file; of several, the first one's and how many follow it.
    std::string source() const {
        if (files_.size() > 1) return said("{} and {} more", {files_.front().path(), files_.size() - 1});
        if (!files_.empty()) return files_.front().path();
        return tensors_.empty() ? "weights" : tensors_.front().file;
    }

  private:
    std::vector<mapped_file> files_;
    std::vector<tensor> tensors_;
    std::map<std::string, usz, std::less<>> index_;
};

namespace detail {

// note: an fp16 scale times an integer of at most 8 bits is exact in fp32, so every formula below rounds at most once,
// whether or not the compiler contracts it to a fused multiply-add
inline void dequantize_q8_0(const std::byte* block, float* out) {
    const float d = f16_to_f32(load<u16_t>(block));
    for (usz i = 0; i < 32; ++i) out[i] = d * static_cast<float>(load<i8_t>(block + 2 + i));
}
inline void dequantize_q4_0(const std::byte* block, float* out) {
    const float d = f16_to_f32(load<u16_t>(block));
    for (usz i = 0; i < 16; ++i) {
        const int q = load<u8_t>(block + 2 + i);
        out[i] = d * static_cast<float>((q & 15) - 8);
        out[i + 16] = d * static_cast<float>((q >> 4) - 8);
    }
}
inline void dequantize_q4_1(const std::byte* block, float* out) {
    const float d = f16_to_f32(load<u16_t>(block));
    const float m = f16_to_f32(load<u16_t>(block + 2));
    for (usz i = 0; i < 16; ++i) {
        const int q = load<u8_t>(block + 4 + i);
        out[i] = d * static_cast<float>(q & 15) + m;
        out[i + 16] = d * static_cast<float>(q >> 4) + m;
    }
}

template <class Decode>
void dequantize_blocks(const tensor& t, u64_t first, std::span<float> out, Decode decode) {
    constexpr u64_t block = 32;
    const u64_t stride = block_bytes(t.format);
    while (!out.empty()) {
        const u64_t skip = first % block;
        const u64_t n = std::min<u64_t>(block - skip, out.size());
        const std::byte* at = t.data + first / block * stride;
        if (n == block) {
            decode(at, out.data());
        } else {
            float whole[block];
            decode(at, whole);
            std::copy_n(whole + skip, n, out.begin());
        }
        first += n;
        out = out.subspan(n);
    }
}

}  // namespace detail

/// Writes the fp32 values of elements first, first + 1, ... of `t`, counted over the whole tensor, to `out`.
inline void dequantize(const tensor& t, u64_t first, std::span<float> out) {
    const u64_t count = t.elements();
    if (first > count || out.size() > count - first) {
        throw model_error(said("{} has no elements {} to {}; ask for fewer", {describe(t), first, first + out.size()}));
    }
    if (t.format == weight_format{f32}) {
        if (!out.empty()) std::memcpy(out.data(), t.data + 4 * first, 4 * out.size());
    } else if (t.format == weight_format{f16}) {
        for (usz i = 0; i < out.size(); ++i) out[i] = f16_to_f32(detail::load<u16_t>(t.data + 2 * (first + i)));
    } else if (t.format == weight_format{bf16}) {
        for (usz i = 0; i < out.size(); ++i) out[i] = bf16_to_f32(detail::load<u16_t>(t.data + 2 * (first + i)));
    } else if (t.format == q8_0) {
        detail::dequantize_blocks(t, first, out, detail::dequantize_q8_0);
    } else if (t.format == q4_0) {
        detail::dequantize_blocks(t, first, out, detail::dequantize_q4_0);
    } else if (t.format == q4_1) {
        detail::dequantize_blocks(t, first, out, detail::dequantize_q4_1);
    } else {
        throw model_error(said("{} cannot be read as fp32; store it as f32, f16, bf16, q8_0, q4_0 or q4_1", {describe(t)}));
    }
}

}  // namespace netra::inline v0

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Reads everything that a weights file offers, and damages files in every way that is short to write.
#pragma once

#include <netra/engine/gguf.hpp>

#include "support/dice.hpp"
#include "support/files.hpp"

namespace netra::test {

/// Sums of all values, so that each byte is read (for sanitizers to see).
inline double read_all(std::span<const tensor> tensors) {
    double sum = 0;
    for (const tensor& t : tensors) {
        std::vector<float> values(t.elements());
        dequantize(t, 0, values);
        for (const float v : values) sum += static_cast<double>(v);
    }
    return sum;
}

/// The number of strings, numbers and arrays under all keys.
inline usz read_all(const gguf_metadata& metadata) {
    usz seen = 0;
    const auto visit = [&](const auto& self, const gguf_value& v) -> void {
        ++seen;
        for (const std::byte b : v.stored) seen += b == std::byte{0xff} ? 1U : 0U;
        if (v.type == gguf_type::array) {
            for (const gguf_value& item : metadata.items(v)) self(self, item);
        }
    };
    const auto attempt = [&](const auto& accessor) {
        try {
            accessor();
            ++seen;
        } catch (const model_error&) {  // another type than the key has
        }
    };
    for (const auto& [key, value] : metadata.values()) {
        visit(visit, value);
        attempt([&] { static_cast<void>(metadata.string(key)); });
        attempt([&] { static_cast<void>(metadata.boolean(key)); });
        attempt([&] { static_cast<void>(metadata.i64(key)); });
        attempt([&] { static_cast<void>(metadata.u64(key)); });
        attempt([&] { static_cast<void>(metadata.f64(key)); });
        attempt([&] { static_cast<void>(metadata.strings(key)); });
        attempt([&] { static_cast<void>(metadata.integers(key)); });
        attempt([&] { static_cast<void>(metadata.reals(key)); });
    }
    return seen;
}

/// How often a damaged file was refused, and how often it could still be read.
struct damage_result {
    usz refused = 0;
    usz read = 0;
};

template <class Read>
void try_damaged(const blob& damaged, Read read, damage_result& result) {
    const blob exact(damaged.begin(), damaged.end());  // no spare capacity: a byte too far is seen
    try {
        read(exact);
        ++result.read;
    } catch (const model_error&) {
        ++result.refused;
    }
}

/// `read` on the file cut short at every length.
template <class Read>
damage_result truncate_everywhere(const blob& whole, Read read) {
    damage_result result;
    for (usz n = 0; n < whole.size(); ++n) {
        try_damaged(blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)), read, result);
    }
    return result;
}

/// `read` on the file with each single bit flipped, and each byte set to 0, 1, 0x7f and 0xff; slow builds try three of these twelve on each
/// byte, the next byte's are others.
template <class Read>
damage_result flip_everywhere(const blob& whole, Read read) {
    constexpr unsigned replacements[] = {0U, 1U, 0x7fU, 0xffU};
    damage_result result;
    blob damaged = whole;
    for (usz i = 0; i < whole.size(); ++i) {
        for (usz way = 0; way < 12; ++way) {
            if (slow_build && (way + i) % 4 != 0) continue;
            damaged[i] = way < 8 ? whole[i] ^ static_cast<std::byte>(1U << way) : static_cast<std::byte>(replacements[way - 8]);
            try_damaged(damaged, read, result);
        }
        damaged[i] = whole[i];
    }
    return result;
}

}  // namespace netra::test

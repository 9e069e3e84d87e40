// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// SHA-256 (FIPS 180-4), in pieces of any size; the same class in constant evaluations and for large files.
#pragma once

#include <netra/detail/text.hpp>

namespace netra::inline v0 {

struct sha256_digest {
    u8_t d[32]{};
    friend constexpr bool operator==(const sha256_digest&, const sha256_digest&) = default;
};

constexpr text<64> hex_of(const sha256_digest& digest) {
    text<64> t;
    for (const u8_t b : digest.d) t.hex(b, 2);
    return t;
}

class sha256 {
public:
    /// @pre `Byte` has the size of a byte
    template <class Byte>
    constexpr void add(const Byte* data, usz n) {
        static_assert(sizeof(Byte) == 1);
        usz held = static_cast<usz>(total_ % block_bytes);
        total_ += n;
        if (held != 0) {
            while (held < block_bytes && n != 0) block_[held++] = static_cast<u8_t>(*data++), --n;
            if (held < block_bytes) return;
            compress(block_);
        }
        for (; n >= block_bytes; data += block_bytes, n -= block_bytes) compress(data);
        for (usz i = 0; i < n; ++i) block_[i] = static_cast<u8_t>(data[i]);
    }

    /// Of everything added so far; more may be added afterwards.
    constexpr sha256_digest digest() const {
        sha256 last = *this;
        u8_t padding[block_bytes + 8] = {0x80};
        const usz zeros_end = (block_bytes + 56 - static_cast<usz>(total_ % block_bytes) - 1) % block_bytes + 1;
        for (usz i = 0; i < 8; ++i) padding[zeros_end + i] = static_cast<u8_t>(8 * total_ >> (56 - 8 * i));
        last.add(padding, zeros_end + 8);
        sha256_digest out;
        for (usz i = 0; i < 32; ++i) out.d[i] = static_cast<u8_t>(last.state_[i / 4] >> (24 - 8 * (i % 4)));
        return out;
    }

private:
    static constexpr usz block_bytes = 64;
    static constexpr u32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
        0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
        0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
        0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
        0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
        0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

    static constexpr u32_t rotated(u32_t v, u32_t by) { return v >> by | v << (32 - by); }

    template <class Byte>
    constexpr void compress(const Byte* p) {
        u32_t w[64];
        for (usz i = 0; i < 16; ++i) {
            const u32_t bytes[4] = {static_cast<u8_t>(p[4 * i]), static_cast<u8_t>(p[4 * i + 1]), static_cast<u8_t>(p[4 * i + 2]),
                                    static_cast<u8_t>(p[4 * i + 3])};
            w[i] = bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
        }
        for (usz i = 16; i < 64; ++i) {
            const u32_t s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
            const u32_t s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        u32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3], e = state_[4], f = state_[5], g = state_[6], h = state_[7];
        for (usz i = 0; i < 64; ++i) {
            const u32_t t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
            const u32_t t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t1;
            d = c, c = b, b = a, a = t1 + t2;
        }
        state_[0] += a, state_[1] += b, state_[2] += c, state_[3] += d;
        state_[4] += e, state_[5] += f, state_[6] += g, state_[7] += h;
    }

    u32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    u8_t block_[block_bytes]{};
    u64_t total_ = 0;  ///< bytes added
};

/// The digest of `n` bytes.
template <class Byte>
constexpr sha256_digest sha256_of(const Byte* data, usz n) {
    sha256 hash;
    hash.add(data, n);
    return hash.digest();
}

}  // namespace netra::inline v0

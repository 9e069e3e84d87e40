// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// mma.sync and ldmatrix with the fragment layouts of the PTX manual. Products are exact; a sum of products and its addend is taken in fp64
/// and rounded once to fp32 (the hardware's order and rounding inside one mma are not specified).
#pragma once

#include "support/ptx/copies.hpp"

namespace netra::test::simt {

/// The elements of a multiplication m16 n8 k: A's registers hold rows g and g + 8 in turn, `per` elements of k from per * t, then the same
/// k / 2 further.
struct mma_shape {
    u32_t k = 16;
    u32_t per = 2;  ///< elements of a register
    u32_t bits = 16;
};

template <class Sum>
struct mma_tiles {
    std::array<std::array<Sum, 32>, 16> a{};
    std::array<std::array<Sum, 8>, 32> b{};
};

template <class Sum, class DecodeA, class DecodeB>
void gather_tiles(const warp& w, const instruction& i, u32_t lanes, const mma_shape& s, mma_tiles<Sum>& tiles, DecodeA decode_a,
                  DecodeB decode_b) {
    const u32_t halves = s.k / (4 * s.per);  // 1 or 2 along k
    const word mask = (word{1} << s.bits) - 1;
    lane_words v;
    for (u32_t r = 0; r < 2 * halves; ++r) {
        fetch(w, i, i.at(1, r), lanes, v);
        for (u32_t l = 0; l < 32; ++l)
            for (u32_t e = 0; e < s.per; ++e)
                tiles.a[l / 4 + 8 * (r % 2)][s.per * (l % 4) + e + 4 * s.per * (r / 2)] = decode_a((v[l] >> (s.bits * e)) & mask);
    }
    for (u32_t r = 0; r < halves; ++r) {
        fetch(w, i, i.at(2, r), lanes, v);
        for (u32_t l = 0; l < 32; ++l)
            for (u32_t e = 0; e < s.per; ++e) tiles.b[s.per * (l % 4) + e + 4 * s.per * r][l / 4] = decode_b((v[l] >> (s.bits * e)) & mask);
    }
}

/// Each sum over ascending k.
template <class Sum, class Finish>
void multiply(warp& w, const instruction& i, u32_t lanes, const mma_shape& s, const mma_tiles<Sum>& t, Finish finish) {
    std::array<std::array<Sum, 8>, 16> sums{};
    for (u32_t m = 0; m < 16; ++m)
        for (u32_t k = 0; k < s.k; ++k) {
            const Sum a = t.a[m][k];
            for (u32_t n = 0; n < 8; ++n) sums[m][n] += a * t.b[k][n];
        }
    lane_words c;
    for (u32_t r = 0; r < 4; ++r) {
        fetch(w, i, i.at(3, r), lanes, c);
        for (u32_t l = 0; l < 32; ++l) c[l] = finish(c[l], sums[l / 4 + 8 * (r / 2)][2 * (l % 4) + r % 2]);
        store(w, i.at(0, r), lanes, c);
    }
}

/// All values of a narrow format; null for other types.
template <const narrow_float& Format, usz Values>
const double* values_of() {
    static const std::vector<double> values = [] {
        std::vector<double> made(Values);
        for (usz k = 0; k < Values; ++k) made[k] = Format.decode(k);
        return made;
    }();
    return values.data();
}
inline const double* float_values(const std::string& type) {
    if (type == "bf16") return values_of<bfloat_format, 65536>();
    if (type == "f16") return values_of<half_format, 65536>();
    if (type == "e4m3") return values_of<e4m3_format, 256>();
    if (type == "e5m2") return values_of<e5m2_format, 256>();
    return nullptr;
}
inline mma_shape shape_of_mma(const instruction& i) {
    const bool narrow = i.parts[7] == "e4m3" || i.parts[7] == "e5m2" || i.parts[7] == "s8" || i.parts[7] == "u8";
    const u32_t k = static_cast<u32_t>(std::stoul(i.parts[3].substr(i.parts[3].rfind('k') + 1)));
    return {k, narrow ? 4U : 2U, narrow ? 8U : 16U};
}

inline void whole_warp_only(const warp& w, const instruction& i, u32_t lanes) {
    if (lanes != ~0U) fail(w, i, first_lane(~lanes), "needs all 32 lanes of the warp, and this one has left");
}

/// mma.sync.aligned.m16n8k*.row.col.f32.A.B.f32 and .s32.A.B.s32; `detail` is k.
inline void run_mma(warp& w, const instruction& i, u32_t lanes) {
    whole_warp_only(w, i, lanes);
    const bool narrow = i.bytes == 1;
    const mma_shape s{i.detail, narrow ? 4U : 2U, narrow ? 8U : 16U};
    if (i.parts[6] == "s32") {
        mma_tiles<i64_t> tiles;
        const auto integer = [](bool sign) {
            return [sign](word v) { return sign ? i64_t{static_cast<i8_t>(v)} : static_cast<i64_t>(v); };
        };
        gather_tiles(w, i, lanes, s, tiles, integer(i.parts[7] == "s8"), integer(i.parts[8] == "s8"));
        multiply(w, i, lanes, s, tiles,
                 [](word c, i64_t sum) { return static_cast<word>(static_cast<u32_t>(c + static_cast<word>(sum))); });
        return;
    }
    mma_tiles<double> tiles;
    if (i.parts[7] == "bf16") {
        const auto widen = [](word v) { return static_cast<double>(bfloat_to_float(v)); };
        gather_tiles(w, i, lanes, s, tiles, widen, widen);
    } else {
        const auto looked_up = [](const double* values) { return [values](word v) { return values[v]; }; };
        gather_tiles(w, i, lanes, s, tiles, looked_up(float_values(i.parts[7])), looked_up(float_values(i.parts[8])));
    }
    multiply(w, i, lanes, s, tiles,
             [](word c, double sum) { return to_word(static_cast<float>(static_cast<double>(from_word<float>(c)) + sum)); });
}

/// ldmatrix: lane 8 m + r holds the address of row r of matrix m; lane l gets elements 2 (l % 4) and the next of row l / 4, or transposed.
inline void run_ldmatrix(warp& w, const instruction& i, u32_t lanes) {
    whole_warp_only(w, i, lanes);
    const usz n = i.elements(0);
    const bool transposed = i.has("trans");
    const lane_words at = addresses(w, i, i.at(1), lanes);
    for (u32_t m = 0; m < n; ++m) {
        std::array<std::array<u16_t, 8>, 8> rows{};
        for (u32_t r = 0; r < 8; ++r) {
            const u32_t l = 8 * m + r;
            const place p = locate(w, i, l, space::shared, shared_address(i, at[l]), 16, 16);
            check_readable(w, i, l, p, 16);
            observe_read(w, i, l, p, 16, false);
            std::memcpy(rows[r].data(), p.data(), 16);
        }
        lane_words made{};
        for (u32_t l = 0; l < 32; ++l) {
            const u32_t r = l / 4;
            const u32_t c = 2 * (l % 4);
            made[l] = transposed ? packed(rows[c + 1][r], rows[c][r]) : packed(rows[r][c + 1], rows[r][c]);
        }
        store(w, i.at(0, m), lanes, made);
    }
}

}  // namespace netra::test::simt

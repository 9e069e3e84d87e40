// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/weights.hpp>

#include "support/catch.hpp"

#include <vector>

using namespace netra;

namespace {
std::vector<u8_t> halves(std::initializer_list<float> values) {
    std::vector<u8_t> out;
    for (const float v : values) {
        const u16_t h = f32_to_f16(v);
        out.push_back(static_cast<u8_t>(h));
        out.push_back(static_cast<u8_t>(h >> 8));
    }
    return out;
}
}  // namespace

TEST_CASE("q4_1: scale, minimum, then elements 0 to 15 in the low halves and 16 to 31 in the high ones") {
    std::vector<u8_t> block = halves({0.5F, -3.0F});
    for (u8_t i = 0; i < 16; ++i) block.push_back(static_cast<u8_t>(i | (15 - i) << 4));
    for (u64_t k = 0; k < 16; ++k) {
        CHECK(weight_at(q4_1, block.data(), k) == 0.5F * static_cast<float>(k) - 3.0F);
        CHECK(weight_at(q4_1, block.data(), k + 16) == 0.5F * static_cast<float>(15 - k) - 3.0F);
    }
}

TEST_CASE("q4_0 is centred on 8, q8_0 is signed; a second block has its own scale") {
    std::vector<u8_t> q4 = halves({2.0F});
    q4.insert(q4.end(), 16, 0xf1);
    CHECK(weight_at(q4_0, q4.data(), 3) == -14.0F);
    CHECK(weight_at(q4_0, q4.data(), 19) == 14.0F);
    std::vector<u8_t> q8 = halves({0.25F});
    q8.insert(q8.end(), 32, 0x80);
    const std::vector<u8_t> scale = halves({-1.0F});
    q8.insert(q8.end(), scale.begin(), scale.end());
    q8.insert(q8.end(), 32, 0x7f);
    CHECK(weight_at(q8_0, q8.data(), 31) == -32.0F);
    CHECK(weight_at(q8_0, q8.data(), 32) == -127.0F);
}

TEST_CASE("q4_1 rounds once") {
    std::vector<u8_t> block = halves({0x1.ffcp-1F, 0x1.004p-14F});
    block.insert(block.end(), 16, 0x0f);
    CHECK(weight_at(q4_1, block.data(), 0) == static_cast<float>(15.0 * 0x1.ffcp-1 + 0x1.004p-14));
}

TEST_CASE("every element of a block against the formula in fp64, for every bit pattern of a byte") {
    for (const float d : {0.013F, -1.75F, 6e-8F, 0.0F, 65504.0F}) {
        const float scale = f16_to_f32(f32_to_f16(d));
        const float minimum = f16_to_f32(f32_to_f16(-0.37F));
        for (unsigned b = 0; b < 256; ++b) {
            std::vector<u8_t> q8 = halves({d});
            q8.insert(q8.end(), 32, static_cast<u8_t>(b));
            std::vector<u8_t> q40 = halves({d});
            q40.insert(q40.end(), 16, static_cast<u8_t>(b));
            std::vector<u8_t> q41 = halves({d, -0.37F});
            q41.insert(q41.end(), 16, static_cast<u8_t>(b));
            const auto d64 = static_cast<double>(scale);
            for (const u64_t k : {0U, 15U, 16U, 31U}) {
                INFO("scale " << d << ", byte " << b << ", element " << k);
                // products of 11 and 8 bits are exact in fp64, and so is the sum here: one rounding is left
                const double q = static_cast<double>(k < 16 ? b % 16 : b / 16);
                CHECK(weight_at(q8_0, q8.data(), k) == static_cast<float>(d64 * (b < 128 ? static_cast<double>(b) : static_cast<double>(b) - 256.0)));
                CHECK(weight_at(q4_0, q40.data(), k) == static_cast<float>(d64 * (q - 8.0)));
                CHECK(weight_at(q4_1, q41.data(), k) == static_cast<float>(d64 * q + static_cast<double>(minimum)));
            }
        }
    }
}

TEST_CASE("plain formats are read in little endian, at any address") {
    const std::vector<u8_t> bytes{0xff, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x3c};
    CHECK(weight_at(f32, bytes.data() + 1, 0) == 1.0F);
    CHECK(weight_at(bf16, bytes.data() + 1, 1) == 1.0F);
    CHECK(weight_at(f16, bytes.data() + 5, 0) == 1.0F);
}

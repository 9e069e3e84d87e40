// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Every 16-bit and every 8-bit pattern through the target's vectors (g++'s own on AVX-512, Highway's elsewhere) and through portable ones.
#include <netra/backends/cpu/simd.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
namespace portable = netra::cpu::portable;

namespace {

template <class V>
std::vector<u32_t> bits_of_lanes(const V& v) {
    std::vector<float> lanes(16);
    store(lanes.data(), v);
    std::vector<u32_t> bits;
    for (const float x : lanes) bits.push_back(x == x ? f32_bits(x) : 0x7fc00000U);
    return bits;
}

}  // namespace

TEST_CASE("the kernels' vectors are those that the target and the compiler call for") {
#if NETRA_PLAIN_AVX512
    STATIC_REQUIRE(cpu::parts == 1);
    STATIC_REQUIRE(sizeof(cpu::f32x16) == 64);
#else
    STATIC_REQUIRE(std::is_same_v<cpu::f32x16, cpu::portable::f32x16> == (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE));
#endif
}

TEST_CASE("every half and every bf16 is loaded, and stored again, as portable code does") {
    for (u32_t first = 0; first < 65536; first += 16) {
        u8_t words[32];
        for (u32_t i = 0; i < 16; ++i) {
            words[2 * i] = static_cast<u8_t>(first + i);
            words[2 * i + 1] = static_cast<u8_t>((first + i) >> 8);
        }
        INFO("patterns from " << first);
        const auto half = cpu::load_f16(words);
        const auto brain = cpu::load_bf16(words);
        REQUIRE(bits_of_lanes(half) == bits_of_lanes(portable::load_f16(words)));
        REQUIRE(bits_of_lanes(brain) == bits_of_lanes(portable::load_bf16(words)));
        u8_t stored[2][32];
        cpu::store_f16(stored[0], brain);
        portable::store_f16(stored[1], portable::load_bf16(words));
        REQUIRE(bits_of_lanes(cpu::load_f16(stored[0])) == bits_of_lanes(cpu::load_f16(stored[1])));
        cpu::store_bf16(stored[0], half / cpu::splat(3.0F));
        portable::store_bf16(stored[1], portable::load_f16(words) / portable::splat(3.0F));
        REQUIRE(bits_of_lanes(cpu::load_bf16(stored[0])) == bits_of_lanes(cpu::load_bf16(stored[1])));
    }
}

TEST_CASE("every byte of a block is decoded as portable code does") {
    for (u32_t first = 0; first < 256; first += 16) {
        u8_t bytes[16];
        for (u32_t i = 0; i < 16; ++i) bytes[i] = static_cast<u8_t>(first + i);
        INFO("bytes from " << first);
        REQUIRE(bits_of_lanes(cpu::load_i8(bytes)) == bits_of_lanes(portable::load_i8(bytes)));
        const auto with = cpu::load_u4<true>(bytes, 0.37F, -1.25F);
        const auto with_portable = portable::load_u4<true>(bytes, 0.37F, -1.25F);
        REQUIRE(bits_of_lanes(with.low) == bits_of_lanes(with_portable.low));
        REQUIRE(bits_of_lanes(with.high) == bits_of_lanes(with_portable.high));
        const auto without = cpu::load_u4<false>(bytes, -0.37F, 0.0F);
        const auto without_portable = portable::load_u4<false>(bytes, -0.37F, 0.0F);
        REQUIRE(bits_of_lanes(without.low) == bits_of_lanes(without_portable.low));
        REQUIRE(bits_of_lanes(without.high) == bits_of_lanes(without_portable.high));
    }
}

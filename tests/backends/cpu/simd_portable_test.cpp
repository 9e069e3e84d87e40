// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The portable vectors and the ones that the target uses, operation by operation.
#include <netra/backends/cpu/simd.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;
namespace portable = netra::cpu::portable;

namespace {

using lanes = std::vector<float>;
template <class V>
lanes lanes_of(const V& v) {
    lanes out(16);
    store(out.data(), v);
    return out;
}
void require_same_bits(const lanes& a, const lanes& b) {
    for (usz i = 0; i < 16; ++i) {
        INFO("lane " << i << ": " << a[i] << " and " << b[i]);
        REQUIRE((f32_bits(a[i]) == f32_bits(b[i]) || (std::isnan(a[i]) && std::isnan(b[i]))));
    }
}

}  // namespace

TEST_CASE("arithmetic, rounding and selection give the same bits") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 500; ++i) {
        const lanes a = r.normals(16);
        const lanes b = r.normals(16);
        const lanes c = r.normals(16);
        const auto x = cpu::load(a.data()), y = cpu::load(b.data()), z = cpu::load(c.data());
        const auto p = portable::load(a.data()), q = portable::load(b.data()), s = portable::load(c.data());
        require_same_bits(lanes_of(x + y), lanes_of(p + q));
        require_same_bits(lanes_of(x - y), lanes_of(p - q));
        require_same_bits(lanes_of(x * y), lanes_of(p * q));
        require_same_bits(lanes_of(x / y), lanes_of(p / q));
        require_same_bits(lanes_of(max(x, y)), lanes_of(max(p, q)));
        require_same_bits(lanes_of(min(x, y)), lanes_of(min(p, q)));
        require_same_bits(lanes_of(round(x * cpu::splat(50.0F))), lanes_of(round(p * portable::splat(50.0F))));
        require_same_bits(lanes_of(copy_sign(x, y)), lanes_of(copy_sign(p, q)));
        require_same_bits(lanes_of(where_less(x, y, z, x)), lanes_of(where_less(p, q, s, p)));
        require_same_bits(lanes_of(fma(x, y, z)), lanes_of(fma(p, q, s)));
        const float n = static_cast<float>(static_cast<int>(r.below(400)) - 200);
        require_same_bits(lanes_of(scale_by_power(x, cpu::splat(n))), lanes_of(scale_by_power(p, portable::splat(n))));
        REQUIRE(largest(x) == largest(p));
    }
}

TEST_CASE("loads of every format, stores of halves and totals give the same bits") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 300; ++i) {
        const exact_bytes blocks = random_weights(r, q4_1, 32, 16);
        const exact_bytes halves = random_weights(r, f16, 16, 1);
        const exact_bytes brains = random_weights(r, bf16, 16, 1);
        require_same_bits(lanes_of(cpu::load_f16(halves.data())), lanes_of(portable::load_f16(halves.data())));
        require_same_bits(lanes_of(cpu::load_bf16(brains.data())), lanes_of(portable::load_bf16(brains.data())));
        require_same_bits(lanes_of(cpu::load_i8(blocks.data())), lanes_of(portable::load_i8(blocks.data())));
        const auto a = cpu::load_u4<true>(blocks.data() + 4, 0.37F, -1.5F);
        const auto b = portable::load_u4<true>(blocks.data() + 4, 0.37F, -1.5F);
        require_same_bits(lanes_of(a.low), lanes_of(b.low));
        require_same_bits(lanes_of(a.high), lanes_of(b.high));
        const auto d = cpu::load_u4<false>(blocks.data() + 4, 0.37F, 0.0F);
        const auto e = portable::load_u4<false>(blocks.data() + 4, 0.37F, 0.0F);
        require_same_bits(lanes_of(d.low), lanes_of(e.low));
        require_same_bits(lanes_of(d.high), lanes_of(e.high));
        const u64_t n = r.between(1, 16);
        lanes scale(16, 0.0F), minimum(16, 0.0F), scale_2(16, 0.0F), minimum_2(16, 0.0F);
        cpu::load_scales(blocks.data(), 20, n, scale.data(), minimum.data());
        portable::load_scales(blocks.data(), 20, n, scale_2.data(), minimum_2.data());
        for (u64_t k = 0; k < n; ++k) REQUIRE((scale[k] == scale_2[k] && minimum[k] == minimum_2[k]));

        const lanes v = r.normals(16 * 16);
        u8_t half_1[32], half_2[32];
        cpu::store_f16(half_1, cpu::load(v.data()));
        portable::store_f16(half_2, portable::load(v.data()));
        REQUIRE(std::memcmp(half_1, half_2, 32) == 0);
        cpu::store_bf16(half_1, cpu::load(v.data()));
        portable::store_bf16(half_2, portable::load(v.data()));
        REQUIRE(std::memcmp(half_1, half_2, 32) == 0);
        std::vector<cpu::f32x16> many;
        std::vector<portable::f32x16> many_2;
        for (usz k = 0; k < 16; ++k) many.push_back(cpu::load(v.data() + 16 * k)), many_2.push_back(portable::load(v.data() + 16 * k));
        require_same_bits(lanes_of(totals(many.data())), lanes_of(totals(many_2.data())));
    }
}

TEST_CASE("any bit patterns: halves are stored alike, NaN as NaN; maxima, minima, ties and subnormal powers agree") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 20000; ++i) {
        lanes a(16), b(16), n(16);
        for (usz k = 0; k < 16; ++k) {
            a[k] = f32_from_bits(static_cast<u32_t>(r.engine()));
            // note: half of them near what halves can hold: ties, subnormals, overflows
            if (k % 2 == 1) a[k] = f32_from_bits(r.one_of({0U, 0x80000000U}) | (r.between(100, 145) << 23) | (r.below(1024) << 13) | r.one_of({0U, 0x1000U, 0xfffU, 0x1001U}));
            b[k] = r.one_of({a[k], f32_from_bits(static_cast<u32_t>(r.engine())), poison, 0.0F, INFINITY, -INFINITY});
            n[k] = static_cast<float>(static_cast<int>(r.below(505)) - 252);
        }
        u8_t fast[32], slow[32];
        const auto compare = [&](auto decode) {
            for (usz k = 0; k < 16; ++k) {
                const u16_t x = static_cast<u16_t>(fast[2 * k] | fast[2 * k + 1] << 8);
                const u16_t y = static_cast<u16_t>(slow[2 * k] | slow[2 * k + 1] << 8);
                INFO(std::hex << f32_bits(a[k]) << ": " << x << " and " << y);
                REQUIRE((x == y || (std::isnan(decode(x)) && std::isnan(decode(y)) && std::isnan(a[k]))));
            }
        };
        cpu::store_f16(fast, cpu::load(a.data()));
        portable::store_f16(slow, portable::load(a.data()));
        compare([](u16_t v) { return f16_to_f32(v); });
        cpu::store_bf16(fast, cpu::load(a.data()));
        portable::store_bf16(slow, portable::load(a.data()));
        compare([](u16_t v) { return bf16_to_f32(v); });
        const auto x = cpu::load(a.data()), y = cpu::load(b.data());
        const auto p = portable::load(a.data()), q = portable::load(b.data());
        require_same_bits(lanes_of(scale_by_power(x, cpu::load(n.data()))), lanes_of(scale_by_power(p, portable::load(n.data()))));
        require_same_bits(lanes_of(where_less(x, y, x, y)), lanes_of(where_less(p, q, p, q)));
#if HWY_ARCH_X86
        require_same_bits(lanes_of(max(x, y)), lanes_of(max(p, q)));
        require_same_bits(lanes_of(min(x, y)), lanes_of(min(p, q)));
#endif
        for (auto& v : n) v *= 0.5F;  // half of them ties
        require_same_bits(lanes_of(round(cpu::load(n.data()))), lanes_of(round(portable::load(n.data()))));
    }
}

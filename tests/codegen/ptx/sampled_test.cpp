// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Every piece of a draw in the PTX interpreter has the bits of the contract's.
#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/sampled.hpp>
#include <netra/codegen/ptx/warp.hpp>
#include <netra/contracts/target.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/module_text.hpp"
#include "support/ptx/machine.hpp"

#include <cstdio>
#include <cstring>
#include <vector>

using namespace netra;

namespace {

constexpr u32_t threads = 256;

/// A thread an input of 32 bits, a result of 64 bits.
template <class Body>
struct thread_kernel {
    Body what;
    static constexpr name entry() { return "draws"; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"in", "out"}); }
    static constexpr kernel_launch launch() { return {.blocks = 1, .threads = threads}; }
    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const reg thread = as.b32(), in = as.b64(), out = as.b64(), bits = as.b32();
        as(op::mov_u32, thread, thread_index);
        as(op::ld_param_u64, in, named_address{"in"});
        as(op::ld_param_u64, out, named_address{"out"});
        as(op::mad_wide_u32, in, thread, 4U, in);
        as(op::mad_wide_u32, out, thread, 8U, out);
        as(op::ld_global_b32, bits, at(in));
        as(op::st_global_b64, at(out), what(as, bits));
        as(op::ret);
    }
};

template <class Body>
std::vector<u64_t> run(const std::vector<u32_t>& in, const Body& what) {
    const thread_kernel<Body> kernel{what};
    const test::simt::program code = test::simt::parse(test::module_text(kernel, sm_90a).text());
    std::vector<u64_t> all;
    for (usz i = 0; i < in.size(); i += threads) {
        test::simt::machine m(1);
        const u64_t from = m.upload(std::vector<u32_t>(in.begin() + static_cast<std::ptrdiff_t>(i), in.begin() + static_cast<std::ptrdiff_t>(i + threads)));
        const u64_t to = m.allocate(8 * threads, "out");
        m.launch(code, 1, threads, 0, {from, to});
        for (const u64_t v : m.read<u64_t>(to, threads)) all.push_back(v);
    }
    return all;
}
template <class Sink>
ptx::reg as_float(ptx::assembler<Sink>& as, ptx::reg bits) {
    const ptx::reg l = as.f32();
    as(ptx::op::mov_b32, l, bits);
    return l;
}
template <class Sink>
ptx::reg widened(ptx::assembler<Sink>& as, ptx::reg value) {
    const ptx::reg bits = as.b32(), wide = as.b64();
    as(ptx::op::mov_b32, bits, value);
    as(ptx::op::cvt_u64_u32, wide, bits);
    return wide;
}

/// Random bits, and those at every edge.
std::vector<u32_t> inputs() {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("NETRA_SEED=%llu\n", static_cast<unsigned long long>(seed));
    test::dice d(seed);
    std::vector<u32_t> all{0, 1, 2, 0x3fffffffU, 0x40000000U, 0x40000001U, 0x7fffffffU, 0x80000000U, 0x80000001U, 0xfffffffeU, 0xffffffffU,
                           f32_bits(1.0F), f32_bits(-1.0F), f32_bits(__builtin_inff()), f32_bits(-__builtin_inff()), 0x7fc00000U, 0xffc00000U, 0x7f800001U};
    while (all.size() < 2 * threads) all.push_back(f32_bits(static_cast<float>(d.below(4000)) * 0.01F - 20.0F));
    while (all.size() < 8 * threads) all.push_back(d.below(u64_t{1} << 32));
    return all;
}

}  // namespace

TEST_CASE("noise has the contract's bits") {
    const std::vector<u32_t> in = inputs();
    const draw d = draw_at({.temperature = 1.0F, .seed = 7}, 3);
    const std::vector<u64_t> mixed = run(in, [&](auto& as, ptx::reg id) {
        const ptx::reg noise[] = {as.b32(), as.b32()};
        for (usz i = 0; i < 2; ++i) as(ptx::op::mov_u32, noise[i], d.noise[i]);
        return widened(as, ptx::noise_bits_of(as, noise, id));
    });
    const std::vector<u64_t> gumbels = run(in, [](auto& as, ptx::reg bits) { return widened(as, ptx::gumbel_of(as, bits)); });
    for (usz i = 0; i < in.size(); ++i) {
        INFO("bits " << in[i]);
        REQUIRE(mixed[i] == sampled::noise_bits(d, in[i]));
        REQUIRE(gumbels[i] == f32_bits(sampled::gumbel(in[i])));
    }
}

TEST_CASE("logits and their order have the contract's bits") {
    const std::vector<u32_t> in = inputs();
    const std::vector<u64_t> keys = run(in, [](auto& as, ptx::reg bits) {
        const ptx::reg l = as_float(as, bits);
        ptx::settle_logit(as, l);
        return widened(as, ptx::ordered_of(as, l));
    });
    const std::vector<u64_t> back = run(in, [](auto& as, ptx::reg bits) {
        const ptx::reg l = as_float(as, bits);
        ptx::settle_logit(as, l);
        return widened(as, ptx::number_of(as, ptx::ordered_of(as, l)));
    });
    for (usz i = 0; i < in.size(); ++i) {
        const float l = sampled::logit(f32_from_bits(in[i]));
        INFO("bits " << in[i]);
        REQUIRE(keys[i] == sampled::ordered(l));
        REQUIRE(back[i] == f32_bits(l));
    }
}

TEST_CASE("masses and shares of them have the contract's bits") {
    const std::vector<u32_t> in = inputs();
    for (const float temperature : {1.0F, 0.3F, 100.0F, 1e-9F})
        for (const float largest : {20.0F, __builtin_inff(), -__builtin_inff(), 0.0F}) {
            const draw d = draw_at({.temperature = temperature}, 0);
            const std::vector<u64_t> masses = run(in, [&](auto& as, ptx::reg bits) {
                const ptx::reg scale = as.f32(), most = as.f32(), l = as_float(as, bits);
                as(ptx::op::mov_f32, scale, d.scale);
                as(ptx::op::mov_f32, most, largest);
                ptx::settle_logit(as, l);
                as(ptx::op::min_f32, l, l, most);
                return ptx::mass_of(as, scale, l, most);
            });
            for (usz i = 0; i < in.size(); ++i) {
                const float l = sampled::logit(f32_from_bits(in[i]));
                INFO("temperature " << temperature << ", largest " << largest << ", bits " << in[i]);
                REQUIRE(masses[i] == sampled::mass(d, l < largest ? l : largest, largest));
            }
        }
    const draw d{.share = 0xdeadbeefU};
    const std::vector<u64_t> shares = run(in, [&](auto& as, ptx::reg bits) {
        const ptx::reg share = as.b32(), all = as.b64(), half = as.b32();
        as(ptx::op::mov_u32, share, d.share);
        as(ptx::op::shr_u32, half, bits, 4U);
        as(ptx::op::mov_b64, all, ptx::fragment<2>{{bits, half}});
        return ptx::share_of(as, share, all);
    });
    for (usz i = 0; i < in.size(); ++i) REQUIRE(shares[i] == sampled::share_of(d, in[i] | u64_t{in[i] >> 4} << 32));
}

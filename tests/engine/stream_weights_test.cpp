// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Weight streams against a reader that goes from each weight to its place, and against dense products through the fragments.
#include <netra/engine/stream_weights.hpp>

#include "support/catch.hpp"
#include "support/memory_model.hpp"
#include "support/refusal.hpp"

using namespace netra;

namespace {

using streams = std::vector<std::vector<std::byte>>;

device gpu_of(u32_t blocks) { return {.name = "gpu", .isa = instruction_set::ptx, .workers = blocks, .shared_bytes = 232448}; }

streams pack(const stream_packer& packer, u32_t workers = 1, usz room = 0) {
    streams all;
    for (u32_t b = 0; b < packer.plan().blocks; ++b) {
        all.emplace_back(stream_bytes(packer.plan(), b) + room, std::byte{0xee});
        packer.pack_block(b, all.back(), workers);
    }
    return all;
}

/// Matrices of a projection, one below the other; those of gate_up alternate.
struct parts {
    weight_role roles[3];
    usz count;
};
parts parts_of(stream_op o) {
    switch (o) {
        case stream_op::qkv:
            return {{weight_role::q, weight_role::k, weight_role::v}, 3};
        case stream_op::o:
            return {{weight_role::o}, 1};
        case stream_op::gate_up:
            return {{weight_role::gate, weight_role::up}, 2};
        case stream_op::down:
            return {{weight_role::down}, 1};
        case stream_op::head:
            break;
    }
    return {{weight_role::head}, 1};
}
const tensor& stored(const opened_model& m, weight_role role, u32_t layer) {
    if (role == weight_role::head && m.contract.tied_head) role = weight_role::embedding;
    return m.weights.at(tensor_name(m.naming, role, per_layer(role) ? layer : 0));
}
u16_t rounded(float v, dtype to) { return to == f16 ? f32_to_f16(v) : f32_to_bf16(v); }

/// Where the streams must have a weight: counted from the weight, not from the stream.
struct place {
    u32_t block;
    u64_t offset;
};
class placer {
public:
    explicit placer(const stream_plan& p) : p_(p), ends_(p.blocks) {
        u64_t dealt = 0;
        for (u32_t layer = 0; layer <= p.model.layers; ++layer)
            for (const stream_op o : {stream_op::qkv, stream_op::o, stream_op::gate_up, stream_op::down, stream_op::head}) {
                if ((o == stream_op::head) != (layer == p.model.layers)) continue;
                begin_.emplace_back(ends_);
                dealt_.push_back(dealt);
                std::vector<u32_t>& counts = counts_.emplace_back(p.blocks);
                for (u32_t u = 0; u < p[o].units; ++u) ++counts[o == stream_op::head ? u / p[o].block_units : (dealt + u) % p.blocks];
                for (u32_t b = 0; b < p.blocks; ++b) ends_[b] += slots(o, counts[b]) * bytes(p[o]);
                dealt += p[o].units;
            }
    }
    const std::vector<u64_t>& ends() const { return ends_; }

    /// Of term `k` in row `g` of unit `u`.
    place find(stream_op o, u32_t layer, u32_t u, u32_t g, u32_t k) const {
        const projection_plan& op = p_[o];
        const usz step = o == stream_op::head ? usz{4} * p_.model.layers : usz{4} * layer + static_cast<usz>(o);
        const u32_t block = o == stream_op::head ? u / op.block_units : static_cast<u32_t>((dealt_[step] + u) % p_.blocks);
        const u32_t i = o == stream_op::head ? u % op.block_units : u / p_.blocks;
        const u32_t chunk = k / (op.steps * 256);
        const u32_t warp = k / (op.steps * 32) % 8;
        u64_t slot = i / op.slot_units;
        if (op.chunks > 1) {
            const u32_t pass = i / op.pass_units;
            const u32_t in_pass = std::min(op.pass_units, counts_[step][block] - pass * op.pass_units);
            slot = u64_t{pass} * op.pass_units * op.chunks + u64_t{chunk} * in_pass + i % op.pass_units;
        }
        const u64_t unit = (u64_t{warp} * op.slot_units + i % op.slot_units) * op.steps * 512;
        return {block, begin_[step][block] + slot * bytes(op) + unit + in_unit(k % (op.steps * 32), op.steps, g)};
    }

private:
    static u64_t bytes(const projection_plan& p) { return 8ULL * 512 * p.slot_units * p.steps; }
    u64_t slots(stream_op o, u64_t units) const {
        return p_[o].chunks == 1 ? (units + p_[o].slot_units - 1) / p_[o].slot_units : units * p_[o].chunks;
    }
    static u64_t in_unit(u32_t k, u32_t steps, u32_t g) {
        u32_t fragment = k / 32;
        u32_t t = k % 32 / 8;
        u32_t half = k / 4 % 2;
        if ((fragment | 1U) < steps) {
            t = k % 64 / 16;
            half = k / 8 % 2;
            fragment = k / 64 * 2 + k / 4 % 2;
        }
        const u32_t element = k % 4 / 2 * 4 + half * 2 + k % 2;
        return fragment * 512 + (4 * g + t) * 16 + 2 * element;
    }

    const stream_plan& p_;
    std::vector<u64_t> ends_;
    std::vector<std::vector<u64_t>> begin_;
    std::vector<u64_t> dealt_;  ///< units before a projection's
    std::vector<std::vector<u32_t>> counts_;
};

/// Compares every element of every matrix, and that all other bytes are 0. Returns how many elements were compared.
u64_t compare_all(const stream_plan& p, const opened_model& model, const streams& packed) {
    const placer where(p);
    const dtype element = p.model.weights.q.element;
    std::vector<std::vector<bool>> seen;
    for (u32_t b = 0; b < p.blocks; ++b) {
        REQUIRE(packed[b].size() == where.ends()[b]);
        seen.emplace_back(packed[b].size() / 2);
    }
    u64_t compared = 0;
    u64_t wrong = 0;
    for (u32_t layer = 0; layer <= p.model.layers; ++layer)
        for (const stream_op o : {stream_op::qkv, stream_op::o, stream_op::gate_up, stream_op::down, stream_op::head}) {
            if ((o == stream_op::head) != (layer == p.model.layers)) continue;
            const parts of = parts_of(o);
            u32_t above = 0;
            for (usz part = 0; part < of.count; ++part) {
                const tensor& t = stored(model, of.roles[part], layer);
                std::vector<float> values(t.elements());
                dequantize(t, 0, values);
                const u32_t rows = static_cast<u32_t>(t.shape[0]);
                for (u32_t r = 0; r < rows; ++r)
                    for (u32_t k = 0; k < p[o].in; ++k) {
                        const bool alternating = o == stream_op::gate_up;
                        const u32_t unit = alternating ? r / 4 : (above + r) / 8;
                        const u32_t g = alternating ? r % 4 + 4 * static_cast<u32_t>(part) : (above + r) % 8;
                        const place at = where.find(o, layer, unit, g, k);
                        u16_t got = 0;
                        std::memcpy(&got, packed[at.block].data() + at.offset, 2);
                        wrong += got != rounded(values[u64_t{r} * p[o].in + k], element) || seen[at.block][at.offset / 2] ? 1U : 0U;
                        seen[at.block][at.offset / 2] = true;
                        ++compared;
                    }
                above += rows;
            }
        }
    for (u32_t b = 0; b < p.blocks; ++b)
        for (usz i = 0; i < seen[b].size(); ++i)
            if (!seen[b][i]) wrong += packed[b][2 * i] != std::byte{0} || packed[b][2 * i + 1] != std::byte{0} ? 1U : 0U;
    CHECK(wrong == 0);
    return compared;
}

struct shape {
    llama model;
    u32_t blocks;
};
const shape shapes[] = {
    {{.hidden = 576,
      .layers = 2,
      .heads = 9,
      .kv_heads = 3,
      .head_dim = 64,
      .intermediate = 1536,
      .vocab = 1003,
      .rows = 1,
      .tied_head = true,
      .weights = bf16,
      .kv = bf16},
     132},
    {{.hidden = 40,
      .layers = 3,
      .heads = 2,
      .kv_heads = 1,
      .head_dim = 10,
      .intermediate = 71,
      .vocab = 37,
      .rows = 2,
      .weights = f16,
      .kv = bf16},
     5},
    {{.hidden = 2300,
      .layers = 1,
      .heads = 5,
      .kv_heads = 5,
      .head_dim = 12,
      .intermediate = 2817,
      .vocab = 203,
      .rows = 4,
      .weights = bf16,
      .kv = bf16},
     7},
    {{.hidden = 1300,
      .layers = 2,
      .heads = 4,
      .kv_heads = 2,
      .head_dim = 32,
      .intermediate = 2049,
      .vocab = 90,
      .rows = 16,
      .weights = f16,
      .kv = bf16},
     3},
    {{.hidden = 256,
      .layers = 1,
      .heads = 2,
      .kv_heads = 2,
      .head_dim = 16,
      .intermediate = 700,
      .vocab = 64,
      .rows = 1,
      .weights = bf16,
      .kv = bf16},
     1},
};

}  // namespace

TEST_CASE("every weight is where its own indices say, and all other bytes are 0") {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("NETRA_SEED=%llu\n", seed);
    test::dice d(seed);
    u64_t compared = 0;
    for (const auto& [model, blocks] : shapes) {
        if (test::slow_build && model.hidden > 300) continue;
        INFO("hidden " << model.hidden << " blocks " << blocks);
        const test::memory_model made = test::make_memory_model(model, d);
        const stream_plan plan = plan_stream(model, gpu_of(blocks), {});
        compared += compare_all(plan, made.opened, pack(stream_packer(plan, made.opened)));
    }
    for (int i = 0; i < (test::slow_build ? 2 : 8); ++i) {
        llama m{.hidden = 2 * d.between(1, 450),
                .layers = d.between(1, 3),
                .kv_heads = d.between(1, 3),
                .head_dim = 2 * d.between(1, 20),
                .intermediate = d.between(1, test::slow_build ? 300 : 3000),
                .vocab = d.between(1, 300),
                .context = 64,
                .rows = 1,
                .tied_head = d.percent(50),
                .weights = d.percent(50) ? bf16 : f16,
                .kv = bf16};
        m.heads = m.kv_heads * d.between(1, 4);
        const u32_t blocks = d.between(1, 40);
        INFO("hidden " << m.hidden << " heads " << m.heads << " head_dim " << m.head_dim << " intermediate " << m.intermediate << " vocab "
                       << m.vocab << " blocks " << blocks);
        REQUIRE(check(m, gpu_of(blocks), stream_config{}).ok());
        const test::memory_model made = test::make_memory_model(m, d);
        const stream_plan plan = plan_stream(m, gpu_of(blocks), {});
        compared += compare_all(plan, made.opened, pack(stream_packer(plan, made.opened)));
    }
    std::printf("%llu weights compared\n", compared);
}

TEST_CASE("other formats are rounded once to nearest even while they are packed") {
    test::dice d(3);
    llama m{.hidden = 96,
            .layers = 2,
            .heads = 6,
            .kv_heads = 2,
            .head_dim = 16,
            .intermediate = 160,
            .vocab = 50,
            .context = 64,
            .rows = 1,
            .kv = bf16};
    for (const dtype to : {bf16, f16})
        for (const weight_format from :
             {weight_format{f32}, weight_format{f16}, weight_format{bf16}, weight_format{q8_0}, weight_format{q4_0}, weight_format{q4_1}}) {
            INFO(name_of(from) << " to " << name_of(to));
            m.weights = to;
            test::memory_model made =
                test::make_memory_model(m, d, [&](weight_role r) { return is_matrix(shape_of(m, r)) ? from : weight_format{f32}; });
            made.opened.contract.weights = llama_formats{from};
            const stream_plan plan = plan_stream(m, gpu_of(6), {});
            const stream_packer packer(plan, made.opened);
            compare_all(plan, made.opened, pack(packer));

            std::vector<u16_t> rows(usz{m.vocab - 3} * m.hidden);
            packer.embedding_rows(2, std::span(rows).first(m.hidden * 40), 3);
            packer.embedding_rows(42, std::span(rows).subspan(m.hidden * 40), 1);
            const tensor& t = stored(made.opened, weight_role::embedding, 0);
            std::vector<float> values(t.elements());
            dequantize(t, 0, values);
            usz wrong = 0;
            for (usz i = 0; i < rows.size(); ++i) wrong += rows[i] != rounded(values[2 * m.hidden + i], to) ? 1U : 0U;
            CHECK(wrong == 0);
        }
    CHECK(streamed_weights(streamed(m, 1, f16)) == f16);
    CHECK(streamed_weights(streamed(m, 1, bf16)) == bf16);
    m.weights = q4_1;
    CHECK(streamed_weights(m) == bf16);
}

TEST_CASE("products through the fragments are the dense products") {
    test::dice d(5);
    for (const auto& [model, blocks] : shapes) {
        if (test::slow_build && model.hidden > 300) continue;
        INFO("hidden " << model.hidden);
        const test::memory_model made = test::make_memory_model(model, d);
        const stream_plan p = plan_stream(model, gpu_of(blocks), {});
        const streams packed = pack(stream_packer(p, made.opened));
        const dtype element = model.weights.q.element;
        std::vector<u64_t> at(p.blocks);
        for (u32_t layer = 0; layer <= model.layers; ++layer)
            for (const stream_op o : {stream_op::qkv, stream_op::o, stream_op::gate_up, stream_op::down, stream_op::head}) {
                if ((o == stream_op::head) != (layer == model.layers)) continue;
                const projection_plan& op = p[o];
                std::vector<double> x(padded_in(op), 1e30);  // what lies beyond the terms must not count
                for (u32_t k = 0; k < op.in; ++k) x[k] = d.below(2001) / 1000.0 - 1.0;
                std::vector<double> got(u64_t{op.units} * unit_rows);
                for (u32_t b = 0; b < p.blocks; ++b) {
                    const u32_t place = place_of(p, o, layer, b);
                    const u32_t n = units_at(p, o, place);
                    const u32_t together = op.chunks == 1 ? op.slot_units : op.pass_units;
                    for (u32_t first = 0; first < n; first += together)
                        for (u32_t c = 0; c < op.chunks; ++c)
                            for (u32_t i = first; i < std::min(n, first + together); ++i)
                                for (u32_t w = 0; w < 8; ++w)
                                    for (u32_t f = 0; f < op.steps; ++f)
                                        for (u32_t lane = 0; lane < 32; ++lane)
                                            for (u32_t n8 = 0; n8 < 8; ++n8) {
                                                const u32_t a = n8 / 2;
                                                const u32_t c2 = a % 2;
                                                const u32_t e = a / 2 * 2 + n8 % 2;
                                                const u32_t t = lane % 4;
                                                const u32_t local = f / 2 * 2 + 1 < op.steps ? f / 2 * 64 + (t * 2 + c2) * 8 + f % 2 * 4 + e
                                                                                             : f * 32 + (t * 2 + c2) * 4 + e;
                                                const u32_t k = c * op.steps * 256 + w * op.steps * 32 + local;
                                                const u64_t in_slot = op.chunks == 1 ? i - first : 0;
                                                const u64_t slot =
                                                    op.chunks == 1
                                                        ? first / together
                                                        : u64_t{first} * op.chunks + u64_t{c} * std::min(together, n - first) + i - first;
                                                const u64_t offset = at[b] + slot * slot_bytes(op) +
                                                                     ((w * op.slot_units + in_slot) * op.steps + f) * 512 + lane * 16 +
                                                                     n8 * 2;
                                                u16_t bits = 0;
                                                std::memcpy(&bits, packed[b].data() + offset, 2);
                                                const float v = element == f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
                                                if (v != 0.0F)
                                                    got[u64_t{unit_at(p, o, place, i)} * 8 + lane / 4] += static_cast<double>(v) * x.at(k);
                                            }
                    at[b] += u64_t{slots_of(op, n)} * slot_bytes(op);
                }
                const parts of = parts_of(o);
                u32_t above = 0;
                double worst = 0.0;
                for (usz part = 0; part < of.count; ++part) {
                    const tensor& t = stored(made.opened, of.roles[part], layer);
                    std::vector<float> row(op.in);
                    for (u32_t r = 0; r < t.shape[0]; ++r) {
                        dequantize(t, u64_t{r} * op.in, row);
                        double expected = 0.0;
                        for (u32_t k = 0; k < op.in; ++k) expected += static_cast<double>(row[k]) * x[k];
                        const u64_t result = o == stream_op::gate_up ? u64_t{r / 4} * 8 + r % 4 + 4 * part : above + r;
                        worst = std::max(worst, std::abs(got[result] - expected));
                    }
                    above += static_cast<u32_t>(t.shape[0]);
                }
                CHECK(worst < 1e-10);
            }
    }
}

TEST_CASE("workers change no byte, and room behind a stream is zeroed") {
    test::dice d(9);
    llama m = shapes[2].model;
    const test::memory_model made = test::make_memory_model(m, d);
    const stream_plan plan = plan_stream(m, gpu_of(2), {});
    const stream_packer packer(plan, made.opened);
    const streams one = pack(packer);
    REQUIRE(one[0].size() > 4U << 20);  // more than one worker gets something
    CHECK(one == pack(packer, 5));
    const streams roomy = pack(packer, 3, 4096);
    for (usz b = 0; b < 2; ++b) {
        CHECK(std::equal(one[b].begin(), one[b].end(), roomy[b].begin()));
        CHECK(std::all_of(roomy[b].end() - 4096, roomy[b].end(), [](std::byte x) { return x == std::byte{0}; }));
    }
    std::vector<std::byte> small(one[1].size() - 1);
    CHECK_THROWS_WITH(packer.pack_block(1, small), test::containing(std::to_string(one[1].size())));
}

TEST_CASE("parameters lie where the layout says, a norm's 1 added") {
    test::dice d(11);
    llama m{.hidden = 18,
            .layers = 2,
            .heads = 3,
            .kv_heads = 1,
            .head_dim = 6,
            .intermediate = 13,
            .vocab = 20,
            .context = 16,
            .rows = 1,
            .weights = bf16,
            .kv = bf16};
    for (const bool all : {false, true}) {
        m.qkv_bias = m.o_bias = m.mlp_bias = m.qk_norm = m.norm_plus_one = all;
        const test::memory_model made = test::make_memory_model(m, d);
        const stream_plan plan = plan_stream(m, gpu_of(3), {});
        const std::vector<float> got = stream_packer(plan, made.opened).parameters();
        const parameter_layout l = parameters_of(plan);
        REQUIRE(got.size() == l.end);
        std::vector<bool> seen(got.size());
        usz wrong = 0;
        const auto compare = [&](weight_role role, u32_t layer, u64_t at, float plus) {
            const tensor& t = stored(made.opened, role, layer);
            std::vector<float> values(t.elements());
            dequantize(t, 0, values);
            for (usz i = 0; i < values.size(); ++i) {
                wrong += got.at(at + i) != values[i] + plus || seen[at + i] ? 1U : 0U;
                seen[at + i] = true;
            }
        };
        const float plus = all ? 1.0F : 0.0F;
        for (u32_t layer = 0; layer < m.layers; ++layer) {
            const u64_t at = u64_t{layer} * l.layer;
            compare(weight_role::attention_norm, layer, at + l.attention_norm, plus);
            compare(weight_role::mlp_norm, layer, at + l.mlp_norm, plus);
            if (!all) continue;
            compare(weight_role::q_norm, layer, at + l.q_norm, plus);
            compare(weight_role::k_norm, layer, at + l.k_norm, plus);
            compare(weight_role::q_bias, layer, at + l.qkv_bias, 0.0F);
            compare(weight_role::k_bias, layer, at + l.qkv_bias + 18, 0.0F);
            compare(weight_role::v_bias, layer, at + l.qkv_bias + 24, 0.0F);
            compare(weight_role::o_bias, layer, at + l.o_bias, 0.0F);
            compare(weight_role::gate_bias, layer, at + l.gate_bias, 0.0F);
            compare(weight_role::up_bias, layer, at + l.up_bias, 0.0F);
            compare(weight_role::down_bias, layer, at + l.down_bias, 0.0F);
        }
        compare(weight_role::final_norm, 0, l.final_norm, plus);
        for (usz i = 0; i < got.size(); ++i) wrong += !seen[i] && got[i] != 0.0F ? 1U : 0U;
        CHECK(wrong == 0);
    }
}

TEST_CASE("angles are the contract's for every position") {
    test::dice d(13);
    llama m{.hidden = 32,
            .layers = 1,
            .heads = 2,
            .kv_heads = 1,
            .head_dim = 16,
            .intermediate = 32,
            .vocab = 20,
            .context = 130,
            .rows = 1,
            .weights = bf16,
            .kv = bf16};
    rope_frequencies partial{.theta = 5e5F, .dims = 12, .scaling = rope_scaling::llama3, .factor = 8.0F, .original_context = 64};
    rope_frequencies factors{.scaling = rope_scaling::table};
    for (const rope_frequencies& f : {rope_frequencies{}, partial, factors}) {
        m.rope = f;
        const test::memory_model made = test::make_memory_model(m, d);
        const stream_plan plan = plan_stream(m, gpu_of(3), {});
        const stream_packer packer(plan, made.opened);
        const std::vector<float> got = packer.rope_angles(3);
        const u32_t pairs = f.dims == 0 ? 8 : f.dims / 2;
        REQUIRE(got.size() == usz{130} * 2 * pairs);
        std::vector<float> divide(pairs, 1.0F);
        if (f.scaling == rope_scaling::table) dequantize(stored(made.opened, weight_role::rope_factors, 0), 0, divide);
        usz wrong = 0;
        for (u32_t position = 0; position < 130; ++position)
            for (u32_t i = 0; i < pairs; ++i) {
                const double angle = position * rope_frequency(angles(m), i, divide.data());
                wrong += std::abs(static_cast<double>(got[(2 * position) * pairs + i]) - std::cos(angle)) > 1e-7 ? 1U : 0U;
                wrong += std::abs(static_cast<double>(got[(2 * position + 1) * pairs + i]) - std::sin(angle)) > 1e-7 ? 1U : 0U;
            }
        CHECK(wrong == 0);
        CHECK(got == packer.rope_angles(1));
    }
}

TEST_CASE("a plan of another model is refused") {
    test::dice d(15);
    llama m = shapes[1].model;
    const test::memory_model made = test::make_memory_model(m, d);
    m.intermediate += 1;
    const stream_plan plan = plan_stream(m, gpu_of(3), {});
    CHECK_THROWS_WITH(stream_packer(plan, made.opened), test::containing("another model"));
}

TEST_CASE("matrices that f16 does not hold are named, once they are packed") {
    test::dice d(16);
    llama m = shapes[1].model;
    m.layers = 2, m.weights = bf16;
    const auto said = [&](u16_t bits, dtype stream, dtype stored_as, bool products) {
        m.weights = stored_as;
        test::memory_model made = test::make_memory_model(m, d);
        const tensor& down = stored(made.opened, weight_role::down, 1);
        test::blob& bytes = test::bytes_of(made, down);
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
        const u16_t negative = bits | 0x8000;
        std::memcpy(bytes.data() + bytes.size() / 4 * 2, &negative, 2);
        const stream_plan plan = plan_stream(streamed(m, 1, stream), gpu_of(3), {});
        const stream_packer packer(plan, made.opened);
        CHECK(packer.beyond_f16(products).empty());  // nothing is packed yet
        pack(packer, 2);
        return packer.beyond_f16(products);
    };
    const std::string name = "memory: tensor 'blk.1.ffn_down.weight': its largest element is";
    // bf16 of a stream that is multiplied as f16: the least and the most that are held, one step beyond each, a NaN, a matrix of zeros
    for (const auto& [bits, held] : {std::pair<u16_t, bool>{0x3680, true}, {0x437f, true}, {0x367f, false}, {0x4380, false}, {0x7fc0, false}, {0, true}}) {
        INFO("bits " << bits);
        CHECK(said(bits, bf16, bf16, true).starts_with(held ? "" : name));
        CHECK(said(bits, bf16, bf16, true).empty() == held);
        CHECK(said(bits, bf16, bf16, false).empty());
    }
    // bf16 that becomes f16 while it is packed
    for (const auto& [bits, held] : {std::pair<u16_t, bool>{0x3a80, true}, {0x477f, true}, {0x3a7f, false}, {0x4780, false}, {0, true}}) {
        INFO("bits " << bits);
        CHECK(said(bits, f16, bf16, false).empty() == held);
    }
    CHECK(said(0x7c00, f16, f16, false).empty());  // is f16 already
}

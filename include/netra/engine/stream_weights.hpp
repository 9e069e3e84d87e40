// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model's weights as a persistent kernel reads them: each block's stream of matrix fragments, parameters, embedding, rotary angles.
#pragma once

#include <netra/codegen/megakernel/layout.hpp>
#include <netra/engine/loaded_model.hpp>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <bit>
#include <exception>
#include <thread>

namespace netra::inline v0 {

/// `m` as a persistent kernel takes it: `rows` tokens a step, matrices in one 16-bit format, bf16 caches.
constexpr llama streamed(llama m, u32_t rows, dtype weights) {
    m.rows = rows;
    m.weights = weights;
    m.kv = bf16;
    return m;
}

/// f16 where every matrix is stored so, otherwise bf16.
constexpr dtype streamed_weights(const llama& m) { return m.weights == llama_formats{f16} ? f16 : bf16; }

namespace detail {

/// Runs `work(first, last)` over parts of 0..count on up to `workers` threads, the calling one among them; rethrows what a part throws.
template <class Work>
void in_parts(u64_t count, u32_t workers, const Work& work) {
    const u64_t parts = std::max<u64_t>(1, std::min<u64_t>(workers, count));
    std::vector<std::exception_ptr> failed(parts);
    const auto part = [&](u64_t i) {
        try {
            work(count * i / parts, count * (i + 1) / parts);
        } catch (...) {
            failed[i] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        for (u64_t i = 1; i < parts; ++i) others.emplace_back(part, i);
        part(0);
    }
    for (const auto& f : failed)
        if (f) std::rethrow_exception(f);
}

/// Elements first, first + 1, ... of `t` as 16-bit elements; another format than `to` is rounded to nearest even.
inline void read_elements(const tensor& t, u64_t first, dtype to, std::span<u16_t> out) {
    if (t.format == weight_format{to}) {
        std::memcpy(out.data(), t.data + 2 * first, out.size_bytes());
        return;
    }
    std::array<float, 2048> values;
    while (!out.empty()) {
        const usz n = std::min(values.size(), out.size());
        dequantize(t, first, {values.data(), n});
        for (usz i = 0; i < n; ++i) out[i] = to == f16 ? f32_to_f16(values[i]) : f32_to_bf16(values[i]);
        first += n;
        out = out.subspan(n);
    }
}

}  // namespace detail

/// Packs one model for one plan. Sees into both the plan given and the model's tensors, which the caller keeps alive. Const members may be
/// called from several threads.
class stream_packer {
public:
    /// @throws model_error when the plan is not for this model
    stream_packer(const stream_plan& plan, const opened_model& model) : plan_(&plan), element_(plan.model.weights.q.element) {
        llama same = streamed(model.contract, plan.model.rows, element_);
        same.context = plan.model.context;
        if (!(same == plan.model))
            throw model_error(model.path + ": the plan of the persistent kernel was made for another model; make it from this contract");
        for (const bound_weight& b : model.bound) {
            auto& layers = at_[static_cast<usz>(b.role)];
            layers.resize(std::max<usz>(layers.size(), b.layer + 1));
            layers[b.layer] = b.stored;
        }
        if (plan.model.tied_head) at_[static_cast<usz>(weight_role::head)] = at_[static_cast<usz>(weight_role::embedding)];
        for (usz role = 0; role < weight_role_count; ++role) largest_[role] = std::vector<std::atomic<u16_t>>(at_[role].size());
    }

    const stream_plan& plan() const { return *plan_; }

    /// Writes the stream of `block`, and zeros behind it to the end of `to`.
    void pack_block(u32_t block, std::span<std::byte> to, u32_t workers = 1) const {
        const u64_t bytes = stream_bytes(*plan_, block);
        if (to.size() < bytes)
            throw model_error(
                fmt::format("the weight stream of block {} has {} bytes, but room for {} was given", block, bytes, to.size()));
        const std::vector<slot> slots = slots_at(block);
        const u64_t enough = std::max<u64_t>(1, bytes / (u64_t{1} << 20));  // a thread costs more than it saves on less
        detail::in_parts(slots.size(), static_cast<u32_t>(std::min<u64_t>(workers, enough)), [&](u64_t first, u64_t last) {
            for (u64_t i = first; i < last; ++i) pack_slot(slots[i], to.data() + slots[i].offset);
        });
        std::fill(to.begin() + static_cast<std::ptrdiff_t>(bytes), to.end(), std::byte{0});
    }

    /// After everything was packed: the first matrix whose elements would not survive as f16, or an empty sentence. Those are looked at that the
    /// stream holds as f16 and the model does not, and with `products` those that are bf16 and become f16 when they are multiplied. The largest
    /// element of a matrix may be as small as 2^14 steps of the smallest f16 numbers, and must not be beyond the largest.
    std::string beyond_f16(bool products) const {
        const bool stored = element_ == f16;
        if (!stored && !products) return {};
        const u16_t least = stored ? 0x1400 : 0x3680, most = stored ? 0x7bff : 0x437f;
        const auto value = [&](u16_t bits) { return stored ? f16_to_f32(bits) : bf16_to_f32(bits); };
        for (usz role = 0; role < weight_role_count; ++role)
            for (usz layer = 0; layer < largest_[role].size(); ++layer) {
                const u16_t bits = largest_[role][layer];
                if (bits == 0 || (bits >= least && bits <= most) || (stored && at_[role][layer]->format == weight_format{f16})) continue;
                return fmt::format("{}: tensor '{}': its largest element is {:.3g}, and f16 needs one from {:.3g} to {:.0f}", at_[role][layer]->file, at_[role][layer]->name,
                                   value(bits), value(least), value(most));
            }
        return {};
    }

    /// parameters_of(plan).end values.
    std::vector<float> parameters() const {
        const llama& m = plan_->model;
        const parameter_layout p = parameters_of(*plan_);
        std::vector<float> out(p.end);
        const auto put = [&](weight_role role, u32_t layer, u64_t at, bool plus_one = false) {
            const tensor& t = weight(role, layer);
            const std::span<float> here(out.data() + at, t.elements());
            dequantize(t, 0, here);
            for (float& v : here) v += plus_one ? 1.0F : 0.0F;
        };
        for (u32_t layer = 0; layer < m.layers; ++layer) {
            const u64_t at = u64_t{layer} * p.layer;
            put(weight_role::attention_norm, layer, at + p.attention_norm, m.norm_plus_one);
            put(weight_role::mlp_norm, layer, at + p.mlp_norm, m.norm_plus_one);
            if (m.qk_norm) {
                put(weight_role::q_norm, layer, at + p.q_norm, m.norm_plus_one);
                put(weight_role::k_norm, layer, at + p.k_norm, m.norm_plus_one);
            }
            if (m.qkv_bias) {
                put(weight_role::q_bias, layer, at + p.qkv_bias);
                put(weight_role::k_bias, layer, at + p.qkv_bias + q_width(m));
                put(weight_role::v_bias, layer, at + p.qkv_bias + q_width(m) + kv_width(m));
            }
            if (m.o_bias) put(weight_role::o_bias, layer, at + p.o_bias);
            if (m.mlp_bias) {
                put(weight_role::gate_bias, layer, at + p.gate_bias);
                put(weight_role::up_bias, layer, at + p.up_bias);
                put(weight_role::down_bias, layer, at + p.down_bias);
            }
        }
        put(weight_role::final_norm, 0, p.final_norm, m.norm_plus_one);
        return out;
    }

    /// Rows first, first + 1, ... of the embedding: as many as `to` holds.
    void embedding_rows(u32_t first, std::span<u16_t> to, u32_t workers = 1) const {
        const u64_t width = plan_->model.hidden;
        detail::in_parts(to.size() / width, workers, [&](u64_t from, u64_t last) {
            const auto rows = to.subspan(from * width, (last - from) * width);
            detail::read_elements(weight(weight_role::embedding, 0), (first + from) * width, element_, rows);
            if (element_ == f16) keep_largest(rows, largest_[static_cast<usz>(weight_role::embedding)][0]);
        });
    }

    /// [context][2][rotary dims / 2]: cosines and sines of every position, by the contract's reference.
    std::vector<float> rope_angles(u32_t workers = 1) const {
        const rope_table table = angles(plan_->model);
        const u64_t width = rotary_dims(table);
        std::vector<float> factors;
        if (table.frequencies.scaling == rope_scaling::table) {
            factors.resize(width / 2);
            dequantize(weight(weight_role::rope_factors, 0), 0, factors);
        }
        std::vector<float> out(plan_->model.context * width);
        detail::in_parts(plan_->model.context, workers, [&](u64_t first, u64_t last) {
            for (u64_t position = first; position < last; ++position)
                reference(table, position, factors.data(), out.data() + position * width);
        });
        return out;
    }

private:
    struct slot {
        stream_op op{};
        u32_t layer = 0;
        u32_t place = 0;
        u32_t first = 0;  ///< of the block's units
        u32_t units = 0;
        u32_t chunk = 0;
        u64_t offset = 0;
    };
    struct row_source {
        const tensor* from = nullptr;  ///< null: zeros
        u64_t row = 0;
        std::atomic<u16_t>* largest = nullptr;
    };

    const tensor& weight(weight_role role, u32_t layer) const {
        const auto& layers = at_[static_cast<usz>(role)];
        if (layer >= layers.size() || layers[layer] == nullptr)
            throw model_error(fmt::format("the model has no weight {} of layer {}", name_of(role), layer));
        return *layers[layer];
    }

    std::vector<slot> slots_at(u32_t block) const {
        std::vector<slot> all;
        u64_t offset = 0;
        const auto add = [&](stream_op o, u32_t layer) {
            const projection_plan& p = (*plan_)[o];
            slot s{.op = o, .layer = layer, .place = place_of(*plan_, o, layer, block)};
            const auto take = [&](u32_t first, u32_t units, u32_t chunk) {
                s.first = first, s.units = units, s.chunk = chunk, s.offset = offset;
                all.push_back(s);
                offset += slot_bytes(p);
            };
            const u32_t n = units_at(*plan_, o, s.place);
            const u32_t step = p.chunks == 1 ? p.slot_units : p.pass_units;
            for (u32_t first = 0; first < n; first += step) {
                const u32_t units = std::min(step, n - first);
                if (p.chunks == 1)
                    take(first, units, 0);
                else
                    for (u32_t i = 0; i < p.chunks * units; ++i) take(first + i % units, 1, i / units);
            }
        };
        for (u32_t layer = 0; layer < plan_->model.layers; ++layer)
            for (const stream_op o : {stream_op::qkv, stream_op::o, stream_op::gate_up, stream_op::down}) add(o, layer);
        add(stream_op::head, plan_->model.layers);
        return all;
    }

    /// Where row `g` of a unit comes from.
    row_source row_of(stream_op o, u32_t layer, u32_t unit, u32_t g) const {
        const llama& m = plan_->model;
        u64_t row = u64_t{unit_rows} * unit + g;
        const auto within = [&](weight_role role, u32_t rows) {
            return row < rows ? row_source{&weight(role, layer), row, &largest_[static_cast<usz>(role)][layer]} : row_source{};
        };
        switch (o) {
            case stream_op::qkv:
                if (row < q_width(m)) return within(weight_role::q, q_width(m));
                row -= q_width(m);
                if (row < kv_width(m)) return within(weight_role::k, kv_width(m));
                row -= kv_width(m);
                return within(weight_role::v, kv_width(m));
            case stream_op::o:
                return within(weight_role::o, m.hidden);
            case stream_op::gate_up:
                row = u64_t{unit_rows / 2} * unit + g % (unit_rows / 2);
                return within(g < unit_rows / 2 ? weight_role::gate : weight_role::up, m.intermediate);
            case stream_op::down:
                return within(weight_role::down, m.hidden);
            case stream_op::head:
                break;
        }
        layer = 0;
        return within(weight_role::head, m.vocab);
    }

    /// [8 warps][slot_units][steps][32 lanes][16 bytes]
    void pack_slot(const slot& s, std::byte* to) const {
        const projection_plan& p = (*plan_)[s.op];
        for (u32_t warp = 0; warp < consumer_warps; ++warp)
            for (u32_t i = 0; i < p.slot_units; ++i, to += u64_t{p.steps} * fragment_bytes) {
                if (i >= s.units) {
                    std::memset(to, 0, u64_t{p.steps} * fragment_bytes);
                    continue;
                }
                const u32_t unit = unit_at(*plan_, s.op, s.place, s.first + i);
                for (u32_t g = 0; g < unit_rows; ++g)
                    pack_row(p, row_of(s.op, s.layer, unit, g), (u64_t{s.chunk} * consumer_warps + warp) * p.steps * fragment_terms, g, to);
            }
    }

    /// The terms from `k` on that one warp multiplies, of row `g` of a unit. Lane 4 g + t has, of two fragments, terms 16 t to 16 t + 15 of
    /// the 64 in the order that an mma takes them; of a last single one, terms 8 t to 8 t + 7 of 32.
    void pack_row(const projection_plan& p, const row_source& from, u64_t k, u32_t g, std::byte* unit) const {
        std::array<u16_t, most_slot_steps * fragment_terms> terms{};
        if (from.from != nullptr && k < p.in) {
            detail::read_elements(*from.from, from.row * p.in + k, element_,
                                  std::span(terms).first(std::min<u64_t>(p.steps * fragment_terms, p.in - k)));
            keep_largest(terms, *from.largest);
        }
        using pair = std::array<u16_t, 2>;  // a 32-bit register, low half first
        const auto words = std::bit_cast<std::array<pair, terms.size() / 2>>(terms);
        const auto put = [&](u32_t fragment, u32_t t, const std::array<u32_t, 4>& order, u32_t word) {
            const std::array<pair, 4> lane{words[word + order[0]], words[word + order[1]], words[word + order[2]], words[word + order[3]]};
            std::memcpy(unit + u64_t{fragment} * fragment_bytes + (4 * g + t) * 16, lane.data(), sizeof lane);
        };
        u32_t f = 0;
        for (; f + 1 < p.steps; f += 2)
            for (u32_t t = 0; t < 4; ++t) {
                put(f, t, {0, 4, 1, 5}, 16 * f + 8 * t);
                put(f + 1, t, {2, 6, 3, 7}, 16 * f + 8 * t);
            }
        if (f < p.steps)
            for (u32_t t = 0; t < 4; ++t) put(f, t, {0, 2, 1, 3}, 16 * f + 4 * t);
    }

    static void keep_largest(std::span<const u16_t> terms, std::atomic<u16_t>& largest) {
        u16_t here = 0;
        for (const u16_t t : terms) here = std::max<u16_t>(here, t & 0x7fff);
        for (u16_t before = largest.load(std::memory_order_relaxed);
             before < here && !largest.compare_exchange_weak(before, here, std::memory_order_relaxed);) {
        }
    }

    const stream_plan* plan_;
    dtype element_;
    std::vector<const tensor*> at_[weight_role_count];
    mutable std::vector<std::atomic<u16_t>> largest_[weight_role_count];  ///< magnitude of what was packed, by role and layer, as bits
};
static_assert(std::endian::native == std::endian::little, "weight streams hold elements as little-endian machines keep them");

}  // namespace netra::inline v0

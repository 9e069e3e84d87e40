// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Lowers a model contract to a schedule; the same function at compile time and at run time.
#pragma once

#include <netra/contracts/models/llama_weights.hpp>
#include <netra/schedule/builder.hpp>
#include <netra/schedule/memory_plan.hpp>

namespace netra::inline v0 {

namespace detail {

/// Adds the groups of one step of a Llama-family model.
template <class Schedule>
class llama_lowering {
  public:
    constexpr llama_lowering(const llama& m, const lower_config& config, Schedule& to) : m_(m), config_(config), splits_(splits_of(m, config)), build_(to, config) {}

    constexpr void run() { run(m_.layers); }
    /// As if the model had `layers` layers.
    constexpr void run(u32_t layers) {
        declare_globals();
        declare_operations();
        lower_entry();
        for (u32_t layer = 0; layer < layers; ++layer) {
            lower_qkv(layer);
            lower_attention(layer);
            lower_residual(layer, "o_proj", o_op_, o_proj(m_), weight_role::o, weight_role::o_bias, attended_);
            lower_mlp(layer);
            lower_residual(layer, "down", down_op_, down_proj(m_), weight_role::down, weight_role::down_bias, gated_);
        }
        lower_exit();
    }

  private:
    static constexpr u64_t f = sizeof(float);

    constexpr u16_t weight(weight_role role, u32_t layer) {
        const weight_shape shape = shape_of(m_, role);
        const name n = per_layer(role) ? indexed(name_of(role), layer) : name{name_of(role)};
        const u64_t row_bytes = bytes_of(format_of(m_, role), shape.width);
        return build_.add({.name = n, .kind = buffer_kind::weight, .role = static_cast<u8_t>(role), .layer = layer,
                           .row_bytes = is_matrix(shape) ? shape.rows * row_bytes : row_bytes});
    }
    constexpr u16_t activation(const name& n, u64_t width) { return build_.add({.name = n, .rows = m_.rows, .row_bytes = width * f}); }

    constexpr void declare_globals() {
        tokens_ = build_.add({.name = "tokens", .kind = buffer_kind::input, .rows = m_.rows, .row_bytes = 4});
        position_ = build_.add({.name = "position", .kind = buffer_kind::input, .row_bytes = 4});
        embedding_ = weight(weight_role::embedding, 0);
        head_ = m_.tied_head ? embedding_ : weight(weight_role::head, 0);
        hidden_ = activation("hidden", m_.hidden);
        angles_ = activation("angles", rotary_dims(angles(m_)));
        logits_ = build_.add({.name = "logits", .kind = buffer_kind::output, .row_bytes = m_.vocab * f});
        next_ = build_.add({.name = "next", .kind = buffer_kind::output, .row_bytes = 4});
    }

    /// A projection of the hidden state: `parts` side by side, normalised before where the configuration fuses it.
    constexpr projection normed(epilogue after) const {
        projection p;
        p.norm = config_.fuse_norm;
        if (p.norm) p.before = hidden_norm(m_);
        p.after = after;
        p.act = m_.act;
        return p;
    }
    constexpr u16_t add_projection(projection p, const linear& a) {
        p.parts.push_back(a);
        return build_.add(operation{p});
    }
    constexpr void declare_operations() {
        projection store = normed(epilogue::store);
        if (!config_.fuse_norm) norm_op_ = build_.add(operation{hidden_norm(m_)});
        if (config_.fuse_qkv) {
            store.parts.push_back(q_proj(m_));
            store.parts.push_back(k_proj(m_));
            store.parts.push_back(v_proj(m_));
            qkv_ops_[0] = build_.add(operation{store});
        } else {
            qkv_ops_[0] = add_projection(store, q_proj(m_));
            qkv_ops_[1] = add_projection(store, k_proj(m_));
            qkv_ops_[2] = add_projection(store, v_proj(m_));
        }
        append_op_ = build_.add(operation{append(m_)});
        const attention plain = attend(m_, 0, splits_);
        const attention windowed = attend(m_, m_.layers - 1, splits_);
        attention_op_[0] = build_.add(operation{plain});
        attention_op_[1] = windowed == plain ? attention_op_[0] : build_.add(operation{windowed});
        if (splits_ > 1) {
            combine_op_[0] = build_.add(operation::combine(plain));
            combine_op_[1] = windowed == plain ? combine_op_[0] : build_.add(operation::combine(windowed));
        }
        projection residual;
        residual.after = config_.fuse_residual ? epilogue::add : epilogue::store;
        o_op_ = add_projection(residual, o_proj(m_));
        down_op_ = add_projection(residual, down_proj(m_));
        if (!config_.fuse_residual) add_op_ = build_.add(operation{add{.rows = m_.rows, .width = m_.hidden}});
        if (config_.fuse_gate_up) {
            projection gate = normed(epilogue::gate);
            gate.parts.push_back(gate_proj(m_));
            gate.parts.push_back(up_proj(m_));
            gate_up_ops_[0] = build_.add(operation{gate});
        } else {
            gate_up_ops_[0] = add_projection(normed(epilogue::store), gate_proj(m_));
            gate_up_ops_[1] = add_projection(normed(epilogue::store), up_proj(m_));
            gate_op_ = build_.add(operation{gated_mul{.rows = m_.rows, .width = m_.intermediate, .act = m_.act}});
        }
    }

    constexpr void lower_entry() {
        group table = build_.start("rope_table", build_.add(operation{angles(m_)}), 0, 1);
        table.queue = {config_.workers - 1, 0, 1};  // beside the embedding
        reads(table, position_, same_bytes(0, 4));
        if (has_weight(m_, weight_role::rope_factors)) reads(table, weight(weight_role::rope_factors, 0), same_bytes(0, rotary_dims(angles(m_)) / 2 * f));
        writes(table, angles_, same_bytes(0, rotary_dims(angles(m_)) * f));
        table_ = build_.finish(table);

        group embed = build_.start("embedding", build_.add(operation{token_embedding(m_)}), 0, 1);
        reads(embed, tokens_, same_bytes(0, 4));
        reads(embed, embedding_, same_bytes(0, m_.vocab * bytes_of(m_.weights.embedding, m_.hidden)));
        writes(embed, hidden_, same_bytes(0, m_.hidden * f));
        hidden_ready_ = build_.finish(embed);
    }

    constexpr u32_t tile_of(u64_t outputs) const {
        const u64_t even = (outputs + config_.workers - 1) / config_.workers;
        const u64_t wanted = config_.tile_outputs != 0 ? config_.tile_outputs : (even + 7) / 8 * 8;
        return static_cast<u32_t>(wanted < outputs ? wanted : outputs);
    }
    static constexpr u32_t tiles_of(u64_t outputs, u32_t tile) { return static_cast<u32_t>((outputs + tile - 1) / tile); }

    struct part {
        linear what;
        weight_role weight;
        weight_role bias;
        u64_t before;  ///< outputs of the parts that stand before this one in the group's concatenation
    };
    constexpr void read_weights(group& g, const part& p, u32_t layer, u32_t tile) {
        const u64_t row = weight_row_bytes(p.what);
        reads(g, p.weight == weight_role::head ? head_ : weight(p.weight, layer),
              cut_part(p.before * row, p.what.out * row, tile * row));
        if (p.what.bias) reads(g, weight(p.bias, layer), cut_part(p.before * f, p.what.out * f, tile * f));
    }

    /// The input of a projection of the hidden state: itself with the norm's weight, or a normalised copy from a group of its own.
    constexpr u16_t normed_input(weight_role norm, u32_t layer, const char* called) {
        if (config_.fuse_norm) return weight(norm, layer);
        group g = build_.start(per_layer(norm) ? indexed(called, layer) : name{called}, norm_op_, layer, 1);
        join(g, hidden_ready_);
        const u16_t to = activation(per_layer(norm) ? indexed("normed", 2 * layer + (norm == weight_role::mlp_norm ? 1 : 0)) : name{"normed"}, m_.hidden);
        reads(g, hidden_, same_bytes(0, m_.hidden * f));
        reads(g, weight(norm, layer), same_bytes(0, m_.hidden * f));
        writes(g, to, same_bytes(0, m_.hidden * f));
        input_ready_ = build_.finish(g);
        return to;
    }
    constexpr void read_input(group& g, u16_t norm_or_copy) {
        join(g, config_.fuse_norm ? hidden_ready_ : input_ready_);
        reads(g, config_.fuse_norm ? hidden_ : norm_or_copy, same_bytes(0, m_.hidden * f));
        if (config_.fuse_norm) reads(g, norm_or_copy, same_bytes(0, m_.hidden * f));
    }

    constexpr void lower_qkv(u32_t layer) {
        const part parts[] = {{q_proj(m_), weight_role::q, weight_role::q_bias, 0},
                              {k_proj(m_), weight_role::k, weight_role::k_bias, q_width(m_)},
                              {v_proj(m_), weight_role::v, weight_role::v_bias, q_width(m_) + kv_width(m_)}};
        const char* names[] = {"q_proj", "k_proj", "v_proj"};
        const u16_t input = normed_input(weight_role::attention_norm, layer, "attention_norm");
        qkv_ = activation(indexed("qkv", layer), qkv_width(m_));
        if (config_.fuse_qkv) {
            qkv_tile_ = tile_of(qkv_width(m_));
            group g = build_.start(indexed("qkv", layer), qkv_ops_[0], layer, tiles_of(qkv_width(m_), qkv_tile_), per_head());
            read_input(g, input);
            for (const auto& p : parts) read_weights(g, p, layer, qkv_tile_);
            writes(g, qkv_, cut(0, qkv_width(m_) * f, qkv_tile_ * f));
            qkv_ready_[0] = build_.finish(g);
            return;
        }
        for (usz i = 0; i < 3; ++i) {
            part p = parts[i];
            const u64_t at = p.before;
            p.before = 0;
            const u32_t tile = tile_of(p.what.out);
            group g = build_.start(indexed(names[i], layer), qkv_ops_[i], layer, tiles_of(p.what.out, tile));
            read_input(g, input);
            read_weights(g, p, layer, tile);
            writes(g, qkv_, cut(at * f, p.what.out * f, tile * f));
            qkv_ready_[i] = build_.finish(g);
        }
    }

    /// Heads can be waited for one by one: no tile of the fused projection straddles a head.
    constexpr bool per_head() const { return config_.per_head_waits && config_.fuse_qkv && m_.head_dim % tile_of(qkv_width(m_)) == 0; }

    constexpr void lower_attention(u32_t layer) {
        const u64_t head = m_.head_dim;
        const u32_t heads_of_kv = m_.heads / m_.kv_heads;
        const u64_t cache_head = head * bits_of(m_.kv) / 8;
        const u64_t cache_row = m_.kv_heads * cache_head;
        const u16_t keys = build_.add({.name = indexed("keys", layer), .kind = buffer_kind::state, .layer = layer, .rows = m_.context, .row_bytes = cache_row});
        const u16_t values = build_.add({.name = indexed("values", layer), .kind = buffer_kind::state, .layer = layer, .rows = m_.context, .row_bytes = cache_row});

        group a = build_.start(indexed("rope_append", layer), append_op_, layer, m_.kv_heads, config_.per_head_waits);
        if (per_head()) {
            const u32_t per = m_.head_dim / qkv_tile_;  // tiles of a head
            join_tiles(a, qkv_ready_[0], 0, heads_of_kv * per, 1);
            join_tiles(a, qkv_ready_[0], m_.heads * per, per, 1);
            join_tiles(a, qkv_ready_[0], (m_.heads + m_.kv_heads) * per, per, 1);
        } else {
            for (usz i = 0; i < (config_.fuse_qkv ? 1U : 3U); ++i) join(a, qkv_ready_[i]);
        }
        if (layer == 0) join(a, table_);
        reads(a, qkv_, cut(0, q_width(m_) * f, heads_of_kv * head * f));
        reads(a, qkv_, cut(q_width(m_) * f, kv_width(m_) * f, head * f));
        reads(a, qkv_, cut((q_width(m_) + kv_width(m_)) * f, kv_width(m_) * f, head * f));
        reads(a, angles_, same_bytes(0, rotary_dims(angles(m_)) * f));
        if (m_.qk_norm) reads(a, weight(weight_role::q_norm, layer), same_bytes(0, head * f)), reads(a, weight(weight_role::k_norm, layer), same_bytes(0, head * f));
        writes(a, qkv_, cut(0, q_width(m_) * f, heads_of_kv * head * f));
        writes(a, keys, cut(0, cache_row, cache_head), row_part::fresh);
        writes(a, values, cut(0, cache_row, cache_head), row_part::fresh);
        const added_group appended = build_.finish(a);

        const u32_t tile_heads = attention_tile_heads();
        const u32_t tiles_of_kv = heads_of_kv / tile_heads * splits_;
        const usz variant = layer < m_.first_window_layer ? 0 : 1;
        const u64_t out_bytes = splits_ == 1 ? q_width(m_) * f : partial_bytes(attend(m_, layer, splits_));
        attended_ = activation(indexed(splits_ == 1 ? "attended" : "partials", layer), out_bytes / f);
        group g = build_.start(indexed("attention", layer), attention_op_[variant], layer, m_.kv_heads * tiles_of_kv);
        if (config_.per_head_waits) join_tiles(g, appended, 0, 1, tiles_of_kv);
        else join(g, appended);
        reads(g, qkv_, cut(0, q_width(m_) * f, tile_heads * head * f, splits_));
        const u16_t caches[] = {keys, values};
        for (const u16_t cache : caches) {
            reads(g, cache, cut(0, cache_row, cache_head, tiles_of_kv), row_part::past);
            reads(g, cache, cut(0, cache_row, cache_head, tiles_of_kv), row_part::fresh);
        }
        writes(g, attended_, cut(0, out_bytes, out_bytes / g.tiles));
        attended_ready_ = build_.finish(g);
        if (splits_ > 1) lower_combine(layer, variant);
        projected_ready_ = attended_ready_;
    }
    constexpr void lower_combine(u32_t layer, usz variant) {
        const u64_t partial = partial_bytes(attend(m_, layer, splits_));
        group g = build_.start(indexed("combine", layer), combine_op_[variant], layer, m_.kv_heads);
        join(g, attended_ready_);
        reads(g, attended_, cut(0, partial, partial / m_.kv_heads));
        attended_ = activation(indexed("attended", layer), q_width(m_));
        writes(g, attended_, cut(0, q_width(m_) * f, q_width(m_) / m_.kv_heads * f));
        attended_ready_ = build_.finish(g);
    }
    static constexpr u32_t splits_of(const llama& m, const lower_config& config) {
        if (config.kv_splits != 0) return config.kv_splits;
        u32_t common = m.kv_heads;  // greatest common divisor with the workers
        for (u32_t b = config.workers; b != 0;) {
            const u32_t rest = common % b;
            common = b;
            b = rest;
        }
        return config.workers / common;
    }
    /// Query heads of an attention tile; they share a kv head.
    constexpr u32_t attention_tile_heads() const {
        const u32_t of_kv = m_.heads / m_.kv_heads;
        return splits_ > 1 || config_.heads_per_tile == 0 || of_kv % config_.heads_per_tile != 0 ? of_kv : config_.heads_per_tile;
    }

    constexpr void lower_residual(u32_t layer, const char* called, u16_t op, const linear& what, weight_role matrix, weight_role bias, u16_t input) {
        const u32_t tile = tile_of(m_.hidden);
        const u32_t tiles = tiles_of(m_.hidden, tile);
        group g = build_.start(indexed(called, layer), op, layer, tiles);
        join(g, projected_ready_);
        reads(g, input, same_bytes(0, what.in * f));
        read_weights(g, {what, matrix, bias, 0}, layer, tile);
        if (config_.fuse_residual) {
            reads(g, hidden_, cut(0, m_.hidden * f, tile * f));
            writes(g, hidden_, cut(0, m_.hidden * f, tile * f));
            hidden_ready_ = build_.finish(g);
            return;
        }
        const u16_t delta = activation(indexed(matrix == weight_role::o ? "o_delta" : "down_delta", layer), m_.hidden);
        writes(g, delta, cut(0, m_.hidden * f, tile * f));
        const added_group ready = build_.finish(g);
        group sum = build_.start(indexed(matrix == weight_role::o ? "o_add" : "down_add", layer), add_op_, layer, tiles);
        join(sum, ready);
        reads(sum, hidden_, cut(0, m_.hidden * f, tile * f));
        reads(sum, delta, cut(0, m_.hidden * f, tile * f));
        writes(sum, hidden_, cut(0, m_.hidden * f, tile * f));
        hidden_ready_ = build_.finish(sum);
    }

    constexpr void lower_mlp(u32_t layer) {
        const part gate{gate_proj(m_), weight_role::gate, weight_role::gate_bias, 0};
        const part up{up_proj(m_), weight_role::up, weight_role::up_bias, 0};
        const u64_t width = m_.intermediate * f;
        const u32_t tile = tile_of(m_.intermediate);
        const u32_t tiles = tiles_of(m_.intermediate, tile);
        const u16_t input = normed_input(weight_role::mlp_norm, layer, "mlp_norm");
        if (config_.fuse_gate_up) {
            group g = build_.start(indexed("gate_up", layer), gate_up_ops_[0], layer, tiles);
            read_input(g, input);
            read_weights(g, gate, layer, tile);
            read_weights(g, up, layer, tile);
            gated_ = activation(indexed("gated", layer), m_.intermediate);
            writes(g, gated_, cut(0, width, tile * f));
            projected_ready_ = build_.finish(g);
            return;
        }
        const u16_t both = activation(indexed("gate_up", layer), 2ULL * m_.intermediate);
        added_group ready[2];
        for (usz i = 0; i < 2; ++i) {
            group g = build_.start(indexed(i == 0 ? "gate" : "up", layer), gate_up_ops_[i], layer, tiles);
            read_input(g, input);
            read_weights(g, i == 0 ? gate : up, layer, tile);
            writes(g, both, cut(i * width, width, tile * f));
            ready[i] = build_.finish(g);
        }
        group g = build_.start(indexed("gated_mul", layer), gate_op_, layer, tiles);
        for (const auto& r : ready) join(g, r);
        reads(g, both, cut(0, width, tile * f));
        reads(g, both, cut(width, width, tile * f));
        gated_ = activation(indexed("gated", layer), m_.intermediate);
        writes(g, gated_, cut(0, width, tile * f));
        projected_ready_ = build_.finish(g);
    }

    constexpr void lower_exit() {
        projection p = normed(epilogue::store);
        p.last_row = true;
        const u32_t tile = tile_of(m_.vocab);
        const u16_t input = normed_input(weight_role::final_norm, 0, "final_norm");
        group g = build_.start("head", add_projection(p, head_proj(m_)), 0, tiles_of(m_.vocab, tile));
        read_input(g, input);
        read_weights(g, {head_proj(m_), weight_role::head, weight_role::head, 0}, 0, tile);
        writes(g, logits_, cut(0, m_.vocab * f, tile * f));
        const added_group ready = build_.finish(g);
        group choose = build_.start("sampling", build_.add(operation{sampling{.vocab = m_.vocab}}), 0, 1);
        join(choose, ready);
        reads(choose, logits_, same_bytes(0, m_.vocab * f));
        writes(choose, next_, same_bytes(0, 4));
        build_.finish(choose);
    }

    llama m_;
    lower_config config_;
    u32_t splits_;
    schedule_builder<Schedule> build_;
    u16_t tokens_ = 0, position_ = 0, embedding_ = 0, head_ = 0, hidden_ = 0, angles_ = 0, logits_ = 0, next_ = 0;
    u16_t qkv_ = 0, attended_ = 0, gated_ = 0;
    u16_t norm_op_ = 0, append_op_ = 0, o_op_ = 0, down_op_ = 0, add_op_ = 0, gate_op_ = 0;
    u16_t qkv_ops_[3]{}, gate_up_ops_[2]{}, attention_op_[2]{}, combine_op_[2]{};
    u32_t qkv_tile_ = 0;
    added_group table_{}, hidden_ready_{}, input_ready_{}, attended_ready_{}, projected_ready_{}, qkv_ready_[3]{};
};

}  // namespace detail

/// Whether a configuration can be applied to a model; lower() does so.
constexpr verdict check(const llama& m, const lower_config& c) {
    return detail::checking{"lowering"}
        .nested(check(m))
        .size("workers", c.workers, max_dimension)
        .size("kv_splits", c.kv_splits == 0 ? 1 : c.kv_splits, 256)
        .result;
}

/// Fills an empty schedule. @pre check(m, config) accepts
template <class Schedule>
constexpr void lower(const llama& m, const device& where, const lower_config& config, Schedule& to) {
    to.where = where;
    detail::llama_lowering<Schedule>(m, config, to).run();
}

/// The counts of lower()'s result. Every layer has as many groups and buffers as the first.
constexpr schedule_size lowered_size(const llama& m, const lower_config& config) {
    counting_schedule none;
    counting_schedule one;
    detail::llama_lowering<counting_schedule>(m, config, none).run(0);
    detail::llama_lowering<counting_schedule>(m, config, one).run(1);
    const auto total = [&](usz without, usz with) { return without + m.layers * (with - without); };
    return {total(none.groups.count, one.groups.count), total(none.buffers.count, one.buffers.count), one.operations.count};
}

}  // namespace netra::inline v0

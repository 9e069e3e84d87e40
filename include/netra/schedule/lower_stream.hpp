// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Lowers the plan of a persistent kernel to a schedule whose groups wait by word, so that the checkers prove the kernel's exchange.
#pragma once

#include <netra/schedule/builder.hpp>
#include <netra/schedule/draw_rounds.hpp>

namespace netra::inline v0 {

/// Which steps of a launch are lowered, and what is known of them.
struct stream_scope {
    u32_t steps = 2;
    u32_t layers = 0;         ///< the first so many of the model; 0: all
    u32_t headless = 0;       ///< bit i: step i has no head
    u32_t draws = 0;          ///< bit i: step i draws, if it has a head and the plan one row
    u32_t rounds = draw_rounds;  ///< of a draw
    u32_t active = 0;         ///< the first so many splits of a kv head have positions; 0: all. A single one publishes attended values itself
    bool own_queues = false;  ///< every tile has a queue of its own, except that a block chooses before it embeds the next step's tokens
    friend constexpr bool operator==(const stream_scope&, const stream_scope&) = default;
};

/// The words that blocks exchange: buffers 0, 1, ... of the schedule, in the order of the memory.
/// Plans of several rows have no rounds.
enum class exchange : u16_t { residual, middle, qkv, partials, attended, gated, best, rounds };

/// Splits of a kv head that have a share of its attended values.
constexpr u32_t sharing_splits(const stream_plan& p) {
    const u32_t values = p.model.heads / p.model.kv_heads * p.model.head_dim;
    return divided_up(values, divided_up(values, p.kv_splits));
}

namespace detail {

/// Adds the groups of consecutive steps of a persistent kernel.
///
/// Blocks: the warps that multiply and those that attend (and embed, and choose) go on independently, so block b is two queues, 2 b and
/// 2 b + 1. A queue map is affine: tiles of attention or combine that are fewer than the kernel's are on other queues than there (but where
/// one split is active), as the remaining ones without a gap; check_stream needs no queue of theirs.
/// Words: every exchange has one buffer, as large and in the order as in memory, and no group waits in any other way than by word.
/// Caches: a state's past row stands for what a launch finds, its fresh row for every row that the launch appends; so any two steps
/// conflict in it, whichever positions they touch. A tile reads what it has written itself without saying so. Bytes of a row are cut by
/// (kv head, split), as the memory is.
/// Partial results are numbered [kv head][split][head of it] here and [head][split] in memory: the same words under other numbers. A tile's
/// share of the attended words is rounded up, the last one's included.
template <class Schedule>
class stream_lowering {
  public:
    constexpr stream_lowering(const stream_plan& p, const stream_scope& scope, Schedule& to)
        : p_(p), m_(p.model), scope_(scope), config_{.workers = 2 * p.blocks}, build_(to, config_), to_(to) {
        if (scope_.layers == 0 || scope_.layers > m_.layers) scope_.layers = m_.layers;
        if (scope_.active == 0 || scope_.active > p.kv_splits) scope_.active = p.kv_splits;
    }

    constexpr void run() {
        declare_words();
        declare_inputs();
        for (u32_t layer = 0; layer < scope_.layers; ++layer) declare_layer(layer);
        declare_operations();
        for (step_ = 0; step_ < scope_.steps; ++step_) {
            lower_embedding();
            for (u32_t layer = 0; layer < scope_.layers; ++layer) {
                lower_qkv(layer);
                lower_attention(layer);
                if (scope_.active > 1) lower_combine(layer);
                lower_o(layer);
                lower_gate_up(layer);
                lower_down(layer);
            }
            if (!has_head(step_)) continue;
            lower_head();
            for (u32_t r = 0; r < rounds(); ++r) lower_round(r);
            lower_choose();
        }
        if (scope_.own_queues) to_.queues = next_queue_;
        to_.where = p_.where;
        to_.where.workers = to_.queues;
    }

  private:
    static constexpr u64_t f = sizeof(float);
    static constexpr u64_t word = 8;
    static constexpr u64_t pair = 2 * word;

    // sizes

    constexpr u64_t cache_tiles() const { return u64_t{m_.kv_heads} * p_.kv_splits; }
    constexpr u64_t cache_share() const { return 2ULL * p_.kv_row; }  ///< bytes of a position in a split
    constexpr u64_t group_values() const { return u64_t{m_.heads / m_.kv_heads} * m_.head_dim; }  ///< of the query heads of a kv head
    constexpr u64_t partial_share() const { return (m_.head_dim + 2ULL) * (m_.heads / m_.kv_heads) * word; }
    constexpr u64_t partial_bytes() const { return m_.kv_heads * scope_.active * partial_share(); }
    constexpr u64_t attended_share() const { return divided_up(group_values(), p_.kv_splits) * word; }
    constexpr u64_t attended_bytes() const { return m_.kv_heads * sharing_splits(p_) * attended_share(); }
    constexpr u32_t embedding_share() const { return divided_up(m_.hidden, p_.blocks); }
    constexpr u64_t best_bytes() const { return u64_t{head_blocks(p_)} * pair; }
    constexpr u64_t round_stride() const { return u64_t{p_.blocks} * round_words * word; }
    constexpr byte_range round_of_all(u32_t r) const { return same_bytes(r * round_stride(), u64_t{head_blocks(p_)} * round_words * word); }
    constexpr byte_range round_of_tile(u32_t r) const { return cut(r * round_stride(), u64_t{head_blocks(p_)} * round_words * word, round_words * word); }
    static constexpr byte_range all(u64_t bytes) { return same_bytes(0, bytes); }

    // buffers

    static constexpr u16_t of(exchange e) { return static_cast<u16_t>(e); }
    constexpr void declare_words() {
        const auto words = [&](const char* called, u64_t row_bytes) {
            const u64_t at = to_.arena_bytes;
            to_.arena_bytes += (m_.rows * row_bytes + pair - 1) / pair * pair;  // pairs are polled
            build_.add({.name = called, .rows = m_.rows, .row_bytes = row_bytes, .arena = at});
        };
        words("residual", m_.hidden * word);
        words("middle", m_.hidden * word);
        words("qkv", qkv_width(m_) * word);
        words("partials", cache_tiles() * partial_share());
        words("attended", attended_bytes());
        words("gated", even(m_.intermediate) * word);
        words("best", p_.blocks * pair);
        if (rounds_of(p_) != 0) words("rounds", u64_t{rounds_of(p_)} * round_stride());
    }
    constexpr u16_t weight(weight_role role, u32_t layer) {
        const weight_shape shape = shape_of(m_, role);
        const u64_t row_bytes = bytes_of(format_of(m_, role), shape.width);
        return build_.add({.name = per_layer(role) ? indexed(name_of(role), layer) : name{name_of(role)}, .kind = buffer_kind::weight,
                           .role = static_cast<u8_t>(role), .layer = layer, .row_bytes = is_matrix(shape) ? shape.rows * row_bytes : row_bytes});
    }
    constexpr void declare_inputs() {
        const auto input = [&](const char* called, u64_t rows, u64_t row_bytes) {
            return build_.add({.name = called, .kind = buffer_kind::input, .rows = rows, .row_bytes = row_bytes});
        };
        orders_ = input("orders", scope_.steps, 32);
        tokens_ = input("tokens", u64_t{scope_.steps} * m_.rows, 4);
        angles_ = input("angles", m_.context, f * rotary_dims(angles(m_)));
        embedding_ = weight(weight_role::embedding, 0);
        final_norm_ = weight(weight_role::final_norm, 0);
        head_ = m_.tied_head ? embedding_ : weight(weight_role::head, 0);
    }
    /// Every layer has the same buffers, one after the other.
    constexpr void declare_layer(u32_t layer) {
        const auto before = to_.buffers.size();
        for (usz i = 0; i < weight_role_count; ++i) {
            const auto role = static_cast<weight_role>(i);
            if (!per_layer(role) || !has_weight(m_, role)) continue;
            const u16_t at = weight(role, layer);
            if (layer == 0) weights_[i] = at;
        }
        const auto cache = [&](const char* called) {
            return build_.add({.name = indexed(called, layer), .kind = buffer_kind::state, .layer = layer, .rows = p_.split_positions,
                               .row_bytes = cache_tiles() * cache_share()});
        };
        const u16_t keys = cache("keys");
        const u16_t values = cache("values");
        if (layer == 0) keys_ = keys, values_ = values, layer_buffers_ = static_cast<u32_t>(to_.buffers.size() - before);
    }
    constexpr u16_t of_layer(u16_t first, u32_t layer) const { return static_cast<u16_t>(first + layer * layer_buffers_); }
    constexpr u16_t of_layer(weight_role role, u32_t layer) const { return of_layer(weights_[static_cast<usz>(role)], layer); }

    // operations

    /// Attention, combine and choose have none: no contract of one operation is theirs.
    constexpr void declare_operations() {
        plain_ = build_.add(operation{});
        const auto words = [&](projection c, const linear& a, u32_t pairs = 0) {
            c.parts.push_back(a);
            return build_.add(operation::of_words(c, pairs));
        };
        projection normed;
        normed.norm = true;
        normed.before = hidden_norm(m_);
        projection qkv = normed;
        qkv.parts.push_back(q_proj(m_));
        qkv.parts.push_back(k_proj(m_));
        ops_[0] = words(qkv, v_proj(m_));
        projection gate = normed;
        gate.after = epilogue::gate;
        gate.act = m_.act;
        gate.parts.push_back(gate_proj(m_));
        ops_[2] = words(gate, up_proj(m_));
        linear head = head_proj(m_);
        head.rows = m_.rows;
        ops_[4] = words(normed, head, head_blocks(p_));
        drawing_head_ = words(normed, head, head_blocks(p_) * round_words / 2);
        projection added;
        added.after = epilogue::add;
        ops_[1] = attended_bytes() == q_width(m_) * word ? words(added, o_proj(m_)) : plain_;
        ops_[3] = words(added, down_proj(m_));
    }
    constexpr u16_t op_of(stream_op o) const { return ops_[static_cast<usz>(o)]; }

    // groups

    constexpr name called(const char* what) const { return indexed(what, step_); }
    constexpr name called(const char* what, u32_t layer) const { return indexed(what, step_ * scope_.layers + layer); }
    constexpr bool has_head(u32_t step) const { return (scope_.headless >> step & 1) == 0; }
    /// Of this step's draw.
    constexpr u32_t rounds() const { return rounds_of(p_) != 0 && (scope_.draws >> step_ & 1) != 0 ? scope_.rounds : 0; }

    static constexpr index_map attending(u32_t apart = 1) { return {1, 2 * apart, 1}; }
    constexpr group start(const name& n, u32_t layer, u64_t tiles, const index_map& queue) {
        group g = build_.start(n, plain_, layer, static_cast<u32_t>(tiles));
        g.queue = scope_.own_queues ? index_map{next_queue_, 1, 1} : queue;
        next_queue_ += g.tiles;
        return g;
    }
    /// A tile is a unit.
    constexpr group start_units(const char* what, stream_op o, u32_t layer) {
        group g = start(called(what, layer), layer, p_[o].units, {2 * first_block(p_, o, layer), 2, 1});
        g.op = op_of(o);
        return g;
    }
    constexpr void finish(const group& g) {
        build_.finish(g);
        for (const auto& a : g.accesses)
            if (a.write && a.buffer <= of(exchange::rounds)) writer_[a.buffer] = static_cast<u16_t>(to_.groups.size() - 1);
    }
    /// Reads words, and waits for them.
    constexpr void polls(group& g, exchange e, const byte_range& r) {
        g.words.push_back(writer_[of(e)]);
        reads(g, of(e), r);
    }
    constexpr void read_matrix(group& g, weight_role matrix, weight_role bias, u32_t layer, u64_t before, u64_t tile) {
        const weight_shape shape = shape_of(m_, matrix);
        const u64_t row = bytes_of(format_of(m_, matrix), shape.width);
        reads(g, of_layer(matrix, layer), cut_part(before * row, shape.rows * row, tile * row));
        if (has_weight(m_, bias)) reads(g, of_layer(bias, layer), cut_part(before * f, shape.rows * f, tile * f));
    }

    /// From the second step on it waits for whoever still needs the residual words, also when its tokens are given: for what all blocks
    /// found best or, where no head read these words, for their last values.
    constexpr void lower_embedding() {
        const byte_range own = cut(0, m_.hidden * word, embedding_share() * word);
        group g = start(called("embedding"), 0, divided_up(m_.hidden, embedding_share()), attending());
        operation op = operation::of_words(token_embedding(m_));
        if (step_ != 0 && has_head(step_ - 1)) polls(g, exchange::best, all(best_bytes())), op.pairs = head_blocks(p_);
        else if (step_ != 0) polls(g, exchange::residual, own), op.again = true;
        g.op = build_.add(op);
        reads(g, tokens_, all(4));
        reads(g, embedding_, all(m_.vocab * bytes_of(m_.weights.embedding, m_.hidden)));
        writes(g, of(exchange::residual), own);
        finish(g);
    }
    constexpr void lower_qkv(u32_t layer) {
        group g = start_units("qkv", stream_op::qkv, layer);
        polls(g, exchange::residual, all(m_.hidden * word));
        reads(g, of_layer(weight_role::attention_norm, layer), all(m_.hidden * f));
        read_matrix(g, weight_role::q, weight_role::q_bias, layer, 0, unit_rows);
        read_matrix(g, weight_role::k, weight_role::k_bias, layer, q_width(m_), unit_rows);
        read_matrix(g, weight_role::v, weight_role::v_bias, layer, q_width(m_) + kv_width(m_), unit_rows);
        writes(g, of(exchange::qkv), cut(0, qkv_width(m_) * word, unit_rows * word));
        finish(g);
    }
    constexpr void lower_attention(u32_t layer) {
        const u32_t splits = scope_.active;
        group g = start(called("attention", layer), layer, m_.kv_heads * splits, attending(splits == 1 ? p_.kv_splits : 1));
        const u64_t head = m_.head_dim * word;
        const u64_t q = q_width(m_) * word;
        const u64_t kv = kv_width(m_) * word;
        polls(g, exchange::qkv, cut(0, q, group_values() * word, splits));
        reads(g, of(exchange::qkv), cut(q, kv, head, splits));
        reads(g, of(exchange::qkv), cut(q + kv, kv, head, splits));
        reads(g, orders_, all(32));
        reads(g, angles_, all(f * rotary_dims(angles(m_))));
        if (m_.qk_norm) {
            reads(g, of_layer(weight_role::q_norm, layer), all(m_.head_dim * f));
            reads(g, of_layer(weight_role::k_norm, layer), all(m_.head_dim * f));
        }
        use_cache(g, of_layer(keys_, layer));
        use_cache(g, of_layer(values_, layer));
        if (splits > 1) writes(g, of(exchange::partials), cut(0, partial_bytes(), partial_share()));
        else writes(g, of(exchange::attended), cut(0, attended_bytes(), attended_bytes() / m_.kv_heads));
        finish(g);
    }
    constexpr void use_cache(group& g, u16_t cache) {
        byte_range own = cut(0, cache_tiles() * cache_share(), cache_share());
        if (scope_.active == 1) own.stride *= p_.kv_splits;
        reads(g, cache, own, step_ == 0 ? row_part::past : row_part::whole);
        writes(g, cache, own, row_part::fresh);
    }
    constexpr void lower_combine(u32_t layer) {
        const u32_t splits = sharing_splits(p_);
        group g = start(called("combine", layer), layer, m_.kv_heads * splits, attending());
        polls(g, exchange::partials, cut(0, partial_bytes(), scope_.active * partial_share(), splits));
        writes(g, of(exchange::attended), cut(0, attended_bytes(), attended_share()));
        finish(g);
    }
    constexpr void lower_o(u32_t layer) {
        const byte_range own = cut(0, m_.hidden * word, unit_rows * word);
        group g = start_units("o_proj", stream_op::o, layer);
        polls(g, exchange::attended, all(attended_bytes()));
        read_matrix(g, weight_role::o, weight_role::o_bias, layer, 0, unit_rows);
        polls(g, exchange::residual, own);
        writes(g, of(exchange::middle), own);
        finish(g);
    }
    constexpr void lower_gate_up(u32_t layer) {
        const u32_t outs = p_[stream_op::gate_up].unit_outs;
        group g = start_units("gate_up", stream_op::gate_up, layer);
        polls(g, exchange::middle, all(m_.hidden * word));
        reads(g, of_layer(weight_role::mlp_norm, layer), all(m_.hidden * f));
        read_matrix(g, weight_role::gate, weight_role::gate_bias, layer, 0, outs);
        read_matrix(g, weight_role::up, weight_role::up_bias, layer, 0, outs);
        writes(g, of(exchange::gated), cut(0, even(m_.intermediate) * word, outs * word));
        finish(g);
    }
    constexpr void lower_down(u32_t layer) {
        const byte_range own = cut(0, m_.hidden * word, unit_rows * word);
        group g = start_units("down", stream_op::down, layer);
        polls(g, exchange::gated, all(even(m_.intermediate) * word));
        read_matrix(g, weight_role::down, weight_role::down_bias, layer, 0, unit_rows);
        polls(g, exchange::middle, own);
        writes(g, of(exchange::residual), own);
        finish(g);
    }
    /// Blocks without outputs have no tile: nobody polls their words.
    constexpr void lower_head() {
        group g = start(called("head"), 0, head_blocks(p_), {0, 2, 1});
        g.op = rounds() == 0 ? op_of(stream_op::head) : drawing_head_;
        const u16_t logits = build_.add({.name = called("logits"), .kind = buffer_kind::output, .rows = m_.rows, .row_bytes = m_.vocab * f});
        const u64_t tile = u64_t{p_[stream_op::head].block_units} * unit_rows;
        const u64_t row = bytes_of(head_format(m_), m_.hidden);
        polls(g, exchange::residual, all(m_.hidden * word));
        reads(g, final_norm_, all(m_.hidden * f));
        reads(g, head_, cut(0, m_.vocab * row, tile * row));
        writes(g, logits, cut(0, m_.vocab * f, tile * f));
        if (rounds() == 0) writes(g, of(exchange::best), cut(0, best_bytes(), pair));
        else writes(g, of(exchange::rounds), round_of_tile(0));
        finish(g);
    }
    /// A block sees what all have published, and publishes what it finds with that. Its logits it does not show.
    constexpr void lower_round(u32_t r) {
        group g = start(indexed("round", step_ * scope_.rounds + r), 0, head_blocks(p_), {0, 2, 1});
        polls(g, exchange::rounds, round_of_all(r));
        if (r + 1 < rounds()) writes(g, of(exchange::rounds), round_of_tile(r + 1));
        else writes(g, of(exchange::best), cut(0, best_bytes(), pair));
        finish(g);
    }
    /// Row r is chosen by block r modulo blocks; a tile is a block with rows to choose.
    constexpr void lower_choose() {
        const u32_t tiles = m_.rows < p_.blocks ? m_.rows : p_.blocks;
        group g = start(called("choose"), 0, tiles, attending());
        // The next group is the embedding. Blocks without a share of it have nothing that tells when they have chosen.
        if (step_ + 1 < scope_.steps && tiles <= divided_up(m_.hidden, embedding_share())) next_queue_ -= tiles;
        const u16_t chosen = build_.add({.name = called("chosen"), .kind = buffer_kind::output, .row_bytes = 4ULL * tiles});
        polls(g, exchange::best, all(best_bytes()));
        writes(g, chosen, cut(0, 4ULL * tiles, 4));
        finish(g);
    }

    stream_plan p_;
    llama m_;
    stream_scope scope_;
    lower_config config_;
    schedule_builder<Schedule> build_;
    Schedule& to_;
    u16_t orders_ = 0, tokens_ = 0, angles_ = 0, embedding_ = 0, final_norm_ = 0, head_ = 0, keys_ = 0, values_ = 0, plain_ = 0, drawing_head_ = 0;
    u16_t ops_[stream_ops]{};
    u16_t weights_[weight_role_count]{};  ///< of layer 0
    u32_t layer_buffers_ = 0, step_ = 0, next_queue_ = 0;
    u16_t writer_[static_cast<usz>(exchange::rounds) + 1]{};  ///< the last group that wrote an exchange
};

}  // namespace detail

/// Fills an empty schedule. @pre check(model, device, config) accepts what the plan was made of
template <class Schedule>
constexpr void lower_stream(const stream_plan& p, const stream_scope& scope, Schedule& to) {
    detail::stream_lowering<Schedule>(p, scope, to).run();
}
/// The counts of lower_stream()'s result.
constexpr schedule_size lowered_size(const stream_plan& p, const stream_scope& scope) {
    counting_schedule counts;
    lower_stream(p, scope, counts);
    return counts.size();
}

}  // namespace netra::inline v0

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A schedule in the shape of a mixture of experts: 8 task groups a layer, of up to 1,663 tiles, on 132 queues.
#pragma once

#include <netra/contracts/rejected.hpp>
#include <netra/schedule/builder.hpp>
#include <netra/schedule/checked_schedule.hpp>

namespace experts {

using namespace netra;

inline constexpr u32_t groups_of_layer = 8;
constexpr schedule_size size_of(u32_t layers) { return {.groups = layers * groups_of_layer + 2, .buffers = layers * 8 + 3, .operations = 1}; }

inline constexpr u64_t f = sizeof(float);
inline constexpr u64_t hidden_width = 4096;
inline constexpr u64_t expert_width = 8 * 14336;  // of the experts that a token uses, side by side
inline constexpr u64_t head = 128 * f;
inline constexpr u32_t kv_heads = 8;
inline constexpr u32_t q_heads = 32;
inline constexpr u32_t splits = 16;  // attention tiles of a kv head

template <class Schedule>
struct layer_maker {
    Schedule& to;
    schedule_builder<Schedule> build;
    u16_t hidden = 0;
    added_group ready{};

    constexpr u16_t activation(const char* called, u32_t layer, u64_t width) { return build.add({.name = indexed(called, layer), .row_bytes = width * f}); }
    constexpr u16_t cache(const char* called, u32_t layer) {
        return build.add({.name = indexed(called, layer), .kind = buffer_kind::state, .layer = layer, .rows = 8192, .row_bytes = kv_heads * head});
    }

    constexpr void layer(u32_t i) {
        const u16_t qkv = activation("qkv", i, 6144);
        const u16_t keys = cache("keys", i);
        const u16_t values = cache("values", i);
        const u16_t partials = activation("partials", i, q_heads * 128 * splits);
        const u16_t attended = activation("attended", i, hidden_width);
        const u16_t routes = activation("routes", i, 64);
        const u16_t gated = activation("gated", i, expert_width);
        const u16_t weights = build.add({.name = indexed("weights", i), .kind = buffer_kind::weight, .layer = i, .row_bytes = u64_t{1} << 32});

        group g = build.start(indexed("qkv", i), 0, i, 384, true);
        join(g, ready);
        reads(g, hidden, same_bytes(0, hidden_width * f));
        reads(g, weights, cut(0, 384 << 16, 1 << 16));
        writes(g, qkv, cut(0, 6144 * f, 16 * f));
        const added_group projected = build.finish(g);

        g = build.start(indexed("rope_append", i), 0, i, kv_heads, true);
        join_tiles(g, projected, 0, 32, 1);  // 16 outputs a tile: 8 tiles a head, 4 query heads for each kv head
        join_tiles(g, projected, 256, 8, 1);
        join_tiles(g, projected, 320, 8, 1);
        reads(g, qkv, cut(0, q_heads * head, 4 * head));
        reads(g, qkv, cut(q_heads * head, kv_heads * head, head));
        reads(g, qkv, cut((q_heads + kv_heads) * head, kv_heads * head, head));
        writes(g, qkv, cut(0, q_heads * head, 4 * head));
        writes(g, keys, cut(0, kv_heads * head, head), row_part::fresh);
        writes(g, values, cut(0, kv_heads * head, head), row_part::fresh);
        const added_group appended = build.finish(g);

        g = build.start(indexed("attention", i), 0, i, kv_heads * splits);
        join_tiles(g, appended, 0, 1, splits);
        reads(g, qkv, cut(0, q_heads * head, 4 * head, splits));
        const u16_t caches[] = {keys, values};
        for (const u16_t c : caches) {
            reads(g, c, cut(0, kv_heads * head, head, splits), row_part::past);
            reads(g, c, cut(0, kv_heads * head, head, splits), row_part::fresh);
        }
        writes(g, partials, cut(0, q_heads * head * splits, 4 * head));
        const added_group attention = build.finish(g);

        g = build.start(indexed("combine", i), 0, i, kv_heads);
        join(g, attention);
        reads(g, partials, cut(0, q_heads * head * splits, 4 * head * splits));
        writes(g, attended, cut(0, q_heads * head, 4 * head));
        ready = build.finish(g);

        residual("o_proj", i, 256, attended, weights);
        g = build.start(indexed("router", i), 0, i, 1);
        join(g, ready);
        reads(g, hidden, same_bytes(0, hidden_width * f));
        writes(g, routes, same_bytes(0, 64 * f));
        ready = build.finish(g);

        g = build.start(indexed("experts_up", i), 0, i, 1663);
        join(g, ready);
        reads(g, hidden, same_bytes(0, hidden_width * f));
        reads(g, routes, same_bytes(0, 64 * f));
        reads(g, weights, cut(0, 1663 << 18, 1 << 18));
        writes(g, gated, cut(0, expert_width * f, 69 * f));
        ready = build.finish(g);
        residual("experts_down", i, 1024, gated, weights);
    }
    constexpr void residual(const char* called, u32_t i, u32_t tiles, u16_t input, u16_t weights) {
        group g = build.start(indexed(called, i), 0, i, tiles);
        const byte_range mine = cut(0, hidden_width * f, hidden_width / tiles * f);
        join(g, ready);
        reads(g, input, same_bytes(0, input_bytes(input)));
        reads(g, weights, cut(0, u64_t{tiles} << 18, 1 << 18));
        reads(g, hidden, mine);
        writes(g, hidden, mine);
        ready = build.finish(g);
    }
    constexpr u64_t input_bytes(u16_t of) const { return to.buffers[of].row_bytes; }
};

template <u32_t Layers>
consteval auto make() {
    static_schedule<size_of(Layers)> s;
    s.operations.push_back({});
    s.where = host_cpu(132);
    const lower_config config{.workers = 132};
    layer_maker<decltype(s)> m{s, {s, config}};
    const u16_t tokens = m.build.add({.name = "tokens", .kind = buffer_kind::input, .row_bytes = 4});
    m.hidden = m.build.add({.name = "hidden", .row_bytes = hidden_width * f});
    const u16_t logits = m.build.add({.name = "logits", .kind = buffer_kind::output, .row_bytes = 128256 * f});
    group g = m.build.start("embedding", 0, 0, 1);
    reads(g, tokens, same_bytes(0, 4));
    writes(g, m.hidden, same_bytes(0, hidden_width * f));
    m.ready = m.build.finish(g);
    for (u32_t i = 0; i < Layers; ++i) m.layer(i);
    g = m.build.start("head", 0, 0, 1002);
    join(g, m.ready);
    reads(g, m.hidden, same_bytes(0, hidden_width * f));
    writes(g, logits, cut(0, 128256 * f, 128 * f));
    m.build.finish(g);
    return s;
}

template <u32_t Layers>
inline constexpr auto made = make<Layers>();

/// What a program that states its schedule itself checks.
template <u32_t Layers>
using planned = planned_schedule<made<Layers>>;

/// The output projection of a layer in the middle waits for nobody.
template <u32_t Layers>
consteval auto damage() {
    auto s = planned<Layers>::schedule;
    s.groups[1 + Layers / 2 * groups_of_layer + 4].waits = {};
    return s;
}
template <u32_t Layers>
inline constexpr auto damaged = damage<Layers>();

}  // namespace experts

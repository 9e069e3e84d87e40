// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What a compiler knows of a contract before anything runs: whether it holds, its identity, its cost, and the schedule of a whole model.
#include <netra/contracts/identity.hpp>
#include <netra/contracts/rejected.hpp>
#include <netra/schedule/cost.hpp>
#include <netra/schedule/program.hpp>

#include <cstdio>

// One operation. Its identity is a hash of everything it promises: two layers, or two models, that need the same thing share it.
constexpr netra::linear query{.rows = 1, .out = 576, .in = 576, .weight = netra::q4_1};
static_assert(netra::accepted_contract<query>);
static_assert(netra::bytes(query) == 211968 && netra::flops(query) == 663552);
static_assert(netra::identity_of<query> == netra::text("nk_1bdb0a70aa8684da"));

// A whole model, lowered for two workers. The schedule is a value too, and was proved safe before this program exists.
constexpr netra::llama model{.hidden = 576,
                             .layers = 4,
                             .heads = 9,
                             .kv_heads = 3,
                             .head_dim = 64,
                             .intermediate = 1536,
                             .vocab = 49152,
                             .context = 1024,
                             .weights = netra::q4_1};
using decode = netra::program<model, netra::host_cpu(), netra::lower_config{.workers = 2}>;
static_assert(netra::accepted<decode>);
static_assert(decode::view.group_count == 32 && decode::view.arena_bytes == 406528);

// What one token moves, after 1000 others: in total, and on each worker's queue.
constexpr netra::step_shape step{.rows = 1, .past = 1000};
constexpr netra::cost token = netra::cost_of(decode::view, step);
constexpr netra::u64_t first_queue = netra::bytes(netra::queue_costs(decode::view, step)[0]);
static_assert(token.weights_read == 26583912 && token.cache_read == 4 * 2 * 1001 * 3 * 64 * 4);
static_assert(first_queue == 16907504);

int main() {
    std::printf("query     %s\n          %s\n", netra::identity_of<query>.data(), netra::contract_text<query>.data());
    std::printf("          reads and writes at least %llu bytes, does %llu operations\n", netra::bytes(query), netra::flops(query));
    std::printf("model     %s\n", netra::identity_of<model>.data());
    std::printf("schedule  %zu task groups, %llu bytes of activations\n", decode::view.group_count, decode::view.arena_bytes);
    std::printf("token     %llu bytes of weights, %llu of caches; %.1f %% of the bytes on the first of 2 queues\n", token.weights_read,
                token.cache_read + token.cache_written,
                100.0 * static_cast<double>(first_queue) / static_cast<double>(netra::bytes(token)));
}

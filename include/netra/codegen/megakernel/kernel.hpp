// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A whole decode step, and the token loop around it, as one persistent kernel.
#pragma once

#include <netra/codegen/megakernel/attention.hpp>
#include <netra/codegen/megakernel/draws.hpp>
#include <netra/codegen/megakernel/projections.hpp>
#include <netra/codegen/megakernel/tokens.hpp>
#include <netra/schedule/check_stream.hpp>

namespace netra::inline v0 {

/// The kernel of a plan. @pre check_stream_kernel accepts
struct stream_kernel {
    stream_plan plan{};

    static constexpr name entry() { return "decode"; }
    static constexpr ptx::parameter_list parameters() {
        auto made = ptx::pointers({"weights", "words", "cache", "parameters", "embedding", "angles", "orders", "tokens", "chosen", "logits", "stall", "trace"});
        const char* const numbers[] = {"steps", "epoch", "patience_ms"};
        for (const char* n : numbers) made.push_back({n, 32});
        return made;
    }
    constexpr kernel_launch launch() const { return {.blocks = plan.blocks, .threads = block_threads, .shared_bytes = shared_of(plan).end, .resident = true}; }
    constexpr bool bulk() const {
        return plan.config.copies == copy_path::bulk || (plan.config.copies == copy_path::automatic && plan.where.gpu.code.capability >= 90);
    }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        block_code<Sink> k{.as = as, .plan = plan, .shared_at = shared_of(plan), .words_at = words_of(plan), .parameters_at = parameters_of(plan), .bulk = bulk()};
        find_place(k);
        init_barriers(k);
        const code_label attention = as.new_label();
        const code_label producer = as.new_label();
        as.when(equals(as, k.warp, consumer_warps), op::bra, producer);
        const reg later = as.predicate();
        as(op::setp_gt_u32, later, k.warp, consumer_warps);
        as.when(later, op::bra, attention);
        consume(k);
        as(op::ret);
        as.place(producer);
        as.part([&] { copy_code<Sink>(k).run(); });
        as.place(attention);
        run_attention(k);
        as(op::ret);
    }

  private:
    template <class Sink>
    static constexpr void find_place(block_code<Sink>& k) {
        using namespace ptx;
        auto& as = k.as;
        reg* const made[] = {&k.shared, &k.block, &k.thread, &k.warp, &k.lane, &k.steps, &k.epoch};
        for (reg* r : made) *r = as.b32();
        as(op::mov_u32, k.shared, named{"shared"});
        as(op::mov_u32, k.block, block_index);
        as(op::mov_u32, k.thread, thread_index);
        as(op::shr_u32, k.warp, k.thread, 5U);
        as(op::shfl_idx, k.warp, k.warp, 0U, 31U, -1);  // tells the assembler that it is the same in all lanes
        as(op::and_b32, k.lane, k.thread, 31U);
        k.words = pointer(as, "words");
        as(op::ld_param_u32, k.steps, named_address{"steps"});
        as(op::ld_param_u32, k.epoch, named_address{"epoch"});
    }
    template <class Sink>
    constexpr void init_barriers(block_code<Sink>& k) const {
        using namespace ptx;
        auto& as = k.as;
        const shared_layout& s = k.shared_at;
        const u32_t warp = plan.config.race_check ? 32 : 1;  // arrivals of one
        where(as, equals(as, k.thread, 0U), [&] {
            const auto init = [&](u32_t first, u32_t n, u32_t arrivals) {
                for (u32_t i = 0; i < n; ++i) as(op::mbarrier_init, at(k.shared, first + 8 * i), arrivals);
            };
            init(s.full, 4 * s.slots, k.bulk ? 1 : 32);
            init(s.empty, s.slots, consumer_warps * warp);
            init(s.sums_full, sum_stages(plan), consumer_warps * warp);
            init(s.sums_empty, sum_stages(plan), warp);
            as(op::st_volatile_shared_b32, at(k.shared, s.flags), number(as, 0));
            if (k.bulk) as(op::fence_mbarrier_init);
        });
        as(op::bar_sync, 0U);
    }

    template <class Sink>
    constexpr void consume(block_code<Sink>& k) const {
        using namespace ptx;
        auto& as = k.as;
        k.role = block_role::consumer;
        k.leader = equals(as, k.thread, 0U);
        consumer_state state = start_consumer(k);
        const reg inputs = as.b32();
        as(op::mad_lo_u32, inputs, k.warp, k.shared_at.input_warp, k.shared);
        as(op::add_u32, inputs, inputs, k.shared_at.inputs);
        const reg before = as.b32();
        const reg layer_parameters = as.b64();
        const reg step = number(as, 0);
        const reg layer = as.b32();
        k.step = step;
        k.layer = layer;
        count_up(as, step, k.steps, 1U, [&] {
            const reg place = as.b32();
            as(op::mov_u32, place, k.block);
            as(op::mov_u64, layer_parameters, pointer(as, "parameters"));
            const epilogue_use after{.epoch = k.epoch, .layer = layer_parameters, .residual_epoch = before, .step = step};
            as(op::mov_u32, layer, 0U);
            const auto run = [&](stream_op o, u64_t source, reg wanted, reg norm, const epilogue_use& to, reg at_place) {
                k.task = static_cast<block_task>(o);
                persistent::note_time(k, stamp::start);
                persistent::delay(k);
                projection_use use{.which = o, .source = source, .wanted = wanted, .norm = norm, .inputs = inputs};
                as.part([&] { projection_code<Sink>(k, state, use, to).run(at_place); });
                k.task = static_cast<block_task>(o);  // the head's end may have been about draws
                persistent::note_time(k, stamp::end);
            };
            count_up(as, layer, plan.model.layers, 1U, [&] {
                as(op::mov_u32, before, k.epoch);
                as(op::add_u32, k.epoch, k.epoch, 1U);
                const reg mlp_norm = as.b64();
                as(op::add_u64, mlp_norm, layer_parameters, 4 * k.parameters_at.mlp_norm);
                run(stream_op::qkv, k.words_at.residual, before, layer_parameters, after, place);
                persistent::move_place(k, stream_op::qkv, place);
                run(stream_op::o, k.words_at.attended, k.epoch, {}, after, place);
                persistent::move_place(k, stream_op::o, place);
                run(stream_op::gate_up, k.words_at.middle, k.epoch, mlp_norm, after, place);
                persistent::move_place(k, stream_op::gate_up, place);
                epilogue_use down = after;
                down.residual_epoch = k.epoch;
                run(stream_op::down, k.words_at.gated, k.epoch, {}, down, place);
                persistent::move_place(k, stream_op::down, place);
                as(op::add_u64, layer_parameters, layer_parameters, 4 * k.parameters_at.layer);
            });
            as(op::mov_u32, before, k.epoch);
            as(op::add_u32, k.epoch, k.epoch, 1U);
            run(stream_op::head, k.words_at.residual, before, layer_parameters, after, k.block);
            if (k.shared_at.logits != 0) as.part([&] { persistent::draw_code<Sink>(k).run(step); });
        });
    }

    template <class Sink>
    constexpr void run_attention(block_code<Sink>& k) const {
        using namespace ptx;
        auto& as = k.as;
        k.role = block_role::attention;
        const reg warp = as.b32();
        const reg thread = as.b32();
        as(op::sub_u32, warp, k.warp, consumer_warps + 1);
        as(op::sub_u32, thread, k.thread, 32 * (consumer_warps + 1));
        k.leader = equals(as, thread, 0U);
        token_code<Sink> tokens(k, thread, warp);
        attention_code<Sink> attention(k, thread, warp);
        attention.prepare();
        const reg step = number(as, 0);
        const reg layer = as.b32();
        k.step = step;
        k.layer = layer;
        count_up(as, step, k.steps, 1U, [&] {
            as.part([&] { tokens.embed(step, k.epoch); });
            const reg position = persistent::order_of(k, step, 0);
            attention.begin_step(position, persistent::order_of(k, step, 4));
            const reg parameters = as.b64();
            as(op::mov_u64, parameters, pointer(as, "parameters"));
            as(op::mov_u32, layer, 0U);
            count_up(as, layer, plan.model.layers, 1U, [&] {
                as(op::add_u32, k.epoch, k.epoch, 1U);
                as.part([&] { attention.layer(parameters, k.epoch); });
                as(op::add_u64, parameters, parameters, 4 * k.parameters_at.layer);
            });
            as(op::add_u32, k.epoch, k.epoch, 1U);
            const reg head = as.predicate();
            as(op::setp_ne_u32, head, persistent::order_of(k, step, 8), 0U);
            where(as, head, [&] { as.part([&] { tokens.choose(step, k.epoch); }); });
        });
    }
};

/// Why a plan has no kernel: contract and device, shared memory, instructions, and the proof that blocks never wait for ever or race.
constexpr verdict check_stream_kernel(const stream_plan& p) {
    if (verdict v = check(p.model, p.where, p.config); !v.ok()) return v;
    if (verdict v = check_layout(p); !v.ok()) return v;
    if (verdict v = ptx::check(ptx::requirements_of(stream_kernel{p}), p.where.gpu.code); !v.ok()) return v;
    return check_stream(p);
}

/// The kernel's whole module. @pre check_stream_kernel accepts
template <class Sink>
constexpr void write_stream_kernel(Sink& out, const stream_plan& p) {
    const stream_kernel kernel{p};
    ptx::write_module(out, kernel, p.where.gpu.code, ptx::requirements_of(kernel));
}

}  // namespace netra::inline v0

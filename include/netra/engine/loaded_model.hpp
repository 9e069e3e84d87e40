// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model whose weights are where kernels can read them: mapped as stored, converted only where the contract asks for it.
#pragma once

#include <netra/engine/opened_model.hpp>
#include <netra/schedule/program.hpp>

#include <fmt/format.h>

#include <functional>
#include <memory>

namespace netra::inline v0 {

namespace detail {

/// The values of `t` as the contract keeps them: fp32, or rounded to bf16 or f16. @throws model_error when one is beyond f16
inline std::unique_ptr<u8_t[]> converted(const tensor& t, const weight_format& to) {
    const u64_t count = t.elements();
    auto out = std::make_unique_for_overwrite<u8_t[]>(bytes_of(to, count));
    if (to == weight_format{f32}) {
        dequantize(t, 0, {reinterpret_cast<float*>(out.get()), count});
        return out;
    }
    constexpr u64_t piece = 4096;
    float values[piece];
    for (u64_t from = 0; from < count; from += piece) {
        const u64_t n = std::min(piece, count - from);
        dequantize(t, from, {values, n});
        u16_t* const rounded = reinterpret_cast<u16_t*>(out.get()) + from;
        for (u64_t i = 0; i < n; ++i) rounded[i] = to == weight_format{f16} ? f32_to_f16(values[i]) : f32_to_bf16(values[i]);
        for (u64_t i = 0; to == weight_format{f16} && i < n; ++i)
            if ((rounded[i] & 0x7fffU) == 0x7c00U)
                throw model_error(fmt::format("{}: tensor '{}' has a value of {:.3g}, and f16 ends at 65504; keep it as bf16 or f32", t.file, t.name, values[i]));
    }
    return out;
}

}  // namespace detail

/// Called while weights are made ready: how many of how many are.
using load_progress = std::function<void(usz done, usz total)>;

/// Movable; weights keep their addresses.
class loaded_model {
  public:
    explicit loaded_model(opened_model opened, const load_progress& progress = {}) : opened_(std::move(opened)) {
        usz done = 0;
        for (const bound_weight& b : opened_.bound) {
            const weight_format wanted = format_of(opened_.contract, b.role);
            auto& slots = at_[static_cast<usz>(b.role)];
            slots.resize(std::max<usz>(slots.size(), b.layer + 1));
            if (is_matrix(shape_of(opened_.contract, b.role)) && b.stored->format == wanted) {
                slots[b.layer] = b.stored->data;
            } else {
                owned_.push_back(detail::converted(*b.stored, wanted));
                slots[b.layer] = owned_.back().get();
            }
            if (progress) progress(++done, opened_.bound.size());
        }
    }

    const llama& contract() const { return opened_.contract; }
    const opened_model& opened() const { return opened_; }

    /// The weight of every buffer of a schedule that was lowered from this model's contract.
    std::vector<const void*> bind(const schedule_view& s) const {
        std::vector<const void*> bound(s.buffer_count);
        for (usz i = 0; i < s.buffer_count; ++i) {
            const buffer& b = s.buffers[i];
            if (b.kind != buffer_kind::weight) continue;
            const auto& slots = at_[b.role];
            if (b.layer >= slots.size() || slots[b.layer] == nullptr)
                throw model_error(said("{}: the schedule reads {}, which the model does not have", {opened_.path, b.name.d}));
            bound[i] = slots[b.layer];
        }
        return bound;
    }

  private:
    opened_model opened_;
    std::vector<const void*> at_[weight_role_count];
    std::vector<std::unique_ptr<u8_t[]>> owned_;
};

namespace detail {

/// Names the first thing in which a file's contract differs from the one that a program was compiled for.
inline void require_same(const llama& file, const llama& program, const std::string& path) {
    const auto differs = [&](const char* what, const shown& a, const shown& b) {
        if (said("{}", {a}) == said("{}", {b})) return;
        throw model_error(said("{}: {} is {}, but this program was compiled for {}; use another file or compile for this one", {path, what, a, b}));
    };
    const auto number = [](auto v) { return static_cast<int>(v); };
    differs("hidden", file.hidden, program.hidden);
    differs("layers", file.layers, program.layers);
    differs("heads", file.heads, program.heads);
    differs("kv_heads", file.kv_heads, program.kv_heads);
    differs("head_dim", file.head_dim, program.head_dim);
    differs("intermediate", file.intermediate, program.intermediate);
    differs("vocab", file.vocab, program.vocab);
    differs("context", file.context, program.context);
    differs("rows", file.rows, program.rows);
    differs("kv", name_of(file.kv), name_of(program.kv));
    differs("eps", file.eps, program.eps);
    differs("rope theta", file.rope.theta, program.rope.theta);
    differs("rope pairing", number(file.rope.pairing), number(program.rope.pairing));
    differs("activation", number(file.act), number(program.act));
    differs("tied_head", file.tied_head, program.tied_head);
    for (usz r = 0; r < weight_role_count; ++r)
        differs(weight_table[r].role_name, name_of(format_of(file, weight_role(r))), name_of(format_of(program, weight_role(r))));
    if (!(file == program)) throw model_error(path + ": its contract differs from the one this program was compiled for (biases, norms, window or rope scaling)");
}

}  // namespace detail

/// How to open a file so that it fits a program that was compiled for its contract.
template <class Program>
constexpr open_options options_for = {.rows = Program::model.rows, .context = Program::model.context, .kv = Program::model.kv};

/// The weights of `opened` for a program that was compiled for its contract; refuses another contract, naming what differs.
template <class Program>
loaded_model load(opened_model opened, const load_progress& progress = {}) {
    static_assert(accepted<Program>);
    detail::require_same(opened.contract, Program::model, opened.path);
    return loaded_model(std::move(opened), progress);
}

}  // namespace netra::inline v0

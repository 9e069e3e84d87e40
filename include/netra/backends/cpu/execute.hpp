// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Runs one task: finds the bytes that its tile touches and calls the operation's kernel on them.
#pragma once

#include <netra/backends/cpu/attention.hpp>
#include <netra/backends/cpu/dot.hpp>
#include <netra/backends/cpu/rope.hpp>
#include <netra/backends/cpu/sample.hpp>
#include <netra/schedule/expand.hpp>

#include <span>
#include <vector>

namespace netra::inline v0::cpu {

/// What changes from step to step. `tokens.size()` rows go to positions `position`, `position` + 1, ...
struct step_input {
    std::span<const i32_t> tokens{};
    u64_t position = 0;
    bool choose = true;  ///< whether the step ends in logits and a token; a prompt's earlier steps need neither
    sampling_parameters sampling{};
};

/// Memory of one worker that outlives its tasks.
struct worker_scratch {
    std::vector<float> normed;   ///< the normalised input of the group it works on
    u64_t normed_of = ~u64_t{0}; ///< step and group that `normed` belongs to
    std::vector<float> tile;     ///< outputs of a projection before its epilogue
    std::vector<float> attend;
    std::vector<u32_t> order;    ///< of sampling
};

/// Where every buffer of a schedule lives: a pointer to byte 0 of row 0, from binding to destruction.
class executor {
  public:
    executor(const schedule_view& s, std::vector<u8_t*> buffers) : s_(s), buffers_(std::move(buffers)), scratch_(s.queues) { size_scratch(); }

    void begin_step(const step_input& input) {
        input_ = &input;
        ++steps_;
    }
    /// Runs a task of queue `queue`. Everything was checked before: it cannot fail.
    void operator()(u32_t queue, const task& t) {
        const group& g = s_.groups[t.group];
        switch (s_.op_of(g).kind) {
            case op_kind::none: break;
            case op_kind::rope_table: run_rope_table(g); break;
            case op_kind::embedding: run_embedding(g); break;
            case op_kind::rms_norm: run_norm(g); break;
            case op_kind::projection: run_projection(g, t, scratch_[queue]); break;
            case op_kind::rope_append: run_rope_append(g, t.tile); break;
            case op_kind::attention: run_attention(g, t.tile, scratch_[queue]); break;
            case op_kind::attention_combine: run_combine(g, t.tile, scratch_[queue]); break;
            case op_kind::gated_mul: run_gate(g, t.tile); break;
            case op_kind::add: run_add(g, t.tile); break;
            case op_kind::sampling: run_sampling(g, scratch_[queue]); break;
        }
    }

  private:
    u32_t rows() const { return static_cast<u32_t>(input_->tokens.size()); }
    /// Row 0 of an access of tile `t`, and floats from one row of its buffer to the next.
    template <class T = float>
    T* at(const access& a, u32_t t = 0) const {
        return reinterpret_cast<T*>(buffers_[a.buffer] + a.range.begin_of(t));
    }
    u64_t pitch(const access& a) const { return s_.buffers[a.buffer].row_bytes / sizeof(float); }
    static u64_t floats(const access& a, u32_t t) {
        const u64_t begin = a.range.begin_of(t);
        const u64_t end = a.range.end_of(t);
        return end > begin ? (end - begin) / sizeof(float) : 0;
    }

    void size_scratch() {
        usz normed = 0;
        usz tile = 0;
        usz attend = 0;
        for (usz i = 0; i < s_.group_count; ++i) {
            const group& g = s_.groups[i];
            const operation& o = s_.op_of(g);
            if (o.kind == op_kind::projection) {
                normed = std::max<usz>(normed, usz{o.project.parts[0].rows} * o.project.parts[0].in);
                u64_t outputs = 0;
                for (u32_t t = 0; t < g.tiles; ++t) outputs = std::max(outputs, floats(g.accesses.back(), t));
                tile = std::max<usz>(tile, usz{o.project.parts[0].rows} * outputs * o.project.parts.size());
            }
            if (o.kind == op_kind::attention || o.kind == op_kind::attention_combine) attend = std::max<usz>(attend, attention_scratch(o.attend));
            for (u32_t t = 0; o.kind == op_kind::sampling && t < g.tiles; ++t) {
                worker_scratch& own = scratch_[s_.queue_of(g, t)];
                own.order.resize(std::max<usz>(own.order.size(), o.sample.vocab));
            }
        }
        for (auto& w : scratch_) w.normed.resize(normed), w.tile.resize(tile), w.attend.resize(attend);
    }

    void run_rope_table(const group& g) {
        const rope_table& c = s_.op_of(g).angles;
        const float* factors = g.accesses.size() == 3 ? at(g.accesses[1]) : nullptr;
        for (u32_t r = 0; r < rows(); ++r) reference(c, input_->position + r, factors, at(g.accesses.back()) + r * pitch(g.accesses.back()));
    }
    void run_embedding(const group& g) {
        const netra::embedding& c = s_.op_of(g).embed;
        const u64_t row_bytes = bytes_of(c.weight, c.width);
        for (u32_t r = 0; r < rows(); ++r)
            embed_row(c, at<u8_t>(g.accesses[1]) + static_cast<u64_t>(input_->tokens[r]) * row_bytes, at(g.accesses[2]) + r * pitch(g.accesses[2]));
    }
    void run_norm(const group& g) {
        rms_norm_rows(s_.op_of(g).norm, rows(), at(g.accesses[0]), pitch(g.accesses[0]), at(g.accesses[1]), at(g.accesses[2]), pitch(g.accesses[2]));
    }

    void run_projection(const group& g, const task& t, worker_scratch& own) {
        const projection& c = s_.op_of(g).project;
        if (c.last_row && !input_->choose) return;
        const u32_t n = c.last_row ? 1 : rows();
        const access& input = g.accesses[0];
        const float* x = at(input) + (c.last_row ? (rows() - 1) * pitch(input) : 0);
        u64_t x_pitch = pitch(input);
        usz next = 1;  // the access that follows
        if (c.norm) {
            const u64_t key = steps_ << 20 | t.group;
            if (own.normed_of != key) rms_norm_rows(c.before, n, x, x_pitch, at(g.accesses[next]), own.normed.data(), c.before.width);
            own.normed_of = key;
            x = own.normed.data();
            x_pitch = c.before.width;
            ++next;
        }
        const access& output = g.accesses.back();
        const u64_t width = floats(output, t.tile);
        const bool direct = c.after == epilogue::store;
        float* y = direct ? at(output, t.tile) : own.tile.data();
        const u64_t y_pitch = direct ? pitch(output) : width * c.parts.size();
        u64_t column = 0;
        for (const auto& p : c.parts) {
            const access& w = g.accesses[next++];
            const u64_t count = w.range.end_of(t.tile) > w.range.begin_of(t.tile) ? (w.range.end_of(t.tile) - w.range.begin_of(t.tile)) / weight_row_bytes(p) : 0;
            if (count != 0) dot_rows(p.weight, at<u8_t>(w, t.tile), p.in, count, x, x_pitch, n, y + column, y_pitch);
            if (p.bias) {
                const float* bias = at(g.accesses[next++], t.tile);
                for (u32_t r = 0; count != 0 && r < n; ++r) add_row(bias, count, y + r * y_pitch + column);
            }
            column += count;
        }
        float* out = at(output, t.tile);
        for (u32_t r = 0; !direct && r < n; ++r) {
            const float* from = own.tile.data() + r * y_pitch;
            if (c.after == epilogue::add) add_row(from, width, out + r * pitch(output));
            else gate_row(c.act, from, from + width, width, out + r * pitch(output));
        }
    }

    void run_rope_append(const group& g, u32_t tile) {
        const rope_append& c = s_.op_of(g).append;
        const access& angles = g.accesses[3];
        const float* q_norm = c.qk_norm ? at(g.accesses[4]) : nullptr;
        const float* k_norm = c.qk_norm ? at(g.accesses[5]) : nullptr;
        const usz n = g.accesses.size();
        rope_append_tile(c, tile, rows(), input_->position, row_start(g.accesses[0]), pitch(g.accesses[0]), at(angles), pitch(angles), q_norm, k_norm,
                         cache(g.accesses[n - 2]), cache(g.accesses[n - 1]));
    }
    void run_attention(const group& g, u32_t tile, worker_scratch& own) {
        const netra::attention& c = s_.op_of(g).attend;
        const access& q = g.accesses[0];
        const access& out = g.accesses.back();
        const u32_t heads = static_cast<u32_t>(floats(q, tile) / c.head_dim);
        const u32_t first = static_cast<u32_t>(q.range.begin_of(tile) / sizeof(float) / c.head_dim);
        attention_tile(c, first, heads, tile % c.splits, rows(), input_->position, row_start(q), pitch(q), cache(g.accesses[1]), cache(g.accesses[3]),
                       row_start(out), pitch(out), own.attend.data());
    }
    void run_combine(const group& g, u32_t tile, worker_scratch& own) {
        const netra::attention& c = s_.op_of(g).attend;
        const access& out = g.accesses[1];
        const u32_t first = static_cast<u32_t>(out.range.begin_of(tile) / sizeof(float) / c.head_dim);
        const u32_t heads = static_cast<u32_t>(floats(out, tile) / c.head_dim);
        attention_combine(c, first, heads, rows(), input_->position, row_start(g.accesses[0]), pitch(g.accesses[0]), row_start(out), pitch(out),
                          own.attend.data());
    }
    float* row_start(const access& a) const { return reinterpret_cast<float*>(buffers_[a.buffer]); }
    u8_t* cache(const access& a) const { return buffers_[a.buffer]; }

    void run_gate(const group& g, u32_t tile) {
        for (u32_t r = 0; r < rows(); ++r)
            gate_row(s_.op_of(g).gate.act, at(g.accesses[0], tile) + r * pitch(g.accesses[0]), at(g.accesses[1], tile) + r * pitch(g.accesses[1]),
                     floats(g.accesses[2], tile), at(g.accesses[2], tile) + r * pitch(g.accesses[2]));
    }
    void run_add(const group& g, u32_t tile) {
        for (u32_t r = 0; r < rows(); ++r)
            add_row(at(g.accesses[1], tile) + r * pitch(g.accesses[1]), floats(g.accesses[2], tile), at(g.accesses[2], tile) + r * pitch(g.accesses[2]));
    }
    void run_sampling(const group& g, worker_scratch& own) {
        if (!input_->choose) return;
        const u64_t position = input_->position + rows() - 1;
        *at<i32_t>(g.accesses[1]) = sample(s_.op_of(g).sample, input_->sampling, position, at(g.accesses[0]), own.order);
    }

    schedule_view s_;
    std::vector<u8_t*> buffers_;
    std::vector<worker_scratch> scratch_;
    const step_input* input_ = nullptr;
    u64_t steps_ = 0;
};

}  // namespace netra::inline v0::cpu

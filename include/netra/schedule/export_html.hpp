// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Writes a schedule as one HTML page that needs nothing else: queues as lanes over levels, waits and bytes of every task, refusals in red.
#pragma once

#include <netra/schedule/cost.hpp>
#include <netra/schedule/export_table.hpp>
#include <netra/schedule/html/drawing.hpp>
#include <netra/schedule/html/looks.hpp>
#include <netra/schedule/html/painting.hpp>
#include <netra/schedule/html/reading.hpp>
#include <netra/schedule/levels.hpp>
#include <netra/schedule/refused_edges.hpp>

namespace netra::inline v0 {

/// What a page says besides the tasks themselves.
struct html_page {
    const char* title = "schedule";
    verdict found{};                        ///< a refusal stands on top, and the tasks that it speaks of are marked
    const u32_t* witness = nullptr;         ///< those tasks, as exact_result has them; else they are found by their names
    usz witness_count = 0;
    const schedule_view* groups = nullptr;  ///< of which the tasks are those in order: gives operations, costs and waits by word
    step_shape step{};
};

namespace detail {

/// The text of a JSON string or of an HTML element; what is no printable ASCII character becomes a question mark.
template <class Sink>
constexpr void write_json_text(Sink& out, const char* s, usz most) {
    out.ch('"');
    for (usz i = 0; i < most && s[i] != 0; ++i) {
        const bool plain = s[i] >= ' ' && s[i] <= '~';
        if (plain && (s[i] == '"' || s[i] == '\\' || s[i] == '<' || s[i] == '>' || s[i] == '&')) {  // no end of the script either
            out.lit("\\u");
            out.hex(static_cast<u64_t>(s[i]), 4);
        } else {
            out.ch(plain ? s[i] : '?');
        }
    }
    out.ch('"');
}
template <class Sink>
constexpr void write_json_text(Sink& out, const char* s) {
    write_json_text(out, s, ~usz{0});
}
template <class Sink>
constexpr void write_html_text(Sink& out, const char* s) {
    for (; *s != 0; ++s) {
        if (*s == '&') out.lit("&amp;");
        else if (*s == '<') out.lit("&lt;");
        else out.ch(*s >= ' ' && *s <= '~' ? *s : '?');
    }
}

/// The schedule as JSON: lists of numbers, which the program on the page takes apart.
template <class Sink>
class html_data_writer {
  public:
    constexpr html_data_writer(Sink& out, const expanded_view& s, const html_page& page) : out_(out), s_(s), page_(page) {}

    constexpr void run() {
        const task_levels levels(s_);
        text_field("{\"title\":", page_.title);
        text_field(",\"reason\":", name_of(page_.found.why));
        out_.lit(",\"sentence\":");
        write_json_text(out_, page_.found.ok() ? "" : sentence(page_.found).d);
        field(",\n\"queues\":", s_.queues);
        field(",\"levels\":", levels.count());
        field(",\"counters\":", s_.counter_count);
        out_.lit(",\"words_from\":");
        if (page_.groups == nullptr) out_.lit("-1");
        else out_.dec(page_.groups->counters);
        write_held();
        write_buffers();
        write_names();
        write_tasks(levels);
        write_lists();
        write_costs();
        write_refused();
        out_.lit("]}\n");
    }

  private:
    template <usz M>
    constexpr void text_field(const char (&key)[M], const char* value) {
        out_.lit(key);
        write_json_text(out_, value);
    }
    template <usz M>
    constexpr void field(const char (&key)[M], u64_t value) {
        out_.lit(key);
        out_.dec(value);
    }
    template <usz M>
    constexpr void open(const char (&key)[M]) {
        out_.lit(key);
        first_ = true;
    }
    constexpr void comma() {
        if (!first_) out_.ch(',');
        first_ = false;
    }
    constexpr void number(u64_t v) {
        comma();
        out_.dec(v);
    }

    /// Initial values that are not 0.
    constexpr void write_held() {
        open(",\n\"held\":[");
        for (usz c = 0; c < s_.counter_count; ++c) {
            if (s_.counters[c] == 0) continue;
            comma();
            field("[", c);
            field(",", s_.counters[c]);
            out_.ch(']');
        }
        out_.ch(']');
    }
    constexpr void write_buffers() {
        open(",\n\"buffers\":[");
        for (usz i = 0; i < s_.buffer_count; ++i) {
            const expanded_buffer& b = s_.buffers[i];
            comma();
            out_.ch('[');
            write_json_text(out_, b.name.d, sizeof b.name.d);
            out_.lit(",\"");
            out_.str(name_of(b.kind));
            field("\",", b.space);
            field(",", b.rows);
            field(",", b.row_bytes);
            field(",", b.offset);
            out_.ch(']');
        }
        out_.ch(']');
    }
    constexpr bool new_name(usz t) const {
        return t == 0 || !(s_.tasks[t].name == s_.tasks[t - 1].name) || s_.tasks[t].group != s_.tasks[t - 1].group;
    }
    /// One for each run of tasks of the same group.
    constexpr void write_names() {
        open(",\n\"names\":[");
        for (usz t = 0; t < s_.task_count; ++t) {
            if (!new_name(t)) continue;
            const expanded_task& task = s_.tasks[t];
            comma();
            out_.ch('[');
            write_json_text(out_, task.name.d, sizeof task.name.d);
            out_.lit(",\"");
            if (page_.groups != nullptr) {
                const op_kind kind = page_.groups->op_of(page_.groups->groups[task.group]).kind;
                if (kind != op_kind::none) out_.str(name_of(kind));
            }
            out_.lit("\"]");
        }
        out_.ch(']');
    }
    constexpr void write_tasks(const task_levels& levels) {
        open(",\n\"tasks\":[");
        u64_t name = 0;
        for (usz t = 0; t < s_.task_count; ++t) {
            const expanded_task& task = s_.tasks[t];
            if (t != 0 && new_name(t)) ++name;
            number(name);
            number(task.tile);
            number(task.queue);
            if (levels[t] == task_levels::never) out_.lit(",-1");
            else number(levels[t]);
            number(task.signal_count);
            u64_t runs = 0;
            for_each_run(task, [&](u32_t, u32_t, u64_t) { ++runs; });
            number(runs);
            number(task.access_count);
        }
        out_.ch(']');
    }
    /// Calls `f(first, count, threshold)` for the waits of a task: those of neighbouring counters for the same threshold at once.
    template <class F>
    constexpr void for_each_run(const expanded_task& task, F&& f) const {
        const expanded_wait* w = s_.waits + task.first_wait;
        for (u32_t i = 0; i < task.wait_count;) {
            u32_t n = 1;
            while (i + n < task.wait_count && w[i + n].counter == w[i].counter + n && w[i + n].threshold == w[i].threshold) ++n;
            f(w[i].counter, n, w[i].threshold);
            i += n;
        }
    }
    constexpr void write_lists() {
        open(",\n\"signals\":[");
        for (usz t = 0; t < s_.task_count; ++t)
            for (u32_t i = 0; i < s_.tasks[t].signal_count; ++i) number(s_.signals[s_.tasks[t].first_signal + i]);
        open("],\n\"waits\":[");
        for (usz t = 0; t < s_.task_count; ++t)
            for_each_run(s_.tasks[t], [&](u32_t counter, u32_t count, u64_t threshold) {
                number(counter), number(count), number(threshold);
            });
        open("],\n\"accesses\":[");
        for (usz t = 0; t < s_.task_count; ++t)
            for (u32_t i = 0; i < s_.tasks[t].access_count; ++i) {
                const expanded_access& a = s_.accesses[s_.tasks[t].first_access + i];
                number(u64_t{a.buffer} * 2 + (a.write ? 1 : 0));
                number(a.first_row);
                number(a.end_row);
                number(a.first_byte);
                number(a.end_byte);
            }
    }
    /// Bytes of weights, activations and caches, and operations of every task.
    constexpr void write_costs() {
        open("],\n\"costs\":[");
        if (page_.groups == nullptr) return;
        for (usz g = 0; g < page_.groups->group_count; ++g)
            for_each_tile_cost(*page_.groups, page_.groups->groups[g], page_.step, [&](u32_t, const cost& c) {
                number(c.weights_read);
                number(c.activations_read + c.activations_written);
                number(c.cache_read + c.cache_written);
                number(c.flops);
            });
    }
    constexpr void write_refused() {
        open("],\n\"refused\":[");
        for_each_refused_edge(s_, page_.found, page_.witness, page_.witness_count,
                              [&](const refused_edge& e) { number(e.before), number(e.after), number(e.wait ? 1 : 0); });
    }

    Sink& out_;
    const expanded_view& s_;
    const html_page& page_;
    bool first_ = true;
};

}  // namespace detail

/// @pre indices of the schedule are in range; it need not be safe: tasks that never run stand behind the last level
template <class Sink>
constexpr void write_html(Sink& out, const expanded_view& s, const html_page& page = {}) {
    out.lit("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    detail::write_html_text(out, page.title);
    out.lit("</title>\n");
    out.lit(detail::html_looks);
    out.lit("<script type=\"application/json\" id=\"data\">\n");
    detail::html_data_writer(out, s, page).run();
    out.lit("</script>\n");
    out.lit(detail::html_drawing);
    out.lit(detail::html_painting);
    out.lit(detail::html_reading);
}

/// @pre check_structure accepts the schedule
template <class Sink>
constexpr void write_html(Sink& out, const schedule_view& s, html_page page = {}) {
    const expanded_schedule written_out(s);
    page.groups = &s;
    write_html(out, written_out.view(), page);
}

}  // namespace netra::inline v0

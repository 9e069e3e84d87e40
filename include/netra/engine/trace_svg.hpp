// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A trace as a picture that any browser shows: a row for each block, a lane for each of its roles, a colour for each group.
#pragma once

#include <netra/engine/trace.hpp>

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace netra::inline v0 {

/// `begin_ns` and `end_ns` count from the first span of the trace; what lies outside is not drawn. `end_ns` 0: to the end.
struct timeline_options {
    std::string title = "timeline";
    u32_t width = 1600;
    u64_t begin_ns = 0;
    u64_t end_ns = 0;
};

namespace detail {

class timeline {
public:
    timeline(std::span<const trace_span> spans, const timeline_options& options) : options_(options), bounds_(spans) {
        const u64_t length = bounds_.end_ns - bounds_.begin_ns;
        last_ = options.end_ns == 0 ? length : std::min(options.end_ns, length);
        first_ = std::min(options.begin_ns, last_);
        for (const trace_span& s : spans) {
            if (s.end_ns - bounds_.begin_ns < first_ || s.begin_ns - bounds_.begin_ns > last_) continue;
            drawn_.push_back(&s);
            lanes_.insert({s.block, role_(s.role)});
        }
        std::sort(drawn_.begin(), drawn_.end(),
                  [](const trace_span* a, const trace_span* b) { return a->begin_ns != b->begin_ns ? a->begin_ns < b->begin_ns : a < b; });
        for (const trace_span* s : drawn_) {
            const usz g = group_(group_of(*s));
            busy_.resize(std::max(busy_.size(), g + 1));
            busy_[g] += end_of(*s) - begin_of(*s);
        }
        lane_height_ = lanes_.size() <= 48 ? 14.0 : lanes_.size() <= 160 ? 8.0 : 4.0;
        width_ = std::clamp<double>(options.width, 400, 20000);
    }

    std::string draw() {
        place();
        begin();
        legend();
        axis();
        rows();
        tasks();
        out_ += "</svg>\n";
        return std::move(out_);
    }

private:
    static constexpr double left = 76, right = 20, row_gap = 3, legend_column = 190, legend_line = 18, legend_top = 46;

    u64_t begin_of(const trace_span& s) const { return std::max(s.begin_ns - bounds_.begin_ns, first_); }
    u64_t end_of(const trace_span& s) const { return std::min(s.end_ns - bounds_.begin_ns, last_); }
    double x(u64_t ns) const {
        const double length = last_ == first_ ? 1.0 : static_cast<double>(last_ - first_);
        return left + (width_ - left - right) * static_cast<double>(ns - first_) / length;
    }

    /// Lanes of one block stand together; between blocks is a gap.
    void place() {
        const usz columns = std::max<usz>(1, static_cast<usz>((width_ - left - right) / legend_column));
        const usz lines = (group_.values().size() + columns - 1) / columns;
        columns_ = columns;
        top_ = legend_top + static_cast<double>(lines) * legend_line + 26;
        double y = top_;
        u32_t block = 0;
        for (const auto& lane : lanes_) {
            if (!y_.empty() && lane.first != block) y += row_gap;
            block = lane.first;
            y_[lane] = y;
            y += lane_height_;
        }
        bottom_ = y;
    }

    void begin() {
        out_ += fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
            "font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"12\">\n<title>{2}</title>\n<style>\n"
            "text {{ fill: #1d2430; }} .quiet {{ fill: #667085; }} .lane {{ fill: #f1f3f6; }} .grid {{ stroke: #d5dae1; }}\n",
            width_, bottom_ + 14, escaped(options_.title));
        for (usz g = 0; g < group_.values().size(); ++g) out_ += fmt::format(".g{} {{ fill: {}; }}\n", g, colour(g));
        out_ += fmt::format("</style>\n<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#ffffff\"/>\n", width_, bottom_ + 14);
        out_ += fmt::format("<text x=\"16\" y=\"24\" font-size=\"16\" font-weight=\"600\">{}</text>\n", escaped(options_.title));
        out_ += fmt::format("<text class=\"quiet\" x=\"{:.0f}\" y=\"24\" text-anchor=\"end\">{} tasks, {}</text>\n", width_ - right,
                            drawn_.size(), in_unit(last_ - first_));
    }

    /// Groups with their share of the lanes' time.
    void legend() {
        const double all = static_cast<double>(std::max<u64_t>(1, last_ - first_)) * static_cast<double>(std::max<usz>(1, lanes_.size()));
        for (usz g = 0; g < group_.values().size(); ++g) {
            const double at = left + static_cast<double>(g % columns_) * legend_column;
            const double y = legend_top + static_cast<double>(g / columns_) * legend_line;
            out_ += fmt::format(
                "<rect class=\"g{}\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"12\" height=\"12\" rx=\"2\"/>"
                "<text x=\"{:.0f}\" y=\"{:.0f}\">{} <tspan class=\"quiet\">{:.1f} %</tspan></text>\n",
                g, at, y, at + 17, y + 10.5, escaped(cut(group_.values()[g])), 100.0 * static_cast<double>(busy_[g]) / all);
        }
    }

    void axis() {
        const u64_t step = tick();
        u64_t t = first_ / step * step;
        if (t < first_) t += step;
        if (t < first_ || t > last_) return;
        for (u64_t ticks = (last_ - t) / step + 1; ticks != 0; --ticks, t += step) {
            out_ += fmt::format(
                "<line class=\"grid\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/>"
                "<text class=\"quiet\" x=\"{0:.2f}\" y=\"{3:.0f}\" text-anchor=\"middle\" font-size=\"11\">{4}</text>\n",
                x(t), top_ - 6, bottom_, top_ - 10, in_unit(t));
        }
    }

    void rows() {
        double labelled = -100;
        u32_t block = 0;
        for (const auto& [lane, y] : y_) {
            out_ += fmt::format("<rect class=\"lane\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.1f}\"/>\n", left, y,
                                width_ - left - right, lane_height_ - 1);
            const bool first_lane = y == top_ || lane.first != block;
            block = lane.first;
            if (!first_lane || y - labelled < 12) continue;
            labelled = y;
            out_ += fmt::format("<text class=\"quiet\" x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\" font-size=\"10\">block {}</text>\n",
                                left - 6, y + std::min(lane_height_, 10.0), block);
        }
    }

    void tasks() {
        for (const trace_span* s : drawn_) {
            const double from = x(begin_of(*s));
            out_ += fmt::format("<rect class=\"g{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"><title>",
                                group_(group_of(*s)), from, y_.at({s->block, role_(s->role)}), std::max(0.1, x(end_of(*s)) - from),
                                lane_height_ - 1);
            out_ += fmt::format("{}: block {}{}{}, {} to {} ({})</title></rect>\n", escaped(s->name), s->block, s->role.empty() ? "" : ", ",
                                escaped(s->role), in_unit(s->begin_ns - bounds_.begin_ns), in_unit(s->end_ns - bounds_.begin_ns),
                                in_unit(s->end_ns - s->begin_ns));
        }
    }

    /// 1, 2 or 5 times a power of ten, so that six to fifteen ticks stand on the axis.
    u64_t tick() const {
        u64_t step = 1;
        const u64_t length = last_ - first_;
        for (u64_t k = 0; length / step > 14; ++k) step = k % 3 == 1 ? step / 2 * 5 : step * 2;
        return step;
    }
    static std::string in_unit(u64_t ns) {
        if (ns < 1000) return fmt::format("{} ns", ns);
        const double v = static_cast<double>(ns);
        if (ns < 1'000'000) return fmt::format("{:.6g} \xC2\xB5s", v / 1e3);
        if (ns < 1'000'000'000) return fmt::format("{:.7g} ms", v / 1e6);
        return fmt::format("{:.9g} s", v / 1e9);
    }
    /// Hues far from their neighbours', each third one lighter.
    static std::string colour(usz i) {
        const double hue = std::fmod(210.0 + 137.508 * static_cast<double>(i), 360.0) / 60.0;
        const double light = i % 3 == 2 ? 0.72 : i % 3 == 1 ? 0.5 : 0.58;
        const double chroma = (1.0 - std::fabs(2.0 * light - 1.0)) * 0.62;
        const double middle = chroma * (1.0 - std::fabs(std::fmod(hue, 2.0) - 1.0));
        const double parts[6][3] = {{chroma, middle, 0}, {middle, chroma, 0}, {0, chroma, middle},
                                    {0, middle, chroma}, {middle, 0, chroma}, {chroma, 0, middle}};
        const auto byte = [&](double v) { return static_cast<u32_t>(std::lround(255.0 * (v + light - chroma / 2))); };
        const auto& p = parts[static_cast<usz>(hue) % 6];
        return fmt::format("#{:02x}{:02x}{:02x}", byte(p[0]), byte(p[1]), byte(p[2]));
    }
    /// A group's name that fits its column of the legend.
    static std::string cut(const std::string& text) {
        return text.size() <= 18 ? text : text.substr(0, utf8::valid_prefix(text.substr(0, 17))) + "\xE2\x80\xA6";
    }
    /// XML has neither control characters nor U+FFFE and U+FFFF.
    static std::string escaped(const std::string& text) {
        const std::string clean = utf8::printable(text);
        std::string out;
        for (usz i = 0; i < clean.size(); ++i) {
            const char c = clean[i];
            if (const auto three = std::string_view(clean).substr(i, 3); three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF")
                out += '?', i += 2;
            else if (c == '&')
                out += "&amp;";
            else if (c == '<')
                out += "&lt;";
            else if (c == '>')
                out += "&gt;";
            else if (c == '"')
                out += "&quot;";
            else
                out += c;
        }
        return out;
    }

    timeline_options options_;
    trace_bounds bounds_;
    u64_t first_ = 0;
    u64_t last_ = 0;
    std::vector<const trace_span*> drawn_;
    std::set<std::pair<u32_t, usz>> lanes_;
    std::map<std::pair<u32_t, usz>, double> y_;
    numbered role_;
    numbered group_;
    std::vector<u64_t> busy_;
    usz columns_ = 1;
    double lane_height_ = 14, width_ = 1600, top_ = 0, bottom_ = 0;
    std::string out_;
};

}  // namespace detail

/// An SVG picture; each task's rectangle says in its tooltip what it is and when it ran.
inline std::string timeline_svg(std::span<const trace_span> spans, const timeline_options& options = {}) {
    return detail::timeline(spans, options).draw();
}

}  // namespace netra::inline v0

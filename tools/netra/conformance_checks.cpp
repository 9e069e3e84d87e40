// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "conformance_checks.hpp"

namespace netra::tool {
namespace {

std::string path_of(const stream_plan& p) {
    return fmt::format("{} row{}, {}, {} activations", p.model.rows, p.model.rows == 1 ? "" : "s",
                       stream_kernel{p}.bulk() ? "bulk copies" : "cp.async", p.parts == 2 ? "high and low" : p.f16_products ? "f16" : "bf16");
}

nlohmann::ordered_json numbers_of(const stream_plan& p) {
    return {{"rows", p.model.rows},
            {"copies", stream_kernel{p}.bulk() ? "bulk" : "cp_async"},
            {"parts", p.parts},
            {"activation_bits", activation_bits(p)},
            {"weights", netra::name_of(p.model.weights.q)}};
}

/// Adds what was compared; a difference in choices is judged by its margin.
void add_comparison(conformance_report& report, const char* check, const std::string& model, const std::string& how, const comparison& c,
                    const conformance_bounds& most, nlohmann::ordered_json numbers) {
    const bool passed = c.positions != 0 && c.worst <= most.distance && c.margin <= most.margin && c.own_choice;
    std::string said = fmt::format("{}: relative L2 {:.2e} (at most {:.1e}), greedy {} of {}", how, c.worst, most.distance,
                                   c.positions - c.parted, c.positions);
    if (c.parted != 0) said += fmt::format(", parted with margins up to {:.2e} (at most {:.1e})", c.margin, most.margin);
    if (!c.own_choice) said += ", and a choice that is not the largest of its logits";
    numbers.update(nlohmann::ordered_json{{"relative_l2", c.worst},
                                          {"relative_l2_bound", most.distance},
                                          {"positions", c.positions},
                                          {"greedy_equal", c.positions - c.parted},
                                          {"margin", c.margin},
                                          {"margin_bound", most.margin}});
    report.add(check, model, passed, said, std::move(numbers));
}

}  // namespace

conformance_checks::conformance_checks(const conformance_subject& of, const conformance_limits& limits, u32_t positions,
                                       conformance_report& report)
    : of_(of), limits_(limits), report_(report), vocab_(of.open(bf16).contract.vocab), tokens_(some_tokens(positions)) {}

std::vector<u32_t> conformance_checks::some_tokens(usz count) const {
    std::vector<u32_t> made(count);
    u64_t state = limits_.seed;
    for (u32_t& t : made) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        t = static_cast<u32_t>((state >> 33) % vocab_);
    }
    return made;
}

session& conformance_checks::cpu() {
    if (!cpu_) cpu_ = of_.on_cpu();
    return *cpu_;
}

double conformance_checks::cache_rounding() {
    if (!cache_rounding_) {
        of_cpu_ = logits_after_each(cpu(), tokens_);
        const logits_list exact = logits_after_each(*of_.on_cpu(f32), tokens_);
        cache_rounding_ = 0.0;
        for (usz i = 0; i < exact.size(); ++i) cache_rounding_ = std::max(*cache_rounding_, relative_l2(of_cpu_[i], exact[i]));
    }
    return *cache_rounding_;
}

std::unique_ptr<gpu_model> conformance_checks::on_gpu(const gpu_options& how) const {
    return std::make_unique<gpu_model>(of_.open(bf16), of_.weights, how);
}

void conformance_checks::run(const conformance_task& task) {
    switch (task.check) {
        case conformance_check::logits:
            return logits(task.how, task.decode);
        case conformance_check::greedy: {
            const std::vector<u32_t> all = some_tokens(59);
            return greedy(task.how, {{all.begin(), all.begin() + 1}, {all.begin() + 1, all.begin() + 22}, {all.begin() + 22, all.end()}});
        }
        case conformance_check::draws:
            return draws(task.how);
        case conformance_check::context:
            return context(task.how);
        case conformance_check::bits:
            return bits(task.how);
        case conformance_check::delays:
            return delays(task.how);
        case conformance_check::loop:
            return loop(task.how);
        case conformance_check::wrap:
            return wrap(task.how);
        case conformance_check::relaunch:
            return relaunch(task.how);
    }
}

void conformance_checks::logits(const gpu_options& how, bool decode) {
    const double rounding = cache_rounding();
    const auto m = on_gpu(how);
    for (const bool prompt : {false, true}) {
        if (prompt ? !m->plans().prompt.has_value() : !decode) continue;
        const stream_plan& p = m->kernel(prompt).plan();
        comparison c;
        run_with_logits(*m, prompt, tokens_, [&](usz i, i32_t chosen, std::span<const float> got) { c.add(got, chosen, of_cpu_[i]); });
        nlohmann::ordered_json numbers = numbers_of(p);
        numbers["cache_rounding"] = rounding;
        add_comparison(report_, "logits", of_.name, path_of(p), c, bounds_of(activation_bits(p), rounding), std::move(numbers));
    }
}

void conformance_checks::greedy(const gpu_options& how, const std::vector<std::vector<u32_t>>& prompts) {
    const auto m = on_gpu(how);
    const conformance_bounds most = bounds_of(least_activation_bits(m->plans()), cache_rounding());
    comparison c;
    usz whole = 0;
    for (const auto& prompt : prompts) {
        cpu().reset();
        auto g = cpu().generate(prompt, {.max_tokens = limits_.greedy, .ignore_eos = true});
        const usz last = (prompt.size() - 1) % m->prompt_rows() + 1;
        read_tokens(*m, std::span(prompt).first(prompt.size() - last), 0);
        const std::vector<i32_t> ids(prompt.end() - static_cast<std::ptrdiff_t>(last), prompt.end());
        std::vector<i32_t> made{m->read_last(ids, prompt.size() - last)};
        u64_t position = prompt.size();
        bool parted = false;
        while (!parted) {
            for (u32_t s = 0; s < made.size() && !parted; ++s) {
                const auto token = g.next();
                if (!token) break;
                c.add(m->logits(s), made[s], cpu().logits());
                parted = static_cast<i32_t>(*token) != made[s];
            }
            if (parted || g.finish() != finish_reason::none || position - prompt.size() + 1 >= limits_.greedy) break;
            const i32_t before = made.back();
            made.resize(std::min<u64_t>(m->most_steps(), limits_.greedy - 1 - (position - prompt.size())));
            m->decode(before, position, made, true);
            position += made.size();
        }
        whole += parted ? 0U : 1U;
    }
    nlohmann::ordered_json numbers = numbers_of(m->plans().decode);
    numbers["prompt_rows"] = m->prompt_rows();
    numbers["prompts"] = prompts.size();
    numbers["prompts_equal"] = whole;
    add_comparison(report_, "greedy", of_.name,
                   fmt::format("{} of {} prompts equal for {} tokens, prompts {} tokens at a time", whole, prompts.size(), limits_.greedy,
                               m->prompt_rows()),
                   c, most, std::move(numbers));
}

/// Each token drawn in a launch of many steps is what the CPU's function draws from that step's logits.
void conformance_checks::draws(const gpu_options& how) {
    const auto m = on_gpu(how);
    if (!m->draws()) return report_.leave_out("draws", of_.name, "blocks have no room for their logits: tokens are drawn on the CPU");
    const sampling choice{vocab_};
    std::vector<u32_t> order(choice.vocab);
    std::vector<i32_t> drawn(m->most_steps());
    usz made = 0, equal = 0;
    for (const sampling_parameters& p : {sampling_parameters{.temperature = 1.0F, .seed = limits_.seed},
                                         sampling_parameters{.temperature = 0.8F, .top_k = 20, .top_p = 0.9F, .seed = limits_.seed + 1},
                                         sampling_parameters{.temperature = 1.2F, .top_p = 0.7F, .seed = limits_.seed + 2},
                                         sampling_parameters{.temperature = 5.0F, .top_k = 50, .seed = ~limits_.seed}}) {
        m->decode(static_cast<i32_t>(tokens_[0]), 0, drawn, true, p);
        for (u32_t s = 0; s < drawn.size(); ++s, ++made)
            equal += drawn[s] == cpu::sample(choice, p, s, m->logits(s, 0).data(), order) ? 1U : 0U;
    }
    nlohmann::ordered_json numbers = numbers_of(m->plans().decode);
    numbers.update(nlohmann::ordered_json{{"draws", made}, {"equal", equal}});
    report_.add("draws", of_.name, equal == made, fmt::format("{} of {} tokens are what the CPU draws from their logits", equal, made), std::move(numbers));
}

void conformance_checks::context(const gpu_options& how) {
    const auto m = on_gpu(how);
    const conformance_bounds most = bounds_of(least_activation_bits(m->plans()), cache_rounding());
    const std::vector<u32_t> tokens = some_tokens(std::min<usz>(limits_.longest, m->context()));
    session& s = cpu();
    s.reset();
    usz there = 0;  // tokens that both caches hold
    for (const u32_t length : {1U, 15U, 16U, 17U, 255U, 256U, 257U, 4095U, 8191U, 8192U, 8193U, 9000U, 10000U}) {
        if (length > tokens.size()) break;
        read_tokens(*m, std::span(tokens).subspan(there, length - 1 - there), there);
        s.generate(std::span(tokens).subspan(there, length - there)).next();
        there = length;
        for (const bool prompt : {true, false}) {  // the kernel for single tokens last, so that its token's keys and values stay
            if (prompt && !m->plans().prompt) continue;
            const gpu_kernel& k = m->kernel(prompt);
            const u32_t live = std::min(k.rows(), length);
            std::vector<i32_t> ids(k.rows());
            std::copy(tokens.begin() + (length - live), tokens.begin() + length, ids.begin());
            const step_order o{.position = length - live, .live = live};
            m->run(prompt, {&o, 1}, ids, true);
            comparison c;
            c.add(m->logits(0, live - 1), k.chosen(0, live - 1), s.logits());
            nlohmann::ordered_json numbers = numbers_of(k.plan());
            numbers["length"] = length;
            add_comparison(report_, "context", of_.name, fmt::format("{} tokens, {}", length, path_of(k.plan())), c, most,
                           std::move(numbers));
        }
    }
}

bool conformance_checks::outcome::operator==(const outcome& other) const {
    return chosen == other.chosen && logits.size() == other.logits.size() &&
           std::memcmp(logits.data(), other.logits.data(), 4 * logits.size()) == 0;
}

/// The token loop of one launch, then a prompt in one launch of passes without logits and one with.
conformance_checks::outcome conformance_checks::launch_both(gpu_model& m) const {
    outcome made;
    made.chosen.resize(m.most_steps());
    const std::vector<u32_t> tokens = some_tokens(5 * m.prompt_rows() - 1);
    m.decode(static_cast<i32_t>(tokens[0]), 0, made.chosen, true);
    for (u32_t s = 0; s < m.most_steps(); ++s) {
        const auto got = m.logits(s, 0);
        made.logits.insert(made.logits.end(), got.begin(), got.end());
    }
    const usz last = m.prompt_rows() == 1 ? 1 : m.prompt_rows() - 1;
    read_tokens(m, std::span(tokens).first(tokens.size() - last), 0);
    const std::vector<i32_t> ids(tokens.end() - static_cast<std::ptrdiff_t>(last), tokens.end());
    made.chosen.push_back(m.read_last(ids, tokens.size() - last));
    for (u32_t r = 0; r < last; ++r) {
        const auto got = m.logits(0, r);
        made.logits.insert(made.logits.end(), got.begin(), got.end());
    }
    return made;
}

/// Of the first launches of these kernels without delays.
const conformance_checks::outcome& conformance_checks::expected(const gpu_options& how) {
    stream_config plain = how.stream;
    plain.delays = false;
    if (!expected_ || !(expected_with_ == plain)) {
        gpu_options o = how;
        o.stream = plain;
        expected_ = launch_both(*on_gpu(o));
        expected_with_ = plain;
    }
    return *expected_;
}

void conformance_checks::bits(const gpu_options& how) {
    const auto m = on_gpu(how);
    const outcome& first = expected(how);
    u32_t equal = 0;
    for (u32_t i = 0; i < limits_.launches; ++i) equal += launch_both(*m) == first ? 1U : 0U;
    nlohmann::ordered_json numbers = numbers_of(m->plans().decode);
    numbers.update(nlohmann::ordered_json{{"prompt_rows", m->prompt_rows()}, {"launches", limits_.launches}, {"equal", equal}});
    report_.add("bits", of_.name, equal == limits_.launches && equal != 0,
                fmt::format("{}: {} of {} launches of {} steps, and as many of prompts, give the same bits", path_of(m->plans().decode),
                            equal, limits_.launches, m->most_steps()),
                std::move(numbers));
}

void conformance_checks::delays(const gpu_options& how) {
    gpu_options delayed = how;
    delayed.stream.delays = true;
    const outcome& first = expected(how);
    const auto m = on_gpu(delayed);
    stream_plan undelayed = m->plans().decode;
    undelayed.config.delays = false;
    const bool has_delays = stream_kernel_text(m->plans().decode).text() != stream_kernel_text(undelayed).text();
    u32_t equal = 0;
    for (u32_t i = 0; i < limits_.launches; ++i) equal += launch_both(*m) == first ? 1U : 0U;
    nlohmann::ordered_json numbers = numbers_of(m->plans().decode);
    numbers.update(nlohmann::ordered_json{{"launches", limits_.launches}, {"equal", equal}, {"kernel_has_delays", has_delays}});
    report_.add("delays", of_.name, has_delays && equal == limits_.launches && equal != 0,
                has_delays ? fmt::format("{}: {} of {} launches whose blocks wait random times give the bits of those that do not",
                                         path_of(m->plans().decode), equal, limits_.launches)
                           : "the kernel with delays is the one without: nothing was checked",
                std::move(numbers));
}

void conformance_checks::loop(const gpu_options& how) {
    const auto m = on_gpu(how);
    const u64_t round = m->context() / m->most_steps() * m->most_steps();
    const auto start = static_cast<i32_t>(some_tokens(1)[0]);
    const u32_t first_epoch = m->kernel(false).epoch();
    std::vector<i32_t> chosen(round);
    std::vector<i32_t> first;
    u64_t made = 0;
    u64_t unequal = 0;
    const double began = netra::detail::seconds_now();
    for (; made < limits_.tokens; made += round) {
        for (u64_t at = 0; at < round; at += m->most_steps())
            m->decode(at == 0 ? start : chosen[at - 1], at, std::span(chosen).subspan(at, m->most_steps()), false);
        if (first.empty()) first = chosen;
        unequal += chosen == first ? 0U : 1U;
    }
    const double took = netra::detail::seconds_now() - began;
    const u32_t epochs = m->kernel(false).epoch() - first_epoch;
    // the first round beside the CPU: each choice after the tokens before it
    session& s = cpu();
    s.reset();
    usz same = 0;
    std::vector<u32_t> before{static_cast<u32_t>(start)};
    const usz compared = std::min<usz>(first.size(), limits_.greedy);
    for (usz i = 0; i < compared; ++i) {
        const auto token = s.generate(before, {.max_tokens = 1, .ignore_eos = true}).next();
        same += token && static_cast<i32_t>(*token) == first[i] ? 1U : 0U;
        before.assign(1, static_cast<u32_t>(first[i]));
    }
    report_.add(
        "loop", of_.name, unequal == 0 && made != 0 && u64_t{epochs} == made * (m->plans().decode.model.layers + 1) % (u64_t{1} << 32),
        fmt::format(
            "{} tokens in launches of {} steps, {} epochs without a reset, {:.1f} us a token; {} of {} rounds differ from the first; "
            "{} of its first {} choices are the CPU's",
            made, m->most_steps(), epochs, made == 0 ? 0.0 : took * 1e6 / static_cast<double>(made), unequal, made / round, same, compared),
        {{"tokens", made},
         {"epochs", epochs},
         {"seconds", took},
         {"rounds", made / round},
         {"rounds_unequal", unequal},
         {"choices_compared", compared},
         {"choices_equal", same}});
}

void conformance_checks::wrap(const gpu_options& how) {
    const outcome& first = expected(how);
    for (const u32_t before : {1U, 2U, 7U, 40U}) {
        const auto m = on_gpu(how);
        const auto set = [&](u32_t epoch) {
            m->kernel(false).set_epoch(epoch);
            if (m->plans().prompt) m->kernel(true).set_epoch(epoch);
        };
        set(u32_t{1} << 31);  // words of an epoch far from those around the wrap
        const bool ahead = launch_both(*m) == first;
        set(u32_t{0} - before);
        const bool across = launch_both(*m) == first;
        const bool after = launch_both(*m) == first && m->kernel(false).epoch() < (u32_t{1} << 30);
        report_.add("wrap", of_.name, ahead && across && after,
                    fmt::format("launches that begin {} epochs before 2^32: {}, the ones after: {}", before,
                                across && ahead ? "the same bits" : "other bits", after ? "the same bits" : "other bits"),
                    {{"epochs_before", before}, {"across", across}, {"after", after}});
    }
}

void conformance_checks::relaunch(const gpu_options& how) {
    const outcome& first = expected(how);
    const auto m = on_gpu(how);
    gpu_kernel& k = m->kernel(false);
    constexpr i32_t chosen_before = -1;
    k.order(0, {.position = 0}, {&chosen_before, 1});  // no step before it: its blocks wait in vain
    launch_arguments a = m->arguments(false);
    a.patience_ms = 50;
    std::string said;
    const double began = netra::detail::seconds_now();
    try {
        k.start(a, 1, m->stream());
        m->wait(k);
    } catch (const backend_error& e) {
        said = e.what();
    }
    const double took = netra::detail::seconds_now() - began;
    const bool equal = !said.empty() && launch_both(*m) == first;
    report_.add("relaunch", of_.name, equal,
                said.empty() ? "a launch that waits for a step that there is none of ended without an error"
                             : fmt::format("the launches after an aborted one give {} bits; it took {:.0f} ms and said: {}",
                                           equal ? "the same" : "other", took * 1e3, said),
                {{"error", said}, {"abort_ms", took * 1e3}, {"equal_after", equal}});
}

}  // namespace netra::tool

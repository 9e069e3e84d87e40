// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model's schedule for a device, lowered and checked while the user's program is compiled.
#pragma once

#include <netra/contracts/rejected.hpp>
#include <netra/schedule/checked_schedule.hpp>
#include <netra/schedule/lower.hpp>

namespace netra::inline v0 {

namespace detail {
template <llama Model, device Device, lower_config Config>
consteval auto lowered() {
    static_schedule<lowered_size(Model, Config)> s;
    lower(Model, Device, Config, s);
    if (s.groups.size() != s.groups.capacity() || s.buffers.size() != s.buffers.capacity()) __builtin_trap();  // see lowered_size
    return s;
}
}  // namespace detail

/// `static_assert(netra::accepted<netra::program<my_model, netra::host_cpu(), netra::lower_config{.workers = 4}>>)` refuses, with names and numbers, or not at all.
template <llama Model, device Device = host_cpu(), lower_config Config = lower_config{}>
struct program {
    static_assert(require_accepted<verdict_of<Model>>());
    static constexpr llama model = Model;
    static constexpr lower_config config = Config;
    static constexpr auto unplanned = detail::lowered<Model, Device, Config>();
    static constexpr const auto& schedule = planned_schedule<unplanned>::schedule;
    static constexpr schedule_view view = netra::view(schedule);
    static constexpr netra::verdict verdict = planned_schedule<unplanned>::verdict;
};

template <class Program>
consteval accepted_schedule accepted_program() {
    static_assert(accepted<Program>);
    return accepted_schedule(Program::view);
}

/// The schedule of a program, ready to run without another check.
template <class Program>
inline constexpr accepted_schedule compiled = accepted_program<Program>();

}  // namespace netra::inline v0

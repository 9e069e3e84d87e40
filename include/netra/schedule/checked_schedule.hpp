// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The checker's verdict on a schedule that is a value of the compiler, in several constant evaluations: each has limits of its own.
#pragma once

#include <netra/schedule/check.hpp>
#include <netra/schedule/memory_plan.hpp>

namespace netra::inline v0 {

namespace detail {
template <auto& Schedule, usz Words>
consteval auto derived_order() {
    const group_order order(view(Schedule));
    return static_order<Schedule.groups.capacity(), Schedule.buffers.capacity(), Words>(order.view());
}
template <auto& Schedule>
consteval auto whole_order() {
    constexpr usz usual = 2 * Schedule.groups.capacity() + 64;
    constexpr auto order = derived_order<Schedule, usual>();
    if constexpr (order.word_count() <= usual) return order;
    else return derived_order<Schedule, order.word_count()>();
}
}  // namespace detail

/// The order of a schedule, derived once. @pre check_structure accepts
template <auto& Schedule>
struct order_of {
    static constexpr auto value = detail::whole_order<Schedule>();
};

namespace detail {
inline constexpr usz groups_of_part = 256;

template <auto& Schedule, class Order, usz Part>
inline constexpr verdict memory_part = check_memory(view(Schedule), Order::value.view(), Part * groups_of_part,
                                                    (Part + 1) * groups_of_part < Schedule.groups.size() ? (Part + 1) * groups_of_part : Schedule.groups.size());

template <auto& Schedule, class Order, usz Part = 0>
consteval verdict memory_verdict() {
    if constexpr (!memory_part<Schedule, Order, Part>.ok() || (Part + 1) * groups_of_part >= Schedule.groups.size()) return memory_part<Schedule, Order, Part>;
    else return memory_verdict<Schedule, Order, Part + 1>();
}
template <auto& Schedule, const verdict& Structure, class Order>
consteval verdict whole_verdict() {
    if constexpr (!Structure.ok()) return Structure;
    else if constexpr (Order::value.found.what != wait_problem::none) return check_waits(view(Schedule), Order::value.view());
    else return memory_verdict<Schedule, Order>();
}
}  // namespace detail

/// `Order`: of the schedule, or of one that differs only in the places of its buffers.
template <auto& Schedule, class Order = order_of<Schedule>>
struct checked_schedule {
    static constexpr netra::verdict structure_verdict = check_structure(view(Schedule));
    static constexpr netra::verdict verdict = detail::whole_verdict<Schedule, structure_verdict, Order>();
};

namespace detail {
template <auto& Schedule>
consteval auto with_places() {
    auto s = Schedule;
    plan_memory(s, order_of<Schedule>::value.view());
    return s;
}
}  // namespace detail

/// The schedule with its activations placed in the arena, and the verdict on it. @pre check_structure accepts it but for the places
template <auto& Schedule>
struct planned_schedule {
    static constexpr auto schedule = detail::with_places<Schedule>();
    static constexpr netra::verdict verdict = checked_schedule<schedule, order_of<Schedule>>::verdict;
};

}  // namespace netra::inline v0

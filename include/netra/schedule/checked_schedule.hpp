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
template <auto& Schedule>
inline constexpr usz part_count = (Schedule.groups.size() + groups_of_part - 1) / groups_of_part;
constexpr usz end_of_part(usz part, usz groups) { return (part + 1) * groups_of_part < groups ? (part + 1) * groups_of_part : groups; }

template <auto& Schedule>
inline constexpr verdict sizes_verdict = check_sizes(view(Schedule));
template <auto& Schedule>
inline constexpr verdict shapes_verdict = check_shapes(view(Schedule));
template <auto& Schedule, usz Part>
inline constexpr verdict groups_verdict = check_groups(view(Schedule), Part * groups_of_part, end_of_part(Part, Schedule.groups.size()));
template <auto& Schedule, class Order, usz Part>
inline constexpr verdict memory_verdict =
    check_memory(view(Schedule), Order::value.view(), Part * groups_of_part, end_of_part(Part, Schedule.groups.size()));

template <auto& Schedule, usz Part = 0>
consteval verdict whole_structure() {
    if constexpr (!sizes_verdict<Schedule>.ok()) return sizes_verdict<Schedule>;
    else if constexpr (!groups_verdict<Schedule, Part>.ok()) return groups_verdict<Schedule, Part>;
    else if constexpr (Part + 1 < part_count<Schedule>) return whole_structure<Schedule, Part + 1>();
    else return shapes_verdict<Schedule>;
}
template <auto& Schedule, class Order, usz Part = 0>
consteval verdict whole_memory() {
    if constexpr (!memory_verdict<Schedule, Order, Part>.ok() || Part + 1 == part_count<Schedule>)
        return memory_verdict<Schedule, Order, Part>;
    else
        return whole_memory<Schedule, Order, Part + 1>();
}
template <auto& Schedule, const verdict& Structure, class Order>
consteval verdict whole_verdict() {
    if constexpr (!Structure.ok()) return Structure;
    else if constexpr (Order::value.found.what != wait_problem::none) return check_waits(view(Schedule), Order::value.view());
    else return whole_memory<Schedule, Order>();
}
}  // namespace detail

/// `Order`: of the schedule, or of one that differs only in the places of its buffers.
template <auto& Schedule, class Order = order_of<Schedule>>
struct checked_schedule {
    static constexpr netra::verdict structure_verdict = detail::whole_structure<Schedule>();
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

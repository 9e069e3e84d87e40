// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What the exact checker says: a verdict, and the tasks that show it.
#pragma once

#include <netra/contracts/verdict.hpp>
#include <netra/detail/scratch.hpp>

namespace netra::inline v0 {

/// Indices of tasks; moves, but does not copy.
class task_list {
  public:
    constexpr task_list() = default;
    constexpr explicit task_list(usz n) : data_(n == 0 ? nullptr : new u32_t[n]{}), size_(n) {}
    constexpr task_list(task_list&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr, other.size_ = 0; }
    constexpr task_list& operator=(task_list&& other) noexcept {
        u32_t* const data = data_;
        const usz size = size_;
        data_ = other.data_, size_ = other.size_;
        other.data_ = data, other.size_ = size;
        return *this;
    }
    constexpr ~task_list() { delete[] data_; }
    constexpr u32_t& operator[](usz i) { return data_[i]; }
    constexpr u32_t operator[](usz i) const { return data_[i]; }
    constexpr const u32_t* begin() const { return data_; }
    constexpr const u32_t* end() const { return data_ + size_; }
    constexpr usz size() const { return size_; }

  private:
    u32_t* data_ = nullptr;
    usz size_ = 0;
};

/// `tasks` of a deadlock: the cycle, each waits for the next and the last for the first; one task if it waits for what can never come.
/// Of a race: the two, the earlier one in some run first. Of other refusals: the task that is named.
struct exact_result {
    verdict found{};
    task_list tasks{};

    constexpr bool ok() const { return found.ok(); }
};

namespace detail {
constexpr exact_result refuse_tasks(const verdict& why) { return {.found = why, .tasks = {}}; }
constexpr exact_result refuse_tasks(const verdict& why, u32_t task) {
    exact_result r{.found = why, .tasks = task_list(1)};
    r.tasks[0] = task;
    return r;
}
constexpr exact_result refuse_tasks(const verdict& why, u32_t first, u32_t second) {
    exact_result r{.found = why, .tasks = task_list(2)};
    r.tasks[0] = first, r.tasks[1] = second;
    return r;
}
}  // namespace detail

}  // namespace netra::inline v0

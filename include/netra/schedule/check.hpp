// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The group checker: accepts a schedule, or says what is wrong with it. The same function runs in static_assert and at run time.
#pragma once

#include <netra/schedule/checks/memory.hpp>
#include <netra/schedule/checks/structure.hpp>
#include <netra/schedule/checks/waits.hpp>

namespace netra::inline v0 {

/// Never accepts a schedule that can block, race, read what was not written, leave an output incomplete or touch what it must not;
/// may refuse a safe one whose order follows from more than joins of groups, joins of tiles and queue order.
constexpr verdict check_schedule(const schedule_view& s) {
    if (verdict v = check_structure(s); !v.ok()) return v;
    const group_order order(s);
    if (verdict v = check_waits(s, order.view()); !v.ok()) return v;
    return check_memory(s, order.view());
}

/// A schedule of which the checker is known to have accepted it: while the program was compiled (`compiled<Program>`), or by `accept`.
class accepted_schedule {
  public:
    constexpr const schedule_view& view() const { return view_; }

    /// Checks now; `found` says why when nothing is returned that may run.
    static constexpr accepted_schedule accept(const schedule_view& s, verdict& found) {
        found = check_schedule(s);
        return accepted_schedule(found.ok() ? s : schedule_view{});
    }

  private:
    template <class Program>
    friend consteval accepted_schedule accepted_program();
    constexpr explicit accepted_schedule(const schedule_view& s) : view_(s) {}

    schedule_view view_;
};

}  // namespace netra::inline v0

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A function to call that somebody else keeps, so that what calls it is compiled once and not once for each.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::detail {

/// Refers to an object that can be called with an `Argument`; it must outlive the callback.
template <class Argument>
class callback {
  public:
    template <class F>
    callback(const F& f)  // NOLINT: what can be called converts
        : of_(&f), call_([](const void* of, Argument a) { (*static_cast<const F*>(of))(a); }) {}
    void operator()(Argument a) const { call_(of_, a); }

  private:
    const void* of_;
    void (*call_)(const void*, Argument);
};

}  // namespace netra::inline v0::detail

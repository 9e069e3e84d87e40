// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The exception that a backend throws when it cannot run what it was given.
#pragma once

#include <netra/contracts/verdict.hpp>

#include <stdexcept>
#include <string>

namespace netra::inline v0 {

/// A refusal before anything ran: a schedule that the checker rejects, a missing weight, more workers than the machine starts.
class backend_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    explicit backend_error(const verdict& v) : std::runtime_error(std::string("schedule rejected (") + name_of(v.why) + "): " + sentence(v).d) {}
};

}  // namespace netra::inline v0

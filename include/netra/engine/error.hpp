// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The exception that engine code throws when a model, a file or a request is refused.
#pragma once

#include <netra/detail/config.hpp>

#include <stdexcept>

namespace netra::inline v0 {

/// A refusal: its text names the thing (file, tensor, key, option), the value, and what to do about it.
class model_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace netra::inline v0

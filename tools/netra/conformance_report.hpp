// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The results of `netra conformance`: one line each, and all of them as JSON.
#pragma once

#include <netra/engine/utf8.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>

namespace netra::tool {

class conformance_report {
public:
    void add(const char* check, const std::string& model, bool passed, const std::string& said, nlohmann::ordered_json numbers) {
        ++(passed ? passed_ : failed_);
        fmt::print("{:6} {:8} {:28} {}\n", passed ? "ok" : "FAILED", check, utf8::printable(model), utf8::printable(said));
        std::fflush(stdout);
        nlohmann::ordered_json line{{"check", check}, {"model", model}, {"passed", passed}, {"said", said}};
        line.update(numbers);
        results_.push_back(std::move(line));
    }
    /// What cannot be checked of a model, and why: no result.
    void leave_out(const char* check, const std::string& model, const char* why) const {
        fmt::print("{:6} {:8} {:28} {}\n", "none", check, utf8::printable(model), why);
    }
    unsigned passed() const { return passed_; }
    unsigned failed() const { return failed_; }
    const nlohmann::ordered_json& results() const { return results_; }

private:
    unsigned passed_ = 0, failed_ = 0;
    nlohmann::ordered_json results_ = nlohmann::ordered_json::array();
};

}  // namespace netra::tool

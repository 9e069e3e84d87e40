// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cuda/remedy.hpp>

#include <string>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("errors that users meet say what to do") {
    const auto says = [](int code, const char* part) { CHECK_THAT(std::string(cuda::remedy_of(code)), test::containing(part)); };
    says(2, "memory");
    says(100, "nvidia-smi");
    says(200, "cache");
    says(209, "another GPU");
    says(218, "PTX");
    says(222, "update the NVIDIA driver");
    says(223, "CUDA_DISABLE_PTX_JIT");
    says(304, "/dev/nvidia");
    says(720, "MIG");
    says(802, "fabricmanager");
    says(803, "different versions");
    says(804, "cuda-compat");
    says(999, "Xid");
    CHECK(cuda::remedy_of(0) == nullptr);
    CHECK(cuda::remedy_of(12345) == nullptr);
}

TEST_CASE("no error has two remedies, and all are part of a sentence") {
    int last = 0;
    for (const auto& r : cuda::detail::remedies) {
        INFO(r.code);
        CHECK(r.code > last);
        last = r.code;
        const std::string text = r.text;
        CHECK(text.size() > 20);
        CHECK(text.back() != '.');
    }
}

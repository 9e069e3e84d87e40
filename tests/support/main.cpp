// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "support/skip.hpp"

int main(int argc, char** argv) {
    const int failed = Catch::Session().run(argc, argv);
    return failed == 0 && netra::test::skipped ? 77 : failed;
}

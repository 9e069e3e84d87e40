// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The PTX kernels of single operations in the interpreter, against the reference functions of their contracts.
#include "support/catch.hpp"
#include "support/module_text.hpp"
#include "support/operation_cases.hpp"
#include "support/ptx/machine.hpp"

#include <cstdio>

using namespace netra;

namespace {

struct launcher {
    u64_t seed;

    template <class Out, class Contract, class... In>
    std::vector<Out> run(const Contract& contract, usz outputs, const std::vector<In>&... inputs) {
        const test::module_text made(kernel_of(contract), sm_90a);
        REQUIRE(made.verdict().ok());
        test::simt::machine m(++seed);
        std::vector<u64_t> arguments{m.upload(inputs)...};
        arguments.push_back(m.allocate(outputs * sizeof(Out), "output"));
        m.fill(arguments.back(), 0xff, outputs * sizeof(Out));
        const kernel_launch shape = made.image().launch;
        m.launch(test::simt::parse(made.text()), shape.blocks, shape.threads, shape.shared_bytes, arguments);
        return m.read<Out>(arguments.back(), outputs);
    }
};

template <class Check>
void interpreted(Check check) {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("NETRA_SEED=%llu\n", static_cast<unsigned long long>(seed));
    test::dice d(seed);
    launcher on{seed};
    check(on, d);
}

}  // namespace

TEST_CASE("linear gives the bits of its reference") {
    interpreted([](auto& on, auto& d) { test::check_linear(on, d, {.count = test::slow_build ? 6 : 30, .divisor = 3}); });
}
TEST_CASE("rms_norm gives the bits of its reference") {
    interpreted([](auto& on, auto& d) { test::check_rms_norm(on, d, {.count = test::slow_build ? 4 : 16, .divisor = 3}); });
}
TEST_CASE("embedding gives the bits of its reference") {
    interpreted([](auto& on, auto& d) { test::check_embedding(on, d, {.count = test::slow_build ? 4 : 12, .divisor = 3}); });
}
TEST_CASE("gated_mul stays within 1e-6 of its reference, for small, large and extreme gates") {
    interpreted([](auto& on, auto& d) { test::check_gated_mul(on, d, {.divisor = test::slow_build ? 30 : 5}); });
}
TEST_CASE("sampling chooses the largest logit, the lowest id among equals") {
    interpreted([](auto& on, auto& d) { test::check_sampling(on, d, {.count = test::slow_build ? 3 : 12, .divisor = 10}); });
}

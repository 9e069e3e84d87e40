// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The PTX kernels of single operations on a GPU, against the reference functions of their contracts: random shapes, poisoned outputs.
#include "support/catch.hpp"
#include "support/gpu.hpp"
#include "support/operation_cases.hpp"

using namespace netra;

namespace {

struct launcher {
    const cuda::gpu& where;
    usz outputs_run = 0;

    template <class Out, class Contract, class... In>
    std::vector<Out> run(const Contract& c, usz outputs, const std::vector<In>&... inputs) {
        outputs_run += outputs;
        return test::run_kernel<Out>(where, c, outputs, inputs...);
    }
};

/// `check(launcher, dice)` where the machine has a GPU.
template <class Check>
void on_gpu(Check check) {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("%s, NETRA_SEED=%llu\n", where->name().c_str(), seed);
    test::dice d(seed);
    launcher on{*where};
    check(on, d);
    std::printf("%zu outputs\n", on.outputs_run);
}

}  // namespace

TEST_CASE("linear gives the bits of its reference") {
    on_gpu([](auto& on, auto& d) { test::check_linear(on, d, {.count = 120}); });
}
TEST_CASE("rms_norm gives the bits of its reference") {
    on_gpu([](auto& on, auto& d) { test::check_rms_norm(on, d, {.count = 40}); });
}
TEST_CASE("embedding gives the bits of its reference") {
    on_gpu([](auto& on, auto& d) { test::check_embedding(on, d, {.count = 30}); });
}
TEST_CASE("gated_mul stays within 1e-6 of its reference, for small, large and extreme gates") {
    on_gpu([](auto& on, auto& d) { test::check_gated_mul(on, d, {}); });
}
TEST_CASE("sampling chooses the largest logit, the lowest id among equals") {
    on_gpu([](auto& on, auto& d) { test::check_sampling(on, d, {.count = 40}); });
}

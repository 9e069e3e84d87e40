// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/sampling.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <string_view>
#include <vector>

using namespace netra;

static_assert(check(sampling{.vocab = 1}).ok() && check(sampling{}).why == reason::zero_size);
static_assert(check(sampling{.vocab = (1U << 28) + 1})[label::limit] == 1U << 28);
static_assert(bytes(sampling{.vocab = 10}) == 44 && flops(sampling{.vocab = 10}) == 10);
static_assert(check(sampling_parameters{}).ok());
static_assert(check(sampling_parameters{.temperature = 100.0F, .top_k = ~0U, .top_p = 1e-6F}).ok());
static_assert(check(sampling_parameters{.temperature = -0.5F}).why == reason::bad_parameter);
static_assert(check(sampling_parameters{.temperature = 100.5F}).why == reason::bad_parameter);
static_assert(check(sampling_parameters{.temperature = __builtin_nanf("")}).why == reason::bad_parameter);
static_assert(check(sampling_parameters{.top_p = 0.0F}).why == reason::bad_parameter);
static_assert(check(sampling_parameters{.top_p = 1.5F}).why == reason::bad_parameter);
static_assert(check(sampling_parameters{.top_p = __builtin_nanf("")}).why == reason::bad_parameter);
static_assert(std::string_view(sentence(check(sampling_parameters{.top_p = 0.0F})).d) ==
              "sampling: top-p (above 0, at most 1) is outside its range or not a number");
// splitmix64 from state 0: its first number is 0xe220a8397b1dcdaf, its second 0x6e789e6aa1b965f4
static_assert(uniform_at(0, 0) == static_cast<double>(0xe220a8397b1dcdafULL >> 11) * 0x1p-53);
static_assert(uniform_at(0, 1) == static_cast<double>(0x6e789e6aa1b965f4ULL >> 11) * 0x1p-53);
inline constexpr float tied[] = {-3.0F, 2.0F, 1.0F, 2.0F};
static_assert(argmax(tied, 4) == 1 && argmax(tied, 1) == 0);

namespace {

/// How often each token is drawn at positions 0 to n - 1.
std::vector<double> shares(const std::vector<float>& logits, const sampling_parameters& p, u64_t n) {
    const sampling c{.vocab = static_cast<u32_t>(logits.size())};
    std::vector<u8_t> taken(logits.size());
    std::vector<double> share(logits.size());
    for (u64_t i = 0; i < n; ++i) share[static_cast<usz>(reference(c, p, i, logits.data(), taken.data()))] += 1.0 / static_cast<double>(n);
    return share;
}

}  // namespace

TEST_CASE("tokens are drawn as often as their softmax says") {
    const std::vector<float> logits{0.0F, std::log(2.0F), std::log(5.0F), -std::numeric_limits<float>::infinity(), std::log(2.0F)};  // 1 : 2 : 5 : 0 : 2
    const auto near = [](const std::vector<double>& share, const std::vector<double>& expected) {
        for (usz i = 0; i < share.size(); ++i) {
            INFO(i << ": " << share[i] << ", expected " << expected[i]);
            CHECK(std::abs(share[i] - expected[i]) < 0.02);  // five deviations of 20000 draws
            if (expected[i] == 0.0) CHECK(share[i] == 0.0);
        }
    };
    const u64_t n = 20000;
    near(shares(logits, {.temperature = 1.0F}, n), {0.1, 0.2, 0.5, 0.0, 0.2});
    near(shares(logits, {.temperature = 0.5F}, n), {1 / 34.0, 4 / 34.0, 25 / 34.0, 0.0, 4 / 34.0});
    near(shares(logits, {.temperature = 1.0F, .top_k = 2}, n), {0.0, 2 / 7.0, 5 / 7.0, 0.0, 0.0});  // of two equals, the lower id
    near(shares(logits, {.temperature = 1.0F, .top_p = 0.65F}, n), {0.0, 2 / 7.0, 5 / 7.0, 0.0, 0.0});
    near(shares(logits, {.temperature = 1.0F, .top_p = 0.75F}, n), {0.0, 2 / 9.0, 5 / 9.0, 0.0, 2 / 9.0});
    near(shares(logits, {.temperature = 1.0F, .top_k = 3, .top_p = 0.7F}, n), {0.0, 2 / 7.0, 5 / 7.0, 0.0, 0.0});
}

TEST_CASE("greedy, one candidate and a tiny top-p take the largest; the seed and the position decide a draw") {
    const std::vector<float> logits{0.5F, 1.0F, 0.75F, 1.0F};
    for (const sampling_parameters p : {sampling_parameters{}, sampling_parameters{.temperature = 2.0F, .top_k = 1}, sampling_parameters{.temperature = 2.0F, .top_p = 1e-6F}})
        CHECK(shares(logits, p, 50)[1] > 0.99);
    const auto draws = [&](u64_t seed) {
        std::vector<i32_t> ids;
        std::vector<u8_t> taken(4, 9);  // what is in it before does not matter
        for (u64_t i = 0; i < 40; ++i) ids.push_back(reference(sampling{.vocab = 4}, {.temperature = 1.0F, .seed = seed}, i, logits.data(), taken.data()));
        return ids;
    };
    CHECK(draws(1) == draws(1));
    CHECK(draws(1) != draws(2));
    for (u64_t i = 0; i < 1000; ++i) CHECK((uniform_at(7, i) >= 0.0 && uniform_at(7, i) < 1.0));
}

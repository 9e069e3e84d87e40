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
static_assert(random_bits_at(0, 0) == 0xe220a8397b1dcdafULL && random_bits_at(0, 1) == 0x6e789e6aa1b965f4ULL);
static_assert(draw_at({}, 3) == draw{});
static_assert(draw_at({.temperature = 4.0F, .top_k = 9, .top_p = 0.75F}, 0) == draw{0.25F, 9, 0xc0000000U, {0x7b1dcdafU, 0xe220a839U}});
static_assert(draw_at({.temperature = 1e-30F, .top_p = 1e-20F}, 0) == draw{0x1p20F, 0, 1, {0x7b1dcdafU, 0xe220a839U}});
static_assert(draw_at({.temperature = 1e-45F}, 0).scale == 0x1p20F && draw_at({.temperature = 1.0F}, 0).share == 0);
static_assert(draw_at({.temperature = 1.0F, .top_p = 1.0F - 0x1p-24F}, 0).share == 0xffffff00U);
static_assert(sampled::ordered(-1.0F) < sampled::ordered(-0.5F) && sampled::ordered(-0.5F) < sampled::ordered(0.0F));
static_assert(sampled::ordered(0.0F) < sampled::ordered(1.0F) && sampled::ordered(1.0F) < sampled::ordered(__builtin_inff()));
static_assert(sampled::ordered(sampled::logit(-0.0F)) == sampled::ordered(0.0F));
static_assert(sampled::ordered(sampled::logit(__builtin_nanf(""))) == sampled::ordered(-__builtin_inff()));
// of all masses, half, and the least whole number that holds a share
static_assert(sampled::share_of({.share = 0x80000000U}, 10) == 5 && sampled::share_of({.share = 0x80000000U}, 11) == 6);
static_assert(sampled::share_of({.share = 1}, u64_t{1} << 35) == 8 && sampled::share_of({.share = ~0U}, ~u64_t{0} >> 1) < ~u64_t{0} >> 1);
inline constexpr float tied[] = {-3.0F, 2.0F, 1.0F, 2.0F};
static_assert(argmax(tied, 4) == 1 && argmax(tied, 1) == 0);

inline constexpr float rising[] = {1.0F, 3.0F, 2.0F, 3.0F};
static_assert(reference({.vocab = 4}, {.temperature = 1.0F, .top_k = 1, .seed = 3}, 0, rising) == 1 || reference({.vocab = 4}, {.temperature = 1.0F, .top_k = 1, .seed = 3}, 0, rising) == 3);

namespace {

/// How often each token is drawn at positions 0 to n - 1.
std::vector<double> shares(const std::vector<float>& logits, const sampling_parameters& p, u64_t n) {
    const sampling c{.vocab = static_cast<u32_t>(logits.size())};
    std::vector<double> share(logits.size());
    for (u64_t i = 0; i < n; ++i) share[static_cast<usz>(reference(c, p, i, logits.data()))] += 1.0 / static_cast<double>(n);
    return share;
}

}  // namespace

TEST_CASE("tokens are drawn as often as their softmax says, equals together") {
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
    near(shares(logits, {.temperature = 1.0F, .top_k = 1}, n), {0.0, 0.0, 1.0, 0.0, 0.0});
    near(shares(logits, {.temperature = 1.0F, .top_k = 2}, n), {0.0, 2 / 9.0, 5 / 9.0, 0.0, 2 / 9.0});
    near(shares(logits, {.temperature = 1.0F, .top_k = 3}, n), {0.0, 2 / 9.0, 5 / 9.0, 0.0, 2 / 9.0});
    near(shares(logits, {.temperature = 1.0F, .top_p = 0.45F}, n), {0.0, 0.0, 1.0, 0.0, 0.0});
    near(shares(logits, {.temperature = 1.0F, .top_p = 0.55F}, n), {0.0, 2 / 9.0, 5 / 9.0, 0.0, 2 / 9.0});
    near(shares(logits, {.temperature = 1.0F, .top_p = 0.95F}, n), {0.1, 0.2, 0.5, 0.0, 0.2});
    near(shares(logits, {.temperature = 1.0F, .top_k = 3, .top_p = 0.5F}, n), {0.0, 0.0, 1.0, 0.0, 0.0});  // 5 of 9, not of 10
}

TEST_CASE("the pieces of a score and of a mass are what their names say") {
    for (u32_t i = 0; i < 20000; ++i) {
        const u32_t bits = i < 4000 ? i : i < 8000 ? ~(i - 4000) : i < 12000 ? 0x40000000U + i - 10000 : sampled::mixed(i);
        const double v = (static_cast<double>(bits) + 0.5) * 0x1p-32;
        const double expected = -std::log(-std::log1p(-v));
        const double got = static_cast<double>(sampled::gumbel(bits));
        INFO("bits " << bits << ": " << got << ", expected " << expected);
        REQUIRE(std::abs(got - expected) <= 4e-7 + 2e-7 * std::abs(expected));
        REQUIRE((got > static_cast<double>(sampled::least_noise) && got < static_cast<double>(sampled::most_noise)));
    }
    const draw d = draw_at({.temperature = 0.7F}, 0);
    for (float l = 3.0F; l > -16.0F; l -= 0.013F) {
        const double expected = 0x1p35 * std::exp((static_cast<double>(l) - 3.0) / static_cast<double>(0.7F));
        INFO("logit " << l);
        REQUIRE(std::abs(static_cast<double>(sampled::mass(d, l, 3.0F)) - expected) <= 1.0 + 4e-6 * expected);
    }
    CHECK(sampled::mass(d, 3.0F, 3.0F) == u64_t{1} << 35);
    CHECK(sampled::mass(d, -60.0F, 3.0F) == 0);
    CHECK(sampled::mass(d, -std::numeric_limits<float>::infinity(), 3.0F) == 0);
    CHECK(sampled::mass(d, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()) == u64_t{1} << 35);
}

TEST_CASE("greedy, one candidate and a tiny top-p take the largest; the seed and the position decide a draw") {
    const std::vector<float> logits{0.5F, 1.0F, 0.75F, 0.9F};
    for (const sampling_parameters p : {sampling_parameters{}, sampling_parameters{.temperature = 2.0F, .top_k = 1}, sampling_parameters{.temperature = 2.0F, .top_p = 1e-30F},
                                        sampling_parameters{.temperature = 1e-8F}})
        CHECK(shares(logits, p, 50)[1] > 0.99);
    const auto draws = [&](u64_t seed) {
        std::vector<i32_t> ids;
        for (u64_t i = 0; i < 40; ++i) ids.push_back(reference(sampling{.vocab = 4}, {.temperature = 1.0F, .seed = seed}, i, logits.data()));
        return ids;
    };
    CHECK(draws(1) == draws(1));
    CHECK(draws(1) != draws(2));
}

TEST_CASE("the noise of a token depends on neither the others' nor on that of other positions") {
    // pairs of tokens with equal logits, pairs of positions: each of the four outcomes as often
    const u64_t n = 40000;
    for (const u64_t seed : {u64_t{0}, u64_t{1}, ~u64_t{0}}) {
        double outcomes[4]{}, first_of_three = 0.0;
        const float two[] = {0.0F, 0.0F};
        const float three[] = {0.0F, 0.0F, 0.0F};
        const sampling_parameters p{.temperature = 1.0F, .seed = seed};
        for (u64_t i = 0; i < n; ++i) {
            const auto drawn = [&](u64_t at) { return reference({.vocab = 2}, p, at, two); };
            outcomes[2 * drawn(2 * i) + drawn(2 * i + 1)] += 1.0;
            first_of_three += reference({.vocab = 3}, p, i, three) == 0 ? 1.0 : 0.0;
        }
        INFO("seed " << seed);
        for (const double o : outcomes) CHECK(std::abs(o / static_cast<double>(n) - 0.25) < 0.011);  // five deviations
        CHECK(std::abs(first_of_three / static_cast<double>(n) - 1 / 3.0) < 0.012);
    }
}

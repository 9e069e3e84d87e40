// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/projection.hpp>

#include <string_view>

using namespace netra;

namespace {
constexpr projection of(linear a, linear b, epilogue after) {
    projection p;
    p.parts.push_back(a);
    p.parts.push_back(b);
    p.after = after;
    return p;
}
constexpr linear wide{.rows = 2, .out = 24, .in = 8};
constexpr linear narrow{.rows = 2, .out = 8, .in = 8};
constexpr projection normed(u32_t width) {
    projection p = of(wide, narrow, epilogue::store);
    p.norm = true;
    p.before = {.rows = 2, .width = width};
    return p;
}
}  // namespace

static_assert(check(of(wide, narrow, epilogue::store)).ok() && output_width(of(wide, narrow, epilogue::store)) == 32);
static_assert(check(of(wide, wide, epilogue::gate)).ok() && output_width(of(wide, wide, epilogue::gate)) == 24);
static_assert(check(of(wide, narrow, epilogue::gate)).why == reason::shape_mismatch);
static_assert(check(of(wide, narrow, epilogue::gate))[label::actual] == 8 && check(of(wide, narrow, epilogue::gate))[label::expected] == 24);
static_assert(check(of(wide, {.rows = 2, .out = 8, .in = 9}, epilogue::store)).why == reason::shape_mismatch);
static_assert(check(of(wide, {.rows = 1, .out = 8, .in = 8}, epilogue::store)).why == reason::shape_mismatch);
static_assert(check(projection{}).why == reason::zero_size);
static_assert(check(normed(8)).ok() && check(normed(9)).why == reason::shape_mismatch);
static_assert(bytes(of(wide, narrow, epilogue::store)) == bytes(wide) + bytes(narrow));
static_assert(flops(normed(8)) == flops(wide) + flops(narrow) + flops(rms_norm{.rows = 2, .width = 8}));
static_assert(bytes(normed(8)) == bytes(wide) + bytes(narrow) + 4 * 8);  // the weights of the norm
static_assert(output_width(projection{}) == 0);
// a part's or the norm's own refusal comes through with its own name
static_assert(check(of(wide, {.rows = 2, .out = 0, .in = 8}, epilogue::store)).subject == name{"linear"});
static_assert(check(of({.rows = 17, .out = 8, .in = 8}, narrow, epilogue::store)).why == reason::too_many_rows);
static_assert(check([] {
                  projection p = normed(8);
                  p.before.eps = -1.0F;
                  return p;
              }()).subject == name{"rms_norm"});
static_assert(check([] {  // a gate has two parts
                  projection p = of(wide, wide, epilogue::gate);
                  p.parts.push_back(wide);
                  return p;
              }()).object == name{"parts of a gate"});
static_assert(check([] {
                  projection p;
                  p.parts.push_back(wide);
                  p.after = epilogue::gate;
                  return p;
              }())[label::actual] == 1);
static_assert(std::string_view(sentence(check(of(wide, narrow, epilogue::gate))).d) ==
              "projection: out of up is 8, but it must be 24 to fit the rest of the contract");

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The contracts of operations as JSON objects: one list of fields each, from which they are written and read.
#pragma once

#include <netra/contracts/identity.hpp>
#include <netra/engine/schedule_json.hpp>
#include <netra/schedule/operation.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace netra::inline v0 {

namespace detail {

// Every list names all fields of its contract: a new one does not compile until it is written here.

template <class F>
void fields_of(numerics& c, F&& f) {
    auto& [accumulate, order, tolerance] = c;
    f("accumulate", accumulate), f("order", order), f("tolerance", tolerance);
}
template <class F>
void fields_of(weight_format& c, F&& f) {
    auto& [element, quant] = c;
    auto& [scheme, group, scale, zero] = quant;
    f("element", element), f("scheme", scheme), f("group", group), f("scale", scale), f("zero", zero);
}
template <class F>
void fields_of(rope_frequencies& c, F&& f) {
    auto& [theta, dims, scaling, factor, low, high, original, pairing] = c;
    f("theta", theta), f("dims", dims), f("scaling", scaling), f("factor", factor), f("low_frequency_factor", low);
    f("high_frequency_factor", high), f("original_context", original), f("pairing", pairing);
}
template <class F>
void fields_of(rope_table& c, F&& f) {
    auto& [rows, head_dim, frequencies] = c;
    f("rows", rows), f("head_dim", head_dim), f("frequencies", frequencies);
}
template <class F>
void fields_of(embedding& c, F&& f) {
    auto& [rows, vocab, width, weight] = c;
    f("rows", rows), f("vocab", vocab), f("width", width), f("weight", weight);
}
template <class F>
void fields_of(rms_norm& c, F&& f) {
    auto& [rows, width, eps, plus_one, groups, math] = c;
    f("rows", rows), f("width", width), f("eps", eps), f("plus_one", plus_one), f("groups", groups), f("math", math);
}
template <class F>
void fields_of(linear& c, F&& f) {
    auto& [rows, out, in, weight, bias, math] = c;
    f("rows", rows), f("out", out), f("in", in), f("weight", weight), f("bias", bias), f("math", math);
}
template <class F>
void fields_of(projection& c, F&& f) {
    auto& [parts, norm, before, after, act, last_row] = c;
    f("parts", parts), f("norm", norm), f("before", before), f("after", after), f("act", act), f("last_row", last_row);
}
template <class F>
void fields_of(rope_append& c, F&& f) {
    auto& [heads, kv_heads, context, kv, table, qk_norm, norm_eps, norm_plus_one] = c;
    f("heads", heads), f("kv_heads", kv_heads), f("context", context), f("kv", kv), f("table", table);
    f("qk_norm", qk_norm), f("norm_eps", norm_eps), f("norm_plus_one", norm_plus_one);
}
template <class F>
void fields_of(attention& c, F&& f) {
    auto& [rows, heads, kv_heads, head_dim, context, window, scale, kv, chunk, splits, math] = c;
    f("rows", rows), f("heads", heads), f("kv_heads", kv_heads), f("head_dim", head_dim), f("context", context), f("window", window);
    f("scale", scale), f("kv", kv), f("chunk", chunk), f("splits", splits), f("math", math);
}
template <class F>
void fields_of(gated_mul& c, F&& f) {
    auto& [rows, width, act] = c;
    f("rows", rows), f("width", width), f("act", act);
}
template <class F>
void fields_of(add& c, F&& f) {
    auto& [rows, width] = c;
    f("rows", rows), f("width", width);
}
template <class F>
void fields_of(sampling& c, F&& f) {
    auto& [vocab] = c;
    f("vocab", vocab);
}

/// The words of an enumeration, in its order.
template <class Enum>
inline constexpr usz enumerators = 0;
template <>
inline constexpr usz enumerators<dtype> = static_cast<usz>(dtype::u4) + 1;
template <>
inline constexpr usz enumerators<reduction_order> = 1;
template <>
inline constexpr usz enumerators<quantization_scheme> = 3;
template <>
inline constexpr usz enumerators<rope_scaling> = 4;
template <>
inline constexpr usz enumerators<rope_pairing> = 2;
template <>
inline constexpr usz enumerators<activation> = 3;
template <>
inline constexpr usz enumerators<epilogue> = 3;

template <class Contract>
nlohmann::ordered_json contract_to_json(Contract c);

/// Adds a field to an object.
class json_field_writer {
public:
    explicit json_field_writer(nlohmann::ordered_json& to) : to_(to) {}
    void operator()(const char* key, const u32_t& v) const { to_[key] = v; }
    void operator()(const char* key, const i32_t& v) const { to_[key] = v; }
    void operator()(const char* key, const bool& v) const { to_[key] = v; }
    void operator()(const char* key, const float& v) const { to_[key] = static_cast<double>(v); }
    template <class T>
    void operator()(const char* key, const T& v) const {
        if constexpr (__is_enum(T)) {
            to_[key] = word_of(v);
        } else {
            to_[key] = contract_to_json(v);
        }
    }
    template <usz N>
    void operator()(const char* key, const static_vector<linear, N>& v) const {
        to_[key] = nlohmann::ordered_json::array();
        for (const linear& l : v) to_[key].push_back(contract_to_json(l));
    }

private:
    nlohmann::ordered_json& to_;
};
template <class Contract>
nlohmann::ordered_json contract_to_json(Contract c) {
    auto out = nlohmann::ordered_json::object();
    fields_of(c, json_field_writer(out));
    return out;
}

template <class Contract>
void contract_from_json(const json_place& from, Contract& c);

/// Takes a field from an object; all must be there.
class json_field_reader {
public:
    explicit json_field_reader(const json_place& from) : from_(from) {}
    void operator()(const char* key, u32_t& v) const { v = static_cast<u32_t>(from_[key].whole_in(0, ~u32_t{0})); }
    void operator()(const char* key, i32_t& v) const {
        const i64_t read = from_[key].whole();
        if (read < std::numeric_limits<i32_t>::min() || read > std::numeric_limits<i32_t>::max())
            from_[key].refuse("a whole number of 32 bits is expected");
        v = static_cast<i32_t>(read);
    }
    void operator()(const char* key, bool& v) const { v = from_[key].truth(); }
    void operator()(const char* key, float& v) const {
        const auto at = from_[key];
        if (at.missing() || !at.raw()->is_number() ||
            !(std::fabs(at.raw()->get<double>()) <= static_cast<double>(std::numeric_limits<float>::max())))
            at.refuse("a number in the range of fp32 is expected");
        v = static_cast<float>(at.raw()->get<double>());
    }
    template <class T>
    void operator()(const char* key, T& v) const {
        if constexpr (__is_enum(T)) {
            const char* words[enumerators<T>];
            for (usz i = 0; i < enumerators<T>; ++i) words[i] = word_of(static_cast<T>(i));
            v = static_cast<T>(index_in(from_[key], words));
        } else {
            contract_from_json(from_[key], v);
        }
    }
    template <usz N>
    void operator()(const char* key, static_vector<linear, N>& v) const {
        const auto list = from_[key];
        if (list.size() > N) list.refuse(fmt::format("at most {} items are expected", N));
        for (usz i = 0; i < list.size(); ++i) {
            linear l;
            contract_from_json(list.at(i), l);
            v.push_back(l);
        }
    }

private:
    const json_place& from_;
};
template <class Contract>
void contract_from_json(const json_place& from, Contract& c) {
    fields_of(c, json_field_reader(from));
}

}  // namespace detail

/// {"op": its name, "contract": its fields}; with "words": {"pairs", "again"} where its activations are words
inline nlohmann::ordered_json operation_to_json(const operation& o) {
    nlohmann::ordered_json out{{"op", name_of(o.kind)}};
    if (o.kind != op_kind::none) out["contract"] = visit(o, [](const auto& c) { return detail::contract_to_json(c); });
    if (o.words) out["words"] = {{"pairs", o.pairs}, {"again", o.again}};
    return out;
}
namespace detail {
inline operation plain_operation_from_json(const json_place& from) {
    const char* names[static_cast<usz>(op_kind::sampling) + 1];
    for (usz i = 0; i < std::size(names); ++i) names[i] = name_of(static_cast<op_kind>(i));
    const auto kind = static_cast<op_kind>(index_in(from["op"], names));
    const auto contract = from["contract"];
    const auto read = [&]<class Contract>(Contract c) {
        contract_from_json(contract, c);
        return c;
    };
    switch (kind) {
        case op_kind::none:
            return {};
        case op_kind::rope_table:
            return read(rope_table{});
        case op_kind::embedding:
            return read(embedding{});
        case op_kind::rms_norm:
            return read(rms_norm{});
        case op_kind::projection:
            return read(projection{});
        case op_kind::rope_append:
            return read(rope_append{});
        case op_kind::attention:
            return read(attention{});
        case op_kind::attention_combine:
            return operation::combine(read(attention{}));
        case op_kind::gated_mul:
            return read(gated_mul{});
        case op_kind::add:
            return read(add{});
        case op_kind::sampling:
            return read(sampling{});
    }
    return {};
}
}  // namespace detail
inline operation operation_from_json(const detail::json_place& from) {
    operation o = detail::plain_operation_from_json(from);
    if (const auto words = from["words"]; !words.missing()) {
        o.words = true;
        o.pairs = static_cast<u32_t>(words["pairs"].whole_in(0, max_dimension));
        o.again = words["again"].truth();
    }
    return o;
}

}  // namespace netra::inline v0

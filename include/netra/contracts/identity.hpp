// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The canonical text of a contract, and the identity that is its hash: equal contracts have equal ones, others have not.
#pragma once

#include <netra/contracts/models/llama.hpp>
#include <netra/contracts/ops/add.hpp>
#include <netra/detail/sha256.hpp>

namespace netra::inline v0 {

namespace detail {

// note: switches without default, so that a compiler warns where a new enumerator has no word
constexpr const char* word_of(dtype t) { return name_of(t); }
constexpr const char* word_of(reduction_order o) {
    switch (o) {
        case reduction_order::lanes16:
            return "lanes16";
        case reduction_order::lanes256:
            return "lanes256";
    }
    return "?";
}
constexpr const char* word_of(quantization_scheme s) {
    switch (s) {
        case quantization_scheme::none:
            return "none";
        case quantization_scheme::grouped_scale:
            return "grouped_scale";
        case quantization_scheme::grouped_scale_min:
            return "grouped_scale_min";
    }
    return "?";
}
constexpr const char* word_of(activation a) {
    switch (a) {
        case activation::silu:
            return "silu";
        case activation::gelu:
            return "gelu";
        case activation::gelu_tanh:
            return "gelu_tanh";
    }
    return "?";
}
constexpr const char* word_of(epilogue e) {
    switch (e) {
        case epilogue::store:
            return "store";
        case epilogue::add:
            return "add";
        case epilogue::gate:
            return "gate";
    }
    return "?";
}
constexpr const char* word_of(rope_scaling s) {
    switch (s) {
        case rope_scaling::none:
            return "none";
        case rope_scaling::linear:
            return "linear";
        case rope_scaling::llama3:
            return "llama3";
        case rope_scaling::table:
            return "table";
    }
    return "?";
}
constexpr const char* word_of(rope_pairing p) {
    switch (p) {
        case rope_pairing::halves:
            return "halves";
        case rope_pairing::adjacent:
            return "adjacent";
    }
    return "?";
}

/// Writes ` name=value` by the type of the value.
template <class Sink>
class field_writer {
public:
    constexpr field_writer(Sink& out, const char* op) : out_(out) { out_.str(op); }

    constexpr field_writer& operator()(const char* name, u32_t v) {
        start(name);
        out_.dec(v);
        return *this;
    }
    constexpr field_writer& operator()(const char* name, bool v) { return (*this)(name, v ? 1U : 0U); }
    /// The bits, so that no digit is lost; -0 equals 0, so it is written like it.
    constexpr field_writer& operator()(const char* name, float v) {
        start(name);
        const u32_t bits = f32_bits(v);
        out_.hex(bits == 0x80000000U ? 0 : bits, 8);
        return *this;
    }
    template <class Enum>
    requires(__is_enum(Enum)) constexpr field_writer& operator()(const char* name, Enum v) {
        start(name);
        out_.str(word_of(v));
        return *this;
    }
    /// The short name when it says everything, otherwise element:scheme:group:scale:zero.
    constexpr field_writer& operator()(const char* name, const weight_format& f) {
        start(name);
        if (f == weight_format{f.element} || f == q8_0 || f == q4_0 || f == q4_1) {
            out_.str(name_of(f));
            return *this;
        }
        const auto& [element, quant] = f;
        const auto& [scheme, elements, scale, zero] = quant;
        out_.str(word_of(element));
        out_.ch(':');
        out_.str(word_of(scheme));
        out_.ch(':');
        out_.dec(elements);
        out_.ch(':');
        out_.str(word_of(scale));
        out_.ch(':');
        if (zero < 0) out_.ch('-');
        out_.dec(zero < 0 ? u64_t{0} - static_cast<u64_t>(zero) : static_cast<u64_t>(zero));
        return *this;
    }
    constexpr field_writer& operator()(const numerics& n) {
        const auto& [accumulate, order, tolerance] = n;
        return (*this)("acc", accumulate)("order", order)("tolerance", tolerance);
    }
    /// A contract inside this one, in brackets.
    template <class Contract>
    requires(!__is_enum(Contract)) constexpr field_writer& operator()(const char* name, const Contract& c) {
        start(name);
        out_.ch('[');
        describe(out_, c);
        out_.ch(']');
        return *this;
    }

private:
    constexpr void start(const char* name) {
        out_.ch(' ');
        out_.str(name);
        out_.ch('=');
    }
    Sink& out_;
};

}  // namespace detail

// Every describe() names all fields of its contract: a new one does not compile until it is written here.

template <class Sink>
constexpr void describe(Sink& out, const linear& c) {
    const auto& [rows, outputs, in, weight, bias, math] = c;
    detail::field_writer(out, "linear")("rows", rows)("out", outputs)("in", in)("weight", weight)("bias", bias)(math);
}
template <class Sink>
constexpr void describe(Sink& out, const embedding& c) {
    const auto& [rows, vocab, width, weight] = c;
    detail::field_writer(out, "embedding")("rows", rows)("vocab", vocab)("width", width)("weight", weight);
}
template <class Sink>
constexpr void describe(Sink& out, const rms_norm& c) {
    const auto& [rows, width, eps, plus_one, groups, math] = c;
    detail::field_writer(out, "rms_norm")("rows", rows)("width", width)("eps", eps)("plus_one", plus_one)("groups", groups)(math);
}
template <class Sink>
constexpr void describe(Sink& out, const rope_frequencies& c) {
    const auto& [theta, dims, scaling, factor, low, high, original_context, pairing] = c;
    detail::field_writer(out, "rope")("theta", theta)("dims", dims)("scaling", scaling)("factor", factor)("low", low)("high", high)(
        "original_context", original_context)("pairing", pairing);
}
template <class Sink>
constexpr void describe(Sink& out, const rope_table& c) {
    const auto& [rows, head_dim, frequencies] = c;
    detail::field_writer(out, "rope_table")("rows", rows)("head_dim", head_dim)("frequencies", frequencies);
}
template <class Sink>
constexpr void describe(Sink& out, const rope_append& c) {
    const auto& [heads, kv_heads, context, kv, table, qk_norm, norm_eps, norm_plus_one] = c;
    detail::field_writer(out, "rope_append")("heads", heads)("kv_heads", kv_heads)("context", context)("kv", kv)("table", table)(
        "qk_norm", qk_norm)("norm_eps", norm_eps)("norm_plus_one", norm_plus_one);
}
template <class Sink>
constexpr void describe(Sink& out, const attention& c) {
    const auto& [rows, heads, kv_heads, head_dim, context, window, scale, kv, chunk, splits, math] = c;
    detail::field_writer(out, "attention")("rows", rows)("heads", heads)("kv_heads", kv_heads)("head_dim", head_dim)("context", context)(
        "window", window)("scale", scale)("kv", kv)("chunk", chunk)("splits", splits)(math);
}
template <class Sink>
constexpr void describe(Sink& out, const gated_mul& c) {
    const auto& [rows, width, act] = c;
    detail::field_writer(out, "gated_mul")("rows", rows)("width", width)("act", act);
}
template <class Sink>
constexpr void describe(Sink& out, const add& c) {
    const auto& [rows, width] = c;
    detail::field_writer(out, "add")("rows", rows)("width", width);
}
template <class Sink>
constexpr void describe(Sink& out, const sampling& c) {
    const auto& [vocab] = c;
    detail::field_writer(out, "sampling")("vocab", vocab);
}
/// @pre parts beyond the count are as they were made
template <class Sink>
constexpr void describe(Sink& out, const projection& c) {
    const auto& [parts, norm, before, after, act, last_row] = c;
    detail::field_writer fields(out, "projection");
    for (const auto& part : parts) fields("part", part);
    fields("norm", norm);
    if (norm || before != rms_norm{}) fields("before", before);  // its absence says that it is as it was made
    fields("after", after)("act", act)("last_row", last_row);
}
template <class Sink>
constexpr void describe(Sink& out, const llama_formats& c) {
    const auto& [embed, q, k, v, o, gate, up, down, head] = c;
    detail::field_writer(out, "formats")("embedding", embed)("q", q)("k", k)("v", v)("o", o)("gate", gate)("up", up)("down", down)("head",
                                                                                                                                   head);
}
template <class Sink>
constexpr void describe(Sink& out, const llama& c) {
    const auto& [hidden, layers, heads, kv_heads, head_dim, intermediate, vocab, context, rows, eps, rope, act, tied_head, qkv_bias, o_bias,
                 mlp_bias, qk_norm, norm_plus_one, window, first_window_layer, weights, kv] = c;
    detail::field_writer(out, "decoder")("hidden", hidden)("layers", layers)("heads", heads)("kv_heads", kv_heads)("head_dim", head_dim)(
        "intermediate", intermediate)("vocab", vocab)("context", context)("rows", rows)("eps", eps)("rope", rope)("act", act)(
        "tied_head", tied_head)("qkv_bias", qkv_bias)("o_bias", o_bias)("mlp_bias", mlp_bias)("qk_norm", qk_norm)(
        "norm_plus_one", norm_plus_one)("window", window)("first_window_layer", first_window_layer)("weights", weights)("kv", kv);
}

namespace detail {

/// Hashes what is written to it.
class sha256_sink {
public:
    template <usz M>
    constexpr void lit(const char (&s)[M]) {
        hash_.add(s, M - 1);
    }
    constexpr void str(const char* s) {
        usz n = 0;
        while (s[n] != 0) ++n;
        hash_.add(s, n);
    }
    constexpr void ch(char c) { hash_.add(&c, 1); }
    constexpr void dec(u64_t v) {
        text<20> t;
        t.dec(v);
        hash_.add(t.d, t.n);
    }
    constexpr void hex(u64_t v, int digits) {
        text<16> t;
        t.hex(v, digits);
        hash_.add(t.d, t.n);
    }
    constexpr sha256_digest digest() const { return hash_.digest(); }

private:
    sha256 hash_;
};

template <auto Contract>
struct description {
    template <class Sink>
    constexpr void operator()(Sink& out) const {
        describe(out, Contract);
    }
};

}  // namespace detail

/// `nk_` and the first 16 hexadecimal digits of the SHA-256 of a contract's text.
using identity = text<19>;

/// The identity of anything that describe() takes.
template <class Contract>
constexpr identity identify(const Contract& c) {
    detail::sha256_sink out;
    describe(out, c);
    const sha256_digest digest = out.digest();
    identity id;
    id.lit("nk_");
    for (usz i = 0; i < 8; ++i) id.hex(digest.d[i], 2);
    return id;
}
template <auto Contract>
inline constexpr identity identity_of = identify(Contract);

/// The canonical text.
template <auto Contract>
inline constexpr auto contract_text = detail::make_text<detail::description<Contract>>();

}  // namespace netra::inline v0

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/loaded_model.hpp>
#include <netra/engine/session.hpp>

#include "support/memory_model.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

#include <fmt/format.h>

using namespace netra;
using namespace netra::test;

namespace {

// the embedding has 4800 elements: conversions go in pieces, and this is more than one
constexpr llama tiny{.hidden = 96, .layers = 2, .heads = 6, .kv_heads = 2, .head_dim = 16, .intermediate = 160, .vocab = 50, .context = 64};
constexpr llama small{.hidden = 32, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 16, .intermediate = 64, .vocab = 40, .context = 24};
using decode = program<small, host_cpu(), lower_config{.workers = 2}>;
static_assert(accepted<decode>);

std::string config_of(const llama& m) {
    return fmt::format(R"({{"model_type": "llama", "hidden_size": {}, "num_hidden_layers": {}, "num_attention_heads": {}, "num_key_value_heads": {},
        "intermediate_size": {}, "vocab_size": {}, "max_position_embeddings": {}, "rms_norm_eps": 1e-5, "attention_bias": {}, "mlp_bias": {}}})",
                       m.hidden, m.layers, m.heads, m.kv_heads, m.intermediate, m.vocab, m.context, m.o_bias, m.mlp_bias);
}

/// The file with `extra` more spaces after its header: every tensor moves by as many bytes.
test::blob moved(const test::blob& file, u64_t extra) {
    u64_t header = 0;
    std::memcpy(&header, file.data(), 8);
    test::blob out;
    put(out, header + extra);
    out.insert(out.end(), file.begin() + 8, file.begin() + 8 + static_cast<std::ptrdiff_t>(header));
    out.insert(out.end(), extra, std::byte{' '});
    out.insert(out.end(), file.begin() + 8 + static_cast<std::ptrdiff_t>(header), file.end());
    return out;
}

opened_model open_directory(const temporary_directory& folder, const llama& m, const safetensors_writer& weights, const open_options& options = {}, u64_t extra = 0) {
    write_file(folder / "config.json", std::string_view(config_of(m)));
    write_file(folder / "model.safetensors", moved(weights.content(), extra));
    return open_model(folder.path(), options);
}

/// Calls `each(buffer, tensor, bound address)` for every weight of the model's schedule.
template <class Each>
usz for_each_bound(const loaded_model& model, Each each) {
    const dynamic_schedule s = lower_checked(model.contract(), {.workers = 2});
    const std::vector<const void*> at = model.bind(view(s));
    REQUIRE(at.size() == s.buffers.size());
    usz weights = 0;
    for (usz i = 0; i < at.size(); ++i) {
        const buffer& b = s.buffers[i];
        CHECK((at[i] != nullptr) == (b.kind == buffer_kind::weight));
        if (b.kind != buffer_kind::weight) continue;
        ++weights;
        const std::string name = tensor_name(model.opened().naming, weight_role(b.role), b.layer);
        each(b, model.opened().weights.at(name), at[i]);
    }
    return weights;
}

bool is_vector(const buffer& b, const llama& m) { return !is_matrix(shape_of(m, weight_role(b.role))); }

std::vector<float> values_of(const tensor& t) {
    std::vector<float> out(t.elements());
    dequantize(t, 0, out);
    return out;
}

std::vector<float> logits_of(opened_model opened) {
    session s(loaded_model(std::move(opened)), lower_config{.workers = 2});
    const std::vector<u32_t> prompt{3, 1, 4, 1, 5};
    for ([[maybe_unused]] const u32_t id : s.generate(prompt, {.max_tokens = 2, .ignore_eos = true})) {}
    return {s.logits().begin(), s.logits().end()};
}

}  // namespace

TEST_CASE("matrices stay where the file has them, vectors become fp32") {
    for (const weight_format stored : {weight_format{f32}, weight_format{f16}, weight_format{bf16}}) {
        llama m = tiny;
        m.qkv_bias = m.o_bias = m.mlp_bias = true;
        m.weights = llama_formats{stored};
        const temporary_directory folder;
        const loaded_model model(open_directory(folder, m, safetensors_model(m, stored)));
        usz vectors = 0;
        const usz weights = for_each_bound(model, [&](const buffer& b, const tensor& t, const void* at) {
            INFO(t.name);
            if (!is_vector(b, m)) {
                CHECK(at == t.data);
                return;
            }
            ++vectors;
            const std::vector<float> expected = values_of(t);
            REQUIRE(netra::bytes(b) == 4 * expected.size());
            CHECK(std::memcmp(at, expected.data(), 4 * expected.size()) == 0);
        });
        CHECK(weights == model.opened().weights.size());
        CHECK(vectors == 2 * 9 + 1);
    }
}

TEST_CASE("conversions give every element exactly: fp32 its value, bf16 its value rounded once to nearest even") {
    const temporary_directory folder;
    llama m = tiny;
    m.rope.pairing = rope_pairing::adjacent;
    m.tied_head = true;
    for (const weight_format stored : {weight_format{q4_0}, weight_format{q4_1}, weight_format{q8_0}, weight_format{f16}, weight_format{bf16}, weight_format{f32}}) {
        INFO(name_of(stored));
        m.weights = llama_formats{stored};
        gguf_model(m, "llama").write(folder / "m.gguf");
        usz rounded = 0;
        const loaded_model exact(open_model(folder / "m.gguf", {.storage = weight_storage::as_f32}));
        CHECK(for_each_bound(exact, [&](const buffer&, const tensor& t, const void* at) {
            const std::vector<float> expected = values_of(t);
            CHECK(std::memcmp(at, expected.data(), 4 * expected.size()) == 0);
        }) == exact.opened().bound.size());
        const loaded_model half(open_model(folder / "m.gguf", {.storage = weight_storage::as_bf16}));
        for_each_bound(half, [&](const buffer& b, const tensor& t, const void* at) {
            INFO(t.name);
            if (is_vector(b, m)) return;
            const std::vector<float> expected = values_of(t);
            REQUIRE(netra::bytes(b) == 2 * expected.size());
            usz wrong = 0;
            for (usz i = 0; i < expected.size(); ++i) {
                u16_t element = 0;
                std::memcpy(&element, static_cast<const std::byte*>(at) + 2 * i, 2);
                const double low = static_cast<double>(bf16_to_f32(element)) - static_cast<double>(expected[i]);
                // half a unit in the last of 8 bits at the most
                if (std::abs(low) > std::ldexp(std::abs(static_cast<double>(expected[i])), -8)) ++wrong;
                rounded += static_cast<usz>(bf16_to_f32(element) != expected[i]);
            }
            CHECK(wrong == 0);
        });
        if (stored == weight_format{bf16}) CHECK(rounded == 0);
        if (stored == weight_format{q4_1}) CHECK(rounded > 0);
    }
}

TEST_CASE("a value that f16 does not hold is refused by name") {
    llama m = tiny;
    m.weights = f16;
    test::dice d(5);
    for (const float large : {65519.0F, -65520.0F, 1e30F}) {
        test::memory_model made = test::make_memory_model(m, d, [](weight_role) { return weight_format{f32}; });
        const bound_weight& down = *std::find_if(made.opened.bound.begin(), made.opened.bound.end(), [](const auto& b) { return b.role == weight_role::down; });
        test::blob& bytes = test::bytes_of(made, *down.stored);
        const std::string name = down.stored->name;
        std::memcpy(bytes.data() + bytes.size() - 4, &large, 4);
        if (large == 65519.0F) CHECK_NOTHROW(loaded_model(std::move(made.opened)));
        else CHECK_THROWS_WITH(loaded_model(std::move(made.opened)), test::containing("tensor '" + name + "' has a value of"));
    }
}

TEST_CASE("conversions go in pieces, and the last may be of any length") {
    for (const usz count : {1U, 4095U, 4096U, 4097U, 8193U}) {
        const std::vector<float> values = model_values("pieces", count);
        const test::blob data = encode(f32, values);
        const tensor t{.name = {}, .format = f32, .shape = {count}, .data = data.data(), .bytes = data.size(), .offset = 0, .file = {}};
        const auto as_bf16 = netra::detail::converted(t, bf16);
        const auto as_f16 = netra::detail::converted(t, f16);
        const auto as_f32 = netra::detail::converted(t, f32);
        CHECK(std::memcmp(as_f32.get(), values.data(), 4 * count) == 0);
        usz equal = 0;
        for (usz i = 0; i < count; ++i) {
            u16_t element = 0;
            std::memcpy(&element, as_bf16.get() + 2 * i, 2);
            equal += static_cast<usz>(element == f32_to_bf16(values[i]));
            std::memcpy(&element, as_f16.get() + 2 * i, 2);
            equal += static_cast<usz>(element == f32_to_f16(values[i]));
        }
        CHECK(equal == 2 * count);
    }
}

TEST_CASE("tensors may begin at any byte of the file") {
    for (const weight_format stored : {weight_format{f32}, weight_format{f16}, weight_format{bf16}}) {
        llama m = small;
        m.weights = llama_formats{stored};
        const temporary_directory folder;
        const auto at = [&](u64_t extra, weight_storage storage = weight_storage::as_stored) {
            return open_directory(folder, m, safetensors_model(m, stored), {.storage = storage}, extra);
        };
        const std::vector<float> even = logits_of(at(0));
        REQUIRE(even.size() == small.vocab);
        CHECK(std::count(even.begin(), even.end(), even[0]) < 5);
        for (const u64_t extra : {1U, 2U, 3U, 6U}) {
            opened_model odd = at(extra);
            CHECK(reinterpret_cast<std::uintptr_t>(odd.bound[0].stored->data) % 8 == extra);
            CHECK(logits_of(std::move(odd)) == even);
            for_each_bound(loaded_model(at(extra)), [&](const buffer& b, const tensor& t, const void* where) {
                INFO(t.name);
                if (is_vector(b, m)) CHECK(reinterpret_cast<std::uintptr_t>(where) % alignof(float) == 0);
            });
        }
        CHECK(logits_of(at(1, weight_storage::as_f32)) == even);
    }
}

TEST_CASE("progress counts every weight once") {
    const temporary_directory folder;
    std::vector<usz> seen;
    usz total = 0;
    const loaded_model model(open_directory(folder, tiny, safetensors_model(tiny)), [&](usz done, usz of) {
        seen.push_back(done);
        total = of;
    });
    CHECK(total == model.opened().bound.size());
    REQUIRE(seen.size() == total);
    for (usz i = 0; i < total; ++i) CHECK(seen[i] == i + 1);
}

TEST_CASE("weights keep their addresses when the model moves") {
    const temporary_directory folder;
    loaded_model model(open_directory(folder, tiny, safetensors_model(tiny)));
    const dynamic_schedule s = lower_checked(tiny, {});
    const std::vector<const void*> before = model.bind(view(s));
    const loaded_model elsewhere = std::move(model);
    CHECK(elsewhere.bind(view(s)) == before);
}

TEST_CASE("a schedule of another contract is not bound") {
    const temporary_directory folder;
    const loaded_model model(open_directory(folder, tiny, safetensors_model(tiny)));
    llama other = tiny;
    other.layers = 3;
    check_refused([&] { model.bind(view(lower_checked(other, {}))); }, {folder.path(), "which the model does not have", "[2]"});
    other = tiny;
    other.o_bias = true;
    check_refused([&] { model.bind(view(lower_checked(other, {}))); }, {folder.path(), "o_bias", "which the model does not have"});
}

TEST_CASE("a compiled program takes files of its contract only, and names what differs") {
    const temporary_directory folder;
    const loaded_model model = load<decode>(open_directory(folder, small, safetensors_model(small), options_for<decode>));
    CHECK(model.contract() == small);

    const auto refused = [&](auto change, std::initializer_list<std::string_view> parts) {
        llama m = small;
        change(m);
        check_refused([&] { detail::require_same(m, small, "a/model"); }, {"a/model: "});
        check_refused([&] { detail::require_same(m, small, "a/model"); }, parts);
    };
    refused([](llama& m) { m.hidden = 64; }, {"hidden is 64, but this program was compiled for 32"});
    refused([](llama& m) { m.layers = 2; }, {"layers is 2,", "for 1"});
    refused([](llama& m) { m.heads = 4; }, {"a/model: heads is 4,"});
    refused([](llama& m) { m.kv_heads = 2; }, {"kv_heads is 2,"});
    refused([](llama& m) { m.head_dim = 32; }, {"head_dim is 32,"});
    refused([](llama& m) { m.intermediate = 96; }, {"intermediate is 96,"});
    refused([](llama& m) { m.vocab = 41; }, {"vocab is 41,"});
    refused([](llama& m) { m.context = 25; }, {"context is 25,"});
    refused([](llama& m) { m.rows = 4; }, {"rows is 4,", "for 16"});
    refused([](llama& m) { m.kv = f16; }, {"kv is f16,", "for f32"});
    refused([](llama& m) { m.eps = 1e-6F; }, {"eps is 1e-06,"});
    refused([](llama& m) { m.rope.theta = 500000.0F; }, {"rope theta is 500000,", "for 10000"});
    refused([](llama& m) { m.rope.pairing = rope_pairing::adjacent; }, {"rope pairing"});
    refused([](llama& m) { m.rope.scaling = rope_scaling::linear; }, {"rope scaling"});
    refused([](llama& m) { m.act = activation::gelu; }, {"activation"});
    refused([](llama& m) { m.tied_head = true; }, {"tied_head is true,"});
    refused([](llama& m) { m.weights.up = q4_1; }, {"up is q4_1,", "for f32"});
    refused([](llama& m) { m.weights.embedding = bf16; }, {"embedding is bf16,"});
    refused([](llama& m) { m.qkv_bias = true; }, {"biases"});
    refused([](llama& m) { m.qk_norm = true; }, {"norms"});
    refused([](llama& m) { m.window = 8; }, {"window"});

    llama m = small;
    m.vocab = 41;
    check_refused([&] { load<decode>(open_directory(folder, m, safetensors_model(m), options_for<decode>)); }, {folder.path(), "vocab is 41, but this program was compiled for 40"});
    m = small;
    m.weights = bf16;
    check_refused([&] { load<decode>(open_directory(folder, m, safetensors_model(m), options_for<decode>)); }, {"embedding is bf16, but this program was compiled for f32"});
    check_refused([&] { load<decode>(open_directory(folder, small, safetensors_model(small), {.rows = 2, .context = small.context})); }, {"rows is 2,"});
}

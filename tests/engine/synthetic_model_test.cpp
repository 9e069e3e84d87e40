// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The models of tests/golden/models, written in every kind of file, are read back as they were.
#include <netra/engine/model_file.hpp>

#include "support/catch.hpp"
#include "support/synthetic_model.hpp"

#include <cstdlib>

using namespace netra;
using namespace netra::test;

namespace {

std::vector<synthetic_model> golden_models() {
    const char* source = std::getenv("NETRA_SOURCE_DIR");
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(source == nullptr ? "." : source) + "/tests/golden/models")) {
        paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<synthetic_model> out;
    for (const std::string& path : paths) out.push_back(synthetic_model::read(path));
    return out;
}

const synthetic_tensor& named(const synthetic_model& model, const std::string& name) {
    for (const synthetic_tensor& t : model.tensors()) {
        if (t.name == name) return t;
    }
    throw std::logic_error("no tensor " + name);
}

std::vector<float> row(const tensor& t, u64_t index) {
    std::vector<float> out(t.shape.size() == 1 ? 1 : t.shape[1]);
    dequantize(t, index * out.size(), out);
    return out;
}

/// How many rows of `opened` differ from those of `model`; rotary pairs stand in adjacent rows of q and k where the contract says so.
u64_t different_rows(const opened_model& opened, const synthetic_model& model) {
    u64_t differ = 0;
    const u64_t dim = opened.contract.head_dim;
    for (const bound_weight& w : opened.bound) {
        if (w.role == weight_role::rope_factors) continue;
        const synthetic_tensor& expected = named(model, tensor_name(weight_naming::safetensors, w.role, w.layer));
        const std::string_view role = name_of(w.role);
        const bool paired =
            opened.contract.rope.pairing == rope_pairing::adjacent && (role == "q" || role == "k" || role == "q_bias" || role == "k_bias");
        const usz width = expected.shape.size() == 1 ? 1 : expected.shape[1];
        for (u64_t i = 0; i < expected.shape[0]; ++i) {
            const u64_t pair = i % dim % (dim / 2);
            const u64_t upper = i % dim / (dim / 2);
            const u64_t stored = paired ? i / dim * dim + 2 * pair + upper : i;
            const std::span<const float> values(expected.values.data() + i * width, width);
            if (!std::ranges::equal(row(*w.stored, stored), values)) ++differ;
        }
    }
    return differ;
}

}  // namespace

TEST_CASE("the hash gives the weights that the golden files were made with") {
    const std::vector<synthetic_model> models = golden_models();
    REQUIRE(models.size() >= 12);
    for (const synthetic_model& model : models) CHECK(model.checksum() == model.golden().at("checksum").get<std::string>());
    CHECK(hashed_stream("model.norm.weight", 1)(0) != hashed_stream("model.norm.weight", 2)(0));
}

TEST_CASE("synthetic models are read back from directories") {
    for (const synthetic_model& model : golden_models()) {
        for (const usz shards : {usz{1}, usz{3}}) {
            const temporary_directory directory;
            model.write_directory(directory.path(), shards);
            const opened_model opened = open_model(directory.path());
            CHECK(opened.weights.files().size() == shards);
            CHECK(opened.weights.size() == model.tensors().size());
            CHECK(opened.contract.weights.down == model.format());
            CHECK(different_rows(opened, model) == 0);
        }
    }
}

TEST_CASE("synthetic models are read back from GGUF files") {
    usz written = 0;
    for (const synthetic_model& model : golden_models()) {
        if (!model.not_in_gguf().empty()) {
            CHECK_THROWS_AS(model.write_gguf("/nowhere", f32), std::logic_error);
            continue;
        }
        ++written;
        for (const gguf_formats& formats :
             {gguf_formats(f32), gguf_formats(f16, bf16), gguf_formats(q4_0), gguf_formats(q4_1, q8_0), gguf_formats(q8_0, q4_0)}) {
            const temporary_directory directory;
            const std::string path = directory / "model.gguf";
            model.write_gguf(path, formats);
            const opened_model opened = open_model(path);
            CHECK(different_rows(opened, model.stored_as(formats)) == 0);

            llama expected = read_hf_config(model.config(), "config.json");
            CHECK((opened.contract.rope.scaling == rope_scaling::table) == (expected.rope.scaling == rope_scaling::llama3));
            expected.rope = opened.contract.rope;
            expected.weights = opened.contract.weights;
            CHECK(opened.contract == expected);
        }
    }
    CHECK(written >= 12);
}

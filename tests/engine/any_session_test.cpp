// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/any_session.hpp>
#include <netra/engine/model_file.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/refusal.hpp"

using namespace netra;

namespace {

struct model_folder {
    model_folder() {
        static const auto models = test::golden_models();
        models.front().second.write_directory(folder.path());
    }
    opened_model open() const { return open_model(folder.path()); }
    test::temporary_directory folder;
};

std::string why_no_gpu() {
    try {
        const cuda::gpu found;
        return {};
    } catch (const backend_error& e) {
        return e.what();
    }
}
std::vector<u32_t> ids_of(auto g) {
    std::vector<u32_t> ids;
    for (const u32_t id : g) ids.push_back(id);
    return ids;
}

}  // namespace

TEST_CASE("the CPU on request is a CPU session") {
    const model_folder model;
    any_session any(model.open(), {.backend = backend_choice::cpu, .context = 64, .cpu = {.workers = 2}});
    CHECK(any.backend() == std::string("cpu"));
    CHECK(any.device() == "cpu");
    CHECK(any.note().empty());
    session cpu(loaded_model(model.open()), {.workers = 2});
    const std::vector<u32_t> prompt{1, 2, 3};
    CHECK(ids_of(any.generate(prompt, {.max_tokens = 9})) == ids_of(cpu.generate(prompt, {.max_tokens = 9})));
    CHECK(any.position() == cpu.position());
    CHECK(std::equal(any.logits().begin(), any.logits().end(), cpu.logits().begin(), cpu.logits().end()));
    any_generation g = any.generate({{4}}, {.max_tokens = 100});
    while (g.next()) {
    }
    CHECK(g.finish() == finish_reason::length);
    CHECK(any.position() == 64);  // the context that was asked for
    CHECK(g.stats().prompt_tokens == 1);
    any.reset();
    CHECK(any.position() == 0);
}

TEST_CASE("a machine without a GPU says so, and decodes on the CPU when it may") {
    const std::string why = why_no_gpu();
    if (why.empty()) {
        std::printf("this machine has a GPU; gpu/session_test.cpp uses it\n");
        return;
    }
    const model_folder model;
    CHECK_THROWS_WITH(any_session(model.open(), {.backend = backend_choice::cuda}), test::containing(why));
    any_session any(model.open(), {.cpu = {.workers = 1}});
    CHECK(any.backend() == std::string("cpu"));
    CHECK(any.note() == "cuda not used: " + why.substr(0, why.find('\n')));
    const std::vector<u32_t> prompt{1, 2, 3};
    CHECK(ids_of(any.generate(prompt, {.max_tokens = 3})).size() == 3);
}

TEST_CASE("contexts on a GPU are few") {
    CHECK(gpu_context(0, 8192) == 8192);
    CHECK(gpu_context(1, 8192) == 2048);
    CHECK(gpu_context(2048, 8192) == 2048);
    CHECK(gpu_context(2049, 8192) == 4096);
    CHECK(gpu_context(5000, 6000) == 6000);
    CHECK(gpu_context(100, 1000) == 1000);
    CHECK(gpu_context(4000000000U, 4294967295U) == 4294967295U);
}

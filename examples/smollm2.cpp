// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// SmolLM2-135M-Instruct on the CPU. Its contract comes from smollm2.json (netra_add_model in CMakeLists.txt), its schedule was lowered and
// proved safe when this file was compiled: smollm2 MODEL.gguf "What is gravity?"
#include <netra/engine/chat.hpp>
#include <netra/engine/gguf_model.hpp>
#include <netra/engine/session.hpp>
#include <netra/engine/tokenizer_gguf.hpp>
#include <netra/models/smollm2.hpp>

#include <cstdio>
#include <exception>

// One whole-model program for each number of workers.
template <unsigned Workers>
using decode = netra::program<netra::models::smollm2, netra::host_cpu(), netra::lower_config{.workers = Workers}>;
static_assert(netra::accepted<decode<2>> && netra::accepted<decode<8>>);

// A machine of fewer processors shares them: two workers already read most of what memory can deliver.
netra::accepted_schedule program_for_this_machine() {
    return std::thread::hardware_concurrency() >= 8 ? netra::compiled<decode<8>> : netra::compiled<decode<2>>;
}

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::fprintf(stderr, "usage: smollm2 MODEL.gguf PROMPT\n");
        return 2;
    }
    netra::opened_model file = netra::open_gguf_model(argv[1], netra::options_for<decode<2>>);
    const netra::tokenizer tokenizer(netra::tokenizer_from_gguf(file.metadata));
    netra::session model(netra::load<decode<2>>(std::move(file)), program_for_this_machine());
    netra::token_stream text(tokenizer, true);

    netra::generation answer = model.generate(netra::encode_chat(tokenizer, argv[2]), {.max_tokens = 200});
    for (const auto token : answer) {
        std::fputs(text.push(token).c_str(), stdout);
        std::fflush(stdout);
    }
    const netra::generation_stats& s = answer.stats();
    std::printf("%s\n\n%llu tokens of prompt in %.2f s, %llu of answer in %.2f s\n", text.finish().c_str(), s.prompt_tokens, s.prompt_s, s.decode_tokens, s.decode_s);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "smollm2: %s\n", e.what());
    return 1;
}

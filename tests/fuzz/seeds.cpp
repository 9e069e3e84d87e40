// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Writes the first inputs of the fuzz targets: seeds DIRECTORY fills DIRECTORY/gguf, DIRECTORY/safetensors and DIRECTORY/schedule.
#include <netra/engine/netra_tasks.hpp>

#include "schedule/lowered.hpp"
#include "support/amk_samples.hpp"
#include "support/samples.hpp"

#include <cstdio>

namespace {

void write_schedules(const std::string& directory) {
    using namespace netra::test;
    const auto write = [&](const char* name, const auto& json) {
        const std::string text = json.dump();
        write_file(directory + name, std::string_view(text));
    };
    amk_builder b = amk_decoder();
    write("/amk", b.program);
    write("/amk_line", nlohmann::json{{"id", "a"}, {"schedule", b.program}});
    b.program["target"] = {{"num_sms", 4}};
    auto pages = nlohmann::json::array();
    auto map = nlohmann::json::object();
    for (const auto& buffer : b.program["buffers"]) {
        if (buffer["kind"] != "ACTIVATION") continue;
        map[buffer["id"].dump()] = pages.size();
        pages.push_back({{"id", pages.size()}, {"space", "GLOBAL_SCRATCH"}, {"nbytes", 64}});
    }
    b.program["pages"] = {{"pages", pages}, {"buffer_to_page", map}};
    for (int t = 0; t < 17; ++t) b.at(t)["sm"] = t % 3;
    b.at(1)["op"] = "FUSED";
    b.at(1)["params"] = {{"recipe", {{"steps", {{{"op", 1}, {"args", {{{"in", 0}}}}, {"out", "final"}}}}}}};
    write("/amk_pages", b.program);
    const loose_schedule s = lowered(grouped_model, {.workers = 2, .tile_outputs = 5});
    write("/groups", netra::schedule_to_json(netra::view(s)));
    const netra::expanded_schedule tasks(netra::view(s));
    write("/tasks", netra::task_schedule_to_json(tasks.view()));
}

}  // namespace

int main(int argc, char** argv) {
    using namespace netra::test;
    if (argc != 2) {
        std::fputs("usage: seeds DIRECTORY\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    std::filesystem::create_directories(directory + "/gguf");
    std::filesystem::create_directories(directory + "/safetensors");
    std::filesystem::create_directories(directory + "/schedule");
    write_schedules(directory + "/schedule");
    gguf_writer().write(directory + "/gguf/empty");
    gguf_of_keys().write(directory + "/gguf/keys");
    gguf_of_tensors().write(directory + "/gguf/tensors");
    safetensors_writer().write(directory + "/safetensors/empty");
    safetensors_sample().write(directory + "/safetensors/tensors");
    write_file(directory + "/safetensors/index", safetensors_index({{"a", shard_name(0, 2)}, {"b", shard_name(1, 2)}}));
    return 0;
}

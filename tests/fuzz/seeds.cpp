// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Writes the first inputs of the fuzz targets: seeds DIRECTORY fills DIRECTORY/gguf and DIRECTORY/safetensors.
#include "support/samples.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    using namespace netra::test;
    if (argc != 2) {
        std::fputs("usage: seeds DIRECTORY\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    std::filesystem::create_directories(directory + "/gguf");
    std::filesystem::create_directories(directory + "/safetensors");
    gguf_writer().write(directory + "/gguf/empty");
    gguf_of_keys().write(directory + "/gguf/keys");
    gguf_of_tensors().write(directory + "/gguf/tensors");
    safetensors_writer().write(directory + "/safetensors/empty");
    safetensors_sample().write(directory + "/safetensors/tensors");
    write_file(directory + "/safetensors/index", safetensors_index({{"a", shard_name(0, 2)}, {"b", shard_name(1, 2)}}));
    return 0;
}

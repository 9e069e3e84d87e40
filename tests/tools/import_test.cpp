// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The two importers of config.json, in CMake and in C++, against each other over tests/import/configs.
#include <netra/engine/hf_config.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/catch.hpp"

namespace {

namespace fs = std::filesystem;

fs::path source_dir() {
    if (const char* dir = std::getenv("NETRA_SOURCE_DIR")) return fs::absolute(dir);
    return fs::absolute(__FILE__).parent_path().parent_path().parent_path();
}

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// A folder that is gone when the test is over.
struct scratch {
    fs::path path;
    scratch() {
        std::string pattern = (fs::temp_directory_path() / "netra-import-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path = pattern;
    }
    ~scratch() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
};

int shell(const std::string& command) { return std::system(command.c_str()); }  // NOLINT

/// Name and error (empty when accepted) of every configuration, as CMake sees them.
std::map<std::string, std::string> cmake_verdicts(const fs::path& out) {
    const fs::path script = source_dir() / "tests" / "import" / "corpus.cmake";
    REQUIRE(shell(fmt::format("cmake '-DOUT={}' -P '{}' >'{}/log' 2>&1", out.string(), script.string(), out.string())) == 0);
    std::map<std::string, std::string> verdicts;
    std::istringstream lines(read_file(out / "verdicts"));
    for (std::string line; std::getline(lines, line);) {
        const auto tab = line.find('\t');
        verdicts[line.substr(0, tab)] = tab == std::string::npos ? "" : line.substr(tab + 1);
    }
    return verdicts;
}

/// "file: key 'k' is" and the last part of the advice; a value may be written in two ways.
std::pair<std::string, std::string> around_value(const std::string& error) {
    const auto is = error.find("' is ");
    return {error.substr(0, is == std::string::npos ? error.size() : is), error.substr(error.rfind("; ") + 1)};
}

std::string literal(float v) { return fmt::format("__builtin_bit_cast(float, 0x{:08x}U)", netra::f32_bits(v)); }

std::string contract_text(const netra::llama& m) {
    const auto& r = m.rope;
    const std::string rope = fmt::format("{{{}, {}, netra::rope_scaling({}), {}, {}, {}, {}, netra::rope_pairing({})}}", literal(r.theta),
                                         r.dims, int(r.scaling), literal(r.factor), literal(r.low_frequency_factor),
                                         literal(r.high_frequency_factor), r.original_context, int(r.pairing));
    return fmt::format(
        "netra::llama{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, netra::activation({}), {}, {}, {}, {}, {}, {}, {}, {}, {{}}, "
        "netra::dtype({})}}",
        m.hidden, m.layers, m.heads, m.kv_heads, m.head_dim, m.intermediate, m.vocab, m.context, m.rows, literal(m.eps), rope, int(m.act),
        m.tied_head, m.qkv_bias, m.o_bias, m.mlp_bias, m.qk_norm, m.norm_plus_one, m.window, m.first_window_layer, int(m.kv));
}

}  // namespace

TEST_CASE("CMake and C++ import every configuration alike") {
    const scratch out;
    const auto verdicts = cmake_verdicts(out.path);
    std::string check;
    unsigned accepted = 0;
    unsigned refused = 0;
    for (const auto& entry : fs::directory_iterator(source_dir() / "tests" / "import" / "configs")) {
        const std::string name = entry.path().stem().string();
        CAPTURE(name);
        REQUIRE(verdicts.count(name) == 1);
        const std::string& theirs = verdicts.at(name);
        CAPTURE(theirs);
        CHECK(theirs.empty() == !name.starts_with("no_"));
        try {
            const netra::llama m = netra::parse_hf_config(read_file(entry.path()), entry.path().string());
            CHECK(theirs.empty());
            CHECK(m.weights == netra::llama_formats{});
            check += fmt::format("#include \"{}.hpp\"\nstatic_assert(corpus::{} == {});\n", name, name, contract_text(m));
            ++accepted;
        } catch (const netra::model_error& e) {
            const std::string ours = e.what();
            CAPTURE(ours);
            CHECK(!theirs.empty());
            if (!name.starts_with("no_json")) CHECK(around_value(ours) == around_value(theirs));
            ++refused;
        }
    }
    CHECK(verdicts.size() == accepted + refused);
    CHECK(accepted >= 40);
    CHECK(refused >= 100);

    std::ofstream(out.path / "check.cpp") << check;
    const char* compiler = std::getenv("CXX");
    const std::string command = compiler != nullptr ? compiler : "c++";
    const auto log = (out.path / "compiler").string();
    if (shell(command + " --version >/dev/null 2>&1") != 0) {
        WARN("no compiler called " << command << ": the generated headers were not compared");
        return;
    }
    const int rc =
        shell(fmt::format("{} -std=c++20 -Wall -Wextra -Wconversion -Werror -fsyntax-only -I'{}/include' -I'{}' '{}/check.cpp' >'{}' 2>&1",
                          command, source_dir().string(), out.path.string(), out.path.string(), log));
    CAPTURE(read_file(log));
    CHECK(rc == 0);
}

TEST_CASE("tools/import prints a header or says why not") {
    const scratch out;
    const std::string tool = (source_dir() / "tools" / "import").string();
    const std::string config = (source_dir() / "examples" / "smollm2.json").string();
    const auto run = [&](const std::string& arguments) {
        const int rc = shell(fmt::format("'{}' {} >'{}/out' 2>'{}/err'", tool, arguments, out.path.string(), out.path.string()));
        return std::pair{rc, read_file(out.path / "out") + read_file(out.path / "err")};
    };
    const auto [good, header] =
        run("'" + config + "' smollm2 WEIGHTS q4_1 EMBEDDING q8_0 ROPE_PAIRING adjacent CONTEXT 1024 ROWS 4 KV f16");
    CAPTURE(header);
    CHECK(good == 0);
    for (const char* part : {"netra::llama smollm2{", ".hidden = 576,", ".context = 1024,", ".rows = 4,", "adjacent", "f{netra::q4_1}",
                             "f.embedding = netra::q8_0;", ".kv = netra::f16"})
        CHECK(header.find(part) != std::string::npos);

    const std::pair<const char*, const char*> refusals[] = {
        {"smollm2 CONTEXT 8193", "a context of 8193 is asked for, but max_position_embeddings is 8192"},
        {"smollm2 CONTEXT many", "CONTEXT is 'many'"},
        {"smollm2 ROWS 17", "ROWS is '17'"},
        {"smollm2 WEIGHTS q5_0", "is 'q5_0'; f32, f16"},
        {"smollm2 ROPE_PAIRING odd", "ROPE_PAIRING is 'odd'"},
        {"smollm2 ROPE_TABLE", "a table of rope factors"},
        {"smollm2 COLOUR red", "unknown or empty argument: COLOUR"},
        {"smollm2 WEIGHTS", "unknown or empty argument"},
        {"2x", "NAME is '2x'"},
    };
    for (const auto& [arguments, sentence] : refusals) {
        const auto [rc, message] = run("'" + config + "' " + arguments);
        CAPTURE(arguments, message);
        CHECK(rc != 0);
        CHECK(message.find(sentence) != std::string::npos);
    }
    const auto [rc, message] = run("/nowhere/config.json");
    CHECK(rc != 0);
    CHECK(message.find("/nowhere/config.json: no such file") != std::string::npos);
}

TEST_CASE("netra_add_model writes the header of a target when CMake configures") {
    const scratch out;
    const auto write = [&](const char* name, const std::string& text) { std::ofstream(out.path / name) << text; };
    // as in a project that embeds netra: the function is defined in a directory below
    fs::create_directory(out.path / "below");
    write("below/CMakeLists.txt", "include(\"" + (source_dir() / "cmake" / "netra_add_model.cmake").string() + "\")\n");
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\nadd_subdirectory(below)\nadd_library(t INTERFACE)\n"
          "netra_add_model(t NAME small CONFIG c.json WEIGHTS q8_0 CONTEXT 16)\n"
          "get_target_property(folders t INTERFACE_INCLUDE_DIRECTORIES)\nfile(WRITE folders \"${folders}\")\n");
    const std::string head =
        R"({"model_type": "llama", "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 10, "hidden_size": )";
    const auto configure = [&] {
        const int rc =
            shell(fmt::format("cmake -S '{}' -B '{}/build' >'{}/log' 2>&1", out.path.string(), out.path.string(), out.path.string()));
        return std::pair{rc, read_file(out.path / "log")};
    };
    write("c.json", head + "64}");
    const auto first = configure();
    CAPTURE(first.second);
    REQUIRE(first.first == 0);
    const fs::path header = fs::path(read_file(out.path / "folders")) / "netra" / "models" / "small.hpp";
    CHECK(read_file(header).find(".hidden = 64,") != std::string::npos);
    write("c.json", head + "96}");
    CHECK(configure().first == 0);
    CHECK(read_file(header).find(".hidden = 96,") != std::string::npos);
    CHECK(read_file(header).find(".weights = netra::q8_0,") != std::string::npos);

    write("c.json", head + "80}");
    const auto [blocks, said] = configure();
    CHECK(blocks != 0);
    CAPTURE(said);
    CHECK(said.find("not a") != std::string::npos);
    write("c.json", head + R"(64, "sliding_window": 5})");
    CHECK(configure().first != 0);
    CHECK(read_file(out.path / "log").find("'sliding_window' is 5;") != std::string::npos);
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/mapped_file.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/refusal.hpp"

#include <sys/stat.h>

using namespace netra;
using namespace netra::test;

namespace {
std::string text_of(const mapped_file& file) {
    std::string text;
    for (const std::byte b : file.bytes()) text += static_cast<char>(b);
    return text;
}
}  // namespace

TEST_CASE("a mapped file has the file's bytes") {
    const temporary_directory directory;
    write_file(directory / "f", "some bytes");
    const mapped_file file(directory / "f");
    CHECK(file.size() == 10);
    CHECK(file.path() == directory / "f");
    CHECK(text_of(file) == "some bytes");
    file.advise(file_advice::will_need);
    file.advise(file_advice::populate);
    CHECK(text_of(file) == "some bytes");
}

TEST_CASE("an empty file maps to no bytes") {
    const temporary_directory directory;
    write_file(directory / "empty", "");
    const mapped_file file(directory / "empty");
    CHECK(file.size() == 0);
    CHECK(file.bytes().empty());
    file.advise(file_advice::populate);
}

TEST_CASE("moving keeps the address and empties the source") {
    const temporary_directory directory;
    write_file(directory / "a", "aaa");
    write_file(directory / "b", "bb");
    mapped_file a(directory / "a");
    const std::byte* address = a.data();
    mapped_file moved(std::move(a));
    CHECK(moved.data() == address);
    CHECK(a.size() == 0);  // NOLINT: this is the test
    CHECK(a.data() == nullptr);
    mapped_file b(directory / "b");
    b = std::move(moved);
    CHECK(b.data() == address);
    CHECK(text_of(b) == "aaa");
    CHECK(b.path() == directory / "a");
    b = mapped_file(directory / "b");
    CHECK(text_of(b) == "bb");
}

TEST_CASE("the mapping outlives the file's name") {
    const temporary_directory directory;
    write_file(directory / "f", "still here");
    const mapped_file file(directory / "f");
    std::filesystem::remove(directory / "f");
    CHECK(text_of(file) == "still here");
}

TEST_CASE("what is no readable regular file is refused with its path and the system's reason") {
    const temporary_directory directory;
    check_refused([&] { mapped_file(directory / "absent"); }, {directory / "absent", "No such file"});
    check_refused([&] { mapped_file(directory.path()); }, {directory.path(), "Is a directory"});
    check_refused([&] { mapped_file(""); }, {"No such file"});
    REQUIRE(::mkfifo((directory / "pipe").c_str(), 0600) == 0);
    check_refused([&] { mapped_file(directory / "pipe"); }, {directory / "pipe", "not a regular file"});
}

// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/npy.hpp>

#include "support/catch.hpp"
#include "support/damage.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

blob file_bytes(const std::string& path) {
    const mapped_file file(path);
    return {file.bytes().begin(), file.bytes().end()};
}

/// Version 1.0 with any header.
blob npy_file(std::string_view header, usz values) {
    blob out;
    put(out, detail::npy_magic);
    put(out, static_cast<u16_t>(header.size()));
    put(out, header);
    for (usz i = 0; i < values; ++i) put(out, static_cast<float>(i));
    return out;
}

}  // namespace

TEST_CASE("what write_npy writes is NumPy's format, byte by byte") {
    const temporary_directory directory;
    write_npy(directory / "a.npy", std::vector<u64_t>{2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5});
    blob expected;
    put(expected, std::string_view("\x93NUMPY\x01\x00\x76\x00", 10));
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    header.resize(117, ' ');
    put(expected, header + "\n");
    for (int i = 0; i < 6; ++i) put(expected, static_cast<float>(i));
    CHECK(file_bytes(directory / "a.npy") == expected);
}

TEST_CASE("arrays of every rank come back as they were") {
    const temporary_directory directory;
    const std::vector<std::vector<u64_t>> shapes{{}, {1}, {7}, {0}, {2, 3}, {1, 1, 4}, {3, 1, 2, 2}, {5, 0, 2}};
    for (const auto& shape : shapes) {
        u64_t n = 0;
        REQUIRE(detail::element_count(shape, n));
        std::vector<float> values;
        for (u64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i) * -0.1F);
        write_npy(directory / "a.npy", shape, values);
        CHECK((file_bytes(directory / "a.npy").size() - 4 * n) % 64 == 0);
        const npy_array back = read_npy(directory / "a.npy");
        CHECK(back.shape == shape);
        CHECK(back.values == values);
    }
}

TEST_CASE("the padding is the shortest that ends at a multiple of 64") {
    for (usz rank = 1; rank <= 32; ++rank) {
        for (u64_t first = 1; first < 1000; first *= 10) {
            std::vector<u64_t> shape(rank, 1);
            shape[0] = first;
            const std::string header = detail::npy_header(shape);
            CHECK(header.size() % 64 == 0);
            CHECK(header.size() - 1 - (header.find('}') + 1) < 64);
        }
    }
}

TEST_CASE("the header that NumPy writes for a column of logits is read") {
    const auto array = parse_npy(npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }   \n", 4), "n.npy");
    CHECK(array.shape == std::vector<u64_t>{4});
    CHECK(array.values == std::vector<float>{0, 1, 2, 3});
}

TEST_CASE("values without the right shape, and unwritable files, are refused") {
    const temporary_directory directory;
    const std::vector<float> values(6);
    check_refused([&] { write_npy(directory / "a.npy", std::vector<u64_t>{2, 2}, values); }, {"a.npy", "6 values"});
    CHECK_FALSE(std::filesystem::exists(directory / "a.npy"));
    check_refused([&] { write_npy(directory / "no/a.npy", std::vector<u64_t>{6}, values); }, {"no/a.npy: cannot write", "No such file"});
    if (std::filesystem::exists("/dev/full")) {
        check_refused([&] { write_npy("/dev/full", std::vector<u64_t>{6}, values); }, {"/dev/full: cannot write", "No space left"});
    }
}

TEST_CASE("other dtypes, orders and malformed headers are refused") {
    const auto refused = [](std::string_view header, usz values, std::string_view why) {
        check_refused([&] { parse_npy(npy_file(header, values), "x.npy"); }, {"x.npy: ", why, "fp32 array"});
    };
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", 2, "has no fp32 values");
    refused("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }\n", 2, "not in row-major order");
    refused("{'descr': '<f4', 'fortran_order': False, }\n", 2, "has no shape");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2", 2, "malformed shape");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }\n", 2, "malformed shape");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2,), }\n", 2, "malformed shape");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,), }\n", 2, "malformed shape");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", 0, "malformed shape");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", 2, "8 bytes of values for 3 elements");
    check_refused([&] { parse_npy({}, "x.npy"); }, {"x.npy: does not begin"});
    check_refused([&] { read_npy("/absent.npy"); }, {"/absent.npy", "No such file"});
}

TEST_CASE("damaged .npy files are refused or read, and never read beyond their end") {
    const blob whole = npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 6);
    const auto read = [](const blob& b) { static_cast<void>(parse_npy(b, "x.npy")); };
    CHECK(truncate_everywhere(whole, read).read == 0);
    CHECK(flip_everywhere(whole, read).refused > 100);
}

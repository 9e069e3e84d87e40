// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact_places.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/flat_schedule.hpp"

#include <cstdio>
#include <set>

using namespace netra;
using namespace netra::test;

namespace {

detail::scratch<u32_t>& list_order(detail::scratch<u32_t>& order) {
    for (u32_t i = 0; i < order.size(); ++i) order[i] = i;
    return order;
}
std::set<u64_t> bytes_of(const expanded_view& v, const expanded_access& a) {
    std::set<u64_t> bytes;
    const expanded_buffer& b = v.buffers[a.buffer];
    for (u64_t r = a.first_row; r < a.end_row; ++r)
        for (u64_t i = a.first_byte; i < a.end_byte; ++i) bytes.insert(b.offset + r * b.row_bytes + i);
    return bytes;
}
/// The numbers of an access.
std::set<u64_t> numbers_of(const detail::region_numbers& numbers, const expanded_access& a) {
    std::set<u64_t> all;
    numbers.for_each_interval(a, [&](u64_t begin, u64_t end, bool) {
        for (u64_t i = begin; i < end; ++i) all.insert(i);
    });
    return all;
}
bool meet(const std::set<u64_t>& a, const std::set<u64_t>& b) {
    for (const u64_t x : a)
        if (b.count(x) != 0) return true;
    return false;
}

}  // namespace

TEST_CASE("buffers that overlap, perhaps through others, are one region") {
    const auto at = [](u32_t space, u64_t offset, u64_t bytes) { return expanded_buffer{.space = space, .offset = offset, .row_bytes = bytes}; };
    const std::vector<expanded_buffer> buffers = {at(0, 0, 10), at(0, 20, 10), at(0, 8, 14), at(0, 30, 5), at(1, 0, 10), at(0, 32, 2), at(0, 100, 0)};
    std::vector<flat_task> tasks(1);
    for (u32_t b = 0; b < 6; ++b)
        if (b != 5) tasks[0].accesses.push_back({.buffer = b, .end_byte = 1});
    tasks[0].accesses.push_back({.buffer = 6});
    const flat_schedule made(buffers, {}, 1, tasks);
    detail::scratch<u32_t> order(1);
    const detail::memory_regions regions(made.view(), list_order(order));
    CHECK(regions.regions() == 3);
    CHECK(regions.region_of(0) == regions.region_of(1));
    CHECK(regions.region_of(0) == regions.region_of(2));
    CHECK(regions.region_of(0) != regions.region_of(3));
    CHECK(regions.region_of(0) != regions.region_of(4));
    CHECK(regions.region_of(3) != regions.region_of(4));
    CHECK(regions.region_of(5) == detail::memory_regions::none);  // nothing touches it
    CHECK(regions.region_of(6) == detail::memory_regions::none);
    CHECK(regions.touches().count_of(regions.region_of(0)) == 3);
}

TEST_CASE("a buffer that nothing touches connects no others") {
    std::vector<flat_task> tasks(1);
    tasks[0].accesses = {{.buffer = 0, .end_byte = 1}, {.buffer = 1, .end_byte = 1}};
    const flat_schedule made({{.row_bytes = 4}, {.offset = 8, .row_bytes = 4}, {.row_bytes = 12}}, {}, 1, tasks);
    detail::scratch<u32_t> order(1);
    CHECK(detail::memory_regions(made.view(), list_order(order)).regions() == 2);
}

TEST_CASE("a cache of many positions has few rows") {
    std::vector<flat_task> tasks(1);
    tasks[0].accesses = {{.buffer = 0, .first_row = 0, .end_row = u64_t{1} << 40, .first_byte = 8, .end_byte = 16},
                         {.buffer = 0, .write = true, .first_row = 1000, .end_row = 1001, .first_byte = 8, .end_byte = 16}};
    const flat_schedule made({{.rows = u64_t{1} << 40, .row_bytes = 32, .held_rows = 1000}}, {}, 1, tasks);
    detail::scratch<u32_t> order(1);
    const detail::memory_regions regions(made.view(), list_order(order));
    const detail::region_numbers numbers(made.view(), regions, 0);
    std::vector<std::vector<u64_t>> found;
    numbers.for_each_interval(tasks[0].accesses[0], [&](u64_t begin, u64_t end, bool held) { found.push_back({begin, end, held ? 1U : 0U}); });
    CHECK(found == std::vector<std::vector<u64_t>>{{8, 16, 1}, {40, 48, 0}, {72, 80, 0}});
    CHECK(numbers.count_intervals(tasks[0].accesses[0]) == 3);
    CHECK(numbers.byte_of(40) == 32008);
}

TEST_CASE("accesses have numbers in common iff they have bytes in common") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    dice d(seed);
    usz met = 0;
    for (usz n = 0; n < 3000; ++n) {
        const bool regular = d.percent(40);
        const u64_t row = d.between(1, 5);
        std::vector<expanded_buffer> buffers;
        for (u32_t b = d.between(1, 3); b > 0; --b) {
            expanded_buffer x{.rows = d.between(1, 4), .row_bytes = regular ? row : d.between(1, 5)};
            x.offset = regular ? row * d.below(4) + 3 : d.below(12);
            x.held_rows = d.below(x.rows + 1);
            buffers.push_back(x);
        }
        std::vector<flat_task> tasks(d.between(1, 3));
        for (auto& t : tasks)
            for (u32_t i = d.between(1, 3); i > 0; --i) {
                expanded_access a{.buffer = d.below(buffers.size())};
                const expanded_buffer& b = buffers[a.buffer];
                a.first_row = d.below(b.rows), a.end_row = a.first_row + 1 + d.below(b.rows - a.first_row);
                a.first_byte = d.below(b.row_bytes), a.end_byte = a.first_byte + 1 + d.below(b.row_bytes - a.first_byte);
                if (d.percent(40)) a.first_byte = 0, a.end_byte = b.row_bytes;
                t.accesses.push_back(a);
            }
        const flat_schedule made(buffers, {}, 1, tasks);
        const expanded_view v = made.view();
        INFO(dump(v));
        detail::scratch<u32_t> order(tasks.size());
        const detail::memory_regions regions(v, list_order(order));
        for (usz i = 0; i < v.access_count; ++i)
            for (usz k = 0; k < v.access_count; ++k) {
                const expanded_access& a = v.accesses[i];
                const expanded_access& b = v.accesses[k];
                const bool expected = meet(bytes_of(v, a), bytes_of(v, b));
                met += expected ? 1U : 0U;
                const u32_t region = regions.region_of(a.buffer);
                if (region != regions.region_of(b.buffer)) {
                    REQUIRE(!expected);
                    continue;
                }
                const detail::region_numbers numbers(v, regions, region);
                REQUIRE(meet(numbers_of(numbers, a), numbers_of(numbers, b)) == expected);
                u64_t intervals = 0;
                numbers.for_each_interval(a, [&](u64_t begin, u64_t end, bool held) {
                    ++intervals;
                    for (u64_t x = begin; x < end; ++x) {
                        const u64_t byte = numbers.byte_of(x);
                        const expanded_buffer& c = v.buffers[a.buffer];
                        REQUIRE(bytes_of(v, a).count(byte) == 1);
                        REQUIRE(held == (byte < c.offset + c.held_rows * c.row_bytes));
                    }
                });
                REQUIRE(intervals <= numbers.count_intervals(a));
            }
    }
    CHECK(met > 1000);
}

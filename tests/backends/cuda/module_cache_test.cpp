// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cuda/module_cache.hpp>

#include <set>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/files.hpp"

using namespace netra;
using cuda::module_cache;

namespace {

module_cache::bytes sample() {
    module_cache::bytes b(1000);
    for (usz i = 0; i < b.size(); ++i) b[i] = static_cast<std::byte>(i * 31);
    return b;
}

const std::string key = cuda::module_key({"text", "sm_80", 80, 12040, "build"});

/// Counts how often it compiles.
struct compiler {
    int runs = 0;
    module_cache::bytes use(const module_cache& cache, bool accepts_kept = true) {
        module_cache::bytes got;
        cache.use(
            key, [&] { return ++runs, sample(); },
            [&](const module_cache::bytes& b, bool kept) {
                if (kept && !accepts_kept) return false;
                got = b;
                return true;
            });
        return got;
    }
};

/// An environment variable for the time of a test.
class variable {
public:
    variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before, was_set_ = true;
        value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    }
    ~variable() { was_set_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;

private:
    const char* name_;
    std::string before_;
    bool was_set_ = false;
};

}  // namespace

TEST_CASE("keys differ when any part of the source does") {
    const std::set<std::string> keys = {key,
                                        cuda::module_key({"text2", "sm_80", 80, 12040, "build"}),
                                        cuda::module_key({"text", "sm_89", 80, 12040, "build"}),
                                        cuda::module_key({"text", "sm_80", 86, 12040, "build"}),
                                        cuda::module_key({"text", "sm_80", 80, 12050, "build"}),
                                        cuda::module_key({"text", "sm_80", 80, 12040, "built"}),
                                        cuda::module_key({"texts", "m_80", 80, 12040, "build"})};
    CHECK(keys.size() == 7);
    CHECK(key.size() == 64);
    CHECK(cuda::module_key({"text", "sm_80", 80, 12040, "build"}) == key);
}

TEST_CASE("a module is compiled once") {
    const test::temporary_directory folder;
    const module_cache cache(folder / "below/it");
    compiler c;
    CHECK(c.use(cache) == sample());
    CHECK(c.runs == 1);
    CHECK(c.use(cache) == sample());
    CHECK(c.runs == 1);
    CHECK(std::distance(std::filesystem::directory_iterator(cache.folder()), {}) == 1);
}

TEST_CASE("a damaged entry is replaced, whatever the damage") {
    const test::temporary_directory folder;
    const module_cache cache(folder.path());
    REQUIRE(cache.put(key, sample()));
    std::ifstream file(cache.file_of(key), std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(file)), {});
    const auto check_replaced = [&](const std::string& damaged) {
        test::write_file(cache.file_of(key).string(), damaged);
        CHECK(cache.get(key).empty());
        CHECK_FALSE(std::filesystem::exists(cache.file_of(key)));
        compiler c;
        test::write_file(cache.file_of(key).string(), damaged);
        CHECK(c.use(cache) == sample());
        CHECK(c.runs == 1);
        CHECK(cache.get(key) == sample());
    };
    for (usz i = 0; i < good.size(); i += 7) {
        std::string damaged = good;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        check_replaced(damaged);
        check_replaced(good.substr(0, i));
    }
    check_replaced(good + "x");
    REQUIRE(cache.put(key, sample()));
    // the module of another key under this one's name
    const std::string other = cuda::module_key({"other", "sm_80", 80, 12040, "build"});
    REQUIRE(cache.put(other, sample()));
    std::filesystem::rename(cache.file_of(other), cache.file_of(key));
    CHECK(cache.get(key).empty());
}

TEST_CASE("an entry that is not accepted is compiled again and replaced") {
    const test::temporary_directory folder;
    const module_cache cache(folder.path());
    REQUIRE(cache.put(key, module_cache::bytes(5)));
    compiler c;
    CHECK(c.use(cache, false) == sample());
    CHECK(c.runs == 1);
    CHECK(cache.get(key) == sample());
}

TEST_CASE("a cache that cannot be written costs nothing but time") {
    const test::temporary_directory folder;
    test::write_file(folder / "file", "no folder");
    for (const module_cache& cache : {module_cache(), module_cache(folder / "file"), module_cache(folder / "file/below")}) {
        compiler c;
        CHECK(c.use(cache) == sample());
        CHECK(c.use(cache) == sample());
        CHECK(c.runs == 2);
        CHECK_FALSE(cache.put(key, sample()));
    }
}

TEST_CASE("modules not used for longest make room for new ones, and leftovers of ended runs go") {
    const test::temporary_directory folder;
    const module_cache cache(folder.path());
    const auto now = std::filesystem::file_time_type::clock::now();
    const auto nth = [](usz i) { return cuda::module_key({std::to_string(i), "sm_80", 80, 12040, "build"}); };
    for (usz i = 0; i < module_cache::most_modules; ++i) {
        REQUIRE(cache.put(nth(i), sample()));
        std::filesystem::last_write_time(cache.file_of(nth(i)), now - std::chrono::hours(1000 - i));
    }
    test::write_file(folder / "old.partial", "cut");
    test::write_file(folder / "new.partial", "being written");
    std::filesystem::last_write_time(folder / "old.partial", now - std::chrono::hours(2));
    CHECK_FALSE(cache.get(nth(0)).empty());  // used, so no longer the oldest
    REQUIRE(cache.put(key, sample()));
    CHECK_FALSE(cache.get(key).empty());
    CHECK_FALSE(cache.get(nth(0)).empty());
    CHECK(cache.get(nth(1)).empty());
    CHECK_FALSE(cache.get(nth(2)).empty());
    CHECK_FALSE(std::filesystem::exists(folder / "old.partial"));
    CHECK(std::filesystem::exists(folder / "new.partial"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == module_cache::most_modules + 1);
}

TEST_CASE("what fails to compile is not kept") {
    const test::temporary_directory folder;
    const module_cache cache(folder.path());
    const auto failing = []() -> module_cache::bytes { throw std::runtime_error("no"); };
    CHECK_THROWS_AS(cache.use(key, failing, [](const module_cache::bytes&, bool) { return true; }), std::runtime_error);
    CHECK(cache.get(key).empty());
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("the environment says where the cache lies") {
    const variable home("HOME", "/nowhere/user");
    const variable xdg("XDG_CACHE_HOME", nullptr);
    const variable own("NETRA_CACHE", nullptr);
    CHECK(module_cache::of_environment().folder() == "/nowhere/user/.cache/netra");
    {
        const variable relative("XDG_CACHE_HOME", "not/absolute");
        CHECK(module_cache::of_environment().folder() == "/nowhere/user/.cache/netra");
    }
    const variable shared("XDG_CACHE_HOME", "/var/cache/someone");
    CHECK(module_cache::of_environment().folder() == "/var/cache/someone/netra");
    {
        const variable off("NETRA_CACHE", "off");
        CHECK_FALSE(module_cache::of_environment().on());
    }
    {
        const variable named("NETRA_CACHE", "/some/where");
        CHECK(module_cache::of_environment().folder() == "/some/where");
    }
    const variable no_home("HOME", nullptr);
    const variable no_xdg("XDG_CACHE_HOME", nullptr);
    CHECK_FALSE(module_cache::of_environment().on());
}

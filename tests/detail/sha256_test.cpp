// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/sha256.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace netra;

namespace {

template <usz M>
constexpr bool hashes_to(const char (&s)[M], const char (&hex)[65]) {
    return hex_of(sha256_of(s, M - 1)) == text<64>(hex);
}
// The examples published with FIPS 180-4.
static_assert(hashes_to("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
static_assert(hashes_to("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
static_assert(hashes_to("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
static_assert(hashes_to("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"));

std::string hex(const sha256_digest& d) { return hex_of(d).d; }
std::string hash_of(const std::string& s) { return hex(sha256_of(s.data(), s.size())); }

}  // namespace

TEST_CASE("one million times a, in pieces of many sizes") {
    const std::string whole(1'000'000, 'a');
    const std::string expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    CHECK(hash_of(whole) == expected);
    for (const usz piece : {usz{1}, usz{3}, usz{63}, usz{64}, usz{65}, usz{1000}, usz{65536}}) {
        sha256 hash;
        for (usz at = 0; at < whole.size(); at += piece) hash.add(whole.data() + at, std::min(piece, whole.size() - at));
        INFO("pieces of " << piece);
        CHECK(hex(hash.digest()) == expected);
    }
}

TEST_CASE("lengths around the boundaries of blocks") {
    // computed with Python's hashlib
    const std::pair<usz, const char*> cases[] = {
        {1, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"},
        {54, "45f316e10b2c99abf374b22bda893cf3300d77263f1e272349ed414680522952"},
        {55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
        {56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"},
        {57, "ae14a2563ccf969d99aca69ce6bb74981f734bbf9f655f73b8f06db68cab5217"},
        {63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
        {64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
        {65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"},
        {118, "d4fc3f146a19ae0453b2195bba6b11cffd0afc8c6f94f902e55a94ed975c6abd"},
        {119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"},
        {120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"},
        {121, "79072a47bfaa54e6057a9ee21e0dea64b9edbfd160c4ccadbb657e64b6d22ee4"},
        {127, "70156a14adbabf98cff3a71c7084b417abf057a8efd27329ca36b7202c87d81f"},
        {128, "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464"},
        {129, "0ec9eb33e74510bcdd1f2ea55206e82f21649c5c2becbf2b433eb475b34c01bd"},
        {191, "a4fd143dcb7cb51d322c1e2252027afce63f54209921b670a1991a535d5c17db"},
        {192, "f5f3b40552876b425eea612377873720c5ab7b00c002f8ddf8f50417a02209fc"},
        {193, "9c34802e3a612ed72716817b69246b5b03ec794a593601057a5ba2346169d03a"},
    };
    for (const auto& [length, expected] : cases) {
        const std::string s(length, 'x');
        INFO(length << " bytes");
        CHECK(hash_of(s) == expected);
        sha256 hash;
        for (const char c : s) hash.add(&c, 1);
        CHECK(hex(hash.digest()) == expected);
    }
}

TEST_CASE("a digest ends nothing: more may follow") {
    sha256 hash;
    hash.add("ab", 2);
    CHECK(hex(hash.digest()) == hash_of("ab"));
    CHECK(hash.digest() == hash.digest());
    hash.add("c", 1);
    CHECK(hex(hash.digest()) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("bytes of every value, whatever their type") {
    std::vector<u8_t> unsigned_bytes;
    std::string characters;
    for (unsigned i = 0; i < 256; ++i) {
        unsigned_bytes.push_back(static_cast<u8_t>(i));
        characters.push_back(static_cast<char>(i));
    }
    CHECK(hex(sha256_of(unsigned_bytes.data(), 256)) == "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880");
    CHECK(hash_of(characters) == "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880");
}

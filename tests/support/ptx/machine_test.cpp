// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The interpreter itself: what programs compute, that they make progress, and that it says what is wrong with wrong ones.
#include "support/ptx/machine.hpp"
#include "support/catch.hpp"
#include "support/dice.hpp"

#include <cstdio>

using namespace netra;
using test::simt::machine;

namespace {

/// A module around a body that knows %r0 to %r31 and so on, the parameters a and b, and 4 KB of shared memory.
std::string module_of(const std::string& body, const std::string& shared = ".shared .align 128 .b8 shared[4096];\n") {
    return ".version 8.0\n.target sm_90a\n.address_size 64\n\n" + shared +
           ".visible .entry tested(\n\t.param .u64 a,\n\t.param .u64 b\n)\n.maxntid 256, 1, 1\n{\n\t.reg .pred %p<8>;\n\t.reg .b16 "
           "%h<8>;\n\t.reg .b32 %r<32>;\n"
           "\t.reg .b64 %d<32>;\n\t.reg .f32 %f<32>;\n\tld.param.u64 %d0, [a];\n\tld.param.u64 %d1, [b];\n\tmov.u32 %r0, "
           "%tid.x;\n\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %laneid;\n" +
           body + "\tret;\n}\n";
}

struct launch {
    u32_t blocks = 1;
    u32_t threads = 32;
    u64_t seed = 1;
};

/// Runs a body on a and b = `out` words of 32 bits; gives b.
std::vector<u32_t> run(const std::string& body, const std::vector<u32_t>& a, usz out, const launch& l = {}) {
    const test::simt::program p = test::simt::parse(module_of(body));
    machine m(l.seed);
    m.settings().stalled_steps = 2000;
    m.settings().instructions_without_event = 1'000'000;
    const u64_t from = m.upload(a, "a");
    const u64_t to = m.allocate(out * 4, "b");
    m.fill(to, 0, out * 4);
    m.launch(p, l.blocks, l.threads, 0, {from, to});
    return m.read<u32_t>(to, out);
}

/// What the interpreter says about a body; empty if nothing.
std::string complaint(const std::string& body, const launch& l = {}) {
    try {
        run(body, std::vector<u32_t>(64, 7), 64, l);
    } catch (const test::simt::error& e) {
        return e.what();
    }
    return {};
}

void check_says(const std::string& body, const std::vector<std::string>& words, const launch& l = {}) {
    const std::string said = complaint(body, l);
    INFO(body << "\n-> " << said);
    CHECK_FALSE(said.empty());
    for (const std::string& w : words) CHECK(said.find(w) != std::string::npos);
}

std::string lines(const std::vector<std::string>& all) {
    std::string made;
    for (const std::string& l : all) made += "\t" + l + (l.back() == ':' || l.starts_with("//") ? "\n" : ";\n");
    return made;
}

}  // namespace

TEST_CASE("every lane computes on its own registers") {
    const auto b = run(lines({"mul.lo.u32 %r3, %r0, 3", "mad.wide.u32 %d2, %r0, 4, %d1", "and.b32 %r4, %r0, 1", "setp.eq.u32 %p0, %r4, 1",
                              "@%p0 add.u32 %r3, %r3, 1000", "@!%p0 bra $L0", "add.u32 %r3, %r3, 5", "$L0:", "st.global.b32 [%d2], %r3"}),
                       {0}, 64, {.threads = 64});
    for (u32_t i = 0; i < 64; ++i) CHECK(b[i] == 3 * i + (i % 2 == 1 ? 1005U : 0U));
}

TEST_CASE("a lane that polls does not starve the lanes it waits for, wherever they stand") {
    // lane 0 waits, at the lowest pc, for a word that lane 1 writes further below
    const std::string body = lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 bra $L1", "$L0:", "ld.relaxed.gpu.global.b32 %r4, [%d1]",
                                    "setp.eq.u32 %p1, %r4, 0", "@%p1 bra $L0", "bra $L2", "$L1:", "mov.u32 %r5, 9",
                                    "st.relaxed.gpu.global.b32 [%d1], %r5", "$L2:", "bar.warp.sync -1", "st.global.b32 [%d1+4], %r5"});
    CHECK(complaint(body).find("no value yet") != std::string::npos);  // lane 0 has no %r5
    for (u64_t seed = 1; seed <= 20; ++seed) CHECK(run(body.substr(0, body.find("\tst.global")), {0}, 2, {.seed = seed})[0] == 9);
}

TEST_CASE("blocks hand words to each other, in every order") {
    // block i waits for the word of block i - 1 and writes its own
    const std::string body =
        lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 bra $L2", "mad.wide.u32 %d2, %r1, 8, %d1", "mov.u64 %d4, 1", "setp.eq.u32 %p1, %r1, 0",
               "@%p1 bra $L1", "$L0:", "ld.relaxed.gpu.global.b64 %d4, [%d2-8]", "setp.eq.u64 %p1, %d4, 0", "@%p1 bra $L0",
               "add.u64 %d4, %d4, 10", "$L1:", "st.relaxed.gpu.global.b64 [%d2], %d4", "$L2:"});
    for (u64_t seed = 1; seed <= 10; ++seed) CHECK(run(body, {0}, 64, {.blocks = 16, .threads = 64, .seed = seed})[30] == 151);
}

TEST_CASE("what a program may not do is an error that names the place") {
    check_says(lines({"add.u32 %r3, %r4, 1"}), {"`add.u32 %r3, %r4, 1;`", "thread 0", "no value yet"});
    check_says(lines({"mad.wide.u32 %d2, %r0, 4, %d1", "ld.global.b32 %r3, [%d2+200]"}),
               {"line 23", "thread 14", "outside every allocation", "allocation b", "0 bytes away"});
    check_says(lines({"ld.global.b32 %r3, [%d1+2]"}), {"not a multiple of 4"});
    check_says(lines({"ld.shared.b32 %r3, [shared]"}), {"nobody has written"});
    check_says(lines({"ld.shared.b32 %r3, [shared+4096]"}), {"outside the block's"});
    check_says(lines({"trap"}), {"trap"});
    check_says(lines({"// wait for nobody", "$L0:", "ld.relaxed.gpu.global.b32 %r3, [%d1]", "setp.eq.u32 %p0, %r3, 0", "@%p0 bra $L0"}),
               {"hangs", "// wait for nobody", "block 0 warp 0"});
    check_says(lines({"setp.lt.u32 %p0, %r0, 32", "@%p0 bar.sync 1, 96"}), {"hangs", "no warp can run", "bar.sync 1, 96"}, {.threads = 64});
    check_says(lines({"$L0:", "bra $L0"}), {"computes without end"});
    check_says(lines({"bar.sync 1, 33"}), {"multiple of 32"});
    check_says(lines({"setp.lt.u32 %p0, %r0, 16", "@%p0 bar.sync 0"}), {"all must"});
    check_says(lines({"setp.lt.u32 %p0, %r0, 16", "@%p0 bar.warp.sync 0xff"}), {"not in its own mask"});
    check_says(lines({"setp.lt.u32 %p0, %r0, 16", "@%p0 ret", "shfl.sync.bfly.b32 %r3, %r0, 16, 31, -1", "st.global.b32 [%d1], %r3"}),
               {"no value yet"});
    check_says(lines({"bar.arrive 1, 64", "bar.arrive 1, 64"}), {"second time"});
    for (const char* unknown : {"frob.u32 %r1, %r2", "add.u32 %r1, %r99, 2", "bra nowhere", "mov.u32 %r1, %nothing", "add.u32 %r1",
                                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1}, {%r0}, {%r1}, {%f0}"})
        check_says(lines({unknown}), {"line 22"});
}

TEST_CASE("named barriers order warps, however late one is") {
    // the last warp writes, the others read behind the barrier; two rounds
    const std::string body = lines({"shr.u32 %r3, %r0, 5",
                                    "mov.u32 %r6, 0",
                                    "$L0:",
                                    "add.u32 %r6, %r6, 1",
                                    "setp.ne.u32 %p0, %r3, 3",
                                    "@%p0 bra $L1",
                                    "mad.lo.u32 %r4, %r2, 4, shared",
                                    "mul.lo.u32 %r5, %r2, %r6",
                                    "st.shared.b32 [%r4], %r5",
                                    "bar.arrive 1, 128",
                                    "bar.sync 2, 128",
                                    "bra $L2",
                                    "$L1:",
                                    "bar.sync 1, 128",
                                    "mad.lo.u32 %r4, %r2, 4, shared",
                                    "ld.shared.b32 %r5, [%r4]",
                                    "bar.arrive 2, 128",
                                    "$L2:",
                                    "setp.lt.u32 %p0, %r6, 2",
                                    "@%p0 bra $L0",
                                    "mad.wide.u32 %d2, %r0, 4, %d1",
                                    "st.global.b32 [%d2], %r5"});
    for (u64_t seed = 1; seed <= 20; ++seed) {
        const auto b = run(body, {0}, 128, {.threads = 128, .seed = seed});
        for (u32_t i = 0; i < 128; ++i) CHECK(b[i] == 2 * (i % 32));
    }
}

namespace {

/// Thread 0 copies `count` pieces of 64 bytes through two slots; warp 1 adds them up. `wait` is what warp 1 does before it reads.
std::string ring_of_copies(u32_t count, const std::string& wait) {
    std::string made = lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 bra $L9"});
    for (const char* b : {"0", "8"})
        made += lines({std::string("mbarrier.init.shared.b64 [shared+") + b + "], 1",
                       std::string("mbarrier.init.shared.b64 [shared+16+") + b + "], 32"});
    for (usz at = made.find("16+"); at != std::string::npos; at = made.find("16+")) made.replace(at, 4, made[at + 3] == '0' ? "16" : "24");
    made += lines({"fence.mbarrier_init.release.cluster", "$L9:", "bar.sync 0", "mov.u32 %r10, 0", "setp.ge.u32 %p0, %r0, 32",
                   "@%p0 bra $L3", "setp.ne.u32 %p0, %r0, 0", "@%p0 ret"});
    const std::string slot = lines({"and.b32 %r11, %r10, 1", "shr.u32 %r12, %r10, 1", "and.b32 %r12, %r12, 1",
                                    "mad.lo.u32 %r13, %r11, 8, shared", "mad.lo.u32 %r14, %r11, 64, shared"});
    made += lines({"$L1:"}) + slot +
            lines({"xor.b32 %r12, %r12, 1", "// the producer waits for an empty slot",
                   "$L2:", "mbarrier.try_wait.parity.shared.b64 %p1, [%r13+16], %r12", "@!%p1 bra $L2",
                   "mbarrier.arrive.expect_tx.shared.b64 _, [%r13], 64", "mad.wide.u32 %d3, %r10, 64, %d0",
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r14+128], [%d3], 64, [%r13]",
                   "add.u32 %r10, %r10, 1", "setp.lt.u32 %p1, %r10, " + std::to_string(count), "@%p1 bra $L1", "ret"});
    made += lines({"$L3:", "mov.u32 %r20, 0", "$L4:"}) + slot + wait +
            lines({"and.b32 %r15, %r2, 15", "mad.lo.u32 %r16, %r15, 4, %r14", "ld.shared.b32 %r17, [%r16+128]", "add.u32 %r20, %r20, %r17",
                   "fence.proxy.async.shared::cta", "mbarrier.arrive.shared.b64 _, [%r13+16]", "add.u32 %r10, %r10, 1", "setp.lt.u32 %p1, %r10, " + std::to_string(count),
                   "@%p1 bra $L4", "mad.wide.u32 %d2, %r2, 4, %d1", "st.global.b32 [%d2], %r20"});
    return made;
}

}  // namespace

TEST_CASE("bulk copies land late, complete their mbarrier, and must be waited for") {
    std::vector<u32_t> a(16 * 9);
    for (u32_t i = 0; i < a.size(); ++i) a[i] = i * i;
    const std::string wait = lines({"$L5:", "mbarrier.try_wait.parity.shared.b64 %p1, [%r13], %r12", "@!%p1 bra $L5"});
    for (u64_t seed = 1; seed <= 30; ++seed) {
        const auto b = run(ring_of_copies(9, wait), a, 32, {.threads = 64, .seed = seed});
        for (u32_t i = 0; i < 32; ++i) {
            u32_t sum = 0;
            for (u32_t k = 0; k < 9; ++k) sum += a[16 * k + i % 16];
            CHECK(b[i] == sum);
        }
    }
    u32_t noticed = 0;
    for (u64_t seed = 1; seed <= 20; ++seed) {
        try {
            run(ring_of_copies(9, ""), a, 32, {.threads = 64, .seed = seed});
        } catch (const test::simt::error&) {
            ++noticed;
        }
    }
    CHECK(noticed == 20);
}

TEST_CASE("mbarriers count exactly") {
    const std::string init =
        lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 ret", "mbarrier.init.shared.b64 [shared], 2", "fence.mbarrier_init.release.cluster"});
    check_says(init + lines({"mbarrier.arrive.shared.b64 _, [shared]", "mbarrier.arrive.expect_tx.shared.b64 _, [shared], 16",
                             "mbarrier.arrive.shared.b64 _, [shared]"}),
               {"waits for 0 more (of 2) and 16 bytes"});
    check_says(init + lines({"mbarrier.arrive.shared.b64 _, [shared+8]"}), {"no mbarrier was initialised"});
    check_says(init + lines({"ld.shared.b32 %r3, [shared]"}), {"belongs to an mbarrier"});
    check_says(init + lines({"mbarrier.init.shared.b64 [shared], 2"}), {"belongs to an mbarrier"});
    const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
    check_says(init + lines({copy + "[shared+16], [%d0], 24, [shared]"}), {"24 bytes, not a multiple of 16"});
    check_says(init + lines({copy + "[shared+24], [%d0], 16, [shared]"}), {"not a multiple of 16"});
    check_says(init + lines({copy + "[shared+16], [%d0+248], 16, [shared]"}), {"not a multiple of 16"});
    check_says(init + lines({copy + "[shared+16], [%d0+256], 16, [shared]"}), {"outside every allocation"});
    check_says(init + lines({copy + "[shared+16], [%d0], 16, [shared]", "ld.shared.b32 %r3, [shared+16]"}), {"has not landed"});
    // phases: parity 1 counts as completed before the first completes
    const auto b =
        run(init + lines({"mbarrier.test_wait.parity.shared.b64 %p1, [shared], 1", "selp.b32 %r3, 1, 0, %p1",
                          "mbarrier.test_wait.parity.shared.b64 %p1, [shared], 0", "selp.b32 %r4, 1, 0, %p1",
                          "mbarrier.arrive.shared.b64 %d4, [shared], 2", "mbarrier.test_wait.parity.shared.b64 %p1, [shared], 0",
                          "selp.b32 %r5, 1, 0, %p1", "mbarrier.test_wait.shared.b64 %p1, [shared], %d4", "selp.b32 %r6, 1, 0, %p1",
                          "mbarrier.test_wait.parity.shared.b64 %p1, [shared], 1", "selp.b32 %r7, 1, 0, %p1",
                          "st.global.v4.b32 [%d1], {%r3, %r4, %r5, %r6}", "st.global.b32 [%d1+16], %r7"}),
            {0}, 8);
    CHECK(b == std::vector<u32_t>{1, 0, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("cp.async groups complete in order; reading before the wait is an error") {
    const std::string issue =
        lines({"mad.lo.u32 %r3, %r2, 16, shared", "mad.wide.u32 %d2, %r2, 8, %d0", "cp.async.ca.shared.global [%r3], [%d2], 8",
               "cp.async.commit_group", "cp.async.ca.shared.global [%r3+8], [%d2], 8, 4", "cp.async.commit_group"});
    const std::string read =
        lines({"ld.shared.v2.b32 {%r4, %r5}, [%r3]", "ld.shared.v2.b32 {%r6, %r7}, [%r3+8]", "add.u32 %r4, %r4, %r5",
               "add.u32 %r4, %r4, %r6", "add.u32 %r4, %r4, %r7", "mad.wide.u32 %d2, %r2, 4, %d1", "st.global.b32 [%d2], %r4"});
    for (u64_t seed = 1; seed <= 10; ++seed) {
        CHECK(run(issue + lines({"cp.async.wait_group 0"}) + read, std::vector<u32_t>(64, 7), 32, {.seed = seed})[31] == 21);
        CHECK(run(issue + lines({"cp.async.wait_all"}) + read, std::vector<u32_t>(64, 7), 32, {.seed = seed})[31] == 21);
        check_says(issue + lines({"cp.async.wait_group 1"}) + read, {"has not landed"}, {.seed = seed});
    }
    // arrivals of threads behind their copies
    const std::string arrive =
        lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 bra $L0", "mbarrier.init.shared.b64 [shared+1024], 32", "$L0:", "bar.warp.sync -1"}) +
        issue +
        lines({"cp.async.mbarrier.arrive.noinc.shared.b64 [shared+1024]",
               "$L1:", "mbarrier.test_wait.parity.shared.b64 %p1, [shared+1024], 0", "@!%p1 bra $L1"}) +
        read;
    for (u64_t seed = 1; seed <= 10; ++seed) CHECK(run(arrive, std::vector<u32_t>(64, 7), 32, {.seed = seed})[17] == 21);
}

namespace {

/// Whether some seed, and whether every seed, has the interpreter speak of a race, or of a byte that is not written yet.
std::pair<bool, bool> races(const std::string& body, const launch& shape) {
    std::pair<bool, bool> said{false, true};
    for (u64_t seed = 1; seed <= 12; ++seed) {
        const std::string c = complaint(body, {shape.blocks, shape.threads, seed});
        INFO(c);
        const bool race = c.find("nothing orders them") != std::string::npos || c.find("nobody has written") != std::string::npos;
        CHECK((c.empty() || race));
        said.first = said.first || race;
        said.second = said.second && race;
    }
    return said;
}
void check_race(bool expected, const std::string& body, const launch& shape = {}) {
    INFO(body);
    const auto said = races(body, shape);
    CHECK(said.first == expected);
    CHECK(said.second == expected);
}

}  // namespace

TEST_CASE("accesses to shared memory that nothing orders are races, whatever the order was") {
    const std::string exchange = lines({"mad.lo.u32 %r3, %r0, 4, shared", "xor.b32 %r4, %r3, 4", "st.shared.b32 [%r3], %r0"});
    const std::string read = lines({"ld.shared.b32 %r5, [%r4]"});
    check_race(true, exchange + read);
    check_race(false, exchange + lines({"bar.warp.sync -1"}) + read);
    check_race(true, exchange + lines({"shfl.sync.bfly.b32 %r6, %r0, 1, 31, -1"}) + read);  // orders no memory
    check_race(false, exchange + lines({"bar.sync 0"}) + read);
    // the neighbour's next write must wait for the read
    check_race(true, exchange + lines({"bar.warp.sync -1"}) + read + lines({"st.shared.b32 [%r3], %r0"}));
    check_race(false, exchange + lines({"bar.warp.sync -1"}) + read + lines({"bar.warp.sync -1", "st.shared.b32 [%r3], %r0"}));
    // between warps: only a barrier that both take part in; bar.warp.sync is not enough
    const std::string across = lines({"xor.b32 %r4, %r3, 128"});
    check_race(false, exchange + across + lines({"bar.sync 3, 64"}) + read, {.threads = 64});
    // warp 0 writes, warp 1 reads what was written before an earlier barrier, and again without one
    const std::string second = lines({"bar.sync 0", "setp.ge.u32 %p0, %r0, 32", "@%p0 bra $L0", "st.shared.b32 [%r3], %r0", "bra $L1",
                                      "$L0:", "ld.shared.b32 %r5, [%r3-128]", "$L1:"});
    check_race(true, exchange + second, {.threads = 64});
    // two lanes read a word, meet, and the one whose word it is reads it again and writes it
    const std::string shared_read = lines({"and.b32 %r6, %r0, 15", "mad.lo.u32 %r7, %r6, 4, shared", "ld.shared.b32 %r8, [%r7]",
                                           "bar.warp.sync -1", "ld.shared.b32 %r8, [%r3]", "st.shared.b32 [%r3], %r8"});
    check_race(false, exchange + lines({"bar.warp.sync -1"}) + shared_read);
    // two lanes write the same place in one instruction: one of them wins
    check_race(false, lines({"st.shared.b32 [shared], %r0"}));
}

TEST_CASE("mbarriers order what arrivals came after, and nothing else") {
    // warp 0 writes and arrives; warp 1 waits and reads
    const auto body = [](const std::string& init, const std::string& before_arrival, const std::string& arrival, const std::string& wait) {
        return lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 bra $L0"}) +
               lines({"mbarrier.init.shared.b64 [shared+1024], 1", "fence.mbarrier_init.release.cluster", "$L0:"}) + init +
               lines({"mad.lo.u32 %r3, %r2, 4, shared", "setp.ge.u32 %p0, %r0, 32", "@%p0 bra $L1", "st.shared.b32 [%r3], %r0"}) +
               before_arrival + lines({"setp.ne.u32 %p0, %r0, 0", arrival, "ret", "$L1:"}) + wait + lines({"ld.shared.b32 %r5, [%r3]"});
    };
    const std::string arrive = "@!%p0 mbarrier.arrive.shared.b64 _, [shared+1024]";
    const std::string sync = lines({"bar.warp.sync -1"});
    const std::string wait = lines({"$L2:", "mbarrier.try_wait.parity.shared.b64 %p1, [shared+1024], 0", "@!%p1 bra $L2"});
    check_race(false, body(lines({"bar.sync 0"}), sync, arrive, wait), {.threads = 64});
    check_race(true, body(lines({"bar.sync 0"}), "", arrive, wait), {.threads = 64});  // lane 0 arrives for lanes that it has not met
    // only lane 0 waits: the others must meet it
    const std::string wait_alone = lines({"setp.ne.u32 %p2, %r2, 0", "@%p2 bra $L3"}) + wait + lines({"$L3:"});
    check_race(false, body(lines({"bar.sync 0"}), sync, arrive, wait_alone + sync), {.threads = 64});
    check_race(true, body(lines({"bar.sync 0"}), sync, arrive, wait_alone), {.threads = 64});
}

TEST_CASE("what one block writes for another needs release and acquire, or is its own flag") {
    // block 0 writes a word, then a flag; block 1 waits for the flag and reads the word
    const auto body = [](const std::string& between, const std::string& store, const std::string& load, const std::string& behind,
                         const std::string& read) {
        return lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 ret", "mov.u32 %r3, 1", "setp.ne.u32 %p1, %r1, 0", "@%p1 bra $L0",
                      "st.global.b32 [%d1+64], %r3"}) +
               between + lines({store + " [%d1], %r3", "ret", "$L0:", load + " %r4, [%d1]", "setp.eq.u32 %p1, %r4, 0", "@%p1 bra $L0"}) +
               behind + lines({read + " %r5, [%d1+64]"});
    };
    const launch two{.blocks = 2};
    const std::string fence = lines({"fence.acq_rel.gpu"});
    check_race(false, body("", "st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", "", "ld.global.b32"), two);
    check_race(false, body(fence, "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", fence, "ld.global.b32"), two);
    check_race(false, body("", "red.release.gpu.global.add.u32", "ld.acquire.gpu.global.u32", "", "ld.global.b32"), two);
    check_race(true, body("", "st.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32", "", "ld.global.b32"), two);
    check_race(true, body("", "st.release.gpu.global.u32", "ld.relaxed.gpu.global.u32", "", "ld.global.b32"), two);
    check_race(true, body("", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", fence, "ld.global.b32"), two);
    check_race(true, body("", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", "", "ld.relaxed.gpu.global.u32"),
               two);  // the word was stored plainly
    const std::string own_flag =
        lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 ret", "mov.u64 %d4, 0x700000001", "setp.ne.u32 %p1, %r1, 0", "@%p1 bra $L0",
               "st.relaxed.gpu.global.b64 [%d1], %d4", "ret", "$L0:", "ld.relaxed.gpu.global.b64 %d5, [%d1]", "mov.b64 {%r4, %r5}, %d5",
               "setp.ne.u32 %p1, %r4, 1", "@%p1 bra $L0"});
    check_race(false, own_flag, two);
}

TEST_CASE("stores to global memory are seen late and in any order, except behind a fence") {
    // block 0 stores three words in turn; block 1 waits for the last and reads the first
    const auto body = [](const std::string& between) {
        return lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 ret", "mov.u32 %r3, 1", "setp.ne.u32 %p1, %r1, 0", "@%p1 bra $L0",
                      "st.relaxed.gpu.global.u32 [%d1+64], %r3"}) +
               between +
               lines({"st.relaxed.gpu.global.u32 [%d1], %r3", "ret", "$L0:", "ld.relaxed.gpu.global.u32 %r4, [%d1]",
                      "setp.eq.u32 %p1, %r4, 0", "@%p1 bra $L0", "ld.relaxed.gpu.global.u32 %r5, [%d1+64]",
                      "st.global.b32 [%d1+128], %r5"});
    };
    u32_t old[2] = {0, 0};
    for (u64_t seed = 1; seed <= 40; ++seed)
        for (u32_t fenced = 0; fenced < 2; ++fenced)
            old[fenced] += run(body(fenced != 0 ? lines({"fence.acq_rel.gpu"}) : ""), {0}, 33, {.blocks = 2, .seed = seed})[32] == 0;
    CHECK(old[0] > 0);
    CHECK(old[0] < 40);
    CHECK(old[1] == 0);
    // a thread sees its own stores
    const std::string own = lines({"mad.wide.u32 %d2, %r0, 4, %d1", "st.global.b32 [%d2], %r0", "ld.global.b32 %r3, [%d2]",
                                   "add.u32 %r3, %r3, 1", "st.global.b32 [%d2], %r3"});
    for (u64_t seed = 1; seed <= 5; ++seed) CHECK(run(own, {0}, 64, {.threads = 64, .seed = seed})[63] == 64);
}

TEST_CASE("constant loads read nothing that the launch writes") {
    check_says(lines({"st.global.b32 [%d1+4], %r0", "ld.global.nc.b32 %r3, [%d1+4]"}),
               {"as constant memory", "`st.global.b32 [%d1+4], %r0;`"});
    CHECK(complaint(lines({"st.global.b32 [%d1+4], %r0", "ld.global.nc.b32 %r3, [%d1+8]"})).empty());
}

TEST_CASE("bulk copies see what threads wrote only behind a proxy fence") {
    const std::string init = lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 ret", "mbarrier.init.shared.b64 [shared], 1"});
    const std::string fence = lines({"fence.proxy.async"});
    const std::string write = lines({"st.global.b32 [%d0], %r0"});
    const std::string copy = lines({"mbarrier.arrive.expect_tx.shared.b64 _, [shared], 16",
                                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared+16], [%d0], 16, [shared]",
                                    "$L0:", "mbarrier.try_wait.parity.shared.b64 %p1, [shared], 0", "@!%p1 bra $L0",
                                    "ld.shared.b32 %r3, [shared+16]", "st.global.b32 [%d1], %r3"});
    check_says(init + copy, {"without a fence.mbarrier_init"});
    CHECK(complaint(init + fence + copy).empty());
    check_says(init + fence + write + copy, {"without a fence.proxy.async between"});
    CHECK(complaint(init + write + fence + copy).empty());
}

TEST_CASE("bulk copies overwrite what threads read only behind a proxy fence") {
    const std::string init = lines({"setp.ne.u32 %p0, %r0, 0", "@%p0 ret", "mbarrier.init.shared.b64 [shared], 1", "fence.proxy.async"});
    const auto copy = [](const std::string& label, const std::string& parity) {
        return lines({"mbarrier.arrive.expect_tx.shared.b64 _, [shared], 16",
                      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared+16], [%d0], 16, [shared]", label + ":",
                      "mbarrier.try_wait.parity.shared.b64 %p1, [shared], " + parity, "@!%p1 bra " + label});
    };
    const std::string read = lines({"ld.shared.b32 %r3, [shared+16]"});
    const std::string fence = lines({"fence.proxy.async.shared::cta"});
    const std::string end = lines({"st.global.b32 [%d1], %r3"});
    CHECK(complaint(init + copy("$L0", "0") + copy("$L1", "1") + read + end).empty());
    check_says(init + copy("$L0", "0") + read + copy("$L1", "1") + read + end, {"copies over", "without a fence.proxy.async between"});
    CHECK(complaint(init + copy("$L0", "0") + read + fence + copy("$L1", "1") + read + end).empty());
}

TEST_CASE("shuffles, votes and reductions") {
    const auto one = [](const std::vector<std::string>& what) {
        return run(lines(what) + lines({"mad.wide.u32 %d2, %r2, 4, %d1", "st.global.b32 [%d2], %r3"}), {0}, 32);
    };
    const auto down = one({"shfl.sync.down.b32 %r3, %r0, 4, 31, -1"});
    const auto up = one({"shfl.sync.up.b32 %r3, %r0, 4, 0, -1"});
    const auto butterfly = one({"shfl.sync.bfly.b32 %r3, %r0, 5, 31, -1"});
    const auto index = one({"shfl.sync.idx.b32 %r3, %r0, 3, 0x181f, -1"});  // segments of 8
    const auto ballot = one({"setp.lt.u32 %p0, %r2, 5", "vote.sync.ballot.b32 %r3, %p0, -1"});
    const auto most = one({"xor.b32 %r4, %r2, 21", "redux.sync.max.u32 %r3, %r4, -1"});
    const auto all = one({"setp.lt.u32 %p0, %r2, 5", "vote.sync.all.pred %p1, %p0, -1", "selp.b32 %r3, 1, 2, %p1"});
    for (u32_t l = 0; l < 32; ++l) {
        CHECK(down[l] == (l + 4 < 32 ? l + 4 : l));
        CHECK(up[l] == (l >= 4 ? l - 4 : l));
        CHECK(butterfly[l] == (l ^ 5));
        CHECK(index[l] == l / 8 * 8 + 3);
        CHECK(ballot[l] == 31);
        CHECK(most[l] == 31);
        CHECK(all[l] == 2);
    }
}

TEST_CASE("atomics are atomic, 64-bit words whole") {
    for (u64_t seed = 1; seed <= 5; ++seed) {
        const auto b = run(lines({"atom.relaxed.gpu.global.add.u32 %r3, [%d1], 2", "red.release.gpu.global.add.u32 [%d1+4], 1",
                                  "atom.global.max.u32 %r4, [%d1+8], %r0", "atom.global.cas.b32 %r5, [%d1+12], 0, 77"}),
                           {0}, 4, {.blocks = 3, .threads = 96, .seed = seed});
        CHECK(b == std::vector<u32_t>{576, 288, 95, 77});
    }
}

TEST_CASE("mma multiplies matrices in the documented layout") {
    test::dice d(7);
    // small integers: every order of sums is exact
    std::vector<int> a(16 * 32), b(32 * 8);
    for (int& v : a) v = static_cast<int>(d.below(15)) - 7;
    for (int& v : b) v = static_cast<int>(d.below(15)) - 7;
    const auto encoded = [](int v, const std::string& type) -> u32_t {
        const double x = v;
        if (type == "s8") return static_cast<u32_t>(v) & 255;
        return static_cast<u32_t>((type == "bf16"  ? test::simt::bfloat_format
                                   : type == "f16" ? test::simt::half_format
                                                   : test::simt::e4m3_format)
                                      .encode(x));
    };
    for (const auto& [type, k] : {std::pair<std::string, u32_t>{"bf16", 16}, {"f16", 16}, {"e4m3", 32}, {"s8", 32}, {"bf16", 8}}) {
        const u32_t bits = k == 32 ? 8 : 16;
        const u32_t per = 32 / bits;
        const u32_t halves = k / (4 * per);
        // words of a lane as the manual lists them: a by (row half, k half), b by k half; then what each lane must hold of the product
        std::vector<u32_t> words;
        std::vector<i32_t> expected;
        for (u32_t l = 0; l < 32; ++l) {
            for (u32_t r = 0; r < 2 * halves; ++r) {
                u32_t w = 0;
                for (u32_t e = 0; e < per; ++e)
                    w |= encoded(a[(l / 4 + 8 * (r & 1)) * 32 + (l % 4) * per + e + (r >> 1) * (k / 2)], type) << (bits * e);
                words.push_back(w);
            }
            for (u32_t r = 0; r < halves; ++r) {
                u32_t w = 0;
                for (u32_t e = 0; e < per; ++e) w |= encoded(b[((l % 4) * per + e + r * (k / 2)) * 8 + l / 4], type) << (bits * e);
                words.push_back(w);
            }
            for (u32_t r = 0; r < 4; ++r) {
                int sum = 1;
                for (u32_t t = 0; t < k; ++t) sum += a[(l / 4 + 8 * (r / 2)) * 32 + t] * b[t * 8 + (l % 4) * 2 + r % 2];
                expected.push_back(sum);
            }
        }
        const bool whole = type == "s8";
        std::string body = lines({"mad.wide.u32 %d2, %r2, " + std::to_string(12 * halves) + ", %d0", "mad.wide.u32 %d3, %r2, 16, %d1"});
        for (u32_t r = 0; r < 3 * halves; ++r)
            body += lines({"ld.global.b32 %r" + std::to_string(10 + r) + ", [%d2+" + std::to_string(4 * r) + "]"});
        const std::string as = halves == 2 ? "{%r10, %r11, %r12, %r13}, {%r14, %r15}" : "{%r10, %r11}, {%r12}";
        const std::string c = whole ? "{%r20, %r21, %r22, %r23}" : "{%f0, %f1, %f2, %f3}";
        for (u32_t r = 0; r < 4; ++r)
            body += lines({whole ? "mov.u32 %r2" + std::to_string(r) + ", 1" : "mov.f32 %f" + std::to_string(r) + ", 0f3f800000"});
        body += lines({"mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col." +
                           (whole ? "s32.s8.s8.s32 " : "f32." + type + "." + type + ".f32 ") + c + ", " + as + ", " + c,
                       std::string("st.global.v4.") + (whole ? "b32" : "f32") + " [%d3], " + c});
        const auto got = run(body, words, 128);
        u32_t wrong = 0;
        for (u32_t i = 0; i < 128; ++i)
            wrong += (whole ? static_cast<i32_t>(got[i]) : static_cast<i32_t>(test::simt::from_word<float>(got[i]))) != expected[i];
        INFO(type << " k " << k);
        CHECK(wrong == 0);
    }
}

TEST_CASE("ldmatrix distributes rows of 16 bytes") {
    for (const bool transposed : {false, true}) {
        std::string body = lines({"mad.lo.u32 %r3, %r0, 16, shared"});
        // row r of matrix m holds 16-bit elements 64 m + 8 r + c
        for (u32_t w = 0; w < 4; ++w)
            body += lines({"mad.lo.u32 %r4, %r0, 8, " + std::to_string(2 * w), "add.u32 %r5, %r4, 1", "shl.b32 %r5, %r5, 16",
                           "or.b32 %r4, %r4, %r5", "st.shared.b32 [%r3+" + std::to_string(4 * w) + "], %r4"});
        body += lines(
            {"bar.warp.sync -1",
             std::string("ldmatrix.sync.aligned.m8n8.x4") + (transposed ? ".trans" : "") + ".shared.b16 {%r10, %r11, %r12, %r13}, [%r3]",
             "mad.wide.u32 %d2, %r2, 16, %d1", "st.global.v4.b32 [%d2], {%r10, %r11, %r12, %r13}"});
        const auto b = run(body, {0}, 128);
        for (u32_t l = 0; l < 32; ++l)
            for (u32_t m = 0; m < 4; ++m) {
                const u32_t r = l / 4;
                const u32_t c = 2 * (l % 4);
                const u32_t low = transposed ? 64 * m + 8 * c + r : 64 * m + 8 * r + c;
                const u32_t high = transposed ? low + 8 : low + 1;
                CHECK(b[4 * l + m] == (low | high << 16));
            }
    }
}

TEST_CASE("narrow floats round to nearest even and saturate") {
    using namespace test::simt;
    for (u32_t bits = 0; bits < 65536; ++bits) {
        const double v = half_format.decode(bits);
        if (!std::isnan(v)) REQUIRE(half_format.encode(v) == bits);
        const double w = bfloat_format.decode(bits);
        if (!std::isnan(w)) REQUIRE(bfloat_format.encode(w) == bits);
        if (!std::isnan(w)) REQUIRE(static_cast<float>(w) == bfloat_to_float(bits));
    }
    CHECK(half_format.encode(65519.0) == 0x7bff);
    CHECK(half_format.encode(65520.0) == 0x7c00);
    CHECK(half_format.encode(1.0 + 0x1p-11) == 0x3c00);
    CHECK(half_format.encode(1.0 + 3 * 0x1p-11) == 0x3c02);
    CHECK(half_format.encode(0x1p-25) == 0);
    CHECK(half_format.encode(0x1.8p-25) == 1);
    CHECK(e4m3_format.decode(0x7e) == 448.0);
    CHECK(e4m3_format.encode(1e6, true) == 0x7e);
    CHECK(e4m3_format.encode(0x1p-9) == 1);
    CHECK(e5m2_format.decode(0x7b) == 57344.0);
}

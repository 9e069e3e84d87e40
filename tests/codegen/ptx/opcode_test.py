#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""ptxas takes every instruction of opcode.hpp at the PTX version and the target that its record names, and at none before."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIP = 77
VERSIONS = (60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90)
TARGETS = {75: 63, 80: 70, 89: 78, 90: 78}  # compute capability -> the first version that names it
RECORD = re.compile(r"(\w+)\{\"([^\"]+)\"(?:, (\d+), (\d+)(?:, (true))?)?\}")

# Operands by opcode, for those that the rules of `operands` do not cover.
SPECIAL = {
    "bra": "END", "bra_uni": "END", "ret": "", "trap": "", "ld_param_u64": "%d0, [a]", "ld_param_u32": "%r0, [n]",
    "cvt_u64_u32": "%d0, %r0", "cvt_u32_u64": "%r0, %d0", "shr_u64": "%d0, %d1, 3", "atom_cas_b32": "%r0, [%d0], %r1, %r2", "cp_async_arrive": "[%r0]",
    "cvt_f32_s32": "%f0, %r0", "cvt_u64_f32": "%d0, %f0", "selp_b64": "%d0, %d1, %d2, %p0",
    "mul_wide_u32": "%d0, %r0, %r1", "mad_wide_u32": "%d0, %r0, %r1, %d1",
    "shl_b32": "%r0, %r1, 3", "shr_u32": "%r0, %r1, 3", "shr_s32": "%r0, %r1, 3", "prmt_b32": "%r0, %r1, %r2, 0x5410", "selp_b32": "%r0, %r1, %r2, %p0",
    "selp_f32": "%f0, %f1, %f2, %p0", "mov_u32": "%r0, %tid.x", "cvt_f32_f16": "%f0, %h0", "cvt_f16_f32": "%h0, %f0", "cvt_f32_u32": "%f0, %r0",
    "cvt_bf16_f32": "%h0, %f0", "cvt_bf16x2_f32": "%r0, %f0, %f1", "cvt_f16x2_f32": "%r0, %f0, %f1",
    "cvt_e4m3x2_f32": "%h0, %f0, %f1", "cvt_f16x2_e4m3x2": "%r0, %h0", "red_release_add_u32": "[%d0], %r0", "atom_add_u32": "%r0, [%d0], %r1",
    "cp_async_16": "[%r0], [%d0], 16", "cp_async_commit": "", "cp_async_wait": "0", "bulk_copy": "[%r0], [%d0], 64, [%r1]",
    "bulk_prefetch": "[%d0], 64", "mbarrier_init": "[%r0], 1", "mbarrier_arrive": "%d0, [%r0]", "mbarrier_expect": "%d0, [%r0], 64",
    "mbarrier_test": "%p0, [%r0], %r1", "mbarrier_try": "%p0, [%r0], %r1", "bar_sync": "0, 128", "bar_arrive": "1, 128",
    "setmaxnreg_up": "232", "setmaxnreg_down": "40", "bar_warp": "-1", "vote_all": "%p0, %p1, -1", "vote_ballot": "%r0, %p1, -1",
    "ldmatrix_x4": "{%r0, %r1, %r2, %r3}, [%r4]", "mma_s8": "{%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3}",
}
CLASSES = {"pred": "%p", "b16": "%h", "u16": "%h", "f16": "%h", "b32": "%r", "u32": "%r", "s32": "%r", "b64": "%d", "u64": "%d", "f32": "%f"}
OPERANDS = {"mov": 2, "abs": 2, "not": 2, "cvta": 2, "neg": 2, "sqrt": 2, "rsqrt": 2, "lg2": 2, "popc": 2, "rcp": 2, "ex2": 2, "mad": 4, "fma": 4}


def operands(name, text):
    """Sample operands: by the table above, else by the kind of instruction and its last type."""
    if name in SPECIAL:
        return SPECIAL[name]
    kind, register = text.split(".")[0], CLASSES.get(text.split(".")[-1], "%r")
    count = 4 if ".v4" in text else 2 if ".v2" in text else 1
    listed = ", ".join(f"{register}{i}" for i in range(count))
    vector = f"{{{listed}}}" if count > 1 else listed
    address = "[%r9]" if ".shared" in text else "[%d9]"
    if kind == "ld":
        return f"{vector}, {address}"
    if kind == "st":
        return f"{address}, {vector}"
    if kind == "fence":
        return ""
    if kind == "setp":
        return f"%p0, {register}0, {register}1"
    if kind == "shfl":
        return "%r0, %r1, 1, 31, -1"
    if kind == "mma":
        return "{%f0, %f1, %f2, %f3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%f0, %f1, %f2, %f3}"
    return ", ".join(f"{register}{i}" for i in range(OPERANDS.get(kind, 3)))


def module(version, target, lines):
    return (f".version {version // 10}.{version % 10}\n.target {target}\n.address_size 64\n"
            ".visible .entry k(.param .u64 a, .param .u32 n)\n.maxntid 128, 1, 1\n{\n"
            ".reg .pred %p<4>; .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<16>;\n" + "".join(f"{line};\n" for line in lines) + "END:\nret;\n}\n")


def assembles(ptxas, version, sm, exact, lines):
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "k.ptx"
        target = f"sm_{sm}{'a' if exact else ''}"
        source.write_text(module(version, target, lines))
        run = subprocess.run([ptxas, f"-arch={target}", str(source), "-o", f"{scratch}/k.cubin"], capture_output=True, text=True, check=False)
        return run.returncode == 0, run.stdout + run.stderr


def first_target(sm):
    return min(t for t in TARGETS if t >= sm)


def main():
    ptxas = shutil.which("ptxas", path=os.environ.get("PATH", "") + os.pathsep + "/usr/local/cuda/bin")
    if ptxas is None:
        print("skipped: this machine has no ptxas")
        return SKIP
    header = (ROOT / "include/netra/codegen/ptx/opcode.hpp").read_text()
    records = [(n, t, int(isa or 60), int(sm or 50), bool(exact)) for n, t, isa, sm, exact in RECORD.findall(header)]
    failed = 0
    groups = {}
    for name, text, isa, sm, exact in records:
        target = first_target(sm)
        groups.setdefault((max(isa, 80 if exact else TARGETS[target]), target, exact), []).append(f"{text} {operands(name, text)}")
    for (version, target, exact), lines in groups.items():
        taken, said = assembles(ptxas, version, target, exact, lines)
        if not taken:
            failed += 1
            print(f"refused at PTX {version / 10} for sm_{target}:\n{said}")
    checked = 0
    for name, text, isa, sm, exact in records:
        line = [f"{text} {operands(name, text)}"]
        target = first_target(sm)
        earlier = [v for v in VERSIONS if v < isa]
        if earlier and not exact and earlier[-1] >= TARGETS[target]:
            checked += 1
            if assembles(ptxas, earlier[-1], target, exact, line)[0]:
                failed += 1
                print(f"{name}: is in PTX {earlier[-1] / 10} already, the record says {isa / 10}")
        lower = [t for t in TARGETS if t < sm]
        if lower:
            checked += 1
            if assembles(ptxas, 90, max(lower), False, line)[0]:
                failed += 1
                print(f"{name}: runs on sm_{max(lower)} already, the record says sm_{sm}")
        if exact:
            checked += 1
            if assembles(ptxas, 90, sm, False, line)[0]:
                failed += 1
                print(f"{name}: needs no sm_{sm}a")
    print(f"{len(records)} instructions assemble; {checked} were refused at an earlier version or target")
    return 1 if failed or len(records) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
